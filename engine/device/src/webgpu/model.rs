//! The state of one device's three timelines, and the execution of one step after the other.

use std::collections::VecDeque;

use super::buffers::Buffer;
use super::edition::Edition;
use super::errors::{Raised, Scope};
use super::ids::{PipelineId, PromiseId, Timeline};
use super::loss::{Loss, LossKind};
use super::objects::Module;
use super::outcome::Outcome;
use super::pipelines::Pipeline;
use super::promise::Promise;
use super::queue::Queue;
use super::step::{Effect, Executed, StepName, Task, Work};
use super::table::{Api, Condition, Row, UNWRITTEN, look_up};
use super::watch::Waiter;
use record::SpanId;

/// The content timelines, the device timeline and the queue of one device.
#[derive(Debug, Default)]
pub struct Model {
    steps: u64,
    editions: Vec<Edition>,
    pub(super) device: VecDeque<Task>,
    pub(super) content: Vec<VecDeque<Task>>,
    pub(super) promises: Vec<Promise>,
    pub(super) pipelines: Vec<Pipeline>,
    pub(super) modules: Vec<Module>,
    pub(super) buffers: Vec<Buffer>,
    pub(super) scopes: Vec<Scope>,
    pub(super) waiters: Vec<Waiter>,
    pub(super) queue: Queue,
    pub(super) loss: Option<Loss>,
    /// When `destroy()` was called first.
    pub(super) destroyed: Option<u64>,
    pub(super) lost_promises: Vec<(Timeline, PromiseId)>,
    /// The pipeline for which the device timeline stands still.
    pub(super) held: Option<PipelineId>,
    pub(super) uncaptured: u64,
    pub(super) settled: u64,
    pub(super) repeats: u64,
}

/// What a call gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Made {
    /// Its promise.
    pub promise: Option<PromiseId>,
    /// What it brought about before it returned.
    pub effects: Vec<Effect>,
}

impl Model {
    /// A device that works, with this many content timelines, all by today's text.
    pub fn new(hosts: u32) -> Self {
        Self::with_editions(&vec![Edition::Present; hosts as usize])
    }

    /// A device that works, with a content timeline for each of these editions.
    pub fn with_editions(editions: &[Edition]) -> Self {
        Self {
            editions: editions.to_vec(),
            content: editions.iter().map(|_| VecDeque::new()).collect(),
            ..Self::default()
        }
    }

    /// The edition by which a content timeline lives.
    pub fn edition(&self, host: Timeline) -> Edition {
        self.editions.get(host.place()).copied().unwrap_or_default()
    }

    /// Whether the device timeline has a step that could run now.
    pub fn has_device_step(&self) -> bool {
        self.next_device().is_some()
    }

    /// Whether a content timeline has a step that could run now.
    pub fn has_content_step(&self, host: Timeline) -> bool {
        self.content
            .get(host.place())
            .is_some_and(|tasks| !tasks.is_empty())
    }

    /// The pipeline that the next device step would check, where it is one that begins a creation.
    pub fn next_check(&self) -> Option<PipelineId> {
        match self.next_device()?.work {
            Work::CreatePipeline(pipeline) if self.loss.is_none() => Some(pipeline),
            _ => None,
        }
    }

    /// Whether the next device step would wait for what the queue was given.
    pub fn next_awaits_queue(&self) -> bool {
        let next = self.next_device().map(|task| task.work);
        self.loss.is_none() && matches!(next, Some(Work::Map(_) | Work::AskQueue))
    }

    fn next_device(&self) -> Option<&Task> {
        let next = self.device.front()?;
        // A loss by the driver does not wait for what holds the timeline.
        let is_ahead = matches!(next.work, Work::Lose(LossKind::Unknown));
        let is_free = self.held.is_none() || is_ahead;
        is_free.then_some(next)
    }

    /// Executes the next step of the device timeline, as the span `step`; none where there is nothing to do, or a
    /// compile holds the timeline.
    pub fn step_device(&mut self, step: SpanId) -> Option<Executed> {
        self.next_device()?;
        let task = self.device.pop_front()?;
        self.tick();
        let mut effects = Vec::new();
        let (name, pipeline) = self.execute_device(&task, step, &mut effects);
        Some(self.executed(Timeline::Device, name, &task, pipeline, effects))
    }

    /// Executes the next step of a content timeline, as the span `step`; none where there is nothing to do.
    pub fn step_content(&mut self, host: Timeline, step: SpanId) -> Option<Executed> {
        let task = self.content.get_mut(host.place())?.pop_front()?;
        self.tick();
        let mut effects = Vec::new();
        let name = self.execute_content(&task, step, &mut effects);
        Some(self.executed(host, name, &task, None, effects))
    }

