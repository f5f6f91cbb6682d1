//! Actions that play a capture again.

use engine::capture::Capture;
use engine::time::{Interval, Nanos};

use crate::action::Command;
use crate::state::{AppState, Playback};

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
            play.at = edge(capture, play.at, forward).unwrap_or(play.at);
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

/// The next or the previous instant at which a span begins or ends.
fn edge(capture: &Capture, at: Nanos, forward: bool) -> Option<Nanos> {
    let extent = capture.extent()?;
    let lanes = capture.lanes().iter().map(|lane| lane.id);
    let rows = lanes.flat_map(|lane| (0..capture.depth(lane)).map(move |depth| (lane, depth)));
    let edges = rows.flat_map(|(lane, depth)| {
        let rest = Interval::new(at.max(extent.start), extent.end + Nanos(1));
        let mut next = capture
            .spans_of(lane, depth, rest)
            .map(|it| (it.span.id, it.interval()));
        let first = next.next();
        let second = next.next();
        let before = match first {
            Some((id, _)) => capture.previous_span(id).and_then(|id| capture.span(id)),
            None => last(capture, (lane, depth), extent),
        };
        let before = before.map(|it| it.interval());
        let spans = [before, first.map(|it| it.1), second.map(|it| it.1)];
        spans
            .into_iter()
            .flatten()
            .flat_map(|it| [it.start, it.end])
    });
    if forward {
        edges.filter(|edge| *edge > at).min()
    } else {
        edges.filter(|edge| *edge < at).max()
    }
}

/// The last span of a sub-lane, found without a look at those before it.
fn last(
    capture: &Capture,
    (lane, depth): (engine::record::LaneId, usize),
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
