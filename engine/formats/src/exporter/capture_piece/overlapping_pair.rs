//! Two operations of a stream that overlap: where a stream has such a pair, what comes after its operations is concluded from
//! times alone, so a piece of it needs one.

use super::selection::{MOST_ROWS, launch};
use capture::{Capture, PlacedSpan};
use record::time::{Interval, Nanos, TOLERANCE};
use record::{DependencyKind, LaneId, Span, SpanId, SpanKind};

/// So many operations that lie beside others are looked at.
const MOST_CANDIDATES: usize = 1 << 16;

/// The pair nearest to a stretch that overlaps by more than times are rounded by, or of which one lies within the other. Of at
/// least one no call is known that submitted it, since what calls submitted comes in their order. Nothing where there is none,
/// where the stretch has one itself, or where the stream runs graphs, which are around their nodes.
pub(super) fn nearest(capture: &Capture, lane: LaneId, stretch: Interval) -> Option<[SpanId; 2]> {
    let rows = capture.depth(lane);
    let all = capture.extent()?;
    if !(2..=MOST_ROWS).contains(&rows) {
        return None;
    }
    let (mut within, mut length) = (stretch, Nanos(100_000));
    let mut left = MOST_CANDIDATES;
    loop {
        // What overlaps another has a row below the first.
        let lower = (1..rows).flat_map(|row| capture.spans_of(lane, row, within));
        for placed in lower.take(left) {
            left -= 1;
            if let Some(pair) = pair(capture, &placed) {
                let is_of_graphs = pair.iter().any(|it| it.kind == SpanKind::Graph);
                let is_wanted = within != stretch && !is_of_graphs;
                return is_wanted.then(|| pair.map(|it| it.id));
            }
        }
        if left == 0 || within == Interval::new(Nanos::MIN, Nanos::MAX) {
            return None;
        }
        within = Interval {
            start: stretch.start - length,
            end: stretch.end + length,
        };
        if within.start <= all.start && within.end >= all.end {
            within = Interval::new(Nanos::MIN, Nanos::MAX);
        }
        length = length + length;
    }
}

/// Of the operations that a call submitted to a stream two that overlap: branches of a graph do.
pub(super) fn of_launch(capture: &Capture, call: SpanId, lane: LaneId) -> Option<[SpanId; 2]> {
    let effects = capture
        .effects(call)
        .filter_map(|id| capture.dependency(id));
    let launched = effects.filter(|it| it.kind == DependencyKind::Submission);
    let spans = launched.filter_map(|it| capture.span(it.effect));
    let mut spans: Vec<PlacedSpan> = spans.filter(|it| it.span.lane == lane).collect();
    spans.sort_by_key(|it| (it.span.start, it.span.id));
    let mut latest: Option<&PlacedSpan> = None;
    for placed in &spans {
        if let Some(before) = latest
            && before.span.end > placed.span.start + TOLERANCE
        {
            return Some([before.span.id, placed.span.id]);
        }
        if latest.is_none_or(|it| it.span.end < placed.span.end) {
            latest = Some(placed);
        }
    }
    None
}

/// An operation and one beside it of which the order is not told, the earlier one first; or a graph and what is in it.
fn pair(capture: &Capture, placed: &PlacedSpan) -> Option<[Span; 2]> {
    let span = placed.span;
    let beside = capture.spans_in(span.lane, placed.interval());
    let others = beside.map(|it| it.span).filter(|it| it.id != span.id);
    let mut pairs = others.map(|other| {
        if other.start <= span.start {
            [other, span]
        } else {
            [span, other]
        }
    });
    pairs.find(|[first, second]| {
        let is_within = second.start < second.end && second.end < first.end;
        let overlaps = is_within || first.end > second.start + TOLERANCE;
        let is_open = |it: &Span| it.kind == SpanKind::Graph || launch(capture, it.id).is_none();
        overlaps && (is_open(first) || is_open(second))
    })
}
