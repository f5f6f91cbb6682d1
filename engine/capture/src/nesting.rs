//! Lanes whose spans nest, such as those of host threads: what contains another lies above it, whichever of the two came first.
//!
//! What is told as it ends comes after all that it contains. So that it lies above these all the same, the stretch of the lane
//! that it covers is given rows anew, by start, once a batch. What has begun and not ended keeps a row above what it contains, so
//! that nothing need be moved when it ends.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::chunk::CHUNK;
use super::chunk_entry::ChunkEntry;
use super::row::SpanRow;
use super::sublanes::{SublaneRows as _, Sublanes};
use super::table::{LaneRows, SpanStore};
use record::time::{Interval, Nanos};
use record::{LaneId, SmallList, SpanId, SpanStart};

/// So many spans may be moved for each that came: where ranges that last very long end in many batches, some stretches wait until
/// enough others came, instead of all being moved again and again.
const MOVES: usize = 16;
/// Rows that are looked at for what it costs to move one span.
const LOOKS: usize = 8;

/// What is not in its order yet, and what has begun.
#[derive(Clone, Default)]
pub(super) struct Nesting {
    /// What has begun on lanes and not ended, by start.
    open: BTreeMap<LaneId, Vec<OpenSpan>>,
    /// Stretches in which something may lie below what it contains.
    late: Vec<(LaneId, Interval)>,
    /// How many spans may be moved.
    moves: usize,
}

/// What has begun and not ended.
#[derive(Clone, Copy)]
struct OpenSpan {
    start: Nanos,
    id: SpanId,
    /// The row that it keeps: what begins and ends in one batch never has one.
    depth: Option<u32>,
}

/// What is given a row.
enum RowCandidate {
    Span(ChunkEntry),
    Open(OpenSpan),
}

impl RowCandidate {
    /// What holds another comes before it. What has not ended holds all that starts after it.
    fn key(&self) -> (Nanos, Reverse<Nanos>, SpanId) {
        match self {
            Self::Span(it) => (it.start, Reverse(it.end), it.id),
            Self::Open(it) => (it.start, Reverse(Nanos::MAX), it.id),
        }
    }
}

impl Nesting {
    /// The first row below all that has begun up to the end of an interval, and keeps one: it holds what starts after it, and what
    /// started before it and goes on beside it may not lie in its row either.
    pub fn least(&self, lane: LaneId, over: Interval) -> usize {
        let open = self.open.get(&lane).map_or(&[][..], Vec::as_slice);
        let beside = |it: &&OpenSpan| it.start <= over.start || it.start < over.end;
        let depths = open.iter().take_while(beside).filter_map(|it| it.depth);
        depths.max().map_or(0, |depth| depth as usize + 1)
    }

    /// The row that what has begun keeps.
    pub fn depth(&self, lane: LaneId, id: SpanId) -> Option<u32> {
        let mut open = self.open.get(&lane)?.iter();
        open.find(|it| it.id == id)?.depth
    }

    fn keep(&mut self, lane: LaneId, id: SpanId, depth: u32) {
        let open = self.open.get_mut(&lane);
        if let Some(open) = open.and_then(|all| all.iter_mut().find(|it| it.id == id)) {
            open.depth = Some(depth);
        }
    }

    /// What has begun on each lane since this was asked, and not ended.
    fn new_open(&self) -> Vec<(LaneId, Vec<OpenSpan>)> {
        let lanes = self.open.iter().map(|(lane, open)| {
            let new = open.iter().filter(|it| it.depth.is_none());
            (*lane, new.copied().collect())
        });
        lanes
            .filter(|(_, new): &(_, Vec<_>)| !new.is_empty())
            .collect()
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.late.capacity() * size_of::<(LaneId, Interval)>()
    }

    /// The stretches by lane, those that overlap as one.
    fn take_late(&mut self) -> Vec<(LaneId, Interval)> {
        let mut late = std::mem::take(&mut self.late);
        late.sort_unstable_by_key(|(lane, stretch)| (*lane, stretch.start));
        late.dedup_by(|(lane, stretch), (before, kept)| {
            let overlaps = lane == before && stretch.start <= kept.end;
            if overlaps {
                kept.end = kept.end.max(stretch.end);
            }
            overlaps
        });
        late
    }
}

