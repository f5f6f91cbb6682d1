//! Up to 512 spans of one row in order of start, column by column, with a node over every 16 of them.

use std::ops::Range;

use super::chunk_entry::{ChunkEntry, SpanLabel, pack, unpack};
use super::chunk_summary::ChunkSummaries;
use super::columns::{ColumnEntry, OpenColumns};
use super::compressed_chunk::CompressedChunk;
use super::encoded_column::STEP;
use super::span_block::{SpanBlock, waiting};
use super::summary_forest::SummaryNode;
use record::impossible;
use record::time::{Interval, Nanos};
use record::{NameId, SmallList, SpanId};

/// Spans a chunk holds at most. Its columns then fill whole allocations, and an insertion moves little.
pub(super) const CHUNK: usize = 512;
/// Spans under one node of a chunk: what a fold may have to look at one by one.
pub(super) const BLOCK: usize = STEP;
/// Stands in a 32-bit column for a length that does not fit; the length is then in `wide`.
pub(super) const WIDE: u32 = u32::MAX;
/// Spans up to which a chunk has no columns: where many overlap, most sub-lanes have no more, and columns take hundreds of bytes.
pub(super) const FEW: usize = 8;

/// The lengths that 32 bits of nanoseconds (4.29 s) cannot hold.
#[derive(Clone, Copy, Default)]
struct WideLengths {
    duration: i64,
    queued: i64,
}

/// How a chunk keeps its spans.
#[derive(Clone)]
enum ChunkForm {
    Few(SmallList<ChunkEntry>),
    Open(Box<OpenColumns>),
    Sealed(Box<CompressedChunk>),
}

/// Spans of one row, none of which overlap.
#[derive(Clone)]
pub(super) struct Chunk {
    /// The row it belongs to.
    pub row: u32,
    /// Whether the table will seal it once it has rested.
    pub is_loose: bool,
    base: i64,
    form: ChunkForm,
    /// What a chunk of few spans, of which there may be millions, does without.
    rest: Option<Box<ChunkDetails>>,
}

/// What a chunk has besides its columns.
#[derive(Clone, Default)]
struct ChunkDetails {
    /// From when to when its last span is.
    last: Option<Interval>,
    nodes: ChunkSummaries,
    /// By the number of their span.
    wide: Vec<(u32, WideLengths)>,
}

impl Chunk {
    /// An empty chunk, in columns that another had or in new ones.
    pub fn new(row: u32, base: Nanos, columns: Option<Box<OpenColumns>>) -> Self {
        Self {
            row,
            is_loose: false,
            base: base.0,
            form: columns.map_or(ChunkForm::Few(SmallList::None), ChunkForm::Open),
            rest: None,
        }
    }

    /// Packs its columns, which are opened again when a span is put into it. Gives back those that it had, empty.
    pub fn seal(&mut self) -> Option<Box<OpenColumns>> {
        let ChunkForm::Open(columns) = &self.form else {
            return None;
        };
        let sealed = ChunkForm::Sealed(Box::new(CompressedChunk::new(columns)));
        let rest = self.rest();
        rest.nodes.shrink();
        rest.wide.shrink_to_fit();
        match std::mem::replace(&mut self.form, sealed) {
            ChunkForm::Open(mut columns) => {
                columns.clear();
                Some(columns)
            }
            ChunkForm::Few(_) | ChunkForm::Sealed(_) => None,
        }
    }

    /// Makes its columns such that spans can be put into them.
    pub fn unseal(&mut self) {
        if let ChunkForm::Sealed(sealed) = &self.form {
            self.form = ChunkForm::Open(Box::new(sealed.open()));
        }
    }

    fn rest(&mut self) -> &mut ChunkDetails {
        self.rest.get_or_insert_default()
    }

    /// From when to when its last span is.
    pub fn last(&self) -> Option<Interval> {
        match &self.form {
            ChunkForm::Few(few) => few.all().last().map(ChunkEntry::interval),
            ChunkForm::Open(_) | ChunkForm::Sealed(_) => self.rest.as_ref()?.last,
        }
    }

