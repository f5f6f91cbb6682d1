//! Lanes whose spans nest, such as those of host threads: what contains another lies above it, whichever of the two came first.
//!
//! What is told as it ends comes after all that it contains. So that it lies above these all the same, the stretch of the lane
//! that it covers is given rows anew, by start, once a batch. What has begun and not ended keeps a row above what it contains, so
//! that nothing need be moved when it ends.

use std::cmp::Reverse;
use std::collections::BTreeMap;

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
    open: BTreeMap<LaneId, Vec<(Nanos, SpanId)>>,
    /// Stretches in which something may lie below what it contains.
    late: Vec<(LaneId, Interval)>,
    /// How many spans may be moved.
    moves: usize,
}

impl Nesting {
    /// How many rows what has begun keeps above what starts at an instant.
    pub fn rows_above(&self, lane: LaneId, start: Nanos) -> usize {
        let open = self.open.get(&lane).map_or(&[][..], Vec::as_slice);
        open.partition_point(|(begun, _)| *begun <= start)
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
    /// Something begins on a lane whose spans nest: what starts after it lies below it.
    pub fn begin(&mut self, began: &SpanStart) {
        let open = self.nesting.open.entry(began.lane).or_default();
        let place = open.partition_point(|it| *it <= (began.start, began.id));
        open.insert(place, (began.start, began.id));
        self.move_from(began.lane, began.start);
    }

    /// What began on a lane has ended: what starts after it may lie where it was.
    pub fn end(&mut self, lane: LaneId, id: SpanId, end: Nanos) {
        let Some(open) = self.nesting.open.get_mut(&lane) else {
            return;
        };
        let before = open.len();
        open.retain(|(_, other)| *other != id);
        if open.len() == before {
            return;
        }
        if open.is_empty() {
            self.nesting.open.remove(&lane);
        }
        self.move_from(lane, end);
    }

    /// All that starts on a lane from an instant on is given its rows anew.
    fn move_from(&mut self, lane: LaneId, from: Nanos) {
        let mut rows = self.lane_rows(lane);
        if rows.any(|row| row.starts_after(self.chunks(), from)) {
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
        let mut above = self.lane_rows(lane).take(depth);
        if above.any(|row| row.has_within(self.chunks(), interval)) {
            self.nesting.late.push((lane, interval));
        }
    }

    /// Gives rows anew where something lies below what it contains; called once a batch.
    pub fn nest(&mut self) {
        for (lane, stretch) in self.nesting.take_late() {
            let rows = self.lane_rows(lane);
            let count: usize = rows.map(|row| row.count(self.chunks(), stretch)).sum();
            if self.depth(lane) > MOST_ROWS {
                continue;
            }
            match self.nesting.moves.checked_sub(count) {
                Some(left) => {
                    self.nesting.moves = left;
                    self.give_rows(lane, stretch);
                }
                None => self.nesting.late.push((lane, stretch)),
            }
        }
    }

    /// Takes what starts in a stretch of a lane out of its rows, and puts it in again by start, the longest first.
    fn give_rows(&mut self, lane: LaneId, stretch: Interval) {
        let Some(rows) = self.rows_of.get(lane.index()) else {
            return;
        };
        let rows = rows.all().to_vec();
        let mut taken = Vec::new();
        for row in &rows {
            if let Some(own) = self.rows.get_mut(*row as usize) {
                taken.extend(own.take(&mut self.chunks, stretch));
                self.unsettled.push(*row);
            }
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
