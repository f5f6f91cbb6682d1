//! Tracks of other tools as lanes and counters.

mod device;
mod names;
mod records;
mod shared;
mod threads;

use std::collections::HashMap;

use crate::importer::fast_hash::QuickMap;
use crate::perfetto::proto::{
    CounterDescriptor, ProcessDescriptor, ThreadDescriptor, TrackDescriptor,
};
use device::SliceAgents;
use record::{CounterId, LaneId, Role, ShortText, SpanKind};
use shared::{SharedKey, TrackMerge};

/// How many parents a track is followed up to; damaged files have circles.
const GENERATIONS: usize = 8;

/// The number that stands for the track of a writer whose events name none. Writers draw their own numbers from 64 bits.
pub(super) fn writer_track(sequence: u32) -> u64 {
    WRITERS | u64::from(!sequence)
}

/// From here on numbers are tracks of writers.
const WRITERS: u64 = u64::MAX << 32;

/// Every track that was described or used.
#[derive(Default)]
pub(super) struct PftraceTracks {
    /// The places of tracks of the file, and the one that was asked for last.
    by_uuid: QuickMap<u64, TrackPlaces>,
    last: Option<(u64, u32)>,
    /// The places of all others.
    places: HashMap<TrackKey, u32>,
    described: Vec<DescribedTrack>,
    used: Vec<UsedTrack>,
    /// The place of the track that each lane was made for.
    lanes: Vec<u32>,
    /// Lanes that several tracks share.
    shared: HashMap<SharedKey, u32>,
    counters: u32,
    /// The tracks of threads, once an event names its thread by numbers.
    threads: Option<QuickMap<(i32, i64), u64>>,
}

/// Where a track of the file stands among those in use and among those that are described, or [`NOWHERE`].
#[derive(Clone, Copy)]
struct TrackPlaces {
    used: u32,
    described: u32,
}

const NOWHERE: u32 = u32::MAX;

impl Default for TrackPlaces {
    fn default() -> Self {
        Self {
            used: NOWHERE,
            described: NOWHERE,
        }
    }
}

/// What the file says of a track. There may be very many, of which most are little more than a name.
#[derive(Default)]
struct DescribedTrack {
    parent_uuid: Option<u64>,
    name: Option<ShortText>,
    more: Option<Box<TrackDetail>>,
}

/// What the file says of few tracks.
#[derive(Default)]
struct TrackDetail {
    process: Option<Box<ProcessDescriptor>>,
    thread: Option<ThreadDescriptor>,
    counter: Option<Box<CounterDescriptor>>,
    merge: TrackMerge,
}

impl DescribedTrack {
    fn process(&self) -> Option<&ProcessDescriptor> {
        self.more.as_ref()?.process.as_deref()
    }

    fn thread(&self) -> Option<&ThreadDescriptor> {
        self.more.as_ref()?.thread.as_ref()
    }

    fn counter(&self) -> Option<&CounterDescriptor> {
        self.more.as_ref()?.counter.as_deref()
    }

    fn merge(&self) -> TrackMerge {
        self.more.as_ref().map(|it| it.merge).unwrap_or_default()
    }
}

/// What a track is found by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum TrackKey {
    /// A track of the file, by its number.
    Track(u64),
    /// A queue of a GPU, by its name.
    Queue(i32, Box<Box<str>>),
    /// A counter of a GPU, by its number.
    Gauge(i32, u32),
    /// A thread that called Vulkan.
    Thread(u32, u32),
    /// A counter that events of a track name themselves: the track's place, the name, the field and the number.
    Series(Box<(u32, u32, u32, Option<u64>)>),
    /// An asynchronous operation of the old form: where its number counts, what the number is of, and the number.
    Numbered(Box<(NumberSpace, Box<str>, u64)>),
}

/// Where the number of an asynchronous operation counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum NumberSpace {
    Everywhere,
    /// In the process of this number.
    Process(i32),
    /// Of a track of no process, on that track, by its place.
    Track(u32),
}

/// A track on which something happened.
struct UsedTrack {
    key: TrackKey,
    lane: Option<LaneId>,
    /// The name of its first slice, by the number of the text.
    first: u32,
    /// Whether the words of a slice say that it is work of a GPU.
    works: bool,
    counter: Option<CounterId>,
    /// What its first copy says that it is for.
    role: Option<Role>,
    /// Whether it is a stream, once that was looked at.
    is_stream: bool,
    more: Option<Box<UsedDetail>>,
    /// The process of an asynchronous operation that has no track of its own: that of its first event.
    process: Option<i32>,
}

/// What is known of few tracks in use.
#[derive(Default)]
struct UsedDetail {
    agents: SliceAgents,
    /// The sums of a counter whose samples are differences, by their numbers.
    sums: QuickMap<u32, f64>,
    /// Name and unit of a counter that has no track of its own.
    gauge: Option<(String, String)>,
}

impl UsedTrack {
    fn agents(&self) -> SliceAgents {
        self.more.as_ref().map(|it| it.agents).unwrap_or_default()
    }

