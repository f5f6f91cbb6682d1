//! Ids: positions in the capture's tables, given out in order and never moved.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// Refers to nothing.
            pub const NONE: Self = Self(u32::MAX);

            /// The position in a table.
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// Whether it refers to something.
            pub const fn is_some(self) -> bool {
                self.0 != u32::MAX
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::NONE
            }
        }
    )*};
}

ids! {
    /// A host call of a workload.
    CallId
    /// A series of samples.
    CounterId
    /// A cause and its effect.
    DependencyId
    /// A device that runs work.
    DeviceId
    /// A GPU synchronisation point.
    EventId
    /// Something that was concluded.
    FindingId
    /// A row of the timeline.
    LaneId
    /// Something that is made once and launched many times.
    LaunchId
    /// A text that is stored once.
    NameId
    /// A kernel that was requested to be compiled.
    PipelineId
    /// A call of an asynchronous API.
    PromiseId
    /// An operation that ran.
    SpanId
}
