//! A row: spans of one lane and depth, in order of start, none overlapping, in chunks under a forest.

use std::ops::Range;

use super::chunk::{CHUNK, Chunk};
use super::chunk_entry::ChunkEntry;
use super::chunk_table::ChunkTable;
use super::columns::OpenColumns;
use super::sublanes::RowExtent;
use super::summary_forest::{FANOUT, SummaryForest};
use record::SmallList;
use record::impossible;
use record::time::{Interval, Nanos};

/// Chunks from which on a row reserves all of the next one at once: little of what it holds.
const LONG: usize = 32;

/// The order of a row's chunks, and what they come to. The chunks themselves are the table's.
#[derive(Clone, Default)]
pub(super) struct SpanRow {
    chunks: SmallList<RowChunk>,
    forest: SummaryForest,
}

/// A chunk of a row.
#[derive(Clone, Copy, Debug)]
struct RowChunk {
    id: u32,
    /// When its first span starts.
    start: Nanos,
}

/// A place in a row: the chunk's position in the row, and the span's in the chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowPosition {
    pub chunk: usize,
    pub at: usize,
}

/// What a row has where a span is to be put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowOccupancy {
    /// Nothing that it overlaps.
    Free,
    /// A span that contains it.
    Within,
    /// Spans that it overlaps.
    Taken,
}

