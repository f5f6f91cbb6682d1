//! What a span counts as, in a byte: an operation, a call, or nothing, and what is known of its points.

use capture::PlacedSpan;
use record::{Group, Lane, Role, SpanKind};

/// What a lane counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneClass {
    /// Nothing on it counts.
    Derived,
    /// A stream: its operations run in order.
    Stream,
    /// A host thread: calls within calls.
    Thread,
    /// A compile worker, a device timeline or a thread that takes callbacks, of a run: what it does is in order.
    Engine,
}

impl LaneClass {
    pub fn of(lane: &Lane) -> Self {
        match (lane.group, lane.role) {
            (Group::Streams, Role::Queue) | (Group::Counters, _) => Self::Derived,
            (Group::Streams, _) => Self::Stream,
            (Group::Host, _) => Self::Thread,
            (Group::Device, _) => Self::Engine,
        }
    }
}

/// What a span counts as, and which of its points have something special.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SpanClass(u8);

impl SpanClass {
    /// What ran on a stream.
    const OPERATION: u8 = 1;
    /// What ran on a stream and waited there: not work.
    const WAIT: u8 = 2;
    /// A call of a host thread.
    const CALL: u8 = 3;
    const SORT: u8 = 3;
    /// A call that blocks its thread.
    pub const BLOCKING: u8 = 1 << 2;
    /// Its start has causes that are not implied.
    pub const EXTRA_START: u8 = 1 << 3;
    /// Its end has such.
    pub const EXTRA_END: u8 = 1 << 4;
    /// It is part of a collective operation.
    pub const MEMBER: u8 = 1 << 5;
    /// A blocking call that something was known or must have been behind: more than the host's own time.
    pub const BLOCKED: u8 = 1 << 6;
    /// One of several operations that overlap, of one launch or of none: what orders them is not told.
    pub const BRANCH: u8 = 1 << 7;

    /// What a span of a lane counts as: nothing where it never ran.
    pub fn of(lane: LaneClass, placed: &PlacedSpan) -> Self {
        let kind = placed.span.kind;
        if placed.never_ran() || kind == SpanKind::Scope {
            return Self(0);
        }
        Self(match (lane, kind) {
            (LaneClass::Stream, _) if kind.is_waiting() => Self::WAIT,
            (LaneClass::Stream, _)
            | (LaneClass::Engine, SpanKind::Compile | SpanKind::Step | SpanKind::Stub) => {
                Self::OPERATION
            }
            // A thread that takes callbacks runs them in order, as a stream does.
            (LaneClass::Thread, SpanKind::HostFunction) => Self::OPERATION,
            (LaneClass::Thread, SpanKind::Synchronize) => Self::CALL | Self::BLOCKING,
            (LaneClass::Thread, _) => Self::CALL,
            _ => 0,
        })
    }

    pub const fn counts(self) -> bool {
        self.0 & Self::SORT != 0
    }

    /// Whether it ran on a stream, a wait included.
    pub const fn is_operation(self) -> bool {
        matches!(self.0 & Self::SORT, Self::OPERATION | Self::WAIT)
    }

    pub const fn is_wait(self) -> bool {
        self.0 & Self::SORT == Self::WAIT
    }

    pub const fn is_call(self) -> bool {
        self.0 & Self::SORT == Self::CALL
    }

    pub const fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }

    pub const fn mark(&mut self, flag: u8) {
        self.0 |= flag;
    }
}
