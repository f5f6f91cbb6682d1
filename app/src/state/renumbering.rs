//! What lanes and spans are called once their file was read again: the same ones have other numbers where it changed.

mod absent;

use std::collections::BTreeMap;

use engine::capture::{Capture, PlacedSpan};
use engine::record::{DeviceId, Group, LaneId, NameId, SpanId};
use engine::time::{Interval, Nanos};

pub use self::absent::AbsentChoice;
use self::absent::FoundChoice;
use super::{AppState, GroupKey};

/// What says which lane it is, in any reading of its file.
type LaneName<'a> = (Group, Option<&'a str>, &'a str, &'a str, &'a str);

/// Which numbers have taken the places of others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneRenumbering {
    lanes: BTreeMap<LaneId, LaneId>,
    devices: BTreeMap<DeviceId, DeviceId>,
    spans: BTreeMap<SpanId, SpanId>,
    /// What an earlier reading lacked and is there again.
    again: FoundChoice,
}

impl SceneRenumbering {
    /// From what was on screen, of which `state` names lanes and spans, to what was read since. What earlier readings lacked is
    /// taken out of `absent` where it is there now, and what is missing now is added to it.
    pub fn new(
        before: &Capture,
        now: &Capture,
        state: &AppState,
        absent: &mut AbsentChoice,
    ) -> Self {
        let mut all = Self {
            lanes: lanes(before, now),
            devices: devices(before, now),
            ..Self::default()
        };
        let marked = state.bookmarks.list.iter().map(|it| it.span);
        let chosen = state.selection.span.into_iter();
        let named = chosen
            .chain(state.selection.group.iter().copied())
            .chain(marked);
        for span in named {
            let found = before
                .span(span)
                .and_then(|it| all.same_span((before, &it), now));
            all.spans.extend(found.map(|it| (span, it)));
        }
        let known = all.lanes.values().copied().collect();
        all.again = absent.take_found((now, &known), state);
        let is_lost = |lane: LaneId| !all.lanes.contains_key(&lane);
        let is_gone = |span: SpanId| !all.spans.contains_key(&span);
        absent.note(before, state, (&is_lost, &is_gone));
        all
    }

    /// Gives all that the state names its present number, forgets what is no longer there, and takes up again what is there
    /// again.
    pub fn apply(&self, state: &mut AppState) {
        let lane = |id: &LaneId| self.lanes.get(id).copied();
        let view = &mut state.view;
        let again = &self.again;
        view.order = match &again.order {
            Some(order) => order.clone(),
            None => view.order.iter().filter_map(lane).collect(),
        };
        let pinned = view.pinned.iter().filter_map(lane);
        view.pinned = pinned.chain(again.pinned.iter().copied()).collect();
        let hidden = view.hidden.iter().filter_map(lane);
        view.hidden = hidden.chain(again.hidden.iter().copied()).collect();
        let folded = view.collapsed.iter().map(|it| self.group(*it));
        view.collapsed = folded.collect();
        let span = |id: &SpanId| self.spans.get(id).copied();
        let chosen = &mut state.selection;
        chosen.span = chosen.span.and_then(|it| span(&it)).or(again.selected);
        let group = chosen.group.iter().filter_map(span);
        chosen.group = group.chain(again.group.iter().copied()).collect();
        chosen.dependency = None;
        chosen.topic = None;
        // Of what was answered before.
        state.drawn.clear();
        for bookmark in &mut state.bookmarks.list {
            let of_place = again.marked.iter().find(|it| it.0 == bookmark.at);
            let found = of_place.filter(|_| !bookmark.span.is_some());
            bookmark.span = span(&bookmark.span)
                .or(found.map(|it| it.1))
                .unwrap_or(SpanId::NONE);
        }
    }

    fn group(&self, key: GroupKey) -> GroupKey {
        // Groups that are of no device have numbers that none has.
        let device = self.devices.get(&DeviceId(key.device));
        GroupKey {
            device: device.map_or(key.device, |it| it.0),
            ..key
        }
    }

    /// The span of the same name and kind that began in the same lane at the same time; the one of the same number, where there
    /// are several.
    fn same_span(&self, (before, old): (&Capture, &PlacedSpan), now: &Capture) -> Option<SpanId> {
        let lane = *self.lanes.get(&old.span.lane)?;
        let start = old.span.start;
        let is_same = |it: &PlacedSpan| {
            let name = |capture: &Capture, id: NameId| capture.name(id).to_owned();
            (it.span.lane, it.span.start, it.span.kind) == (lane, start, old.span.kind)
                && name(now, it.span.name) == name(before, old.span.name)
        };
        let own = now.span(old.span.id).filter(is_same);
        let at = Interval::new(start, start + Nanos(1));
        let found = own.or_else(|| now.spans_in(lane, at).find(is_same));
        found.map(|it| it.span.id)
    }
}

fn devices(before: &Capture, now: &Capture) -> BTreeMap<DeviceId, DeviceId> {
    let named = now.devices().iter().map(|it| (it.name.as_str(), it.id));
    let named: BTreeMap<_, _> = named.collect();
    let old = before.devices().iter();
    old.filter_map(|it| Some((it.id, *named.get(it.name.as_str())?)))
        .collect()
}

/// Lanes of one name keep their order.
fn lanes(before: &Capture, now: &Capture) -> BTreeMap<LaneId, LaneId> {
    let mut named: BTreeMap<LaneName<'_>, Vec<LaneId>> = BTreeMap::new();
    for id in ids(now).rev() {
        named
            .entry(lane_name(now, id).unwrap_or_default())
            .or_default()
            .push(id);
    }
    let next = |id: LaneId| {
        let same = named.get_mut(&lane_name(before, id)?)?;
        Some((id, same.pop()?))
    };
    ids(before).filter_map(next).collect()
}

fn ids(capture: &Capture) -> impl DoubleEndedIterator<Item = LaneId> {
    (0..capture.lanes().len() as u32).map(LaneId)
}

fn lane_name(capture: &Capture, id: LaneId) -> Option<LaneName<'_>> {
    let lane = capture.lane(id)?;
    let device = lane
        .device
        .and_then(|it| capture.devices().get(it.index()))
        .map(|it| it.name.as_str());
    Some((lane.group, device, &lane.process, &lane.thread, &lane.name))
}
