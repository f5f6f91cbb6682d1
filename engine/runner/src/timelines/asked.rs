//! The same calls as they are made to the implementation below, and what it did: seen in this run, or not at all.

use std::time::Duration;

use super::compile::Built;
use super::state::{Entry, State};
use crate::shared::Shared;
use backend::{Answer, CacheUse, CompileError, ErrorFilter, Question, Raw};
use device::Status;
use device::webgpu::{ErrorKind, Made, Outcome, Popped, Settlement, Value};
use record::Observed;

/// How long the implementation may take to say what the specification has settled already: it hears of the queue's end
/// a little later. A device that is lost is asked for what it has said by now.
const PATIENCE: Duration = Duration::from_millis(20);

/// Makes the call `question` to the implementation below, beside one that gave a promise.
pub fn ask(shared: &Shared, state: &mut State, made: &Made, question: &Question) {
    if let Some(promise) = made.promise
        && !state.asked.contains_key(&promise)
        && let Some(answer) = shared.device.raw(question)
    {
        state.asked.insert(promise, answer);
    }
}

/// Asks for a scope like the one that was popped. What one comes to that met the loss between its push and its pop
/// cannot be told by another, nor can an internal error be made.
pub fn ask_scope(shared: &Shared, state: &mut State, popped: Popped) {
    if popped.met_loss || popped.captured == Some(ErrorKind::Internal) {
        return;
    }
    let question = Question::Scope {
        filter: filter(popped.filter),
        made: popped.captured.map(filter),
    };
    if let Some(answer) = shared.device.raw(&question) {
        state.asked.insert(popped.promise, answer);
    }
}

/// What the implementation made of a pipeline, where it was given one to make: not where the shader was refused before,
/// the workload wants it to fail, or it was made for another before.
pub fn note_compile(shared: &Shared, state: &mut State, entry: &Entry, built: &Built) {
    let plan = shared.plan.pipelines.get(entry.plan.index());
    let is_told_to_fail = plan.is_some_and(|plan| plan.fails);
    let Some(promise) = entry.promise.filter(|_| !is_told_to_fail) else {
        return;
    };
    let raw = match built {
        Ok(compiled) if compiled.cache != CacheUse::Hit => Raw {
            is_ok: true,
            text: "the call returned a pipeline and raised no error".to_owned(),
            ..Raw::default()
        },
        Err(CompileError::Internal(reason)) => Raw {
            text: format!("the call raised an error: {reason}"),
            ..Raw::default()
        },
        _ => return,
    };
    state.asked.insert(promise, Answer::ready(raw));
}

/// What the implementation below did for the call whose promise has settled.
pub fn observe(shared: &Shared, state: &mut State, settlement: &Settlement) -> Observed {
    if !shared.device.caps().queue {
        return Observed::Nothing;
    }
    let Some(mut answer) = state.asked.remove(&settlement.promise) else {
        return Observed::Not;
    };
    let patience = match shared.device.status() {
        Status::Working => PATIENCE,
        _ => Duration::ZERO,
    };
    match answer.wait(patience) {
        None => Observed::Not,
        Some(raw) if agrees(&raw, settlement) => Observed::Same(raw.text),
        Some(raw) => Observed::Other(raw.text),
    }
}

/// Whether it is what the specification says.
fn agrees(raw: &Raw, settlement: &Settlement) -> bool {
    let value = match settlement.outcome {
        Outcome::Resolve(value) => Some(value),
        _ => None,
    };
    let is_value = |expected: &str| raw.value.as_deref().is_none_or(|it| it == expected);
    let has_value = match value {
        Some(Value::Null) => is_value("null"),
        Some(Value::Error(kind)) => is_value(filter(kind).label()),
        Some(Value::NoMessages) => is_value("no messages"),
        Some(Value::Lost(kind)) => is_value(kind.label()),
        _ => true,
    };
    raw.is_ok == value.is_some() && has_value && raw.raised == settlement.row.raises.map(filter)
}

const fn filter(kind: ErrorKind) -> ErrorFilter {
    match kind {
        ErrorKind::Validation => ErrorFilter::Validation,
        ErrorKind::OutOfMemory => ErrorFilter::OutOfMemory,
        ErrorKind::Internal => ErrorFilter::Internal,
    }
}
