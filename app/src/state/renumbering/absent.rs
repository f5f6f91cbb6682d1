//! What was selected, pinned and hidden and is missing from the latest reading of its file: a later reading may have it.

use std::collections::BTreeSet;

use engine::capture::Capture;
use engine::record::{Group, LaneId, SpanId, SpanKind};
use engine::time::{Interval, Nanos};

use super::{LaneName, ids, lane_name};

/// What was selected, pinned and hidden and is missing from the latest reading of its file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AbsentChoice {
    /// Lanes that were pinned.
    pub(super) pinned: Vec<AbsentLane>,
    /// Lanes that were hidden.
    pub(super) hidden: Vec<AbsentLane>,
    /// The span that was selected.
    pub(super) span: Option<AbsentSpan>,
}

/// A lane, as its file calls it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AbsentLane {
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
pub(super) fn take_found(
    lanes: &mut Vec<AbsentLane>,
    now: &Capture,
    known: &BTreeSet<LaneId>,
) -> Vec<LaneId> {
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
pub(super) struct AbsentSpan {
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
