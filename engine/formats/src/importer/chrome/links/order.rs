//! The order in which work was launched, stream by stream and thread by thread.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::crowd::Crowd;
use crate::importer::chrome::build::Builder;
use crate::importer::chrome::scan::{NO_CORRELATION, Token};
use crate::importer::chrome::work::Operation;

/// A stream: its process, which stands for the device, and its number.
pub(super) type Stream = (Token, Token);

/// Of more streams than this, a call that waits for all is tied to the one that ended last.
const MANY: usize = 64;

/// Work in the order of its launches.
#[derive(Default)]
pub(super) struct Order {
    all: Vec<Operation>,
    /// The process and the stream of each row.
    rows: Vec<Stream>,
    /// Places in the list of all.
    streams: BTreeMap<Stream, Vec<u32>>,
    threads: BTreeMap<u32, Vec<u32>>,
    hosts: BTreeMap<Token, Vec<u32>>,
    /// The streams of each device; made for the first call that waits for all of one.
    devices: OnceCell<StreamsByDevice>,
}

/// The streams of each device.
struct StreamsByDevice {
    /// Of devices that have few.
    few: BTreeMap<Token, Vec<Stream>>,
    /// Devices of many streams; all of them together under no process.
    crowds: BTreeMap<Option<Token>, Crowd>,
}

impl Order {
    /// Takes the operations of a file.
    pub fn of(builder: &mut Builder) -> Self {
        let mut all = std::mem::take(&mut builder.work.operations);
        if all.is_empty() {
            return Self::default();
        }
        place_unlaunched(builder, &mut all);
        let rows: Vec<Stream> = builder.rows.all.iter().map(|it| it.row).collect();
        let mut by_stream = vec![Vec::new(); rows.len()];
        let mut by_thread = vec![Vec::new(); rows.len()];
        for (place, operation) in all.iter().enumerate() {
            if let Some(list) = by_stream.get_mut(operation.row as usize) {
                list.push(place as u32);
            }
            let call = builder.work.of(operation.correlation);
            if let Some(list) = call.and_then(|it| by_thread.get_mut(it.row as usize)) {
                list.push(place as u32);
            }
        }
        let sort = |list: &mut Vec<u32>| {
            // Where two begin together, the file's order counts.
            let key = |place: &u32| {
                let operation = all.get(*place as usize);
                operation.map(|it| (it.launched, it.start, *place))
            };
            if !list.is_sorted_by_key(key) {
                list.sort_by_key(key);
            }
        };
        let mut streams: BTreeMap<Stream, Vec<u32>> = BTreeMap::new();
        let mut threads: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut hosts: BTreeMap<Token, Vec<u32>> = BTreeMap::new();
        for (row, (list, stream)) in by_stream.into_iter().zip(&rows).enumerate() {
            if !list.is_empty() {
                streams.entry(*stream).or_default().extend(list);
            }
            let launched = by_thread
                .get_mut(row)
                .map(std::mem::take)
                .unwrap_or_default();
            if !launched.is_empty() {
                hosts.entry(stream.0).or_default().extend(&launched);
                threads.insert(row as u32, launched);
            }
        }
        streams.values_mut().for_each(sort);
        threads.values_mut().for_each(sort);
        hosts.values_mut().for_each(sort);
        Self {
            all,
            rows,
            streams,
            threads,
            hosts,
            devices: OnceCell::new(),
        }
    }

    /// The process and the stream on which an operation ran.
    pub fn stream_of(&self, operation: &Operation) -> Stream {
        let row = self.rows.get(operation.row as usize);
        row.copied().unwrap_or_default()
    }

    /// Every operation, in the order of the file.
    pub fn all(&self) -> &[Operation] {
        &self.all
    }

    /// Whether anything ran on a stream.
    pub fn ran(&self, stream: Stream) -> bool {
        self.streams.contains_key(&stream)
    }

    /// The last work of a stream that was launched before an instant: its place on the stream, and in the list of all.
    pub fn before(&self, stream: Stream, instant: i64) -> Option<(u32, u32)> {
        let list = self.streams.get(&stream)?;
        let place = self.begun(list, instant).checked_sub(1)?;
        Some((place as u32, *list.get(place)?))
    }

    /// The work at a place in the list of all.
    pub fn get(&self, place: u32) -> Option<&Operation> {
        self.all.get(place as usize)
    }

    /// The first work of a stream that was launched after an instant.
    pub fn first_after(&self, stream: Stream, instant: i64) -> Option<&Operation> {
        self.after(self.streams.get(&stream)?, instant)
    }

    /// The first work that a thread launched after an instant.
    pub fn next_of_thread(&self, row: u32, instant: i64) -> Option<&Operation> {
        self.after(self.threads.get(&row)?, instant)
    }

