//! Actions that play a capture again.

use engine::capture::Capture;
use engine::record::{LaneId, SpanId};
use engine::time::{Interval, Nanos};

use super::navigation;
use crate::action::Command;
use crate::state::{AppState, Playback};

/// When a span begins or ends, and which.
type SpanEdge = (Nanos, SpanId);

/// What is played: the selected range, or all of the capture.
pub fn played(state: &AppState, capture: &Capture) -> Option<Interval> {
    state.selection.range.or(capture.extent())
}

/// Does what a key or a menu asks of playing.
pub fn command(state: &mut AppState, capture: &Capture, command: Command) {
    let Some(all) = played(state, capture) else {
        return;
    };
    let mut play = state.playback.unwrap_or(Playback::new(all));
    match command {
        Command::Play => {
            play.is_playing = state.playback.is_none_or(|play| !play.is_playing);
            if play.is_playing && !(all.start <= play.at && play.at < all.end) {
                play.at = all.start;
            }
        }
        Command::NextEdge | Command::PreviousEdge => {
            play.is_playing = false;
            let forward = command == Command::NextEdge;
            if let Some((at, span)) = edge(capture, play.at, forward) {
                play.at = at;
                navigation::select(state, Some(span));
            }
        }
        _ => return,
    }
    go(state, play);
}

/// Moves the head by what `seconds` of the clock on the wall come to.
pub fn advance(state: &mut AppState, capture: &Capture, seconds: f64) {
    let all = played(state, capture);
    if let (Some(play), Some(all)) = (state.playback.filter(|it| it.is_playing), all) {
        go(state, play.moved(play.step(seconds), all));
    }
}

/// Shows the head where it is now: the view goes with it.
pub fn go(state: &mut AppState, play: Playback) {
    state.playback = Some(play);
    let Some(view) = state.view.interval else {
        return;
    };
    if !view.contains(play.at) {
        let length = view.length();
        let start = play.at - Nanos(length.0 / 10);
        state.view.interval = Some(Interval::new(start, start + length));
        state.follow = false;
    }
}

/// The next or the previous instant at which a span begins or ends, and that span.
fn edge(capture: &Capture, at: Nanos, forward: bool) -> Option<SpanEdge> {
    let extent = capture.extent()?;
    let lanes = capture.lanes().iter().map(|lane| lane.id);
    let rows = lanes.flat_map(|lane| (0..capture.depth(lane)).map(move |depth| (lane, depth)));
    if forward {
        rows.filter_map(|row| edge_after(capture, row, (at, extent)))
            .min()
    } else {
        rows.filter_map(|row| edge_before(capture, row, (at, extent)))
            .max()
    }
}

/// The first edge of a sub-lane after an instant: of the span that runs then, or of the next.
fn edge_after(
    capture: &Capture,
    (lane, depth): (LaneId, usize),
    (at, extent): (Nanos, Interval),
) -> Option<SpanEdge> {
    let rest = Interval::new(at.max(extent.start), extent.end + Nanos(1));
    let mut spans = capture.spans_of(lane, depth, rest);
    let found = spans.find(|it| it.interval().end > at)?;
    let Interval { start, end } = found.interval();
    Some((if start > at { start } else { end }, found.span.id))
}

/// The last edge of a sub-lane before an instant.
fn edge_before(
    capture: &Capture,
    (lane, depth): (LaneId, usize),
    (at, extent): (Nanos, Interval),
) -> Option<SpanEdge> {
    let rest = Interval::new(at.max(extent.start), extent.end + Nanos(1));
    let first = capture.spans_of(lane, depth, rest).next();
    let mut span = first.or_else(|| last(capture, (lane, depth), extent))?;
    loop {
        let interval = span.interval();
        if interval.end < at {
            return Some((interval.end, span.span.id));
        }
        if interval.start < at {
            return Some((interval.start, span.span.id));
        }
        let before = capture.previous_span(span.span.id)?;
        span = capture.span(before)?;
    }
}

/// The last span of a sub-lane, found without a look at those before it.
fn last(
    capture: &Capture,
    (lane, depth): (LaneId, usize),
    extent: Interval,
) -> Option<engine::capture::PlacedSpan> {
    let mut end = None;
    let column = Nanos((extent.length().0 / 64).max(1));
    capture.fold(lane, depth, extent, column, &mut |folded| {
        end = end.max(Some(folded.interval.end));
    });
    let near = end?;
    let tail = Interval::new(near - Nanos(1), extent.end + Nanos(1));
    capture.spans_of(lane, depth, tail).last()
}
