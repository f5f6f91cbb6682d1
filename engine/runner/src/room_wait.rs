//! Which operation made room in a virtual machine for whoever waited: known once all that were on their way have ended.

use std::collections::BTreeSet;

use record::SpanId;
use record::time::Nanos;

/// A wait for room, until the ends of all operations are known that were on their way when it began.
#[derive(Debug)]
pub struct RoomWait {
    /// The span of the wait.
    pub wait: SpanId,
    /// How many of the operations had to end.
    needed: usize,
    /// Those whose ends are not known.
    pending: BTreeSet<SpanId>,
    ended: Vec<(Nanos, SpanId)>,
    is_over: bool,
    /// The operation that whoever waits looked for last: it may have ended after there was room.
    last: Option<SpanId>,
}

impl RoomWait {
    /// A wait that begins, for all but `left` of these operations.
    pub fn new(wait: SpanId, operations: &[SpanId], left: u32) -> Self {
        Self {
            wait,
            needed: operations.len().saturating_sub(left as usize),
            pending: operations.iter().copied().collect(),
            ended: Vec::new(),
            is_over: false,
            last: None,
        }
    }

    /// Whoever waited goes on, having looked for the end of `last` in the end.
    pub fn finish(&mut self, last: Option<SpanId>) {
        (self.is_over, self.last) = (true, last);
    }

    /// An operation has ended.
    pub fn end(&mut self, operation: SpanId, time: Nanos) {
        if self.pending.remove(&operation) {
            self.ended.push((time, operation));
        }
    }

    /// Whether it is over and all ends are known.
    pub fn is_known(&self) -> bool {
        self.is_over && self.pending.is_empty()
    }

    /// The operation whose end made room. Those whose ends never came to be known had ended before the wait began.
    pub fn made_by(&self) -> Option<SpanId> {
        let mut ended = self.ended.clone();
        ended.sort_unstable();
        let place = self.needed.checked_sub(self.pending.len() + 1);
        let room = place.and_then(|place| ended.get(place));
        let last = ended.iter().find(|it| Some(it.1) == self.last);
        room.max(last).map(|it| it.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_made_by_the_operation_that_is_the_last_of_as_many_as_had_to_end() {
        let operations = [1, 2, 3, 4, 5].map(SpanId);
        let mut wait = RoomWait::new(SpanId(9), &operations, 2);
        // Ends become known stream by stream, and not in the order of time.
        for (span, time) in [(1, 10), (2, 40), (3, 20), (4, 30)] {
            wait.end(SpanId(span), Nanos(time));
            assert!(!wait.is_known());
        }
        wait.end(SpanId(5), Nanos(50));
        // Not one of them.
        wait.end(SpanId(8), Nanos(5));
        assert!(!wait.is_known(), "it goes on");
        wait.finish(Some(SpanId(3)));
        assert!(wait.is_known());
        assert_eq!(wait.made_by(), Some(SpanId(4)));
        wait.finish(Some(SpanId(5)));
        assert_eq!(wait.made_by(), Some(SpanId(5)), "looked for after that");
    }

    #[test]
    fn what_never_comes_to_be_known_ended_first() {
        let mut wait = RoomWait::new(SpanId(9), &[1, 2, 3].map(SpanId), 1);
        wait.end(SpanId(2), Nanos(20));
        wait.end(SpanId(3), Nanos(30));
        assert_eq!(wait.made_by(), Some(SpanId(2)));
        let nothing = RoomWait::new(SpanId(9), &[SpanId(1)], 1);
        assert_eq!(nothing.made_by(), None);
    }
}
