//! The steps that wait their turn on a timeline, and what executing one did.

use super::edition::SpecAuthority;
use super::errors::{PoppedScope, RaisedError};
use super::ids::{BufferId, ModelPipelineId, ModelPromiseId, ModelTimeline, ModuleId};
use super::loss::LossReason;
use super::outcome::{CallOutcome, GpuErrorKind};
use super::pipelines::PipelineProgress;
use super::promise::PromiseResult;
use super::table::{Api, OutcomeRow};
use record::SpanId;

/// A step that waits its turn on a timeline.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimelineTask {
    /// The call, step or compile that issued it.
    pub cause: SpanId,
    /// The content timeline whose call it goes back to.
    pub host: ModelTimeline,
    /// The edition by whose rules that timeline lives.
    pub edition: SpecAuthority,
    /// When the call was made, in steps of the model.
    pub called: u64,
    /// The promise it works for.
    pub promise: Option<ModelPromiseId>,
    /// What it does.
    pub work: TimelineWork,
}

/// What a step does. The last five belong to content timelines, the others to the device timeline.
#[derive(Clone, Copy, Debug)]
pub(super) enum TimelineWork {
    CreatePipeline(ModelPipelineId),
    DecidePipeline(ModelPipelineId),
    CreateBuffer(BufferId),
    RefuseMap(&'static OutcomeRow),
    RefuseMapped(BufferId, &'static OutcomeRow),
    Map(BufferId),
    MapReady(BufferId),
    Unmap(BufferId),
    DestroyBuffer(BufferId),
    PushScope(GpuErrorKind),
    PopScope,
    CreateModule(ModuleId),
    AskModule(ModuleId),
    ModuleKnown,
    AskQueue,
    QueueKnown,
    Submit(Api, Option<GpuErrorKind>),
    Create(Option<GpuErrorKind>),
    Raise(GpuErrorKind),
    Lose(LossReason),
    Settle(&'static OutcomeRow, Option<RaisedError>),
    SettleAs(&'static OutcomeRow, CallOutcome),
    FinishMap(BufferId, &'static OutcomeRow),
    FinishMessages,
    TellUncaptured(RaisedError),
}

impl TimelineWork {
    /// The call that such steps belong to, as far as they say it.
    pub const fn api(self) -> Option<Api> {
        Some(match self {
            Self::RefuseMap(_) | Self::RefuseMapped(..) | Self::Map(_) | Self::MapReady(_) => {
                Api::MapAsync
            }
            Self::Unmap(_) => Api::Unmap,
            Self::DestroyBuffer(_) => Api::DestroyBuffer,
            Self::PushScope(_) => Api::PushErrorScope,
            Self::PopScope => Api::PopErrorScope,
            Self::AskModule(_) | Self::ModuleKnown => Api::GetCompilationInfo,
            Self::AskQueue | Self::QueueKnown => Api::OnSubmittedWorkDone,
            Self::Submit(api, _) => api,
            Self::Create(_) | Self::CreateBuffer(_) | Self::CreateModule(_) => Api::Create,
            Self::TellUncaptured(_) => Api::Uncaptured,
            Self::Lose(LossReason::Destroyed) => Api::DestroyDevice,
            _ => return None,
        })
    }
}

/// The name of a step, for its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepName {
    /// The first device steps of a call that goes on later.
    Initial,
    /// The device steps of a pipeline's creation, in the text that had but one block of them.
    OneBlock,
    /// The second device steps of a pipeline's creation: its outcome is decided.
    Decided,
    /// The rest of the one block.
    OneBlockEnd,
    /// The device steps of a call that has no others.
    Only,
    /// The second device steps of a map: the numbers are there, or never will be.
    MapDecided,
    /// The device timeline is told that what a promise waits for has come.
    Informed,
    /// The device is lost.
    Lose,
    /// A promise settles.
    Settle,
    /// A promise that was settled before: nothing is left to do.
    Late,
    /// An error that no scope captured is told.
    Uncaptured,
}

impl StepName {
    /// The words for it on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Initial => "initial steps",
            Self::OneBlock => "device steps (one block)",
            Self::Decided => "completion decided",
            Self::OneBlockEnd => "end of the one block",
            Self::Only => "device steps",
            Self::MapDecided => "map decided",
            Self::Informed => "informed of completion",
            Self::Lose => "lose the device",
            Self::Settle => "settle",
            Self::Late => "settled before",
            Self::Uncaptured => "uncaptured error",
        }
    }
}

/// What executing a step did.
#[derive(Clone, Debug, PartialEq)]
pub struct StepResult {
    /// The timeline it ran on.
    pub timeline: ModelTimeline,
    /// What it is called.
    pub name: StepName,
    /// The span of what issued it.
    pub cause: SpanId,
    /// The promise it worked for.
    pub promise: Option<ModelPromiseId>,
    /// The pipeline it worked for.
    pub pipeline: Option<ModelPipelineId>,
    /// The call it worked for, where that is not said by the pipeline.
    pub api: Option<Api>,
    /// What it brought about, in order.
    pub effects: Vec<StepEffect>,
}

/// What a call or a step brought about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepEffect {
    /// A pipeline is to be compiled by a worker; [`super::WebGpuModel::compiled`] says when it was.
    Compile(ModelPipelineId),
    /// A pipeline breaks a rule: there is nothing to compile, and [`super::WebGpuModel::compiled`] may be told at once.
    Refused(ModelPipelineId),
    /// A pipeline is to be compiled, and the device timeline stands still until [`super::WebGpuModel::compiled`] says it was.
    CompileInline(ModelPipelineId),
    /// A module is to be compiled; [`super::WebGpuModel::module_completed`] says when it was.
    CompileModule(ModuleId),
    /// Work was handed to the queue, as its so many-th, counted from 1.
    Submitted(u64),
    /// Somebody waits until the queue's first so many have ended; [`super::WebGpuModel::work_completed`] says when they have.
    AwaitsQueue(u64),
    /// A pipeline is in a new state.
    Pipeline(ModelPipelineId, PipelineProgress),
    /// A promise settled.
    Settled(PromiseResult),
    /// A scope captured an error.
    Captured(RaisedError),
    /// No scope captured an error.
    Uncaptured(RaisedError),
    /// A scope was popped.
    Popped(PoppedScope),
    /// The device is lost.
    Lost(LossReason),
    /// A step was issued on this timeline.
    Issued(ModelTimeline),
}
