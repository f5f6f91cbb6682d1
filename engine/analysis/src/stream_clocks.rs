//! What each stream has waited for of each other, operation by operation.

use std::collections::{BTreeMap, HashMap};

use record::time::Nanos;
use record::{LaneId, SpanId};

/// When an operation started, and which it is: their order on one stream. Of two that started at one instant it is not known which
/// came first, so that neither counts as before the other.
pub(super) type OperationStart = (Nanos, SpanId);

/// So much is noted of what streams know through others; beyond it only what they waited for themselves counts.
const MOST_NOTED: usize = 1 << 22;

/// Up to where a stream knows another one, and before which of its own operations it waited for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KnownOperation {
    pub known: OperationStart,
    pub by: SpanId,
}

/// What a stream knows of each other one, from one of its operations on.
type StreamClock = BTreeMap<LaneId, KnownOperation>;

/// What streams know of each other by waits, which are told in the order of the operations that they hold.
#[derive(Default)]
pub(super) struct StreamClocks {
    /// By stream, each change of what it knows.
    streams: HashMap<LaneId, Vec<(OperationStart, StreamClock)>>,
    noted: usize,
}

impl StreamClocks {
    /// Up to where an operation of a stream before `effect` knows the stream of `cause`, if that is as far as `cause` at least. What
    /// `effect` itself waited for does not count: what came between two waits of it (a record that passes one of them on, a host
    /// function, a call that waited meanwhile) is in no capture, and comes after the operation before.
    pub fn covers(
        &self,
        (lane, effect): (LaneId, OperationStart),
        (from, cause): (LaneId, OperationStart),
    ) -> Option<KnownOperation> {
        let changes = self.streams.get(&lane)?;
        let place = changes.partition_point(|it| it.0.0 < effect.0);
        let before = &changes.get(place.checked_sub(1)?)?.1;
        let known = before.get(&from).copied();
        known.filter(|it| it.known == cause || it.known.0 > cause.0)
    }

    /// What a stream knows by an operation.
    fn at(&self, lane: LaneId, operation: OperationStart) -> Option<&StreamClock> {
        let changes = self.streams.get(&lane)?;
        let place = changes.partition_point(|it| it.0.0 < operation.0);
        let (before, from) = changes.split_at_checked(place)?;
        let same = from.iter().take_while(|it| it.0.0 == operation.0);
        let own = same.into_iter().find(|it| it.0 == operation);
        own.or(before.last()).map(|it| &it.1)
    }

    /// An operation of a stream waited for operations of others, and so for all that those had waited for.
    pub fn wait(
        &mut self,
        (lane, effect): (LaneId, OperationStart),
        causes: &[(LaneId, OperationStart)],
    ) {
        let mut clock = self.at(lane, effect).cloned().unwrap_or_default();
        for &(from, cause) in causes {
            let through = self.at(from, cause).into_iter().flatten();
            let through = through.map(|(lane, it)| (*lane, it.known));
            let through = through.filter(|it| it.0 != lane && self.noted < MOST_NOTED);
            for (of, known) in through.chain([(from, cause)]) {
                let by = effect.1;
                let entry = clock.entry(of).or_insert(KnownOperation { known, by });
                if entry.known < known {
                    *entry = KnownOperation { known, by };
                }
            }
        }
        self.noted += clock.len();
        let changes = self.streams.entry(lane).or_default();
        match changes.last_mut().filter(|it| it.0 == effect) {
            Some(last) => last.1 = clock,
            None => changes.push((effect, clock)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_that_started_at_one_instant_neither_is_before_the_other() {
        let (here, there) = (LaneId(1), LaneId(2));
        let at = |start, span| (Nanos(start), SpanId(span));
        let mut clocks = StreamClocks::default();
        clocks.wait((here, at(10, 5)), &[(there, at(4, 1))]);
        let covers = |effect, cause| {
            clocks
                .covers((here, effect), (there, cause))
                .map(|it| it.by.0)
        };
        // What started with the operation that waited may have come before it.
        assert_eq!(covers(at(10, 6), at(4, 1)), None);
        assert_eq!(covers(at(11, 6), at(4, 1)), Some(5));
        // What started with the operation that was waited for may have come after it.
        assert_eq!(covers(at(11, 6), at(4, 0)), None);
        assert_eq!(covers(at(11, 6), at(3, 0)), Some(5));
        assert_eq!(covers(at(11, 6), at(4, 2)), None);
    }

    #[test]
    fn what_started_with_a_cause_passes_nothing_on() {
        let lanes = [LaneId(1), LaneId(2), LaneId(3)];
        let at = |start, span| (Nanos(start), SpanId(span));
        let knows = |cause| {
            let mut clocks = StreamClocks::default();
            clocks.wait((lanes[1], at(10, 5)), &[(lanes[2], at(4, 1))]);
            clocks.wait((lanes[0], at(20, 7)), &[(lanes[1], cause)]);
            let found = clocks.covers((lanes[0], at(30, 8)), (lanes[2], at(4, 1)));
            found.is_some()
        };
        assert!(knows(at(10, 5)) && knows(at(11, 6)) && !knows(at(10, 6)));
    }
}
