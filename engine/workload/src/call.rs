//! One host API call, with every name resolved to a place in the plan.

use super::{CollectiveCall, EventCall, GpuCall, LaunchCall, PipelineIndex, StreamCall};
use record::time::Nanos;
use record::{BufferIndex, EventIndex, SignalIndex, StreamIndex};

/// One host API call.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// Copies a buffer's host copy to the device, in stream order.
    Upload {
        /// The buffer.
        buffer: BufferIndex,
        /// The stream whose order it keeps.
        stream: StreamIndex,
    },
    /// Copies a buffer from the device to its host copy, in stream order.
    Download {
        /// The buffer.
        buffer: BufferIndex,
        /// The stream whose order it keeps.
        stream: StreamIndex,
    },
    /// Copies one device buffer to another of the same length, in stream order.
    Copy {
        /// The buffer that is read.
        from: BufferIndex,
        /// The buffer that is written.
        to: BufferIndex,
        /// The stream whose order it keeps.
        stream: StreamIndex,
    },
    /// Fills a device buffer with one value, in stream order.
    Fill {
        /// The buffer.
        buffer: BufferIndex,
        /// The value of every element.
        value: f32,
        /// The stream whose order it keeps.
        stream: StreamIndex,
    },
    /// Runs a kernel of the library, in stream order.
    Launch(Box<Launch>),
    /// Records an event on a stream: a new generation of it.
    Record {
        /// The event.
        event: EventIndex,
        /// The stream whose order it keeps.
        stream: StreamIndex,
    },
    /// Holds a stream back until the event's record that is the latest when this is called. Never recorded: passes.
    Wait {
        /// The event.
        event: EventIndex,
        /// The stream whose order it keeps.
        stream: StreamIndex,
    },
    /// Holds a stream back until the host raises a signal (a latch; real devices spin on a word of pinned memory).
    Hold {
        /// The signal.
        signal: SignalIndex,
        /// The stream whose order it keeps.
        stream: StreamIndex,
    },
    /// Calls a function of the host that works for `length`, in stream order.
    HostFunction {
        /// The function's name.
        name: String,
        /// How long it works.
        length: Nanos,
        /// The stream whose order it keeps.
        stream: StreamIndex,
    },
    /// Blocks the host thread until the target has ended.
    Synchronize(Target),
    /// Asks whether an event's latest record has been reached, without blocking.
    Query(EventIndex),
    /// Raises a signal: releases every thread and stream that waits for it, now and later.
    Signal(SignalIndex),
    /// Blocks the host thread until a signal is raised.
    Await(SignalIndex),
    /// The host thread computes for this long.
    Work(Nanos),
    /// A call about events, or a wait with a timeout.
    Event(Box<EventCall>),
    /// A call of WebGPU's: pipelines, promises, error scopes, and the loss of the device.
    Gpu(Box<GpuCall>),
    /// A call on a stream as a whole, or on memory in its order.
    Streams(Box<StreamCall>),
    /// A call of a recorded launch or of a graph.
    Launches(Box<LaunchCall>),
    /// A call that ranks make together.
    Collective(CollectiveCall),
}

/// A kernel of the library, its buffers and its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The kernel's name in [`crate::KERNELS`].
    pub kernel: &'static str,
    /// Where it runs.
    pub stream: StreamIndex,
    /// The buffers it reads, in the order the kernel names them.
    pub reads: Vec<BufferIndex>,
    /// The buffers it writes (and may read), in the order the kernel names them.
    pub writes: Vec<BufferIndex>,
    /// Its parameters' values, in the order the kernel names them.
    pub parameters: Vec<f64>,
    /// The pipeline it needs, where it is to wait for one; without, the device has its kernels ready.
    pub pipeline: Option<PipelineIndex>,
}

/// What a synchronisation waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The latest record of an event; at once where there is none.
    Event(EventIndex),
    /// All that was submitted to a stream so far.
    Stream(StreamIndex),
    /// All that was submitted to the device so far.
    Device,
}

/// Where in the source a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The call's number in the file, in the order of the file, counted from 0. Iterations of a loop share it.
    pub call: u32,
    /// Line in the source, counted from 1.
    pub line: u32,
}

/// A call and where in the source it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// The call.
    pub call: Call,
    /// Where it stands.
    pub place: Place,
}
