//! Calls into a capture by other host threads than the one that began it.
//!
//! Where nothing orders them with the capture it is chance whether they are captured. So what the graph is without them
//! is kept as well: it is the same in every run.

use super::StreamCapture;
use order::{NodeIndex, Topology};

/// What other host threads called into a capture than the one that began it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestCalls {
    /// The call that began the capture.
    pub begun_by: u32,
    /// For each node, whether it is of another host thread.
    pub nodes: Vec<bool>,
    /// For each node, the positions of those that it comes right after where the calls of others are left out.
    pub before: Vec<Vec<u32>>,
}

impl<P> StreamCapture<P> {
    /// A host thread makes a node.
    pub(super) fn add(&mut self, host: u32, add: impl Fn(&mut Topology) -> NodeIndex) -> NodeIndex {
        let is_guest = self.is_guest(host);
        self.guests.push(is_guest);
        if is_guest {
            self.own.apart();
        } else {
            add(&mut self.own);
        }
        add(&mut self.topology)
    }

    /// A host thread calls: whether it is another than the one that began the capture.
    pub(super) const fn is_guest(&mut self, host: u32) -> bool {
        let is_guest = host != self.host;
        self.has_guests |= is_guest;
        is_guest
    }

    /// What others called, where they did.
    pub(super) fn guest_calls(&self) -> Option<GuestCalls> {
        let count = self.nodes.len() as u32;
        self.has_guests.then(|| GuestCalls {
            begun_by: self.call,
            nodes: self.guests.clone(),
            before: (0..count)
                .map(|node| self.own.before(NodeIndex(node)))
                .collect(),
        })
    }
}
