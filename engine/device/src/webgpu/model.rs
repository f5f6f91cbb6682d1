//! The state of one device's three timelines, and the execution of one step after the other.

use std::collections::VecDeque;

use super::buffers::BufferModel;
use super::edition::SpecAuthority;
use super::errors::{ErrorScope, RaisedError};
use super::ids::{ModelPipelineId, ModelPromiseId, ModelTimeline};
use super::loss::{LossCommit, LossReason};
use super::objects::ModuleModel;
use super::outcome::CallOutcome;
use super::pipelines::PipelineModel;
use super::promise::PromiseModel;
use super::queue::QueueModel;
use super::step::{StepEffect, StepName, StepResult, TimelineTask, TimelineWork};
use super::table::{Api, Condition, OutcomeRow, UNWRITTEN, look_up};
use super::watch::StepWaiter;
use record::SpanId;

/// The content timelines, the device timeline and the queue of one device.
#[derive(Debug, Default)]
pub struct WebGpuModel {
    steps: u64,
    editions: Vec<SpecAuthority>,
    pub(super) device: VecDeque<TimelineTask>,
    pub(super) content: Vec<VecDeque<TimelineTask>>,
    pub(super) promises: Vec<PromiseModel>,
    pub(super) pipelines: Vec<PipelineModel>,
    pub(super) modules: Vec<ModuleModel>,
    pub(super) buffers: Vec<BufferModel>,
    pub(super) scopes: Vec<ErrorScope>,
    pub(super) waiters: Vec<StepWaiter>,
    pub(super) queue: QueueModel,
    pub(super) loss: Option<LossCommit>,
    /// When `destroy()` was called first.
    pub(super) destroyed: Option<u64>,
    pub(super) lost_promises: Vec<(ModelTimeline, ModelPromiseId)>,
    /// The pipeline for which the device timeline stands still.
    pub(super) held: Option<ModelPipelineId>,
    pub(super) uncaptured: u64,
    pub(super) settled: u64,
    pub(super) repeats: u64,
}

/// What a call gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallResult {
    /// Its promise.
    pub promise: Option<ModelPromiseId>,
    /// What it brought about before it returned.
    pub effects: Vec<StepEffect>,
}

impl WebGpuModel {
    /// A device that works, with this many content timelines, all by today's text.
    pub fn new(hosts: u32) -> Self {
        Self::with_editions(&vec![SpecAuthority::Present; hosts as usize])
    }

    /// A device that works, with a content timeline for each of these editions.
    pub fn with_editions(editions: &[SpecAuthority]) -> Self {
        Self {
            editions: editions.to_vec(),
            content: editions.iter().map(|_| VecDeque::new()).collect(),
            ..Self::default()
        }
    }

    /// The edition by which a content timeline lives.
    pub fn edition(&self, host: ModelTimeline) -> SpecAuthority {
        self.editions.get(host.place()).copied().unwrap_or_default()
    }

    /// Whether the device timeline has a step that could run now.
    pub fn has_device_step(&self) -> bool {
        self.next_device().is_some()
    }

    /// Whether a content timeline has a step that could run now.
    pub fn has_content_step(&self, host: ModelTimeline) -> bool {
        self.content
            .get(host.place())
            .is_some_and(|tasks| !tasks.is_empty())
    }

    /// The pipeline that the next device step would check, where it is one that begins a creation.
    pub fn next_check(&self) -> Option<ModelPipelineId> {
        match self.next_device()?.work {
            TimelineWork::CreatePipeline(pipeline) if self.loss.is_none() => Some(pipeline),
            _ => None,
        }
    }

    /// Whether the next device step would wait for what the queue was given.
    pub fn next_awaits_queue(&self) -> bool {
        let next = self.next_device().map(|task| task.work);
        self.loss.is_none() && matches!(next, Some(TimelineWork::Map(_) | TimelineWork::AskQueue))
    }