impl SpanStore {
    /// Something begins on a lane: where its spans nest, what starts after it lies below it from the end of the batch on.
    pub fn begin(&mut self, began: &SpanStart) {
        // A damaged file may name any lane.
        if !self.may_have(began.lane) {
            return;
        }
        let open = self.nesting.open.entry(began.lane).or_default();
        let (start, id) = (began.start, began.id);
        let place = open.partition_point(|it| (it.start, it.id) <= (start, id));
        let depth = None;
        open.insert(place, OpenSpan { start, id, depth });
    }

    /// The row that something keeps that has begun.
    pub fn running_depth(&self, lane: LaneId, id: SpanId) -> Option<u32> {
        self.nesting.depth(lane, id)
    }

    /// What began on a lane has ended: what starts after it may lie where it was.
    pub fn end(&mut self, began: &SpanStart, end: Nanos) {
        let lane = began.lane;
        let Some(open) = self.nesting.open.get_mut(&lane) else {
            return;
        };
        let place = open.iter().position(|it| it.id == began.id);
        let ended = place.map(|place| open.remove(place));
        if open.is_empty() {
            self.nesting.open.remove(&lane);
        }
        let starts_after = |row: &SpanRow| row.starts_after(self.chunks(), end);
        if ended.is_some_and(|it| it.depth.is_some()) && self.lane_rows(lane).any(starts_after) {
            let stretch = Interval::new(end, Nanos::MAX);
            self.nesting.late.push((lane, stretch));
        }
    }

    fn lane_rows(&self, lane: LaneId) -> impl Iterator<Item = &SpanRow> {
        let rows = self.rows_of.get(lane.index());
        let rows = rows.map_or(&[][..], SmallList::all);
        rows.iter().filter_map(|row| self.rows.get(*row as usize))
    }

    /// A span was put into a row of a lane whose spans nest: what it contains may lie above it.
    pub(super) fn note_late(&mut self, lane: LaneId, depth: u32, interval: Interval) {
        self.nesting.moves += MOVES;
        if depth > 0 && self.has_within(lane, depth as usize, interval) {
            self.nesting.late.push((lane, interval));
        }
    }

    /// Whether a row of a lane above a depth may have a span within an interval: of very many rows it is not looked into each.
    fn has_within(&self, lane: LaneId, depth: usize, interval: Interval) -> bool {
        let rows = self.rows_of.get(lane.index());
        let own = LaneRows {
            rows: rows.map_or(&[][..], SmallList::all),
            all: &self.rows,
            chunks: &self.chunks,
        };
        match self.deep.get(&lane) {
            Some(deep) => deep.may_have_within(interval, depth, &own),
            None => (0..depth).any(|depth| own.has_within(depth, interval)),
        }
    }

    /// Gives rows to what has begun, and gives them anew where something lies below what it contains, on lanes whose spans nest;
    /// called once a batch.
    pub fn nest(&mut self, nests: impl Fn(LaneId) -> bool) {
        for (lane, open) in self.nesting.new_open() {
            let start = open.iter().map(|it| it.start).min().unwrap_or(Nanos::MAX);
            // Where so much may not be moved, it is put below what is there.
            let stretch = Some(Interval::new(start, Nanos::MAX));
            let stretch = stretch.filter(|it| nests(lane) && self.reserve_moves(lane, *it));
            self.give_rows(lane, stretch, open);
        }
        for (lane, stretch) in self.take_late(&nests) {
            if self.reserve_moves(lane, stretch) {
                self.give_rows(lane, Some(stretch), Vec::new());
            } else {
                self.nesting.late.push((lane, stretch));
            }
        }
    }

