//! Error scopes: which of them captures an error, and what a pop answers.

use super::ids::{PipelineId, PromiseId, Timeline};
use super::model::{Made, Model};
use super::outcome::ErrorKind;
use super::step::{Effect, Task, Work};
use super::table::{Api, Condition};
use record::SpanId;

/// An error that a step raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raised {
    /// Its kind.
    pub kind: ErrorKind,
    /// The span of the step that raised it.
    pub step: SpanId,
    /// The span of the call, or of the step, that issued that step.
    pub cause: SpanId,
    /// The pipeline that it is about.
    pub pipeline: Option<PipelineId>,
}

/// A scope, and the first error that it captured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    filter: ErrorKind,
    captured: Option<Raised>,
    /// Whether the device was lost when it was pushed.
    is_late: bool,
}

/// A scope that was popped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Popped {
    /// The promise of the pop.
    pub promise: PromiseId,
    /// What it took.
    pub filter: ErrorKind,
    /// What it had captured.
    pub captured: Option<ErrorKind>,
    /// Whether the device was lost between its push and its pop.
    pub met_loss: bool,
}

impl Model {
    /// `pushErrorScope`.
    pub fn push_error_scope(&mut self, host: Timeline, call: SpanId, filter: ErrorKind) -> Made {
        self.tick();
        self.made(host, call, None, Work::PushScope(filter))
    }

    /// `popErrorScope`.
    pub fn pop_error_scope(&mut self, host: Timeline, call: SpanId) -> Made {
        self.tick();
        let promise = self.promise(Api::PopErrorScope, host);
        self.made(host, call, Some(promise), Work::PopScope)
    }

    /// A call that raises an error of this kind on the device timeline, whichever call it is.
    pub fn raise_error(&mut self, host: Timeline, call: SpanId, kind: ErrorKind) -> Made {
        self.tick();
        self.made(host, call, None, Work::Raise(kind))
    }

    pub(super) fn push_scope(&mut self, filter: ErrorKind) {
        self.scopes.push(Scope {
            filter,
            captured: None,
            is_late: self.loss.is_some(),
        });
    }

    pub(super) fn pop_scope(&mut self, task: &Task, step: SpanId, effects: &mut Vec<Effect>) {
        let last = self.scopes.last().copied();
        if let (Some(scope), Some(promise)) = (last, task.promise) {
            effects.push(Effect::Popped(Popped {
                promise,
                filter: scope.filter,
                captured: scope.captured.map(|raised| raised.kind),
                met_loss: self.loss.is_some() && !scope.is_late,
            }));
        }
        let (condition, raised) = if let Some(lost) = self.loss_condition(task.called) {
            self.scopes.pop();
            (lost, None)
        } else if let Some(scope) = self.scopes.pop() {
            let condition = scope
                .captured
                .map_or(Condition::Fine, |raised| match raised.kind {
                    ErrorKind::Validation => Condition::Invalid,
                    ErrorKind::OutOfMemory => Condition::OutOfMemory,
                    ErrorKind::Internal => Condition::Internal,
                });
            (condition, scope.captured)
        } else {
            (Condition::NoScope, None)
        };
        let row = self.row(Api::PopErrorScope, condition, task.edition);
        self.issue(task, step, Work::Settle(row, raised), effects);
    }

    /// Hands an error to the innermost scope that takes its kind, or to the device's event. A lost device has none.
    pub(super) fn dispatch(
        &mut self,
        task: &Task,
        step: SpanId,
        kind: Option<ErrorKind>,
        pipeline: Option<PipelineId>,
        effects: &mut Vec<Effect>,
    ) {
        let Some(kind) = kind.filter(|_| self.loss.is_none()) else {
            return;
        };
        let raised = Raised {
            kind,
            step,
            cause: task.cause,
            pipeline,
        };
        let taker = self.scopes.iter_mut().rev();
        match taker.into_iter().find(|scope| scope.filter == kind) {
            Some(scope) => {
                scope.captured.get_or_insert(raised);
                effects.push(Effect::Captured(raised));
            }
            None => self.issue(task, step, Work::TellUncaptured(raised), effects),
        }
    }

    pub(super) fn tell_uncaptured(&mut self, raised: Raised, effects: &mut Vec<Effect>) {
        // No errors surface on a lost device, also where the step that tells it was issued before the loss.
        if self.loss.is_none() {
            self.uncaptured += 1;
            effects.push(Effect::Uncaptured(raised));
        }
    }

    /// How many errors no scope captured.
    pub const fn uncaptured(&self) -> u64 {
        self.uncaptured
    }
}
