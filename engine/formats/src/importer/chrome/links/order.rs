//! The order in which work was launched, stream by stream and thread by thread.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

use super::many_streams::{DeviceStreams, MANY, WaitedFor};
use crate::importer::chrome::build::ChromeBuilder;
use crate::importer::chrome::scan::{NO_CORRELATION, RowToken};
use crate::importer::chrome::work::ChromeOperation;

/// A stream: its process, which stands for the device, and its number.
pub(super) type ChromeStream = (RowToken, RowToken);

/// Work in the order of its launches.
#[derive(Default)]
pub(super) struct LaunchOrder {
    all: Vec<ChromeOperation>,
    /// The process and the stream of each row.
    rows: Vec<ChromeStream>,
    /// Rows that are streams on which anything ran, by process and stream.
    used: Vec<u32>,
    /// By row, what ran on it.
    streams: IndexLists,
    /// For each place of those lists what ended last of the work of the same launch up to it: branches of a graph may end in
    /// another order than they began in. Empty where all end in that order.
    ended: Vec<u32>,
    /// By row, what it launched.
    threads: IndexLists,
    /// What each process launched.
    hosts: IndexLists,
    processes: BTreeMap<RowToken, u32>,
    /// The streams of each device; made for the first call that waits for all of one.
    devices: OnceCell<StreamsByDevice>,
}

/// Places in the list of all, in lists by number that lie one behind the other: there may be a million lists.
#[derive(Default)]
struct IndexLists {
    /// Where each list ends; none where all of them are empty.
    ends: Vec<u32>,
    places: Vec<u32>,
}

impl IndexLists {
    /// So many lists, with each operation in the one that `of` names, in the order of launches.
    fn of(
        all: &[ChromeOperation],
        count: usize,
        of: impl Fn(&ChromeOperation) -> Option<u32>,
    ) -> Self {
        let mut ends = vec![0; count];
        let lists = || {
            all.iter()
                .zip(0..)
                .filter_map(|(it, at)| Some((of(it)?, at)))
        };
        for (list, _) in lists() {
            if let Some(length) = ends.get_mut(list as usize) {
                *length += 1;
            }
        }
        let mut sum = 0_u32;
        for end in &mut ends {
            // Where the list begins, for now: putting a place in moves it on, to the end once all are there.
            (*end, sum) = (sum, sum + *end);
        }
        if sum == 0 {
            return Self::default();
        }
        let mut places = vec![0; sum as usize];
        for (list, at) in lists() {
            let Some(end) = ends.get_mut(list as usize) else {
                continue;
            };
            if let Some(slot) = places.get_mut(*end as usize) {
                *slot = at;
            }
            *end += 1;
        }
        // Where two begin together, the file's order counts.
        let key = |place: &u32| {
            let operation = all.get(*place as usize);
            operation.map(|it| (it.launched, it.start, *place))
        };
        let mut begin = 0;
        for &end in &ends {
            let list = places.get_mut(begin..end as usize).unwrap_or_default();
            if !list.is_sorted_by_key(key) {
                list.sort_by_key(key);
            }
            begin = end as usize;
        }
        Self { ends, places }
    }

    fn get(&self, list: u32) -> &[u32] {
        self.places.get(self.range(list)).unwrap_or_default()
    }

    /// Where a list lies among all.
    fn range(&self, list: u32) -> Range<usize> {
        let list = list as usize;
        let before = list.checked_sub(1).and_then(|it| self.ends.get(it));
        let begin = before.map_or(0, |it| *it as usize);
        let end = self.ends.get(list).map_or(begin, |it| *it as usize);
        begin..end
    }

    /// For each place what ended last of the work of one launch up to it; empty where that is always the last.
    fn ended(&self, all: &[ChromeOperation]) -> Vec<u32> {
        let key = |place: u32| all.get(place as usize).map(|it| (it.row, it.launched));
        let end = |place: u32| all.get(place as usize).map(|it| it.end);
        let mut ended = self.places.clone();
        for at in 1..ended.len() {
            if let (Some(before), Some(own)) = (ended.get(at - 1).copied(), ended.get_mut(at))
                && key(before) == key(*own)
                && end(before) > end(*own)
            {
                *own = before;
            }
        }
        if ended == self.places {
            return Vec::new();
        }
        ended
    }
}

