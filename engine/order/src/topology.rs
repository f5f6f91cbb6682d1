//! What calls that are captured into a graph come after, and where memory that the graph allocates may be used.

use record::StreamIndex;
use std::collections::{BTreeMap, BTreeSet};

/// A node of a graph, by its number in the order of capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeIndex(pub u32);

/// A graph in the making (rules A37, A44): streams fork from the one that began and join it again.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// For each node, those it comes right after.
    before: Vec<BTreeSet<NodeIndex>>,
    /// For each stream that takes part, what its next node comes right after.
    frontiers: BTreeMap<StreamIndex, BTreeSet<NodeIndex>>,
    /// The node that frees what an allocation made.
    frees: BTreeMap<NodeIndex, NodeIndex>,
}

impl Topology {
    /// Capture begins on `stream`, and on no other.
    pub fn begin(stream: StreamIndex) -> Self {
        let mut topology = Self::default();
        topology.frontiers.insert(stream, BTreeSet::new());
        topology
    }

    /// A call on `stream`: it comes after what the stream's calls so far come to.
    pub fn node(&mut self, stream: StreamIndex) -> NodeIndex {
        let before = self.frontiers.get(&stream).cloned().unwrap_or_default();
        let node = self.push(before);
        self.frontiers.insert(stream, BTreeSet::from([node]));
        node
    }

    /// A node that comes after nothing, and that nothing comes after.
    pub fn apart(&mut self) -> NodeIndex {
        self.push(BTreeSet::new())
    }

    /// `stream` waits for `other`, and takes part from now on where `other` does.
    pub fn wait(&mut self, stream: StreamIndex, other: StreamIndex) {
        if let Some(frontier) = self.frontiers.get(&other).cloned() {
            self.frontiers.entry(stream).or_default().extend(frontier);
        }
    }

    /// What the next call on `stream` would come right after.
    pub fn frontier(&self, stream: StreamIndex) -> BTreeSet<NodeIndex> {
        self.frontiers.get(&stream).cloned().unwrap_or_default()
    }

    /// `stream` comes after these nodes too, and takes part from now on.
    pub fn join(&mut self, stream: StreamIndex, nodes: &BTreeSet<NodeIndex>) {
        self.frontiers.entry(stream).or_default().extend(nodes);
    }

    /// The nodes that a node comes right after, without those that the others come after.
    pub fn before(&self, node: NodeIndex) -> Vec<u32> {
        let all = self.before.get(node.0 as usize).into_iter().flatten();
        let is_last = |it: &&NodeIndex| !all.clone().any(|other| self.depends(*other, **it));
        all.clone().filter(is_last).map(|it| it.0).collect()
    }

    /// Nodes that nothing on `stream` comes after: forks that were not joined back (rule A37).
    pub fn unjoined(&self, stream: StreamIndex) -> Vec<NodeIndex> {
        let mut joined = self.frontier(stream);
        let mut open: Vec<NodeIndex> = joined.iter().copied().collect();
        while let Some(node) = open.pop() {
            let before = self.before.get(node.0 as usize).into_iter().flatten();
            open.extend(before.copied().filter(|&it| joined.insert(it)));
        }
        let all = (0..self.before.len() as u32).map(NodeIndex);
        all.filter(|node| !joined.contains(node)).collect()
    }

    /// Frees what the node `allocation` made: after all that may use it, and before what follows on streams that do.
    pub fn free(&mut self, allocation: NodeIndex) -> NodeIndex {
        let all = (0..self.before.len() as u32).map(NodeIndex);
        let users: BTreeSet<NodeIndex> = all
            .filter(|&node| node == allocation || self.depends(node, allocation))
            .collect();
        let has_after = |node| users.iter().any(|user| self.is_right_after(*user, node));
        let leaves = users.iter().copied().filter(|&node| !has_after(node));
        let leaves = leaves.collect();
        let free = self.push(leaves);
        for frontier in self.frontiers.values_mut() {
            let len = frontier.len();
            frontier.retain(|node| !users.contains(node));
            if frontier.len() < len {
                frontier.insert(free);
            }
        }
        self.frees.insert(allocation, free);
        free
    }

    /// Whether `node` comes after `other`.
    pub fn depends(&self, node: NodeIndex, other: NodeIndex) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![node];
        while let Some(next) = open.pop() {
            for &before in self.before.get(next.0 as usize).into_iter().flatten() {
                if before == other {
                    return true;
                }
                if seen.insert(before) {
                    open.push(before);
                }
            }
        }
        false
    }

    /// Whether neither comes after the other.
    pub fn is_independent(&self, node: NodeIndex, other: NodeIndex) -> bool {
        !self.depends(node, other) && !self.depends(other, node)
    }

    /// Whether `node` may use what `allocation` made: it comes after it, and not after its free.
    pub fn is_available(&self, allocation: NodeIndex, node: NodeIndex) -> bool {
        self.depends(node, allocation) && !self.is_freed(allocation, node)
    }

    /// Whether what `allocation` made is freed before `node`.
    pub fn is_freed(&self, allocation: NodeIndex, node: NodeIndex) -> bool {
        let free = self.frees.get(&allocation);
        self.depends(node, allocation) && free.is_some_and(|&free| self.depends(node, free))
    }

    fn is_right_after(&self, node: NodeIndex, other: NodeIndex) -> bool {
        let before = self.before.get(node.0 as usize);
        before.is_some_and(|before| before.contains(&other))
    }

    fn push(&mut self, before: BTreeSet<NodeIndex>) -> NodeIndex {
        self.before.push(before);
        NodeIndex(self.before.len() as u32 - 1)
    }
}
