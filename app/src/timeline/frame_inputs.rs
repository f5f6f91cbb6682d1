//! What a frame stands on: rows and running operations, kept while the capture stays the same.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use engine::capture::Capture;
use engine::record::{Group, LaneId, Role};
use regex_lite::Regex;

use super::faults::{LossMarker, faults};
use super::lane_match;
use super::layout::{LayoutEntry, Metrics, TimelineLayout};
use super::never_ran::{NeverRan, never_ran};
use super::pending_promises::{PendingPromises, pending};
use super::races::{RacePair, races};
use super::running_spans::RunningSpans;
use super::signs::MEASURED;
use crate::state::{AppState, DrawnAnswer, DrawnContent, GroupKey, ProjectedLanes, Switch, View};

/// Rows, and what runs now.
pub struct FrameInputs {
    /// Every row.
    pub layout: TimelineLayout,
    /// What runs now.
    pub opens: RunningSpans,
    /// Losses of devices.
    pub faults: Vec<LossMarker>,
    /// Uses of buffers that nothing orders.
    pub races: Vec<RacePair>,
    /// What losses cancelled before it began.
    pub never_ran: Vec<NeverRan>,
    /// Promises that never settled.
    pub pending: PendingPromises,
    /// Another number for every state of the capture.
    pub stamp: u64,
    /// How many lanes are not shown, because they are hidden or their names do not match.
    pub hidden: usize,
    /// Whether the filter is no regular expression.
    pub is_misspelt: bool,
    shown: ShownLanes,
    drawn: DrawnAnswer,
    projected: ProjectedLanes,
    dense: bool,
    has_states: bool,
}

/// Which lanes are shown, and how.
#[derive(Clone, Default, PartialEq)]
struct ShownLanes {
    collapsed: BTreeSet<GroupKey>,
    order: Vec<LaneId>,
    pinned: Vec<LaneId>,
    hidden: BTreeSet<LaneId>,
    filter: String,
}

impl From<&View> for ShownLanes {
    fn from(view: &View) -> Self {
        Self {
            collapsed: view.collapsed.clone(),
            order: view.order.clone(),
            pinned: view.pinned.clone(),
            hidden: view.hidden.clone(),
            filter: view.filter.clone(),
        }
    }
}

impl ShownLanes {
    /// Whether it is what a view wants, without copies.
    fn is_of(&self, view: &View) -> bool {
        self.collapsed == view.collapsed
            && self.order == view.order
            && self.pinned == view.pinned
            && self.hidden == view.hidden
            && self.filter == view.filter
    }
}

impl Default for FrameInputs {
    fn default() -> Self {
        let none = BTreeSet::new();
        Self {
            layout: TimelineLayout::new([], &none, &[], Metrics::new(false)),
            opens: RunningSpans::default(),
            faults: Vec::new(),
            races: Vec::new(),
            never_ran: Vec::new(),
            pending: PendingPromises::new(),
            stamp: 0,
            hidden: 0,
            is_misspelt: false,
            shown: ShownLanes::default(),
            drawn: DrawnAnswer::default(),
            projected: ProjectedLanes::default(),
            dense: false,
            has_states: false,
        }
    }
}

impl FrameInputs {
    /// Brings it up to the capture and the user's choice of rows.
    pub fn update(&mut self, capture: &Capture, state: &AppState) {
        let stamp = stamp(capture);
        let dense = state.settings.is_on(Switch::Dense);
        let has_states = state.settings.is_on(Switch::ThreadStates);
        let view = &state.view;
        let holds = self.stamp == stamp
            && self.dense == dense
            && self.has_states == has_states
            && self.shown.is_of(view)
            && self.drawn == state.drawn
            && self.projected == state.projected;
        if holds {
            return;
        }
        self.opens = RunningSpans::new(capture);
        self.faults = faults(capture);
        self.races = races(capture);
        self.never_ran = never_ran(capture);
        self.pending = pending(capture);
        self.stamp = stamp;
        self.dense = dense;
        self.has_states = has_states;
        self.shown = ShownLanes::from(view);
        self.drawn = state.drawn.clone();
        self.projected = state.projected.clone();
        let filter = lane_match::pattern(&view.filter);
        self.is_misspelt = filter.is_err();
        let filter = filter.ok().filter(|_| !view.filter.is_empty());
        let all = members(capture, &self.opens);
        let count = all.len();
        let is_shown = |entry: &LayoutEntry| match entry.lane() {
            Some(lane) if view.hidden.contains(&lane) => false,
            lane => filter
                .as_ref()
                .is_none_or(|filter| matches(capture, lane, *entry, filter)),
        };
        let shown: Vec<_> = all
            .into_iter()
            .filter(|(_, entry)| is_shown(entry))
            .collect();
        self.hidden = count - shown.len();
        let mut members = pinned_first(&shown, &view.pinned);
        if has_states {
            members = with_states(members, capture);
        }
        beneath_streams(&mut members, &state.projected);
        // They were asked for by name, and no filter is about them.
        members.extend(answers(&state.drawn));
        let order = &self.shown.order;
        self.layout =
            TimelineLayout::new(members, &self.shown.collapsed, order, Metrics::new(dense));
    }
}

