//! The columns of a chunk while spans are put into it.

use super::chunk::room;
use super::run_length_column::RunLengthColumn;

/// A span as the columns have it: lengths from the chunk's base, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ColumnEntry {
    pub id: u32,
    pub offset: u32,
    pub duration: u32,
    pub queued: u32,
    pub name: u32,
    pub flags: u16,
}

/// Columns in which a span can be put anywhere.
#[derive(Clone, Default)]
pub(super) struct OpenColumns {
    pub ids: Vec<u32>,
    pub offsets: Vec<u32>,
    pub durations: Vec<u32>,
    pub queued: RunLengthColumn,
    pub names: Vec<u32>,
    pub flags: Vec<u16>,
}

impl OpenColumns {
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn line(&self, at: usize) -> Option<ColumnEntry> {
        Some(ColumnEntry {
            id: *self.ids.get(at)?,
            offset: *self.offsets.get(at)?,
            duration: *self.durations.get(at)?,
            queued: self.queued.get(at)?,
            name: *self.names.get(at)?,
            flags: *self.flags.get(at)?,
        })
    }

    pub fn insert(&mut self, at: usize, line: ColumnEntry) {
        self.make_room();
        self.queued.insert(at, line.queued, self.len());
        self.ids.insert(at, line.id);
        self.offsets.insert(at, line.offset);
        self.durations.insert(at, line.duration);
        self.names.insert(at, line.name);
        self.flags.insert(at, line.flags);
    }

    /// Moves the base that offsets are from `back` nanoseconds back.
    pub fn rebase(&mut self, back: u32) {
        for offset in &mut self.offsets {
            *offset = offset.saturating_add(back);
        }
    }

    /// Makes room for one more span in every column, and for few more than that.
    fn make_room(&mut self) {
        let length = self.len();
        if length < self.ids.capacity() {
            return;
        }
        let more = room(length) - length;
        self.ids.reserve_exact(more);
        self.offsets.reserve_exact(more);
        self.durations.reserve_exact(more);
        self.names.reserve_exact(more);
        self.flags.reserve_exact(more);
    }

    /// Forgets all spans, and keeps the room.
    pub fn clear(&mut self) {
        self.queued.clear();
        self.ids.clear();
        self.offsets.clear();
        self.durations.clear();
        self.names.clear();
        self.flags.clear();
    }

    pub fn truncate(&mut self, keep: usize) {
        self.queued.truncate(keep);
        for column in [
            &mut self.ids,
            &mut self.offsets,
            &mut self.durations,
            &mut self.names,
        ] {
            column.truncate(keep);
            column.shrink_to_fit();
        }
        self.flags.truncate(keep);
        self.flags.shrink_to_fit();
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let words = [&self.ids, &self.offsets, &self.durations, &self.names];
        let words: usize = words.iter().map(|column| column.capacity() * 4).sum();
        words + self.queued.heap_bytes() + self.flags.capacity() * 2
    }
}
