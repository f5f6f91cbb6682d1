//! Pipelines: checked by the first device steps, compiled by a worker, decided by the second.

use super::edition::Edition;
use super::ids::{PipelineId, Timeline};
use super::model::{Made, Model};
use super::outcome::{ErrorKind, Outcome};
use super::step::{Effect, StepName, Task, Work};
use super::table::{Api, Condition};
use super::watch::Event;
use record::SpanId;
use workload::PipelineKind;

/// What a pipeline's creation is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PipelineShape {
    /// What it does.
    pub kind: PipelineKind,
    /// What is wrong with it, as far as the call knows; [`Model::check`] may say more before the first device steps.
    pub defect: Option<Defect>,
}

/// What is wrong with a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Defect {
    /// The descriptor or its shader breaks a rule.
    Validation,
    /// The implementation fails at compiling it.
    Internal,
    /// A format needs a feature that the device has not.
    Feature,
}

/// How far a pipeline has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PipelineState {
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
    Failed(Defect),
    /// The device was lost first.
    Lost,
}

/// A pipeline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pipeline {
    kind: PipelineKind,
    is_async: bool,
    defect: Option<Defect>,
    state: PipelineState,
    is_compiled: bool,
}

impl Pipeline {
    const fn api(self) -> Api {
        match (self.kind, self.is_async) {
            (PipelineKind::Compute, true) => Api::CreateComputePipelineAsync,
            (PipelineKind::Render, true) => Api::CreateRenderPipelineAsync,
            (PipelineKind::Compute, false) => Api::CreateComputePipeline,
            (PipelineKind::Render, false) => Api::CreateRenderPipeline,
        }
    }

    const fn completion(self) -> Condition {
        match self.defect {
            None => Condition::Fine,
            Some(Defect::Validation) => Condition::Invalid,
            Some(Defect::Internal) => Condition::Internal,
            Some(Defect::Feature) => Condition::MissingFeature,
        }
    }
}

impl Model {
    /// `createComputePipelineAsync` or `createRenderPipelineAsync`.
    pub fn create_pipeline_async(
        &mut self,
        host: Timeline,
        call: SpanId,
        shape: PipelineShape,
    ) -> (PipelineId, Made) {
        let (id, pipeline) = self.request(shape, true);
        let promise = self.promise(pipeline.api(), host);
        if shape.defect == Some(Defect::Feature) {
            let row = self.row(
                pipeline.api(),
                Condition::MissingFeature,
                self.edition(host),
            );
            let settled = self.settle(promise, (row, row.outcome), None, true);
            let failed = self.enter(id, PipelineState::Failed(Defect::Feature));
            let effects = settled.into_iter().chain(failed).collect();
            return (
                id,
                Made {
                    promise: Some(promise),
                    effects,
                },
            );
        }
        (
            id,
            self.made(host, call, Some(promise), Work::CreatePipeline(id)),
        )
    }

    /// `createComputePipeline` or `createRenderPipeline`.
    pub fn create_pipeline(
        &mut self,
        host: Timeline,
        call: SpanId,
        shape: PipelineShape,
    ) -> (PipelineId, Made) {
        let (id, _) = self.request(shape, false);
        if shape.defect == Some(Defect::Feature) {
            let effects = self.enter(id, PipelineState::Failed(Defect::Feature));
            return (
                id,
                Made {
                    promise: None,
                    effects: effects.into_iter().collect(),
                },
            );
        }
        (id, self.made(host, call, None, Work::CreatePipeline(id)))
    }

    fn request(&mut self, shape: PipelineShape, is_async: bool) -> (PipelineId, Pipeline) {
        self.tick();
        let id = PipelineId(self.pipelines.len() as u32);
        let pipeline = Pipeline {
            kind: shape.kind,
            is_async,
            defect: shape.defect,
            state: PipelineState::Requested,
            is_compiled: false,
        };
        self.pipelines.push(pipeline);
        (id, pipeline)
    }

    /// What looking at a pipeline before its first device steps found wrong.
    pub fn check(&mut self, pipeline: PipelineId, defect: Option<Defect>) {
        if let Some(found) = self.pipelines.get_mut(pipeline.index()) {
            found.defect = defect.or(found.defect);
        }
    }

    /// How far a pipeline has come.
    pub fn pipeline_state(&self, pipeline: PipelineId) -> Option<PipelineState> {
        self.pipelines
            .get(pipeline.index())
            .map(|found| found.state)
    }

    /// A worker has begun to compile it.
    pub fn compiling(&mut self, pipeline: PipelineId) -> Option<Effect> {
        let state = self.pipeline_state(pipeline)?;
        (state == PipelineState::Queued)
            .then(|| self.enter(pipeline, PipelineState::Compiling))
            .flatten()
    }