/// Whether a lane's name, or what it belongs to, matches.
fn matches(capture: &Capture, lane: Option<LaneId>, entry: LayoutEntry, filter: &Regex) -> bool {
    if let LayoutEntry::Counter(counter) = entry {
        let counter = capture.counters().get(counter.index());
        return counter.is_some_and(|counter| lane_match::is_counter_match(counter, filter));
    }
    let lane = lane.and_then(|lane| capture.lane(lane));
    lane.is_some_and(|lane| lane_match::is_match(capture, lane, filter))
}

/// The members of all groups, the pinned ones in a group of their own before all others.
fn pinned_first(
    shown: &[(GroupKey, LayoutEntry)],
    pinned: &[LaneId],
) -> Vec<(GroupKey, LayoutEntry)> {
    let find = |lane: &LaneId| {
        let mut shown = shown.iter();
        shown
            .find(|(_, entry)| entry.lane() == Some(*lane))
            .copied()
    };
    let first: Vec<_> = pinned.iter().filter_map(find).collect();
    let is_pinned = |entry: &LayoutEntry| entry.lane().is_some_and(|it| pinned.contains(&it));
    let rest = shown.iter().filter(|(_, entry)| !is_pinned(entry)).copied();
    let first = first
        .into_iter()
        .map(|(_, entry)| (GroupKey::PINNED, entry));
    first.chain(rest).collect()
}

/// Puts strips beneath the lanes of threads of which it is known how they were scheduled.
fn with_states(
    members: Vec<(GroupKey, LayoutEntry)>,
    capture: &Capture,
) -> Vec<(GroupKey, LayoutEntry)> {
    let known: BTreeSet<LaneId> = capture.scheduled_lanes().collect();
    let strip = |(key, entry): (GroupKey, LayoutEntry)| {
        let lane = entry.lane().filter(|lane| known.contains(lane));
        let states = lane.map(|lane| (key, LayoutEntry::States(lane)));
        std::iter::once((key, entry)).chain(states)
    };
    members.into_iter().flat_map(strip).collect()
}

/// Puts lanes of projected ranges below the streams of their devices; where none of these is shown, neither are they.
fn beneath_streams(members: &mut Vec<(GroupKey, LayoutEntry)>, projected: &ProjectedLanes) {
    for (place, lane) in projected.all().iter().enumerate() {
        if let Some(last) = members.iter().rposition(|(key, _)| *key == lane.group()) {
            let entry = LayoutEntry::Projected(place, lane.bars.depths().max(1));
            members.insert(last + 1, (lane.group(), entry));
        }
    }
}

/// What is drawn of answers, below all else.
fn answers(drawn: &DrawnAnswer) -> impl Iterator<Item = (GroupKey, LayoutEntry)> {
    let rows = drawn.rows().iter().enumerate();
    rows.map(|(place, row)| {
        let depths = match &row.content {
            DrawnContent::Bars(bars) => bars.depths().max(1),
            DrawnContent::Values(_) => 0,
        };
        (GroupKey::ANSWERS, LayoutEntry::Answer(place, depths))
    })
}

/// A number that differs for every state of a capture, and for another capture of the same revision.
fn stamp(capture: &Capture) -> u64 {
    let mut hasher = DefaultHasher::new();
    capture.instance().hash(&mut hasher);
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
        let key = GroupKey::of(lane);
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
