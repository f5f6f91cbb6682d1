//! Tracks of other tools as lanes and counters.

mod device;
mod records;

use std::collections::HashMap;

use crate::importer::quick::QuickMap;
use crate::perfetto::proto::{
    CounterDescriptor, ProcessDescriptor, ThreadDescriptor, TrackDescriptor,
};
use crate::record::{CounterId, LaneId, Role, SpanKind};
use device::Agents;

/// How many parents a track is followed up to; damaged files have circles.
const GENERATIONS: usize = 8;

/// Every track that was described or used.
#[derive(Default)]
pub(super) struct Tracks {
    /// The places of tracks of the file, and the one that was asked for last.
    by_uuid: QuickMap<u64, u32>,
    last: Option<(u64, u32)>,
    /// The places of all others.
    places: HashMap<Key, u32>,
    described: QuickMap<u64, Described>,
    used: Vec<Used>,
    lanes: u32,
    counters: u32,
}

/// What the file says of a track. There may be very many, of which most are little more than a name.
#[derive(Default)]
struct Described {
    parent_uuid: Option<u64>,
    name: Option<Box<str>>,
    process: Option<Box<ProcessDescriptor>>,
    thread: Option<Box<ThreadDescriptor>>,
    counter: Option<Box<CounterDescriptor>>,
}

/// What a track is found by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// A track of the file, by its number.
    Track(u64),
    /// A queue of a GPU, by its name.
    Queue(i32, String),
    /// A counter of a GPU, by its number.
    Gauge(i32, u32),
    /// A thread that called Vulkan.
    Thread(u32, u32),
}

/// A track on which something happened.
struct Used {
    key: Key,
    lane: Option<LaneId>,
    counter: Option<CounterId>,
    value: f64,
    /// What its first copy says that it is for.
    role: Option<Role>,
    /// Whether it is a stream, once that was looked at.
    is_stream: bool,
    agents: Option<Box<Agents>>,
    /// Name and unit of a counter that has no track of its own.
    gauge: Option<Box<(String, String)>>,
}

impl Used {
    fn new(key: Key) -> Self {
        Self {
            key,
            lane: None,
            counter: None,
            value: 0.0,
            role: None,
            is_stream: false,
            agents: None,
            gauge: None,
        }
    }
}

impl Tracks {
    /// Takes a description; what an earlier one said and this one does not say stays.
    pub fn describe(&mut self, track: TrackDescriptor) {
        let known = self.described.entry(track.uuid.unwrap_or(0)).or_default();
        known.parent_uuid = track.parent_uuid.or(known.parent_uuid);
        let name = track.name.or(track.static_name);
        known.name = name.map(String::into).or(known.name.take());
        known.process = track.process.map(Box::new).or(known.process.take());
        known.thread = track.thread.map(Box::new).or(known.thread.take());
        known.counter = track.counter.map(Box::new).or(known.counter.take());
    }

    /// The place of a track in the table of those in use.
    pub fn place(&mut self, uuid: u64) -> u32 {
        if let Some((_, place)) = self.last.filter(|(last, _)| *last == uuid) {
            return place;
        }
        let next = self.used.len() as u32;
        let place = *self.by_uuid.entry(uuid).or_insert(next);
        if place == next {
            self.used.push(Used::new(Key::Track(uuid)));
        }
        self.last = Some((uuid, place));
        place
    }

    /// The place of a GPU's queue.
    pub fn queue(&mut self, gpu: i32, name: &str) -> u32 {
        self.place_of(Key::Queue(gpu, name.to_owned()))
    }

    /// The place of a thread that no track describes.
    pub fn thread(&mut self, pid: u32, tid: u32) -> u32 {
        self.place_of(Key::Thread(pid, tid))
    }

    /// The place of a GPU's counter.
    pub fn gauge(&mut self, gpu: i32, number: u32) -> u32 {
        self.place_of(Key::Gauge(gpu, number))
    }

    fn place_of(&mut self, key: Key) -> u32 {
        if let Some(place) = self.places.get(&key) {
            return *place;
        }
        let next = self.used.len() as u32;
        self.places.insert(key.clone(), next);
        self.used.push(Used::new(key));
        next
    }

    fn at(&self, place: u32) -> Option<&Used> {
        self.used.get(place as usize)
    }

    fn at_mut(&mut self, place: u32) -> Option<&mut Used> {
        self.used.get_mut(place as usize)
    }

    /// Names a counter that has no track of its own.
    pub fn name_gauge(&mut self, place: u32, name: String, unit: String) {
        self.counter(place);
        if let Some(used) = self.at_mut(place) {
            used.gauge = Some(Box::new((name, unit)));
        }
    }

    /// Notes what a slice says of the agents that its work moves between.
    pub fn note_agent(&mut self, place: u32, name: &str, value: i64) {
        if Agents::concerns(name)
            && let Some(used) = self.at_mut(place)
        {
            used.agents.get_or_insert_default().note(name, value);
        }
    }

    /// Notes that a slice of this kind is on the track at a place.
    pub fn note_kind(&mut self, place: u32, kind: Option<SpanKind>) {
        let role = match kind {
            Some(SpanKind::Upload) => Role::HostToDevice,
            Some(SpanKind::Download) => Role::DeviceToHost,
            Some(SpanKind::Copy) => Role::DeviceToDevice,
            _ => Role::Compute,
        };
        if let Some(used) = self.at_mut(place) {
            used.role.get_or_insert(role);
        }
    }

    /// The lane of the track at a place.
    pub fn lane(&mut self, place: u32) -> LaneId {
        let next = LaneId(self.lanes);
        let Some(used) = self.at_mut(place) else {
            return LaneId::NONE;
        };
        let lane = *used.lane.get_or_insert(next);
        self.lanes += u32::from(lane == next);
        lane
    }

    /// The counter of the track at a place.
    pub fn counter(&mut self, place: u32) -> CounterId {
        let next = CounterId(self.counters);
        let Some(used) = self.at_mut(place) else {
            return CounterId::NONE;
        };
        let counter = *used.counter.get_or_insert(next);
        self.counters += u32::from(counter == next);
        counter
    }

    /// The value of a counter's sample in the counter's unit.
    pub fn value(&mut self, place: u32, value: f64) -> f64 {
        let Some(used) = self.used.get_mut(place as usize) else {
            return value;
        };
        let described = match used.key {
            Key::Track(uuid) => self.described.get(&uuid),
            _ => None,
        };
        let counter = described.and_then(|it| it.counter.as_ref());
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

    /// Whether the track at a place was announced as a stream.
    pub fn ran_as_stream(&self, place: u32) -> bool {
        self.at(place).is_some_and(|used| used.is_stream)
    }

    /// Whether the track at a place belongs to a GPU, as far as its name says.
    fn is_stream(&self, place: u32) -> bool {
        let uuid = match self.at(place).map(|used| &used.key) {
            Some(Key::Track(uuid)) => *uuid,
            Some(Key::Queue(..)) => return true,
            _ => return false,
        };
        let described = self.described.get(&uuid);
        let thread = described.is_some_and(|it| it.thread.is_some());
        let words = ["gpu", "stream", "queue"];
        let says = |name: &str| {
            name.split(|it: char| !it.is_alphanumeric())
                .any(|word| words.iter().any(|known| word.eq_ignore_ascii_case(known)))
        };
        !thread && says(&self.name(uuid))
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
                track.name.as_deref().map(str::to_owned),
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
