//! What was submitted to each stream of a process, in the order in which the host submitted it.

use std::collections::BTreeMap;

use record::SpanId;

/// A stream: the number of its context, and its own.
pub(super) type ActivityStream = (u32, u32);

/// An operation and when it was submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ActivityOperation {
    /// The number of the call that submitted it; calls of a process count upwards.
    pub order: u32,
    /// When it started: what one call submitted runs in this order.
    pub start: u64,
    pub span: SpanId,
    /// When it ended.
    pub end: u64,
}

/// So many of what one call submitted are looked at for the one that ended last.
const MOST_OF_CALL: usize = 1_024;

/// The operations of every stream of a process.
#[derive(Debug, Default)]
pub(super) struct ActivityOperations {
    streams: BTreeMap<ActivityStream, StreamOperations>,
}

#[derive(Debug, Default)]
struct StreamOperations {
    operations: Vec<ActivityOperation>,
    /// Something came out of order since it was put in order.
    is_mixed: bool,
}

impl ActivityOperations {
    /// Notes an operation.
    pub fn add(&mut self, stream: ActivityStream, operation: ActivityOperation) {
        let row = self.streams.entry(stream).or_default();
        row.is_mixed |= row.operations.last().is_some_and(|last| *last > operation);
        row.operations.push(operation);
    }

    /// Puts them in order; nothing that came since the last time is found before.
    pub fn sort(&mut self) {
        for row in self.streams.values_mut().filter(|row| row.is_mixed) {
            row.operations.sort();
            row.is_mixed = false;
        }
    }

    /// The last operation that was submitted to a stream before a call.
    pub fn before(&self, stream: ActivityStream, order: u32) -> Option<ActivityOperation> {
        self.streams.get(&stream)?.before(order)
    }

    /// The first operation that was submitted to a stream after a call.
    pub fn after(&self, stream: ActivityStream, order: u32) -> Option<ActivityOperation> {
        let operations = &self.streams.get(&stream)?.operations;
        let at = operations.partition_point(|it| it.order <= order);
        operations.get(at).copied()
    }

    /// Of every stream of a context the last operation that was submitted before a call.
    pub fn all_before(&self, context: u32, order: u32) -> impl Iterator<Item = ActivityOperation> {
        let streams = self.streams.range((context, 0)..=(context, u32::MAX));
        streams.filter_map(move |(_, row)| row.before(order))
    }
}

impl StreamOperations {
    /// Of several that one call submitted that is the one that ended last: branches of a graph may end in another order than
    /// they began in.
    fn before(&self, order: u32) -> Option<ActivityOperation> {
        let at = self.operations.partition_point(|it| it.order < order);
        let before = self.operations.get(..at)?;
        let last = before.last()?;
        let call = before.iter().rev().take(MOST_OF_CALL);
        let call = call.take_while(|it| it.order == last.order);
        call.max_by_key(|it| (it.end, it.start)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_by_submission() {
        let mut operations = ActivityOperations::default();
        // The call of number 4 submitted two: a graph.
        for (span, order) in [9, 4, 4, 2].into_iter().enumerate() {
            let (start, span) = (span as u64, SpanId(span as u32));
            let end = start;
            let operation = ActivityOperation {
                order,
                start,
                span,
                end,
            };
            operations.add((1, 7), operation);
        }
        operations.sort();
        let before = |order| operations.before((1, 7), order).map(|it| it.span.0);
        let after = |order| operations.after((1, 7), order).map(|it| it.span.0);
        assert_eq!((before(2), before(3), before(5)), (None, Some(3), Some(2)));
        assert_eq!((after(1), after(2), after(9)), (Some(3), Some(1), None));
        let all = |context| operations.all_before(context, 99).count();
        assert_eq!((all(0), all(1), all(2)), (0, 1, 0));
    }
}
