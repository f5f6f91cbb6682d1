//! The order of the nodes of one graph: which of them use one buffer while nothing makes either come first.

use std::collections::BTreeMap;

use super::{CallOrigin, DeclaredUse, HazardKind, HostOp, Order, SyncOp};
use record::{BufferIndex, EventIndex, SpanId, StreamIndex};

/// A node of a graph, as far as its order goes.
#[derive(Clone, Copy, Debug)]
pub struct NodeOrder<'a> {
    /// What it uses.
    pub uses: &'a [DeclaredUse],
    /// The places of the nodes that it comes right after, each before its own.
    pub before: &'a [u32],
}

/// Two nodes of a graph that use one buffer, one of them writing, in no order. It is so in every replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeConflict {
    /// In which way they conflict.
    pub kind: HazardKind,
    /// The buffer.
    pub buffer: BufferIndex,
    /// The node that was captured first.
    pub first: u32,
    /// The node that was captured second.
    pub second: u32,
}

/// The conflicts of a graph's nodes with each other. Nodes that follow each other count as one stream, so that a graph
/// that is a chain costs what a stream does.
pub fn conflicts<'a>(nodes: impl IntoIterator<Item = NodeOrder<'a>>) -> Vec<NodeConflict> {
    let mut order = Order::new();
    let mut take = |place: u32, act: SyncOp, uses: &[DeclaredUse]| {
        let origin = CallOrigin {
            site: place,
            span: SpanId::NONE,
        };
        order.take(
            &HostOp {
                host: 0,
                origin,
                act,
            },
            uses,
        );
    };
    // The last node of each chain.
    let mut ends: BTreeMap<u32, StreamIndex> = BTreeMap::new();
    let mut count = 0;
    for (place, node) in nodes.into_iter().enumerate() {
        let place = place as u32;
        let continued = node.before.iter().find_map(|before| ends.remove(before));
        let own = continued.unwrap_or_else(|| {
            count += 1;
            StreamIndex(count - 1)
        });
        for before in node.before {
            take(place, SyncOp::Wait(EventIndex(*before), own), &[]);
        }
        take(place, SyncOp::Work(own), node.uses);
        take(place, SyncOp::Record(EventIndex(place), own), &[]);
        ends.insert(place, own);
    }
    let found = order.hazards().into_iter();
    found
        .map(|it| NodeConflict {
            kind: it.kind,
            buffer: it.buffer,
            first: it.first.origin.site,
            second: it.second.origin.site,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: BufferIndex = BufferIndex(0);

    fn found(nodes: &[(DeclaredUse, &[u32])]) -> Vec<(&'static str, u32, u32)> {
        let nodes = nodes.iter().map(|(it, before)| NodeOrder {
            uses: std::slice::from_ref(it),
            before,
        });
        let found = conflicts(nodes).into_iter();
        found
            .map(|it| (it.kind.label(), it.first, it.second))
            .collect()
    }

    #[test]
    fn branches_conflict_and_what_joins_them_does_not() {
        let (read, write) = (DeclaredUse::read(X), DeclaredUse::write(X));
        let chain = [(write.clone(), &[][..]), (read.clone(), &[0][..])];
        assert_eq!(found(&chain), []);
        let branches = [(write.clone(), &[][..]), (read.clone(), &[][..])];
        assert_eq!(found(&branches), [("RAW", 0, 1)]);
        let joined = [
            (read.clone(), &[][..]),
            (read, &[][..]),
            (write, &[0, 1][..]),
        ];
        assert_eq!(found(&joined), []);
    }

    #[test]
    fn a_branch_that_forks_in_the_middle_of_a_chain_does_not_come_after_its_end() {
        let (read, write) = (DeclaredUse::read(X), DeclaredUse::write(X));
        let other = DeclaredUse::write(BufferIndex(1));
        let forked = [
            (other, &[][..]),
            (write, &[0][..]),
            // Forked from the first: the chain of the first goes on to the second alone.
            (read, &[0][..]),
        ];
        assert_eq!(found(&forked), [("RAW", 1, 2)]);
    }
}
