//! Finds the sub-lane of a deep lane in which a span fits, without a look at every sub-lane.

use std::ops::Range;

use super::row::RowOccupancy;
use record::time::{Interval, Nanos};

/// Sub-lanes from which on a lane has a tree over them. A few are looked at in turn as quickly.
pub(super) const SHALLOW: usize = 32;
/// Sub-lanes that may be looked into for a gap in vain before only those count that are free behind or before all of their
/// spans. Spans that come by their start never need one.
const LOOKS: usize = 64;
/// Rows of a leaf. A row is looked at when its leaf is, so that the tree need not hold what each leaves: of very many rows with a
/// span or two each that would be most of what they take.
const BLOCK: usize = 16;

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
    pub const NONE: Self = Self {
        end: Nanos::MAX,
        last: Nanos::MIN,
        first: Nanos::MIN,
        outermost: (Nanos::MIN, Nanos::MAX),
    };

    /// Of a row without spans: everything fits.
    pub const FREE: Self = Self {
        end: Nanos::MIN,
        last: Nanos::MIN,
        first: Nanos::MAX,
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

/// A tree over the sub-lanes of one lane: its leaves are blocks of rows, and each node knows what leaves most room below it.
/// What a row leaves is the rows' own, and is asked for.
#[derive(Clone, Default)]
pub(super) struct Sublanes {
    count: usize,
    /// The root at 1, the two below a node at twice its place and behind that; the leaves are the second half.
    nodes: Vec<RowExtent>,
}

/// What is asked of the row at a depth: from when to when its spans are, and whether it takes a span.
pub(super) trait SublaneRows {
    /// From when to when its spans are.
    fn extent(&self, depth: usize) -> RowExtent;
    /// Whether a span overlaps none of its spans, or lies within one.
    fn room(&self, depth: usize, span: Interval) -> RowOccupancy;
    /// Whether one of its spans lies within a span.
    fn has_within(&self, depth: usize, span: Interval) -> bool;
}

impl Sublanes {
    /// A span was put into the row at a depth, which may be the one below all others.
    pub fn put(&mut self, depth: usize, rows: &impl SublaneRows) {
        let half = self.nodes.len() / 2;
        if depth / BLOCK >= half {
            // The leaves move behind all that was there, in place: of millions a second list would be the most that is held.
            let leaves = self.count.div_ceil(BLOCK);
            let longer = (half * 2).max(1);
            self.nodes.reserve_exact(longer * 2 - self.nodes.len());
            self.nodes.resize(longer * 2, RowExtent::NONE);
            self.nodes.copy_within(half..half + leaves, longer);
            (1..longer).rev().for_each(|node| self.renew(node));
        }
        self.count = self.count.max(depth + 1);
        self.set(depth / BLOCK, rows);
    }

    /// The depths of a block's rows.
    fn block(&self, block: usize) -> Range<usize> {
        block * BLOCK..((block + 1) * BLOCK).min(self.count)
    }

    fn set(&mut self, block: usize, rows: &impl SublaneRows) {
        let mut node = self.nodes.len() / 2 + block;
        let extents = self.block(block).map(|depth| rows.extent(depth));
        let joined = extents.fold(RowExtent::NONE, RowExtent::join);
        if let Some(slot) = self.nodes.get_mut(node) {
            *slot = joined;
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
    fn deepest_around(&self, span: Interval, rows: &impl SublaneRows) -> Option<usize> {
        let half = self.nodes.len() / 2;
        let mut open = vec![1];
        let mut looks = 0;
        while looks < LOOKS * 4 {
            looks += 1;
            let node = open.pop()?;
            if !self.at(node).may_contain(span) {
                continue;
            }
            if node < half {
                open.extend([node * 2, node * 2 + 1]);
                continue;
            }
            for depth in self.block(node - half).rev() {
                if !rows.extent(depth).may_contain(span) {
                    continue;
                }
                looks += 1;
                if rows.room(depth, span) == RowOccupancy::Within {
                    return Some(depth);
                }
            }
        }
        None
    }

    /// Whether a row above `depth` has a span that lies within `span`; it may have one where a bounded number of looks does not
    /// tell.
    pub fn may_have_within(&self, span: Interval, depth: usize, rows: &impl SublaneRows) -> bool {
        let half = self.nodes.len() / 2;
        let mut open = vec![1];
        let mut looks = 0;
        while let Some(node) = open.pop() {
            if self.at(node).last < span.start {
                continue;
            }
            looks += 1;
            if looks > LOOKS * 4 {
                return true;
            }
            if node < half {
                open.extend([node * 2 + 1, node * 2]);
                continue;
            }
            let above = self.block(node - half).filter(|it| *it < depth);
            if above.into_iter().any(|it| rows.has_within(it, span)) {
                return true;
            }
        }
        false
    }

    /// Whether all rows below a node are above a depth.
    fn is_above(&self, node: usize, depth: usize) -> bool {
        let half = self.nodes.len() / 2;
        let levels = half.ilog2().saturating_sub(node.ilog2());
        (((node + 1) << levels) - half) * BLOCK <= depth
    }

    /// The depth of the first row from `least` on that takes `span` below those that contain it.
    pub fn find(&self, span: Interval, least: usize, rows: &impl SublaneRows) -> Option<usize> {
        let half = self.nodes.len() / 2;
        let around = self.deepest_around(span, rows);
        let from = around.map_or(least, |depth| least.max(depth + 1));
        let mut looks = 0;
        let mut open = vec![1];
        while let Some(node) = open.pop() {
            let counts = |extent: RowExtent, looks| {
                if looks < LOOKS {
                    extent.may_fit(span)
                } else {
                    extent.is_free(span)
                }
            };
            if !counts(self.at(node), looks) || self.is_above(node, from) {
                continue;
            }
            if node < half {
                open.extend([node * 2 + 1, node * 2]);
                continue;
            }
            for depth in self.block(node - half).filter(|it| *it >= from) {
                let extent = rows.extent(depth);
                if !counts(extent, looks) {
                    continue;
                }
                if extent.is_free(span) || rows.room(depth, span) == RowOccupancy::Free {
                    return Some(depth);
                }
                looks += 1;
            }
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

    /// Rows as they are, and what each answers when it is looked into.
    struct ExtentRows<F> {
        extents: Vec<RowExtent>,
        room: F,
    }

    impl<F: Fn(usize) -> RowOccupancy> SublaneRows for ExtentRows<F> {
        fn extent(&self, depth: usize) -> RowExtent {
            self.extents[depth]
        }

        fn room(&self, depth: usize, _: Interval) -> RowOccupancy {
            (self.room)(depth)
        }

        fn has_within(&self, _: usize, _: Interval) -> bool {
            false
        }
    }

    fn made<F: Fn(usize) -> RowOccupancy>(
        extents: Vec<RowExtent>,
        room: F,
    ) -> (Sublanes, ExtentRows<F>) {
        let mut tree = Sublanes::default();
        let rows = ExtentRows { extents, room };
        (0..rows.extents.len()).for_each(|depth| tree.put(depth, &rows));
        (tree, rows)
    }

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
        let never = |_| -> RowOccupancy { unreachable!("no row has a gap") };
        let all = (0..1_000).map(|row| reach(100, 2_000 - row)).collect();
        let (mut tree, mut rows) = made(all, never);
        assert_eq!(tree.find(span(1_500, 9_000), 0, &rows), Some(500));
        assert_eq!(tree.find(span(1_000, 9_000), 0, &rows), None);
        assert_eq!(tree.find(span(0, 100), 0, &rows), Some(0));
        rows.extents[700] = reach(1_500, 1_501);
        tree.put(700, &rows);
        let taken = ExtentRows {
            extents: rows.extents,
            room: |_| RowOccupancy::Taken,
        };
        assert_eq!(tree.find(span(1_200, 1_300), 0, &taken), Some(700));
    }

    #[test]
    fn a_span_lies_below_those_that_contain_it() {
        let end = |row| if row == 700 { 5_000 } else { 200 };
        let all = (0..1_000).map(|row| reach(100, end(row))).collect();
        let (tree, rows) = made(all, |depth| match depth {
            700 => RowOccupancy::Within,
            _ => unreachable!("no other row has a span that reaches so far"),
        });
        assert_eq!(tree.find(span(300, 400), 0, &rows), Some(701));
        assert_eq!(tree.find(span(300, 6_000), 0, &rows), Some(0));
        assert_eq!(tree.find(span(5_000, 5_000), 0, &rows), Some(0));
    }

    #[test]
    fn gaps_are_looked_for_a_bounded_number_of_times() {
        let gap = RowExtent {
            first: Nanos(0),
            ..reach(1_000, 1_001)
        };
        let looked = std::cell::Cell::new(0);
        for (with_room, found) in [(3, Some(3)), (usize::MAX, None)] {
            looked.set(0);
            let (tree, rows) = made(vec![gap; 10_000], |depth| {
                looked.set(looked.get() + 1);
                if depth == with_room {
                    RowOccupancy::Free
                } else {
                    RowOccupancy::Taken
                }
            });
            // Not one of the deepest contains the span; from above the fourth has a gap.
            assert_eq!(tree.find(span(500, 501), 0, &rows), found);
            assert!(looked.get() <= LOOKS * 6, "{}", looked.get());
        }
    }
}