    /// The stretches of lanes whose spans nest in which something may lie below what it contains. Those with few spans between them
    /// are one: to take a chunk apart and make it anew costs as much as to move what is in it.
    fn take_late(&mut self, nests: impl Fn(LaneId) -> bool) -> Vec<(LaneId, Interval)> {
        let mut joined: Vec<(LaneId, Interval)> = Vec::new();
        for (lane, stretch) in self.nesting.take_late() {
            match joined.last_mut() {
                Some((before, last))
                    if *before == lane
                        && self.count(lane, Interval::new(last.end, stretch.start)) <= CHUNK =>
                {
                    last.end = stretch.end;
                }
                _ if nests(lane) => joined.push((lane, stretch)),
                _ => {}
            }
        }
        joined
    }

    /// How many spans start in a stretch of a lane.
    fn count(&self, lane: LaneId, stretch: Interval) -> usize {
        let rows = self.lane_rows(lane);
        rows.map(|row| row.count(self.chunks(), stretch)).sum()
    }

    /// Whether so many spans may be moved as start in a stretch of a lane; they are then.
    fn reserve_moves(&mut self, lane: LaneId, stretch: Interval) -> bool {
        let looks = self.depth(lane) / LOOKS;
        let Some(left) = self.nesting.moves.checked_sub(looks) else {
            return false;
        };
        let granted = left.checked_sub(self.count(lane, stretch));
        self.nesting.moves = granted.unwrap_or(left);
        granted.is_some()
    }

    /// Takes what starts in a stretch of a lane out of its rows, and puts it in again by start, the longest first, with what has
    /// begun.
    fn give_rows(&mut self, lane: LaneId, stretch: Option<Interval>, open: Vec<OpenSpan>) {
        let rows = self.rows_of.get(lane.index());
        let rows = rows.map_or(&[][..], SmallList::all).to_vec();
        let taken = stretch.map_or_else(Vec::new, |it| self.take_all(lane, &rows, it));
        if let Some(deep) = self.deep.get_mut(&lane).filter(|_| !taken.is_empty()) {
            let own = LaneRows {
                rows: &rows,
                all: &self.rows,
                chunks: &self.chunks,
            };
            *deep = Sublanes::default();
            (0..rows.len()).for_each(|depth| deep.put(depth, &own));
        }
        let open = open.into_iter().map(RowCandidate::Open);
        let mut all: Vec<RowCandidate> = taken
            .into_iter()
            .map(RowCandidate::Span)
            .chain(open)
            .collect();
        all.sort_by_key(RowCandidate::key);
        for placed in all {
            let (start, Reverse(end), _) = placed.key();
            let interval = Interval { start, end };
            let least = self.nesting.least(lane, interval);
            let Some(place) = self.row_for(lane, interval, least) else {
                // A lane that has as many rows as it may have: what has begun has none, and spans had one.
                continue;
            };
            match placed {
                RowCandidate::Span(entry) => self.put(lane, place, &entry),
                RowCandidate::Open(open) => self.nesting.keep(lane, open.id, place.1),
            }
        }
    }

    /// Takes what starts in a stretch of a lane out of its rows, and what lies in that where it reaches out of the stretch: it may
    /// lie elsewhere then, and so may what it contains.
    fn take_all(&mut self, lane: LaneId, rows: &[u32], stretch: Interval) -> Vec<ChunkEntry> {
        let mut taken = self.take_from_rows(rows, stretch);
        let mut end = stretch.end;
        while let Some(further) = taken.iter().map(|it| it.end).max().filter(|it| *it > end) {
            let more = Interval::new(end, further);
            if !self.reserve_moves(lane, more) {
                self.nesting.late.push((lane, more));
                break;
            }
            taken.extend(self.take_from_rows(rows, more));
            end = further;
        }
        taken
    }

    /// Takes what starts in a stretch of time out of some rows.
    fn take_from_rows(&mut self, rows: &[u32], stretch: Interval) -> Vec<ChunkEntry> {
        let mut taken = Vec::new();
        for row in rows {
            if let Some(own) = self.rows.get_mut(*row as usize) {
                taken.extend(own.take(&mut self.chunks, stretch));
                self.unsettled.push(*row);
            }
        }
        taken
    }
}

#[cfg(test)]
mod tests;
