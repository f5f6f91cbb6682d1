//! How the threads of lanes were scheduled, by lane and time.

use std::collections::BTreeMap;

use record::time::Interval;
use record::{LaneId, ThreadInterval};

/// The states of every thread that any are known of.
#[derive(Clone, Debug, Default)]
pub(super) struct ThreadStates {
    lanes: BTreeMap<LaneId, Vec<ThreadInterval>>,
    /// Lanes of which some came late and are not in their place yet.
    late: Vec<LaneId>,
}

impl ThreadStates {
    /// Takes states of a lane's thread, in any order.
    pub fn push(&mut self, lane: LaneId, intervals: Vec<ThreadInterval>) {
        let known = self.lanes.entry(lane).or_default();
        let follows = |[a, b]: &[ThreadInterval; 2]| a.interval.end <= b.interval.start;
        let last = known.last().copied();
        let joint = last.zip(intervals.first().copied());
        let is_late = joint.is_some_and(|(last, first)| !follows(&[last, first]))
            || !intervals.array_windows().all(follows);
        if is_late {
            self.late.push(lane);
        }
        known.extend(intervals);
    }

    /// Puts what came late in its place. Where two overlap, the first ends where the second begins, as a thread can only be in one
    /// state; says how many that were.
    pub fn put_in_order(&mut self) -> u64 {
        let mut cut = 0;
        let mut late = std::mem::take(&mut self.late);
        late.sort_unstable();
        late.dedup();
        for lane in late {
            let Some(all) = self.lanes.get_mut(&lane) else {
                continue;
            };
            all.sort_by_key(|it| (it.interval.start, it.interval.end));
            let mut next = None;
            for it in all.iter_mut().rev() {
                if let Some(next) = next.filter(|next| it.interval.end > *next) {
                    it.interval.end = next;
                    cut += 1;
                }
                next = Some(it.interval.start);
            }
        }
        cut
    }

    /// The lanes whose threads are known of.
    pub fn lanes(&self) -> impl Iterator<Item = LaneId> {
        self.lanes.keys().copied()
    }

    /// The states of a lane's thread, in order of time.
    pub fn of(&self, lane: LaneId) -> &[ThreadInterval] {
        self.lanes.get(&lane).map_or(&[], Vec::as_slice)
    }

    /// Those that overlap an interval, or lie in it without any length.
    pub fn within(&self, lane: LaneId, interval: Interval) -> &[ThreadInterval] {
        let all = self.of(lane);
        let from = all.partition_point(|it| it.interval.end < interval.start);
        let to = all.partition_point(|it| it.interval.start < interval.end);
        all.get(from..to.max(from)).unwrap_or(&[])
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let all = self.lanes.values().map(Vec::capacity);
        all.sum::<usize>() * size_of::<ThreadInterval>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::time::Nanos;
    use record::{NameId, ThreadState};

    fn ran(start: i64, end: i64) -> ThreadInterval {
        ThreadInterval {
            interval: Interval::new(Nanos(start), Nanos(end)),
            state: ThreadState::Running,
            core: Some(0),
            waker: NameId::NONE,
        }
    }

    #[test]
    fn states_in_any_order_are_found_by_time() {
        let lane = LaneId(3);
        let mut states = ThreadStates::default();
        states.push(lane, vec![ran(40, 50), ran(0, 10)]);
        states.push(lane, vec![ran(10, 25), ran(25, 25)]);
        assert_eq!(states.put_in_order(), 0);
        let all = [ran(0, 10), ran(10, 25), ran(25, 25), ran(40, 50)];
        assert_eq!(states.of(lane), all);
        let within = |start, end| states.within(lane, Interval::new(Nanos(start), Nanos(end)));
        assert_eq!(within(11, 12), &all[1..2]);
        assert_eq!(within(26, 40), &[]);
        assert_eq!(within(-9, 99), all);
        assert_eq!(states.of(LaneId(0)), &[]);
        assert_eq!(states.lanes().collect::<Vec<_>>(), [lane]);
    }

    #[test]
    fn a_thread_is_in_one_state_at_a_time() {
        let lane = LaneId(0);
        let mut states = ThreadStates::default();
        states.push(lane, vec![ran(0, 30), ran(10, 20), ran(15, 40)]);
        assert_eq!(states.put_in_order(), 2);
        assert_eq!(states.of(lane), [ran(0, 10), ran(10, 15), ran(15, 40)]);
        assert_eq!(states.put_in_order(), 0);
    }
}
