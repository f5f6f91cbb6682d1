//! Finds the sub-lane of a deep lane in which a span fits, without a look at every sub-lane.

use super::row::RowOccupancy;
use record::impossible;
use record::time::{Interval, Nanos};

/// Sub-lanes from which on a lane has a tree over them. A few are looked at in turn as quickly.
pub(super) const SHALLOW: usize = 32;
/// Sub-lanes that may be looked into for a gap in vain before only those count that are free behind or before all of their
/// spans. Spans that come by their start never need one.
const LOOKS: usize = 64;

/// From when to when the spans of a row are; of several rows, what leaves most room.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowExtent {
    /// The end of the last span, and of several rows the earliest of these.
    pub end: Nanos,
    /// The start of the last span, and of several rows the latest of these.
    pub last: Nanos,
    /// The start of the first span, and of several rows the latest of these.
    pub first: Nanos,
    /// Of several rows the latest end of a span, and the earliest start of one.
    pub outermost: (Nanos, Nanos),
}

impl RowExtent {
    /// Of no row: nothing fits.
    const NONE: Self = Self {
        end: Nanos::MAX,
        last: Nanos::MIN,
        first: Nanos::MIN,
        outermost: (Nanos::MIN, Nanos::MAX),
    };

    fn join(self, other: Self) -> Self {
        Self {
            end: self.end.min(other.end),
            last: self.last.max(other.last),
            first: self.first.max(other.first),
            outermost: (
                self.outermost.0.max(other.outermost.0),
                self.outermost.1.min(other.outermost.1),
            ),
        }
    }

    /// Whether a row among these is free behind all of its spans, or before them.
    fn is_free(self, span: Interval) -> bool {
        self.end <= span.start || self.first >= span.end
    }

    /// Whether a span of a row among these may contain the span.
    fn may_contain(self, span: Interval) -> bool {
        self.outermost.0 >= span.end
            && self.outermost.1 <= span.start
            && self.outermost.0 > span.start
    }

    /// Whether a row among these may have a gap for the span.
    fn may_fit(self, span: Interval) -> bool {
        self.end <= span.start || self.last >= span.end
    }
}

/// A tree over the sub-lanes of one lane: its leaves are rows, and each node knows what leaves most room below it.
#[derive(Clone, Default)]
pub(super) struct Sublanes {
    count: usize,
    /// The root at 1, the two below a node at twice its place and behind that; the leaves are the second half.
    nodes: Vec<RowExtent>,
}

impl Sublanes {
    /// A span was put into the row at a depth, which may be the one below all others.
    pub fn put(&mut self, depth: usize, reach: RowExtent) {
        if depth < self.count {
            self.set(depth, reach);
        } else {
            self.push(reach);
        }
    }

    /// Adds the row below all others.
    pub fn push(&mut self, reach: RowExtent) {
        let half = self.nodes.len() / 2;
        if self.count >= half {
            let leaves = self
                .nodes
                .get(half..)
                .unwrap_or_else(|| impossible!("a tree without its leaves"))
                .to_vec();
            let half = (half * 2).max(SHALLOW);
            self.nodes = vec![RowExtent::NONE; half * 2];
            for (slot, leaf) in self.nodes.iter_mut().skip(half).zip(leaves) {
                *slot = leaf;
            }
            (1..half).rev().for_each(|node| self.renew(node));
        }
        self.count += 1;
        self.set(self.count - 1, reach);
    }

    fn set(&mut self, depth: usize, reach: RowExtent) {
        let mut node = self.nodes.len() / 2 + depth;
        if let Some(slot) = self.nodes.get_mut(node) {
            *slot = reach;
        }
        while node > 1 {
            node /= 2;
            self.renew(node);
        }
    }

    fn renew(&mut self, node: usize) {
        let joined = self.at(node * 2).join(self.at(node * 2 + 1));
        if let Some(slot) = self.nodes.get_mut(node) {
            *slot = joined;
        }
    }

    fn at(&self, node: usize) -> RowExtent {
        self.nodes.get(node).copied().unwrap_or(RowExtent::NONE)
    }

