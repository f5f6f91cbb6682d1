//! What waits on the device timeline for an event, and for the loss of the device besides.

use super::ids::{ModuleId, PipelineId, Timeline};
use super::model::Model;
use super::step::{Effect, Task};
use record::SpanId;

/// What a step waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A pipeline's compile has ended.
    Compiled(PipelineId),
    /// A module's creation has ended.
    ModuleMade(ModuleId),
    /// The queue's first so many have ended.
    Queue(u64),
}

/// A step that is issued on the device timeline once its event has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiter {
    pub event: Event,
    /// Whether the loss of the device counts as the event, as “listen for timeline event” has it.
    pub hears_loss: bool,
    pub task: Task,
}

impl Model {
    /// Issues `task` on the device timeline once `event` has come, or at once where it has.
    pub(super) fn listen(
        &mut self,
        event: Event,
        hears_loss: bool,
        task: Task,
        effects: &mut Vec<Effect>,
    ) {
        if (hears_loss && self.loss.is_some()) || self.has_come(event) {
            self.device.push_back(task);
            effects.push(Effect::Issued(Timeline::Device));
        } else {
            self.waiters.push(Waiter {
                event,
                hears_loss,
                task,
            });
        }
    }

    fn has_come(&self, event: Event) -> bool {
        match event {
            Event::Compiled(pipeline) => self.is_compiled(pipeline),
            Event::ModuleMade(module) => self.is_made(module),
            Event::Queue(point) => self.queue.is_past(point),
        }
    }

    /// The device timeline is informed: releases what waits for events that have come, in the order of waiting.
    pub(super) fn inform(&mut self, cause: SpanId, effects: &mut Vec<Effect>) {
        self.release(cause, effects, |model, waiter| model.has_come(waiter.event));
    }

    pub(super) fn inform_of_loss(&mut self, cause: SpanId, effects: &mut Vec<Effect>) {
        self.release(cause, effects, |_, waiter| waiter.hears_loss);
    }

    fn release(
        &mut self,
        cause: SpanId,
        effects: &mut Vec<Effect>,
        is_due: impl Fn(&Self, &Waiter) -> bool,
    ) {
        let waiters = std::mem::take(&mut self.waiters);
        for waiter in waiters {
            if is_due(self, &waiter) {
                self.device.push_back(Task {
                    cause,
                    ..waiter.task
                });
                effects.push(Effect::Issued(Timeline::Device));
            } else {
                self.waiters.push(waiter);
            }
        }
    }
}
