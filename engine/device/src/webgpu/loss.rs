//! The loss of the device: by its owner in the order of the device timeline, by its driver ahead of it.

use super::ids::{PromiseId, Timeline};
use super::model::{Made, Model};
use super::step::{Effect, Task, Work};
use super::table::{Api, Condition};
use record::SpanId;

/// Why a device was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LossKind {
    /// `destroy()` was called.
    Destroyed,
    /// The driver lost it.
    Unknown,
}

impl LossKind {
    /// The reason as `device.lost` gives it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Destroyed => "destroyed",
            Self::Unknown => "unknown",
        }
    }
}

/// A loss that has had its turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loss {
    pub kind: LossKind,
    /// When it was called for, in steps of the model: calls before it were pending, calls after it were not.
    called: u64,
}

impl Model {
    /// `device.destroy()`: ends every map of the device's buffers at once, and loses the device in its turn.
    pub fn destroy_device(&mut self, host: Timeline, call: SpanId) -> Made {
        let now = self.tick();
        self.destroyed.get_or_insert(now);
        let mut effects = Vec::new();
        for buffer in self.buffer_ids() {
            self.unmap_now(
                buffer,
                host,
                call,
                Condition::DestroyedMeanwhile,
                &mut effects,
            );
        }
        let mut made = self.made(host, call, None, Work::Lose(LossKind::Destroyed));
        effects.append(&mut made.effects);
        made.effects = effects;
        made
    }

    /// The driver loses the device, because of what `cause` stands for: ahead of everything that waits its turn.
    pub fn lose(&mut self, cause: SpanId) {
        let called = self.tick();
        let host = Timeline::Content(0);
        self.device.push_front(Task {
            cause,
            host,
            edition: self.edition(host),
            called,
            promise: None,
            work: Work::Lose(LossKind::Unknown),
        });
    }

    /// Whether `destroy()` was called, also where it has not had its turn.
    pub const fn is_destroy_called(&self) -> bool {
        self.destroyed.is_some()
    }

    /// Whether the device is lost, and why.
    pub fn loss(&self) -> Option<LossKind> {
        self.loss.map(|loss| loss.kind)
    }

    pub(super) fn lose_device(
        &mut self,
        task: &Task,
        step: SpanId,
        kind: LossKind,
        effects: &mut Vec<Effect>,
    ) {
        // The first reason wins: a device is lost once.
        if self.loss.is_some() {
            return;
        }
        let called = match kind {
            LossKind::Destroyed => self.destroyed.unwrap_or(task.called),
            LossKind::Unknown => task.called,
        };
        self.loss = Some(Loss { kind, called });
        effects.push(Effect::Lost(kind));
        for (_, promise) in self.lost_promises.clone() {
            self.issue_lost(promise, kind, step, effects);
        }
        self.inform_of_loss(step, effects);
        self.lose_pipelines(effects);
    }

    pub(super) fn issue_lost(
        &mut self,
        promise: PromiseId,
        kind: LossKind,
        cause: SpanId,
        effects: &mut Vec<Effect>,
    ) {
        let Some(host) = self.maker(promise) else {
            return;
        };
        let condition = match kind {
            LossKind::Destroyed => Condition::DestroyedMeanwhile,
            LossKind::Unknown => Condition::LostMeanwhile,
        };
        let edition = self.edition(host);
        let row = self.row(Api::Lost, condition, edition);
        let task = Task {
            cause,
            host,
            edition,
            called: self.now(),
            promise: Some(promise),
            work: Work::Settle(row, None),
        };
        self.issue(&task, cause, task.work, effects);
    }

    /// What the loss means to a call that was made at `called`; none while the device lives.
    pub(super) fn loss_condition(&self, called: u64) -> Option<Condition> {
        let loss = self.loss?;
        Some(match (loss.kind, called > loss.called) {
            (LossKind::Unknown, true) => Condition::LostBefore,
            (LossKind::Unknown, false) => Condition::LostMeanwhile,
            (LossKind::Destroyed, true) => Condition::DestroyedBefore,
            (LossKind::Destroyed, false) => Condition::DestroyedMeanwhile,
        })
    }
}
