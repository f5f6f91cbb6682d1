//! Actions that choose a span and go there.

use engine::capture::{Capture, PlacedSpan};
use engine::record::SpanId;
use engine::time::{Interval, Nanos};

use super::view;
use crate::action::{AppRequest, SameOperations};
use crate::state::{AppState, MOST_SELECTED, Selection, ViewChange};

/// Chooses `span`, or nothing. The range stays; a run of pans ends here.
pub fn select(state: &mut AppState, span: Option<SpanId>) {
    state.history.motion = None;
    state.selection = Selection {
        span,
        range: state.selection.range,
        ..Selection::default()
    };
}

/// Chooses `span` besides those that are chosen, or no longer.
pub fn select_also(state: &mut AppState, span: SpanId) {
    let before = &state.selection;
    let mut group = before.group.clone();
    group.extend(before.span);
    if !group.remove(&span) {
        group.insert(span);
    }
    select_group(state, group.into_iter().collect());
}

/// Chooses `spans`, and nothing else but the range.
pub fn select_group(state: &mut AppState, spans: Vec<SpanId>) {
    let last = state.selection.span.filter(|span| spans.contains(span));
    select(state, last.or(spans.first().copied()));
    if spans.len() > 1 {
        state.selection.group = spans.into_iter().collect();
    }
}

/// Chooses operations that have something in common, the longest among them, and moves the view to that; of too many, the
/// first ones.
pub fn select_operations(state: &mut AppState, capture: &Capture, wanted: SameOperations) {
    let all = wanted.key.spans(capture, wanted.within);
    let mut spans: Vec<SpanId> = all.take(MOST_SELECTED).collect();
    if !spans.contains(&wanted.longest) {
        spans.truncate(MOST_SELECTED - 1);
        spans.push(wanted.longest);
    }
    reveal(state, capture, wanted.longest);
    select_group(state, spans);
}

/// Chooses `span` and moves the view no more than needed to see it.
pub fn reveal(state: &mut AppState, capture: &Capture, span: SpanId) {
    let Some(placed) = capture.span(span) else {
        return select(state, Some(span));
    };
    let shown = state.view.shown(capture.extent());
    let wanted = placed.interval();
    let is_seen = shown.start <= wanted.start && wanted.end <= shown.end;
    let covers = wanted.start <= shown.start && shown.end <= wanted.end;
    if !is_seen && !covers {
        let length = shown
            .length()
            .max(wanted.length() + Nanos(wanted.length().0 / 4));
        let middle = wanted.start + Nanos(wanted.length().0 / 2);
        let start = middle - Nanos(length.0 / 2);
        view::show(
            state,
            Some(Interval::new(start, start + length)),
            ViewChange::Jump,
        );
    }
    select(state, Some(span));
}

/// Goes to the next or the previous span on the lane; from nothing, to the first span in view.
pub fn along_lane(state: &mut AppState, capture: &Capture, forward: bool) {
    let found = match state.selection.span {
        Some(span) if forward => capture.next_span(span),
        Some(span) => capture.previous_span(span),
        None => first_in_view(state, capture),
    };
    if let Some(span) = found {
        reveal(state, capture, span);
    }
}

fn first_in_view(state: &AppState, capture: &Capture) -> Option<SpanId> {
    let shown = state.view.shown(capture.extent());
    let lanes = capture.lane_order();
    let mut firsts = lanes
        .into_iter()
        .filter_map(|lane| capture.spans_in(lane, shown).next());
    firsts.next().map(|placed| placed.span.id)
}

/// Goes to an end of the selected dependency; from a span the way is the graph of causes'.
pub fn along_dependency(
    state: &mut AppState,
    capture: &Capture,
    forward: bool,
) -> Option<AppRequest> {
    let Some(id) = state.selection.dependency else {
        let has_span = state.selection.span.is_some();
        return has_span.then_some(AppRequest::Follow { forward });
    };
    let dependency = capture.dependency(id);
    if let Some(tie) = dependency {
        reveal(state, capture, if forward { tie.effect } else { tie.cause });
    }
    None
}

/// Makes the selected span's time the range, or widens the range to take it in.
pub fn mark(state: &mut AppState, capture: &Capture, widen: bool) {
    let span = state.selection.span.and_then(|id| capture.span(id));
    if let Some(interval) = span.as_ref().map(PlacedSpan::interval) {
        let before = state.selection.range.filter(|_| widen);
        state.selection.range = Some(before.map_or(interval, |range| range.union(interval)));
    }
}