    fn next_device(&self) -> Option<&TimelineTask> {
        let next = self.device.front()?;
        // A loss by the driver does not wait for what holds the timeline.
        let is_ahead = matches!(next.work, TimelineWork::Lose(LossReason::Unknown));
        let is_free = self.held.is_none() || is_ahead;
        is_free.then_some(next)
    }

    /// Executes the next step of the device timeline, as the span `step`; none where there is nothing to do, or a
    /// compile holds the timeline.
    pub fn step_device(&mut self, step: SpanId) -> Option<StepResult> {
        self.next_device()?;
        let task = self.device.pop_front()?;
        self.tick();
        let mut effects = Vec::new();
        let (name, pipeline) = self.execute_device(&task, step, &mut effects);
        Some(self.executed(ModelTimeline::Device, name, &task, pipeline, effects))
    }

    /// Executes the next step of a content timeline, as the span `step`; none where there is nothing to do.
    pub fn step_content(&mut self, host: ModelTimeline, step: SpanId) -> Option<StepResult> {
        let task = self.content.get_mut(host.place())?.pop_front()?;
        self.tick();
        let mut effects = Vec::new();
        let name = self.execute_content(&task, step, &mut effects);
        Some(self.executed(host, name, &task, None, effects))
    }

    fn execute_device(
        &mut self,
        task: &TimelineTask,
        step: SpanId,
        effects: &mut Vec<StepEffect>,
    ) -> (StepName, Option<ModelPipelineId>) {
        let name = match task.work {
            TimelineWork::CreatePipeline(pipeline) => {
                let name = self.check_pipeline(task, step, pipeline, effects);
                return (name, Some(pipeline));
            }
            TimelineWork::DecidePipeline(pipeline) => {
                let name = self.decide_pipeline(task, step, pipeline, effects);
                return (name, Some(pipeline));
            }
            TimelineWork::Map(buffer) => {
                return (self.check_map(task, step, buffer, effects), None);
            }
            TimelineWork::MapReady(buffer) => {
                self.decide_map(task, step, buffer, effects);
                StepName::MapDecided
            }
            TimelineWork::PopScope => {
                self.pop_scope(task, step, effects);
                StepName::Only
            }
            TimelineWork::AskModule(module) => {
                self.ask_module(task, step, module, effects);
                StepName::Initial
            }
            TimelineWork::AskQueue => {
                self.ask_queue(task, step, effects);
                StepName::Initial
            }
            TimelineWork::ModuleKnown => {
                self.issue(task, step, TimelineWork::FinishMessages, effects);
                StepName::Informed
            }
            TimelineWork::QueueKnown => {
                self.queue_known(task, step, effects);
                StepName::Informed
            }
            TimelineWork::Lose(kind) => {
                self.lose_device(task, step, kind, effects);
                StepName::Lose
            }
            _ => {
                self.execute_simple(task, step, effects);
                StepName::Only
            }
        };
        (name, None)
    }

    /// Steps that end where they begin.
    fn execute_simple(&mut self, task: &TimelineTask, step: SpanId, effects: &mut Vec<StepEffect>) {
        match task.work {
            TimelineWork::CreateBuffer(buffer) => self.make_buffer(task, step, buffer, effects),
            TimelineWork::RefuseMap(row) => self.dispatch(task, step, row.raises, None, effects),
            TimelineWork::RefuseMapped(buffer, row) => {
                self.dispatch(task, step, row.raises, None, effects);
                self.issue(task, step, TimelineWork::FinishMap(buffer, row), effects);
            }
            TimelineWork::Unmap(buffer) => self.free_buffer(buffer),
            TimelineWork::DestroyBuffer(buffer) => self.end_buffer(buffer),
            TimelineWork::PushScope(filter) => self.push_scope(filter),
            TimelineWork::CreateModule(module) => self.make_module(task, module, effects),
            TimelineWork::Submit(api, wrong) => self.submit_work(task, step, (api, wrong), effects),
            TimelineWork::Create(wrong) => self.make_object(task, step, wrong, effects),
            TimelineWork::Raise(kind) => self.dispatch(task, step, Some(kind), None, effects),
            _ => {}
        }
    }

