//! Calls on streams as a whole and on memory in their order, as compact code.

use super::StreamCall;
use super::program::{Layout, Reference};
use record::{BufferIndex, StreamIndex};

/// What such a call does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum StreamAct {
    /// The second waits for the first.
    Join(Reference, Reference),
    Barrier(Reference),
    Allocate(Reference, Reference),
    Free(Reference, Reference),
}

impl StreamAct {
    /// The call, for these values of the variables.
    pub fn call(&self, layout: &Layout, variables: &[f64]) -> StreamCall {
        let stream = |r: &Reference| StreamIndex(layout.element(r, variables));
        let buffer = |r: &Reference| BufferIndex(layout.element(r, variables));
        match self {
            Self::Join(from, on) => StreamCall::Join {
                from: stream(from),
                stream: stream(on),
            },
            Self::Barrier(on) => StreamCall::Barrier { stream: stream(on) },
            Self::Allocate(it, on) => StreamCall::Allocate {
                buffer: buffer(it),
                stream: stream(on),
            },
            Self::Free(it, on) => StreamCall::Free {
                buffer: buffer(it),
                stream: stream(on),
            },
        }
    }

    /// Every resource that the call uses.
    pub fn references(&self) -> Vec<&Reference> {
        match self {
            Self::Barrier(on) => vec![on],
            Self::Join(it, on) | Self::Allocate(it, on) | Self::Free(it, on) => vec![it, on],
        }
    }
}
