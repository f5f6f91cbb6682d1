//! Pipelines: checked by the first device steps, compiled by a worker, decided by the second.

use super::edition::SpecAuthority;
use super::ids::{ModelPipelineId, ModelTimeline};
use super::model::{CallResult, WebGpuModel};
use super::outcome::{CallOutcome, GpuErrorKind};
use super::step::{StepEffect, StepName, TimelineTask, TimelineWork};
use super::table::{Api, Condition};
use super::watch::AwaitedEvent;
use record::SpanId;
use workload::PipelinePurpose;

/// What a pipeline's creation is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PipelineShape {
    /// What it does.
    pub kind: PipelinePurpose,
    /// What is wrong with it, as far as the call knows; [`WebGpuModel::check`] may say more before the first device steps.
    pub defect: Option<PipelineDefect>,
}

/// What is wrong with a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PipelineDefect {
    /// The descriptor or its shader breaks a rule.
    Validation,
    /// The implementation fails at compiling it.
    Internal,
    /// A format needs a feature that the device has not.
    Feature,
}

/// How far a pipeline has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PipelineProgress {
    /// It was asked for.
    #[default]
    Requested,
    /// The first device steps found nothing wrong.
    Checked,
    /// It waits for a worker.
    Queued,
    /// It is being compiled.
    Compiling,
    /// It can be used.
    Ready,
    /// It cannot be used.
    Failed(PipelineDefect),
    /// The device was lost first.
    Lost,
}

/// A pipeline.
#[derive(Clone, Copy, Debug)]
pub(super) struct PipelineModel {
    kind: PipelinePurpose,
    is_async: bool,
    defect: Option<PipelineDefect>,
    state: PipelineProgress,
    is_compiled: bool,
}

impl PipelineModel {
    const fn api(self) -> Api {
        match (self.kind, self.is_async) {
            (PipelinePurpose::Compute, true) => Api::CreateComputePipelineAsync,
            (PipelinePurpose::Render, true) => Api::CreateRenderPipelineAsync,
            (PipelinePurpose::Compute, false) => Api::CreateComputePipeline,
            (PipelinePurpose::Render, false) => Api::CreateRenderPipeline,
        }
    }

    const fn completion(self) -> Condition {
        match self.defect {
            None => Condition::Fine,
            Some(PipelineDefect::Validation) => Condition::Invalid,
            Some(PipelineDefect::Internal) => Condition::Internal,
            Some(PipelineDefect::Feature) => Condition::MissingFeature,
        }
    }
}

impl WebGpuModel {
    /// `createComputePipelineAsync` or `createRenderPipelineAsync`.
    pub fn create_pipeline_async(
        &mut self,
        host: ModelTimeline,
        call: SpanId,
        shape: PipelineShape,
    ) -> (ModelPipelineId, CallResult) {
        let (id, pipeline) = self.request(shape, true);
        let promise = self.promise(pipeline.api(), host);
        if shape.defect == Some(PipelineDefect::Feature) {
            let row = self.row(
                pipeline.api(),
                Condition::MissingFeature,
                self.edition(host),
            );
            let settled = self.settle(promise, (row, row.outcome), None, true);
            let failed = self.enter(id, PipelineProgress::Failed(PipelineDefect::Feature));
            let effects = settled.into_iter().chain(failed).collect();
            return (
                id,
                CallResult {
                    promise: Some(promise),
                    effects,
                },
            );
        }
        (
            id,
            self.made(host, call, Some(promise), TimelineWork::CreatePipeline(id)),
        )
    }

    /// `createComputePipeline` or `createRenderPipeline`.
    pub fn create_pipeline(
        &mut self,
        host: ModelTimeline,
        call: SpanId,
        shape: PipelineShape,
    ) -> (ModelPipelineId, CallResult) {
        let (id, _) = self.request(shape, false);
        if shape.defect == Some(PipelineDefect::Feature) {
            let effects = self.enter(id, PipelineProgress::Failed(PipelineDefect::Feature));
            return (
                id,
                CallResult {
                    promise: None,
                    effects: effects.into_iter().collect(),
                },
            );
        }
        (
            id,
            self.made(host, call, None, TimelineWork::CreatePipeline(id)),
        )
    }

