//! What was there before the history of an allocator begins, told backwards from its end.

use std::collections::BTreeMap;

use super::pickle::{Pickle, PickleId};

/// What an entry of the history changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HistoryChange {
    /// So many bytes more, or fewer, are allocated.
    Block(i64),
    /// So many bytes more, or fewer, are reserved of the device.
    Segment(i64),
    /// Nothing: a request, an error, a mark.
    Nothing,
}

impl HistoryChange {
    /// What an entry of this action and size changes.
    pub fn of(action: &str, size: i64) -> Self {
        match action {
            "alloc" => Self::Block(size),
            // What is requested to be freed is free once the streams that use it are done.
            "free_completed" => Self::Block(size.saturating_neg()),
            "segment_alloc" | "segment_map" => Self::Segment(size),
            "segment_free" | "segment_unmap" => Self::Segment(size.saturating_neg()),
            _ => Self::Nothing,
        }
    }
}

/// An entry of a history.
pub(super) struct HistoryEntry<'a> {
    pub action: &'a str,
    /// Microseconds since 1970.
    pub time: i64,
    pub change: HistoryChange,
    pub memory: EarlierMemory,
}

impl<'a> HistoryEntry<'a> {
    /// Reads one; nothing where it does not say what happened when, or to which memory.
    pub fn read(pickle: &'a Pickle, entry: PickleId) -> Option<Self> {
        let action = pickle.text_of(entry, "action")?;
        let time = pickle.number_of(entry, "time_us")?;
        let address = pickle.number_of(entry, "addr");
        let size = pickle.number_of(entry, "size").filter(|it| *it >= 0);
        let change = HistoryChange::of(action, size.unwrap_or(0));
        if change != HistoryChange::Nothing && (address.is_none() || size.is_none()) {
            return None;
        }
        Some(Self {
            action,
            time,
            change,
            memory: EarlierMemory {
                address: address.unwrap_or(0),
                size: size.unwrap_or(0),
                stream: pickle.number_of(entry, "stream"),
                entry: Some(entry),
            },
        })
    }
}

/// A block or a segment that was there before the history begins.
pub(super) struct EarlierMemory {
    pub address: i64,
    pub size: i64,
    pub stream: Option<i64>,
    pub entry: Option<PickleId>,
}

/// Blocks or segments by their addresses.
type MemoryByAddress = BTreeMap<i64, EarlierMemory>;

/// The blocks and the segments that were there before a history.
#[derive(Default)]
pub(super) struct MemoryBefore {
    pub blocks: MemoryByAddress,
    pub segments: MemoryByAddress,
    /// Segments and blocks of the snapshot that were read.
    pub complete: u64,
    /// Segments and blocks that lack their address, size or state.
    pub incomplete: u64,
}

impl MemoryBefore {
    /// Those that are there at its end and that it does not begin, and those that it ends without having begun them.
    pub fn new(pickle: &Pickle, segments: &[PickleId], history: &[PickleId]) -> Self {
        let mut found = Self::default();
        for segment in segments {
            found.add(pickle, *segment);
        }
        for entry in history.iter().rev() {
            found.undo(pickle, *entry);
        }
        found
    }

    /// How many bytes all blocks, and all segments, have.
    pub fn totals(&self) -> [i64; 2] {
        [&self.blocks, &self.segments].map(|all| {
            let sizes = all.values().map(|it| it.size);
            sizes.fold(0, i64::saturating_add)
        })
    }

    /// Adds a segment and its blocks that are there at the end.
    fn add(&mut self, pickle: &Pickle, segment: PickleId) {
        let stream = pickle.number_of(segment, "stream");
        let memory = |address, size, entry| EarlierMemory {
            address,
            size,
            stream,
            entry: Some(entry),
        };
        let address = pickle.number_of(segment, "address");
        let size = pickle.number_of(segment, "total_size");
        let size = size.filter(|it| *it >= 0);
        let (Some(address), Some(size)) = (address, size) else {
            self.incomplete += 1;
            return;
        };
        self.segments
            .insert(address, memory(address, size, segment));
        self.complete += 1;
        let mut next = address;
        for block in pickle.list_of(segment, "blocks") {
            let size = pickle.number_of(*block, "size").filter(|it| *it >= 0);
            let state = pickle.text_of(*block, "state");
            let (Some(size), Some(state)) = (size, state) else {
                self.incomplete += 1;
                continue;
            };
            self.complete += 1;
            // Before blocks had addresses they lay one behind the other.
            let address = pickle.number_of(*block, "address").unwrap_or(next);
            next = address.saturating_add(size);
            if state.starts_with("active") {
                self.blocks.insert(address, memory(address, size, *block));
            }
        }
    }

    /// Backwards: what the history begins was not there before, and what it ends was.
    fn undo(&mut self, pickle: &Pickle, entry: PickleId) {
        let Some(entry) = HistoryEntry::read(pickle, entry) else {
            return;
        };
        let EarlierMemory { address, size, .. } = entry.memory;
        let memory = EarlierMemory {
            entry: None,
            ..entry.memory
        };
        match entry.change {
            HistoryChange::Block(bytes) if bytes < 0 => drop(self.blocks.insert(address, memory)),
            HistoryChange::Block(_) => drop(self.blocks.remove(&address)),
            HistoryChange::Segment(bytes) if bytes >= 0 => {
                take_segment(&mut self.segments, address, size);
            }
            HistoryChange::Segment(_) if entry.action == "segment_unmap" => {
                join_segment(&mut self.segments, memory);
            }
            HistoryChange::Segment(_) => drop(self.segments.insert(address, memory)),
            HistoryChange::Nothing => {}
        }
    }
}

/// Puts back what the history unmaps, which was one with what lies right before and behind it.
fn join_segment(all: &mut MemoryByAddress, mut memory: EarlierMemory) {
    let end = memory.address.saturating_add(memory.size);
    let is_own = |it: &&EarlierMemory| it.stream == memory.stream;
    let behind = all.get(&end).filter(is_own).map(|it| it.address);
    let before = all.range(..memory.address).next_back().map(|it| it.1);
    let before = before.filter(is_own);
    let before = before.filter(|it| it.address.saturating_add(it.size) == memory.address);
    let before = before.map(|it| it.address);
    if let Some(behind) = behind.and_then(|it| all.remove(&it)) {
        memory.size = memory.size.saturating_add(behind.size);
    }
    if let Some(before) = before.and_then(|it| all.remove(&it)) {
        memory.size = memory.size.saturating_add(before.size);
        memory.address = before.address;
        memory.entry = before.entry;
    }
    all.insert(memory.address, memory);
}

/// Takes away what the history allocates or maps: a part of a segment that grew leaves the rest of it.
fn take_segment(all: &mut MemoryByAddress, address: i64, size: i64) {
    let end = address.saturating_add(size);
    let around = all.range(..=address).next_back().map(|it| *it.0);
    let Some(mut found) = around.and_then(|it| all.remove(&it)) else {
        return;
    };
    let found_end = found.address.saturating_add(found.size);
    if found_end <= address {
        all.insert(found.address, found);
        return;
    }
    if found_end > end {
        all.insert(
            end,
            EarlierMemory {
                address: end,
                size: found_end.saturating_sub(end),
                stream: found.stream,
                entry: None,
            },
        );
    }
    if found.address < address {
        found.size = address.saturating_sub(found.address);
        all.insert(found.address, found);
    }
}
