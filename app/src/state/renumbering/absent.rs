//! What was selected, marked and arranged and is missing from the latest reading of its file: a later reading may have it.

use std::collections::BTreeSet;

use engine::capture::Capture;
use engine::record::{Group, LaneId, SpanId, SpanKind};
use engine::time::{Interval, Nanos};

use super::{LaneName, ids, lane_name};
use crate::state::AppState;

/// What was selected, marked and arranged and is missing from the latest reading of its file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AbsentChoice {
    pinned: Vec<AbsentLane>,
    hidden: Vec<AbsentLane>,
    /// All lanes in the order that they were put in, once one of them is missing.
    order: Vec<AbsentLane>,
    span: Option<AbsentSpan>,
    /// Spans that were chosen together.
    group: Vec<AbsentSpan>,
    /// Spans of bookmarks, with the place of each.
    marked: Vec<(Interval, AbsentSpan)>,
}

/// What is there again of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FoundChoice {
    pub pinned: Vec<LaneId>,
    pub hidden: Vec<LaneId>,
    /// The lanes in the order that they were put in; nothing where that is as it was.
    pub order: Option<Vec<LaneId>>,
    pub selected: Option<SpanId>,
    pub group: Vec<SpanId>,
    pub marked: Vec<(Interval, SpanId)>,
}

/// Whether a lane, and whether a span, is missing now.
type IsMissing<'a> = (&'a dyn Fn(LaneId) -> bool, &'a dyn Fn(SpanId) -> bool);

impl AbsentChoice {
    /// Takes out what `now` has. Lanes that are `known` were there before.
    pub(super) fn take_found(
        &mut self,
        (now, known): (&Capture, &BTreeSet<LaneId>),
        state: &AppState,
    ) -> FoundChoice {
        let mut found = FoundChoice {
            pinned: take_found(&mut self.pinned, now, known),
            hidden: take_found(&mut self.hidden, now, known),
            order: self.order_again(now, known),
            ..FoundChoice::default()
        };
        self.marked.retain(|(at, span)| {
            let again = span.found_in(now);
            found.marked.extend(again.map(|it| (*at, it)));
            again.is_none()
        });
        // Whoever has selected something else meanwhile wants that.
        if state.selection.span.is_some() {
            (self.span, self.group) = (None, Vec::new());
            return found;
        }
        found.selected = self.span.as_ref().and_then(|it| it.found_in(now));
        self.span.take_if(|_| found.selected.is_some());
        self.group.retain(|span| {
            let again = span.found_in(now);
            found.group.extend(again);
            again.is_none()
        });
        found
    }

    /// The order of lanes, where a lane is there again.
    fn order_again(&mut self, now: &Capture, known: &BTreeSet<LaneId>) -> Option<Vec<LaneId>> {
        let mut wanted = self.order.clone();
        let order = take_found(&mut wanted, now, &BTreeSet::new());
        let is_again = order.iter().any(|it| !known.contains(it));
        if wanted.is_empty() {
            self.order.clear();
        }
        is_again.then_some(order)
    }

    /// Adds what `before` had and is missing now.
    pub(super) fn note(
        &mut self,
        before: &Capture,
        state: &AppState,
        (is_lost, is_gone): IsMissing<'_>,
    ) {
        let (view, chosen) = (&state.view, &state.selection);
        let lane = |id: &LaneId| AbsentLane::of(before, *id);
        let lost = |id: &&LaneId| is_lost(**id);
        let gone = |id: &&SpanId| is_gone(**id);
        self.pinned
            .extend(view.pinned.iter().filter(lost).filter_map(lane));
        self.hidden
            .extend(view.hidden.iter().filter(lost).filter_map(lane));
        // The one of before the first that was missing is the whole one.
        if self.order.is_empty() && view.order.iter().any(|it| is_lost(*it)) {
            self.order = view.order.iter().filter_map(lane).collect();
        }
        if let Some(span) = chosen.span.filter(|it| is_gone(*it)) {
            self.span = AbsentSpan::of(before, span);
        }
        let group = chosen.group.iter().filter(gone);
        self.group
            .extend(group.filter_map(|it| AbsentSpan::of(before, *it)));
        let marks = state.bookmarks.list.iter();
        let marks = marks.filter(|it| it.span.is_some() && is_gone(it.span));
        self.marked
            .extend(marks.filter_map(|it| Some((it.at, AbsentSpan::of(before, it.span)?))));
    }
}

/// A lane, as its file calls it.
#[derive(Clone, Debug, PartialEq)]
struct AbsentLane {
    group: Group,
    device: Option<String>,
    /// Its process, its thread and its own name.
    names: [String; 3],
}

impl AbsentLane {
    /// The lane with this number.
    pub fn of(capture: &Capture, id: LaneId) -> Option<Self> {
        let (group, device, process, thread, name) = lane_name(capture, id)?;
        Some(Self {
            group,
            device: device.map(str::to_owned),
            names: [process, thread, name].map(str::to_owned),
        })
    }

    fn is(&self, (group, device, process, thread, name): LaneName<'_>) -> bool {
        (self.group, self.device.as_deref()) == (group, device)
            && self.names.each_ref().map(String::as_str) == [process, thread, name]
    }

    /// The lanes that are called so.
    fn found_in<'a>(&'a self, now: &'a Capture) -> impl Iterator<Item = LaneId> + 'a {
        ids(now).filter(|id| lane_name(now, *id).is_some_and(|it| self.is(it)))
    }
}

/// Takes the lanes that are there now out of `lanes` and gives their numbers. Lanes that are `known` were there before.
fn take_found(lanes: &mut Vec<AbsentLane>, now: &Capture, known: &BTreeSet<LaneId>) -> Vec<LaneId> {
    let mut found = Vec::new();
    lanes.retain(|lane| {
        let mut free = lane.found_in(now).filter(|it| !known.contains(it));
        let next = free.find(|it| !found.contains(it));
        found.extend(next);
        next.is_none()
    });
    found
}

/// A span, by its lane, name, kind and start.
#[derive(Clone, Debug, PartialEq)]
struct AbsentSpan {
    lane: AbsentLane,
    name: String,
    kind: SpanKind,
    start: Nanos,
}

impl AbsentSpan {
    /// The span with this number.
    pub fn of(capture: &Capture, id: SpanId) -> Option<Self> {
        let span = capture.span(id)?.span;
        Some(Self {
            lane: AbsentLane::of(capture, span.lane)?,
            name: capture.name(span.name).to_owned(),
            kind: span.kind,
            start: span.start,
        })
    }

    /// The span, where it is there now.
    pub fn found_in(&self, now: &Capture) -> Option<SpanId> {
        let at = Interval::new(self.start, self.start + Nanos(1));
        let mut spans = self
            .lane
            .found_in(now)
            .flat_map(|lane| now.spans_in(lane, at));
        let found = spans.find(|it| {
            (it.span.start, it.span.kind) == (self.start, self.kind)
                && now.name(it.span.name) == self.name
        });
        found.map(|it| it.span.id)
    }
}
