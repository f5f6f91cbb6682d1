//! Actions that change what is visible, and the way back.

use engine::capture::Capture;
use engine::record::SpanId;
use engine::time::{Interval, Nanos};

use crate::action::AppRequest;
use crate::state::{
    AppState, Bookmarks, HistoryStep, ProjectedLanes, Selection, ViewChange, ViewHistory,
};

/// How much longer the visible interval is after one step of zooming out.
pub const ZOOM_STEP: f64 = 1.4;
/// How much of the visible interval one step of panning moves by.
pub const PAN_STEP: f64 = 0.15;
/// How many points one step of scrolling moves by.
pub const SCROLL_STEP: f32 = 56.0;
/// The shortest interval that can be shown: a nanosecond is then about 100 points wide.
const SHORTEST: Nanos = Nanos(10);
/// What is shown at least on either side of an instant that is zoomed to.
const AROUND: Nanos = Nanos(1_000);
/// How many steps back are kept.
const STEPS: usize = 200;

/// Shows `interval`. Panning and jumping let go of live data; zooming does not.
pub fn show(state: &mut AppState, interval: Option<Interval>, motion: ViewChange) {
    let interval = interval.map(|wanted| {
        let missing = SHORTEST - wanted.length();
        if missing <= Nanos::ZERO {
            return wanted;
        }
        let start = wanted.start - Nanos(missing.0 / 2);
        Interval::new(start, start + SHORTEST)
    });
    if interval == state.view.interval {
        return;
    }
    note(state, motion);
    if motion != ViewChange::Zoom {
        state.follow = false;
    }
    state.view.interval = interval;
}

/// Scrolls the lanes to `points` from the top.
pub fn scroll(state: &mut AppState, points: f32) {
    let points = points.max(0.0);
    if points != state.view.scroll {
        note(state, ViewChange::Pan);
        state.view.scroll = points;
        state.view.is_scrolled = true;
    }
}

/// Scrolls the lanes to `points` from the top, unless someone has scrolled them. Leaves no step behind.
pub fn home(state: &mut AppState, points: f32) {
    if !state.view.is_scrolled {
        state.view.scroll = points;
    }
}

/// Makes the visible interval `factor` times as long, about the pointer or else the middle.
pub fn zoom(state: &mut AppState, capture: &Capture, factor: f64) {
    let shown = state.view.shown(capture.extent());
    let middle = shown.start + Nanos(shown.length().0 / 2);
    let about = if state.follow {
        shown.end
    } else {
        state
            .hover
            .time
            .filter(|time| shown.contains(*time))
            .unwrap_or(middle)
    };
    let longest = capture.extent().map_or(shown.length(), Interval::length).0 as f64 * 4.0;
    let length = (shown.length().0 as f64 * factor).min(longest.max(SHORTEST.0 as f64));
    let share = (about - shown.start).0 as f64 / shown.length().0.max(1) as f64;
    let start = about - Nanos((length * share).round() as i64);
    let interval = Interval::new(start, start + Nanos(length.round() as i64));
    show(state, Some(interval), ViewChange::Zoom);
}

/// Moves the visible interval by `share` of its length, and no further than where data is.
pub fn pan(state: &mut AppState, capture: &Capture, share: f64) {
    let shown = state.view.shown(capture.extent());
    let by = Nanos((shown.length().0 as f64 * share).round() as i64);
    let moved = Interval::new(shown.start + by, shown.end + by);
    if capture.extent().is_some_and(|all| moved.overlaps(all)) {
        show(state, Some(moved), ViewChange::Pan);
    }
}

/// The time of what is selected: of several spans, or of both spans of a dependency, from the first start to the last end.
fn selected_time(chosen: &Selection, capture: &Capture) -> Option<Interval> {
    let interval = |id: SpanId| Some(capture.span(id)?.interval());
    let dependency = chosen.dependency.and_then(|id| capture.dependency(id));
    let ends = dependency.map(|it| [it.cause, it.effect]);
    let spans = chosen.group.iter().copied().chain(chosen.span);
    let all = spans.chain(ends.into_iter().flatten());
    let all = all.filter_map(interval).reduce(Interval::union);
    all.or(chosen.range)
}

