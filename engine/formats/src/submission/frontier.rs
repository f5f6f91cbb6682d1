//! What a record of an event captures: the last operation of its stream, and what that stream had waited for since then.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::order::{SubmissionStream, SubmittedOperation, SubmittedOperations};
use super::returned::ReturnedCall;
use record::Basis;

/// The last operation of each stream that is captured, one or two mostly, and how that is known: what a stream waited for is known
/// as well as its wait.
pub(crate) type SubmissionFrontier = Vec<(SubmissionStream, SubmittedOperation, Basis)>;

/// Of more streams than this the operations that ended last are kept.
const MOST: usize = 64;

/// What each stream waited for, wait by wait in the order of the calls.
#[derive(Debug, Default)]
pub(crate) struct StreamWaitLists {
    /// With each wait all that the stream waited for since its last operation before it.
    streams: HashMap<SubmissionStream, Vec<(i64, SubmissionFrontier)>>,
    /// By process and context, or process alone, the waits for something that is not in it.
    beyond: BTreeMap<SubmissionScope, Vec<(i64, SubmissionStream)>>,
}

/// All streams of a context of a process, or of a process.
pub(crate) type SubmissionScope = (i64, Option<i64>);

/// Whether a stream is one of those.
fn is_within((process, context): SubmissionScope, stream: SubmissionStream) -> bool {
    stream.process == process && context.is_none_or(|context| context == stream.context)
}

impl StreamWaitLists {
    /// What a record on a stream captures that is called with this number. Waits with higher numbers count no more.
    pub fn at(
        &self,
        operations: &SubmittedOperations,
        stream: SubmissionStream,
        order: i64,
    ) -> SubmissionFrontier {
        let last = operations.before(stream, order);
        let waits = self.streams.get(&stream);
        let wait = waits.and_then(|waits| {
            let at = waits.partition_point(|(wait, _)| *wait < order);
            waits.get(at.checked_sub(1)?)
        });
        // An operation behind the wait has waited already, and stands for it.
        let wait = wait.filter(|(wait, _)| last.is_none_or(|last| last.order < *wait));
        let mut captured = wait.map(|(_, it)| it.clone()).unwrap_or_default();
        if let Some(last) = last {
            captured.push((stream, last, Basis::Enforced));
        }
        captured
    }

    /// What streams of a scope wait for that is not in it, by waits since a call that had returned: of each stream the last.
    pub fn beyond(
        &self,
        operations: &SubmittedOperations,
        scope: SubmissionScope,
        (after, order): (Option<ReturnedCall>, i64),
    ) -> SubmissionFrontier {
        let waits = self.beyond.get(&scope).map_or(&[][..], Vec::as_slice);
        let from = after.map_or(0, |after| {
            waits.partition_point(|(it, _)| *it <= after.order)
        });
        let to = waits.partition_point(|(it, _)| *it < order);
        let between = waits.get(from..to).unwrap_or_default();
        let streams: BTreeSet<SubmissionStream> = between.iter().map(|it| it.1).collect();
        let all = streams.into_iter();
        let all = all.flat_map(|stream| self.at(operations, stream, order));
        let mut beyond = SubmissionFrontier::new();
        for captured in all.filter(|(stream, ..)| !is_within(scope, *stream)) {
            merge(&mut beyond, captured);
        }
        beyond
    }

