//! The calls of a workload as compact code: loops are kept as loops, and numbers as expressions.

use record::{BufferIndex, EventIndex, SignalIndex, StreamIndex};
use std::ops::Range;

use super::collective_act::CollectiveAct;
use super::event_act::EventAct;
use super::gpu_act::GpuAct;
use super::launch_act::LaunchAct;
use super::stream_act::StreamAct;
use super::{Call, ErrorKind, Expression, Kernel, Launch, PipelineIndex, Place, Target};
use record::time::Nanos;

/// The code of every host thread. Variables are the parameters, then the loop indices from outermost to innermost.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Program {
    pub hosts: Vec<Vec<Step>>,
}

impl Program {
    /// Whether any call aborts a stream.
    pub fn aborts(&self) -> bool {
        let is_abort = |step: &Step| matches!(step, Step::Call(call) if matches!(call.act, Act::Event(EventAct::Abort(_))));
        self.hosts.iter().flatten().any(is_abort)
    }
}

/// One step of a host thread.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Call(CallTemplate),
    /// Runs the steps up to the `Again` at `end` once for each value 0 … count − 1 of a variable.
    Repeat {
        count: Expression,
        range: Range<usize>,
        variable: usize,
        end: usize,
    },
    Again,
    /// Steps of which one may fail: then those of the first branch that takes such an error, in place of the rest.
    Try {
        branches: Vec<Branch>,
    },
    /// The end of steps of which one might have failed: goes on behind their branches.
    Leave(usize),
    /// The end of a branch: goes on behind the last one.
    Skip(usize),
}

/// What is done in place of steps that fail.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Branch {
    /// The errors that it takes: those of one kind, or all.
    pub kind: Option<ErrorKind>,
    /// Its first step.
    pub start: usize,
    /// Its line in the source, counted from 1.
    pub line: u32,
}

/// A call whose names are known and whose numbers may still depend on variables.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CallTemplate {
    pub place: Place,
    pub range: Range<usize>,
    pub act: Act,
}

/// What a call does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Act {
    Upload(Reference, Reference),
    Download(Reference, Reference),
    Copy(Reference, Reference, Reference),
    Fill(Reference, Expression, Reference),
    Launch {
        kernel: &'static Kernel,
        stream: Reference,
        reads: Vec<Reference>,
        writes: Vec<Reference>,
        parameters: Vec<Expression>,
        pipeline: Option<Reference>,
    },
    Record(Reference, Reference),
    Wait(Reference, Reference),
    Hold(Reference, Reference),
    HostFunction(String, Expression, Reference),
    SynchronizeEvent(Reference),
    SynchronizeStream(Reference),
    SynchronizeDevice,
    Query(Reference),
    Signal(Reference),
    Await(Reference),
    Work(Expression),
    Event(EventAct),
    Gpu(GpuAct),
    Streams(StreamAct),
    Launches(LaunchAct),
    Collective(CollectiveAct),
}

/// The sorts of resources that calls refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Stream,
    Event,
    Buffer,
    Signal,
    Pipeline,
    Promise,
    Pool,
    Thread,
    Recorded,
    Graph,
}

/// A use of a resource, or of one element of an array of them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reference {
    pub class: Class,
    pub declaration: usize,
    pub index: Option<Expression>,
    pub range: Range<usize>,
}

/// Where the elements of one declaration lie in the plan's list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extent {
    pub base: u32,
    pub count: u32,
}

/// The parameters' values, and where the elements of every declaration lie.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Layout {
    pub values: Vec<f64>,
    pub streams: Vec<Extent>,
    pub events: Vec<Extent>,
    pub buffers: Vec<Extent>,
    pub signals: Vec<Extent>,
    pub pipelines: Vec<Extent>,
    pub promises: Vec<Extent>,
    pub pools: Vec<Extent>,
    pub threads: Vec<Extent>,
    pub recorded: Vec<Extent>,
    pub graphs: Vec<Extent>,
}

impl Layout {
    pub fn extent(&self, class: Class, declaration: usize) -> Extent {
        let extents = match class {
            Class::Stream => &self.streams,
            Class::Event => &self.events,
            Class::Buffer => &self.buffers,
            Class::Signal => &self.signals,
            Class::Pipeline => &self.pipelines,
            Class::Promise => &self.promises,
            Class::Pool => &self.pools,
            Class::Thread => &self.threads,
            Class::Recorded => &self.recorded,
            Class::Graph => &self.graphs,
        };
        extents.get(declaration).copied().unwrap_or_default()
    }

