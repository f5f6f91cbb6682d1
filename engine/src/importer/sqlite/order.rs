//! What was submitted to each stream, in the order in which the host submitted it.

use std::collections::BTreeMap;

use crate::record::SpanId;

/// A stream as a profiler names it: its process, its context and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::importer) struct Stream {
    pub process: i64,
    pub context: i64,
    pub number: i64,
}

/// An operation and when it was submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::importer) struct Operation {
    /// The number of the call that submitted it; calls of a process count upwards.
    pub order: i64,
    /// When it started, in the file's own time: what one call submitted runs in this order.
    pub start: i64,
    pub span: SpanId,
}

/// The operations of every stream.
#[derive(Debug, Default)]
pub(in crate::importer) struct Operations {
    streams: BTreeMap<Stream, Vec<Operation>>,
}

impl Operations {
    /// Notes an operation.
    pub fn add(&mut self, stream: Stream, operation: Operation) {
        self.streams.entry(stream).or_default().push(operation);
    }

    /// Puts them in order; nothing is found before.
    pub fn sort(&mut self) {
        for operations in self.streams.values_mut() {
            operations.sort_by_key(|it| (it.order, it.start));
        }
    }

    /// The last operation that was submitted to a stream before a call.
    pub fn before(&self, stream: Stream, order: i64) -> Option<Operation> {
        last_before(self.streams.get(&stream)?, order)
    }

    /// The first operation that was submitted to a stream after a call.
    pub fn after(&self, stream: Stream, order: i64) -> Option<Operation> {
        let operations = self.streams.get(&stream)?;
        let at = operations.partition_point(|it| it.order <= order);
        operations.get(at).copied()
    }

    /// Of every stream of a context the last operation that was submitted before a call. Without a context, of every
    /// stream of the process.
    pub fn all_before(
        &self,
        process: i64,
        context: Option<i64>,
        order: i64,
    ) -> impl Iterator<Item = (Stream, Operation)> {
        let first = Stream {
            process,
            context: context.unwrap_or(i64::MIN),
            number: i64::MIN,
        };
        let last = Stream {
            process,
            context: context.unwrap_or(i64::MAX),
            number: i64::MAX,
        };
        let streams = self.streams.range(first..=last);
        streams.filter_map(move |(stream, operations)| {
            Some((*stream, last_before(operations, order)?))
        })
    }
}

fn last_before(operations: &[Operation], order: i64) -> Option<Operation> {
    let at = operations.partition_point(|it| it.order < order);
    operations.get(at.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: Stream = Stream {
        process: 1,
        context: 2,
        number: 7,
    };

    fn operations(orders: &[i64]) -> Operations {
        let mut operations = Operations::default();
        for (span, &order) in orders.iter().enumerate() {
            let start = span as i64;
            let span = SpanId(span as u32);
            operations.add(STREAM, Operation { order, start, span });
        }
        operations.sort();
        operations
    }

    #[test]
    fn neighbours_are_by_submission() {
        // The call of number 4 submitted two: a graph.
        let operations = operations(&[9, 4, 4, 2]);
        let before = |order| operations.before(STREAM, order).map(|it| it.span.0);
        let after = |order| operations.after(STREAM, order).map(|it| it.span.0);
        assert_eq!(
            (before(2), before(3), before(5), before(99)),
            (None, Some(3), Some(2), Some(0))
        );
        assert_eq!(
            (after(1), after(2), after(4), after(9)),
            (Some(3), Some(1), Some(0), None)
        );
    }

    #[test]
    fn a_context_is_all_of_its_streams() {
        let mut operations = operations(&[1]);
        let other = Stream {
            context: 3,
            ..STREAM
        };
        let (order, start) = (2, 0);
        operations.add(
            other,
            Operation {
                order,
                start,
                span: SpanId(9),
            },
        );
        let found = |context| operations.all_before(1, context, 5).count();
        assert_eq!(
            (found(Some(2)), found(Some(3)), found(Some(4)), found(None)),
            (1, 1, 0, 2)
        );
        assert_eq!(operations.all_before(2, None, 5).count(), 0);
    }
}
