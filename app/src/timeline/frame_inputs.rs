//! What a frame stands on: rows and running operations, kept while the capture stays the same.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use engine::capture::Capture;
use engine::record::{Group, LaneId, Role};

use super::faults::{LossMarker, faults};
use super::layout::{LayoutEntry, Metrics, TimelineLayout};
use super::pending_promises::{PendingPromises, pending};
use super::running_spans::RunningSpans;
use super::signs::MEASURED;
use crate::state::{AppState, GroupKey, Switch};

/// Rows, and what runs now.
pub struct FrameInputs {
    /// Every row.
    pub layout: TimelineLayout,
    /// What runs now.
    pub opens: RunningSpans,
    /// Losses of devices.
    pub faults: Vec<LossMarker>,
    /// Promises that never settled.
    pub pending: PendingPromises,
    /// Another number for every state of the capture.
    pub stamp: u64,
    collapsed: BTreeSet<GroupKey>,
    order: Vec<LaneId>,
    dense: bool,
}

impl Default for FrameInputs {
    fn default() -> Self {
        let none = BTreeSet::new();
        Self {
            layout: TimelineLayout::new([], &none, &[], Metrics::new(false)),
            opens: RunningSpans::default(),
            faults: Vec::new(),
            pending: PendingPromises::new(),
            stamp: 0,
            collapsed: none,
            order: Vec::new(),
            dense: false,
        }
    }
}

impl FrameInputs {
    /// Brings it up to the capture and the user's choice of rows.
    pub fn update(&mut self, capture: &Capture, state: &AppState) {
        let stamp = stamp(capture);
        let dense = state.settings.is_on(Switch::Dense);
        let view = &state.view;
        let holds = self.stamp == stamp
            && self.dense == dense
            && self.collapsed == view.collapsed
            && self.order == view.order;
        if holds {
            return;
        }
        self.opens = RunningSpans::new(capture);
        self.faults = faults(capture);
        self.pending = pending(capture);
        self.stamp = stamp;
        self.dense = dense;
        self.collapsed.clone_from(&view.collapsed);
        self.order.clone_from(&view.order);
        let members = members(capture, &self.opens);
        self.layout =
            TimelineLayout::new(members, &self.collapsed, &self.order, Metrics::new(dense));
    }
}

/// A number that differs for every state of a capture, and for another capture of the same revision.
fn stamp(capture: &Capture) -> u64 {
    let mut hasher = DefaultHasher::new();
    capture.revision().hash(&mut hasher);
    capture.extent().hash(&mut hasher);
    capture.span_count().hash(&mut hasher);
    capture.name_count().hash(&mut hasher);
    capture.lanes().len().hash(&mut hasher);
    capture.run().map(|run| &run.name).hash(&mut hasher);
    hasher.finish() | 1
}

/// A lane with room for the brackets between its records, where it has some.
fn with_room(entry: LayoutEntry, measured: &BTreeSet<LaneId>) -> LayoutEntry {
    match entry {
        LayoutEntry::Lane(id, depth) if measured.contains(&id) => LayoutEntry::Lane(id, depth + 1),
        entry => entry,
    }
}

/// The lanes with records between which the time was taken.
fn measured(capture: &Capture) -> BTreeSet<LaneId> {
    let ties = capture.measured().iter().rev().take(MEASURED);
    let ties = ties.filter_map(|id| capture.dependency(*id));
    let records = ties.filter_map(|tie| capture.span(tie.effect));
    records.map(|record| record.span.lane).collect()
}

fn members(capture: &Capture, opens: &RunningSpans) -> Vec<(GroupKey, LayoutEntry)> {
    let lane = |id: LaneId| {
        let lane = capture.lane(id)?;
        let device = match lane.group {
            Group::Host if lane.role == Role::Functions => GroupKey::FUNCTIONS.device,
            Group::Host | Group::Counters => u32::MAX,
            Group::Device | Group::Streams => lane.device.map_or(u32::MAX, |device| device.0),
        };
        let key = GroupKey {
            group: lane.group,
            device,
        };
        let depth = opens.depth(id, capture.depth(id));
        let is_queue = lane.role == Role::Queue;
        let entry = if is_queue {
            LayoutEntry::Thin
        } else {
            LayoutEntry::Lane
        };
        Some((key, entry(id, depth)))
    };
    let key = GroupKey {
        group: Group::Counters,
        device: u32::MAX,
    };
    let measured = measured(capture);
    let lane = |id: LaneId| lane(id).map(|(key, entry)| (key, with_room(entry, &measured)));
    let counters = capture.counters().iter();
    let lanes = capture.lane_order().into_iter().filter_map(lane);
    lanes
        .chain(counters.map(|counter| (key, LayoutEntry::Counter(counter.id))))
        .collect()
}
