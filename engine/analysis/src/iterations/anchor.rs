//! Iterations by what begins each of them: an operation of a call that a workload repeats, or the replay of a graph.

use std::collections::BTreeMap;

use super::{IterationSource, MarkedInterval};
use crate::causes::CauseReader;
use capture::PlacedSpan;
use record::time::{Interval, Nanos};
use record::{CallId, LaneId, NameId, SpanId, SpanKind, State};

/// Fewer are no iterations.
const LEAST: usize = 2;
/// What repeats has to cover one part in so many of the time.
const LEAST_COVERED: i64 = 3;

/// The operations of streams, waits and records left out, by start.
pub(super) fn operations(reader: &CauseReader<'_>, streams: &[LaneId]) -> Vec<PlacedSpan> {
    let all = Interval {
        start: Nanos::MIN,
        end: Nanos::MAX,
    };
    let spans = streams
        .iter()
        .flat_map(|lane| reader.capture().spans_in(*lane, all));
    let works = spans.filter(|it| {
        let kind = it.span.kind;
        let is_work = !kind.is_waiting() && kind != SpanKind::EventRecord;
        // What a loss took before it began is no round of a loop.
        let has_run = it.span.state != State::Lost || it.span.start < it.span.end;
        is_work && has_run && reader.is_operation(it.span.id)
    });
    let mut works: Vec<PlacedSpan> = works.collect();
    works.sort_by_key(|it| (it.span.start, it.span.id));
    works
}

/// From each of these instants to the next, and from the last to `end`.
pub(super) fn from_each(anchors: &[(Nanos, SpanId)], end: Nanos) -> Vec<MarkedInterval> {
    let ends = anchors.iter().skip(1).map(|it| it.0).chain([end]);
    let stretches = anchors.iter().zip(ends).map(|((start, span), end)| {
        let interval = Interval {
            start: *start,
            end: end.max(*start),
        };
        (interval, *span)
    });
    stretches.collect()
}

/// Whether what repeats covers enough of the time.
fn is_covered(reader: &CauseReader<'_>, anchors: &[(Nanos, SpanId)], end: Nanos) -> bool {
    let whole = reader.causes().extent().length().0;
    let start = anchors.first().map_or(end, |it| it.0);
    (end - start).0.saturating_mul(LEAST_COVERED) >= whole
}

/// An operation of a call that is repeated.
#[derive(Clone, Copy, Debug)]
struct RepeatedOperation {
    start: Nanos,
    end: Nanos,
    /// When its call was made: streams may run what one iteration submitted long after each other.
    submitted: Nanos,
    span: SpanId,
}

/// The operations of a call that is repeated, in order.
type RepeatedCall<'a> = &'a [RepeatedOperation];

/// When the first of a call was submitted.
fn first_submitted(of: RepeatedCall<'_>) -> Option<Nanos> {
    of.first().map(|it| it.submitted)
}

/// When the last of a call was submitted.
fn last_submitted(of: RepeatedCall<'_>) -> Option<Nanos> {
    of.last().map(|it| it.submitted)
}

/// Of a run: the outermost loops of its workload, one after the other. Of all calls that submitted operations more than once,
/// those of an outermost loop did so least often; the first that each iteration submits begins it.
pub(super) fn by_calls(
    reader: &CauseReader<'_>,
    streams: &[LaneId],
) -> Option<(IterationSource, Vec<MarkedInterval>)> {
    let run = reader.capture().run()?;
    if run.source.is_empty() {
        return None;
    }
    let mut calls: BTreeMap<CallId, Vec<RepeatedOperation>> = BTreeMap::new();
    for placed in operations(reader, streams) {
        let span = placed.span;
        if span.call != CallId::NONE {
            calls.entry(span.call).or_default().push(RepeatedOperation {
                start: span.start,
                end: span.end,
                submitted: span.enqueued,
                span: span.id,
            });
        }
    }
    // What runs beside itself is no loop in time, but work that was dealt out to several streams.
    let is_apart = |of: RepeatedCall<'_>| of.is_sorted_by(|a, b| a.end <= b.start);
    calls.retain(|_, of| of.len() >= LEAST && is_apart(of));
    let mut marked: Vec<MarkedInterval> = Vec::new();
    let calls: Vec<RepeatedCall<'_>> = calls.values().map(Vec::as_slice).collect();
    loops(reader, calls, &mut marked);
    end_before_the_next(&mut marked);
    let end = marked.last()?.0.end;
    let anchors: Vec<(Nanos, SpanId)> = marked.iter().map(|it| (it.0.start, it.1)).collect();
    is_covered(reader, &anchors, end).then_some((IterationSource::Repeat, marked))
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

/// An outermost loop.
struct OutermostLoop<'a> {
    /// A call that it makes once in each iteration.
    once: RepeatedCall<'a>,
    /// What begins each iteration.
    begins: Vec<(Nanos, SpanId)>,
    /// When it submitted its first operation and its last.
    submitted: Interval,
    /// When the last of its operations ended.
    end: Nanos,
}

