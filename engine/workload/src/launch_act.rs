//! Calls of recorded launches and graphs as compact code: names known, numbers still over variables.

use record::{BufferIndex, StreamIndex};
use std::sync::Arc;

use super::program::{Layout, Reference};
use super::{
    ArgumentName, ArgumentValue, CaptureMode, Expression, GraphIndex, Kernel, LaunchCall,
    LaunchPlan, RecordedIndex,
};

/// What a call of a recorded launch or of a graph does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LaunchAct {
    Record {
        launch: Reference,
        kernel: &'static Kernel,
        reads: Vec<Reference>,
        writes: Vec<Reference>,
        parameters: Vec<Expression>,
    },
    Set(Reference, Which, Given),
    SetAll(Reference, Vec<Given>),
    SetDimensions(Reference, Expression),
    Relaunch(Reference, Reference),
    BeginCapture(Reference, CaptureMode),
    EndCapture(Reference, Reference),
    Instantiate(Reference),
    Update(Reference),
    Replay(Reference, Reference),
}

/// Which argument.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Which {
    Named(Arc<str>),
    At(usize),
}

/// A value for an argument.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Given {
    Buffer(Reference),
    Number(Expression),
}

impl Given {
    const fn buffer(&self) -> Option<&Reference> {
        match self {
            Self::Buffer(it) => Some(it),
            Self::Number(_) => None,
        }
    }
}

impl LaunchAct {
    /// The call, for these values of the variables.
    pub fn call(&self, layout: &Layout, variables: &[f64]) -> LaunchCall {
        let stream = |r: &Reference| StreamIndex(layout.element(r, variables));
        let launch = |r: &Reference| RecordedIndex(layout.element(r, variables));
        let graph = |r: &Reference| GraphIndex(layout.element(r, variables));
        let buffer = |r: &Reference| BufferIndex(layout.element(r, variables));
        let value = |given: &Given| match given {
            Given::Buffer(it) => ArgumentValue::Buffer(buffer(it)),
            Given::Number(it) => ArgumentValue::Number(it.evaluate(variables)),
        };
        match self {
            Self::Record {
                launch: to,
                kernel,
                reads,
                writes,
                parameters,
            } => LaunchCall::Record(Box::new(LaunchPlan {
                launch: launch(to),
                kernel: kernel.name,
                reads: reads.iter().map(buffer).collect(),
                writes: writes.iter().map(buffer).collect(),
                parameters: parameters.iter().map(|p| p.evaluate(variables)).collect(),
            })),
            Self::Set(of, which, given) => LaunchCall::Set {
                launch: launch(of),
                argument: match which {
                    Which::Named(name) => ArgumentName::Named(Arc::clone(name)),
                    Which::At(place) => ArgumentName::At(*place),
                },
                value: value(given),
            },
            Self::SetAll(of, given) => LaunchCall::SetAll {
                launch: launch(of),
                values: given.iter().map(value).collect(),
            },
            Self::SetDimensions(of, elements) => LaunchCall::SetDimensions {
                launch: launch(of),
                elements: elements.evaluate(variables),
            },
            Self::Relaunch(of, on) => LaunchCall::Relaunch {
                launch: launch(of),
                stream: stream(on),
            },
            Self::BeginCapture(on, mode) => LaunchCall::BeginCapture {
                stream: stream(on),
                mode: *mode,
            },
            Self::EndCapture(on, to) => LaunchCall::EndCapture {
                stream: stream(on),
                graph: graph(to),
            },
            Self::Instantiate(it) => LaunchCall::Instantiate(graph(it)),
            Self::Update(it) => LaunchCall::Update(graph(it)),
            Self::Replay(it, on) => LaunchCall::Replay {
                graph: graph(it),
                stream: stream(on),
            },
        }
    }

    /// Every resource that the call uses.
    pub fn references(&self) -> Vec<&Reference> {
        match self {
            Self::Record {
                launch,
                reads,
                writes,
                ..
            } => reads.iter().chain(writes).chain([launch]).collect(),
            Self::Set(of, _, given) => std::iter::once(of).chain(given.buffer()).collect(),
            Self::SetAll(of, given) => {
                let buffers = given.iter().filter_map(Given::buffer);
                std::iter::once(of).chain(buffers).collect()
            }
            Self::SetDimensions(it, _)
            | Self::BeginCapture(it, _)
            | Self::Instantiate(it)
            | Self::Update(it) => vec![it],
            Self::Relaunch(of, on) | Self::EndCapture(of, on) | Self::Replay(of, on) => {
                vec![of, on]
            }
        }
    }
}
