//! WebGPU's calls as compact code: names known, numbers still over variables.

use super::program::{Layout, Reference, length};
use super::{
    ErrorFilter, Expression, GpuCall, Injection, LossBy, MapMode, Moment, PipelineIndex,
    PromiseIndex,
};
use record::BufferIndex;

/// What a call of WebGPU's does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum GpuAct {
    CreatePipeline(Reference),
    CreatePipelineAsync(Reference, Reference),
    MapAsync(Reference, MapMode, Reference),
    Unmap(Reference),
    PushErrorScope(ErrorFilter),
    PopErrorScope(Reference),
    CompilationInfo(Reference, Reference),
    WorkDone(Reference),
    DeviceLost(Reference),
    Settle(Reference),
    SettleAll,
    Lose(LossBy, When),
    Recover,
}

/// The moment of a loss.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum When {
    Now,
    /// In microseconds.
    Time(Expression),
    /// While a pipeline or a stream of this name is at work.
    Pipeline(String),
    Stream(String),
}

impl GpuAct {
    /// The call, for these values of the variables.
    pub fn call(&self, layout: &Layout, variables: &[f64]) -> GpuCall {
        let pipeline = |r: &Reference| PipelineIndex(layout.element(r, variables));
        let promise = |r: &Reference| PromiseIndex(layout.element(r, variables));
        let buffer = |r: &Reference| BufferIndex(layout.element(r, variables));
        match self {
            Self::CreatePipeline(it) => GpuCall::CreatePipeline {
                pipeline: pipeline(it),
            },
            Self::CreatePipelineAsync(it, to) => GpuCall::CreatePipelineAsync {
                pipeline: pipeline(it),
                promise: promise(to),
            },
            Self::MapAsync(it, mode, to) => GpuCall::MapAsync {
                buffer: buffer(it),
                mode: *mode,
                promise: promise(to),
            },
            Self::Unmap(it) => GpuCall::Unmap(buffer(it)),
            Self::PushErrorScope(filter) => GpuCall::PushErrorScope(*filter),
            Self::PopErrorScope(to) => GpuCall::PopErrorScope {
                promise: promise(to),
            },
            Self::CompilationInfo(it, to) => GpuCall::CompilationInfo {
                pipeline: pipeline(it),
                promise: promise(to),
            },
            Self::WorkDone(to) => GpuCall::WorkDone {
                promise: promise(to),
            },
            Self::DeviceLost(to) => GpuCall::DeviceLost {
                promise: promise(to),
            },
            Self::Settle(it) => GpuCall::Settle(promise(it)),
            Self::SettleAll => GpuCall::SettleAll,
            Self::Lose(by, when) => GpuCall::Lose(Injection {
                by: *by,
                at: when.moment(variables),
            }),
            Self::Recover => GpuCall::Recover,
        }
    }

    /// Every resource that the call uses.
    pub fn references(&self) -> Vec<&Reference> {
        match self {
            Self::CreatePipeline(r)
            | Self::Unmap(r)
            | Self::PopErrorScope(r)
            | Self::WorkDone(r)
            | Self::DeviceLost(r)
            | Self::Settle(r) => vec![r],
            Self::CreatePipelineAsync(r, to)
            | Self::MapAsync(r, _, to)
            | Self::CompilationInfo(r, to) => vec![r, to],
            Self::PushErrorScope(_) | Self::SettleAll | Self::Lose(..) | Self::Recover => {
                Vec::new()
            }
        }
    }

    /// The promise that the call makes.
    pub fn promise(&self) -> Option<&Reference> {
        match self {
            Self::CreatePipelineAsync(_, to)
            | Self::MapAsync(_, _, to)
            | Self::PopErrorScope(to)
            | Self::CompilationInfo(_, to)
            | Self::WorkDone(to)
            | Self::DeviceLost(to) => Some(to),
            _ => None,
        }
    }
}

impl When {
    fn moment(&self, variables: &[f64]) -> Moment {
        match self {
            Self::Now => Moment::Now,
            Self::Time(micros) => Moment::Time(length(micros.evaluate(variables))),
            Self::Pipeline(name) => Moment::Pipeline(name.clone()),
            Self::Stream(name) => Moment::Stream(name.clone()),
        }
    }
}