    fn execute_content(
        &mut self,
        task: &TimelineTask,
        step: SpanId,
        effects: &mut Vec<StepEffect>,
    ) -> StepName {
        match task.work {
            TimelineWork::Settle(row, raised) => {
                self.settle_for(task, (row, row.outcome), raised, effects)
            }
            TimelineWork::SettleAs(row, outcome) => {
                self.settle_for(task, (row, outcome), None, effects)
            }
            TimelineWork::FinishMap(buffer, row) => self.finish_map(task, buffer, row, effects),
            TimelineWork::FinishMessages => self.finish_messages(task, effects),
            TimelineWork::TellUncaptured(raised) => {
                self.tell_uncaptured(raised, effects);
                StepName::Uncaptured
            }
            _ => {
                self.execute_simple(task, step, effects);
                StepName::Only
            }
        }
    }

    pub(super) fn settle_for(
        &mut self,
        task: &TimelineTask,
        decision: (&'static OutcomeRow, CallOutcome),
        raised: Option<RaisedError>,
        effects: &mut Vec<StepEffect>,
    ) -> StepName {
        let settled = task
            .promise
            .and_then(|promise| self.settle(promise, decision, raised, false));
        effects.extend(settled);
        StepName::Settle
    }

    /// One more step of the model: gives its number.
    pub(super) const fn tick(&mut self) -> u64 {
        self.steps += 1;
        self.steps
    }

    pub(super) const fn now(&self) -> u64 {
        self.steps
    }

    #[expect(clippy::unused_self, reason = "reads as a question to the model")]
    pub(super) fn row(
        &self,
        api: Api,
        condition: Condition,
        edition: SpecAuthority,
    ) -> &'static OutcomeRow {
        look_up(api, condition, edition).unwrap_or(&UNWRITTEN)
    }

    /// The row that counts, and the outcome: where the row leaves it to the completion, that of `completion`.
    pub(super) fn decision(
        &self,
        api: Api,
        condition: Condition,
        completion: Condition,
        edition: SpecAuthority,
    ) -> (&'static OutcomeRow, CallOutcome) {
        let row = self.row(api, condition, edition);
        match row.outcome {
            CallOutcome::ByCompletion => (row, self.row(api, completion, edition).outcome),
            outcome => (row, outcome),
        }
    }

    /// Pushes the device steps of a call.
    pub(super) fn made(
        &mut self,
        host: ModelTimeline,
        call: SpanId,
        promise: Option<ModelPromiseId>,
        work: TimelineWork,
    ) -> CallResult {
        let task = TimelineTask {
            cause: call,
            host,
            edition: self.edition(host),
            called: self.steps,
            promise,
            work,
        };
        self.device.push_back(task);
        CallResult {
            promise,
            effects: vec![StepEffect::Issued(ModelTimeline::Device)],
        }
    }

    /// Issues a step on the content timeline of the call that `task` works for.
    pub(super) fn issue(
        &mut self,
        task: &TimelineTask,
        cause: SpanId,
        work: TimelineWork,
        effects: &mut Vec<StepEffect>,
    ) {
        let task = TimelineTask {
            cause,
            work,
            ..*task
        };
        if let Some(tasks) = self.content.get_mut(task.host.place()) {
            tasks.push_back(task);
            effects.push(StepEffect::Issued(task.host));
        }
    }

    fn executed(
        &self,
        timeline: ModelTimeline,
        name: StepName,
        task: &TimelineTask,
        pipeline: Option<ModelPipelineId>,
        effects: Vec<StepEffect>,
    ) -> StepResult {
        StepResult {
            timeline,
            name,
            cause: task.cause,
            promise: task.promise,
            pipeline,
            api: task.promise.and_then(|it| self.api(it)).or(task.work.api()),
            effects,
        }
    }
}
