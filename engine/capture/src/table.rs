//! The table of spans: which chunk each id lies in, and the rows of each lane.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use super::chunk::{Chunk, FEW};
use super::chunk_entry::ChunkEntry;
use super::chunk_table::ChunkTable;
use super::column::{push, put, reach};
use super::nesting::Nesting;
use super::row::{RowOccupancy, RowPosition, SpanRow};
use super::span_cursor::NextPlace;
use super::span_index::SpanIndex;
use super::sublanes::{RowExtent, SHALLOW, SublaneRows, Sublanes};
use record::impossible;
use record::time::{Interval, Nanos};
use record::{CallId, LaneId, SmallList, Span, SpanId, SpanKind, State};

/// What the capture had to mend in a span so that it can be drawn; each bears its mark on screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Repair {
    /// Nothing.
    #[default]
    None,
    /// It ended before it started: drawn with no length.
    NegativeLength,
    /// It was enqueued after it started: drawn as enqueued when it started.
    LateEnqueue,
    /// It overlaps another operation of its stream, which runs one at a time: drawn on a sub-lane.
    Overlap,
}

impl Repair {
    /// Every value, in the order of its number.
    pub const ALL: &'static [Self] = &[
        Self::None,
        Self::NegativeLength,
        Self::LateEnqueue,
        Self::Overlap,
    ];

    /// What was mended, in a few words; empty for none.
    pub const fn label(self) -> &'static str {
        match self {
            Self::None => "",
            Self::NegativeLength => "ended before it started",
            Self::LateEnqueue => "enqueued after it started",
            Self::Overlap => "overlaps another span of its stream",
        }
    }
}

/// A span with its place on screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedSpan {
    /// The span, repaired where it had to be.
    pub span: Span,
    /// The sub-lane it is drawn on, counted from 0.
    pub depth: u32,
    /// What had to be repaired.
    pub repair: Repair,
}

impl PlacedSpan {
    /// From its start to its end.
    pub fn interval(&self) -> Interval {
        Interval {
            start: self.span.start,
            end: self.span.end,
        }
    }

    /// Whether it was dropped before it began. What was cancelled while it ran, or waited, takes the time until then.
    pub fn never_ran(&self) -> bool {
        self.span.state == State::Cancelled && self.span.start == self.span.end
    }

    /// Whether it stands for a span outside of the capture, which is a piece of another.
    pub const fn is_stub(&self) -> bool {
        matches!(self.span.kind, SpanKind::Stub)
    }

    /// How long it waited between being handed to its lane and starting.
    pub fn queued(&self) -> Nanos {
        self.span.start - self.span.enqueued
    }
}

/// How far an id may run ahead of the highest one known. Beyond that the file is damaged.
const FAR: usize = 1 << 24;

/// So many chunks in the middle of rows are left open, or a sixteenth of all.
const LOOSE: usize = 256;

/// Why a span could not be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpanRefusal {
    /// Another span has this id.
    Duplicate,
    /// The id is far beyond every other.
    Far,
    /// It has no lane: an importer had too many.
    NoLane,
    /// Its lane has as many sub-lanes as one may have, and it overlaps with something on each.
    Deep,
}

/// How spans of a lane may lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowRule {
    /// It runs one at a time: what overlaps has been mended.
    OneAtATime,
    /// What contains another lies above it.
    Nested,
    /// In any way.
    Any,
}

/// So many sub-lanes a lane has at most. Spans that overlap so deeply mean nothing to anybody, and each takes a row.
pub(super) const MOST_SUBLANES: usize = 1 << 21;

/// Every span, in rows.
#[derive(Clone, Default)]
pub(super) struct SpanStore {
    places: SpanIndex,
    calls: Vec<u32>,
    pub(super) chunks: ChunkTable,
    pub(super) rows: Vec<SpanRow>,
    pub(super) rows_of: Vec<SmallList<u32>>,
    owners: Vec<(LaneId, u32)>,
    pub(super) unsettled: Vec<u32>,
    /// Chunks in the middle of their rows that are not sealed, the longest untouched first.
    loose: VecDeque<u32>,
    /// The lanes with so many sub-lanes that looking at each would take too long.
    pub(super) deep: BTreeMap<LaneId, Sublanes>,
    pub(super) nesting: Nesting,
    len: usize,
}

/// The rows of a lane.
pub(super) struct LaneRows<'a> {
    pub rows: &'a [u32],
    pub all: &'a [SpanRow],
    pub chunks: &'a [Chunk],
}