    /// A compile has ended, as `cause` shows. Says what that brought about.
    pub fn compiled(
        &mut self,
        id: PipelineId,
        cause: SpanId,
        defect: Option<Defect>,
    ) -> Vec<Effect> {
        self.tick();
        let mut effects = Vec::new();
        if let Some(pipeline) = self.pipelines.get_mut(id.index()) {
            pipeline.is_compiled = true;
            pipeline.defect = defect.or(pipeline.defect);
        }
        if self.held == Some(id) {
            self.held = None;
            let waiter = self.waiters.iter();
            let place = { waiter }.position(|waiter| waiter.event == Event::Compiled(id));
            if let Some(place) = place {
                let waiter = self.waiters.remove(place);
                // What stood still goes on before anything that came later.
                self.device.push_front(Task {
                    cause,
                    ..waiter.task
                });
                effects.push(Effect::Issued(Timeline::Device));
            }
        }
        self.inform(cause, &mut effects);
        effects
    }

    /// Whether its compile has ended, or there is none.
    pub fn is_compiled(&self, id: PipelineId) -> bool {
        self.pipelines
            .get(id.index())
            .is_none_or(|pipeline| pipeline.is_compiled)
    }

    /// Whether the loss of the device decides what `api` comes to, rather than its completion.
    pub(super) fn hears_loss(&self, api: Api, edition: Edition) -> bool {
        let row = self.row(api, Condition::LostMeanwhile, edition);
        row.outcome != Outcome::ByCompletion
    }

    /// The first device steps: create as the synchronous call would, and keep its error.
    pub(super) fn check_pipeline(
        &mut self,
        task: &Task,
        step: SpanId,
        id: PipelineId,
        effects: &mut Vec<Effect>,
    ) -> StepName {
        let Some(pipeline) = self.pipelines.get(id.index()).copied() else {
            return StepName::Only;
        };
        let is_two_phased = self.hears_loss(pipeline.api(), task.edition);
        let name = match (pipeline.is_async, is_two_phased) {
            (true, false) => StepName::OneBlock,
            _ => StepName::Initial,
        };
        let decide = Task {
            cause: step,
            work: Work::DecidePipeline(id),
            ..*task
        };
        let is_wrong = pipeline.defect == Some(Defect::Validation);
        if self.loss.is_some() && (!pipeline.is_async || !is_two_phased) {
            // The loss is read here and nowhere later, so a call from before it fares as one from after it.
            let task = Task {
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
        self.listen(Event::Compiled(id), hears_loss, decide, effects);
        name
    }

    /// A worker's turn, or the device timeline's own; or nobody's, where there is nothing to compile.
    fn begin(&mut self, id: PipelineId, is_wrong: bool, effects: &mut Vec<Effect>) {
        if is_wrong {
            effects.push(Effect::Refused(id));
            return;
        }
        effects.extend(self.enter(id, PipelineState::Checked));
        effects.extend(self.enter(id, PipelineState::Queued));
        let pipeline = self.pipelines.get(id.index());
        if pipeline.is_some_and(|pipeline| pipeline.is_async) {
            effects.push(Effect::Compile(id));
        } else {
            self.held = Some(id);
            effects.push(Effect::CompileInline(id));
        }
    }

    /// The second device steps: the compile has ended or the device is lost, whichever came first.
    pub(super) fn decide_pipeline(
        &mut self,
        task: &Task,
        step: SpanId,
        id: PipelineId,
        effects: &mut Vec<Effect>,
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
            (Some(_), _) => PipelineState::Lost,
            (None, Some(defect)) => PipelineState::Failed(defect),
            (None, None) => PipelineState::Ready,
        };
        effects.extend(self.enter(id, state));
        if task.promise.is_some() {
            self.issue(task, step, Work::SettleAs(row, outcome), effects);
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
    pub(super) fn lose_pipelines(&mut self, effects: &mut Vec<Effect>) {
        for place in 0..self.pipelines.len() {
            let id = PipelineId(place as u32);
            let state = self.pipeline_state(id);
            if !matches!(state, None | Some(PipelineState::Failed(_))) {
                effects.extend(self.enter(id, PipelineState::Lost));
            }
        }
    }

    fn enter(&mut self, id: PipelineId, state: PipelineState) -> Option<Effect> {
        let pipeline = self.pipelines.get_mut(id.index())?;
        if pipeline.state == state {
            return None;
        }
        pipeline.state = state;
        Some(Effect::Pipeline(id, state))
    }
}

impl Defect {
    /// The kind of error that a scope would hear of.
    pub const fn kind(self) -> ErrorKind {
        match self {
            Self::Validation | Self::Feature => ErrorKind::Validation,
            Self::Internal => ErrorKind::Internal,
        }
    }
}