/// The streams of each device.
struct StreamsByDevice {
    /// Of devices that have few.
    few: BTreeMap<RowToken, Vec<ChromeStream>>,
    /// Devices of many streams; all of them together under no process.
    crowds: BTreeMap<Option<RowToken>, DeviceStreams>,
}

impl LaunchOrder {
    /// Takes the operations of a file.
    pub fn of(builder: &mut ChromeBuilder) -> Self {
        let mut all = std::mem::take(&mut builder.work.operations);
        if all.is_empty() {
            return Self::default();
        }
        place_unlaunched(builder, &mut all);
        let rows: Vec<ChromeStream> = builder.rows.all.iter().map(|it| it.row).collect();
        let caller = |it: &ChromeOperation| builder.work.of(it.correlation).map(|it| it.row);
        let streams = IndexLists::of(&all, rows.len(), |it| Some(it.row));
        let ended = streams.ended(&all);
        let threads = IndexLists::of(&all, rows.len(), caller);
        let mut used: Vec<u32> = (0..rows.len() as u32).collect();
        used.retain(|row| !streams.get(*row).is_empty());
        used.sort_unstable_by_key(|row| rows.get(*row as usize));
        let mut processes = BTreeMap::new();
        for (row, stream) in rows.iter().enumerate() {
            if !threads.get(row as u32).is_empty() {
                let next = processes.len() as u32;
                processes.entry(stream.0).or_insert(next);
            }
        }
        let process = |row: u32| processes.get(&rows.get(row as usize)?.0).copied();
        let hosts = IndexLists::of(&all, processes.len(), |it| process(caller(it)?));
        Self {
            all,
            rows,
            used,
            streams,
            ended,
            threads,
            hosts,
            processes,
            devices: OnceCell::new(),
        }
    }

    /// The row of a stream on which anything ran.
    fn row(&self, stream: ChromeStream) -> Option<u32> {
        let by = |row: &u32| self.rows.get(*row as usize).cmp(&Some(&stream));
        let place = self.used.binary_search_by(by).ok()?;
        self.used.get(place).copied()
    }

    /// The work of a stream.
    fn stream(&self, stream: ChromeStream) -> Option<&[u32]> {
        Some(self.streams.get(self.row(stream)?))
    }

    /// The streams on which anything ran, with their work.
    pub fn streams(&self) -> impl Iterator<Item = (ChromeStream, &[u32])> {
        let used = self.used.iter();
        used.filter_map(|row| Some((*self.rows.get(*row as usize)?, self.streams.get(*row))))
    }

    /// The process and the stream on which an operation ran.
    pub fn stream_of(&self, operation: &ChromeOperation) -> ChromeStream {
        let row = self.rows.get(operation.row as usize);
        row.copied().unwrap_or_default()
    }

    /// Every operation, in the order of the file.
    pub fn all(&self) -> &[ChromeOperation] {
        &self.all
    }

    /// Whether anything ran on a stream.
    pub fn ran(&self, stream: ChromeStream) -> bool {
        self.stream(stream).is_some()
    }

    /// The last work of a stream that was launched before an instant: its place on the stream, and in the list of all. Of
    /// several that one call launched that is what ended last.
    pub fn before(&self, stream: ChromeStream, instant: i64) -> Option<(u32, u32)> {
        let range = self.streams.range(self.row(stream)?);
        let list = self.streams.places.get(range.clone())?;
        let place = self.begun(list, instant).checked_sub(1)?;
        let ended = self.ended.get(range.start + place);
        Some((place as u32, *ended.or(list.get(place))?))
    }

    /// The work at a place in the list of all.
    pub fn get(&self, place: u32) -> Option<&ChromeOperation> {
        self.all.get(place as usize)
    }

    /// The first work of a stream that was launched after an instant.
    pub fn first_after(&self, stream: ChromeStream, instant: i64) -> Option<&ChromeOperation> {
        self.after(self.stream(stream)?, instant)
    }

    /// The first work that a thread launched after an instant.
    pub fn next_of_thread(&self, row: u32, instant: i64) -> Option<&ChromeOperation> {
        self.after(self.threads.get(row), instant)
    }