    fn request(
        &mut self,
        shape: PipelineShape,
        is_async: bool,
    ) -> (ModelPipelineId, PipelineModel) {
        self.tick();
        let id = ModelPipelineId(self.pipelines.len() as u32);
        let pipeline = PipelineModel {
            kind: shape.kind,
            is_async,
            defect: shape.defect,
            state: PipelineProgress::Requested,
            is_compiled: false,
        };
        self.pipelines.push(pipeline);
        (id, pipeline)
    }

    /// What looking at a pipeline before its first device steps found wrong.
    pub fn check(&mut self, pipeline: ModelPipelineId, defect: Option<PipelineDefect>) {
        if let Some(found) = self.pipelines.get_mut(pipeline.index()) {
            found.defect = defect.or(found.defect);
        }
    }

    /// How far a pipeline has come.
    pub fn pipeline_state(&self, pipeline: ModelPipelineId) -> Option<PipelineProgress> {
        self.pipelines
            .get(pipeline.index())
            .map(|found| found.state)
    }

    /// A worker has begun to compile it.
    pub fn compiling(&mut self, pipeline: ModelPipelineId) -> Option<StepEffect> {
        let state = self.pipeline_state(pipeline)?;
        (state == PipelineProgress::Queued)
            .then(|| self.enter(pipeline, PipelineProgress::Compiling))
            .flatten()
    }

    /// A compile has ended, as `cause` shows. Says what that brought about.
    pub fn compiled(
        &mut self,
        id: ModelPipelineId,
        cause: SpanId,
        defect: Option<PipelineDefect>,
    ) -> Vec<StepEffect> {
        self.tick();
        let mut effects = Vec::new();
        if let Some(pipeline) = self.pipelines.get_mut(id.index()) {
            pipeline.is_compiled = true;
            pipeline.defect = defect.or(pipeline.defect);
        }
        if self.held == Some(id) {
            self.held = None;
            let waiter = self.waiters.iter();
            let place = { waiter }.position(|waiter| waiter.event == AwaitedEvent::Compiled(id));
            if let Some(place) = place {
                let waiter = self.waiters.remove(place);
                // What stood still goes on before anything that came later.
                self.device.push_front(TimelineTask {
                    cause,
                    ..waiter.task
                });
                effects.push(StepEffect::Issued(ModelTimeline::Device));
            }
        }
        self.inform(cause, &mut effects);
        effects
    }

    /// Whether its compile has ended, or there is none.
    pub fn is_compiled(&self, id: ModelPipelineId) -> bool {
        self.pipelines
            .get(id.index())
            .is_none_or(|pipeline| pipeline.is_compiled)
    }

    /// Whether the loss of the device decides what `api` comes to, rather than its completion.
    pub(super) fn hears_loss(&self, api: Api, edition: SpecAuthority) -> bool {
        let row = self.row(api, Condition::LostMeanwhile, edition);
        row.outcome != CallOutcome::ByCompletion
    }