    fn columns(&mut self) -> Option<&mut OpenColumns> {
        self.unseal();
        if let ChunkForm::Few(few) = &mut self.form {
            let few = std::mem::take(few).into_vec();
            self.form = ChunkForm::Open(Box::default());
            for (at, entry) in few.iter().enumerate() {
                self.put(at, entry);
            }
        }
        match &mut self.form {
            ChunkForm::Open(columns) => Some(columns),
            ChunkForm::Few(_) | ChunkForm::Sealed(_) => None,
        }
    }

    pub fn len(&self) -> usize {
        match &self.form {
            ChunkForm::Few(few) => few.all().len(),
            ChunkForm::Open(columns) => columns.len(),
            ChunkForm::Sealed(sealed) => sealed.len(),
        }
    }

    /// What offsets are from, in nanoseconds of capture time.
    pub fn base(&self) -> i64 {
        self.base
    }

    /// The widest node inside it that begins with the span `at` and fits a column, with how many spans it covers.
    #[inline]
    pub fn widest(&self, at: usize, shift: u32) -> Option<(SummaryNode, usize)> {
        self.rest.as_ref()?.nodes.widest(at, (self.base, shift))
    }

    fn line(&self, at: usize) -> Option<ColumnEntry> {
        match &self.form {
            ChunkForm::Few(few) => few.all().get(at).map(|it| self.column_entry(it)),
            ChunkForm::Open(columns) => columns.line(at),
            ChunkForm::Sealed(sealed) => sealed.line(at),
        }
    }

    fn offset(&self, at: usize) -> Option<u32> {
        match &self.form {
            ChunkForm::Few(_) => self.line(at).map(|line| line.offset),
            ChunkForm::Open(columns) => columns.offsets.get(at).copied(),
            ChunkForm::Sealed(sealed) => sealed.offset(at),
        }
    }

    pub fn id(&self, at: usize) -> Option<SpanId> {
        let id = match &self.form {
            ChunkForm::Few(few) => return Some(few.all().get(at)?.id),
            ChunkForm::Open(columns) => columns.ids.get(at).copied(),
            ChunkForm::Sealed(sealed) => sealed.id(at),
        };
        id.map(SpanId)
    }

    /// The position of a span, by a scan of at most 512 numbers.
    pub fn position(&self, id: SpanId) -> Option<usize> {
        match &self.form {
            ChunkForm::Few(few) => few.all().iter().position(|it| it.id == id),
            // Most often they are in order.
            ChunkForm::Open(columns) => columns.ids.binary_search(&id.0).ok().or_else(|| {
                let mut ids = columns.ids.iter();
                ids.position(|&other| other == id.0)
            }),
            ChunkForm::Sealed(sealed) => sealed.position(id.0),
        }
    }

    pub fn start(&self, at: usize) -> Option<Nanos> {
        if let ChunkForm::Few(few) = &self.form {
            return Some(few.all().get(at)?.start);
        }
        let offset = self.offset(at)?;
        Some(Nanos(self.base + i64::from(offset)))
    }

    pub fn interval(&self, at: usize) -> Option<Interval> {
        let start = self.start(at)?;
        let duration = match &self.form {
            ChunkForm::Few(few) => return few.all().get(at).map(ChunkEntry::interval),
            ChunkForm::Open(columns) => columns.durations.get(at).copied(),
            ChunkForm::Sealed(sealed) => sealed.duration(at),
        };
        let length = match duration? {
            WIDE => self.wide(self.id(at)?.0).duration,
            short => i64::from(short),
        };
        Some(Interval {
            start,
            end: start + Nanos(length),
        })
    }

    fn wide(&self, id: u32) -> WideLengths {
        let wide = self.rest.as_ref().map_or(&[][..], |rest| &rest.wide);
        let at = wide.binary_search_by_key(&id, |(id, _)| *id);
        let found = at.ok().and_then(|at| wide.get(at));
        found.map_or_else(WideLengths::default, |(_, wide)| *wide)
    }

