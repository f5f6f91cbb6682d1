//! Collective operations as compact code: names known, numbers still over variables.

use super::program::{Layout, Reference};
use super::{Collective, CollectiveCall, Expression, Reduction};
use record::{BufferIndex, StreamIndex};

/// What a call of a collective operation does, and on which stream.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CollectiveAct {
    pub what: What,
    pub on: Reference,
}

/// What ranks do together.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    AllReduce(Reference, Reduction),
    AllGather(Reference, Reference),
    ReduceScatter(Reference, Reference, Reduction),
    Broadcast(Reference, Expression),
    Send(Reference, Expression),
    Receive(Reference, Expression),
    Barrier,
}

impl CollectiveAct {
    /// The call, for these values of the variables.
    pub fn call(&self, layout: &Layout, variables: &[f64]) -> CollectiveCall {
        let buffer = |r: &Reference| BufferIndex(layout.element(r, variables));
        let rank = |e: &Expression| e.evaluate(variables).max(0.0) as u32;
        let what = match &self.what {
            What::AllReduce(it, by) => Collective::AllReduce {
                buffer: buffer(it),
                by: *by,
            },
            What::AllGather(from, to) => Collective::AllGather {
                from: buffer(from),
                to: buffer(to),
            },
            What::ReduceScatter(from, to, by) => Collective::ReduceScatter {
                from: buffer(from),
                to: buffer(to),
                by: *by,
            },
            What::Broadcast(it, root) => Collective::Broadcast {
                buffer: buffer(it),
                root: rank(root),
            },
            What::Send(it, to) => Collective::Send {
                buffer: buffer(it),
                to: rank(to),
            },
            What::Receive(it, from) => Collective::Receive {
                buffer: buffer(it),
                from: rank(from),
            },
            What::Barrier => Collective::Barrier,
        };
        let stream = StreamIndex(layout.element(&self.on, variables));
        CollectiveCall { what, stream }
    }

    /// Every resource that the call uses.
    pub fn references(&self) -> Vec<&Reference> {
        let mut all = match &self.what {
            What::AllReduce(it, _)
            | What::Broadcast(it, _)
            | What::Send(it, _)
            | What::Receive(it, _) => vec![it],
            What::AllGather(from, to) | What::ReduceScatter(from, to, _) => vec![from, to],
            What::Barrier => Vec::new(),
        };
        all.push(&self.on);
        all
    }

    /// The rank that it names.
    pub const fn rank(&self) -> Option<&Expression> {
        match &self.what {
            What::Broadcast(_, rank) | What::Send(_, rank) | What::Receive(_, rank) => Some(rank),
            _ => None,
        }
    }
}
