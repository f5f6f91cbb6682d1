//! The spans of a lane in the order in which they began, whatever sub-lane they are on.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::{Capture, PlacedSpan};
use record::LaneId;
use record::time::{Interval, Nanos};

impl Capture {
    /// The spans of a lane that overlap `interval`, by start, of equal ones the longest first, then by sub-lane: what holds
    /// another comes before it.
    pub fn spans_by_start(
        &self,
        lane: LaneId,
        interval: Interval,
    ) -> impl Iterator<Item = PlacedSpan> {
        let rows = (0..self.depth(lane)).map(|depth| self.spans_of(lane, depth, interval));
        SpansByStart::new(rows.collect())
    }
}

/// Several rows of spans, each by start, as one.
struct SpansByStart<I> {
    rows: Vec<I>,
    heads: BinaryHeap<RowHead>,
}

/// The next span of a row.
struct RowHead {
    placed: PlacedSpan,
    row: usize,
}

impl<I: Iterator<Item = PlacedSpan>> SpansByStart<I> {
    fn new(mut rows: Vec<I>) -> Self {
        let heads = rows.iter_mut().enumerate();
        let heads = heads.filter_map(|(row, spans)| {
            let placed = spans.next()?;
            Some(RowHead { placed, row })
        });
        let heads = heads.collect();
        Self { rows, heads }
    }
}

impl<I: Iterator<Item = PlacedSpan>> Iterator for SpansByStart<I> {
    type Item = PlacedSpan;

    fn next(&mut self) -> Option<PlacedSpan> {
        let mut first = self.heads.peek_mut()?;
        let found = first.placed;
        match self.rows.get_mut(first.row).and_then(Iterator::next) {
            Some(next) => first.placed = next,
            None => {
                PeekMut::pop(first);
            }
        }
        Some(found)
    }
}

impl RowHead {
    const fn key(&self) -> (Nanos, Reverse<Nanos>, u32) {
        let span = &self.placed.span;
        (span.start, Reverse(span.end), self.placed.depth)
    }
}

// A heap gives its greatest: that is what began first.
impl Ord for RowHead {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl PartialOrd for RowHead {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for RowHead {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for RowHead {}