    /// What a process launched before an instant, the latest first.
    pub fn of_host(
        &self,
        process: RowToken,
        instant: i64,
    ) -> impl Iterator<Item = &ChromeOperation> {
        let list = self.processes.get(&process);
        let list = list.map_or(&[][..], |it| self.hosts.get(*it));
        let end = self.begun(list, instant);
        let before = list.get(..end).unwrap_or_default().iter().rev();
        before.filter_map(|place| self.all.get(*place as usize))
    }

    /// The last work of each stream of a device that was launched before an instant, or of every stream where no device
    /// is given. Where those are many, what ended last of all.
    pub fn last_of_each(&self, process: Option<RowToken>, instant: i64) -> Vec<&ChromeOperation> {
        let last = |stream: ChromeStream| self.get(self.before(stream, instant)?.1);
        let devices = self.devices.get_or_init(|| StreamsByDevice::of(self));
        let Some(crowd) = devices.crowds.get(&process) else {
            return match process {
                Some(process) => {
                    let own = devices.few.get(&process).into_iter().flatten();
                    own.filter_map(|it| last(*it)).collect()
                }
                None => self.streams().filter_map(|it| last(it.0)).collect(),
            };
        };
        match crowd.waited_for(instant) {
            WaitedFor::Streams(streams) => streams.into_iter().filter_map(last).collect(),
            WaitedFor::Last(place) => place.and_then(|it| self.get(it)).into_iter().collect(),
        }
    }

    fn at(&self, list: &[u32], place: usize) -> Option<&ChromeOperation> {
        self.all.get(*list.get(place)? as usize)
    }

    /// How many of a list were launched before an instant.
    fn begun(&self, list: &[u32], instant: i64) -> usize {
        list.partition_point(|place| self.launched(*place) < instant)
    }

    /// The first of a list that was launched after an instant.
    fn after(&self, list: &[u32], instant: i64) -> Option<&ChromeOperation> {
        let place = list.partition_point(|place| self.launched(*place) <= instant);
        self.at(list, place)
    }

    fn launched(&self, place: u32) -> i64 {
        let operation = self.all.get(place as usize);
        operation.map_or(i64::MAX, |it| it.launched)
    }
}

impl StreamsByDevice {
    fn of(order: &LaunchOrder) -> Self {
        let crowds = crowds(order);
        let mut few: BTreeMap<RowToken, Vec<ChromeStream>> = BTreeMap::new();
        for (stream, _) in order.streams() {
            if !crowds.contains_key(&Some(stream.0)) {
                few.entry(stream.0).or_default().push(stream);
            }
        }
        Self { few, crowds }
    }
}

/// Devices of many streams.
fn crowds(order: &LaunchOrder) -> BTreeMap<Option<RowToken>, DeviceStreams> {
    let mut of: BTreeMap<Option<RowToken>, Vec<ChromeStream>> = BTreeMap::new();
    for (stream, _) in order.streams() {
        of.entry(Some(stream.0)).or_default().push(stream);
        of.entry(None).or_default().push(stream);
    }
    of.retain(|_, streams| streams.len() > MANY);
    let crowds = of.into_iter().map(|(process, own)| {
        let lists = own.iter().filter_map(|it| Some((*it, order.stream(*it)?)));
        let firsts = lists
            .clone()
            .filter_map(|(stream, list)| Some((order.launched(*list.first()?), stream)));
        let places = lists.flat_map(|(_, list)| list.iter().copied());
        let crowd = DeviceStreams::new(firsts.collect(), places.collect(), &order.all);
        (process, crowd)
    });
    crowds.collect()
}

/// Work whose launch lies before the file was launched before the work that it ran before.
fn place_unlaunched(builder: &ChromeBuilder, all: &mut [ChromeOperation]) {
    let is_launched = |it: &ChromeOperation| builder.work.of(it.correlation).is_some();
    let is_lost = |it: &ChromeOperation| it.correlation != NO_CORRELATION && !is_launched(it);
    if !builder.work.has_correlations() || !all.iter().any(is_lost) {
        return;
    }
    let mut by_start: Vec<u32> = (0..all.len() as u32).collect();
    let at = |all: &[ChromeOperation], place: u32| all.get(place as usize).copied();
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
