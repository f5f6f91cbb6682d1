//! The rows of a file: what is said of each process and thread, and what has gathered on it.

use super::class::EventClass;
use super::scan::{ArgumentPayload, ChromeArgument, RowKey, RowToken, words};
use super::texts::ChromeTexts;
use crate::importer::flow_points::SpanExtent;
use crate::importer::key_index::KeyIndex;
use record::{DeviceId, LaneId, SmallList, SpanId};

/// A span that waits for its row to be sorted.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingSpan {
    pub span: SpanId,
    pub name: u32,
    pub class: EventClass,
    pub start: i64,
    pub length: i64,
    pub correlation: i64,
}

/// The lanes that one row may need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneSlot {
    /// What the row itself did.
    Own,
    /// What ran on the stream that the row is.
    Stream,
    /// Names that somebody gave to parts of the stream.
    Scopes,
    /// Waits for the stream, in times of the host.
    Syncs,
    /// Functions of Python that the row ran, by JAX's tracer.
    Functions,
}

/// How many there are.
pub(super) const SLOTS: usize = 5;

impl LaneSlot {
    pub const ALL: [Self; SLOTS] = [
        Self::Own,
        Self::Stream,
        Self::Scopes,
        Self::Syncs,
        Self::Functions,
    ];

    pub fn of(class: EventClass) -> Self {
        match class {
            EventClass::Plain | EventClass::Annotation | EventClass::Call => Self::Own,
            EventClass::Kernel | EventClass::Copy | EventClass::Fill | EventClass::Task => {
                Self::Stream
            }
            EventClass::Scope => Self::Scopes,
            EventClass::Sync => Self::Syncs,
        }
    }
}

/// A row. A file may have millions of rows with a span each.
pub(super) struct RowFacts {
    pub row: RowKey,
    /// What few rows have.
    more: Option<Box<RowDescription>>,
    /// Whether it holds what is of no thread: asynchronous spans of a category.
    pub is_distant: bool,
    /// The lane of the first slot that has one, and that slot.
    lane: (LaneId, LaneSlot),
    /// Spans that wait, for the slots that have any.
    pending: SmallList<(LaneSlot, SmallList<PendingSpan>)>,
    /// Spans of the row itself that were handed over.
    placed: Option<Box<PlacedList>>,
}

type PlacedList = Vec<SpanExtent>;

/// What few rows have: what the file's metadata say of them, and further lanes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowDescription {
    /// What the thread is called.
    pub name: Option<u32>,
    /// Where it wants to stand.
    pub order: Option<i64>,
    /// The process whose threads ran what it did, where it stands for a device of theirs.
    pub owner: Option<RowToken>,
    lanes: [Option<LaneId>; SLOTS],
}

impl RowFacts {
    fn new(row: RowKey) -> Self {
        Self {
            row,
            more: None,
            is_distant: false,
            lane: (LaneId::NONE, LaneSlot::Own),
            pending: SmallList::None,
            placed: None,
        }
    }

    /// What the file says of it.
    pub fn said(&self) -> RowDescription {
        self.more.as_deref().copied().unwrap_or_default()
    }

    /// The same, to be changed.
    pub fn describe(&mut self) -> &mut RowDescription {
        self.more.get_or_insert_default()
    }

    /// The lane of a slot, once there is one.
    pub fn lane(&self, slot: LaneSlot) -> Option<LaneId> {
        let (lane, first) = self.lane;
        if first == slot && lane.is_some() {
            return Some(lane);
        }
        self.more
            .as_ref()
            .and_then(|it| *it.lanes.get(slot as usize)?)
    }

    pub fn set_lane(&mut self, slot: LaneSlot, lane: LaneId) {
        if !self.lane.0.is_some() {
            self.lane = (lane, slot);
        } else if let Some(known) = self.describe().lanes.get_mut(slot as usize) {
            *known = Some(lane);
        }
    }

    /// Spans of the row itself that were handed over.
    pub fn placed(&mut self) -> &mut Vec<SpanExtent> {
        self.placed
            .get_or_insert_with(|| Box::new(Vec::with_capacity(1)))
    }

    /// Puts a span with those that wait for a slot.
    pub fn wait(&mut self, slot: LaneSlot, pending: PendingSpan) {
        let mut slots = self.pending.all_mut().iter_mut();
        match slots.find(|(known, _)| *known == slot) {
            Some((_, list)) => list.push(pending),
            None => self.pending.push((slot, SmallList::One(pending))),
        }
    }

    /// Takes out the spans that wait for a slot.
    pub fn take_waiting(&mut self, slot: LaneSlot) -> Vec<PendingSpan> {
        let mut slots = self.pending.all_mut().iter_mut();
        let found = slots.find(|(known, _)| *known == slot);
        found.map_or_else(Vec::new, |(_, list)| std::mem::take(list).into_vec())
    }

