//! The same calls as they are made to the implementation below, and what it did: seen in this run, or not at all.

use std::time::Duration;

use super::compile::CompileResult;
use super::state::{PipelineEntry, TimelinesState};
use crate::shared::RunState;
use backend::{
    CacheUse, CompileError, NativeAnswer, NativeErrorFilter, NativeQuery, PendingAnswer,
};
use device::DeviceStatus;
use device::webgpu::{
    CallOutcome, CallResult, GpuErrorKind, PoppedScope, PromiseResult, PromiseValue,
};
use record::ObservedOutcome;

/// How long the implementation may take to say what the specification has settled already: it hears of the queue's end
/// a little later. A device that is lost is asked for what it has said by now.
const PATIENCE: Duration = Duration::from_millis(20);

/// Makes the call `question` to the implementation below, beside one that gave a promise.
pub fn ask(
    shared: &RunState,
    state: &mut TimelinesState,
    made: &CallResult,
    question: &NativeQuery,
) {
    if let Some(promise) = made.promise
        && !state.asked.contains_key(&promise)
        && let Some(answer) = shared.device.raw(question)
    {
        state.asked.insert(promise, answer);
    }
}

/// Asks for a scope like the one that was popped, where nothing was caught. What one comes to that met the loss between its
/// push and its pop cannot be told by another, nor can one that caught an error: whether the implementation raised it in that
/// scope is not seen.
pub fn ask_scope(shared: &RunState, state: &mut TimelinesState, popped: PoppedScope) {
    if popped.met_loss || popped.captured.is_some() {
        return;
    }
    let question = NativeQuery::Scope {
        filter: filter(popped.filter),
    };
    if let Some(answer) = shared.device.raw(&question) {
        state.asked.insert(popped.promise, answer);
    }
}

/// What the implementation made of a pipeline, where it was given one to make: not where the shader was refused before,
/// the workload wants it to fail, or it was made for another before.
pub fn note_compile(
    shared: &RunState,
    state: &mut TimelinesState,
    entry: &PipelineEntry,
    built: &CompileResult,
) {
    let plan = shared.plan.pipelines.get(entry.plan.index());
    let is_told_to_fail = plan.is_some_and(|plan| plan.fails);
    let Some(promise) = entry.promise.filter(|_| !is_told_to_fail) else {
        return;
    };
    let raw = match built {
        Ok(compiled) if compiled.cache != CacheUse::Hit => NativeAnswer {
            is_ok: true,
            text: "the call returned a pipeline and raised no error".to_owned(),
            ..NativeAnswer::default()
        },
        Err(CompileError::Internal(reason)) => NativeAnswer {
            text: format!("the call raised an error: {reason}"),
            ..NativeAnswer::default()
        },
        _ => return,
    };
    state.asked.insert(promise, PendingAnswer::ready(raw));
}

/// What the implementation below did for the call whose promise has settled.
pub fn observe(
    shared: &RunState,
    state: &mut TimelinesState,
    settlement: &PromiseResult,
) -> ObservedOutcome {
    if !shared.device.caps().queue {
        return ObservedOutcome::Nothing;
    }
    let Some(mut answer) = state.asked.remove(&settlement.promise) else {
        return ObservedOutcome::Not;
    };
    let patience = match shared.device.status() {
        DeviceStatus::Working => PATIENCE,
        _ => Duration::ZERO,
    };
    match answer.wait(patience) {
        None => ObservedOutcome::Not,
        Some(raw) if agrees(&raw, settlement) => ObservedOutcome::Same(raw.text),
        Some(raw) => ObservedOutcome::Other(raw.text),
    }
}

/// Whether it is what the specification says.
fn agrees(raw: &NativeAnswer, settlement: &PromiseResult) -> bool {
    let value = match settlement.outcome {
        CallOutcome::Resolve(value) => Some(value),
        _ => None,
    };
    let is_value = |expected: &str| raw.value.as_deref().is_none_or(|it| it == expected);
    let has_value = match value {
        Some(PromiseValue::Null) => is_value("null"),
        Some(PromiseValue::Error(kind)) => is_value(filter(kind).label()),
        Some(PromiseValue::NoMessages) => is_value("no messages"),
        Some(PromiseValue::Lost(kind)) => is_value(kind.label()),
        _ => true,
    };
    let is_same = raw.is_ok == value.is_some() && has_value;
    is_same && !raw.is_pending && raw.raised == settlement.row.raises.map(filter)
}

const fn filter(kind: GpuErrorKind) -> NativeErrorFilter {
    match kind {
        GpuErrorKind::Validation => NativeErrorFilter::Validation,
        GpuErrorKind::OutOfMemory => NativeErrorFilter::OutOfMemory,
        GpuErrorKind::Internal => NativeErrorFilter::Internal,
    }
}