    fn new(key: TrackKey) -> Self {
        Self {
            key,
            lane: None,
            first: 0,
            works: false,
            counter: None,
            role: None,
            is_stream: false,
            more: None,
            process: None,
        }
    }
}

impl PftraceTracks {
    /// Takes a description; what an earlier one said and this one does not say stays.
    pub fn describe(&mut self, track: TrackDescriptor) {
        let places = self.by_uuid.entry(track.uuid.unwrap_or(0)).or_default();
        if places.described == NOWHERE {
            places.described = self.described.len() as u32;
            self.described.push(DescribedTrack::default());
        }
        let Some(known) = self.described.get_mut(places.described as usize) else {
            return;
        };
        let merge = TrackMerge::of(&track);
        known.parent_uuid = track.parent_uuid.or(known.parent_uuid);
        let name = track.name.or(track.static_name);
        known.name = name.map(ShortText::from).or(known.name.take());
        let says_more = track.process.is_some() || track.thread.is_some();
        if !says_more && track.counter.is_none() && merge.is_none() {
            return;
        }
        let more = known.more.get_or_insert_default();
        more.merge = merge.unwrap_or(more.merge);
        more.process = match (more.process.take(), track.process) {
            (Some(known), Some(said)) => Some(Box::new(said.named_like(*known))),
            (known, said) => said.map(Box::new).or(known),
        };
        more.thread = track.thread.or(more.thread.take());
        let numbers = more.thread.as_ref().and_then(ThreadDescriptor::numbers);
        if let (Some(threads), Some(numbers)) = (&mut self.threads, numbers) {
            let uuid = track.uuid.unwrap_or(0);
            threads.entry(numbers).or_insert(uuid);
        }
        more.counter = track.counter.map(Box::new).or(more.counter.take());
    }

    /// All tracks were announced: nothing that the file says of them is asked for from here on.
    pub fn forget_descriptions(&mut self) {
        self.described = Vec::new();
        self.by_uuid = QuickMap::default();
        self.threads = None;
    }

    /// What the file says of a track.
    fn described(&self, uuid: u64) -> Option<&DescribedTrack> {
        let places = self.by_uuid.get(&uuid)?;
        self.described.get(places.described as usize)
    }

    /// The place of a track in the table of those in use.
    pub fn place(&mut self, uuid: u64) -> u32 {
        if let Some((_, place)) = self.last.filter(|(last, _)| *last == uuid) {
            return place;
        }
        let next = self.used.len() as u32;
        let places = self.by_uuid.entry(uuid).or_default();
        if places.used == NOWHERE {
            places.used = next;
        }
        let place = places.used;
        if place == next {
            self.used.push(UsedTrack::new(TrackKey::Track(uuid)));
        }
        self.last = Some((uuid, place));
        place
    }

    /// The place of a GPU's queue.
    pub fn queue(&mut self, gpu: i32, name: &str) -> u32 {
        self.place_of(TrackKey::Queue(gpu, Box::new(name.into())))
    }

    /// The place of a thread that no track describes.
    pub fn thread(&mut self, pid: u32, tid: u32) -> u32 {
        self.place_of(TrackKey::Thread(pid, tid))
    }

    /// The place of a thread by its numbers: that of the track which describes it, if there is one.
    pub fn numbered_thread(&mut self, (pid, tid): (i32, i32)) -> u32 {
        let (by_uuid, described) = (&self.by_uuid, &self.described);
        let threads = self.threads.get_or_insert_with(|| {
            let all = by_uuid.iter().filter_map(|(uuid, places)| {
                let track = described.get(places.described as usize)?;
                Some((track.thread()?.numbers()?, *uuid))
            });
            all.fold(QuickMap::default(), |mut threads, (numbers, uuid)| {
                let first = threads.entry(numbers).or_insert(uuid);
                // Of several the same one each time.
                *first = uuid.min(*first);
                threads
            })
        });
        match threads.get(&(pid, tid.into())).copied() {
            Some(uuid) => self.place(uuid),
            None => self.thread(pid as u32, tid as u32),
        }
    }

    /// The place of a counter that events of a track name themselves, by their name and the name of the field.
    pub fn series(
        &mut self,
        track: u32,
        (name, field, id): (u32, u32, Option<u64>),
        (shown, part): (&str, &str),
    ) -> u32 {
        let next = self.used.len() as u32;
        let place = self.place_of(TrackKey::Series(Box::new((track, name, field, id))));
        if place == next {
            let same = shown.eq_ignore_ascii_case(part) || part == "value";
            let shown = if same {
                shown.to_owned()
            } else {
                format!("{shown} · {part}")
            };
            self.name_gauge(place, shown, String::new());
        }
        place
    }

