//! Events beyond record and wait: what they are made for, the calls on them, timeouts, pools and callback threads.

use super::Target;
use record::time::Nanos;
use record::{EventIndex, StreamIndex};

/// An event pool of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoolIndex(pub u32);

/// A callback thread of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadIndex(pub u32);

/// What an event was made for. CUDA's events do all of it; those of `AscendCL` what their flags say (rules F1, F2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Streams may wait for it (`ACL_EVENT_SYNC`).
    pub waits: bool,
    /// It may be asked how far its stream has come (`ACL_EVENT_CAPTURE_STREAM_PROGRESS`).
    pub progress: bool,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            waits: true,
            progress: true,
        }
    }
}

/// When an event takes one of the device's slots for events (rule F3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlotUse {
    /// Never: the device has room for as many as anybody makes.
    #[default]
    None,
    /// When it is made, for good (`aclrtCreateEventWithFlag`).
    Creation,
    /// At each record, until its stream reaches it (`aclrtCreateEventExWithFlag`): not to be reset.
    Record,
}

impl SlotUse {
    /// The moments that a workload can name.
    pub const LABELS: &'static [(&'static str, Self)] =
        &[("creation", Self::Creation), ("record", Self::Record)];
}

/// What a stream does after an operation of its own failed (rule F13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailureMode {
    /// Nothing more runs, on any stream of the device: CUDA knows no other, `AscendCL` calls it `STOP_ON_FAILURE`.
    #[default]
    Stop,
    /// The next operation runs: `AscendCL`'s `CONTINUE_ON_FAILURE`, which is its default.
    Continue,
}

impl FailureMode {
    /// Every mode with the word for it.
    pub const LABELS: &'static [(&'static str, Self)] =
        &[("stop", Self::Stop), ("continue", Self::Continue)];
}

/// What an event was made with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventOptions {
    /// What it was made for.
    pub capabilities: Capabilities,
    /// Whether a thread that waits for it sleeps, or spins (rule A10); none where the workload does not say, which
    /// spins as CUDA's do.
    pub blocking: Option<bool>,
    /// When it takes a slot of the device.
    pub slot: SlotUse,
    /// Whether it was made for several processes, and keeps no times then (rules A12, A45).
    pub is_shared: bool,
    /// Where it is none of its own, but one that is taken from a pool at run time.
    pub pool: Option<PoolIndex>,
}

/// A pool of events to make: its events lie one after the other in the plan's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolPlan {
    /// Its name.
    pub name: String,
    /// The first of its events.
    pub first: EventIndex,
    /// How many there are.
    pub count: u32,
}

/// A call about events, or one that may fail in ways that only some programs care for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventCall {
    /// The time between the latest records of two events (rules A14 to A21).
    Elapsed {
        /// From this one.
        start: EventIndex,
        /// To this one.
        end: EventIndex,
    },
    /// Records an event at each replay of the graph that the call is captured into (rule A42).
    RecordExternal {
        /// The event.
        event: EventIndex,
        /// The stream that captures.
        stream: StreamIndex,
    },
    /// Waits for an event at each replay of the graph that the call is captured into (rule A42).
    WaitExternal {
        /// The event.
        event: EventIndex,
        /// The stream that captures.
        stream: StreamIndex,
    },
    /// Makes an event as if it was never recorded, in stream order (rule F7).
    Reset {
        /// The event.
        event: EventIndex,
        /// The stream whose order it keeps.
        stream: StreamIndex,
    },
    /// Destroys an event, also while its record is pending (rule A11).
    DestroyEvent(EventIndex),
    /// Destroys a stream, also while it is busy (rule A27).
    DestroyStream(StreamIndex),
    /// Kills what runs on a stream and drops what is queued (rule F14).
    Abort(StreamIndex),
    /// Holds a stream back for an event, for at most this long (rule F8).
    Wait {
        /// The event.
        event: EventIndex,
        /// The stream whose order it keeps.
        stream: StreamIndex,
        /// The longest that the stream waits.
        timeout: Nanos,
    },
    /// Blocks the host thread until the target has ended, for at most this long (rule F9).
    Synchronize {
        /// What it waits for.
        target: Target,
        /// The longest that it waits.
        timeout: Nanos,
    },
    /// Asks for an event's latest record, and fails where the answer is not "complete" (rule A9).
    Demand(EventIndex),
    /// Takes an event from its pool.
    Acquire(EventIndex),
    /// Gives an event back to its pool.
    Release(EventIndex),
    /// A measured block begins: records its first event.
    BeginTime {
        /// The event.
        start: EventIndex,
        /// The stream that is measured.
        stream: StreamIndex,
    },
    /// A measured block ends: records its second event.
    EndTime {
        /// What the block is called.
        name: String,
        /// The first event.
        start: EventIndex,
        /// The second event.
        end: EventIndex,
        /// The stream that is measured.
        stream: StreamIndex,
    },
    /// A thread takes the callbacks of a stream (rule F15).
    Subscribe {
        /// The thread.
        thread: ThreadIndex,
        /// The stream.
        stream: StreamIndex,
    },
    /// A thread takes no more callbacks of a stream.
    Unsubscribe {
        /// The thread.
        thread: ThreadIndex,
        /// The stream.
        stream: StreamIndex,
    },
    /// Lets the thread that takes the stream's callbacks call a function, once the stream has come to it (rules A28 to
    /// A30, F15).
    Callback {
        /// The function's name.
        name: String,
        /// How long it works.
        length: Nanos,
        /// The stream whose order it keeps.
        stream: StreamIndex,
        /// Whether later operations of the stream wait for its end.
        is_blocking: bool,
        /// Whether it panics at its end.
        panics: bool,
    },
    /// A function of the host that panics, called in stream order (rule A30).
    Panic {
        /// The function's name.
        name: String,
        /// How long it works before.
        length: Nanos,
        /// The stream whose order it keeps.
        stream: StreamIndex,
    },
}

impl EventCall {
    /// The events that it names.
    pub fn events_mut(&mut self) -> Vec<&mut EventIndex> {
        match self {
            Self::Elapsed { start, end } => vec![start, end],
            Self::Reset { event, .. }
            | Self::RecordExternal { event, .. }
            | Self::WaitExternal { event, .. }
            | Self::DestroyEvent(event)
            | Self::Wait { event, .. }
            | Self::Synchronize {
                target: Target::Event(event),
                ..
            }
            | Self::Demand(event) => vec![event],
            _ => Vec::new(),
        }
    }
}