/// Zooms to what is selected, or to the range; shows everything where that is on screen already.
pub fn focus(state: &mut AppState, capture: &Capture) {
    let target = selected_time(&state.selection, capture);
    let shown = state.view.shown(capture.extent()).length();
    let framed = target.map(|target| {
        // Around an instant there is something to see only where its neighbours are.
        let least = if target.length() == Nanos::ZERO {
            (shown.0 / 20).max(AROUND.0)
        } else {
            SHORTEST.0
        };
        let margin = Nanos((target.length().0 / 4).max(least));
        Interval::new(target.start - margin, target.end + margin)
    });
    let framed = framed.filter(|framed| state.view.interval != Some(*framed));
    show(state, framed, ViewChange::Jump);
}

/// Moves the view so that its end keeps to the newest data, where the user asked for that. Leaves no step behind.
pub fn keep_up(state: &mut AppState, capture: &Capture) {
    if let (true, Some(shown), Some(all)) = (state.follow, state.view.interval, capture.extent()) {
        let end = all.end + Nanos(shown.length().0 / 20);
        state.view.interval = Some(Interval::new(end - shown.length(), end));
    }
}

/// Forgets what belongs to a capture that is no longer on screen; how lanes are folded stays.
pub fn renew(state: &mut AppState) {
    state.view.interval = None;
    state.view.scroll = 0.0;
    state.view.is_scrolled = false;
    state.view.order.clear();
    state.view.pinned.clear();
    state.view.hidden.clear();
    state.view.filter.clear();
    state.selection = Selection::default();
    state.history = ViewHistory::default();
    state.alignment.clear();
    state.follow = false;
    state.playback = None;
    state.drawn.clear();
    state.projected = ProjectedLanes::default();
    state.bookmarks = Bookmarks::default();
    if let Some(verdict) = state.lesson.as_mut().and_then(|it| it.verdict.as_mut()) {
        verdict.missing = None;
    }
}

/// Moves the times of a file by hand.
pub fn align(state: &mut AppState, part: usize, by: Nanos) -> Option<AppRequest> {
    let before = state.alignment.get(part).copied().unwrap_or_default();
    if before == by {
        return None;
    }
    note(state, ViewChange::Align(part));
    if state.alignment.len() <= part {
        state.alignment.resize(part + 1, Nanos::ZERO);
    }
    if let Some(shift) = state.alignment.get_mut(part) {
        *shift = by;
    }
    Some(AppRequest::Align)
}

/// Back to the view before, and to where files lay.
pub fn undo(state: &mut AppState) -> Option<AppRequest> {
    let step = state.history.past.pop()?;
    let moves = state.alignment != step.alignment;
    let here = restore(state, step);
    state.history.future.push(here);
    moves.then_some(AppRequest::Align)
}

/// Forward to the view that was undone.
pub fn redo(state: &mut AppState) -> Option<AppRequest> {
    let step = state.history.future.pop()?;
    let moves = state.alignment != step.alignment;
    let here = restore(state, step);
    state.history.past.push(here);
    moves.then_some(AppRequest::Align)
}

fn here(state: &AppState) -> HistoryStep {
    HistoryStep {
        interval: state.view.interval,
        scroll: state.view.scroll,
        selection: state.selection.clone(),
        alignment: state.alignment.clone(),
    }
}

fn restore(state: &mut AppState, step: HistoryStep) -> HistoryStep {
    let left = here(state);
    state.view.interval = step.interval;
    state.view.is_scrolled |= state.view.scroll != step.scroll;
    state.view.scroll = step.scroll;
    state.selection = step.selection;
    state.alignment = step.alignment;
    state.history.motion = None;
    state.follow = false;
    left
}

/// Keeps where the view is before it changes; a run of pans, or of zooms, keeps only where it began.
fn note(state: &mut AppState, motion: ViewChange) {
    let glides = motion != ViewChange::Jump && state.history.motion == Some(motion);
    state.history.motion = Some(motion);
    state.history.future.clear();
    if glides {
        return;
    }
    let step = here(state);
    let past = &mut state.history.past;
    if past.len() == STEPS {
        past.remove(0);
    }
    past.push(step);
}
