//! What a device is opened with, and what is submitted to its streams.

use std::sync::Arc;

use super::{Exchange, PaceLayout, PreparedLaunch, Replay};
use record::time::{Interval, Nanos};
use record::{
    BufferIndex, CallId, CounterId, DeviceId, EventIndex, LaneId, NameId, SignalIndex, Span,
    SpanId, SpanKind, State, StreamIndex,
};
use workload::{FailureMode, KernelArguments, StreamRole, StreamTraits};

/// The resources to make on a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceLayout {
    /// The device's id in the capture.
    pub device: DeviceId,
    /// Which adapter to open: a part of its name, or its position in [`super::Backend::probe`]'s answer, counted
    /// from 0. Empty for the best.
    pub adapter: String,
    /// The lane of the queue that the streams share, where the device has but one.
    pub queue: LaneId,
    /// The streams.
    pub streams: Vec<StreamLayout>,
    /// The events.
    pub events: Vec<EventLayout>,
    /// How many records of events that take a slot at each may be pending at once (rule F3).
    pub event_slots: Option<u32>,
    /// The lanes of the threads that take callbacks.
    pub callbacks: Vec<LaneId>,
    /// Length of each buffer, in floats, on the device and as its copy on the host; both begin as zeros.
    pub buffers: Vec<usize>,
    /// How many signals.
    pub signals: usize,
    /// How many host threads will call.
    pub hosts: usize,
    /// Whether streams are aborted: what is queued on them must be such that it can be dropped (rule F14).
    pub may_drop: bool,
    /// How a paced device is set.
    pub pace: PaceLayout,
    /// What draws the lengths of operations and calls where time is virtual; without it, each is what a formula says.
    pub seed: Option<u64>,
}

/// A stream to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamLayout {
    /// Its name.
    pub name: String,
    /// The lane its spans go to.
    pub lane: LaneId,
    /// The counter of its pending operations, sampled whenever one of them ends.
    pub pending: CounterId,
    /// What it is for.
    pub role: StreamRole,
    /// Lower runs first, where the device knows priorities.
    pub priority: i32,
    /// What it does after an operation of its own failed.
    pub failure: FailureMode,
    /// What it is like besides its role.
    pub traits: StreamTraits,
}

/// An event to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventLayout {
    /// Whether its records keep a time.
    pub timing: bool,
    /// Whether host threads that wait for it sleep; otherwise they spin (rule A10).
    pub blocking: bool,
    /// Whether a record of it takes a slot until its stream reaches it.
    pub takes_slot: bool,
}

impl Default for EventLayout {
    fn default() -> Self {
        Self {
            timing: true,
            blocking: false,
            takes_slot: false,
        }
    }
}

/// An operation on its way to a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Submission {
    /// The id of the span it will be.
    pub span: SpanId,
    /// The id of its span on the queue's lane, where there is one and the operation goes through it.
    pub queue: SpanId,
    /// What it is called.
    pub name: NameId,
    /// The call that made it.
    pub call: CallId,
    /// When it was submitted.
    pub enqueued: Nanos,
    /// What it does.
    pub operation: Operation,
}

impl Submission {
    /// The span that it came to on the queue's `lane`, where it has one.
    pub fn queue_span(&self, lane: LaneId, ran: Interval, state: State) -> Option<Span> {
        self.queue.is_some().then(|| Span {
            id: self.queue,
            ..self.span(lane, ran, state)
        })
    }

    /// What the thread of a callback is given, once the stream has come to it at `time`.
    #[must_use]
    pub const fn called(&self, callback: &Callback, time: Nanos) -> Self {
        let operation = if callback.panics {
            Operation::Panic(callback.length)
        } else {
            Operation::HostFunction(callback.length)
        };
        Self {
            span: callback.span,
            queue: SpanId::NONE,
            name: self.name,
            call: self.call,
            enqueued: time,
            operation,
        }
    }

    /// The span that it came to, on its stream's `lane`.
    pub const fn span(&self, lane: LaneId, ran: Interval, state: State) -> Span {
        Span {
            id: self.span,
            lane,
            name: self.name,
            call: self.call,
            kind: self.operation.kind(),
            state,
            enqueued: self.enqueued,
            start: ran.start,
            end: ran.end,
        }
    }
}

