//! Actions that pin, hide, filter, fold and sort lanes.

use engine::capture::{Capture, natural_key};
use engine::record::{Group, LaneId};
use engine::time::{Interval, Nanos};

use crate::action::{Action, Command};
use crate::state::{AppState, GroupKey, LaneSort};

/// Applies the actions that are about lanes.
///
/// # Errors
/// Gives back an action that is about something else.
pub fn apply(state: &mut AppState, capture: &Capture, action: Action) -> Result<(), Action> {
    let view = &mut state.view;
    match action {
        Action::Collapse(group) => {
            if !view.collapsed.remove(&group) {
                view.collapsed.insert(group);
            }
        }
        Action::Reorder(order) => view.order = order,
        Action::SortLanes(sort) => view.order = sorted(capture, sort),
        Action::PinLane(lane) => pin(state, lane),
        Action::HideLanes(lanes) => {
            view.pinned.retain(|pinned| !lanes.contains(pinned));
            view.hidden.extend(lanes);
        }
        Action::ShowOnly(lanes) => {
            let all = capture.lanes().iter().map(|lane| lane.id);
            view.hidden = all.filter(|lane| !lanes.contains(lane)).collect();
            view.pinned.retain(|pinned| lanes.contains(pinned));
            view.scroll = 0.0;
        }
        Action::FilterLanes(text) => {
            view.filter = text;
            view.scroll = 0.0;
        }
        Action::ColourByField(field) => view.colour_field = field,
        Action::Draw(drawn) => {
            view.collapsed.remove(&GroupKey::ANSWERS);
            state.drawn.add(&drawn);
        }
        Action::StopDrawing(Some(place)) => state.drawn.remove(place),
        Action::StopDrawing(None) => state.drawn.clear(),
        Action::Project(lanes) => state.projected = lanes,
        other => return Err(other),
    }
    Ok(())
}

/// Does what a key or a menu asks of lanes.
pub fn command(state: &mut AppState, capture: &Capture, command: Command) {
    let selected = state.selection.span.and_then(|id| capture.span(id));
    let lane = selected.map(|placed| placed.span.lane);
    let view = &mut state.view;
    match (command, lane) {
        (Command::PinLane, Some(lane)) => pin(state, lane),
        (Command::HideLane, Some(lane)) => {
            view.pinned.retain(|pinned| *pinned != lane);
            view.hidden.insert(lane);
        }
        (Command::ShowAllLanes, _) => {
            view.hidden.clear();
            view.filter.clear();
        }
        (Command::ExpandAll, _) => view.collapsed.clear(),
        (Command::CollapseAll, _) => {
            view.collapsed = capture.lanes().iter().map(GroupKey::of).collect();
            view.collapsed.insert(GroupKey {
                group: Group::Counters,
                device: u32::MAX,
            });
        }
        _ => {}
    }
}

fn pin(state: &mut AppState, lane: LaneId) {
    let pinned = &mut state.view.pinned;
    match pinned.iter().position(|it| *it == lane) {
        Some(place) => {
            pinned.remove(place);
        }
        None => pinned.push(lane),
    }
}

/// Every lane in an order; groups stay together whatever it is.
fn sorted(capture: &Capture, sort: LaneSort) -> Vec<LaneId> {
    let mut lanes = capture.lane_order();
    let extent = capture.extent().unwrap_or_default();
    match sort {
        LaneSort::Capture => return Vec::new(),
        LaneSort::Name => lanes.sort_by_cached_key(|lane| {
            let lane = capture.lane(*lane);
            lane.map(|lane| natural_key(&lane.name))
        }),
        LaneSort::Busy => {
            lanes.sort_by_cached_key(|lane| std::cmp::Reverse(busy(capture, *lane, extent)));
        }
        LaneSort::FirstUse => lanes.sort_by_cached_key(|lane| {
            let starts = (0..capture.depth(*lane)).filter_map(|depth| {
                let first = capture.spans_of(*lane, depth, extent).next();
                first.map(|placed| placed.span.start)
            });
            starts.min().unwrap_or(Nanos(i64::MAX))
        }),
    }
    lanes
}

/// How long a lane was busy: its spans' lengths, added up.
fn busy(capture: &Capture, lane: LaneId, extent: Interval) -> Nanos {
    let column = Nanos((extent.length().0 / 64).max(1));
    let mut busy = Nanos::ZERO;
    for depth in 0..capture.depth(lane) {
        capture.fold(lane, depth, extent, column, &mut |folded| {
            busy += folded.busy;
        });
    }
    busy
}