impl LaneRows<'_> {
    fn row(&self, depth: usize) -> Option<&SpanRow> {
        self.all.get(*self.rows.get(depth)? as usize)
    }
}

impl SublaneRows for LaneRows<'_> {
    fn extent(&self, depth: usize) -> RowExtent {
        self.row(depth).map_or(RowExtent::NONE, |row| {
            row.reach(self.chunks).unwrap_or(RowExtent::FREE)
        })
    }

    fn room(&self, depth: usize, span: Interval) -> RowOccupancy {
        let row = self.row(depth);
        row.map_or(RowOccupancy::Taken, |row| row.room(self.chunks, span))
    }

    fn has_within(&self, depth: usize, span: Interval) -> bool {
        let row = self.row(depth);
        row.is_some_and(|row| row.has_within(self.chunks, span))
    }
}

impl SpanStore {
    pub fn len(&self) -> usize {
        self.len
    }

    /// One more than the highest id.
    pub fn ids(&self) -> usize {
        self.places.len()
    }

    /// Whether a lane is not far beyond those that are known.
    pub(super) fn may_have(&self, lane: LaneId) -> bool {
        lane.is_some() && lane.index() <= self.rows_of.len() + FAR
    }

    /// Takes a span of a lane with a rule.
    pub fn insert(&mut self, span: &Span, rule: RowRule) -> Result<(), SpanRefusal> {
        let index = span.id.index();
        if !span.lane.is_some() {
            return Err(SpanRefusal::NoLane);
        }
        if index > self.places.len() + FAR || !self.may_have(span.lane) {
            return Err(SpanRefusal::Far);
        }
        if self.places.get(index).is_some() {
            return Err(SpanRefusal::Duplicate);
        }
        self.places.reach(index);
        let mut entry = repaired_entry(span);
        let interval = Interval {
            start: entry.start,
            end: entry.end,
        };
        let nests = rule == RowRule::Nested;
        let least = if nests {
            self.nesting.least(span.lane, interval)
        } else {
            0
        };
        let Some((row, depth)) = self.row_for(span.lane, interval, least) else {
            return Err(SpanRefusal::Deep);
        };
        if depth > 0 && rule == RowRule::OneAtATime && entry.repair == Repair::None {
            entry.repair = Repair::Overlap;
        }
        self.put(span.lane, (row, depth), &entry);
        self.note_call(index, span.call);
        self.len += 1;
        if nests {
            self.note_late(span.lane, depth, interval);
        }
        Ok(())
    }

    /// Puts a span into a row of its lane.
    pub(super) fn put(&mut self, lane: LaneId, (row, depth): (u32, u32), entry: &ChunkEntry) {
        let places = &mut self.places;
        let Some(target) = self.rows.get_mut(row as usize) else {
            return impossible!("a row outside the table");
        };
        let before = target.forest().len();
        let mut split = None;
        let chunk = target.insert(row, &mut self.chunks, entry, |entries, both| {
            for entry in entries {
                places.put(entry.id.index(), both[1]);
            }
            split = Some(both);
        });
        if target.forest().len() < before {
            self.unsettled.push(row);
        }
        self.note_reach(lane, depth);
        self.places.put(entry.id.index(), chunk);
        for chunk in split.into_iter().flatten() {
            self.rest(row, chunk);
        }
        self.rest(row, chunk);
    }

    /// Remembers a chunk that was put into, unless it is the last of its row, to seal it when others were put into after
    /// it: spans that come late are often followed by more.
    fn rest(&mut self, row: u32, id: u32) {
        let is_last = self
            .rows
            .get(row as usize)
            .is_some_and(|row| row.ends_with(id));
        let Some(chunk) = self.chunks.get_mut(id as usize) else {
            return impossible!("a chunk outside the table");
        };
        if is_last || chunk.is_loose {
            return;
        }
        chunk.is_loose = true;
        self.loose.push_back(id);
        if self.loose.len() <= LOOSE.max(self.chunks.len() / 16) {
            return;
        }
        let oldest = self.loose.pop_front().map(|id| id as usize);
        let Some(chunk) = oldest.and_then(|id| self.chunks.get_mut(id)) else {
            return impossible!("a chunk that waits to be sealed is not there");
        };
        chunk.is_loose = false;
        let row = self.rows.get(chunk.row as usize);
        if oldest.is_some_and(|id| row.is_some_and(|row| !row.ends_with(id as u32))) {
            chunk.seal();
        }
    }

    fn note_call(&mut self, index: usize, call: CallId) {
        if !call.is_some() {
            return;
        }
        put(&mut self.calls, index, call.0, CallId::NONE.0);
    }

