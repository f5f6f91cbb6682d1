//! An implicit forest: what runs of consecutive spans come to, at eightfold steps, appended in amortised O(1).

use record::impossible;
use record::time::Nanos;
use record::{NameId, SpanId};

/// Nodes of one level under a node of the next.
pub(super) const FANOUT: usize = 8;

/// What a run of consecutive spans of one row comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SummaryNode {
    /// Start of the first.
    pub start: Nanos,
    /// End of the last.
    pub end: Nanos,
    /// The lengths of those that do not wait, added up; spans of a row never overlap, so this is busy time.
    pub busy: Nanos,
    /// Length of the longest, at most `u32::MAX` ns.
    pub longest: u32,
    /// How many there are.
    pub count: u32,
    /// The longest.
    pub span: SpanId,
    /// Name of the longest.
    pub name: NameId,
    /// Kind, state and repair of the longest.
    pub flags: u16,
}

impl SummaryNode {
    /// The node over two neighbours, `self` before `next`.
    pub fn merge(self, next: Self) -> Self {
        let longer = if next.longest > self.longest {
            next
        } else {
            self
        };
        Self {
            start: self.start,
            end: self.end.max(next.end),
            busy: self.busy + next.busy,
            count: self.count.saturating_add(next.count),
            ..longer
        }
    }

    /// Whether it is no longer than a column of 2^`shift` ns, and so may be folded into the one it starts in.
    ///
    /// It may reach into the next column. Asking for more would mean looking at single spans at every column's
    /// edge, for a difference of a point or two on screen.
    pub fn fits_column(&self, shift: u32) -> bool {
        (self.end - self.start).0 <= 1 << shift.min(62)
    }
}

/// Complete nodes over a growing list; a node exists once all that it covers is there.
#[derive(Clone, Default)]
pub(super) struct SummaryForest {
    // Few rows are so long that they have one.
    levels: Option<Box<SummaryLevels>>,
}

type SummaryLevels = Vec<Vec<SummaryNode>>;

impl SummaryForest {
    fn levels(&self) -> &[Vec<SummaryNode>] {
        self.levels.as_deref().map_or(&[], Vec::as_slice)
    }

    /// How many leaves there are.
    pub fn len(&self) -> usize {
        self.levels().first().map_or(0, Vec::len)
    }

    /// Appends a leaf and the nodes that it completes.
    pub fn push(&mut self, leaf: SummaryNode) {
        let mut node = leaf;
        let levels = self.levels.get_or_insert_default();
        for level in 0.. {
            if levels.len() == level {
                levels.push(Vec::new());
            }
            let Some(nodes) = levels.get_mut(level) else {
                return impossible!("a level just made is not there");
            };
            nodes.push(node);
            let full = nodes.len().is_multiple_of(FANOUT);
            let children = nodes
                .len()
                .checked_sub(FANOUT)
                .and_then(|from| nodes.get(from..));
            match children
                .filter(|_| full)
                .and_then(|c| c.iter().copied().reduce(SummaryNode::merge))
            {
                Some(parent) => node = parent,
                None => return,
            }
        }
    }

    /// Forgets every node over a leaf at or after `len`.
    pub fn truncate(&mut self, len: usize) {
        let mut keep = len;
        for level in self.levels.iter_mut().flat_map(|it| it.iter_mut()) {
            level.truncate(keep);
            keep /= FANOUT;
        }
    }

    /// The widest complete node that begins at leaf `at` and fits a column, with how many leaves it covers.
    pub fn widest(&self, at: usize, shift: u32) -> Option<(SummaryNode, usize)> {
        let (mut index, mut leaves, mut best) = (at, 1, None);
        for level in self.levels() {
            match level.get(index) {
                Some(node) if node.fits_column(shift) => best = Some((*node, leaves)),
                _ => return best,
            }
            if !index.is_multiple_of(FANOUT) {
                return best;
            }
            index /= FANOUT;
            leaves *= FANOUT;
        }
        best
    }

    /// Bytes that it holds on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.levels()
            .iter()
            .map(|level| level.capacity() * size_of::<SummaryNode>())
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(at: i64) -> SummaryNode {
        SummaryNode {
            start: Nanos(at * 10),
            end: Nanos(at * 10 + 5),
            busy: Nanos(5),
            longest: 5,
            count: 1,
            span: SpanId(at as u32),
            name: NameId(0),
            flags: 0,
        }
    }

    #[test]
    fn widest_node_is_the_merge_of_its_leaves() {
        let mut forest = SummaryForest::default();
        (0..600).for_each(|at| forest.push(leaf(at)));
        let (node, leaves) = forest.widest(0, 62).unwrap();
        assert_eq!((leaves, node.count, node.busy), (512, 512, Nanos(2560)));
        assert_eq!(node.end, Nanos(5115));
        let (node, leaves) = forest.widest(512, 62).unwrap();
        assert_eq!(
            (leaves, node.start),
            (64, Nanos(5120)),
            "only complete nodes exist"
        );
        assert_eq!(forest.widest(3, 62).unwrap().1, 1);
    }

    #[test]
    fn truncation_forgets_what_covers_the_cut() {
        let mut forest = SummaryForest::default();
        (0..256).for_each(|at| forest.push(leaf(at)));
        forest.truncate(70);
        assert_eq!(forest.len(), 70);
        assert_eq!(forest.widest(0, 62).unwrap().1, 64);
        assert_eq!(forest.widest(64, 62).unwrap().1, 1);
        (70..256).for_each(|at| forest.push(leaf(at)));
        assert_eq!(forest.widest(64, 62).unwrap().1, 64);
    }
}
