//! Iterations of a run: the rounds of the outermost loops of its workload.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::anchor::{LEAST, from_each, has_run, is_covered, submitted};
use super::{IterationSource, MarkedInterval};
use crate::causes::CauseReader;
use record::time::Nanos;
use record::{CallId, LaneId, SpanId, WorkloadLoop};

/// An operation that a loop submitted.
#[derive(Clone, Copy, Debug)]
struct LoopOperation {
    /// When its call was made, and which span that is: a call may submit several operations.
    launch: (Nanos, SpanId),
    /// When it was submitted.
    submitted: Nanos,
    span: SpanId,
    start: Nanos,
    end: Nanos,
    /// Whether it began, and no loss took it before.
    has_run: bool,
}

/// The operations of each call, in the order in which the call was made.
type OperationsByCall = BTreeMap<CallId, Vec<LoopOperation>>;

/// A loop as it ran.
struct LoopRun {
    /// What begins each round.
    begins: Vec<(Nanos, SpanId)>,
    /// When the last of its operations ended.
    end: Nanos,
}

/// The rounds of the outermost loops of a workload. Of loops that run at the same time, the longest counts.
pub(super) fn by_loops(
    reader: &CauseReader<'_>,
    loops: &[WorkloadLoop],
    streams: &[LaneId],
) -> Option<(IterationSource, Vec<MarkedInterval>)> {
    if loops.is_empty() {
        return None;
    }
    let operations = by_call(reader, streams);
    let found = loops.iter().filter_map(|it| LoopRun::of(it, &operations));
    let apart = one_after_the_other(found.collect());
    let rounds = apart.iter().flat_map(|it| from_each(&it.begins, it.end));
    let mut marked: Vec<MarkedInterval> = rounds.collect();
    end_before_the_next(&mut marked);
    let end = marked.last()?.0.end;
    let anchors: Vec<(Nanos, SpanId)> = marked.iter().map(|it| (it.0.start, it.1)).collect();
    is_covered(reader, &anchors, end).then_some((IterationSource::Repeat, marked))
}

fn by_call(reader: &CauseReader<'_>, streams: &[LaneId]) -> OperationsByCall {
    let mut calls = OperationsByCall::new();
    for placed in submitted(reader, streams) {
        let span = placed.span;
        let Some(launch) = reader.launch(span.id) else {
            continue;
        };
        let Some(made) = reader.capture().span(launch) else {
            continue;
        };
        calls.entry(span.call).or_default().push(LoopOperation {
            launch: (made.span.start, launch),
            submitted: span.enqueued,
            span: span.id,
            start: span.start,
            end: span.end,
            has_run: has_run(&placed),
        });
    }
    for of in calls.values_mut() {
        of.sort_by_key(|it| (it.launch, it.submitted, it.span));
    }
    calls
}

impl LoopRun {
    /// Whether its last round began before the first of another.
    fn is_before(&self, other: &Self) -> bool {
        let (last, first) = (self.begins.last(), other.begins.first());
        last.map(|it| it.0) < first.map(|it| it.0)
    }

    /// How long it took from its first round on.
    fn length(&self) -> Nanos {
        self.begins
            .first()
            .map_or(Nanos::ZERO, |it| self.end - it.0)
    }

    /// A loop that ran as one: of a loop whose rounds all run beside each other, such as one that deals out work to several
    /// streams, nothing.
    fn of(planned: &WorkloadLoop, operations: &OperationsByCall) -> Option<Self> {
        let calls = planned.calls.iter();
        let calls = calls.filter_map(|(call, times)| Some((operations.get(call)?, *times)));
        let firsts = calls.clone().map(|(of, times)| first_of_rounds(of, times));
        let is_apart = |of: &Vec<LoopOperation>| of.is_sorted_by(|a, b| a.end <= b.start);
        let sequences = firsts.filter(|of| of.len() >= LEAST && is_apart(of));
        let begins = sequences.min_by_key(|of| of.first().map(|it| it.submitted))?;
        let own = calls.flat_map(|(of, _)| of);
        Some(Self {
            begins: begins.iter().map(|it| (it.start, it.span)).collect(),
            end: own.map(|it| it.end).max()?,
        })
    }
}

/// Of a call that each round makes so many times, the operation that it submits first in each round, where that ran.
fn first_of_rounds(of: &[LoopOperation], times: u64) -> Vec<LoopOperation> {
    let Some(times) = usize::try_from(times).ok().filter(|it| *it > 0) else {
        return Vec::new();
    };
    let calls = of.chunk_by(|a, b| a.launch == b.launch);
    let firsts = calls.step_by(times).filter_map(|it| it.first().copied());
    firsts.filter(|it| it.has_run).collect()
}

/// Loops that do not run at the same time, the longest first.
fn one_after_the_other(mut found: Vec<LoopRun>) -> Vec<LoopRun> {
    found.sort_by_key(|it| Reverse(it.length()));
    let mut taken: Vec<LoopRun> = Vec::new();
    for run in found {
        let is_beside = |it: &LoopRun| !it.is_before(&run) && !run.is_before(it);
        if !taken.iter().any(is_beside) {
            taken.push(run);
        }
    }
    taken
}

/// One loop may still run when the next begins.
fn end_before_the_next(marked: &mut [MarkedInterval]) {
    marked.sort_by_key(|it| (it.0.start, it.1));
    for at in 1..marked.len() {
        let next = marked.get(at).map(|it| it.0.start);
        if let (Some(next), Some((interval, _))) = (next, marked.get_mut(at - 1)) {
            interval.end = interval.end.min(next);
        }
    }
}
