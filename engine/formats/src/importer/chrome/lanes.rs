//! Lanes and devices: one lane for each stream and thread, with what the file calls them.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use super::row_kind::{self, RowKind};
use super::rows::{ChromeRows, LaneSlot, RowFacts};
use super::scan::RowToken;
use super::stream::top::FileFacts;
use super::texts::ChromeTexts;
use crate::importer::RecordSink;
use crate::importer::crop::{cropped, head};
use crate::importer::shared_titles::SharedTitles;
use record::{Device, DeviceId, Group, Lane, LaneId, LaneOrigin, Record, Role, SpanKind};

/// What ran on a lane, by sort.
#[derive(Clone, Copy, Debug, Default)]
struct LaneWork {
    kernels: u32,
    uploads: u32,
    downloads: u32,
    copies: u32,
    collectives: u32,
}

/// A lane that is in use.
struct UsedLane {
    row: u32,
    slot: LaneSlot,
    nature: RowKind,
    device: DeviceId,
    /// The place of what ran there, of streams.
    work: Option<NonZeroU32>,
}

/// Every lane and device in use.
#[derive(Default)]
pub(super) struct ChromeLanes {
    used: Vec<UsedLane>,
    /// What ran on streams, in a list of its own: most lanes may be of host threads.
    work: Vec<LaneWork>,
    devices: Vec<RowToken>,
}

impl ChromeLanes {
    /// How many lanes are streams.
    pub fn streams(&self) -> usize {
        self.used
            .iter()
            .filter(|it| it.group() == Group::Streams)
            .count()
    }

    /// The lane of a row's slot; a new one is announced by what is known so far.
    pub fn lane(
        &mut self,
        rows: &mut ChromeRows,
        place: u32,
        slot: LaneSlot,
        texts: &ChromeTexts,
        sink: &mut RecordSink<'_>,
    ) -> (LaneId, RowKind) {
        let Some(facts) = rows.get(place) else {
            return (LaneId::NONE, RowKind::Host);
        };
        if let Some(lane) = facts.lane(slot) {
            let used = self.used.get(lane.index());
            return (lane, used.map_or(RowKind::Host, |it| it.nature));
        }
        let nature = match slot {
            LaneSlot::Own => RowKind::of(rows, facts, texts),
            LaneSlot::Functions => RowKind::Host,
            LaneSlot::Stream => RowKind::Stream,
            LaneSlot::Scopes | LaneSlot::Syncs => RowKind::Derived,
        };
        let process = facts.row.0;
        let device = (nature != RowKind::Host).then(|| self.device(rows, process, texts, sink));
        let lane = LaneId(self.used.len() as u32);
        self.used.push(UsedLane {
            row: place,
            slot,
            nature,
            device: device.unwrap_or(DeviceId::NONE),
            work: None,
        });
        if let Some(facts) = rows.get_mut(place) {
            facts.set_lane(slot, lane);
        }
        self.announce(lane, rows, texts, None, sink);
        (lane, nature)
    }

    /// Counts what ran on a lane.
    pub fn ran(&mut self, lane: LaneId, kind: SpanKind, collective: bool) {
        let Some(used) = self.used.get_mut(lane.index()) else {
            return;
        };
        let next = NonZeroU32::MIN.saturating_add(self.work.len() as u32);
        let place = *used.work.get_or_insert(next);
        if place == next {
            self.work.push(LaneWork::default());
        }
        let Some(work) = self.work.get_mut(place.get() as usize - 1) else {
            return;
        };
        let count = match kind {
            _ if collective => &mut work.collectives,
            SpanKind::Kernel => &mut work.kernels,
            SpanKind::Upload => &mut work.uploads,
            SpanKind::Download => &mut work.downloads,
            SpanKind::Copy | SpanKind::Fill => &mut work.copies,
            _ => return,
        };
        *count += 1;
    }

    fn work_of(&self, used: &UsedLane) -> Option<&LaneWork> {
        self.work.get(used.work?.get() as usize - 1)
    }

