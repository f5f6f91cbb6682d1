//! What waits on the device timeline for an event, and for the loss of the device besides.

use super::ids::{ModelPipelineId, ModelTimeline, ModuleId};
use super::model::WebGpuModel;
use super::step::{StepEffect, TimelineTask};
use record::SpanId;

/// What a step waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AwaitedEvent {
    /// A pipeline's compile has ended.
    Compiled(ModelPipelineId),
    /// A module's creation has ended.
    ModuleMade(ModuleId),
    /// The queue's first so many have ended.
    Queue(u64),
}

/// A step that is issued on the device timeline once its event has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepWaiter {
    pub event: AwaitedEvent,
    /// Whether the loss of the device counts as the event, as “listen for timeline event” has it.
    pub hears_loss: bool,
    pub task: TimelineTask,
}

impl WebGpuModel {
    /// Issues `task` on the device timeline once `event` has come, or at once where it has.
    pub(super) fn listen(
        &mut self,
        event: AwaitedEvent,
        hears_loss: bool,
        task: TimelineTask,
        effects: &mut Vec<StepEffect>,
    ) {
        if (hears_loss && self.loss.is_some()) || self.has_come(event) {
            self.device.push_back(task);
            effects.push(StepEffect::Issued(ModelTimeline::Device));
        } else {
            self.waiters.push(StepWaiter {
                event,
                hears_loss,
                task,
            });
        }
    }

    fn has_come(&self, event: AwaitedEvent) -> bool {
        match event {
            AwaitedEvent::Compiled(pipeline) => self.is_compiled(pipeline),
            AwaitedEvent::ModuleMade(module) => self.is_made(module),
            AwaitedEvent::Queue(point) => self.queue.is_past(point),
        }
    }

    /// The device timeline is informed: releases what waits for events that have come, in the order of waiting.
    pub(super) fn inform(&mut self, cause: SpanId, effects: &mut Vec<StepEffect>) {
        self.release(cause, effects, |model, waiter| model.has_come(waiter.event));
    }

    pub(super) fn inform_of_loss(&mut self, cause: SpanId, effects: &mut Vec<StepEffect>) {
        self.release(cause, effects, |_, waiter| waiter.hears_loss);
    }

    fn release(
        &mut self,
        cause: SpanId,
        effects: &mut Vec<StepEffect>,
        is_due: impl Fn(&Self, &StepWaiter) -> bool,
    ) {
        let waiters = std::mem::take(&mut self.waiters);
        for waiter in waiters {
            if is_due(self, &waiter) {
                self.device.push_back(TimelineTask {
                    cause,
                    ..waiter.task
                });
                effects.push(StepEffect::Issued(ModelTimeline::Device));
            } else {
                self.waiters.push(waiter);
            }
        }
    }
}