    /// What a process launched before an instant, the latest first.
    pub fn of_host(&self, process: Token, instant: i64) -> impl Iterator<Item = &Operation> {
        let list = self.hosts.get(&process).map_or(&[][..], Vec::as_slice);
        let end = self.begun(list, instant);
        let before = list.get(..end).unwrap_or_default().iter().rev();
        before.filter_map(|place| self.all.get(*place as usize))
    }

    /// The last work of each stream of a device that was launched before an instant, or of every stream where no device
    /// is given. Where those are many, what ended last of all.
    pub fn last_of_each(&self, process: Option<Token>, instant: i64) -> Vec<&Operation> {
        let last = |stream: Stream| self.get(self.before(stream, instant)?.1);
        let devices = self
            .devices
            .get_or_init(|| StreamsByDevice::of(&self.streams, &self.all));
        let Some(crowd) = devices.crowds.get(&process) else {
            return match process {
                Some(process) => {
                    let own = devices.few.get(&process).into_iter().flatten();
                    own.filter_map(|it| last(*it)).collect()
                }
                None => self.streams.keys().filter_map(|it| last(*it)).collect(),
            };
        };
        let mut streams: Vec<Stream> = crowd.streams(instant).iter().map(|it| it.1).collect();
        if streams.len() > MANY {
            let place = crowd.last(instant).map(|it| it as usize);
            return place.and_then(|it| self.all.get(it)).into_iter().collect();
        }
        streams.sort_unstable();
        streams.into_iter().filter_map(last).collect()
    }

    fn at(&self, list: &[u32], place: usize) -> Option<&Operation> {
        self.all.get(*list.get(place)? as usize)
    }

    /// How many of a list were launched before an instant.
    fn begun(&self, list: &[u32], instant: i64) -> usize {
        list.partition_point(|place| self.launched(*place) < instant)
    }

    /// The first of a list that was launched after an instant.
    fn after(&self, list: &[u32], instant: i64) -> Option<&Operation> {
        let place = list.partition_point(|place| self.launched(*place) <= instant);
        self.at(list, place)
    }

    fn launched(&self, place: u32) -> i64 {
        let operation = self.all.get(place as usize);
        operation.map_or(i64::MAX, |it| it.launched)
    }
}

impl StreamsByDevice {
    fn of(streams: &BTreeMap<Stream, Vec<u32>>, all: &[Operation]) -> Self {
        let crowds = crowds(streams, all);
        let mut few: BTreeMap<Token, Vec<Stream>> = BTreeMap::new();
        for stream in streams.keys() {
            if !crowds.contains_key(&Some(stream.0)) {
                few.entry(stream.0).or_default().push(*stream);
            }
        }
        Self { few, crowds }
    }
}

/// Devices of many streams.
fn crowds(
    streams: &BTreeMap<Stream, Vec<u32>>,
    all: &[Operation],
) -> BTreeMap<Option<Token>, Crowd> {
    let mut of: BTreeMap<Option<Token>, Vec<Stream>> = BTreeMap::new();
    for stream in streams.keys() {
        of.entry(Some(stream.0)).or_default().push(*stream);
        of.entry(None).or_default().push(*stream);
    }
    of.retain(|_, streams| streams.len() > MANY);
    let launched = |place: u32| all.get(place as usize).map_or(i64::MAX, |it| it.launched);
    let crowds = of.into_iter().map(|(process, own)| {
        let lists = own.iter().filter_map(|it| Some((*it, streams.get(it)?)));
        let firsts = lists
            .clone()
            .filter_map(|(stream, list)| Some((launched(*list.first()?), stream)));
        let places = lists.flat_map(|(_, list)| list.iter().copied());
        let crowd = Crowd::new(firsts.collect(), places.collect(), all);
        (process, crowd)
    });
    crowds.collect()
}

/// Work whose launch lies before the file was launched before the work that it ran before.
fn place_unlaunched(builder: &Builder, all: &mut [Operation]) {
    let is_launched = |it: &Operation| builder.work.of(it.correlation).is_some();
    let is_lost = |it: &Operation| it.correlation != NO_CORRELATION && !is_launched(it);
    if !builder.work.has_correlations() || !all.iter().any(is_lost) {
        return;
    }
    let mut by_start: Vec<u32> = (0..all.len() as u32).collect();
    let at = |all: &[Operation], place: u32| all.get(place as usize).copied();
    by_start.sort_by_key(|place| at(all, *place).map(|it| (it.row, it.start, *place)));
    let mut launched = (u32::MAX, i64::MIN);
    for place in by_start {
        let Some(operation) = all.get_mut(place as usize) else {
            continue;
        };
        if launched.0 != operation.row {
            launched = (operation.row, i64::MIN);
        }
        if is_lost(operation) {
            operation.launched = launched.1;
        } else {
            launched.1 = launched.1.max(operation.launched);
        }
    }
}
