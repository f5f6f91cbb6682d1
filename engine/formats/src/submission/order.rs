//! What was submitted to each stream, in the order in which the host submitted it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::returned::ReturnedCall;
use record::SpanId;

/// A stream as a profiler names it: its process, its context and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SubmissionStream {
    pub process: i64,
    pub context: i64,
    pub number: i64,
}

/// An operation and when it was submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SubmittedOperation {
    /// The number of the call that submitted it; calls of a process count upwards.
    pub order: i64,
    /// When it started, in the file's own time: what one call submitted runs in this order.
    pub start: i64,
    pub span: SpanId,
    /// What ended last of what the same call submitted up to it, and when; itself until all are in order.
    last: (SpanId, i64),
}

impl SubmittedOperation {
    /// An operation that a call submitted, and when it started and ended.
    pub const fn new(order: i64, (start, end): (i64, i64), span: SpanId) -> Self {
        Self {
            order,
            start,
            span,
            last: (span, end),
        }
    }

    /// When what its call had submitted up to it had all ended.
    pub const fn end(&self) -> i64 {
        self.last.1
    }

    /// Its place among what was submitted to its stream.
    const fn place(&self) -> (i64, i64) {
        (self.order, self.start)
    }

    /// It, where it is known what came right before it: of one call, what ended last is kept along.
    fn behind(self, before: Option<Self>) -> Self {
        let call = before.filter(|it| it.order == self.order);
        let longer = call.filter(|it| it.last.1 > self.last.1);
        Self {
            last: longer.map_or(self.last, |it| it.last),
            ..self
        }
    }

    /// What ended last of what its call had submitted up to it, in its place: branches of a graph may end in another order
    /// than they began in, and what waits for a graph waits for all of them.
    const fn closing(self) -> Self {
        Self {
            span: self.last.0,
            ..self
        }
    }
}

/// The operations of every stream.
#[derive(Debug, Default)]
pub(crate) struct SubmittedOperations {
    streams: BTreeMap<SubmissionStream, Vec<SubmittedOperation>>,
    /// Streams of which something came out of order since they were put in order.
    mixed: BTreeSet<SubmissionStream>,
    /// Where there are very many streams: the operations of all, and of each context, in the order of their calls.
    crowds: OnceCell<ContextOperations>,
}

/// Operations with their streams, by process and context, or by process alone.
type ContextOperations = BTreeMap<(i64, Option<i64>), Vec<(SubmittedOperation, SubmissionStream)>>;

/// Streams of a context from which on not each of them is looked at for each wait.
const MANY: usize = 64;

impl SubmittedOperations {
    /// Notes an operation.
    pub fn add(&mut self, stream: SubmissionStream, operation: SubmittedOperation) {
        let operations = self.streams.entry(stream).or_default();
        let before = operations.last().copied();
        // There may be millions of streams that run one each.
        if operations.is_empty() {
            operations.reserve_exact(1);
        }
        operations.push(operation.behind(before));
        if before.is_some_and(|it| it.place() > operation.place()) {
            self.mixed.insert(stream);
        }
        self.crowds.take();
    }

    /// As [`SubmittedOperations::all_before`], without what an earlier call had seen end. Of very many streams all counts as seen
    /// that was submitted before that call.
    pub fn all_between(
        &self,
        process: i64,
        context: Option<i64>,
        (after, order): (Option<ReturnedCall>, i64),
    ) -> Vec<(SubmissionStream, SubmittedOperation)> {
        let crowds = self.crowds.get_or_init(|| self.crowds());
        let Some(crowd) = crowds.get(&(process, context)) else {
            let all = self.all_before(process, context, order);
            return all
                .filter(|(_, it)| after.is_none_or(|after| !after.has_seen(it)))
                .collect();
        };
        let from = after.map_or(0, |after| {
            crowd.partition_point(|(it, _)| it.order <= after.order)
        });
        let to = crowd.partition_point(|(it, _)| it.order < order);
        let between = crowd.get(from..to).unwrap_or_default().iter();
        // Of each stream the last stays.
        let last: BTreeMap<SubmissionStream, SubmittedOperation> = between
            .map(|&(operation, stream)| (stream, operation.closing()))
            .collect();
        last.into_iter().collect()
    }