    /// A row of the lane in which a span over `interval` overlaps nothing, and its depth: the first one from `least` on below all
    /// spans that contain it, but for rows with gaps deep down, of which only some are looked into. Nothing where the lane has
    /// no more.
    pub(super) fn row_for(
        &mut self,
        lane: LaneId,
        interval: Interval,
        least: usize,
    ) -> Option<(u32, u32)> {
        if lane.index() >= self.rows_of.len() {
            let more = lane.index() + 1 - self.rows_of.len();
            self.rows_of.reserve_exact(more.max(self.rows_of.len() / 8));
            self.rows_of
                .resize_with(lane.index() + 1, SmallList::default);
        }
        let rows = self.rows_of.get(lane.index());
        let rows = rows.map_or(&[][..], SmallList::all);
        let own = LaneRows {
            rows,
            all: &self.rows,
            chunks: &self.chunks,
        };
        let found = if let Some(deep) = self.deep.get(&lane) {
            deep.find(interval, least, &own)
        } else {
            (0..rows.len()).fold(None, |found, depth| match own.room(depth, interval) {
                RowOccupancy::Free => found.or((depth >= least).then_some(depth)),
                RowOccupancy::Within => None,
                RowOccupancy::Taken => found,
            })
        };
        if let Some((depth, &row)) = found.and_then(|depth| Some((depth, rows.get(depth)?))) {
            return Some((row, depth as u32));
        }
        let known = rows.len();
        if known >= MOST_SUBLANES {
            return None;
        }
        for depth in known..=known.max(least) {
            let row = self.rows.len() as u32;
            push(&mut self.rows, SpanRow::default());
            push(&mut self.owners, (lane, depth as u32));
            if let Some(rows) = self.rows_of.get_mut(lane.index()) {
                rows.push(row);
            }
        }
        Some((self.rows.len() as u32 - 1, known.max(least) as u32))
    }

    /// A span was put into a row: the tree over its lane's sub-lanes learns of it, where there are enough for one.
    fn note_reach(&mut self, lane: LaneId, depth: u32) {
        let depth = depth as usize;
        let is_deep = self.deep.contains_key(&lane);
        if depth < SHALLOW && !is_deep {
            return;
        }
        let rows = self.rows_of.get(lane.index());
        let own = LaneRows {
            rows: rows.map_or(&[][..], SmallList::all),
            all: &self.rows,
            chunks: &self.chunks,
        };
        let deep = self.deep.entry(lane).or_default();
        let first = if is_deep { depth } else { 0 };
        (first..=depth).for_each(|depth| deep.put(depth, &own));
    }

    /// Makes the forests whole after insertions in the middle; called once a batch.
    pub fn update_forests(&mut self) {
        for row in self.unsettled.drain(..) {
            if let Some(row) = self.rows.get_mut(row as usize) {
                row.update_forest(&self.chunks);
            }
        }
    }

    /// How many sub-lanes the lane has.
    pub fn depth(&self, lane: LaneId) -> usize {
        let rows = self.rows_of.get(lane.index());
        let rows = rows.map_or(&[][..], SmallList::all);
        // Rows at the bottom in which nothing is left are there for what comes.
        let is_empty = |row: &&u32| {
            let row = self.rows.get(**row as usize);
            row.is_none_or(SpanRow::is_empty)
        };
        rows.len() - rows.iter().rev().take_while(is_empty).count()
    }

    pub fn row(&self, lane: LaneId, depth: usize) -> Option<&SpanRow> {
        self.rows
            .get(*self.rows_of.get(lane.index())?.all().get(depth)? as usize)
    }

    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    pub fn get(&self, id: SpanId) -> Option<PlacedSpan> {
        let chunk = self.chunks.get(self.places.get(id.index())? as usize)?;
        let entry = chunk.entry(chunk.position(id)?)?;
        let &(lane, depth) = self.owners.get(chunk.row as usize)?;
        Some(entry.placed(lane, depth, self.call(id)))
    }

    pub fn lane_of(&self, id: SpanId) -> Option<LaneId> {
        let chunk = self.chunks.get(self.places.get(id.index())? as usize)?;
        self.owners.get(chunk.row as usize).map(|it| it.0)
    }

