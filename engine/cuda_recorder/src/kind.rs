//! What CUPTI can be asked to tell of.

use std::fmt;

/// A kind of activity, by its number in `CUpti_ActivityKind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum ActivityKind {
    /// `CUPTI_ACTIVITY_KIND_MEMCPY`
    Copy = 1,
    /// `CUPTI_ACTIVITY_KIND_MEMSET`
    Set = 2,
    /// `CUPTI_ACTIVITY_KIND_DRIVER`: calls of the driver, but for those that only ask for something.
    Driver = 4,
    /// `CUPTI_ACTIVITY_KIND_RUNTIME`: calls of the runtime, but for those that only ask for something.
    Runtime = 5,
    /// `CUPTI_ACTIVITY_KIND_DEVICE`
    Device = 8,
    /// `CUPTI_ACTIVITY_KIND_CONTEXT`
    Context = 9,
    /// `CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL`: never `KERNEL`, which lets kernels run one after the other.
    Kernel = 10,
    /// `CUPTI_ACTIVITY_KIND_OVERHEAD`
    Overhead = 17,
    /// `CUPTI_ACTIVITY_KIND_MEMCPY2`: copies between devices.
    PeerCopy = 22,
    /// `CUPTI_ACTIVITY_KIND_CUDA_EVENT`: since 12.9 it has to be asked for besides [`ActivityKind::Sync`]; before that it may
    /// come with it, and cannot be asked for.
    Event = 36,
    /// `CUPTI_ACTIVITY_KIND_STREAM`
    Stream = 37,
    /// `CUPTI_ACTIVITY_KIND_SYNCHRONIZATION`
    Sync = 38,
    /// `CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION`: needs [`ActivityKind::Driver`] or [`ActivityKind::Runtime`].
    Correlation = 39,
    /// `CUPTI_ACTIVITY_KIND_MEMORY2`
    Memory = 49,
    /// `CUPTI_ACTIVITY_KIND_GRAPH_TRACE`: graphs as a whole, in place of their nodes.
    Graph = 51,
    /// `CUPTI_ACTIVITY_KIND_JIT`
    Compilation = 52,
}

impl ActivityKind {
    /// Every kind.
    pub const ALL: &[Self] = &[
        Self::Copy,
        Self::Set,
        Self::Driver,
        Self::Runtime,
        Self::Device,
        Self::Context,
        Self::Kernel,
        Self::Overhead,
        Self::PeerCopy,
        Self::Event,
        Self::Stream,
        Self::Sync,
        Self::Correlation,
        Self::Memory,
        Self::Graph,
        Self::Compilation,
    ];

    /// CUPTI's number for it.
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// The kind with CUPTI's number `number`.
    pub fn of(number: u32) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|kind| kind.number() == number)
    }

    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Copy => "copies",
            Self::Set => "memory that is set",
            Self::Driver => "calls of the driver",
            Self::Runtime => "calls of the runtime",
            Self::Device => "devices",
            Self::Context => "contexts",
            Self::Kernel => "kernels",
            Self::Overhead => "overhead",
            Self::PeerCopy => "copies between devices",
            Self::Event => "records of events",
            Self::Stream => "streams",
            Self::Sync => "synchronisation",
            Self::Correlation => "own numbers of calls",
            Self::Memory => "memory",
            Self::Graph => "graphs as a whole",
            Self::Compilation => "compilations",
        }
    }
}

impl fmt::Display for ActivityKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_by_their_numbers() {
        for kind in ActivityKind::ALL {
            assert_eq!(ActivityKind::of(kind.number()), Some(*kind));
        }
        assert_eq!(ActivityKind::of(3), None);
        assert!(ActivityKind::ALL.is_sorted_by_key(|kind| kind.number()));
    }
}