    pub fn entry(&self, at: usize) -> Option<ChunkEntry> {
        if let ChunkForm::Few(few) = &self.form {
            return few.all().get(at).copied();
        }
        let line = self.line(at)?;
        let start = self.base + i64::from(line.offset);
        let (mut duration, mut queued) = (i64::from(line.duration), i64::from(line.queued));
        if line.duration == WIDE || line.queued == WIDE {
            let wide = self.wide(line.id);
            (duration, queued) = (wide.duration, wide.queued);
        }
        let (kind, state, repair) = unpack(line.flags);
        Some(ChunkEntry {
            id: SpanId(line.id),
            name: NameId(line.name),
            kind,
            state,
            repair,
            enqueued: Nanos(start - queued),
            start: Nanos(start),
            end: Nanos(start + duration),
        })
    }

    pub fn label(&self, at: usize) -> Option<SpanLabel> {
        let (id, name, flags) = match &self.form {
            ChunkForm::Few(_) => {
                let line = self.line(at)?;
                (line.id, line.name, line.flags)
            }
            ChunkForm::Open(columns) => (
                *columns.ids.get(at)?,
                *columns.names.get(at)?,
                *columns.flags.get(at)?,
            ),
            ChunkForm::Sealed(sealed) => sealed.label(at)?,
        };
        Some(SpanLabel {
            id: SpanId(id),
            name: NameId(name),
            flags,
        })
    }

    /// How long a span was queued, where that is less than `WIDE`.
    pub fn queued(&self, at: usize) -> Option<u32> {
        let queued = match &self.form {
            ChunkForm::Few(_) => self.line(at).map(|line| line.queued),
            ChunkForm::Open(columns) => columns.queued.get(at),
            ChunkForm::Sealed(sealed) => sealed.queued(at),
        };
        queued.filter(|&queued| queued != WIDE)
    }

    /// Reads `length` spans from a place on into a block.
    pub fn read(&self, from: usize, length: usize, block: &mut SpanBlock) {
        let (Some(offsets), Some(durations)) = (
            block.offsets.get_mut(..length),
            block.durations.get_mut(..length),
        ) else {
            return;
        };
        match &self.form {
            ChunkForm::Few(few) => {
                let lines = few.all().iter().map(|it| self.column_entry(it));
                let mut flags = [0; FEW];
                for (line, slot) in lines.clone().zip(&mut flags) {
                    *slot = line.flags;
                }
                block.waiting = waiting(&flags);
                for ((line, offset), duration) in lines.skip(from).zip(offsets).zip(durations) {
                    (*offset, *duration) = (line.offset, line.duration);
                }
            }
            ChunkForm::Open(columns) => {
                copy(&columns.offsets, from, offsets);
                copy(&columns.durations, from, durations);
                let first = from / BLOCK * BLOCK;
                let flags = columns
                    .flags
                    .get(first..)
                    .unwrap_or_else(|| impossible!("a block outside its chunk"));
                block.waiting = waiting(flags.get(..BLOCK).unwrap_or(flags));
            }
            ChunkForm::Sealed(sealed) => {
                sealed.read(from, offsets, durations);
                block.waiting = sealed.waiting(from / BLOCK);
            }
        }
    }

    /// Reads names from a place on; says how many.
    pub fn names(&self, from: usize, names: &mut [u32]) -> usize {
        let length = names.len().min(self.len().saturating_sub(from));
        let names = names
            .get_mut(..length)
            .unwrap_or_else(|| impossible!("more names than there is room for"));
        match &self.form {
            ChunkForm::Few(few) => {
                for (entry, name) in few.all().iter().skip(from).zip(names) {
                    *name = entry.name.0;
                }
            }
            ChunkForm::Open(columns) => copy(&columns.names, from, names),
            ChunkForm::Sealed(sealed) => sealed.names(from, names),
        }
        length
    }

