//! Calls that all ranks of a placement make together, or two of them. Each is an operation of a stream and keeps its
//! order; all ranks make the same calls in the same order, except for those that send and receive.

use record::{BufferIndex, StreamIndex};

use crate::fields::{DefaultField, NumberField, ResourceField, WordField};
use crate::verb::FieldSlot::{At, Chosen, Named, Property};
use crate::verb::{FieldSlot, calls};
use crate::{Reduction, StreamRole};

/// The stream of such a call.
const TOGETHER: FieldSlot = Chosen(StreamRole::Collective, "ranks make it together");

calls! {
    /// A call that ranks make together.
    #[derive(Copy, Eq)]
    pub enum CollectiveCall in Rank {
        /// Every rank's buffer becomes what all ranks' buffers come to, element by element.
        AllReduce = "all-reduce", "all-reduce \"x\" by=\"mean\"", "all-reduce {buffer}" {
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = TOGETHER,
            /// How elements are joined.
            by: DefaultField<WordField<Reduction>> = Property("by"),
            /// Read and written.
            buffer: ResourceField<BufferIndex> = Named,
        }
        /// Every rank gets the buffers of all ranks, one after the other.
        AllGather = "all-gather", "all-gather \"part\" \"whole\"", "all-gather {from}" {
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = TOGETHER,
            /// This rank's part.
            from: ResourceField<BufferIndex> = At(0),
            /// All parts, in the order of the ranks.
            to: ResourceField<BufferIndex> = At(1),
        }
        /// Each rank gets its part of what all ranks' buffers come to.
        ReduceScatter = "reduce-scatter", "reduce-scatter \"whole\" \"part\"", "reduce-scatter {from}" {
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = TOGETHER,
            /// How elements are joined.
            by: DefaultField<WordField<Reduction>> = Property("by"),
            /// The whole.
            from: ResourceField<BufferIndex> = At(0),
            /// This rank's part.
            to: ResourceField<BufferIndex> = At(1),
        }
        /// Every rank's buffer becomes that of one rank.
        Broadcast = "broadcast", "broadcast \"x\" root=0", "broadcast {buffer} of rank {root}" {
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = TOGETHER,
            /// The rank whose numbers they become.
            root: DefaultField<NumberField<u32>> = Property("root"),
            /// Read on the root and written on all others.
            buffer: ResourceField<BufferIndex> = Named,
        }
        /// One rank sends its buffer to another one, which receives it.
        Send = "send", "send \"x\" to=\"rank + 1\"", "send {buffer} to rank {to}" {
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = TOGETHER,
            /// The rank that receives it.
            to: NumberField<u32> = Property("to"),
            /// Read.
            buffer: ResourceField<BufferIndex> = Named,
        }
        /// One rank receives a buffer that another one sends.
        Receive = "receive", "receive \"x\" from=\"rank - 1\"", "receive {buffer} from rank {from}" {
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = TOGETHER,
            /// The rank that sends it.
            from: NumberField<u32> = Property("from"),
            /// Written.
            buffer: ResourceField<BufferIndex> = Named,
        }
        /// Every rank waits until all have come to it.
        Barrier = "rank-barrier", "rank-barrier", "rank-barrier" {
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = TOGETHER,
        }
    }
}

impl CollectiveCall {
    /// The stream whose order it keeps.
    pub const fn stream(self) -> StreamIndex {
        match self {
            Self::AllReduce { stream, .. }
            | Self::AllGather { stream, .. }
            | Self::ReduceScatter { stream, .. }
            | Self::Broadcast { stream, .. }
            | Self::Send { stream, .. }
            | Self::Receive { stream, .. }
            | Self::Barrier { stream } => stream,
        }
    }

    /// The buffer that it reads, and the one that it writes.
    pub const fn buffers(self) -> (Option<BufferIndex>, Option<BufferIndex>) {
        match self {
            Self::AllReduce { buffer, .. } | Self::Broadcast { buffer, .. } => {
                (Some(buffer), Some(buffer))
            }
            Self::AllGather { from, to, .. } | Self::ReduceScatter { from, to, .. } => {
                (Some(from), Some(to))
            }
            Self::Send { buffer, .. } => (Some(buffer), None),
            Self::Receive { buffer, .. } => (None, Some(buffer)),
            Self::Barrier { .. } => (None, None),
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