    /// The place of an asynchronous operation of the old form, of which an event on a track tells: by what its number is of,
    /// the number, and whether that counts in the track's process only.
    pub fn numbered(&mut self, track: u32, scope: &str, (id, is_local): (u64, bool)) -> u32 {
        let process = self.process_at(track);
        let space = match process {
            _ if !is_local => NumberSpace::Everywhere,
            Some(process) => NumberSpace::Process(process),
            None => NumberSpace::Track(track),
        };
        let next = self.used.len() as u32;
        let place = self.place_of(TrackKey::Numbered(Box::new((space, scope.into(), id))));
        if place == next
            && let Some(used) = self.at_mut(place)
        {
            used.process = process;
        }
        place
    }

    /// The process of the track at a place, by its number.
    pub fn process_at(&self, place: u32) -> Option<i32> {
        self.at(place).and_then(|used| self.process_of(used))
    }

    /// The place of a GPU's counter.
    pub fn gauge(&mut self, gpu: i32, number: u32) -> u32 {
        self.place_of(TrackKey::Gauge(gpu, number))
    }

    fn place_of(&mut self, key: TrackKey) -> u32 {
        if let Some(place) = self.places.get(&key) {
            return *place;
        }
        let next = self.used.len() as u32;
        self.places.insert(key.clone(), next);
        self.used.push(UsedTrack::new(key));
        next
    }

    fn at(&self, place: u32) -> Option<&UsedTrack> {
        self.used.get(place as usize)
    }

    fn at_mut(&mut self, place: u32) -> Option<&mut UsedTrack> {
        self.used.get_mut(place as usize)
    }

    /// Names a counter that has no track of its own.
    pub fn name_gauge(&mut self, place: u32, name: String, unit: String) {
        self.counter(place);
        if let Some(used) = self.at_mut(place) {
            used.more.get_or_insert_default().gauge = Some((name, unit));
        }
    }

    /// Notes what a slice says of the agents that its work moves between.
    pub fn note_agent(&mut self, place: u32, name: &str, value: i64) {
        if SliceAgents::concerns(name)
            && let Some(used) = self.at_mut(place)
        {
            let more = used.more.get_or_insert_default();
            more.agents.note(name, value);
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
        let works = matches!(
            kind,
            Some(
                SpanKind::Kernel
                    | SpanKind::Upload
                    | SpanKind::Download
                    | SpanKind::Copy
                    | SpanKind::Fill
            )
        );
        let home = self.home(place);
        if let Some(used) = self.at_mut(home) {
            used.role.get_or_insert(role);
            used.works |= works;
        }
    }

    /// Gives the track at a place a lane, now that a slice of this name is there.
    pub fn assign_lane(&mut self, place: u32, name: u32) {
        let next = LaneId(self.lanes.len() as u32);
        let Some(used) = self.used.get(place as usize).filter(|it| it.lane.is_none()) else {
            return;
        };
        let shared = self.shared_key(used, name);
        let home = shared.map_or(place, |key| *self.shared.entry(key).or_insert(place));
        let lane = self.at(home).and_then(|it| it.lane).unwrap_or(next);
        if lane == next {
            self.lanes.push(place);
        }
        if let Some(used) = self.at_mut(place) {
            used.lane = Some(lane);
            used.first = name;
        }
    }

    /// The lane of the track at a place.
    pub fn lane(&self, place: u32) -> LaneId {
        let lane = self.at(place).and_then(|used| used.lane);
        lane.unwrap_or(LaneId::NONE)
    }

    /// The track whose lane the track at a place is on: itself, or the first of those that share one.
    fn home(&self, place: u32) -> u32 {
        let lane = self.at(place).and_then(|used| used.lane);
        let home = lane.and_then(|lane| self.lanes.get(lane.index()));
        home.copied().unwrap_or(place)
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

    /// The value of a counter's sample in the counter's unit: of a difference the sum, of which each writer has its own for as
    /// long as its state holds.
    pub fn value(&mut self, place: u32, value: f64, sum: u32) -> f64 {
        let described = self.at(place).and_then(|used| match used.key {
            TrackKey::Track(uuid) => self.described(uuid),
            _ => None,
        });
        let counter = described.and_then(DescribedTrack::counter);
        let (factor, adds) = counter.map_or((1, false), |it| {
            (
                it.unit_multiplier.unwrap_or(1).max(1),
                it.is_incremental == Some(true),
            )
        });
        let Some(used) = self.at_mut(place) else {
            return value;
        };
        let value = value * factor as f64;
        if !adds {
            return value;
        }
        let more = used.more.get_or_insert_default();
        let sum = more.sums.entry(sum).or_default();
        *sum += value;
        *sum
    }

    /// Whether the track at a place was announced as a stream.
    pub fn ran_as_stream(&self, place: u32) -> bool {
        self.at(self.home(place)).is_some_and(|used| used.is_stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_takes_few_bytes() {
        // There may be millions, each with one slice.
        assert!(size_of::<UsedTrack>() <= 56, "{}", size_of::<UsedTrack>());
        assert!(
            size_of::<DescribedTrack>() <= 40,
            "{}",
            size_of::<DescribedTrack>()
        );
    }
}