    /// The first place whose offset is not one of those that come before.
    fn partition(&self, comes_before: impl Fn(u32) -> bool) -> usize {
        match &self.form {
            ChunkForm::Few(few) => {
                let lines = few.all();
                lines.partition_point(|it| comes_before(self.column_entry(it).offset))
            }
            ChunkForm::Open(columns) => columns.offsets.partition_point(|&it| comes_before(it)),
            ChunkForm::Sealed(sealed) => sealed.partition(comes_before),
        }
    }

    /// How many spans start at or before `instant`.
    pub fn started_by(&self, instant: Nanos) -> usize {
        let offset = instant.0.saturating_sub(self.base);
        self.partition(|other| i64::from(other) <= offset)
    }

    /// How many spans start before `instant`.
    pub fn started_before(&self, instant: Nanos) -> usize {
        let offset = instant.0.saturating_sub(self.base);
        self.partition(|other| i64::from(other) < offset)
    }

    /// Whether the span belongs behind every span here. Of those that start together, the empty
    /// ones come first.
    pub fn is_behind(&self, entry: &ChunkEntry) -> bool {
        self.last().is_none_or(|last| {
            let ties = last.start == entry.start;
            last.start < entry.start || (ties && (!entry.is_empty() || last.end == last.start))
        })
    }

    /// Whether a span that starts at `start` can be written with this chunk's base, moved back if need be.
    pub fn reaches(&self, start: Nanos) -> bool {
        let last = self.last().map_or(self.base, |last| last.start.0);
        let first = self.base.min(start.0);
        let span = last.max(start.0).checked_sub(first);
        span.is_some_and(|span| span < i64::from(WIDE))
    }

    /// Puts a span that [`Chunk::reaches`] at its place by start and returns that place.
    pub fn insert(&mut self, entry: &ChunkEntry) -> usize {
        self.rebase(entry.start);
        let at = match self.is_behind(entry) {
            true => self.len(),
            false if entry.is_empty() => self.started_before(entry.start),
            false => self.started_by(entry.start),
        };
        match &mut self.form {
            ChunkForm::Few(few) if few.all().len() < FEW => few.insert(at, *entry),
            _ => self.put(at, entry),
        }
        at
    }

    /// A span as columns have it.
    fn column_entry(&self, entry: &ChunkEntry) -> ColumnEntry {
        ColumnEntry {
            id: entry.id.0,
            offset: (entry.start.0 - self.base) as u32,
            duration: narrow(entry.end - entry.start),
            queued: narrow(entry.start - entry.enqueued),
            name: entry.name.0,
            flags: pack(entry.kind, entry.state, entry.repair),
        }
    }

    /// Puts a span at a place of the columns.
    fn put(&mut self, at: usize, entry: &ChunkEntry) {
        let line = self.column_entry(entry);
        if let Some(columns) = self.columns() {
            columns.insert(at, line);
        }
        if at + 1 == self.len() {
            self.rest().last = Some(entry.interval());
        }
        if line.duration == WIDE || line.queued == WIDE {
            let lengths = WideLengths {
                duration: (entry.end - entry.start).0,
                queued: (entry.start - entry.enqueued).0,
            };
            let wide = &mut self.rest().wide;
            if wide.len() == wide.capacity() {
                wide.reserve_exact((wide.len() / 4).max(1));
            }
            let place = wide.partition_point(|(id, _)| *id < entry.id.0);
            wide.insert(place, (entry.id.0, lengths));
        }
        if at / BLOCK < self.blocks() {
            self.rest().nodes.truncate(at / BLOCK);
        }
        while (self.blocks() + 1) * BLOCK <= self.len() {
            let from = self.blocks() * BLOCK;
            let node = self.summary(from, from + BLOCK);
            let Some(node) = node else {
                break;
            };
            let base = self.base;
            self.rest().nodes.push(&node, base);
        }
    }

    /// How many blocks have a node.
    fn blocks(&self) -> usize {
        self.rest.as_ref().map_or(0, |rest| rest.nodes.len())
    }

