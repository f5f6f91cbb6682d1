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
    lanes: HashMap<LaneId, DescribedLane>,
    processes: HashSet<Option<DeviceId>>,
    counters: HashSet<CounterId>,
}

/// A lane, and how many of its rows the file knows.
struct DescribedLane {
    /// Its descriptor, apart from the row's number.
    track: TrackDescriptor,
    rows: NestedRows,
    known: HashSet<u16>,
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
        let track = TrackDescriptor {
            parent_uuid: Some(self.process(buffer, lane.device).uuid()),
            name: Some(lane.name.clone()),
            sibling_order_rank: Some(rank(lane)),
            sibling_merge_behavior: Some(MERGE_BY_KEY),
            sibling_merge_key_int: Some(u64::from(lane.id.0)),
            ..TrackDescriptor::default()
        };
        let former = self.lanes.remove(&lane.id);
        let (rows, known) = former.map_or_else(Default::default, |it| (it.rows, it.known));
        let described = DescribedLane { track, rows, known };
        for &row in described
            .known
            .iter()
            .chain(described.known.is_empty().then_some(&0))
        {
            described.describe(buffer, lane.id, row);
        }
        self.lanes.insert(lane.id, described);
    }

    /// The row of a lane on which Perfetto draws a span.
    pub(super) fn place(&mut self, buffer: &mut Vec<u8>, id: LaneId, span: Interval) -> Track {
        if !self.lanes.contains_key(&id) {
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
        let Some(lane) = self.lanes.get_mut(&id) else {
            return Track::Lane(id, 0);
        };
        let row = lane.rows.place(span);
        if lane.known.insert(row) && row > 0 {
            lane.describe(buffer, id, row);
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
        let mut track = self.track.clone();
        track.uuid = Some(Track::Lane(lane, row).uuid());
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
