//! A workload as read: every name resolved, every number still an expression over the parameters.

use std::ops::Range;
use std::sync::Arc;

use super::phase::Reference;
use super::program::Program;
use super::{
    CallSite, Edition, EventOptions, Expression, FailureMode, MachinePlan, MachineThreads,
    MemoryKind, OperationPairs, Parameter, PipelinePurpose, RankFault, StreamRole, StreamTraits,
    Synchronization,
};
use record::PaceSetting;
use record::time::Nanos;

/// A workload as read. Positions in these lists are what [`Reference::declaration`] gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Template {
    pub about: String,
    pub lesson: String,
    pub parameters: Vec<ParameterTemplate>,
    pub streams: Vec<StreamTemplate>,
    pub events: Vec<EventTemplate>,
    pub buffers: Vec<BufferTemplate>,
    pub signals: Vec<Declaration>,
    pub shaders: Vec<ShaderTemplate>,
    pub pipelines: Vec<PipelineTemplate>,
    pub promises: Vec<Declaration>,
    pub pools: Vec<PoolTemplate>,
    pub threads: Vec<Declaration>,
    pub event_slots: Option<LocatedExpression>,
    pub recorded: Vec<RecordedTemplate>,
    pub graphs: Vec<Declaration>,
    pub hosts: Vec<HostTemplate>,
    pub program: Arc<Program>,
    pub sites: Vec<CallSite>,
    pub expectations: Vec<ExpectationTemplate>,
    pub synchronization: Option<Synchronization>,
    /// How a paced device is set.
    pub pace: Option<PaceSetting>,
    /// The virtual machine whose instructions calls are.
    pub machine: Option<VirtualMachineTemplate>,
    pub placement: Option<PlacementTemplate>,
    pub guards: Vec<RankGuard>,
}

/// Where it runs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlacementTemplate {
    /// None for this machine alone.
    pub machines: Option<Vec<MachineTemplate>>,
    pub timeout: Nanos,
    pub faults: Vec<RankFault>,
    pub again: bool,
}

/// A machine and the numbers of its devices.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MachineTemplate {
    pub plan: MachinePlan,
    pub devices: Vec<u32>,
}

/// Calls for some ranks alone: 1 for those, else 0, over the parameters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RankGuard {
    pub count: Expression,
    pub text: String,
    pub line: u32,
}

/// A virtual machine: at how many instructions it takes no more, at how few it does again, and who launches them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct VirtualMachineTemplate {
    pub high: Option<LocatedExpression>,
    pub low: Option<LocatedExpression>,
    pub threads: MachineThreads,
}

/// A parameter, and the bytes of the source that give its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ParameterTemplate {
    pub parameter: Parameter,
    pub value: Range<usize>,
    /// Whether nobody but the engine gives it a value.
    pub is_hidden: bool,
}

/// An expression, and the bytes of the source that it stands in.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LocatedExpression {
    pub expression: Expression,
    pub range: Range<usize>,
}

/// What all resources have: a name, and how many of them there are where it is an array.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Declaration {
    pub name: String,
    pub range: Range<usize>,
    pub count: Option<LocatedExpression>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct StreamTemplate {
    pub declaration: Declaration,
    pub role: StreamRole,
    pub priority: i32,
    pub traits: StreamTraits,
    pub failure: FailureMode,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct EventTemplate {
    pub declaration: Declaration,
    pub timing: bool,
    pub options: EventOptions,
}

/// A pool of events.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PoolTemplate {
    pub declaration: Declaration,
    pub timing: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct BufferTemplate {
    pub declaration: Declaration,
    pub len: LocatedExpression,
    /// Over the parameters, then `part`, then `k`.
    pub init: Expression,
    pub memory: MemoryKind,
}

/// A text in WGSL.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ShaderTemplate {
    pub name: Arc<str>,
    pub source: Arc<str>,
    pub line: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct PipelineTemplate {
    pub declaration: Declaration,
    pub kind: PipelinePurpose,
    pub shader: ShaderReference,
    pub entry: Option<String>,
    /// In microseconds.
    pub slow: Option<LocatedExpression>,
    pub fails: bool,
    pub cache: bool,
    pub line: u32,
}

/// A launch that is recorded once, and the kernel that it is made for where it is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RecordedTemplate {
    pub declaration: Declaration,
    pub kernel: Option<&'static str>,
}

/// What a pipeline compiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ShaderReference {
    Kernel(&'static str),
    /// The position of the shader in the template's list.
    Text(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HostTemplate {
    pub name: String,
    pub edition: Edition,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ExpectationTemplate {
    pub text: String,
    pub line: u32,
    pub form: ExpectationForm,
}

/// An expectation's form; a reference without an index means every element of the array.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ExpectationForm {
    Overlap(Reference, Reference, BoundsTemplate),
    Busy(Reference, BoundsTemplate),
    /// The formula is over the parameters, then `part`, then `k`.
    Each(Reference, Expression, f64),
    Sum(Reference, BoundsTemplate),
    Order(CallOrder, Vec<u32>, Vec<u32>),
    /// What is said of calls by their labels alone, with its bounds.
    Labelled(LabelledForm, BoundsTemplate),
    /// Races, of a buffer where one is named.
    Race(Option<Reference>, BoundsTemplate),
    /// Calls that all run on a stream.
    RunsOn(Vec<u32>, Reference),
    /// Calls of this verb.
    Calls(String, BoundsTemplate),
    Used(Reference, BoundsTemplate),
    /// The time between two events.
    Elapsed(Reference, Reference, BoundsTemplate),
    Problem(String, BoundsTemplate),
    /// Promises, whether they are resolved, and with what.
    Settles(Reference, bool, Option<String>),
}

/// What is said of calls, besides bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LabelledForm {
    Ordered(Vec<u32>, Vec<u32>, OperationPairs),
    Apart(Vec<u32>, Vec<u32>, OperationPairs),
    HostWaits,
    StreamWaits,
    HostKnows(Vec<u32>),
    /// Those that are counted, before which, and behind which.
    CalledBefore(Vec<u32>, Vec<u32>, Vec<u32>),
    Stalled,
}

/// What is said of two labelled groups of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallOrder {
    Before,
    InTurn,
    EndsBefore,
}

/// Bounds as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BoundsTemplate {
    pub at_least: Option<LocatedExpression>,
    pub at_most: Option<LocatedExpression>,
    pub equals: Option<LocatedExpression>,
    pub tolerance: f64,
}