/// How far a stream has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamPosition {
    /// The stream.
    pub stream: StreamIndex,
    /// So many of the operations that were submitted to it have ended.
    pub ended: u64,
}

/// What a stream does in one step.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Copies a buffer's host copy to the device.
    Upload(BufferIndex),
    /// Copies a buffer from the device to its host copy.
    Download(BufferIndex),
    /// Copies one device buffer to another.
    Copy {
        /// Read.
        from: BufferIndex,
        /// Written.
        to: BufferIndex,
    },
    /// Fills a device buffer with one value.
    Fill {
        /// Written.
        buffer: BufferIndex,
        /// With this.
        value: f32,
    },
    /// Runs a kernel.
    Launch(Box<KernelArguments>),
    /// Runs a kernel that the device has looked at before and keeps ready.
    Packed(Arc<PreparedLaunch>),
    /// Runs all operations of a graph (rule A43).
    Replay(Box<Replay>),
    /// Reaches an event.
    Record(EventIndex),
    /// Waits for the record that is the event's latest at submission.
    Wait(EventIndex),
    /// Waits for a signal.
    Hold(SignalIndex),
    /// Calls a function of the host that works for this long.
    HostFunction(Nanos),
    /// Waits until each of these streams has come so far.
    Join(Box<[StreamPosition]>),
    /// A buffer's memory is allocated, in stream order (rule A33).
    Allocate(BufferIndex),
    /// A buffer's memory is freed, in stream order (rule A34).
    Free(BufferIndex),
    /// The same as a host function, and it panics then (rule A30).
    Panic(Nanos),
    /// The event is as if it was never recorded (rule F7).
    Reset(EventIndex),
    /// Reaches an event, as a node of a graph: at each replay it makes a new record (rule A42).
    RecordExternal(EventIndex),
    /// Waits for an event, as a node of a graph: for the record that is the latest when it is replayed (rule A42).
    WaitExternal(EventIndex),
    /// Waits for the record that is the event's latest at submission, for at most this long (rule F8).
    WaitFor(EventIndex, Nanos),
    /// Lets the thread that takes this stream's callbacks call a function (rules A28, F15).
    Callback(Callback),
    /// This rank's part of what ranks do together.
    Collective(Box<Exchange>),
}

/// A function that a callback thread calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callback {
    /// The thread's position in [`DeviceLayout::callbacks`].
    pub thread: usize,
    /// The id of the span on the thread's lane.
    pub span: SpanId,
    /// How long it works.
    pub length: Nanos,
    /// Whether the stream waits for its end.
    pub is_blocking: bool,
    /// Whether it panics at its end.
    pub panics: bool,
}

impl Operation {
    /// Whether it goes through the queue of a device that has but one: what moves numbers or computes.
    pub const fn is_queued(&self) -> bool {
        matches!(
            self,
            Self::Upload(_)
                | Self::Download(_)
                | Self::Copy { .. }
                | Self::Fill { .. }
                | Self::Launch(_)
                | Self::Packed(_)
        )
    }

    /// The kind of span it becomes.
    pub const fn kind(&self) -> SpanKind {
        match self {
            Self::Upload(_) => SpanKind::Upload,
            Self::Download(_) => SpanKind::Download,
            Self::Copy { .. } => SpanKind::Copy,
            Self::Fill { .. } => SpanKind::Fill,
            Self::Launch(_) | Self::Packed(_) => SpanKind::Kernel,
            Self::Replay(_) => SpanKind::Graph,
            Self::Record(_) | Self::RecordExternal(_) => SpanKind::EventRecord,
            Self::Wait(_) | Self::WaitFor(..) | Self::WaitExternal(_) => SpanKind::EventWait,
            Self::Hold(_) => SpanKind::Hold,
            Self::Join(_) => SpanKind::Join,
            Self::Allocate(_) => SpanKind::Allocate,
            Self::Free(_) => SpanKind::Free,
            Self::Callback(callback) if callback.is_blocking => SpanKind::Callback,
            Self::HostFunction(_) | Self::Panic(_) | Self::Callback(_) => SpanKind::HostFunction,
            Self::Reset(_) => SpanKind::EventReset,
            Self::Collective(_) => SpanKind::Collective,
        }
    }
}
