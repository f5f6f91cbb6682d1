//! The one vocabulary that backends and importers speak: facts about what ran, as plain data.
//!
//! A backend says what it did, and an importer what it read, as [`Record`]s; a capture is what takes them in. Times are whole
//! nanoseconds from the capture's start ([`time`]), and an id is a place in a table that never moves.
//!
//! ```
//! use record::time::Nanos;
//! use record::{CallId, LaneId, NameId, Record, Span, SpanId, SpanKind, State};
//!
//! let kernel = Span {
//!     id: SpanId(0),
//!     lane: LaneId(0),
//!     name: NameId(0),
//!     call: CallId::NONE,
//!     kind: SpanKind::Kernel,
//!     state: State::Done,
//!     enqueued: Nanos(100),
//!     start: Nanos(250),
//!     end: Nanos(900),
//! };
//! assert_eq!(kernel.start - kernel.enqueued, Nanos(150), "so long it waited");
//! assert!(matches!(Record::Span(kernel), Record::Span(it) if it.kind == SpanKind::Kernel));
//! ```

mod bookmark;
mod counted;
mod event;
mod field_names;
mod fields;
mod finding;
mod ids;
mod indices;
pub mod invariant;
mod kinds;
mod launch;
mod pace;
mod pipeline;
mod promise;
mod run;
mod script_function;
mod short_text;
mod small_list;
mod span_set;
mod step_name;
mod thread_state;
pub mod time;
mod torch_device;

pub use bookmark::Bookmark;
pub use counted::counted;
pub use event::{Event, EventStep};
pub use field_names::{
    BLOCKED_BECAUSE, CALL_LABEL, COLLECTIVE_GROUPS, ENGINE, ENGINE_WAIT, HELD, INSERTED_BECAUSE,
    ITERATION, LATE, MEMORY_ACTION, MEMORY_ADDRESS, MEMORY_ALLOCATED, MEMORY_BLOCK, MEMORY_BYTES,
    MEMORY_DEVICE, MEMORY_DEVICE_TYPE, MEMORY_EVENT, MEMORY_OPERATOR, MEMORY_RESERVED,
    MEMORY_SEGMENT, MEMORY_SEGMENT_BYTES, MEMORY_STACK, MEMORY_STREAM, QUERY_ANSWER, STUB_BEGAN,
    STUB_ENDED, STUB_KIND, TIME_LIMIT, WORKED,
};
pub use fields::{FieldDecoder, FieldEncoder, FieldForm, FieldType, FieldValue, Fields};
pub use finding::{Finding, FindingSearch};
pub use ids::{
    CallId, CounterId, DependencyId, DeviceId, EventId, FindingId, LaneId, LaunchId, NameId,
    PipelineId, PromiseId, SpanId,
};
pub use indices::{BufferIndex, EventIndex, SignalIndex, StreamIndex};
pub use kinds::{
    Basis, CompileTime, DependencyKind, EventChange, Group, LaunchChange, LaunchKind, LossKind,
    PipelineKind, PipelineState, QueryAnswer, Role, Severity, SpanKind, State, ThreadState,
    Verdict,
};
pub use launch::{Launch, LaunchInstance, LaunchNode, LaunchStep};
pub use pace::{PACE_NOT_KEPT, PaceDial, PaceLaw, PaceReport, PaceSetting, PacedLength};
pub use pipeline::{Pipeline, PipelineStep};
pub use promise::{ObservedOutcome, Promise, PromiseOutcome};
pub use run::{
    Clock, Expectation, FileRepair, Log, Problem, Run, RunEnd, RunOutcome, WAITS_UNTOLD,
};
pub use script_function::{CATEGORY, PYTHON_FUNCTION, is_script_function};
pub use short_text::ShortText;
pub use small_list::SmallList;
pub use span_set::SpanSet;
pub use step_name::{MarkWording, mark_stem};
pub use thread_state::{INTERRUPT, ThreadInterval, ThreadSchedule};
pub use torch_device::TorchDevice;

use serde::{Deserialize, Serialize};

use crate::time::Nanos;