    /// Puts spans back that go on waiting for a slot.
    pub fn put_back(&mut self, slot: LaneSlot, waiting: Vec<PendingSpan>) {
        let mut slots = self.pending.all_mut().iter_mut();
        if let Some((_, list)) = slots.find(|(known, _)| *known == slot) {
            *list = waiting.into();
        }
    }
}

/// A process.
#[derive(Default)]
pub(super) struct ChromeProcess {
    pub name: Option<u32>,
    pub labels: Option<u32>,
    pub order: Option<i64>,
    /// The device, where it is one.
    pub device: Option<DeviceId>,
    /// The rank that its events are of, where the file says so of each.
    pub rank: Option<u32>,
}

/// Every process that something was said of, by its token: a file may have millions.
#[derive(Default)]
pub(super) struct ChromeProcesses {
    all: Vec<(RowToken, ChromeProcess)>,
    places: KeyIndex,
}

impl ChromeProcesses {
    pub fn get(&self, process: RowToken) -> Option<&ChromeProcess> {
        let place = self.places.get(&process, |it| self.token(it))?;
        Some(&self.all.get(place as usize)?.1)
    }

    /// What is said of a process, nothing at first; it is always there.
    pub fn entry(&mut self, process: RowToken) -> Option<&mut ChromeProcess> {
        let (all, next) = (&self.all, self.all.len());
        let token = |it: u32| all.get(it as usize).map(|it| it.0);
        let place = self.places.place(&process, next, token) as usize;
        if place >= next {
            self.all.push((process, ChromeProcess::default()));
        }
        Some(&mut self.all.get_mut(place)?.1)
    }

    fn token(&self, place: u32) -> Option<RowToken> {
        self.all.get(place as usize).map(|it| it.0)
    }
}

/// Every row and process.
#[derive(Default)]
pub(super) struct ChromeRows {
    pub all: Vec<RowFacts>,
    places: KeyIndex,
    pub processes: ChromeProcesses,
    /// For each scanner, the number here of each of its rows.
    maps: Vec<Vec<u32>>,
}

impl ChromeRows {
    /// The number of a row.
    pub fn place(&mut self, row: RowKey) -> u32 {
        let all = &self.all;
        let next = all.len();
        let known = |place: u32| all.get(place as usize).map(|it| it.row);
        let place = self.places.place(&row, next, known);
        if place as usize == next {
            self.all.push(RowFacts::new(row));
        }
        place
    }

    pub fn get(&self, place: u32) -> Option<&RowFacts> {
        self.all.get(place as usize)
    }

    pub fn get_mut(&mut self, place: u32) -> Option<&mut RowFacts> {
        self.all.get_mut(place as usize)
    }

    /// Takes the rows that a scanner met for the first time; its texts were taken before.
    pub fn absorb(&mut self, scanner: usize, rows: &[RowKey], texts: &ChromeTexts) {
        if self.maps.len() <= scanner {
            self.maps.resize_with(scanner + 1, Vec::new);
        }
        for row in rows {
            let place = self.place(texts.row(scanner, *row));
            if let Some(map) = self.maps.get_mut(scanner) {
                map.push(place);
            }
        }
    }

    /// The number here of a scanner's row.
    pub fn global(&self, scanner: usize, row: u32) -> u32 {
        let map = self.maps.get(scanner);
        map.and_then(|map| map.get(row as usize))
            .copied()
            .unwrap_or(0)
    }

    /// Takes an event of metadata; says no where it tells nothing that is shown.
    pub fn describe(
        &mut self,
        row: u32,
        name: u32,
        arguments: &[ChromeArgument],
        texts: &ChromeTexts,
    ) -> bool {
        let wanted = match name {
            words::PROCESS_NAME | words::THREAD_NAME => words::NAME,
            words::PROCESS_LABELS => words::LABELS,
            words::PROCESS_ORDER | words::THREAD_ORDER => words::SORT_INDEX,
            _ => return false,
        };
        let Some(found) = arguments.iter().find(|argument| argument.key == wanted) else {
            return false;
        };
        let text = match found.payload {
            ArgumentPayload::Text(text) => Some(text),
            _ => None,
        };
        let number = found.payload.integer(texts.table());
        let Some(facts) = self.all.get_mut(row as usize) else {
            return false;
        };
        let Some(process) = self.processes.entry(facts.row.0) else {
            return false;
        };
        // Who puts the files of several ranks together says so of each row.
        let rank = arguments.iter().find(|it| it.key == words::RANK);
        let rank = rank.and_then(|it| u32::try_from(it.payload.integer(texts.table())?).ok());
        process.rank = rank.or(process.rank);
        match name {
            words::PROCESS_NAME => process.name = text.or(process.name),
            words::PROCESS_LABELS => process.labels = text.or(process.labels),
            words::PROCESS_ORDER => process.order = number,
            words::THREAD_NAME => {
                let said = facts.describe();
                said.name = text.or(said.name);
            }
            _ => facts.describe().order = number,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_takes_few_bytes() {
        // There may be millions, each with one span.
        assert!(size_of::<RowFacts>() <= 112, "{}", size_of::<RowFacts>());
    }
}