    fn execute_device(
        &mut self,
        task: &Task,
        step: SpanId,
        effects: &mut Vec<Effect>,
    ) -> (StepName, Option<PipelineId>) {
        let name = match task.work {
            Work::CreatePipeline(pipeline) => {
                let name = self.check_pipeline(task, step, pipeline, effects);
                return (name, Some(pipeline));
            }
            Work::DecidePipeline(pipeline) => {
                let name = self.decide_pipeline(task, step, pipeline, effects);
                return (name, Some(pipeline));
            }
            Work::Map(buffer) => return (self.check_map(task, step, buffer, effects), None),
            Work::MapReady(buffer) => {
                self.decide_map(task, step, buffer, effects);
                StepName::MapDecided
            }
            Work::PopScope => {
                self.pop_scope(task, step, effects);
                StepName::Only
            }
            Work::AskModule(module) => {
                self.ask_module(task, step, module, effects);
                StepName::Initial
            }
            Work::AskQueue => {
                self.ask_queue(task, step, effects);
                StepName::Initial
            }
            Work::ModuleKnown => {
                self.issue(task, step, Work::FinishMessages, effects);
                StepName::Informed
            }
            Work::QueueKnown => {
                self.queue_known(task, step, effects);
                StepName::Informed
            }
            Work::Lose(kind) => {
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
    fn execute_simple(&mut self, task: &Task, step: SpanId, effects: &mut Vec<Effect>) {
        match task.work {
            Work::CreateBuffer(buffer) => self.make_buffer(task, step, buffer, effects),
            Work::RefuseMap(row) => self.dispatch(task, step, row.raises, None, effects),
            Work::RefuseMapped(buffer, row) => {
                self.dispatch(task, step, row.raises, None, effects);
                self.issue(task, step, Work::FinishMap(buffer, row), effects);
            }
            Work::Unmap(buffer) => self.free_buffer(buffer),
            Work::DestroyBuffer(buffer) => self.end_buffer(buffer),
            Work::PushScope(filter) => self.push_scope(filter),
            Work::CreateModule(module) => self.make_module(task, module, effects),
            Work::Submit(api, wrong) => self.submit_work(task, step, (api, wrong), effects),
            Work::Create(wrong) => self.make_object(task, step, wrong, effects),
            Work::Raise(kind) => self.dispatch(task, step, Some(kind), None, effects),
            _ => {}
        }
    }

    fn execute_content(
        &mut self,
        task: &Task,
        step: SpanId,
        effects: &mut Vec<Effect>,
    ) -> StepName {
        match task.work {
            Work::Settle(row, raised) => self.settle_for(task, (row, row.outcome), raised, effects),
            Work::SettleAs(row, outcome) => self.settle_for(task, (row, outcome), None, effects),
            Work::FinishMap(buffer, row) => self.finish_map(task, buffer, row, effects),
            Work::FinishMessages => self.finish_messages(task, effects),
            Work::TellUncaptured(raised) => {
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
        task: &Task,
        decision: (&'static Row, Outcome),
        raised: Option<Raised>,
        effects: &mut Vec<Effect>,
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
    pub(super) fn row(&self, api: Api, condition: Condition, edition: Edition) -> &'static Row {
        look_up(api, condition, edition).unwrap_or(&UNWRITTEN)
    }

    /// The row that counts, and the outcome: where the row leaves it to the completion, that of `completion`.
    pub(super) fn decision(
        &self,
        api: Api,
        condition: Condition,
        completion: Condition,
        edition: Edition,
    ) -> (&'static Row, Outcome) {
        let row = self.row(api, condition, edition);
        match row.outcome {
            Outcome::ByCompletion => (row, self.row(api, completion, edition).outcome),
            outcome => (row, outcome),
        }
    }

    /// Pushes the device steps of a call.
    pub(super) fn made(
        &mut self,
        host: Timeline,
        call: SpanId,
        promise: Option<PromiseId>,
        work: Work,
    ) -> Made {
        let task = Task {
            cause: call,
            host,
            edition: self.edition(host),
            called: self.steps,
            promise,
            work,
        };
        self.device.push_back(task);
        Made {
            promise,
            effects: vec![Effect::Issued(Timeline::Device)],
        }
    }

    /// Issues a step on the content timeline of the call that `task` works for.
    pub(super) fn issue(
        &mut self,
        task: &Task,
        cause: SpanId,
        work: Work,
        effects: &mut Vec<Effect>,
    ) {
        let task = Task {
            cause,
            work,
            ..*task
        };
        if let Some(tasks) = self.content.get_mut(task.host.place()) {
            tasks.push_back(task);
            effects.push(Effect::Issued(task.host));
        }
    }

    fn executed(
        &self,
        timeline: Timeline,
        name: StepName,
        task: &Task,
        pipeline: Option<PipelineId>,
        effects: Vec<Effect>,
    ) -> Executed {
        Executed {
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