    /// The device that is a process.
    fn device(
        &mut self,
        rows: &mut ChromeRows,
        process: RowToken,
        texts: &ChromeTexts,
        sink: &mut RecordSink<'_>,
    ) -> DeviceId {
        let id = DeviceId(self.devices.len() as u32);
        if let Some(facts) = rows.processes.entry(process) {
            let known = *facts.device.get_or_insert(id);
            if known != id {
                return known;
            }
        }
        self.devices.push(process);
        sink.push(Record::Device(Box::new(Device {
            id,
            name: device_name(rows, process, texts, &BTreeMap::new()),
            backend: "chrome".to_owned(),
            detail: String::new(),
            rank: None,
            paced: None,
        })));
        id
    }

    /// The device that a lane is of. What a library of Ascend's sends runs on the device whose streams the file has, where that
    /// is one, though the file makes a process of it.
    fn device_of(
        &self,
        used: &UsedLane,
        rows: &ChromeRows,
        texts: &ChromeTexts,
    ) -> Option<DeviceId> {
        let own = Some(used.device).filter(|it| it.is_some())?;
        let name = |id: DeviceId| process_name(rows, *self.devices.get(id.index())?, texts);
        if !name(own).is_some_and(row_kind::is_communication) {
            return Some(own);
        }
        let all = (0..self.devices.len() as u32).map(DeviceId);
        let mut of_streams = all.filter(|id| name(*id).is_some_and(row_kind::is_npu));
        let first = of_streams.next();
        first.filter(|_| of_streams.next().is_none()).or(Some(own))
    }

    /// Says again what each lane and device is, now that the whole file is known.
    pub fn finish(
        &self,
        rows: &ChromeRows,
        texts: &ChromeTexts,
        top: &FileFacts,
        sink: &mut RecordSink<'_>,
    ) {
        let devices = &top.devices;
        for (place, process) in self.devices.iter().enumerate() {
            sink.push(Record::Device(Box::new(Device {
                id: DeviceId(place as u32),
                name: device_name(rows, *process, texts, devices),
                backend: "chrome".to_owned(),
                detail: String::new(),
                rank: None,
                paced: None,
            })));
        }
        let hosts = self.used.iter().filter(|it| it.group() == Group::Host);
        let titles = LaneTitles::of(hosts, rows, texts);
        for (place, used) in self.used.iter().enumerate() {
            let lane = LaneId(place as u32);
            self.announce(lane, rows, texts, Some(&titles), sink);
            let row = rows.get(used.row);
            let process = row.and_then(|it| rows.processes.get(it.row.0));
            let of_file = top.rank.and_then(|it| u32::try_from(it).ok());
            sink.push(Record::LaneOrigin(LaneOrigin {
                lane,
                rank: process.and_then(|it| it.rank).or(of_file),
                number: row.and_then(|it| number(it.row.1, texts)),
            }));
        }
    }

    /// What a stream is for. A plane of Ascend's library of collective operations is for those, whatever its tasks are called.
    fn stream_role(
        &self,
        used: &UsedLane,
        facts: &RowFacts,
        rows: &ChromeRows,
        texts: &ChromeTexts,
    ) -> Role {
        if process_name(rows, facts.row.0, texts).is_some_and(row_kind::is_communication) {
            return Role::Collective;
        }
        self.work_of(used).map_or(Role::None, LaneWork::role)
    }

    /// Says what a lane is; of several host lanes of one name each bears what tells it apart, once all names are known.
    fn announce(
        &self,
        id: LaneId,
        rows: &ChromeRows,
        texts: &ChromeTexts,
        titles: Option<&LaneTitles>,
        sink: &mut RecordSink<'_>,
    ) {
        let Some(used) = self.used.get(id.index()) else {
            return;
        };
        let Some(facts) = rows.get(used.row) else {
            return;
        };
        let group = used.group();
        let mut name = used.title(rows, texts);
        if let Some(titles) = titles.filter(|_| group == Group::Host) {
            name = titles.distinct(name, facts, texts);
        }
        sink.push(Record::Lane(Box::new(Lane {
            id,
            group,
            device: self.device_of(used, rows, texts),
            role: match (used.slot, group) {
                (_, Group::Streams) => self.stream_role(used, facts, rows, texts),
                (LaneSlot::Functions, _) => Role::Functions,
                _ => Role::None,
            },
            name,
            order: order(rows, facts),
            process: texts
                .shown(facts.said().owner.unwrap_or(facts.row.0))
                .into(),
            thread: if facts.is_distant {
                "".into()
            } else {
                texts.shown(facts.row.1).into()
            },
        })));
    }
}

