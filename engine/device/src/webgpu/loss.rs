//! The loss of the device: by its owner in the order of the device timeline, by its driver ahead of it.

use super::ids::{ModelPromiseId, ModelTimeline};
use super::model::{CallResult, WebGpuModel};
use super::step::{StepEffect, TimelineTask, TimelineWork};
use super::table::{Api, Condition};
use record::SpanId;

/// Why a device was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LossReason {
    /// `destroy()` was called.
    Destroyed,
    /// The driver lost it.
    Unknown,
}

impl LossReason {
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
pub(super) struct LossCommit {
    pub kind: LossReason,
    /// When it was called for, in steps of the model: calls before it were pending, calls after it were not.
    called: u64,
}

impl WebGpuModel {
    /// `device.destroy()`: ends every map of the device's buffers at once, and loses the device in its turn.
    pub fn destroy_device(&mut self, host: ModelTimeline, call: SpanId) -> CallResult {
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
        let mut made = self.made(host, call, None, TimelineWork::Lose(LossReason::Destroyed));
        effects.append(&mut made.effects);
        made.effects = effects;
        made
    }

    /// The driver loses the device, because of what `cause` stands for: ahead of everything that waits its turn. Of no
    /// consequence where that was said before, since a device is lost once.
    pub fn lose(&mut self, cause: SpanId) {
        if self.is_lost_or_about_to_be() {
            return;
        }
        let called = self.tick();
        let host = ModelTimeline::Content(0);
        self.device.push_front(TimelineTask {
            cause,
            host,
            edition: self.edition(host),
            called,
            promise: None,
            work: TimelineWork::Lose(LossReason::Unknown),
        });
    }

    /// Whether `destroy()` was called, also where it has not had its turn.
    pub const fn is_destroy_called(&self) -> bool {
        self.destroyed.is_some()
    }

    /// Whether the device is lost, and why.
    pub fn loss(&self) -> Option<LossReason> {
        self.loss.map(|loss| loss.kind)
    }

    /// Whether the device is lost, or the driver has lost it and that has not had its turn.
    pub fn is_lost_or_about_to_be(&self) -> bool {
        let is_loss =
            |it: &TimelineTask| matches!(it.work, TimelineWork::Lose(LossReason::Unknown));
        self.loss.is_some() || self.device.iter().any(is_loss)
    }

    pub(super) fn lose_device(
        &mut self,
        task: &TimelineTask,
        step: SpanId,
        kind: LossReason,
        effects: &mut Vec<StepEffect>,
    ) {
        // The first reason wins: a device is lost once.
        if self.loss.is_some() {
            return;
        }
        let called = match kind {
            LossReason::Destroyed => self.destroyed.unwrap_or(task.called),
            LossReason::Unknown => task.called,
        };
        self.loss = Some(LossCommit { kind, called });
        effects.push(StepEffect::Lost(kind));
        for (_, promise) in self.lost_promises.clone() {
            self.issue_lost(promise, kind, step, effects);
        }
        self.inform_of_loss(step, effects);
        self.lose_pipelines(effects);
    }

    pub(super) fn issue_lost(
        &mut self,
        promise: ModelPromiseId,
        kind: LossReason,
        cause: SpanId,
        effects: &mut Vec<StepEffect>,
    ) {
        let Some(host) = self.maker(promise) else {
            return;
        };
        let condition = match kind {
            LossReason::Destroyed => Condition::DestroyedMeanwhile,
            LossReason::Unknown => Condition::LostMeanwhile,
        };
        let edition = self.edition(host);
        let row = self.row(Api::Lost, condition, edition);
        let task = TimelineTask {
            cause,
            host,
            edition,
            called: self.now(),
            promise: Some(promise),
            work: TimelineWork::Settle(row, None),
        };
        self.issue(&task, cause, task.work, effects);
    }

    /// What the loss means to a call that was made at `called`; none while the device lives.
    pub(super) fn loss_condition(&self, called: u64) -> Option<Condition> {
        let loss = self.loss?;
        Some(match (loss.kind, called > loss.called) {
            (LossReason::Unknown, true) => Condition::LostBefore,
            (LossReason::Unknown, false) => Condition::LostMeanwhile,
            (LossReason::Destroyed, true) => Condition::DestroyedBefore,
            (LossReason::Destroyed, false) => Condition::DestroyedMeanwhile,
        })
    }
}
