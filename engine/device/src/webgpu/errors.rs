//! Error scopes: which of them captures an error, and what a pop answers.

use super::ids::{ModelPipelineId, ModelPromiseId, ModelTimeline};
use super::model::{CallResult, WebGpuModel};
use super::outcome::GpuErrorKind;
use super::step::{StepEffect, TimelineTask, TimelineWork};
use super::table::{Api, Condition};
use record::SpanId;

/// An error that a step raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaisedError {
    /// Its kind.
    pub kind: GpuErrorKind,
    /// The span of the step that raised it.
    pub step: SpanId,
    /// The span of the call, or of the step, that issued that step.
    pub cause: SpanId,
    /// The pipeline that it is about.
    pub pipeline: Option<ModelPipelineId>,
}

/// A scope, and the first error that it captured.
#[derive(Clone, Copy, Debug)]
pub(super) struct ErrorScope {
    filter: GpuErrorKind,
    captured: Option<RaisedError>,
    /// Whether the device was lost when it was pushed.
    is_late: bool,
}

/// A scope that was popped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoppedScope {
    /// The promise of the pop.
    pub promise: ModelPromiseId,
    /// What it took.
    pub filter: GpuErrorKind,
    /// What it had captured.
    pub captured: Option<GpuErrorKind>,
    /// Whether the device was lost between its push and its pop.
    pub met_loss: bool,
}

impl WebGpuModel {
    /// `pushErrorScope`.
    pub fn push_error_scope(
        &mut self,
        host: ModelTimeline,
        call: SpanId,
        filter: GpuErrorKind,
    ) -> CallResult {
        self.tick();
        self.made(host, call, None, TimelineWork::PushScope(filter))
    }

    /// `popErrorScope`.
    pub fn pop_error_scope(&mut self, host: ModelTimeline, call: SpanId) -> CallResult {
        self.tick();
        let promise = self.promise(Api::PopErrorScope, host);
        self.made(host, call, Some(promise), TimelineWork::PopScope)
    }

    /// A call that raises an error of this kind on the device timeline, whichever call it is.
    pub fn raise_error(
        &mut self,
        host: ModelTimeline,
        call: SpanId,
        kind: GpuErrorKind,
    ) -> CallResult {
        self.tick();
        self.made(host, call, None, TimelineWork::Raise(kind))
    }

    pub(super) fn push_scope(&mut self, filter: GpuErrorKind) {
        self.scopes.push(ErrorScope {
            filter,
            captured: None,
            is_late: self.loss.is_some(),
        });
    }

    pub(super) fn pop_scope(
        &mut self,
        task: &TimelineTask,
        step: SpanId,
        effects: &mut Vec<StepEffect>,
    ) {
        let last = self.scopes.last().copied();
        if let (Some(scope), Some(promise)) = (last, task.promise) {
            effects.push(StepEffect::Popped(PoppedScope {
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
                    GpuErrorKind::Validation => Condition::Invalid,
                    GpuErrorKind::OutOfMemory => Condition::OutOfMemory,
                    GpuErrorKind::Internal => Condition::Internal,
                });
            (condition, scope.captured)
        } else {
            (Condition::NoScope, None)
        };
        let row = self.row(Api::PopErrorScope, condition, task.edition);
        self.issue(task, step, TimelineWork::Settle(row, raised), effects);
    }

    /// Hands an error to the innermost scope that takes its kind, or to the device's event. A lost device has none.
    pub(super) fn dispatch(
        &mut self,
        task: &TimelineTask,
        step: SpanId,
        kind: Option<GpuErrorKind>,
        pipeline: Option<ModelPipelineId>,
        effects: &mut Vec<StepEffect>,
    ) {
        let Some(kind) = kind.filter(|_| self.loss.is_none()) else {
            return;
        };
        let raised = RaisedError {
            kind,
            step,
            cause: task.cause,
            pipeline,
        };
        let taker = self.scopes.iter_mut().rev();
        match taker.into_iter().find(|scope| scope.filter == kind) {
            Some(scope) => {
                scope.captured.get_or_insert(raised);
                effects.push(StepEffect::Captured(raised));
            }
            None => self.issue(task, step, TimelineWork::TellUncaptured(raised), effects),
        }
    }

    pub(super) fn tell_uncaptured(&mut self, raised: RaisedError, effects: &mut Vec<StepEffect>) {
        // No errors surface on a lost device, also where the step that tells it was issued before the loss.
        if self.loss.is_none() {
            self.uncaptured += 1;
            effects.push(StepEffect::Uncaptured(raised));
        }
    }

    /// How many errors no scope captured.
    pub const fn uncaptured(&self) -> u64 {
        self.uncaptured
    }
}
