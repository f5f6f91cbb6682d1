//! Two uses of one buffer that nothing orders, and waits for nothing.

use record::{BufferIndex, SpanId, StreamIndex};

macro_rules! labelled {
    ($($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $label:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$vdoc])* $variant,)*
        }

        impl $name {
            /// The word for it in lists of cases.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label,)* }
            }
        }
    )*};
}

labelled! {
    /// In which way two uses conflict.
    HazardKind {
        /// A read that may come before the write it needs.
        ReadAfterWrite = "RAW",
        /// A write that may come before the write it follows.
        WriteAfterWrite = "WAW",
        /// A write that may come before the read it follows.
        WriteAfterRead = "WAR",
        /// Memory may be used before it is allocated (rule A33).
        UseBeforeAllocation = "USE_BEFORE_ALLOC",
        /// Memory is used that was freed, or may have been (rule A34).
        UseAfterFree = "USE_AFTER_FREE",
        /// Memory may be freed while it is used (rule A34).
        FreeWhileInUse = "FREE_WHILE_IN_USE",
        /// Memory is used that nothing has allocated (rule A33).
        UseOfNothing = "USE_UNALLOCATED",
        /// Memory is freed that nothing has allocated (rule A34).
        FreeOfNothing = "FREE_UNALLOCATED",
        /// Memory is allocated that is allocated already.
        SecondAllocation = "ALLOC_TWICE",
        /// Memory may be used by its new owner while its former one still does (rule B7).
        ReuseOfMemory = "ALLOC_REUSE",
    }

    /// What is legal and hardly meant.
    LintKind {
        /// A stream waits for an event that was never recorded (rule A1).
        WaitUnrecorded = "WAIT_UNRECORDED_EVENT",
        /// A host thread waits for an event that was never recorded (rule A1).
        SynchronizeUnrecorded = "SYNC_UNRECORDED_EVENT",
        /// An event is asked for that was never recorded (rule A1).
        QueryUnrecorded = "QUERY_UNRECORDED_EVENT",
    }
}

impl HazardKind {
    /// Whether it is about two uses alone, and not about memory that is allocated and freed.
    pub const fn is_of_uses(self) -> bool {
        matches!(
            self,
            Self::ReadAfterWrite | Self::WriteAfterWrite | Self::WriteAfterRead
        )
    }
}

/// Which call it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallOrigin {
    /// Where in the source the call stands; calls in a loop share it. Uses of one site stand for one another.
    pub site: u32,
    /// The span of its operation, or [`SpanId::NONE`].
    pub span: SpanId,
}

/// Who made a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// An operation of a stream.
    Stream(StreamIndex),
    /// A host thread itself.
    Host(u32),
}

/// One of the two uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HazardParty {
    /// The call.
    pub origin: CallOrigin,
    /// Who made the use.
    pub actor: Actor,
    /// The host thread that called.
    pub host: u32,
}

/// What there is between two uses that conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HazardRelation {
    /// Nothing makes either come first.
    Unordered,
    /// The same, and both are nodes of one replay of a graph.
    Nodes,
    /// The same, and neither are the calls of their two host threads in any order.
    Hosts,
    /// One comes first, and the other is wrong even so.
    Ordered,
    /// The first made it right, until the device was lost.
    Lost,
    /// This abort dropped what would have made it right: the first, or the free between the two.
    Dropped(CallOrigin),
    /// The same where nobody knows whether it did.
    MayBeDropped(CallOrigin),
}

/// Two uses of one buffer, of which one must come after the other and nothing makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// In which way they conflict.
    pub kind: HazardKind,
    /// What there is between them.
    pub relation: HazardRelation,
    /// The buffer.
    pub buffer: BufferIndex,
    /// The use that was called first; where calls of two host threads have no order, the one that stands first in the
    /// source. The same as the second where there is but one.
    pub first: HazardParty,
    /// The use that was called second.
    pub second: HazardParty,
}

/// A call that is legal and hardly meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lint {
    /// What is odd about it.
    pub kind: LintKind,
    /// The call.
    pub at: CallOrigin,
}