/// Titles of host lanes that several have, and those with the number of a thread that several have.
struct LaneTitles {
    plain: SharedTitles,
    numbered: SharedTitles,
}

impl LaneTitles {
    fn of<'a>(
        hosts: impl Iterator<Item = &'a UsedLane> + Clone,
        rows: &ChromeRows,
        texts: &ChromeTexts,
    ) -> Self {
        let plain = SharedTitles::of(hosts.clone().map(|used| used.title(rows, texts)));
        let shared = hosts.filter_map(|used| {
            let title = used.title(rows, texts);
            let facts = rows.get(used.row).filter(|_| plain.contains(&title))?;
            Some(numbered(title, facts, texts))
        });
        let numbered = SharedTitles::of(shared);
        Self { plain, numbered }
    }

    /// A title with what tells its lane from others of the same: the number of the thread, and of the process where both are
    /// the same.
    fn distinct(&self, title: String, facts: &RowFacts, texts: &ChromeTexts) -> String {
        if !self.plain.contains(&title) {
            return title;
        }
        let title = numbered(title, facts, texts);
        let process = texts.shown(facts.row.0);
        let is_shared = self.numbered.contains(&title);
        if is_shared && !facts.is_distant && !process.is_empty() {
            format!("{title} of {process}")
        } else {
            title
        }
    }
}

/// A title with the number of its thread, or of the process where it is of none, unless it ends with that.
fn numbered(title: String, facts: &RowFacts, texts: &ChromeTexts) -> String {
    let number = if facts.is_distant {
        facts.row.0
    } else {
        facts.row.1
    };
    let number = texts.shown(number);
    let is_there = title.rsplit(' ').next() == Some(&number);
    if is_there || number.is_empty() {
        title
    } else {
        format!("{title} {number}")
    }
}

impl UsedLane {
    /// What it is called, be it the only one of that name or not.
    fn title(&self, rows: &ChromeRows, texts: &ChromeTexts) -> String {
        let facts = rows.get(self.row);
        facts.map_or_else(String::new, |facts| {
            lane_name(rows, facts, self.slot, self.nature, texts)
        })
    }

    fn group(&self) -> Group {
        match (self.slot, self.nature) {
            (_, RowKind::Stream) => Group::Streams,
            (LaneSlot::Own | LaneSlot::Functions, RowKind::Host) => Group::Host,
            _ => Group::Device,
        }
    }
}

impl LaneWork {
    /// What a stream is for: communication and copies are seldom mixed with anything.
    fn role(&self) -> Role {
        let copies = self.uploads + self.downloads + self.copies;
        if self.collectives > 0 && self.collectives >= self.kernels {
            Role::Collective
        } else if self.kernels > 0 {
            Role::Compute
        } else if copies == 0 {
            Role::None
        } else if self.uploads >= self.downloads.max(self.copies) {
            Role::HostToDevice
        } else if self.downloads >= self.copies {
            Role::DeviceToHost
        } else {
            Role::DeviceToDevice
        }
    }
}

/// The number of a row's stream or thread. Kineto of 2021 calls the rows of streams `stream 7`.
fn number(row: RowToken, texts: &ChromeTexts) -> Option<i64> {
    match row {
        RowToken::Number(number) => Some(number),
        RowToken::Text(text) => texts
            .text(text)
            .trim()
            .strip_prefix("stream ")?
            .parse()
            .ok(),
        RowToken::None => None,
    }
}

