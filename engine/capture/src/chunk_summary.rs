//! The nodes inside a chunk, in little more than half the room of others: counted from the chunk's base.

use super::chunk::{BLOCK, WIDE};
use super::summary_forest::SummaryNode;
use record::time::Nanos;
use record::{NameId, SpanId};

/// Blocks under a node of the upper level. A fold looks at no more nodes of a level in a row than this.
const GROUP: usize = 8;

/// What some spans come to; how many they are is known where it stands.
#[derive(Clone, Copy)]
struct ChunkSummary {
    start: u32,
    /// To the end of the last; [`WIDE`] where that is further.
    length: u32,
    busy: u32,
    longest: u32,
    span: SpanId,
    name: NameId,
    flags: u16,
}

impl ChunkSummary {
    /// That of `node`, in a chunk whose offsets are from `base`.
    fn new(node: &SummaryNode, base: i64) -> Self {
        let narrow = |number: i64| u32::try_from(number).unwrap_or(WIDE);
        Self {
            start: narrow(node.start.0 - base),
            length: narrow((node.end - node.start).0),
            busy: narrow(node.busy.0),
            longest: node.longest,
            span: node.span,
            name: node.name,
            flags: node.flags,
        }
    }

    /// Whether it is known to be no longer than a column of 2^`shift` ns.
    #[inline]
    fn fits_column(&self, shift: u32) -> bool {
        self.length != WIDE && u64::from(self.length) <= 1 << shift.min(62)
    }

    /// The same as any other node, over `count` spans. Nothing where it is too long for that: its spans have to be asked.
    #[inline]
    fn node(&self, base: i64, count: usize) -> Option<SummaryNode> {
        let start = Nanos(base + i64::from(self.start));
        (self.length != WIDE).then_some(SummaryNode {
            start,
            end: start + Nanos(i64::from(self.length)),
            busy: Nanos(i64::from(self.busy)),
            longest: self.longest,
            count: count as u32,
            span: self.span,
            name: self.name,
            flags: self.flags,
        })
    }
}

/// Nodes over each whole block of a chunk, and over each [`GROUP`] of them.
#[derive(Clone, Default)]
pub(super) struct ChunkSummaries {
    blocks: Vec<ChunkSummary>,
    groups: Vec<ChunkSummary>,
}

impl ChunkSummaries {
    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Adds the node of the next block, in a chunk whose offsets are from `base`.
    pub fn push(&mut self, node: &SummaryNode, base: i64) {
        self.blocks.push(ChunkSummary::new(node, base));
        let from = self.groups.len() * GROUP;
        let whole = self.blocks.get(from..from + GROUP);
        let Some(whole) = whole else {
            return;
        };
        let nodes = whole.iter().map(|near| near.node(base, BLOCK));
        let merged = nodes.reduce(|all, next| Some(all?.merge(next?))).flatten();
        // Where a block is too long to be written, so is what it is part of.
        let long = SummaryNode {
            end: node.start + Nanos(i64::from(WIDE)),
            ..*node
        };
        self.groups
            .push(ChunkSummary::new(&merged.unwrap_or(long), base));
    }

    /// Forgets the nodes of all blocks but the first `blocks`.
    pub fn truncate(&mut self, blocks: usize) {
        self.blocks.truncate(blocks);
        self.groups.truncate(blocks / GROUP);
    }

    /// The widest node that begins with the span `at` and fits a column, with how many spans it covers.
    #[inline]
    pub fn widest(&self, at: usize, (base, shift): (i64, u32)) -> Option<(SummaryNode, usize)> {
        const MANY: usize = BLOCK * GROUP;
        if !at.is_multiple_of(BLOCK) {
            return None;
        }
        let fits = |near: &&ChunkSummary| near.fits_column(shift);
        let group = self.groups.get(at / MANY);
        let group = group.filter(|_| at.is_multiple_of(MANY)).filter(fits);
        if let Some(node) = group.and_then(|near| near.node(base, MANY)) {
            return Some((node, MANY));
        }
        let block = self.blocks.get(at / BLOCK).filter(fits)?;
        Some((block.node(base, BLOCK)?, BLOCK))
    }

    /// The node over a block; nothing where it is not there or too long.
    pub fn block(&self, place: usize, base: i64) -> Option<SummaryNode> {
        self.blocks.get(place)?.node(base, BLOCK)
    }

    /// Gives back the room that is not used.
    pub fn shrink(&mut self) {
        self.blocks.shrink_to_fit();
        self.groups.shrink_to_fit();
    }

    /// Bytes that it holds on the heap.
    pub fn heap_bytes(&self) -> usize {
        (self.blocks.capacity() + self.groups.capacity()) * size_of::<ChunkSummary>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_comes_back_as_it_was_or_not_at_all() {
        let node = SummaryNode {
            start: Nanos(1 << 40),
            end: Nanos((1 << 40) + 5_000),
            busy: Nanos(4_000),
            longest: 900,
            count: BLOCK as u32,
            span: SpanId(7),
            name: NameId(8),
            flags: 9,
        };
        let base = (1 << 40) - 77;
        let near = ChunkSummary::new(&node, base);
        assert_eq!(near.node(base, BLOCK), Some(node));
        for shift in 0..64 {
            assert_eq!(near.fits_column(shift), node.fits_column(shift), "{shift}");
        }
        let long = SummaryNode {
            end: node.start + Nanos(i64::from(WIDE)),
            ..node
        };
        let near = ChunkSummary::new(&long, base);
        assert_eq!(near.node(base, BLOCK), None);
        assert!(!near.fits_column(63));
    }

    #[test]
    fn the_widest_node_that_fits_is_found_at_every_block() {
        let node = |at: usize, end: i64| SummaryNode {
            start: Nanos(at as i64 * 100),
            end: Nanos(at as i64 * 100 + end),
            busy: Nanos(60),
            longest: 10,
            count: BLOCK as u32,
            span: SpanId(at as u32),
            name: NameId(0),
            flags: 0,
        };
        let long = i64::from(WIDE) + 1;
        let mut nodes = ChunkSummaries::default();
        for at in 0..3 * GROUP {
            nodes.push(&node(at, if at == GROUP + 2 { long } else { 90 }), 0);
        }
        let covered = |nodes: &ChunkSummaries, at: usize, shift| {
            let found = nodes.widest(at * BLOCK, (0, shift));
            found.map(|(node, covered)| (node.start.0 / 100, node.count as usize, covered))
        };
        let many = BLOCK * GROUP;
        assert_eq!(covered(&nodes, 0, 10), Some((0, many, many)));
        assert_eq!(covered(&nodes, 0, 7), Some((0, BLOCK, BLOCK)));
        assert_eq!(covered(&nodes, 0, 6), None);
        assert_eq!(covered(&nodes, 1, 10), Some((1, BLOCK, BLOCK)));
        assert_eq!(covered(&nodes, GROUP, 40), Some((8, BLOCK, BLOCK)));
        assert_eq!(covered(&nodes, GROUP + 2, 40), None);
        assert_eq!(covered(&nodes, 2 * GROUP, 10), Some((16, many, many)));
        assert_eq!(nodes.widest(1, (0, 40)), None);
        assert_eq!(nodes.block(GROUP + 2, 0), None);
        nodes.truncate(GROUP + 1);
        assert_eq!(covered(&nodes, 0, 10), Some((0, many, many)));
        assert_eq!(covered(&nodes, GROUP, 10), Some((8, BLOCK, BLOCK)));
        nodes.truncate(GROUP - 1);
        assert_eq!(covered(&nodes, 0, 10), Some((0, BLOCK, BLOCK)));
    }
}
