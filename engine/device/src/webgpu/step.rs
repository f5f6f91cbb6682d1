//! The steps that wait their turn on a timeline, and what executing one did.

use super::edition::Edition;
use super::errors::{Popped, Raised};
use super::ids::{BufferId, ModuleId, PipelineId, PromiseId, Timeline};
use super::loss::LossKind;
use super::outcome::{ErrorKind, Outcome};
use super::pipelines::PipelineState;
use super::promise::Settlement;
use super::table::{Api, Row};
use record::SpanId;

/// A step that waits its turn on a timeline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    /// The call, step or compile that issued it.
    pub cause: SpanId,
    /// The content timeline whose call it goes back to.
    pub host: Timeline,
    /// The edition by whose rules that timeline lives.
    pub edition: Edition,
    /// When the call was made, in steps of the model.
    pub called: u64,
    /// The promise it works for.
    pub promise: Option<PromiseId>,
    /// What it does.
    pub work: Work,
}

/// What a step does. The last five belong to content timelines, the others to the device timeline.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    CreatePipeline(PipelineId),
    DecidePipeline(PipelineId),
    CreateBuffer(BufferId),
    RefuseMap(&'static Row),
    RefuseMapped(BufferId, &'static Row),
    Map(BufferId),
    MapReady(BufferId),
    Unmap(BufferId),
    DestroyBuffer(BufferId),
    PushScope(ErrorKind),
    PopScope,
    CreateModule(ModuleId),
    AskModule(ModuleId),
    ModuleKnown,
    AskQueue,
    QueueKnown,
    Submit(Api, Option<ErrorKind>),
    Create(Option<ErrorKind>),
    Raise(ErrorKind),
    Lose(LossKind),
    Settle(&'static Row, Option<Raised>),
    SettleAs(&'static Row, Outcome),
    FinishMap(BufferId, &'static Row),
    FinishMessages,
    TellUncaptured(Raised),
}

impl Work {
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
            Self::Lose(LossKind::Destroyed) => Api::DestroyDevice,
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
pub struct Executed {
    /// The timeline it ran on.
    pub timeline: Timeline,
    /// What it is called.
    pub name: StepName,
    /// The span of what issued it.
    pub cause: SpanId,
    /// The promise it worked for.
    pub promise: Option<PromiseId>,
    /// The pipeline it worked for.
    pub pipeline: Option<PipelineId>,
    /// The call it worked for, where that is not said by the pipeline.
    pub api: Option<Api>,
    /// What it brought about, in order.
    pub effects: Vec<Effect>,
}

/// What a call or a step brought about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    /// A pipeline is to be compiled by a worker; [`super::Model::compiled`] says when it was.
    Compile(PipelineId),
    /// A pipeline breaks a rule: there is nothing to compile, and [`super::Model::compiled`] may be told at once.
    Refused(PipelineId),
    /// A pipeline is to be compiled, and the device timeline stands still until [`super::Model::compiled`] says it was.
    CompileInline(PipelineId),
    /// A module is to be compiled; [`super::Model::module_completed`] says when it was.
    CompileModule(ModuleId),
    /// Work was handed to the queue, as its so many-th, counted from 1.
    Submitted(u64),
    /// Somebody waits until the queue's first so many have ended; [`super::Model::work_completed`] says when they have.
    AwaitsQueue(u64),
    /// A pipeline is in a new state.
    Pipeline(PipelineId, PipelineState),
    /// A promise settled.
    Settled(Settlement),
    /// A scope captured an error.
    Captured(Raised),
    /// No scope captured an error.
    Uncaptured(Raised),
    /// A scope was popped.
    Popped(Popped),
    /// The device is lost.
    Lost(LossKind),
    /// A step was issued on this timeline.
    Issued(Timeline),
}