fn order(rows: &ChromeRows, facts: &RowFacts) -> i32 {
    let process = rows
        .processes
        .get(facts.row.0)
        .and_then(|it| it.order)
        .unwrap_or(0);
    let thread = facts.said().order.or(match facts.row.1 {
        RowToken::Number(number) => Some(number),
        _ => None,
    });
    let clamp = |value: i64, most: i64| value.clamp(-most, most);
    let sum = clamp(process, 1 << 10) * (1 << 20) + clamp(thread.unwrap_or(0), (1 << 19) - 1);
    sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

fn lane_name(
    rows: &ChromeRows,
    facts: &RowFacts,
    slot: LaneSlot,
    nature: RowKind,
    texts: &ChromeTexts,
) -> String {
    let thread = texts.shown(facts.row.1);
    let own = facts
        .said()
        .name
        .map(|name| texts.text(name).trim().to_owned());
    let own = own.filter(|name| !name.is_empty());
    let stream = own.clone().unwrap_or_else(|| {
        let number = matches!(facts.row.1, RowToken::Number(_));
        if number {
            format!("stream {thread}")
        } else {
            thread.clone()
        }
    });
    match (slot, nature) {
        (LaneSlot::Own, RowKind::Host) => host_name(rows, facts, own, &thread, texts),
        (LaneSlot::Own | LaneSlot::Stream, _) => stream,
        (LaneSlot::Functions, _) => {
            let thread = host_name(rows, facts, own, &thread, texts);
            format!("{thread} · Python functions")
        }
        (LaneSlot::Scopes, _) => format!("{stream} · annotations"),
        (LaneSlot::Syncs, _) if matches!(facts.row.1, RowToken::Number(-1 | 0xFFFF_FFFF)) => {
            "waits of the host".to_owned()
        }
        (LaneSlot::Syncs, _) => format!("{stream} · waits, host time"),
    }
}

/// What a process is called.
fn process_name<'a>(
    rows: &ChromeRows,
    process: RowToken,
    texts: &'a ChromeTexts,
) -> Option<&'a str> {
    let name = rows.processes.get(process)?.name?;
    Some(texts.text(name).trim())
}

/// A thread's name, with that of its process where there are several.
fn host_name(
    rows: &ChromeRows,
    facts: &RowFacts,
    own: Option<String>,
    thread: &str,
    texts: &ChromeTexts,
) -> String {
    let process = rows.processes.get(facts.row.0).and_then(|it| it.name);
    let process = process.map(|name| head(texts.text(name).trim()).to_owned());
    let process = process
        .filter(|it| !it.is_empty())
        .map_or_else(|| texts.shown(facts.row.0), |it| program(&it).to_owned());
    let number = matches!(facts.row.1, RowToken::Number(_));
    let thread = own.unwrap_or_else(|| {
        if number {
            format!("thread {thread}")
        } else {
            thread.to_owned()
        }
    });
    let (process, thread) = (cropped(process), cropped(thread));
    match (process.as_str(), thread.as_str()) {
        ("", "") => "events of no thread".to_owned(),
        ("", _) => thread,
        (_, "") => process,
        _ if process == thread => thread,
        _ => format!("{process} · {thread}"),
    }
}

/// A program without the folder that it lies in.
pub(in crate::importer) fn program(name: &str) -> &str {
    let end = name.find(char::is_whitespace).unwrap_or(name.len());
    let (path, _) = name.split_at(end);
    let folder = path.rfind('/').filter(|at| at + 1 < path.len());
    folder.and_then(|at| name.get(at + 1..)).unwrap_or(name)
}

/// What a device is called: by its properties, its labels, or its process.
fn device_name(
    rows: &ChromeRows,
    process: RowToken,
    texts: &ChromeTexts,
    devices: &BTreeMap<i64, String>,
) -> String {
    let shown = texts.shown(process);
    let facts = rows.processes.get(process);
    let text = |text: Option<u32>| {
        let text = text.map(|it| texts.text(it).trim().to_owned());
        text.filter(|it| !it.is_empty())
    };
    let labels = text(facts.and_then(|it| it.labels));
    let name = text(facts.and_then(|it| it.name));
    let properties = match process {
        RowToken::Number(number) => devices.get_key_value(&number),
        _ => None,
    };
    if let Some((id, name)) = properties {
        return match name.trim() {
            "" => format!("GPU {id}"),
            name => format!("GPU {id} · {name}"),
        };
    }
    match process {
        RowToken::Text(_) => shown,
        _ => labels
            .filter(|it| it != "NPU")
            .or(name)
            .unwrap_or_else(|| format!("device {shown}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_stream_is_also_told_by_the_name_of_its_row() {
        let mut texts = ChromeTexts::new();
        let mut of = |text: &str| {
            let row = RowToken::Text(texts.add(text));
            number(row, &texts)
        };
        assert_eq!(of("stream 7"), Some(7));
        assert_eq!(of("stream 7b"), None);
        assert_eq!(of("python3"), None);
        assert_eq!(number(RowToken::Number(5), &texts), Some(5));
    }
}
