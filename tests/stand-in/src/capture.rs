//! What is captured instead of run, and the graphs that come of it.

use std::collections::{BTreeMap, BTreeSet};

use crate::codes::CAPTURE_INVALIDATED;
use crate::operation::Plan;

/// Nodes that the next one comes after.
pub type Frontier = BTreeSet<usize>;

/// Everything that is being captured.
#[derive(Default)]
pub struct Captures {
    open: BTreeMap<usize, Capture>,
    next: usize,
}

/// One capture.
#[derive(Default)]
pub struct Capture {
    /// The stream that began it.
    pub origin: usize,
    /// Its nodes.
    pub nodes: Vec<Node>,
}

/// A node: what it does, and what it comes after.
#[derive(Clone)]
pub struct Node {
    /// What it does.
    pub plan: Plan,
    /// Those that it comes right after.
    pub before: Frontier,
    /// What the driver gives to name it.
    pub handle: usize,
}

/// Nodes, each after those that it comes after.
pub struct Graph {
    /// They.
    pub nodes: Vec<Node>,
}

impl Captures {
    /// Begins one on the stream `origin`.
    pub fn begin(&mut self, origin: usize) -> usize {
        self.next += 1;
        let capture = Capture {
            origin,
            nodes: Vec::new(),
        };
        self.open.insert(self.next, capture);
        self.next
    }

    /// One that is under way.
    pub fn get(&self, capture: usize) -> Option<&Capture> {
        self.open.get(&capture)
    }

    /// Adds a node.
    ///
    /// # Errors
    /// The capture is not under way any more.
    pub fn push(
        &mut self,
        capture: usize,
        handle: usize,
        plan: Plan,
        before: &Frontier,
    ) -> Result<usize, i32> {
        let capture = self.open.get_mut(&capture).ok_or(CAPTURE_INVALIDATED)?;
        capture.nodes.push(Node {
            plan,
            before: before.clone(),
            handle,
        });
        Ok(capture.nodes.len() - 1)
    }

    /// Ends one.
    pub fn end(&mut self, capture: usize) -> Option<Capture> {
        self.open.remove(&capture)
    }
}

impl Capture {
    /// Whether all of its nodes come before one of these, or are among them.
    pub fn is_joined(&self, frontier: &Frontier) -> bool {
        let mut seen = BTreeSet::new();
        let mut open: Vec<usize> = frontier.iter().copied().collect();
        while let Some(node) = open.pop() {
            if seen.insert(node) {
                open.extend(self.nodes.get(node).iter().flat_map(|it| &it.before));
            }
        }
        seen.len() == self.nodes.len()
    }
}

impl Graph {
    /// The same nodes under other names.
    pub fn named(&self, handles: &[usize]) -> Self {
        let named = |(node, handle): (&Node, &usize)| Node {
            handle: *handle,
            ..node.clone()
        };
        Self {
            nodes: self.nodes.iter().zip(handles).map(named).collect(),
        }
    }

    /// What its nodes are named by.
    pub fn handles(&self) -> Vec<usize> {
        self.nodes.iter().map(|node| node.handle).collect()
    }

    /// Whether another graph can take its place: the same nodes after the same ones.
    pub fn is_alike(&self, other: &Self) -> bool {
        let sort = |node: &Node| {
            (
                std::mem::discriminant(&node.plan.action),
                node.before.clone(),
            )
        };
        self.nodes.iter().map(sort).eq(other.nodes.iter().map(sort))
    }
}