    fn crowds(&self) -> ContextOperations {
        let keys = |stream: &SubmissionStream| {
            [None, Some(stream.context)].map(|context| (stream.process, context))
        };
        let mut counts: BTreeMap<(i64, Option<i64>), usize> = BTreeMap::new();
        for key in self.streams.keys().flat_map(keys) {
            *counts.entry(key).or_default() += 1;
        }
        counts.retain(|_, count| *count > MANY);
        let mut crowds = ContextOperations::new();
        for (stream, operations) in &self.streams {
            for key in keys(stream)
                .into_iter()
                .filter(|key| counts.contains_key(key))
            {
                let all = operations.iter().map(|it| (*it, *stream));
                crowds.entry(key).or_default().extend(all);
            }
        }
        for crowd in crowds.values_mut() {
            crowd.sort_by_key(|(it, _)| it.place());
        }
        crowds
    }

    /// Puts them in order; what came since the last time is not found before.
    pub fn sort(&mut self) {
        for stream in std::mem::take(&mut self.mixed) {
            let operations = self.streams.entry(stream).or_default();
            operations.sort_by_key(SubmittedOperation::place);
            let mut before = None;
            for operation in operations {
                *operation = operation.behind(before);
                before = Some(*operation);
            }
        }
    }

    /// The last operation that was submitted to a stream before a call.
    pub fn before(&self, stream: SubmissionStream, order: i64) -> Option<SubmittedOperation> {
        last_before(self.streams.get(&stream)?, order)
    }

    /// The first operation that was submitted to a stream after a call.
    pub fn after(&self, stream: SubmissionStream, order: i64) -> Option<SubmittedOperation> {
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
    ) -> impl Iterator<Item = (SubmissionStream, SubmittedOperation)> {
        let first = SubmissionStream {
            process,
            context: context.unwrap_or(i64::MIN),
            number: i64::MIN,
        };
        let last = SubmissionStream {
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

fn last_before(operations: &[SubmittedOperation], order: i64) -> Option<SubmittedOperation> {
    let at = operations.partition_point(|it| it.order < order);
    let last = operations.get(at.checked_sub(1)?);
    last.map(|it| it.closing())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: SubmissionStream = SubmissionStream {
        process: 1,
        context: 2,
        number: 7,
    };

    fn operations(orders: &[i64]) -> SubmittedOperations {
        let mut operations = SubmittedOperations::default();
        for (span, &order) in orders.iter().enumerate() {
            let start = span as i64;
            let span = SpanId(span as u32);
            operations.add(STREAM, SubmittedOperation::new(order, (start, start), span));
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
    fn of_what_one_call_submitted_the_last_to_end_is_waited_for() {
        let mut operations = SubmittedOperations::default();
        for (span, times) in [(0, (10, 20)), (1, (52, 182)), (2, (53, 103))] {
            operations.add(STREAM, SubmittedOperation::new(4, times, SpanId(span)));
        }
        operations.add(STREAM, SubmittedOperation::new(6, (190, 195), SpanId(3)));
        operations.sort();
        let before = |order| operations.before(STREAM, order).map(|it| it.span.0);
        assert_eq!((before(5), before(7)), (Some(1), Some(3)));
        assert_eq!(operations.after(STREAM, 3).map(|it| it.span.0), Some(0));
    }

    #[test]
    fn of_very_many_streams_the_same_is_found_as_of_few() {
        let mut operations = SubmittedOperations::default();
        for number in 0..3_000_i64 {
            let stream = SubmissionStream {
                process: 1,
                context: number % 2,
                number: number * 37 % 500,
            };
            let (order, start) = (number / 3 * 2, -number);
            let span = SpanId(number as u32);
            operations.add(stream, SubmittedOperation::new(order, (start, start), span));
        }
        operations.sort();
        for context in [None, Some(0), Some(1), Some(2)] {
            for (after, order) in [(None, 900), (Some(100), 101), (Some(400), 1_700), (None, 0)] {
                let all = operations.all_before(1, context, order);
                let expected: Vec<_> = all
                    .filter(|(_, it)| after.is_none_or(|after| it.order > after))
                    .collect();
                let after = after.map(|order| ReturnedCall {
                    order,
                    end: i64::MAX,
                });
                let found = operations.all_between(1, context, (after, order));
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn a_context_is_all_of_its_streams() {
        let mut operations = operations(&[1]);
        let other = SubmissionStream {
            context: 3,
            ..STREAM
        };
        let (order, start) = (2, 0);
        operations.add(
            other,
            SubmittedOperation::new(order, (start, start), SpanId(9)),
        );
        let found = |context| operations.all_before(1, context, 5).count();
        assert_eq!(
            (found(Some(2)), found(Some(3)), found(Some(4)), found(None)),
            (1, 1, 0, 2)
        );
        assert_eq!(operations.all_before(2, None, 5).count(), 0);
    }
}