/// One fact. The order in which records arrive does not matter, except that a [`Record::Name`] and a
/// [`Record::Lane`] that come late leave what refers to them unnamed, or in no group, until they come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Record {
    /// What was run, or which file was opened.
    Run(Box<Run>),
    /// A text that other records refer to.
    Name(NameId, Box<str>),
    /// A device that runs work.
    Device(Box<Device>),
    /// A row of the timeline: a host thread, a stream, a compile worker, a queue.
    Lane(Box<Lane>),
    /// What a lane is where it comes from: its rank, and the number that its file has for it.
    LaneOrigin(LaneOrigin),
    /// A GPU synchronisation point.
    Event(Event),
    /// It was recorded, reset or destroyed.
    EventStep(EventStep),
    /// A host call of the workload, with its place in the source.
    Call(SourceCall),
    /// An operation that ran to its end.
    Span(Span),
    /// An operation that has started and not yet ended; the [`Record::Span`] of the same id completes it.
    Began(SpanStart),
    /// A cause and its effect.
    Dependency(Dependency),
    /// One more field of a span.
    Argument(SpanId, NameId, Value),
    /// A series of samples.
    Counter(Box<Counter>),
    /// The value of a counter from an instant on.
    Sample(Sample),
    /// A device was lost: nothing submitted to it after this instant runs.
    Loss(Box<Loss>),
    /// A lost device was opened anew.
    Recovery(Box<Recovery>),
    /// A kernel was requested to be compiled.
    Pipeline(Box<Pipeline>),
    /// A pipeline came into a state.
    PipelineStep(Box<PipelineStep>),
    /// An asynchronous API was called.
    Promise(Box<Promise>),
    /// A promise settled.
    Settlement(Box<PromiseOutcome>),
    /// How a clock was converted to capture time.
    Clock(Box<Clock>),
    /// Something known to be wrong or missing in the data itself.
    Problem(Box<Problem>),
    /// What was concluded while it ran.
    Finding(Box<Finding>),
    /// What was looked for while it ran.
    Search(Box<FindingSearch>),
    /// What the workload expected, checked after the run.
    Expectation(Box<Expectation>),
    /// A line of the log.
    Log(Box<Log>),
    /// What a reader of the capture should know of the file that it was read from, in a sentence.
    Note(Box<str>),
    /// A place that somebody marked.
    Bookmark(Box<Bookmark>),
    /// What had to be mended in the file that it was read from.
    FileRepair(Box<FileRepair>),
    /// Something was made that can be launched many times.
    Launch(Box<Launch>),
    /// It was recorded or changed.
    LaunchStep(Box<LaunchStep>),
    /// It was launched once more.
    Relaunch(LaunchInstance),
    /// The run is over.
    End(Box<RunEnd>),
    /// Fields of many spans at once.
    Fields(Box<Fields>),
    /// An operation that was submitted and has not ended; between an engine and its far end alone.
    Submitted(Box<SubmittedSpan>),
    /// A call reads or writes a buffer.
    BufferUse(BufferUse),
    /// How the thread of a lane was scheduled.
    Schedule(Box<ThreadSchedule>),
}

/// A device that runs work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// Its place in the table of devices.
    pub id: DeviceId,
    /// What people call it, such as `NVIDIA H200` or `cpu, 8 workers`.
    pub name: String,
    /// The backend that drives it (`cpu`, `wgpu`, `cuda`), or the tool that captured it.
    pub backend: String,
    /// What it can and cannot do, in words, such as `one queue: streams serialise`.
    pub detail: String,
    /// Where the rank is placed that has it, in a run of ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<RankPlace>,
    /// The law by which it takes its time, where it is paced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paced: Option<PaceLaw>,
}

impl Device {
    /// Its name where there is little room: that of a paced one without its law.
    pub fn short_name(&self) -> &str {
        let law = self.name.find(':').filter(|_| self.paced.is_some());
        law.and_then(|at| self.name.get(..at)).unwrap_or(&self.name)
    }
}

/// Where a rank is placed: its parallel id, and its machine and device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankPlace {
    /// Its place among all ranks, from 0.
    pub rank: u32,
    /// How many ranks there are.
    pub count: u32,
    /// The place of its machine in the placement, from 0.
    pub machine: u32,
    /// What that machine is called.
    pub machine_name: String,
    /// The device's number on that machine.
    pub device: u32,
}

/// A row of the timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// Its place in the table of lanes.
    pub id: LaneId,
    /// The group it is drawn in.
    pub group: Group,
    /// The device it belongs to; none for host threads.
    pub device: Option<DeviceId>,
    /// What a stream is for; [`Role::None`] for lanes that are not streams.
    pub role: Role,
    /// Its name on screen.
    pub name: String,
    /// Lanes of one group are drawn by ascending order, then id.
    pub order: i32,
    /// The process that it is of, by the number or the word that the captured file has for it; empty where it has none.
    #[serde(default)]
    pub process: ShortText,
    /// The thread or the stream that it is, in the same way.
    #[serde(default)]
    pub thread: ShortText,
}

/// What a lane is where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneOrigin {
    /// The lane.
    pub lane: LaneId,
    /// The rank of its process among those that worked together, where that is known.
    pub rank: Option<u32>,
    /// The number of its stream or thread in the file that it comes from, where it has one.
    pub number: Option<i64>,
}

impl LaneOrigin {
    /// What a lane is by the number that its file has for its stream or thread; nothing where that is no number.
    pub fn of(lane: &Lane, rank: Option<u32>) -> Option<Self> {
        let number = lane.thread.parse().ok();
        (number.is_some() || rank.is_some()).then_some(Self {
            lane: lane.id,
            rank,
            number,
        })
    }
}

