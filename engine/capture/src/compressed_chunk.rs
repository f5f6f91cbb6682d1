//! The columns of a chunk that is full: the same numbers in a third of the room.

use super::chunk::BLOCK;
use super::columns::{ColumnEntry, OpenColumns};
use super::encoded_column::{OffsetColumn, PADDING, SteppedColumn};
use super::span_block::waiting;

/// Columns that nothing is put into. Whoever does opens them before.
#[derive(Clone)]
pub(super) struct CompressedChunk {
    length: u16,
    ids: SteppedColumn,
    offsets: SteppedColumn,
    durations: OffsetColumn,
    queued: OffsetColumn,
    names: OffsetColumn,
    flags: OffsetColumn,
    /// For each node which of its spans wait.
    waiting: OffsetColumn,
    bytes: Box<[u8]>,
}

impl CompressedChunk {
    pub fn new(columns: &OpenColumns) -> Self {
        let length = columns.len();
        let mut bytes = Vec::with_capacity(length * 16);
        let queued = columns.queued.all(length);
        let flags: Vec<u32> = columns.flags.iter().map(|it| u32::from(*it)).collect();
        let waiting: Vec<u32> = columns.flags.chunks(BLOCK).map(waiting).collect();
        let mut sealed = Self {
            length: length as u16,
            ids: SteppedColumn::pack(&mut bytes, &columns.ids),
            offsets: SteppedColumn::pack(&mut bytes, &columns.offsets),
            durations: OffsetColumn::pack(&mut bytes, &columns.durations),
            queued: OffsetColumn::pack(&mut bytes, &queued),
            names: OffsetColumn::pack_listed(&mut bytes, &columns.names),
            flags: OffsetColumn::pack_listed(&mut bytes, &flags),
            waiting: OffsetColumn::pack(&mut bytes, &waiting),
            bytes: Box::default(),
        };
        bytes.extend([0; PADDING]);
        sealed.bytes = bytes.into_boxed_slice();
        sealed
    }

    /// As columns in which something can be put.
    pub fn open(&self) -> OpenColumns {
        let mut columns = OpenColumns::default();
        for (at, line) in (0..self.len()).filter_map(|at| self.line(at)).enumerate() {
            columns.insert(at, line);
        }
        columns
    }

    pub fn len(&self) -> usize {
        usize::from(self.length)
    }

    /// A column's number at a place.
    #[inline]
    fn number(&self, at: usize, get: impl Fn(&[u8]) -> u32) -> Option<u32> {
        (at < self.len()).then(|| get(&self.bytes))
    }

    #[inline]
    pub fn line(&self, at: usize) -> Option<ColumnEntry> {
        let bytes = &*self.bytes;
        (at < self.len()).then(|| ColumnEntry {
            id: self.ids.get(bytes, at),
            offset: self.offsets.get(bytes, at),
            duration: self.durations.get(bytes, at),
            queued: self.queued.get(bytes, at),
            name: self.names.get(bytes, at),
            flags: self.flags.get(bytes, at) as u16,
        })
    }

    /// Number, name and flags of a span.
    #[inline]
    pub fn label(&self, at: usize) -> Option<(u32, u32, u16)> {
        let bytes = &*self.bytes;
        (at < self.len()).then(|| {
            let flags = self.flags.get(bytes, at) as u16;
            (self.ids.get(bytes, at), self.names.get(bytes, at), flags)
        })
    }

    #[inline]
    pub fn queued(&self, at: usize) -> Option<u32> {
        self.number(at, |bytes| self.queued.get(bytes, at))
    }

    pub fn id(&self, at: usize) -> Option<u32> {
        self.number(at, |bytes| self.ids.get(bytes, at))
    }

    #[inline]
    pub fn offset(&self, at: usize) -> Option<u32> {
        self.number(at, |bytes| self.offsets.get(bytes, at))
    }

    #[inline]
    pub fn duration(&self, at: usize) -> Option<u32> {
        self.number(at, |bytes| self.durations.get(bytes, at))
    }

    /// The first place whose offset is not one of those that come before.
    #[inline]
    pub fn partition(&self, comes_before: impl Fn(u32) -> bool) -> usize {
        self.offsets
            .partition(&self.bytes, self.len(), comes_before)
    }

    pub fn position(&self, id: u32) -> Option<usize> {
        self.ids.position(&self.bytes, id, self.len())
    }

    /// Reads the offsets and durations from a place on, all under one node.
    pub fn read(&self, from: usize, offsets: &mut [u32], durations: &mut [u32]) {
        self.offsets.read(&self.bytes, from, offsets);
        self.durations.read(&self.bytes, from, durations);
    }

    /// Which of the spans under a node wait, each as a bit.
    #[inline]
    pub fn waiting(&self, node: usize) -> u32 {
        self.waiting.get(&self.bytes, node)
    }

    /// Reads the names from a place on.
    pub fn names(&self, from: usize, names: &mut [u32]) {
        self.names.read(&self.bytes, from, names);
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.bytes.len()
    }
}
