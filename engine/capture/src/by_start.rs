//! The spans of a lane in the order in which they began, whatever sub-lane they are on.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::{Capture, PlacedSpan};
use record::time::{Interval, Nanos};
use record::{LaneId, SpanId};

/// Sub-lanes up to which each is read by an iterator of its own.
const MOST_ROWS: usize = 4_096;
/// Spans for each sub-lane below which those of more sub-lanes are sorted instead: an iterator is many times what is sorted of a
/// span, and to sort all for each stretch of a lane takes long where they are many.
const FEW: usize = 4;

impl Capture {
    /// The spans of a lane that overlap `interval`, by start, of equal ones the longest first, then by sub-lane: what holds
    /// another comes before it.
    pub fn spans_by_start(
        &self,
        lane: LaneId,
        interval: Interval,
    ) -> impl Iterator<Item = PlacedSpan> {
        let depth = self.depth(lane);
        let is_sorted = depth > MOST_ROWS && self.span_count() < FEW * depth;
        let (few, many) = if is_sorted { (0, depth) } else { (depth, 0) };
        let row = move |depth: usize| self.spans_of(lane, depth, interval);
        let merged = SpansByStart::new((0..few).map(row).collect());
        let mut sorted: Vec<StartedSpan> = Vec::new();
        // As many as there are sub-lanes, most often, and not twice that for a while.
        sorted.reserve_exact(many);
        sorted.extend((0..many).flat_map(row).map(StartedSpan::of));
        self.sort_by_start(&mut sorted);
        let sorted = sorted.into_iter();
        merged.chain(sorted.filter_map(|it| self.span(SpanId(it.span))))
    }

    /// Sorts by start, and of equal ones the longest first, then by sub-lane.
    fn sort_by_start(&self, spans: &mut [StartedSpan]) {
        spans.sort_unstable_by_key(StartedSpan::start);
        for together in spans.chunk_by_mut(|a, b| a.start() == b.start()) {
            if together.len() > 1 {
                together.sort_by_cached_key(|it| {
                    let placed = self.span(SpanId(it.span));
                    placed.map(|it| (Reverse(it.span.end), it.depth, it.span.id))
                });
            }
        }
    }
}

/// When a span began, in halves so that millions take no room for alignment, and its number.
#[derive(Clone, Copy)]
struct StartedSpan {
    start: [u32; 2],
    span: u32,
}

impl StartedSpan {
    fn of(placed: PlacedSpan) -> Self {
        let start = placed.span.start.0;
        Self {
            start: [(start >> 32) as u32, start as u32],
            span: placed.span.id.0,
        }
    }

    fn start(&self) -> i64 {
        let [high, low] = self.start;
        i64::from(high as i32) << 32 | i64::from(low)
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