/// A host call of the workload: where in the source it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceCall {
    /// Its place in the table of calls. Spans of one call in a loop share it.
    pub id: CallId,
    /// Line in the workload's source, counted from 1; 0 where there is none.
    pub line: u32,
    /// The call's verb, such as `launch`.
    pub name: NameId,
}

/// That a call reads or writes a buffer: said once for each call of the source, however often it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BufferUse {
    /// The call.
    pub call: CallId,
    /// The buffer.
    pub buffer: NameId,
    /// Whether it is the buffer's copy on the host.
    pub is_host: bool,
    /// Whether it is written; allocating and freeing it are.
    pub is_write: bool,
}

/// An operation that ran: what, where, when it was enqueued, when it started and ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Its place in the table of spans, given out by the producer when the operation was submitted.
    pub id: SpanId,
    /// The lane it ran on.
    pub lane: LaneId,
    /// What it is called.
    pub name: NameId,
    /// The call that made it, or [`CallId::NONE`].
    pub call: CallId,
    /// What sort of operation it was.
    pub kind: SpanKind,
    /// How it ended.
    pub state: State,
    /// When it was handed to its lane; equal to `start` where that is not known.
    pub enqueued: Nanos,
    /// When it began to run.
    pub start: Nanos,
    /// When it ended. An end before the start is repaired by the capture, and the span marked.
    pub end: Nanos,
}

/// An operation that has started and not yet ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpanStart {
    /// Its place in the table of spans.
    pub id: SpanId,
    /// The lane it runs on.
    pub lane: LaneId,
    /// What it is called.
    pub name: NameId,
    /// What sort of operation it is.
    pub kind: SpanKind,
    /// When it was handed to its lane.
    pub enqueued: Nanos,
    /// When it began to run.
    pub start: Nanos,
}

/// An operation from its submission on: what has to be known of it should its process die before it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmittedSpan {
    /// Its place in the table of spans.
    pub id: SpanId,
    /// The lane it will run on.
    pub lane: LaneId,
    /// What it is called.
    pub name: NameId,
    /// The call that submitted it.
    pub call: CallId,
    /// What sort of operation it is.
    pub kind: SpanKind,
    /// When it was handed to its lane.
    pub enqueued: Nanos,
}

/// A cause and its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// The span that had to end first.
    pub cause: SpanId,
    /// The span that it held back.
    pub effect: SpanId,
    /// What ties the two.
    pub kind: DependencyKind,
    /// Whether it was declared, enforced or merely observed.
    pub basis: Basis,
    /// The event that carried it and the generation of its record, or [`EventId::NONE`] and 0.
    pub event: EventId,
    /// The generation of the event's record, counted from 1.
    pub generation: u32,
}

/// The value of a span's argument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A whole number.
    Integer(i64),
    /// A real number.
    Number(f64),
    /// A text.
    Text(Box<str>),
}

/// A series of samples, drawn as a lane of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counter {
    /// Its place in the table of counters.
    pub id: CounterId,
    /// Its name on screen.
    pub name: String,
    /// The unit of its values, such as `bytes`.
    pub unit: String,
    /// The device it belongs to, where there is one.
    pub device: Option<DeviceId>,
}

/// The value of a counter from an instant on, until its next sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The counter.
    pub counter: CounterId,
    /// From when on it has the value.
    pub time: Nanos,
    /// The value, in the counter's unit.
    pub value: f64,
}

/// A device was lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// The device.
    pub device: DeviceId,
    /// The moment of the loss.
    pub time: Nanos,
    /// Why, in words, such as `injected` or the driver's message.
    pub reason: String,
    /// How it was lost.
    #[serde(default)]
    pub kind: LossKind,
    /// Which generation of the device was lost, counted from 1.
    #[serde(default = "first")]
    pub generation: u32,
}

/// The generation that a device begins with.
const fn first() -> u32 {
    1
}

/// A lost device was opened anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recovery {
    /// The device.
    pub device: DeviceId,
    /// The generation that begins here; the first device was generation 1.
    pub generation: u32,
    /// When the generation before it was lost.
    pub lost: Nanos,
    /// When the new one could take work.
    pub time: Nanos,
}

impl Dependency {
    /// A dependency that no event carries.
    pub const fn new(cause: SpanId, effect: SpanId, kind: DependencyKind, basis: Basis) -> Self {
        Self {
            cause,
            effect,
            kind,
            basis,
            event: EventId::NONE,
            generation: 0,
        }
    }

    /// A submission: the call `cause` handed `effect` to its stream.
    pub const fn submission(cause: SpanId, effect: SpanId) -> Self {
        Self::new(cause, effect, DependencyKind::Submission, Basis::Enforced)
    }
}
