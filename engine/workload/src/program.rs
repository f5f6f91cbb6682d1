//! The calls of a workload as compact code: loops are kept as loops, and numbers as expressions.

use std::collections::BTreeSet;
use std::ops::Range;

use super::call::{Call, DataCall, LaunchCall, StreamCall};
use super::phase::{AsWritten, Reference, ResourceClass};
use super::{ErrorMatch, Expression, SourceLocation};

/// The code of every host thread. Variables are the parameters, then the loop indices from outermost to innermost.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Program {
    pub hosts: Vec<Vec<ProgramStep>>,
}

impl Program {
    /// Whether any call aborts a stream.
    pub fn aborts(&self) -> bool {
        let is_abort = |step: &ProgramStep| matches!(step, ProgramStep::Call(it) if matches!(it.call, Call::Stream(StreamCall::Abort { .. })));
        self.hosts.iter().flatten().any(is_abort)
    }

    /// The names of the kernels that calls launch, and of those that they record to be launched.
    pub fn kernels(&self) -> (BTreeSet<&'static str>, BTreeSet<&'static str>) {
        let (mut launched, mut recorded) = (BTreeSet::new(), BTreeSet::new());
        for step in self.hosts.iter().flatten() {
            let ProgramStep::Call(template) = step else {
                continue;
            };
            match &template.call {
                Call::Data(DataCall::Launch { kernel, .. }) => launched.insert(kernel.kernel.name),
                Call::Launch(LaunchCall::Record { kernel, .. }) => {
                    recorded.insert(kernel.kernel.name)
                }
                _ => continue,
            };
        }
        (launched, recorded)
    }
}

/// One step of a host thread.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ProgramStep {
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
    /// The errors that it takes.
    pub takes: ErrorMatch,
    /// Its first step.
    pub start: usize,
    /// Its line in the source, counted from 1.
    pub line: u32,
}

/// A call whose names are known and whose numbers may still depend on variables.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CallTemplate {
    pub place: SourceLocation,
    pub range: Range<usize>,
    pub call: Call<AsWritten>,
}

/// Where the elements of one declaration lie in the plan's list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeclarationExtent {
    /// The first element's place in the list.
    pub base: u32,
    /// How many there are.
    pub count: u32,
}

/// The parameters' values, and where the elements of every declaration lie.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PlanLayout {
    pub values: Vec<f64>,
    pub streams: Vec<DeclarationExtent>,
    pub events: Vec<DeclarationExtent>,
    pub buffers: Vec<DeclarationExtent>,
    pub signals: Vec<DeclarationExtent>,
    pub pipelines: Vec<DeclarationExtent>,
    pub promises: Vec<DeclarationExtent>,
    pub pools: Vec<DeclarationExtent>,
    pub threads: Vec<DeclarationExtent>,
    pub recorded: Vec<DeclarationExtent>,
    pub graphs: Vec<DeclarationExtent>,
}

impl PlanLayout {
    pub fn extent(&self, class: ResourceClass, declaration: usize) -> DeclarationExtent {
        let extents = match class {
            ResourceClass::Stream => &self.streams,
            ResourceClass::Event => &self.events,
            ResourceClass::Buffer => &self.buffers,
            ResourceClass::Signal => &self.signals,
            ResourceClass::Pipeline => &self.pipelines,
            ResourceClass::Promise => &self.promises,
            ResourceClass::Pool => &self.pools,
            ResourceClass::Thread => &self.threads,
            ResourceClass::Recorded => &self.recorded,
            ResourceClass::Graph => &self.graphs,
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

/// How often a loop with this count runs.
pub(super) fn rounds(count: f64) -> u64 {
    count.max(0.0) as u64
}
