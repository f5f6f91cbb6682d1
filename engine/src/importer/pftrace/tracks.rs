//! Tracks of other tools as lanes and counters.

use std::collections::HashMap;

use crate::perfetto::proto::{CounterDescriptor, TrackDescriptor};
use crate::record::{Counter, CounterId, Group, Lane, LaneId, Record, Role};

/// How many parents a track is followed up to; damaged files have circles.
const GENERATIONS: usize = 8;

/// Every track that was described or used.
#[derive(Default)]
pub(super) struct Tracks {
    places: HashMap<u64, u32>,
    described: HashMap<u64, TrackDescriptor>,
    used: Vec<Used>,
    lanes: u32,
    counters: u32,
}

/// A track on which something happened.
struct Used {
    uuid: u64,
    lane: Option<LaneId>,
    counter: Option<CounterId>,
    value: f64,
}

impl Tracks {
    /// Takes a description; what an earlier one said and this one does not say stays.
    pub fn describe(&mut self, track: TrackDescriptor) {
        let known = self.described.entry(track.uuid.unwrap_or(0)).or_default();
        known.parent_uuid = track.parent_uuid.or(known.parent_uuid);
        known.name = track.name.or(track.static_name).or(known.name.take());
        known.process = track.process.or(known.process.take());
        known.thread = track.thread.or(known.thread.take());
        known.counter = track.counter.or(known.counter.take());
    }

    /// The place of a track in the table of those in use.
    pub fn place(&mut self, uuid: u64) -> u32 {
        let next = self.used.len() as u32;
        *self.places.entry(uuid).or_insert_with(|| {
            self.used.push(Used {
                uuid,
                lane: None,
                counter: None,
                value: 0.0,
            });
            next
        })
    }

    /// The lane of the track at a place.
    pub fn lane(&mut self, place: u32) -> LaneId {
        let Some(used) = self.used.get_mut(place as usize) else {
            return LaneId::NONE;
        };
        *used.lane.get_or_insert_with(|| {
            self.lanes += 1;
            LaneId(self.lanes - 1)
        })
    }

    /// The counter of the track at a place.
    pub fn counter(&mut self, place: u32) -> CounterId {
        let Some(used) = self.used.get_mut(place as usize) else {
            return CounterId::NONE;
        };
        *used.counter.get_or_insert_with(|| {
            self.counters += 1;
            CounterId(self.counters - 1)
        })
    }

    /// The value of a counter's sample in the counter's unit.
    pub fn value(&mut self, place: u32, value: f64) -> f64 {
        let Some(used) = self.used.get_mut(place as usize) else {
            return value;
        };
        let counter = self
            .described
            .get(&used.uuid)
            .and_then(|it| it.counter.as_ref());
        let (factor, adds) = counter.map_or((1, false), |it| {
            (
                it.unit_multiplier.unwrap_or(1).max(1),
                it.is_incremental == Some(true),
            )
        });
        let value = value * factor as f64;
        used.value = if adds { used.value + value } else { value };
        used.value
    }

    /// Whether the track at a place belongs to a GPU, as far as its name says.
    pub fn is_stream(&self, place: u32) -> bool {
        let Some(used) = self.used.get(place as usize) else {
            return false;
        };
        let thread = self
            .described
            .get(&used.uuid)
            .is_some_and(|it| it.thread.is_some());
        !thread
            && self
                .name(used.uuid)
                .split(|it: char| !it.is_alphanumeric())
                .any(|word| {
                    ["gpu", "stream", "queue"]
                        .iter()
                        .any(|known| word.eq_ignore_ascii_case(known))
                })
    }

    /// The lanes and counters of all tracks in use.
    pub fn records(&self) -> Vec<Record> {
        let mut records = Vec::new();
        for (place, used) in self.used.iter().enumerate() {
            if let Some(id) = used.lane {
                records.push(Record::Lane(Box::new(self.described_lane(
                    place as u32,
                    id,
                    used.uuid,
                ))));
            }
            if let Some(id) = used.counter {
                let unit = self
                    .described
                    .get(&used.uuid)
                    .and_then(|it| it.counter.as_ref());
                records.push(Record::Counter(Box::new(Counter {
                    id,
                    name: self.name(used.uuid),
                    unit: unit
                        .map(CounterDescriptor::unit_name)
                        .unwrap_or_default()
                        .to_owned(),
                    device: None,
                })));
            }
        }
        records
    }

    fn described_lane(&self, place: u32, id: LaneId, uuid: u64) -> Lane {
        let name = self.name(uuid);
        let stream = self.is_stream(place);
        let says = |word: &str| name.to_ascii_lowercase().contains(word);
        Lane {
            id,
            group: if stream { Group::Streams } else { Group::Host },
            device: None,
            role: match stream {
                true if says("copy") => Role::DeviceToDevice,
                true if says("kernel") || says("compute") => Role::Compute,
                _ => Role::None,
            },
            order: i32::try_from(place).unwrap_or(i32::MAX),
            name,
        }
    }

    /// A track's own name, or that of its thread, its process or its parent, or its number.
    fn name(&self, uuid: u64) -> String {
        let mut next = Some(uuid);
        for _ in 0..GENERATIONS {
            let Some(track) = next.and_then(|uuid| self.described.get(&uuid)) else {
                break;
            };
            let thread = track.thread.as_ref();
            let process = track.process.as_ref();
            let found = [
                track.name.clone(),
                thread.and_then(|it| it.thread_name.clone()),
                thread
                    .and_then(|it| it.tid)
                    .map(|tid| format!("thread {tid}")),
                process.and_then(|it| it.process_name.clone()),
                process
                    .and_then(|it| it.pid)
                    .map(|pid| format!("process {pid}")),
            ];
            if let Some(name) = found.into_iter().flatten().find(|it| !it.is_empty()) {
                return name;
            }
            next = track.parent_uuid;
        }
        format!("track {uuid}")
    }
}