impl SpanRow {
    pub fn chunk<'a>(&self, chunks: &'a [Chunk], position: usize) -> Option<&'a Chunk> {
        chunks.get(self.members().get(position)?.id as usize)
    }

    #[inline]
    fn members(&self) -> &[RowChunk] {
        self.chunks.all()
    }

    /// From when to when its last span is, which is the last to end as well: no two overlap.
    fn last(&self, chunks: &[Chunk]) -> Option<Interval> {
        self.chunk(chunks, self.members().len().checked_sub(1)?)?
            .last()
    }

    pub fn forest(&self) -> &SummaryForest {
        &self.forest
    }

    /// From when to when its spans are; nothing where it has none.
    pub fn reach(&self, chunks: &[Chunk]) -> Option<RowExtent> {
        let Interval { start: last, end } = self.last(chunks)?;
        let first = self.members().first()?.start;
        Some(RowExtent {
            end,
            last,
            first,
            outermost: (end, first),
        })
    }

    /// The place of the first span that ends after `instant`.
    pub fn first_ending_after(&self, chunks: &[Chunk], instant: Nanos) -> RowPosition {
        let position = self.members().partition_point(|it| it.start <= instant);
        self.first_from(chunks, position, |chunk| chunk.started_by(instant), instant)
    }

    /// The place of the first span that ends after `instant`, or is at it with no length.
    pub fn first_touching(&self, chunks: &[Chunk], instant: Nanos) -> RowPosition {
        let position = self.members().partition_point(|it| it.start < instant);
        self.first_from(
            chunks,
            position,
            |chunk| chunk.started_before(instant),
            instant,
        )
    }

    /// The place of the last of the spans that `started` counts if it ends after `instant`, or else of the next.
    fn first_from(
        &self,
        chunks: &[Chunk],
        position: usize,
        started: impl Fn(&Chunk) -> usize,
        instant: Nanos,
    ) -> RowPosition {
        let position = position.saturating_sub(1);
        let Some(chunk) = self.chunk(chunks, position) else {
            return RowPosition {
                chunk: position,
                at: 0,
            };
        };
        let started = started(chunk);
        let ends_after = |at: &usize| chunk.interval(*at).is_some_and(|span| span.end > instant);
        let at = started.checked_sub(1).filter(ends_after).unwrap_or(started);
        if at < chunk.len() {
            RowPosition {
                chunk: position,
                at,
            }
        } else {
            RowPosition {
                chunk: position + 1,
                at: 0,
            }
        }
    }

    /// The position in the row of the chunk `id`, which holds a span that starts at `start`.
    pub fn position(&self, id: u32, start: Nanos) -> Option<usize> {
        let upper = self.members().partition_point(|it| it.start <= start);
        (0..upper)
            .rev()
            .find(|&position| self.members().get(position).is_some_and(|it| it.id == id))
    }

    /// Whether a span over `interval` overlaps none that is there, or lies within one.
    pub fn room(&self, chunks: &[Chunk], interval: Interval) -> RowOccupancy {
        if self
            .last(chunks)
            .is_none_or(|last| last.end <= interval.start)
        {
            return RowOccupancy::Free;
        }
        let spot = self.first_ending_after(chunks, interval.start);
        let next = self
            .chunk(chunks, spot.chunk)
            .and_then(|chunk| chunk.interval(spot.at));
        match next {
            Some(next) if next.start <= interval.start && interval.end <= next.end => {
                RowOccupancy::Within
            }
            Some(next) if next.start < interval.end => RowOccupancy::Taken,
            _ => RowOccupancy::Free,
        }
    }

    /// Puts a span at its place and returns the id of the chunk that holds it; `moved` hears of spans whose chunk
    /// changed, from the first to the second.
    pub fn insert(
        &mut self,
        row: u32,
        chunks: &mut ChunkTable,
        entry: &ChunkEntry,
        moved: impl FnMut(&[ChunkEntry], [u32; 2]),
    ) -> u32 {
        let before = |it: &RowChunk| {
            it.start < entry.start || (it.start == entry.start && !entry.is_empty())
        };
        let position = self.members().partition_point(before).saturating_sub(1);
        let is_last = position + 1 >= self.members().len();
        let Some(&RowChunk { id, .. }) = self.members().get(position) else {
            return self.open(row, chunks, entry, 0, None);
        };
        let Some(chunk) = chunks.get_mut(id as usize) else {
            let () = impossible!("a row of a chunk that is not there");
            return self.open(row, chunks, entry, 0, None);
        };
        let appends = is_last && chunk.is_behind(entry);
        if appends && (chunk.len() >= CHUNK || !chunk.reaches(entry.start)) {
            let columns = chunk.seal().filter(|_| self.members().len() >= LONG);
            return self.open(row, chunks, entry, position + 1, columns);
        }
        if !chunk.reaches(entry.start) {
            let before = chunk.start(0).is_some_and(|start| entry.start < start);
            return self.open(
                row,
                chunks,
                entry,
                if before { position } else { position + 1 },
                None,
            );
        }
        chunk.insert(entry);
        let first = chunk.start(0);
        if let (Some(first), Some(slot)) = (first, self.chunks.all_mut().get_mut(position)) {
            slot.start = first;
        }
        if !appends {
            self.forest.truncate(position);
        }
        if chunk.len() > CHUNK {
            self.split(row, chunks, entry, position, moved)
        } else {
            id
        }
    }

    /// A new chunk at `position` with one span in it, in columns that another had.
    fn open(
        &mut self,
        row: u32,
        chunks: &mut ChunkTable,
        entry: &ChunkEntry,
        position: usize,
        columns: Option<Box<OpenColumns>>,
    ) -> u32 {
        let mut chunk = Chunk::new(row, entry.start, columns);
        chunk.insert(entry);
        let id = chunks.add(chunk);
        self.forest.truncate(position);
        let start = entry.start;
        self.chunks.insert(position, RowChunk { id, start });
        self.update_forest(chunks);
        id
    }

    /// How many of its spans start in a stretch of time.
    pub fn count(&self, chunks: &[Chunk], stretch: Interval) -> usize {
        let members = self.members_in(stretch);
        let inside = |position| {
            let chunk = self.chunk(chunks, position)?;
            Some(chunk.started_before(stretch.end) - chunk.started_before(stretch.start))
        };
        members.filter_map(inside).sum()
    }

    /// The positions of the chunks with spans that may start in a stretch of time.
    fn members_in(&self, stretch: Interval) -> Range<usize> {
        let starts_before = |at: Nanos| self.members().partition_point(|it| it.start < at);
        starts_before(stretch.start).saturating_sub(1)..starts_before(stretch.end)
    }

    /// Whether a span that starts within `interval` ends within it too, and is not the same.
    pub fn has_within(&self, chunks: &[Chunk], interval: Interval) -> bool {
        if !self.starts_after(chunks, interval.start) {
            return false;
        }
        let members = self.members_in(interval);
        let mut spans = members.flat_map(|position| {
            let chunk = self.chunk(chunks, position);
            let from = chunk.map_or(0, |chunk| chunk.started_before(interval.start));
            (from..chunk.map_or(0, Chunk::len)).filter_map(move |at| chunk?.interval(at))
        });
        // No two overlap, so that only the first can have the same start, and only the last can end behind it.
        let first = spans.next().filter(|it| it.start < interval.end);
        first.is_some_and(|it| it.end <= interval.end && it != interval)
    }

    /// Takes out the spans that start in a stretch of time. Chunks in which none is left are no longer its own.
    pub fn take(&mut self, chunks: &mut ChunkTable, stretch: Interval) -> Vec<ChunkEntry> {
        let positions = self.members_in(stretch);
        let mut members = std::mem::take(&mut self.chunks).into_vec();
        let mut taken = Vec::new();
        for member in members.get_mut(positions.clone()).unwrap_or_default() {
            let Some(chunk) = chunks.get_mut(member.id as usize) else {
                continue;
            };
            let inside = chunk.started_before(stretch.start)..chunk.started_before(stretch.end);
            if !inside.is_empty() {
                taken.extend(chunk.take(inside));
            }
            member.start = chunk.start(0).unwrap_or(member.start);
        }
        let touched = members.get(positions.clone()).unwrap_or_default();
        let mut left = touched.to_vec();
        left.retain(|member| {
            let is_left = chunks
                .get(member.id as usize)
                .is_some_and(|it| it.len() > 0);
            if !is_left {
                chunks.give_up(member.id);
            }
            is_left
        });
        self.forest.truncate(positions.start);
        members.splice(positions, left);
        // The last chunk has no node: it grows.
        self.forest.truncate(members.len().saturating_sub(1));
        self.chunks = SmallList::from(members);
        taken
    }

    /// Whether its last span starts at an instant or after it.
    pub fn starts_after(&self, chunks: &[Chunk], from: Nanos) -> bool {
        self.last(chunks).is_some_and(|last| last.start >= from)
    }

    /// Whether it has no span.
    pub fn is_empty(&self) -> bool {
        self.members().is_empty()
    }

    fn split(
        &mut self,
        row: u32,
        chunks: &mut ChunkTable,
        entry: &ChunkEntry,
        position: usize,
        mut moved: impl FnMut(&[ChunkEntry], [u32; 2]),
    ) -> u32 {
        let id = self.members().get(position).map_or(0, |it| it.id);
        let Some(rest) = chunks.get_mut(id as usize).map(Chunk::split_off) else {
            let () = impossible!("a chunk to be split is not there");
            return id;
        };
        let Some(first) = rest.first() else { return id };
        let mut chunk = Chunk::new(row, first.start, None);
        for entry in &rest {
            chunk.insert(entry);
        }
        let went = chunk.position(entry.id).is_some();
        let start = first.start;
        let new = chunks.add(chunk);
        moved(&rest, [id, new]);
        self.chunks
            .insert(position + 1, RowChunk { id: new, start });
        if went { new } else { id }
    }

    /// Whether a chunk is the last one, which grows.
    pub fn ends_with(&self, chunk: u32) -> bool {
        self.members().last().is_some_and(|it| it.id == chunk)
    }

    /// Brings the forest up to every chunk but the last, which still grows. A few chunks are folded as quickly without one, and
    /// there may be millions of such rows.
    pub fn update_forest(&mut self, chunks: &[Chunk]) {
        if self.members().len() <= FANOUT {
            return;
        }
        while self.forest.len() + 1 < self.members().len() {
            let node = self.chunk(chunks, self.forest.len()).and_then(Chunk::node);
            let Some(node) = node else { return };
            self.forest.push(node);
        }
    }

    /// Bytes that it holds on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.chunks.heap_bytes() + self.forest.heap_bytes()
    }
}
