//! Call trees from the bottom up: what was called, and below it who called it.

use std::cmp::Reverse;

use record::NameId;
use record::time::Nanos;

use super::call_tree::{CallNode, CallTree, TreeDraft};

/// Nodes that are kept at most: a stack has as many callers as it is deep, and each may be of a way of its own.
const MOST_NODES: usize = 4_000_000;
/// Callers above a call that are followed at most.
const MOST_CALLERS: usize = 1_024;

impl CallTree {
    /// The same calls from the bottom up: a node for each name, below it one for each of its callers, and so on. Its times,
    /// launches and bytes are those of the calls of that name that were made by that way; what calls itself by the same way is in
    /// the outer call already, and counts once.
    #[must_use]
    pub fn bottom_up(&self) -> Self {
        let mut draft = TreeDraft::default();
        let mut is_cut = false;
        let mut path = Vec::new();
        for (place, node) in self.nodes.iter().enumerate() {
            path.clear();
            path.extend(self.path(place).take(MOST_CALLERS + 1));
            let repeated = repeated(&path);
            let mut parent = None;
            let most = path.len().min(MOST_CALLERS);
            is_cut |= path.len() > MOST_CALLERS;
            for (level, name) in path.iter().take(most).enumerate() {
                if draft.len() >= MOST_NODES {
                    is_cut = true;
                    break;
                }
                let own = draft.child(parent, *name);
                if let Some(own) = draft.get_mut(own) {
                    add(own, node, level < repeated);
                }
                parent = Some(own);
            }
        }
        let (nodes, _) = draft.finish(|it| (Reverse(it.host_self), Reverse(it.host_total)));
        Self {
            nodes,
            is_cut: is_cut || self.is_cut,
            self_time: self.self_time,
            is_bottom_up: true,
            ..Self::default()
        }
    }

    /// The time by which a node is as wide as it is in a flame graph: its total time, or of a tree from the bottom up its self
    /// time, which is that of what was called as far as it came by these callers.
    pub const fn width(&self, node: &CallNode) -> Nanos {
        if self.is_bottom_up {
            node.host_self
        } else {
            node.host_total
        }
    }

    /// The nodes, of a tree from the outermost calls in, whose names from themselves outwards begin with `path`: those that make
    /// up a node from the bottom up.
    pub fn ending_with<'a>(&'a self, path: &'a [NameId]) -> impl Iterator<Item = usize> + 'a {
        let nodes = 0..self.nodes.len();
        nodes.filter(|node| {
            let own = self.path(*node).take(path.len());
            own.eq(path.iter().copied())
        })
    }
}

/// For how many of the names from a call outwards, counted from itself, an outer call has the same ones: its time lies in that
/// call's already.
fn repeated(path: &[NameId]) -> usize {
    let mut most = 0;
    for outer in 1..path.len() {
        let rest = path.get(outer..).unwrap_or_default();
        if rest.len() <= most {
            break;
        }
        let same = path
            .iter()
            .zip(rest)
            .take_while(|(own, outer)| own == outer);
        most = most.max(same.count());
    }
    most
}

/// Adds calls to a node; of what lies in an outer call of it already only how often it was called and its own time.
fn add(to: &mut CallNode, of: &CallNode, is_within: bool) {
    to.count += of.count;
    to.host_self += of.host_self;
    if of.longest_length > to.longest_length {
        (to.longest, to.longest_length) = (of.longest, of.longest_length);
    }
    if is_within {
        return;
    }
    to.host_total += of.host_total;
    to.device += of.device;
    to.launches += of.launches;
    to.bytes = to.bytes.saturating_add(of.bytes);
}