    /// The element that is meant: indices count modulo the length of the array.
    pub fn element(&self, reference: &Reference, variables: &[f64]) -> u32 {
        let extent = self.extent(reference.class, reference.declaration);
        let index = reference
            .index
            .as_ref()
            .map_or(0.0, |index| index.evaluate(variables));
        let within = index.floor().rem_euclid(f64::from(extent.count.max(1)));
        extent.base + within as u32
    }
}

impl Act {
    /// The call, for these values of the variables.
    pub fn call(&self, layout: &Layout, variables: &[f64]) -> Call {
        let stream = |r: &Reference| StreamIndex(layout.element(r, variables));
        let event = |r: &Reference| EventIndex(layout.element(r, variables));
        let buffer = |r: &Reference| BufferIndex(layout.element(r, variables));
        let signal = |r: &Reference| SignalIndex(layout.element(r, variables));
        match self {
            Self::Upload(b, s) => Call::Upload {
                buffer: buffer(b),
                stream: stream(s),
            },
            Self::Download(b, s) => Call::Download {
                buffer: buffer(b),
                stream: stream(s),
            },
            Self::Copy(from, to, s) => Call::Copy {
                from: buffer(from),
                to: buffer(to),
                stream: stream(s),
            },
            Self::Fill(b, value, s) => Call::Fill {
                buffer: buffer(b),
                value: value.evaluate(variables) as f32,
                stream: stream(s),
            },
            Self::Launch {
                kernel,
                stream: s,
                reads,
                writes,
                parameters,
                pipeline,
            } => Call::Launch(Box::new(Launch {
                kernel: kernel.name,
                stream: stream(s),
                reads: reads.iter().map(buffer).collect(),
                writes: writes.iter().map(buffer).collect(),
                parameters: parameters.iter().map(|p| p.evaluate(variables)).collect(),
                pipeline: pipeline
                    .as_ref()
                    .map(|p| PipelineIndex(layout.element(p, variables))),
            })),
            Self::Record(e, s) => Call::Record {
                event: event(e),
                stream: stream(s),
            },
            Self::Wait(e, s) => Call::Wait {
                event: event(e),
                stream: stream(s),
            },
            Self::Hold(g, s) => Call::Hold {
                signal: signal(g),
                stream: stream(s),
            },
            Self::HostFunction(name, micros, s) => Call::HostFunction {
                name: name.clone(),
                length: length(micros.evaluate(variables)),
                stream: stream(s),
            },
            Self::SynchronizeEvent(e) => Call::Synchronize(Target::Event(event(e))),
            Self::SynchronizeStream(s) => Call::Synchronize(Target::Stream(stream(s))),
            Self::SynchronizeDevice => Call::Synchronize(Target::Device),
            Self::Query(e) => Call::Query(event(e)),
            Self::Signal(g) => Call::Signal(signal(g)),
            Self::Await(g) => Call::Await(signal(g)),
            Self::Work(micros) => Call::Work(length(micros.evaluate(variables))),
            Self::Event(act) => Call::Event(Box::new(act.call(layout, variables))),
            Self::Gpu(act) => Call::Gpu(Box::new(act.call(layout, variables))),
            Self::Streams(act) => Call::Streams(Box::new(act.call(layout, variables))),
            Self::Launches(act) => Call::Launches(Box::new(act.call(layout, variables))),
            Self::Collective(act) => Call::Collective(act.call(layout, variables)),
        }
    }

    /// Every resource that the call uses.
    pub fn references(&self) -> Vec<&Reference> {
        match self {
            Self::SynchronizeDevice | Self::Work(_) => Vec::new(),
            Self::Event(act) => act.references(),
            Self::Gpu(act) => act.references(),
            Self::Streams(act) => act.references(),
            Self::Launches(act) => act.references(),
            Self::Collective(act) => act.references(),
            Self::HostFunction(_, _, r)
            | Self::SynchronizeEvent(r)
            | Self::SynchronizeStream(r)
            | Self::Query(r)
            | Self::Signal(r)
            | Self::Await(r) => vec![r],
            Self::Upload(r, s)
            | Self::Download(r, s)
            | Self::Fill(r, _, s)
            | Self::Record(r, s)
            | Self::Wait(r, s)
            | Self::Hold(r, s) => vec![r, s],
            Self::Copy(from, to, s) => vec![from, to, s],
            Self::Launch {
                stream,
                reads,
                writes,
                pipeline,
                ..
            } => reads
                .iter()
                .chain(writes)
                .chain([stream])
                .chain(pipeline)
                .collect(),
        }
    }
}

pub(super) fn length(micros: f64) -> Nanos {
    Nanos((micros * 1e3).round() as i64)
}

/// How often a loop with this count runs.
pub(super) fn rounds(count: f64) -> u64 {
    count.max(0.0) as u64
}
