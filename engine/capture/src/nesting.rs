//! Lanes whose spans nest, such as those of host threads: what contains another lies above it, whichever of the two came first.
//!
//! What is told as it ends comes after all that it contains. So that it lies above these all the same, the stretch of the lane
//! that it covers is given rows anew, by start, once a batch. What has begun and not ended keeps a row above what it contains, so
//! that nothing need be moved when it ends.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::chunk_entry::ChunkEntry;
use super::row::SpanRow;
use super::sublanes::Sublanes;
use super::table::{LaneRows, SpanStore};
use record::time::{Interval, Nanos};
use record::{LaneId, SmallList, SpanId, SpanStart, impossible};

/// So many spans may be moved for each that came: where ranges that last very long end in many batches, some stretches wait until
/// enough others came, instead of all being moved again and again.
const MOVES: usize = 16;
/// Sub-lanes up to which a lane's rows are given anew. No thread calls so deeply; what overlaps so often does not nest.
const MOST_ROWS: usize = 512;

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
    /// Whether it keeps its row: what begins and ends in one batch never has one to keep.
    keeps: bool,
}

impl Nesting {
    /// How many rows what has begun keeps above what starts at an instant.
    pub fn rows_above(&self, lane: LaneId, start: Nanos) -> usize {
        let open = self.open.get(&lane).map_or(&[][..], Vec::as_slice);
        let before = open.iter().take_while(|it| it.start <= start);
        before.filter(|it| it.keeps).count()
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
        let open = self.nesting.open.entry(began.lane).or_default();
        let (start, id) = (began.start, began.id);
        let place = open.partition_point(|it| (it.start, it.id) <= (start, id));
        let keeps = false;
        open.insert(place, OpenSpan { start, id, keeps });
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
        if ended.is_some_and(|it| it.keeps) {
            self.move_from(lane, end);
        }
    }

    /// What has begun in this batch, and not ended, keeps its row from now on.
    fn keep_rows(&mut self) {
        let mut first = Vec::new();
        for (lane, open) in &mut self.nesting.open {
            let new = open.iter_mut().filter(|it| !it.keeps);
            let starts = new.map(|it| {
                it.keeps = true;
                it.start
            });
            first.extend(starts.min().map(|start| (*lane, start)));
        }
        for (lane, start) in first {
            self.move_from(lane, start);
        }
    }

    /// All that starts on a lane from an instant on is given its rows anew.
    fn move_from(&mut self, lane: LaneId, from: Nanos) {
        let starts_after = |row: &SpanRow| row.starts_after(self.chunks(), from);
        if self.lane_rows(lane).any(starts_after) {
            let stretch = Interval::new(from, Nanos::MAX);
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
        let depth = depth as usize;
        if depth == 0 || self.depth(lane) > MOST_ROWS {
            return;
        }
        let has_within = |row: &SpanRow| row.has_within(self.chunks(), interval);
        if self.lane_rows(lane).take(depth).any(has_within) {
            self.nesting.late.push((lane, interval));
        }
    }

    /// Gives rows anew where something lies below what it contains, on lanes whose spans nest; called once a batch.
    pub fn nest(&mut self, nests: impl Fn(LaneId) -> bool) {
        self.keep_rows();
        for (lane, stretch) in self.nesting.take_late() {
            if !nests(lane) {
                continue;
            }
            if self.depth(lane) > MOST_ROWS {
                continue;
            }
            match self.reserve_moves(lane, stretch) {
                true => self.give_rows(lane, stretch),
                false => self.nesting.late.push((lane, stretch)),
            }
        }
    }

    /// Whether so many spans may be moved as start in a stretch of a lane; they are then.
    fn reserve_moves(&mut self, lane: LaneId, stretch: Interval) -> bool {
        let rows = self.lane_rows(lane);
        let count: usize = rows.map(|row| row.count(self.chunks(), stretch)).sum();
        let left = self.nesting.moves.checked_sub(count);
        self.nesting.moves = left.unwrap_or(self.nesting.moves);
        left.is_some()
    }

    /// Takes what starts in a stretch of a lane out of its rows, and puts it in again by start, the longest first.
    fn give_rows(&mut self, lane: LaneId, stretch: Interval) {
        let Some(rows) = self.rows_of.get(lane.index()) else {
            return;
        };
        let rows = rows.all().to_vec();
        let mut taken = self.take_from_rows(&rows, stretch);
        let mut end = stretch.end;
        // What reaches out of the stretch may lie elsewhere now, and so may what it contains.
        while let Some(further) = taken.iter().map(|it| it.end).max().filter(|it| *it > end) {
            let more = Interval::new(end, further);
            if !self.reserve_moves(lane, more) {
                self.nesting.late.push((lane, more));
                break;
            }
            taken.extend(self.take_from_rows(&rows, more));
            end = further;
        }
        if let Some(deep) = self.deep.get_mut(&lane) {
            let own = LaneRows {
                rows: &rows,
                all: &self.rows,
                chunks: &self.chunks,
            };
            *deep = Sublanes::default();
            (0..rows.len()).for_each(|depth| deep.put(depth, &own));
        }
        taken.sort_by_key(|it| (it.start, Reverse(it.end), it.id));
        for entry in taken {
            let least = self.nesting.rows_above(lane, entry.start);
            let Some(place) = self.row_for(lane, entry.interval(), least) else {
                let () = impossible!("a lane of few rows has no room for one more");
                continue;
            };
            self.put(lane, place, &entry);
        }
        self.drop_empty_rows(lane);
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

    /// Rows at the bottom in which nothing is left are none.
    fn drop_empty_rows(&mut self, lane: LaneId) {
        let Some(rows) = self.rows_of.get_mut(lane.index()) else {
            return;
        };
        let mut left = std::mem::take(rows).into_vec();
        while left
            .pop_if(|row| self.rows.get(*row as usize).is_none_or(SpanRow::is_empty))
            .is_some()
        {}
        *rows = SmallList::from(left);
    }
}

#[cfg(test)]
mod tests;
