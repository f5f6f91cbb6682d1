//! Iterations by what begins each of them: an operation of a call that a workload repeats, or the replay of a graph.

use std::collections::BTreeMap;

use super::{IterationSource, MarkedInterval};
use crate::causes::CauseReader;
use capture::PlacedSpan;
use record::time::{Interval, Nanos};
use record::{CallId, LaneId, NameId, SpanId, SpanKind};

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
        reader.is_operation(it.span.id) && !kind.is_waiting() && kind != SpanKind::EventRecord
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

/// An operation of a call that is repeated: when it began, which it is, and when it ended.
type RepeatedOperation = (Nanos, SpanId, Nanos);

/// Of a run: the outermost loops of its workload, one after the other. Of all calls that submitted operations more than once,
/// those of an outermost loop did so least often; the first of them begins each iteration.
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
            let of = calls.entry(span.call).or_default();
            of.push((span.start, span.id, span.end));
        }
    }
    // What runs beside itself is no loop in time, but work that was dealt out to several streams.
    let is_apart = |of: &[RepeatedOperation]| of.is_sorted_by(|a, b| a.2 <= b.0);
    calls.retain(|_, of| of.len() >= LEAST && is_apart(of));
    let mut marked: Vec<MarkedInterval> = Vec::new();
    let calls: Vec<&[RepeatedOperation]> = calls.values().map(Vec::as_slice).collect();
    loops(reader, calls, &mut marked);
    let end = marked.last()?.0.end;
    let anchors: Vec<(Nanos, SpanId)> = marked.iter().map(|it| (it.0.start, it.1)).collect();
    is_covered(reader, &anchors, end).then_some((IterationSource::Repeat, marked))
}

/// The iterations of the outermost loop that these calls are of, between those of the loops before and after it.
fn loops(
    reader: &CauseReader<'_>,
    calls: Vec<&[RepeatedOperation]>,
    marked: &mut Vec<MarkedInterval>,
) {
    let Some((first, end)) = outermost(reader, &calls) else {
        return;
    };
    let anchors: Vec<(Nanos, SpanId)> = first.iter().map(|it| (it.0, it.1)).collect();
    let start = anchors.first().map_or(end, |it| it.0);
    let ends = |of: &&[RepeatedOperation]| of.last().map(|it| it.2);
    let begins = |of: &&[RepeatedOperation]| of.first().map(|it| it.0);
    // Operations that were dropped together begin and end at one instant: the loop itself is neither before nor after it.
    let others = calls.into_iter().filter(|of| !std::ptr::eq(*of, first));
    let (before, rest): (Vec<_>, Vec<_>) = others.partition(|of| ends(of) <= Some(start));
    loops(reader, before, marked);
    marked.extend(from_each(&anchors, end));
    let after = rest.into_iter().filter(|of| begins(of) >= Some(end));
    loops(reader, after.collect(), marked);
}

/// The call that begins each iteration of the outermost loop of these calls, and when that loop ends: with the last of the
/// operations that its host thread submits over and over within it.
fn outermost<'a>(
    reader: &CauseReader<'_>,
    calls: &[&'a [RepeatedOperation]],
) -> Option<(&'a [RepeatedOperation], Nanos)> {
    let begins = |of: &[RepeatedOperation]| of.first().map(|it| it.0);
    let host = |of: &[RepeatedOperation]| {
        let call = reader.launch(of.first()?.1)?;
        Some(reader.capture().span(call)?.span.lane)
    };
    let fewest = calls.iter().map(|of| of.len()).min()?;
    let first = calls.iter().filter(|of| of.len() == fewest);
    let first = *first.min_by_key(|of| begins(of))?;
    let turn = first.get(1)?.0;
    let own = calls
        .iter()
        .filter(|of| begins(of) < Some(turn) && host(of) == host(first));
    let end = own.flat_map(|of| of.iter()).map(|it| it.2).max()?;
    Some((first, end))
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
