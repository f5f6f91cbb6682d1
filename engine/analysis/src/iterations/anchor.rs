//! Iterations by what begins each of them, such as the replay of a graph.

use std::collections::BTreeMap;

use super::{IterationSource, MarkedInterval};
use crate::causes::CauseReader;
use capture::PlacedSpan;
use record::time::{Interval, Nanos};
use record::{LaneId, NameId, SpanId, SpanKind, State};

/// Fewer are no iterations.
pub(super) const LEAST: usize = 2;
/// What repeats has to cover one part in so many of the time.
const LEAST_COVERED: i64 = 3;

/// The operations of streams that began to run, waits and records left out, by start.
pub(super) fn operations(reader: &CauseReader<'_>, streams: &[LaneId]) -> Vec<PlacedSpan> {
    let mut works = submitted(reader, streams);
    works.retain(has_run);
    works.sort_by_key(|it| (it.span.start, it.span.id));
    works
}

/// Whether an operation began: what a loss took before is no part of a loop.
pub(super) fn has_run(placed: &PlacedSpan) -> bool {
    placed.span.state != State::Lost || placed.span.start < placed.span.end
}

/// The same with those that a loss took before they began, in no order.
pub(super) fn submitted(reader: &CauseReader<'_>, streams: &[LaneId]) -> Vec<PlacedSpan> {
    let all = Interval {
        start: Nanos::MIN,
        end: Nanos::MAX,
    };
    let spans = streams
        .iter()
        .flat_map(|lane| reader.capture().spans_in(*lane, all));
    let works = spans.filter(|it| {
        let kind = it.span.kind;
        let is_work = !kind.is_waiting() && !matches!(kind, SpanKind::EventRecord | SpanKind::Stub);
        is_work && reader.is_operation(it.span.id)
    });
    works.collect()
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
pub(super) fn is_covered(
    reader: &CauseReader<'_>,
    anchors: &[(Nanos, SpanId)],
    end: Nanos,
) -> bool {
    let whole = reader.causes().extent().length().0;
    let start = anchors.first().map_or(end, |it| it.0);
    (end - start).0.saturating_mul(LEAST_COVERED) >= whole
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