    /// The spans of these numbers. What follows a span in its chunk mostly has the next number there, so that few are looked
    /// for.
    pub fn numbered(&self, ids: Range<u32>) -> impl Iterator<Item = PlacedSpan> {
        let mut nexts: Vec<NextPlace> = Vec::new();
        ids.filter_map(move |id| {
            let id = SpanId(id);
            let place = self.places.get(id.index())? as usize;
            let chunk = self.chunks.get(place)?;
            let at = if chunk.len() > FEW {
                if nexts.len() <= place {
                    reach(&mut nexts, place);
                }
                nexts.get_mut(place)?.find(chunk, id)?
            } else {
                chunk.position(id)?
            };
            let &(lane, depth) = self.owners.get(chunk.row as usize)?;
            Some(chunk.entry(at)?.placed(lane, depth, self.call(id)))
        })
    }

    pub fn call(&self, id: SpanId) -> CallId {
        self.calls
            .get(id.index())
            .map_or(CallId::NONE, |&call| CallId(call))
    }

    /// The spans of one sub-lane that overlap `interval`, or touch it with no length, by start.
    pub fn spans_in(
        &self,
        lane: LaneId,
        depth: usize,
        interval: Interval,
    ) -> impl Iterator<Item = PlacedSpan> {
        let row = self.row(lane, depth);
        let spot = row.map(|row| row.first_touching(&self.chunks, interval.start));
        let walk = std::iter::successors(spot, move |&RowPosition { chunk, at }| {
            let len = row?.chunk(&self.chunks, chunk)?.len();
            Some(if at + 1 < len {
                RowPosition { chunk, at: at + 1 }
            } else {
                RowPosition {
                    chunk: chunk + 1,
                    at: 0,
                }
            })
        });
        let entries = walk
            .map_while(move |RowPosition { chunk, at }| row?.chunk(&self.chunks, chunk)?.entry(at));
        entries
            .take_while(move |entry| entry.start < interval.end)
            .map(move |entry| entry.placed(lane, depth as u32, self.call(entry.id)))
    }

    /// The neighbour of a span on its sub-lane: the next one by start, or the one before.
    pub fn neighbour(&self, id: SpanId, forward: bool) -> Option<SpanId> {
        let chunk_id = self.places.get(id.index())?;
        let chunk = self.chunks.get(chunk_id as usize)?;
        let at = chunk.position(id)?;
        let row = self.rows.get(chunk.row as usize)?;
        let inside = if forward {
            Some(at + 1)
        } else {
            at.checked_sub(1)
        };
        if let Some(id) = inside.and_then(|at| chunk.id(at)) {
            return Some(id);
        }
        let position = row.position(chunk_id, chunk.start(at)?)?;
        let position = if forward {
            position + 1
        } else {
            position.checked_sub(1)?
        };
        let next = row.chunk(&self.chunks, position)?;
        next.id(if forward {
            0
        } else {
            next.len().checked_sub(1)?
        })
    }

    /// Seals every chunk, whether more is to come or not.
    #[cfg(test)]
    pub fn seal_all(&mut self) {
        for chunk in self.chunks.iter_mut() {
            chunk.seal();
        }
    }

    /// Opens every chunk.
    #[cfg(test)]
    pub fn open_all(&mut self) {
        self.chunks.iter_mut().for_each(Chunk::unseal);
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let chunks: usize = self.chunks.iter().map(Chunk::heap_bytes).sum();
        let rows: usize = self.rows.iter().map(SpanRow::heap_bytes).sum();
        let headers = self.chunks.heap_bytes() + self.rows.capacity() * size_of::<SpanRow>();
        let of_lanes: usize = self.rows_of.iter().map(SmallList::heap_bytes).sum();
        let lanes = of_lanes
            + self.rows_of.capacity() * size_of::<SmallList<u32>>()
            + self.owners.capacity() * size_of::<(LaneId, u32)>();
        let loose = self.loose.capacity() * 4;
        let deep: usize = self.deep.values().map(Sublanes::heap_bytes).sum();
        chunks
            + rows
            + headers
            + lanes
            + loose
            + deep
            + self.nesting.heap_bytes()
            + self.places.heap_bytes()
            + self.calls.capacity() * 4
    }
}

/// A span as it will be kept: never of negative length, never enqueued after its start.
fn repaired_entry(span: &Span) -> ChunkEntry {
    let mut entry = ChunkEntry {
        id: span.id,
        name: span.name,
        kind: span.kind,
        state: span.state,
        repair: Repair::None,
        enqueued: span.enqueued,
        start: span.start,
        end: span.end,
    };
    if span.enqueued > span.start {
        (entry.enqueued, entry.repair) = (span.start, Repair::LateEnqueue);
    }
    if span.end < span.start {
        (entry.end, entry.repair) = (span.start, Repair::NegativeLength);
    }
    entry
}