    /// The first device steps: create as the synchronous call would, and keep its error.
    pub(super) fn check_pipeline(
        &mut self,
        task: &TimelineTask,
        step: SpanId,
        id: ModelPipelineId,
        effects: &mut Vec<StepEffect>,
    ) -> StepName {
        let Some(pipeline) = self.pipelines.get(id.index()).copied() else {
            return StepName::Only;
        };
        let is_two_phased = self.hears_loss(pipeline.api(), task.edition);
        let name = match (pipeline.is_async, is_two_phased) {
            (true, false) => StepName::OneBlock,
            _ => StepName::Initial,
        };
        let decide = TimelineTask {
            cause: step,
            work: TimelineWork::DecidePipeline(id),
            ..*task
        };
        let is_wrong = pipeline.defect == Some(PipelineDefect::Validation);
        if self.loss.is_some() && (!pipeline.is_async || !is_two_phased) {
            // The loss is read here and nowhere later, so a call from before it fares as one from after it.
            let task = TimelineTask {
                called: self.now(),
                ..*task
            };
            self.decide_pipeline(&task, step, id, effects);
            return name;
        }
        if is_wrong && (!pipeline.is_async || !is_two_phased) {
            self.decide_pipeline(task, step, id, effects);
            return name;
        }
        if self.loss.is_none() {
            self.begin(id, is_wrong, effects);
        }
        let hears_loss = pipeline.is_async && is_two_phased;
        self.listen(AwaitedEvent::Compiled(id), hears_loss, decide, effects);
        name
    }

    /// A worker's turn, or the device timeline's own; or nobody's, where there is nothing to compile.
    fn begin(&mut self, id: ModelPipelineId, is_wrong: bool, effects: &mut Vec<StepEffect>) {
        if is_wrong {
            effects.push(StepEffect::Refused(id));
            return;
        }
        effects.extend(self.enter(id, PipelineProgress::Checked));
        effects.extend(self.enter(id, PipelineProgress::Queued));
        let pipeline = self.pipelines.get(id.index());
        if pipeline.is_some_and(|pipeline| pipeline.is_async) {
            effects.push(StepEffect::Compile(id));
        } else {
            self.held = Some(id);
            effects.push(StepEffect::CompileInline(id));
        }
    }

    /// The second device steps: the compile has ended or the device is lost, whichever came first.
    pub(super) fn decide_pipeline(
        &mut self,
        task: &TimelineTask,
        step: SpanId,
        id: ModelPipelineId,
        effects: &mut Vec<StepEffect>,
    ) -> StepName {
        let Some(pipeline) = self.pipelines.get(id.index()).copied() else {
            return StepName::Only;
        };
        let lost = self.loss_condition(task.called);
        let completion = pipeline.completion();
        let condition = lost.unwrap_or(completion);
        let (row, outcome) = self.decision(pipeline.api(), condition, completion, task.edition);
        let raises = if lost.is_none() { row.raises } else { None };
        self.dispatch(task, step, raises, Some(id), effects);
        let state = match (lost, pipeline.defect) {
            (Some(_), _) => PipelineProgress::Lost,
            (None, Some(defect)) => PipelineProgress::Failed(defect),
            (None, None) => PipelineProgress::Ready,
        };
        effects.extend(self.enter(id, state));
        if task.promise.is_some() {
            self.issue(task, step, TimelineWork::SettleAs(row, outcome), effects);
        }
        match (
            pipeline.is_async,
            self.hears_loss(pipeline.api(), task.edition),
        ) {
            (true, false) => StepName::OneBlockEnd,
            _ => StepName::Decided,
        }
    }

    /// Nothing that a lost device was making will ever be ready.
    pub(super) fn lose_pipelines(&mut self, effects: &mut Vec<StepEffect>) {
        for place in 0..self.pipelines.len() {
            let id = ModelPipelineId(place as u32);
            let state = self.pipeline_state(id);
            if !matches!(state, None | Some(PipelineProgress::Failed(_))) {
                effects.extend(self.enter(id, PipelineProgress::Lost));
            }
        }
    }

    fn enter(&mut self, id: ModelPipelineId, state: PipelineProgress) -> Option<StepEffect> {
        let pipeline = self.pipelines.get_mut(id.index())?;
        if pipeline.state == state {
            return None;
        }
        pipeline.state = state;
        Some(StepEffect::Pipeline(id, state))
    }
}

impl PipelineDefect {
    /// The kind of error that a scope would hear of.
    pub const fn kind(self) -> GpuErrorKind {
        match self {
            Self::Validation | Self::Feature => GpuErrorKind::Validation,
            Self::Internal => GpuErrorKind::Internal,
        }
    }
}
