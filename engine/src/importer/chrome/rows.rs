//! The rows of a file: what is said of each process and thread, and what has gathered on it.

use std::collections::HashMap;

use super::class::Class;
use super::scan::{Argument, Payload, Row, Token, words};
use super::texts::Texts;
use crate::importer::flow_points::SpanExtent;
use crate::record::{DeviceId, LaneId, SpanId};

/// A span that waits for its row to be sorted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub span: SpanId,
    pub name: u32,
    pub class: Class,
    pub start: i64,
    pub length: i64,
    pub correlation: i64,
}

/// The lanes that one row may need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
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

impl Slot {
    pub const ALL: [Self; SLOTS] = [
        Self::Own,
        Self::Stream,
        Self::Scopes,
        Self::Syncs,
        Self::Functions,
    ];

    pub fn of(class: Class) -> Self {
        match class {
            Class::Plain | Class::Annotation | Class::Call => Self::Own,
            Class::Kernel | Class::Copy | Class::Fill | Class::Task => Self::Stream,
            Class::Scope => Self::Scopes,
            Class::Sync => Self::Syncs,
        }
    }
}

/// A row.
#[derive(Default)]
pub(super) struct RowFacts {
    pub row: Row,
    /// What the thread is called.
    pub name: Option<u32>,
    /// Where it wants to stand.
    pub order: Option<i64>,
    /// The process whose threads ran what it did, where it stands for a device of theirs.
    pub owner: Option<Token>,
    /// Whether it holds what is of no thread: asynchronous spans of a category.
    pub is_distant: bool,
    pub lanes: [Option<LaneId>; SLOTS],
    /// Spans that wait, by slot.
    pub pending: [Vec<Pending>; SLOTS],
    /// Spans of the row itself that were handed over.
    pub placed: Vec<SpanExtent>,
}

/// A process.
#[derive(Default)]
pub(super) struct Process {
    pub name: Option<u32>,
    pub labels: Option<u32>,
    pub order: Option<i64>,
    /// The device, where it is one.
    pub device: Option<DeviceId>,
}

/// Every row and process.
#[derive(Default)]
pub(super) struct Rows {
    pub all: Vec<RowFacts>,
    places: HashMap<Row, u32>,
    pub processes: HashMap<Token, Process>,
    /// For each scanner, the number here of each of its rows.
    maps: Vec<Vec<u32>>,
}

impl Rows {
    /// The number of a row.
    pub fn place(&mut self, row: Row) -> u32 {
        let next = self.all.len() as u32;
        let place = *self.places.entry(row).or_insert(next);
        if place == next {
            self.all.push(RowFacts {
                row,
                ..RowFacts::default()
            });
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
    pub fn absorb(&mut self, scanner: usize, rows: &[Row], texts: &Texts) {
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
    pub fn describe(&mut self, row: u32, name: u32, arguments: &[Argument], texts: &Texts) -> bool {
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
            Payload::Text(text) => Some(text),
            _ => None,
        };
        let number = found.payload.integer(texts.table());
        let Some(facts) = self.all.get_mut(row as usize) else {
            return false;
        };
        let process = self.processes.entry(facts.row.0).or_default();
        match name {
            words::PROCESS_NAME => process.name = text.or(process.name),
            words::PROCESS_LABELS => process.labels = text.or(process.labels),
            words::PROCESS_ORDER => process.order = number,
            words::THREAD_NAME => facts.name = text.or(facts.name),
            _ => facts.order = number,
        }
        true
    }
}
