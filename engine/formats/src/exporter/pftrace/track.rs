//! Devices, lanes and counters as tracks of Perfetto, each described before its first use.

use std::collections::{HashMap, HashSet};

use super::packet;
use super::row::NestedRows;
use crate::perfetto::dialect::Track;
use crate::perfetto::proto::{CounterDescriptor, MERGE_BY_KEY, TrackDescriptor};
use record::time::Interval;
use record::{Counter, CounterId, Device, DeviceId, Lane, LaneId};

/// What the file has said of its tracks so far.
#[derive(Default)]
pub(super) struct TrackWriter {
    lanes: Vec<DescribedLane>,
    /// Where each lane is among them.
    places: HashMap<LaneId, u32>,
    processes: HashSet<Option<DeviceId>>,
    counters: HashSet<CounterId>,
}

/// A lane, and how many of its rows the file knows. There may be a million of them, most with one row of one span.
#[derive(Default)]
struct DescribedLane {
    name: Box<str>,
    /// The process that it is drawn under.
    parent: u64,
    /// Where it stands in that.
    rank: i32,
    rows: NestedRows,
    /// So many rows are described, the first at once.
    known: u16,
}

impl TrackWriter {
    /// Says what a device is called.
    pub(super) fn device(&mut self, buffer: &mut Vec<u8>, device: &Device) {
        self.processes.insert(Some(device.id));
        let track = packet::process(Track::Device(device.id.0), pid(device.id), &device.name);
        packet::describe(buffer, track);
    }

    /// Says what a lane is called and where it stands.
    pub(super) fn lane(&mut self, buffer: &mut Vec<u8>, lane: &Lane) {
        let parent = self.process(buffer, lane.device).uuid();
        let place = *self.places.entry(lane.id).or_insert_with(|| {
            self.lanes.push(DescribedLane {
                known: 1,
                ..DescribedLane::default()
            });
            self.lanes.len() as u32 - 1
        });
        if let Some(described) = self.lanes.get_mut(place as usize) {
            described.name = lane.name.as_str().into();
            (described.parent, described.rank) = (parent, rank(lane));
            for row in 0..described.known {
                described.describe(buffer, lane.id, row);
            }
        }
    }

    /// The row of a lane on which Perfetto draws a span.
    pub(super) fn place(&mut self, buffer: &mut Vec<u8>, id: LaneId, span: Interval) -> Track {
        if !self.places.contains_key(&id) {
            let lane = Lane {
                id,
                group: record::Group::Host,
                device: None,
                role: record::Role::None,
                name: format!("lane {}", id.0),
                order: 0,
                process: "".into(),
                thread: "".into(),
            };
            self.lane(buffer, &lane);
        }
        let place = self.places.get(&id);
        let Some(lane) = place.and_then(|it| self.lanes.get_mut(*it as usize)) else {
            return Track::Lane(id, 0);
        };
        let row = lane.rows.place(span);
        // Rows are taken in order.
        if row >= lane.known {
            lane.describe(buffer, id, row);
            lane.known = row + 1;
        }
        Track::Lane(id, row)
    }

    /// Says what a counter is called and what it counts.
    pub(super) fn counter(&mut self, buffer: &mut Vec<u8>, counter: &Counter) {
        self.counters.insert(counter.id);
        let track = TrackDescriptor {
            uuid: Some(Track::Counter(counter.id).uuid()),
            parent_uuid: Some(self.process(buffer, counter.device).uuid()),
            name: Some(counter.name.clone()),
            sibling_order_rank: Some(i32::MAX),
            counter: Some(CounterDescriptor {
                unit_name: Some(counter.unit.clone()),
                ..CounterDescriptor::default()
            }),
            ..TrackDescriptor::default()
        };
        packet::describe(buffer, track);
    }

    /// Makes sure that Perfetto knows a counter that has a sample.
    pub(super) fn sampled(&mut self, buffer: &mut Vec<u8>, id: CounterId) {
        if !self.counters.contains(&id) {
            let counter = Counter {
                id,
                name: format!("counter {}", id.0),
                unit: String::new(),
                device: None,
            };
            self.counter(buffer, &counter);
        }
    }

    /// The process of a device, or of what belongs to none.
    fn process(&mut self, buffer: &mut Vec<u8>, device: Option<DeviceId>) -> Track {
        let (track, pid, name) = match device {
            None => (Track::Hosts, 2, "host".to_owned()),
            Some(id) => (Track::Device(id.0), pid(id), format!("device {}", id.0)),
        };
        if self.processes.insert(device) {
            packet::describe(buffer, packet::process(track, pid, &name));
        }
        track
    }
}

impl DescribedLane {
    fn describe(&self, buffer: &mut Vec<u8>, lane: LaneId, row: u16) {
        let track = TrackDescriptor {
            uuid: Some(Track::Lane(lane, row).uuid()),
            parent_uuid: Some(self.parent),
            name: Some(self.name.to_string()),
            sibling_order_rank: Some(self.rank),
            sibling_merge_behavior: Some(MERGE_BY_KEY),
            sibling_merge_key_int: Some(u64::from(lane.0)),
            ..TrackDescriptor::default()
        };
        packet::describe(buffer, track);
    }
}

/// Perfetto wants a number for each process; 1 is Syncline's own and 2 is the host's.
fn pid(device: DeviceId) -> i32 {
    i32::try_from(device.0).map_or(i32::MAX, |id| id.saturating_add(3))
}

/// Lanes in Perfetto stand as they do here: by group, role and order.
fn rank(lane: &Lane) -> i32 {
    let order = lane.order.clamp(-(1 << 20), (1 << 20) - 1) + (1 << 20);
    (lane.group as i32) << 26 | (lane.role as i32) << 22 | order
}
