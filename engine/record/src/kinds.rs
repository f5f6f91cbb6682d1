//! The closed sets a record chooses from; each knows its own label.

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $label:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $label)] $variant,)*
        }

        impl $name {
            /// Every value, in the order of declaration, which is also the order of its number.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word for it, in files and on screen.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label,)* }
            }

            /// The value that is written as `label`.
            pub fn from_label(label: &str) -> Option<Self> {
                match label { $($label => Some(Self::$variant),)* _ => None }
            }
        }
    )*};
}

kinds! {
    /// When a device really compiles a pipeline.
    CompileTime {
        /// It compiles none: shaders are only parsed and validated.
        #[default]
        Never = "never",
        /// When it is created.
        Creation = "at its creation",
        /// When it is used first: a pipeline that is ready is not yet fast.
        FirstUse = "at its first use",
    }

    /// What a query of an event came to, as its span's field says.
    QueryAnswer {
        /// All that the event's record came after was complete.
        #[default]
        Complete = "complete",
        /// It was not, yet.
        NotReady = "not ready",
        /// The stream had failed before it came to the record.
        Failed = "failed",
        /// Nobody had recorded the event.
        NeverRecorded = "never recorded",
        /// It had been reset since it was recorded.
        NotRecorded = "not recorded any more",
    }

    /// The four groups of lanes, from top to bottom.
    Group {
        /// Where calls are made: a lane a host thread.
        #[default]
        Host = "host",
        /// What the implementation does with calls; compile workers.
        Device = "device",
        /// Streams, and the queue that they share where the hardware has but one.
        Streams = "streams",
        /// Series of samples.
        Counters = "counters",
    }

    /// What a stream is for. Roles have hues.
    Role {
        /// Not a stream, or not known.
        #[default]
        None = "none",
        /// Kernels.
        Compute = "compute",
        /// Copies from the host to the device.
        HostToDevice = "host-to-device",
        /// Copies from the device to the host.
        DeviceToHost = "device-to-host",
        /// Copies within a device.
        DeviceToDevice = "device-to-device",
        /// Communication between devices.
        Collective = "collective",
        /// Synchronisation alone.
        Barrier = "barrier",
        /// No stream, but the one queue that a device's streams share: the same operations, as they were serialised.
        Queue = "queue",
        /// What one thing at a time may do, on a thread of its own.
        CriticalSection = "critical-section",
        /// Jobs that are launched once something asks for what they make, on a thread of its own.
        LazyJob = "lazy-job",
        /// Kernels on memory of the host that the device reaches.
        PinnedCompute = "pinned-compute",
        /// No stream, but the functions of a script that a host thread ran: they nest deep, and are folded until asked for.
        Functions = "functions",
    }

    /// What sort of operation a span was.
    SpanKind {
        /// A host API call that returned.
        #[default]
        Call = "call",
        /// A kernel.
        Kernel = "kernel",
        /// A copy from the host to the device.
        Upload = "upload",
        /// A copy from the device to the host.
        Download = "download",
        /// A copy within a device.
        Copy = "copy",
        /// A buffer filled with one value.
        Fill = "fill",
        /// An event reached by its stream.
        EventRecord = "event-record",
        /// A stream held back by an event; empty where the event was reached already.
        EventWait = "event-wait",
        /// A stream held back until the host raised a signal.
        Hold = "hold",
        /// A function of the host, called in stream order.
        HostFunction = "host-function",
        /// A host thread blocked until something ended.
        Synchronize = "synchronize",
        /// Work of a host thread itself.
        HostWork = "host-work",
        /// A pipeline being compiled.
        Compile = "compile",
        /// A named part of a lane, around other spans.
        Scope = "scope",
        /// One step of an asynchronous API, on the timeline that took it.
        Step = "step",
        /// A launch held back until its pipeline is ready.
        Stall = "stall",
        /// A stream held back until others have come to where they were when it was asked; empty where they had.
        Join = "join",
        /// Memory allocated in the order of a stream.
        Allocate = "allocate",
        /// Memory freed in the order of a stream.
        Free = "free",
        /// An event made as if it was never recorded, in stream order.
        EventReset = "event-reset",
        /// A graph of calls, replayed as one operation of a stream; its nodes are spans within it.
        Graph = "graph",
        /// A rank's part of what several ranks do together.
        Collective = "collective",
        /// A stream held back until a function that it had a host thread call has ended.
        Callback = "callback",
        /// No operation, but an instant that stands for one outside of the piece of a capture, bears its name, and ties it to
        /// what depends on it.
        Stub = "stub",
    }

    /// How an operation ended.
    State {
        /// It ran to its end.
        #[default]
        Done = "done",
        /// It ran and failed.
        Failed = "failed",
        /// It never ran, because something before it failed or the run was stopped.
        Cancelled = "cancelled",
        /// The device was lost before it ended.
        Lost = "lost",
    }

    /// What ties a cause to its effect.
    DependencyKind {
        /// The host call that submitted an operation, and the operation.
        #[default]
        Submission = "submission",
        /// An event's record, and a wait that it released.
        Event = "event",
        /// Operations, and the host call that blocked until they ended.
        Synchronization = "synchronization",
        /// A signal of the host, and what it released.
        Signal = "signal",
        /// A pipeline that became ready, and its first use.
        Pipeline = "pipeline",
        /// The last use of a buffer, and the next.
        Buffer = "buffer",
        /// A step of an asynchronous API, and the next one, which may be on another timeline.
        Step = "step",
        /// Two spans that a file ties without saying by what.
        Flow = "flow",
        /// The parts of one collective operation, on several devices.
        Collective = "collective",
        /// What was submitted last to a stream, and another stream that was told to wait for it.
        Join = "join",
        /// The same between the legacy default stream and a blocking stream, which nobody asked for.
        Legacy = "legacy-stream",
        /// The same, inserted because a buffer was used last on the other stream.
        Automatic = "automatic",
        /// Two records of events, between which the time was taken; the second may have been first.
        Elapsed = "elapsed",
        /// Two nodes of a graph, of which one comes right after the other.
        Edge = "edge",
        /// What was submitted last to a stream, and another stream that a barrier made wait for it.
        Barrier = "barrier",
        /// The call that aborted a stream, and an operation that it dropped or killed.
        Abort = "abort",
        /// What an engine of a paced device ran before, and an operation that waited for that engine.
        Engine = "engine",
    }

    /// How a dependency is known. These are never mixed.
    Basis {
        /// Stream order, waits and blocking calls guarantee it.
        #[default]
        Enforced = "enforced",
        /// The workload says that it needs it.
        Declared = "declared",
        /// It merely happened in that order.
        Observed = "observed",
        /// Concluded by a rule from other facts of the file, which does not say it itself.
        Inferred = "inferred",
    }

    /// How a device was lost.
    LossKind {
        /// The driver reported it, or nobody knows why.
        #[default]
        Unknown = "unknown",
        /// Somebody destroyed the device on purpose.
        Destroyed = "destroyed",
        /// An operation failed and took the device with it.
        Failed = "failed",
        /// The process that drove it is gone, and it with that.
        Process = "process",
        /// The link to the machine that it is in dropped; the device lives on.
        Link = "link",
        /// A kernel trapped.
        Trap = "trap",
        /// A kernel used an address that is not its own.
        Address = "address",
        /// An assertion of a kernel did not hold.
        Assertion = "assertion",
        /// A kernel never ended.
        Hang = "hang",
    }

    /// What a pipeline is for.
    PipelineKind {
        /// Kernels.
        #[default]
        Compute = "compute",
        /// Drawing.
        Render = "render",
    }

    /// How far a pipeline has come.
    PipelineState {
        /// It was asked for.
        #[default]
        Requested = "requested",
        /// Its description was looked at.
        Checked = "checked",
        /// It waits for a compile worker.
        Queued = "queued",
        /// It is being compiled.
        Compiling = "compiling",
        /// It can be used.
        Ready = "ready",
        /// It is invalid, or could not be compiled.
        Failed = "failed",
        /// The device was lost, and what was compiled for it is of no use.
        Lost = "lost",
    }

    /// What can be launched many times.
    LaunchKind {
        /// A kernel call that was recorded.
        #[default]
        Kernel = "kernel",
        /// A graph of calls that were captured.
        Graph = "graph",
    }

    /// What was done to an event.
    EventChange {
        /// It was recorded on a stream.
        #[default]
        Recorded = "recorded",
        /// It was made as if it was never recorded.
        Reset = "reset",
        /// It was destroyed.
        Destroyed = "destroyed",
    }

    /// What was done to a launch.
    LaunchChange {
        /// A kernel call was recorded, without running it.
        #[default]
        Recorded = "recorded",
        /// Arguments or dimensions were set.
        Set = "set",
        /// Calls were captured into a graph, without running them.
        Captured = "captured",
        /// A graph was made ready to be replayed.
        Instantiated = "instantiated",
        /// A graph that is ready was given the nodes of a later capture.
        Updated = "updated",
        /// A capture came to nothing.
        Failed = "failed",
    }

    /// How a promise ended.
    Verdict {
        /// With a value.
        #[default]
        Resolved = "resolved",
        /// With an error.
        Rejected = "rejected",
    }

    /// How much a problem takes from what the capture can tell.
    Severity {
        /// Worth knowing.
        #[default]
        Info = "info",
        /// Something is not as it should be.
        Warning = "warning",
        /// Something failed.
        Error = "error",
        /// Records are missing.
        DataLoss = "data-loss",
    }

    /// What a thread was, as the system's scheduler sees it.
    ThreadState {
        /// It ran on a core.
        #[default]
        Running = "running",
        /// It was ready to run and had no core: it was preempted, or woken and not yet given one.
        Runnable = "runnable",
        /// It waited for something: a lock, a timer, a device, another thread.
        Blocked = "blocked",
        /// The same, and no signal could end it: mostly for a disk or a driver.
        Uninterruptible = "uninterruptible",
        /// It had no core, having left it to wait; when what it waited for came is not told.
        OffCpu = "off-cpu",
    }
}

impl SpanKind {
    /// Whether a stream's numbers come of it: what moves or computes them.
    pub const fn is_result(self) -> bool {
        matches!(
            self,
            Self::Upload | Self::Download | Self::Copy | Self::Fill | Self::Kernel | Self::Graph
        )
    }

    /// Whether a stream works for somebody meanwhile: it neither waits, nor marks where it is, nor holds other spans.
    pub const fn is_device_work(self) -> bool {
        let is_mark = matches!(self, Self::EventRecord | Self::EventReset | Self::Scope);
        !self.is_waiting() && !is_mark
    }

    /// Whether nothing runs meanwhile: the lane stands still until something else has happened.
    pub const fn is_waiting(self) -> bool {
        matches!(
            self,
            Self::EventWait
                | Self::Hold
                | Self::Synchronize
                | Self::Stall
                | Self::Join
                | Self::Callback
        )
    }
}

impl CompileTime {
    /// In a sentence, for the screen.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Never => "shaders are parsed and validated, and nothing is compiled from them",
            Self::Creation => "pipelines are compiled when they are created",
            Self::FirstUse => {
                "pipelines are compiled at their first use, not at their creation: the first launch takes longer"
            }
        }
    }
}