    fn rebase(&mut self, start: Nanos) {
        let Some(back) = self.base.checked_sub(start.0).filter(|&back| back > 0) else {
            return;
        };
        self.base = start.0;
        let has_columns = !matches!(self.form, ChunkForm::Few(_));
        if let Some(columns) = has_columns.then(|| self.columns()).flatten() {
            columns.rebase(u32::try_from(back).unwrap_or(WIDE));
        }
    }

    /// The node over the spans from `from` to `to`.
    fn summary(&self, from: usize, to: usize) -> Option<SummaryNode> {
        (from..to)
            .filter_map(|at| self.entry(at))
            .map(|entry| entry.node())
            .reduce(SummaryNode::merge)
    }

    /// The node over all of it.
    pub fn node(&self) -> Option<SummaryNode> {
        let rest = self.summary(self.blocks() * BLOCK, self.len());
        let whole = (0..self.blocks()).filter_map(|at| {
            let asked = || self.summary(at * BLOCK, (at + 1) * BLOCK);
            let known = self.rest.as_ref();
            known
                .and_then(|it| it.nodes.block(at, self.base))
                .or_else(asked)
        });
        whole.chain(rest).reduce(SummaryNode::merge)
    }

    /// The spans of its second half, taken out.
    pub fn split_off(&mut self) -> Vec<ChunkEntry> {
        let keep = self.len() / 2;
        let moved: Vec<ChunkEntry> = (keep..self.len()).filter_map(|at| self.entry(at)).collect();
        if let Some(columns) = self.columns() {
            columns.truncate(keep);
        }
        let last = keep.checked_sub(1).and_then(|at| self.interval(at));
        let rest = self.rest();
        rest.last = last;
        rest.nodes.truncate(keep / BLOCK);
        rest.nodes.shrink();
        moved
    }

    /// The spans of some places, taken out.
    pub fn take(&mut self, places: Range<usize>) -> Vec<ChunkEntry> {
        let all: Vec<ChunkEntry> = (0..self.len()).filter_map(|at| self.entry(at)).collect();
        let mut rest = Self::new(self.row, Nanos(self.base), None);
        rest.is_loose = self.is_loose;
        let (before, behind) = (0..places.start, places.end..all.len());
        for entry in all
            .iter()
            .take(before.end)
            .chain(all.iter().skip(behind.start))
        {
            rest.insert(entry);
        }
        *self = rest;
        all.into_iter()
            .take(places.end)
            .skip(places.start)
            .collect()
    }

    /// Bytes that it holds on the heap.
    pub fn heap_bytes(&self) -> usize {
        let columns = match &self.form {
            ChunkForm::Few(few) => few.heap_bytes(),
            ChunkForm::Open(columns) => size_of::<OpenColumns>() + columns.heap_bytes(),
            ChunkForm::Sealed(sealed) => size_of::<CompressedChunk>() + sealed.heap_bytes(),
        };
        let rest = self.rest.as_ref().map_or(0, |rest| {
            let wide = rest.wide.capacity() * size_of::<(u32, WideLengths)>();
            size_of::<ChunkDetails>() + rest.nodes.heap_bytes() + wide
        });
        columns + rest
    }
}

/// Copies numbers from a place on.
fn copy(column: &[u32], from: usize, slots: &mut [u32]) {
    let Some(found) = column.get(from..from + slots.len()) else {
        return impossible!("numbers outside their column");
    };
    slots.copy_from_slice(found);
}

/// How many spans a chunk of `length` makes room for when it is full: some more, but few.
pub(super) fn room(length: usize) -> usize {
    let more = length + (length / 2).clamp(8, 64);
    // A chunk that is split holds one more for a moment.
    if length < CHUNK {
        more.min(CHUNK)
    } else {
        length + 1
    }
}

fn narrow(length: Nanos) -> u32 {
    u32::try_from(length.0).unwrap_or(WIDE)
}
