//! The queue timeline: how much work was handed to it, how much has ended, and who is told.

use super::ids::ModelTimeline;
use super::model::{CallResult, WebGpuModel};
use super::outcome::GpuErrorKind;
use super::step::{StepEffect, TimelineTask, TimelineWork};
use super::table::{Api, Condition};
use super::watch::AwaitedEvent;
use record::SpanId;

/// The queue of the device.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct QueueModel {
    submitted: u64,
    ended: u64,
}

impl QueueModel {
    pub const fn is_past(self, point: u64) -> bool {
        self.ended >= point
    }
}

impl WebGpuModel {
    /// `queue.submit` or a write of the queue; with an error where it breaks a rule.
    pub fn submit(
        &mut self,
        host: ModelTimeline,
        call: SpanId,
        api: Api,
        wrong: Option<GpuErrorKind>,
    ) -> CallResult {
        self.tick();
        self.made(host, call, None, TimelineWork::Submit(api, wrong))
    }

    /// `onSubmittedWorkDone`.
    pub fn on_submitted_work_done(&mut self, host: ModelTimeline, call: SpanId) -> CallResult {
        self.tick();
        let promise = self.promise(Api::OnSubmittedWorkDone, host);
        self.made(host, call, Some(promise), TimelineWork::AskQueue)
    }

    /// Something was handed to the queue besides the model's own calls: gives its number.
    pub const fn note_work(&mut self) -> u64 {
        self.queue.submitted += 1;
        self.queue.submitted
    }

    /// Whether the queue has something that has not ended.
    pub const fn is_queue_busy(&self) -> bool {
        !self.queue.is_past(self.queue.submitted)
    }

    /// How much was handed to the queue.
    pub const fn submitted(&self) -> u64 {
        self.queue.submitted
    }

    /// The queue's first so many have ended, as `cause` shows. Says what that brought about.
    pub fn work_completed(&mut self, count: u64, cause: SpanId) -> Vec<StepEffect> {
        self.tick();
        let mut effects = Vec::new();
        self.queue.ended = self.queue.ended.max(count.min(self.queue.submitted));
        self.inform(cause, &mut effects);
        effects
    }

    pub(super) fn submit_work(
        &mut self,
        task: &TimelineTask,
        step: SpanId,
        (api, wrong): (Api, Option<GpuErrorKind>),
        effects: &mut Vec<StepEffect>,
    ) {
        let condition = match (self.loss_condition(task.called), wrong) {
            (Some(lost), _) => lost,
            (None, Some(_)) => Condition::Invalid,
            (None, None) => Condition::Fine,
        };
        let row = self.row(api, condition, task.edition);
        if condition == Condition::Fine {
            effects.push(StepEffect::Submitted(self.note_work()));
        } else {
            self.dispatch(task, step, row.raises, None, effects);
        }
    }

    pub(super) fn ask_queue(
        &mut self,
        task: &TimelineTask,
        step: SpanId,
        effects: &mut Vec<StepEffect>,
    ) {
        let known = TimelineTask {
            cause: step,
            work: TimelineWork::QueueKnown,
            ..*task
        };
        self.await_queue(known, effects);
    }

    /// Issues `task` once everything that the queue has been given has ended, or the device is lost.
    pub(super) fn await_queue(&mut self, task: TimelineTask, effects: &mut Vec<StepEffect>) {
        let point = self.queue.submitted;
        if self.loss.is_none() && !self.queue.is_past(point) {
            effects.push(StepEffect::AwaitsQueue(point));
        }
        self.listen(AwaitedEvent::Queue(point), true, task, effects);
    }

    pub(super) fn queue_known(
        &mut self,
        task: &TimelineTask,
        step: SpanId,
        effects: &mut Vec<StepEffect>,
    ) {
        let condition = self.loss_condition(task.called).unwrap_or(Condition::Fine);
        let row = self.row(Api::OnSubmittedWorkDone, condition, task.edition);
        self.issue(task, step, TimelineWork::Settle(row, None), effects);
    }
}
