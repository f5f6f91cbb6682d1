//! What each stream has waited for of each other, operation by operation.

use std::collections::{BTreeMap, HashMap};

use record::time::Nanos;
use record::{LaneId, SpanId};

/// When an operation started, and which it is: their order on one stream.
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
        let place = changes.partition_point(|it| it.0 < effect);
        let before = &changes.get(place.checked_sub(1)?)?.1;
        let known = before.get(&from).copied();
        known.filter(|it| it.known >= cause)
    }

    /// What a stream knows by an operation.
    fn at(&self, lane: LaneId, operation: OperationStart) -> Option<&StreamClock> {
        let changes = self.streams.get(&lane)?;
        let place = changes.partition_point(|it| it.0 <= operation);
        Some(&changes.get(place.checked_sub(1)?)?.1)
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
