//! Pipelines: kernels on their way from request to ready, state by state.

use serde::{Deserialize, Serialize};

use super::{CompileTime, DeviceId, PipelineId, PipelineKind, PipelineState, SpanId};
use crate::time::Nanos;

/// A kernel that was requested to be compiled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pipeline {
    /// Its place in the table of pipelines. A pipeline that is compiled again after a loss is another one.
    pub id: PipelineId,
    /// Its name on screen.
    pub name: String,
    /// The device it is compiled for.
    pub device: DeviceId,
    /// The generation of the device, counted from 1.
    pub generation: u32,
    /// What it is for.
    pub kind: PipelineKind,
    /// Whether the caller went on while it was compiled.
    pub is_async: bool,
    /// The host call that requested it.
    pub call: SpanId,
}

/// A pipeline came into a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PipelineStep {
    /// The pipeline.
    pub pipeline: PipelineId,
    /// The state it came into.
    pub state: PipelineState,
    /// When.
    pub time: Nanos,
    /// The span that brought it there, or [`SpanId::NONE`].
    pub span: SpanId,
    /// What is to be said about it: why it failed with the shader's messages at their lines; may be empty.
    pub detail: String,
    /// Whether a cache held it, where one was asked. Over a link fields are told by their places: none may be left out.
    #[serde(default)]
    pub cached: Option<bool>,
    /// When the device really compiles it, where whoever says this knows.
    #[serde(default)]
    pub compiles: Option<CompileTime>,
}
