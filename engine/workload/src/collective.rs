//! Calls that all ranks of a placement make together, or two of them.

use record::{BufferIndex, StreamIndex};

/// A call of a collective operation. Each is an operation of a stream and keeps its order; all ranks make the same
/// calls in the same order, except for those that send and receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectiveCall {
    /// What the ranks do together.
    pub what: Collective,
    /// The stream whose order it keeps.
    pub stream: StreamIndex,
}

/// What ranks do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collective {
    /// Every rank's buffer becomes what all ranks' buffers come to, element by element.
    AllReduce {
        /// Read and written.
        buffer: BufferIndex,
        /// How elements are joined.
        by: Reduction,
    },
    /// Every rank gets the buffers of all ranks, one after the other.
    AllGather {
        /// This rank's part.
        from: BufferIndex,
        /// All parts, in the order of the ranks.
        to: BufferIndex,
    },
    /// Each rank gets its part of what all ranks' buffers come to.
    ReduceScatter {
        /// The whole.
        from: BufferIndex,
        /// This rank's part.
        to: BufferIndex,
        /// How elements are joined.
        by: Reduction,
    },
    /// Every rank's buffer becomes that of one rank.
    Broadcast {
        /// Read on the root and written on all others.
        buffer: BufferIndex,
        /// The rank whose numbers they become.
        root: u32,
    },
    /// One rank sends its buffer to another one, which receives it.
    Send {
        /// Read.
        buffer: BufferIndex,
        /// The rank that receives it.
        to: u32,
    },
    /// One rank receives a buffer that another one sends.
    Receive {
        /// Written.
        buffer: BufferIndex,
        /// The rank that sends it.
        from: u32,
    },
    /// Every rank waits until all have come to it.
    Barrier,
}

/// How the elements of all ranks are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// Added.
    #[default]
    Sum,
    /// Added, and divided by the number of ranks.
    Mean,
    /// The smallest.
    Minimum,
    /// The largest.
    Maximum,
}

impl Reduction {
    /// Every way with the word for it in a workload.
    pub const LABELS: &'static [(&'static str, Self)] = &[
        ("sum", Self::Sum),
        ("mean", Self::Mean),
        ("min", Self::Minimum),
        ("max", Self::Maximum),
    ];

    /// Two elements, joined.
    pub fn join(self, x: f32, y: f32) -> f32 {
        match self {
            Self::Sum | Self::Mean => x + y,
            Self::Minimum => x.min(y),
            Self::Maximum => x.max(y),
        }
    }
}

impl Collective {
    /// The word for it in a workload.
    pub const fn verb(self) -> &'static str {
        match self {
            Self::AllReduce { .. } => "all-reduce",
            Self::AllGather { .. } => "all-gather",
            Self::ReduceScatter { .. } => "reduce-scatter",
            Self::Broadcast { .. } => "broadcast",
            Self::Send { .. } => "send",
            Self::Receive { .. } => "receive",
            Self::Barrier => "rank-barrier",
        }
    }

    /// The buffer that it reads, and the one that it writes.
    pub const fn buffers(self) -> (Option<BufferIndex>, Option<BufferIndex>) {
        match self {
            Self::AllReduce { buffer, .. } | Self::Broadcast { buffer, .. } => {
                (Some(buffer), Some(buffer))
            }
            Self::AllGather { from, to } | Self::ReduceScatter { from, to, .. } => {
                (Some(from), Some(to))
            }
            Self::Send { buffer, .. } => (Some(buffer), None),
            Self::Receive { buffer, .. } => (None, Some(buffer)),
            Self::Barrier => (None, None),
        }
    }

    /// The other rank, where it is between two alone.
    pub const fn partner(self) -> Option<u32> {
        match self {
            Self::Send { to, .. } => Some(to),
            Self::Receive { from, .. } => Some(from),
            _ => None,
        }
    }
}
