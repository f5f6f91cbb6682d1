//! The queue timeline: how much work was handed to it, how much has ended, and who is told.

use super::ids::Timeline;
use super::model::{Made, Model};
use super::outcome::ErrorKind;
use super::step::{Effect, Task, Work};
use super::table::{Api, Condition};
use super::watch::Event;
use record::SpanId;

/// The queue of the device.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Queue {
    submitted: u64,
    ended: u64,
}

impl Queue {
    pub const fn is_past(self, point: u64) -> bool {
        self.ended >= point
    }
}

impl Model {
    /// `queue.submit` or a write of the queue; with an error where it breaks a rule.
    pub fn submit(
        &mut self,
        host: Timeline,
        call: SpanId,
        api: Api,
        wrong: Option<ErrorKind>,
    ) -> Made {
        self.tick();
        self.made(host, call, None, Work::Submit(api, wrong))
    }

    /// `onSubmittedWorkDone`.
    pub fn on_submitted_work_done(&mut self, host: Timeline, call: SpanId) -> Made {
        self.tick();
        let promise = self.promise(Api::OnSubmittedWorkDone, host);
        self.made(host, call, Some(promise), Work::AskQueue)
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
    pub fn work_completed(&mut self, count: u64, cause: SpanId) -> Vec<Effect> {
        self.tick();
        let mut effects = Vec::new();
        self.queue.ended = self.queue.ended.max(count.min(self.queue.submitted));
        self.inform(cause, &mut effects);
        effects
    }

    pub(super) fn submit_work(
        &mut self,
        task: &Task,
        step: SpanId,
        (api, wrong): (Api, Option<ErrorKind>),
        effects: &mut Vec<Effect>,
    ) {
        let condition = match (self.loss_condition(task.called), wrong) {
            (Some(lost), _) => lost,
            (None, Some(_)) => Condition::Invalid,
            (None, None) => Condition::Fine,
        };
        let row = self.row(api, condition, task.edition);
        if condition == Condition::Fine {
            effects.push(Effect::Submitted(self.note_work()));
        } else {
            self.dispatch(task, step, row.raises, None, effects);
        }
    }

    pub(super) fn ask_queue(&mut self, task: &Task, step: SpanId, effects: &mut Vec<Effect>) {
        let known = Task {
            cause: step,
            work: Work::QueueKnown,
            ..*task
        };
        self.await_queue(known, effects);
    }

    /// Issues `task` once everything that the queue has been given has ended, or the device is lost.
    pub(super) fn await_queue(&mut self, task: Task, effects: &mut Vec<Effect>) {
        let point = self.queue.submitted;
        if self.loss.is_none() && !self.queue.is_past(point) {
            effects.push(Effect::AwaitsQueue(point));
        }
        self.listen(Event::Queue(point), true, task, effects);
    }

    pub(super) fn queue_known(&mut self, task: &Task, step: SpanId, effects: &mut Vec<Effect>) {
        let condition = self.loss_condition(task.called).unwrap_or(Condition::Fine);
        let row = self.row(Api::OnSubmittedWorkDone, condition, task.edition);
        self.issue(task, step, Work::Settle(row, None), effects);
    }
}
