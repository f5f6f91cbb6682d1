//! Calls of recorded launches and of graphs: what is made once and launched many times.

use record::{BufferIndex, StreamIndex};
use std::sync::Arc;

/// A call of a recorded launch or of a graph.
#[derive(Clone, Debug, PartialEq)]
pub enum LaunchCall {
    /// Records a kernel call without running it (Warp's `record_cmd`).
    Record(Box<LaunchPlan>),
    /// Sets one argument (Warp's `set_param_by_name`, `set_param_at_index`).
    Set {
        /// The launch.
        launch: RecordedIndex,
        /// Which argument.
        argument: ArgumentName,
        /// Its value from now on.
        value: ArgumentValue,
    },
    /// Sets the first arguments (Warp's `set_params`).
    SetAll {
        /// The launch.
        launch: RecordedIndex,
        /// Their values from now on.
        values: Vec<ArgumentValue>,
    },
    /// Sets how many elements it treats (Warp's `set_dim`).
    SetDimensions {
        /// The launch.
        launch: RecordedIndex,
        /// How many, as written: what is no count is refused when it is set.
        elements: f64,
    },
    /// Launches it, in stream order (Warp's `Launch.launch`).
    Relaunch {
        /// The launch.
        launch: RecordedIndex,
        /// The stream whose order it keeps.
        stream: StreamIndex,
    },
    /// From here on what a stream is given is captured and not run (`cuStreamBeginCapture`).
    BeginCapture {
        /// The stream.
        stream: StreamIndex,
        /// Whose unsafe calls are forbidden meanwhile.
        mode: CaptureMode,
    },
    /// Ends the capture that began on a stream, and keeps its graph (`cuStreamEndCapture`).
    EndCapture {
        /// The stream.
        stream: StreamIndex,
        /// What the graph is kept as.
        graph: GraphIndex,
    },
    /// Makes a graph ready to be replayed (`cuGraphInstantiate`).
    Instantiate(GraphIndex),
    /// Gives a graph that is ready the nodes that were captured since (`cuGraphExecUpdate`).
    Update(GraphIndex),
    /// Runs a graph that is ready as one operation of a stream (`cuGraphLaunch`).
    Replay {
        /// The graph.
        graph: GraphIndex,
        /// The stream whose order it keeps.
        stream: StreamIndex,
    },
}

/// A kernel call to record.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchPlan {
    /// What it is recorded as.
    pub launch: RecordedIndex,
    /// The kernel's name in [`crate::KERNELS`].
    pub kernel: &'static str,
    /// The buffers it reads, in the order the kernel names them.
    pub reads: Vec<BufferIndex>,
    /// The buffers it writes, in the order the kernel names them.
    pub writes: Vec<BufferIndex>,
    /// Its numbers, in the order the kernel names them.
    pub parameters: Vec<f64>,
}

/// Which argument of a kernel: buffers that are read, buffers that are written, numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentName {
    /// The one of this name.
    Named(Arc<str>),
    /// The one at this place, counted from 0.
    At(usize),
}

/// A value for an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArgumentValue {
    /// A buffer, as it is now.
    Buffer(BufferIndex),
    /// A number.
    Number(f64),
}

/// Whose calls a capture forbids that may be unsafe while it is under way (rule A41).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CaptureMode {
    /// Those of every host thread.
    #[default]
    Global,
    /// Those of the host thread that began it.
    ThreadLocal,
    /// Nobody's.
    Relaxed,
}

impl CaptureMode {
    /// Every mode with the word for it in a workload.
    pub const LABELS: &'static [(&'static str, Self)] = &[
        ("global", Self::Global),
        ("thread-local", Self::ThreadLocal),
        ("relaxed", Self::Relaxed),
    ];
}

/// A recorded launch of a [`crate::Plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordedIndex(pub u32);

/// A graph of a [`crate::Plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GraphIndex(pub u32);

impl RecordedIndex {
    /// The position in the plan's list.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl GraphIndex {
    /// The position in the plan's list.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A recorded launch to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedPlan {
    /// Its name; an array's elements are written `name[0]`, `name[1]`, ….
    pub name: String,
    /// The kernel it is made for without being recorded: no elements, no buffers, zeros (rule D5).
    pub kernel: Option<&'static str>,
}