/// The iterations of the outermost loop that these calls are of, between those of the loops before and after it.
fn loops(reader: &CauseReader<'_>, calls: Vec<RepeatedCall<'_>>, marked: &mut Vec<MarkedInterval>) {
    let Some(found) = outermost(reader, &calls) else {
        return;
    };
    // Operations that were dropped together may be of one instant: the loop itself is neither before nor after it.
    let others = calls
        .into_iter()
        .filter(|of| !std::ptr::eq(*of, found.once));
    let Interval { start, end } = found.submitted;
    let (before, rest): (Vec<_>, Vec<_>) = others.partition(|of| last_submitted(of) < Some(start));
    loops(reader, before, marked);
    marked.extend(from_each(&found.begins, found.end));
    let after = rest
        .into_iter()
        .filter(|of| first_submitted(of) > Some(end));
    loops(reader, after.collect(), marked);
}

/// The outermost loop of these calls, which ends with the last of the operations that its host thread submits over and over
/// within it.
fn outermost<'a>(
    reader: &CauseReader<'_>,
    calls: &[RepeatedCall<'a>],
) -> Option<OutermostLoop<'a>> {
    let host = |of: RepeatedCall<'_>| {
        let call = reader.launch(of.first()?.span)?;
        Some(reader.capture().span(call)?.span.lane)
    };
    let fewest = calls.iter().map(|of| of.len()).min()?;
    let once = calls.iter().filter(|of| of.len() == fewest);
    let once = *once.min_by_key(|of| first_submitted(of))?;
    let (begin, turn) = (first_submitted(once)?, once.get(1)?.submitted);
    let is_own = |of: &&RepeatedCall<'a>| {
        let is_within = first_submitted(of) < Some(turn) && last_submitted(of) > Some(begin);
        std::ptr::eq(**of, once) || is_within && host(of) == host(once)
    };
    let own: Vec<RepeatedCall<'a>> = calls.iter().filter(is_own).copied().collect();
    let heads = own.iter().filter_map(|of| begins(of, once));
    let head = heads.min_by_key(|it| it.first().map(|it| it.submitted));
    let head = head.unwrap_or_else(|| once.iter().collect());
    Some(OutermostLoop {
        begins: head.iter().map(|it| (it.start, it.span)).collect(),
        submitted: Interval {
            start: own.iter().filter_map(|of| first_submitted(of)).min()?,
            end: own.iter().filter_map(|of| last_submitted(of)).max()?,
        },
        end: own.iter().flat_map(|of| of.iter()).map(|it| it.end).max()?,
        once,
    })
}

/// Of a call that a loop makes at least once in each iteration, before the one that it makes `once`: the first of each
/// iteration. Nothing for any other call.
fn begins<'a>(of: RepeatedCall<'a>, once: RepeatedCall<'_>) -> Option<Vec<&'a RepeatedOperation>> {
    if !of.len().is_multiple_of(once.len()) {
        return None;
    }
    let firsts: Vec<&RepeatedOperation> = of.iter().step_by(of.len() / once.len()).collect();
    let ends = once.iter().map(|it| it.submitted);
    let starts = std::iter::once(Nanos::MIN).chain(ends.clone());
    let mut all = firsts.iter().zip(starts.zip(ends));
    all.all(|(it, (from, to))| from < it.submitted && it.submitted < to)
        .then_some(firsts)
}

/// Replays of the graph that ran longest: graphs that are spans themselves, or operations of one launch.
pub(super) fn by_replays(
    reader: &CauseReader<'_>,
    streams: &[LaneId],
) -> Option<(IterationSource, Vec<MarkedInterval>)> {
    let mut graphs: BTreeMap<(NameId, usize), Vec<GraphRun>> = BTreeMap::new();
    let mut launched: BTreeMap<SpanId, (GraphRun, usize, NameId)> = BTreeMap::new();
    for placed in operations(reader, streams) {
        let span = placed.span;
        let replay = GraphRun {
            start: span.start,
            end: span.end,
            span: span.id,
        };
        if span.kind == SpanKind::Graph {
            graphs.entry((span.name, 0)).or_default().push(replay);
        } else if let Some(call) = reader.launch(span.id) {
            let (of, count, _) = launched.entry(call).or_insert((replay, 0, span.name));
            of.end = of.end.max(span.end);
            *count += 1;
        }
    }
    for (replay, count, name) in launched.into_values() {
        if count > 1 {
            graphs.entry((name, count)).or_default().push(replay);
        }
    }
    graphs.retain(|_, of| of.len() >= LEAST);
    let ran = |of: &Vec<GraphRun>| -> Nanos { of.iter().map(|it| it.end - it.start).sum() };
    let mut most = graphs.into_values().max_by_key(ran)?;
    most.sort_by_key(|it| (it.start, it.span));
    let anchors: Vec<(Nanos, SpanId)> = most.iter().map(|it| (it.start, it.span)).collect();
    let end = most.iter().map(|it| it.end).max()?;
    is_covered(reader, &anchors, end).then(|| (IterationSource::Replay, from_each(&anchors, end)))
}

/// A replay of a graph: from its first operation to its last.
#[derive(Clone, Copy, Debug)]
struct GraphRun {
    start: Nanos,
    end: Nanos,
    /// Its first operation.
    span: SpanId,
}