    /// The depth of the deepest row with a span that contains `span`, as far as a bounded number of looks shows. Where spans come
    /// by their start only the last span of a row can be one; a capture that is opened again has them in another order, and
    /// must draw them as before.
    fn deepest_around(
        &self,
        span: Interval,
        room: impl Fn(usize) -> RowOccupancy,
    ) -> Option<usize> {
        let half = self.nodes.len() / 2;
        let mut open = vec![1];
        for _ in 0..LOOKS * 4 {
            let node = open.pop()?;
            if !self.at(node).may_contain(span) {
                continue;
            }
            if node < half {
                open.extend([node * 2, node * 2 + 1]);
            } else if room(node - half) == RowOccupancy::Within {
                return Some(node - half);
            }
        }
        None
    }

    /// Whether all rows below a node are above a depth.
    fn is_above(&self, node: usize, depth: usize) -> bool {
        let half = self.nodes.len() / 2;
        let levels = half.ilog2().saturating_sub(node.ilog2());
        ((node + 1) << levels) <= half + depth
    }

    /// The depth of the first row that takes `span` below those that contain it; `room` looks into a row.
    pub fn find(&self, span: Interval, room: impl Fn(usize) -> RowOccupancy) -> Option<usize> {
        let half = self.nodes.len() / 2;
        let around = self.deepest_around(span, &room);
        let from = around.map_or(0, |depth| depth + 1);
        let mut looks = 0;
        let mut open = vec![1];
        while let Some(node) = open.pop() {
            let reach = self.at(node);
            let counts = if looks < LOOKS {
                reach.may_fit(span)
            } else {
                reach.is_free(span)
            };
            if !counts || self.is_above(node, from) {
                continue;
            }
            if node < half {
                open.extend([node * 2 + 1, node * 2]);
                continue;
            }
            let depth = node - half;
            if depth >= self.count {
                continue;
            }
            if reach.is_free(span) || room(depth) == RowOccupancy::Free {
                return Some(depth);
            }
            looks += 1;
        }
        None
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<RowExtent>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(start: i64, end: i64) -> RowExtent {
        RowExtent {
            end: Nanos(end),
            last: Nanos(start),
            first: Nanos(start),
            outermost: (Nanos(end), Nanos(start)),
        }
    }

    fn span(start: i64, end: i64) -> Interval {
        Interval::new(Nanos(start), Nanos(end))
    }

    #[test]
    fn the_first_row_with_room_is_found_however_many_there_are() {
        let mut rows = Sublanes::default();
        for row in 0..1_000 {
            rows.push(reach(100, 2_000 - row));
        }
        let never = |_| -> RowOccupancy { unreachable!("no row has a gap") };
        assert_eq!(rows.find(span(1_500, 9_000), never), Some(500));
        assert_eq!(rows.find(span(1_000, 9_000), never), None);
        assert_eq!(rows.find(span(0, 100), never), Some(0));
        rows.set(700, reach(1_500, 1_501));
        assert_eq!(
            rows.find(span(1_200, 1_300), |_| RowOccupancy::Taken),
            Some(700)
        );
    }

    #[test]
    fn a_span_lies_below_those_that_contain_it() {
        let mut rows = Sublanes::default();
        for row in 0..1_000 {
            rows.push(reach(100, if row == 700 { 5_000 } else { 200 }));
        }
        let room = |depth| match depth {
            700 => RowOccupancy::Within,
            _ => unreachable!("no other row has a span that reaches so far"),
        };
        assert_eq!(rows.find(span(300, 400), room), Some(701));
        assert_eq!(rows.find(span(300, 6_000), room), Some(0));
        assert_eq!(rows.find(span(5_000, 5_000), room), Some(0));
    }

    #[test]
    fn gaps_are_looked_for_a_bounded_number_of_times() {
        let mut rows = Sublanes::default();
        for _ in 0..10_000 {
            rows.push(RowExtent {
                first: Nanos(0),
                ..reach(1_000, 1_001)
            });
        }
        let looked = std::cell::Cell::new(0);
        let fits = |depth| {
            looked.set(looked.get() + 1);
            if depth == 3 {
                RowOccupancy::Free
            } else {
                RowOccupancy::Taken
            }
        };
        // Not one of the deepest contains the span; from above the fourth has a gap.
        assert_eq!(rows.find(span(500, 501), fits), Some(3));
        let of_both = looked.replace(0);
        assert!(of_both <= LOOKS * 4, "{of_both}");
        assert_eq!(
            rows.find(span(500, 501), |_| {
                looked.set(looked.get() + 1);
                RowOccupancy::Taken
            }),
            None
        );
        assert_eq!(looked.get(), of_both - 4 + LOOKS);
    }
}
