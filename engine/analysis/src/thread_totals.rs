//! How the thread of a lane was scheduled over a stretch of time, added up.

use std::collections::BTreeSet;

use capture::Capture;
use record::time::{Interval, Nanos};
use record::{LaneId, ThreadInterval, ThreadState};

/// What a thread was over a stretch of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadTotals {
    /// From the first instant that it is known of to the last; of a part of a capture, what of that lies in it.
    pub known: Interval,
    /// How long it ran.
    pub running: Nanos,
    /// How long it was ready to run, and had no core.
    pub runnable: Nanos,
    /// How long it waited for something.
    pub blocked: Nanos,
    /// How long it did where no signal could have ended that.
    pub uninterruptible: Nanos,
    /// How long it had no core, where it is not told when it was ready.
    pub off_cpu: Nanos,
    /// How often it left a core: its context switches.
    pub switches: u64,
    /// How often it did while it could have run on.
    pub preemptions: u64,
    /// When it was ready for longest without a core; nothing where it never was.
    pub longest_runnable: Option<Interval>,
    /// The cores that it ran on.
    pub cores: BTreeSet<u32>,
}

impl ThreadTotals {
    /// What the thread of a lane was, of all the time or of a stretch; nothing where that is not known.
    pub fn of(capture: &Capture, lane: LaneId, within: Option<Interval>) -> Option<Self> {
        let states = match within {
            Some(within) => capture.thread_states_in(lane, within),
            None => capture.thread_states(lane),
        };
        let mut totals: Option<Self> = None;
        for (place, state) in states.iter().enumerate() {
            let Some(interval) = inside(state.interval, within) else {
                continue;
            };
            let totals = totals.get_or_insert_with(|| Self {
                known: interval,
                ..Self::default()
            });
            totals.known = totals.known.union(interval);
            totals.add(state, interval);
            let end = state.interval.end;
            let is_inside = within.is_none_or(|it| it.contains(end));
            let next = states.get(place + 1).filter(|_| is_inside);
            let next = next.filter(|it| it.interval.start == end);
            if let (ThreadState::Running, Some(next)) = (state.state, next) {
                totals.switches += 1;
                totals.preemptions += u64::from(next.state == ThreadState::Runnable);
            }
        }
        totals
    }

    fn add(&mut self, state: &ThreadInterval, interval: Interval) {
        *self.time_mut(state.state) += interval.length();
        self.cores.extend(state.core);
        let longest = self.longest_runnable.map_or(Nanos(-1), Interval::length);
        if state.state == ThreadState::Runnable && interval.length() > longest {
            self.longest_runnable = Some(interval);
        }
    }

    const fn time_mut(&mut self, state: ThreadState) -> &mut Nanos {
        match state {
            ThreadState::Running => &mut self.running,
            ThreadState::Runnable => &mut self.runnable,
            ThreadState::Blocked => &mut self.blocked,
            ThreadState::Uninterruptible => &mut self.uninterruptible,
            ThreadState::OffCpu => &mut self.off_cpu,
        }
    }
}

/// What of an interval lies in a stretch; one without length stays.
fn inside(interval: Interval, within: Option<Interval>) -> Option<Interval> {
    let Some(within) = within else {
        return Some(interval);
    };
    let is_instant = interval.length() == Nanos::ZERO && within.contains(interval.start);
    interval
        .intersection(within)
        .or_else(|| is_instant.then_some(interval))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{NameId, Record, ThreadSchedule};

    #[test]
    fn states_are_added_up_and_cut_to_the_stretch() {
        let lane = LaneId(2);
        let state = |start, end, state, core| ThreadInterval {
            interval: Interval::new(Nanos(start), Nanos(end)),
            state,
            core,
            waker: NameId::NONE,
        };
        let intervals = vec![
            state(0, 10, ThreadState::Running, Some(1)),
            state(10, 40, ThreadState::Runnable, None),
            state(40, 45, ThreadState::Running, Some(3)),
            state(45, 60, ThreadState::Uninterruptible, None),
            state(60, 61, ThreadState::Runnable, None),
            state(61, 70, ThreadState::Running, Some(1)),
            state(80, 90, ThreadState::Running, Some(1)),
            state(90, 99, ThreadState::OffCpu, None),
        ];
        let mut capture = Capture::new();
        capture.apply([Record::Schedule(Box::new(ThreadSchedule {
            lane,
            intervals,
        }))]);
        let all = ThreadTotals::of(&capture, lane, None).unwrap();
        let times = [
            all.running,
            all.runnable,
            all.blocked,
            all.uninterruptible,
            all.off_cpu,
        ];
        assert_eq!(times, [34, 31, 0, 15, 9].map(Nanos));
        // What came after 70 is not known, and whether it left its core then neither.
        assert_eq!((all.switches, all.preemptions), (3, 1));
        assert_eq!(all.cores.into_iter().collect::<Vec<_>>(), [1, 3]);
        assert_eq!(
            all.longest_runnable,
            Some(Interval::new(Nanos(10), Nanos(40)))
        );
        let within = Interval::new(Nanos(30), Nanos(50));
        let part = ThreadTotals::of(&capture, lane, Some(within)).unwrap();
        assert_eq!(
            (part.known, part.running, part.runnable),
            (within, Nanos(5), Nanos(10))
        );
        assert_eq!((part.uninterruptible, part.switches), (Nanos(5), 1));
        let before = Interval::new(Nanos(0), Nanos(10));
        let part = ThreadTotals::of(&capture, lane, Some(before)).unwrap();
        assert_eq!((part.running, part.switches), (Nanos(10), 0));
        assert_eq!(ThreadTotals::of(&capture, LaneId(0), None), None);
    }
}