    /// A stream waits for what a record captured, from the call of this number on. Waits come in the order of their calls; one that
    /// is told late adds nothing to those that came after it. One that was told before is told anew.
    pub fn wait(
        &mut self,
        operations: &SubmittedOperations,
        (stream, order): (SubmissionStream, i64),
        captured: &SubmissionFrontier,
    ) {
        let mut all = self.at(operations, stream, order);
        all.retain(|(known, ..)| *known != stream);
        for captured in captured.iter().filter(|(other, ..)| *other != stream) {
            merge(&mut all, *captured);
        }
        all.sort_by_key(|it| std::cmp::Reverse((it.1.end(), submitted(&it.1))));
        all.truncate(MOST);
        all.shrink_to_fit();
        for scope in [None, Some(stream.context)].map(|context| (stream.process, context)) {
            if all.iter().any(|(other, ..)| !is_within(scope, *other)) {
                let beyond = self.beyond.entry(scope).or_default();
                let at = beyond.partition_point(|it| *it < (order, stream));
                if beyond.get(at) != Some(&(order, stream)) {
                    beyond.insert(at, (order, stream));
                }
            }
        }
        let waits = self.streams.entry(stream).or_default();
        let at = waits.partition_point(|(wait, _)| *wait < order);
        match waits.get_mut(at).filter(|(wait, _)| *wait == order) {
            Some(known) => known.1 = all,
            None => waits.insert(at, (order, all)),
        }
    }
}

/// Of two operations of one stream the later counts, and of one that is known in two ways the better.
fn merge(all: &mut SubmissionFrontier, captured: (SubmissionStream, SubmittedOperation, Basis)) {
    let rank = |it: &(_, SubmittedOperation, Basis)| (submitted(&it.1), it.2 == Basis::Enforced);
    match all.iter_mut().find(|it| it.0 == captured.0) {
        Some(known) if rank(&captured) > rank(known) => *known = captured,
        Some(_) => {}
        None => all.push(captured),
    }
}

/// In which order operations were submitted.
fn submitted(operation: &SubmittedOperation) -> (i64, i64) {
    (operation.order, operation.start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::SpanId;

    fn stream(number: i64) -> SubmissionStream {
        SubmissionStream {
            process: 1,
            context: 1,
            number,
        }
    }

    fn operations(all: &[(i64, i64)]) -> SubmittedOperations {
        let mut operations = SubmittedOperations::default();
        for &(on, order) in all {
            let (start, span) = (order, SpanId(order as u32));
            operations.add(
                stream(on),
                SubmittedOperation::new(order, (start, start), span),
            );
        }
        operations.sort();
        operations
    }

    fn spans(frontier: &SubmissionFrontier) -> Vec<u32> {
        let mut spans: Vec<u32> = frontier.iter().map(|it| it.1.span.0).collect();
        spans.sort_unstable();
        spans
    }

    #[test]
    fn a_stream_without_work_passes_on_what_it_waited_for() {
        let operations = operations(&[(7, 1), (8, 2), (7, 9)]);
        let mut waited = StreamWaitLists::default();
        let captured = waited.at(&operations, stream(7), 3);
        waited.wait(&operations, (stream(21), 4), &captured);
        let captured = waited.at(&operations, stream(8), 5);
        waited.wait(&operations, (stream(21), 6), &captured);
        assert_eq!(spans(&waited.at(&operations, stream(21), 5)), [1]);
        assert_eq!(spans(&waited.at(&operations, stream(21), 7)), [1, 2]);
        assert!(waited.at(&operations, stream(21), 4).is_empty());
    }

    #[test]
    fn an_operation_stands_for_the_waits_before_it() {
        let operations = operations(&[(7, 1), (8, 5)]);
        let mut waited = StreamWaitLists::default();
        let captured = waited.at(&operations, stream(7), 2);
        waited.wait(&operations, (stream(8), 3), &captured);
        assert_eq!(spans(&waited.at(&operations, stream(8), 4)), [1]);
        assert_eq!(spans(&waited.at(&operations, stream(8), 6)), [5]);
    }

    #[test]
    fn of_very_many_streams_the_last_are_kept() {
        let all: Vec<(i64, i64)> = (0..100).map(|it| (it, it)).collect();
        let operations = operations(&all);
        let mut waited = StreamWaitLists::default();
        for on in 0..100 {
            let captured = waited.at(&operations, stream(on), 200);
            waited.wait(&operations, (stream(500), 300 + on), &captured);
        }
        let kept = spans(&waited.at(&operations, stream(500), 900));
        assert_eq!(kept, (36..100).collect::<Vec<u32>>());
    }
}
