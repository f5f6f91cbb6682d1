//! A workload with its parameters filled in: the resources to make, the host threads to run, what to expect.

use std::collections::BTreeSet;
use std::sync::Arc;

use record::PaceSetting;

use super::program::{PlanLayout, Program};
use super::{
    CallIterator, Edition, EventOptions, ExpectationPlan, Expression, FailureMode, MemoryKind,
    PipelinePlan, Placement, PoolPlan, RecordedPlan, StreamTraits, Synchronization, VirtualMachine,
};

/// A number that a workload can be run with other values of.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, as expressions use it.
    pub name: String,
    /// The value it has unless another is given.
    pub default: f64,
    /// The smallest value allowed; −∞ where none is written.
    pub min: f64,
    /// The largest value allowed; ∞ where none is written.
    pub max: f64,
    /// One line that says what it changes; may be empty.
    pub about: String,
    /// Line in the source, counted from 1.
    pub line: u32,
}

/// What a stream is for, as written; the same words as the capture's roles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StreamRole {
    /// Kernels.
    #[default]
    Compute,
    /// Copies from the host to the device.
    HostToDevice,
    /// Copies from the device to the host.
    DeviceToHost,
    /// Copies within a device.
    DeviceToDevice,
    /// Communication between devices.
    Collective,
    /// Synchronisation alone.
    Barrier,
    /// What one thing at a time may do.
    CriticalSection,
    /// Jobs that are launched once something asks for what they make.
    LazyJob,
    /// Kernels on memory of the host that the device reaches.
    PinnedCompute,
}

impl StreamRole {
    /// Every role with the word for it.
    pub const LABELS: &'static [(&'static str, Self)] = &[
        ("compute", Self::Compute),
        ("host-to-device", Self::HostToDevice),
        ("device-to-host", Self::DeviceToHost),
        ("device-to-device", Self::DeviceToDevice),
        ("collective", Self::Collective),
        ("barrier", Self::Barrier),
        ("critical-section", Self::CriticalSection),
        ("lazy-job", Self::LazyJob),
        ("pinned-compute", Self::PinnedCompute),
    ];

    /// The word for it, in files and on screen.
    pub fn label(self) -> &'static str {
        Self::LABELS
            .iter()
            .find(|(_, role)| *role == self)
            .map_or("compute", |(label, _)| label)
    }
}

/// A stream to make.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamPlan {
    /// Its name; an array's elements are written `name[0]`, `name[1]`, ….
    pub name: String,
    /// What it is for.
    pub role: StreamRole,
    /// Lower runs first where the backend knows priorities; 0 is the default.
    pub priority: i32,
    /// What it is like besides.
    pub traits: StreamTraits,
    /// What it does after an operation of its own failed.
    pub failure: FailureMode,
}

/// An event to make.
#[derive(Clone, Debug, PartialEq)]
pub struct EventPlan {
    /// Its name; an array's elements are written `name[0]`, `name[1]`, ….
    pub name: String,
    /// Whether its records keep a time.
    pub timing: bool,
    /// What else it was made with.
    pub options: EventOptions,
}

/// A buffer of 32-bit floats to make, on the device and as its staging copy on the host.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferPlan {
    /// Its name; an array's elements are written `name[0]`, `name[1]`, ….
    pub name: String,
    /// How many floats it holds.
    pub len: usize,
    /// What its host copy holds before the first call: the value of this expression for each element `k`.
    pub init: Expression,
    /// Where its memory is from.
    pub memory: MemoryKind,
}

/// A host thread: its name and what it calls.
#[derive(Clone, Debug, PartialEq)]
pub struct HostPlan {
    /// The thread's name.
    pub name: String,
    /// The text of WebGPU's specification that its calls are treated by.
    pub edition: Edition,
}

/// A call as the file has it: once, however often a loop makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The call's verb, such as `launch`.
    pub verb: &'static str,
    /// What the workload calls it, for its expectations to refer to; may be empty.
    pub label: String,
    /// The host thread that makes it, as a position in [`Plan::hosts`].
    pub host: usize,
    /// Line in the source, counted from 1.
    pub line: u32,
    /// Why it runs on the stream it does, where it names none; else empty.
    pub chosen: String,
}

/// A workload with its parameters filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// One or two sentences that say what the workload shows.
    pub about: String,
    /// Each parameter's name and value, in the order of the file.
    pub parameters: Vec<(String, f64)>,
    /// The streams to make.
    pub streams: Vec<StreamPlan>,
    /// The events to make.
    pub events: Vec<EventPlan>,
    /// The buffers to make.
    pub buffers: Vec<BufferPlan>,
    /// The signals' names.
    pub signals: Vec<String>,
    /// The pipelines that calls may have compiled.
    pub pipelines: Vec<PipelinePlan>,
    /// The promises' names.
    pub promises: Vec<String>,
    /// The pools of events to make.
    pub pools: Vec<PoolPlan>,
    /// The names of the threads that take callbacks.
    pub callback_threads: Vec<String>,
    /// How many events the device has room for, where that has an end (rule F3).
    pub event_slots: Option<u32>,
    /// The launches that are recorded once.
    pub recorded: Vec<RecordedPlan>,
    /// The graphs' names.
    pub graphs: Vec<String>,
    /// The host threads to run, each a real thread.
    pub hosts: Vec<HostPlan>,
    /// What to check after the run.
    pub expectations: Vec<ExpectationPlan>,
    /// Every call of the file, at the position that [`super::SourceLocation::call`] gives.
    pub sites: Vec<CallSite>,
    /// How many calls all host threads will make; those of error branches are counted as if each were taken.
    pub call_count: u64,
    /// Who sees to it that buffers are not used on two streams at once.
    pub synchronization: Synchronization,
    /// How a paced device is set.
    pub pace: PaceSetting,
    /// The virtual machine whose instructions calls are, and whose lives are shown, where there is one.
    pub machine: Option<VirtualMachine>,
    /// Where it runs, where it says so.
    pub placement: Option<Placement>,
    pub(super) program: Arc<Program>,
    pub(super) layout: Arc<PlanLayout>,
}

impl Plan {
    /// The calls of the host thread at position `host` of [`Plan::hosts`], in order, made as they are asked for. No
    /// calls where there is no such host.
    pub fn calls(&self, host: usize) -> CallIterator {
        CallIterator::new(Arc::clone(&self.program), Arc::clone(&self.layout), host)
    }

    /// Whether any call aborts a stream.
    pub fn aborts(&self) -> bool {
        self.program.aborts()
    }

    /// The names of the kernels that calls launch, and of those that they record to be launched.
    pub fn kernels(&self) -> (BTreeSet<&'static str>, BTreeSet<&'static str>) {
        self.program.kernels()
    }

    /// Threads that a device with real time starts for it: one each for streams, host threads and those that take callbacks.
    pub fn thread_count(&self) -> usize {
        self.streams.len() + self.hosts.len() + self.callback_threads.len()
    }

    /// Bytes that the buffers take on the device; their copies on the host take as many again.
    pub fn bytes(&self) -> u64 {
        self.buffers
            .iter()
            .map(|buffer| buffer.len as u64 * BYTES_PER_FLOAT)
            .sum()
    }
}

/// Bytes of a 32-bit float.
pub(super) const BYTES_PER_FLOAT: u64 = 4;
