//! The words of the layer's records: names of steps, what a promise came to, why, and what is different here.

use super::state::{Given, State};
use crate::shared::Shared;
use backend::CompileError;
use device::webgpu::{Api, Executed, Outcome, PipelineState, Raised, Rejection, Settlement, Value};
use record::{self, Verdict};
use workload::{PipelineIndex, PipelineKind, ShaderPlan};

use super::compile::Built;

/// The name of a step's span.
pub fn step(shared: &Shared, state: &State, step: &Executed) -> String {
    let entry = step.pipeline.and_then(|id| state.pipelines.get(id.index()));
    let given = step.promise.and_then(|promise| state.given(promise));
    let index = entry
        .map(|entry| entry.plan)
        .or(given.and_then(|given| given.pipeline));
    let plan = index.and_then(|index| shared.plan.pipelines.get(index.index()));
    let api = match (entry, plan, step.api) {
        (Some(entry), Some(plan), _) => creation(plan.kind, entry.is_async),
        (_, _, Some(api)) => api.label(),
        _ => return step.name.label().to_owned(),
    };
    match plan {
        Some(plan) => format!("{api} {}: {}", plan.name, step.name.label()),
        None => format!("{api}: {}", step.name.label()),
    }
}

const fn creation(kind: PipelineKind, is_async: bool) -> &'static str {
    match (kind, is_async) {
        (PipelineKind::Compute, true) => Api::CreateComputePipelineAsync.label(),
        (PipelineKind::Compute, false) => Api::CreateComputePipeline.label(),
        (PipelineKind::Render, true) => Api::CreateRenderPipelineAsync.label(),
        (PipelineKind::Render, false) => Api::CreateRenderPipeline.label(),
    }
}

/// A pipeline's state as the capture has it.
pub const fn stage(state: PipelineState) -> record::PipelineState {
    match state {
        PipelineState::Requested => record::PipelineState::Requested,
        PipelineState::Checked => record::PipelineState::Checked,
        PipelineState::Queued => record::PipelineState::Queued,
        PipelineState::Compiling => record::PipelineState::Compiling,
        PipelineState::Ready => record::PipelineState::Ready,
        PipelineState::Failed(_) => record::PipelineState::Failed,
        PipelineState::Lost => record::PipelineState::Lost,
    }
}

/// Why a compile failed, for the state that it brings about.
pub fn built(shared: &Shared, index: PipelineIndex, built: &Built) -> String {
    match built {
        Ok(_) => String::new(),
        Err(error) => shader(shared, index, error),
    }
}

/// Appends a remark.
pub fn add_note(detail: &mut String, note: &str) {
    if !detail.is_empty() {
        detail.push_str("; ");
    }
    detail.push_str(note);
}

/// What is wrong with a pipeline, with the shader's messages at their lines in the workload.
pub fn shader(shared: &Shared, index: PipelineIndex, error: &CompileError) -> String {
    let plan = shared.plan.pipelines.get(index.index());
    let base = match plan.map(|plan| &plan.shader) {
        Some(ShaderPlan::Text { line, .. }) => line.saturating_sub(1),
        _ => 0,
    };
    match error {
        CompileError::Validation { messages } => {
            let lines = messages.iter().map(|message| match message.line {
                0 => format!("validation: {}", message.text),
                line => format!(
                    "validation: line {}:{}: {}",
                    base + line,
                    message.column,
                    message.text
                ),
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        CompileError::Internal(_) => format!("internal: {error}"),
        CompileError::Lost => error.to_string(),
    }
}

/// The first entry point of a shader's text that a pipeline of this kind can begin with.
pub fn first_entry(source: &str, kind: PipelineKind) -> String {
    let attribute = match kind {
        PipelineKind::Compute => "@compute",
        PipelineKind::Render => "@vertex",
    };
    let after = source.split_once(attribute).map_or("", |(_, after)| after);
    let after = after.split_once("fn ").map_or("", |(_, after)| after);
    let name: String = after
        .trim_start()
        .chars()
        .take_while(|it| it.is_alphanumeric() || *it == '_')
        .collect();
    if name.is_empty() {
        "main".to_owned()
    } else {
        name
    }
}

/// Whether a promise was resolved, and with what.
pub fn verdict(shared: &Shared, given: &Given, settlement: &Settlement) -> (Verdict, String) {
    match settlement.outcome {
        Outcome::Resolve(value) => {
            let text = match value {
                Value::Pipeline => "pipeline",
                Value::Undefined => "undefined",
                Value::Null => "null",
                Value::Error(kind) => error(kind),
                Value::Messages => return (Verdict::Resolved, messages(shared, given)),
                Value::NoMessages => "empty",
                Value::Lost(kind) => kind.label(),
                Value::Device | Value::LostDevice => "device",
            };
            (Verdict::Resolved, text.to_owned())
        }
        Outcome::Reject(rejection) => {
            let text = match rejection {
                Rejection::PipelineValidation => "GPUPipelineError: validation",
                Rejection::PipelineInternal => "GPUPipelineError: internal",
                other => other.label(),
            };
            (Verdict::Rejected, text.to_owned())
        }
        other => (Verdict::Resolved, other.to_string()),
    }
}

const fn error(kind: device::webgpu::ErrorKind) -> &'static str {
    use device::webgpu::ErrorKind;
    match kind {
        ErrorKind::Validation => "GPUValidationError",
        ErrorKind::OutOfMemory => "GPUOutOfMemoryError",
        ErrorKind::Internal => "GPUInternalError",
    }
}

/// What compiling a module says, in short.
fn messages(shared: &Shared, given: &Given) -> String {
    let plan = given
        .pipeline
        .and_then(|index| shared.plan.pipelines.get(index.index()));
    let request = plan.map(super::compile::request);
    match request.map(|request| shared.device.validate(&request)) {
        Some(Err(CompileError::Validation { messages })) if messages.len() == 1 => {
            "1 message".to_owned()
        }
        Some(Err(CompileError::Validation { messages })) => format!("{} messages", messages.len()),
        _ => "no messages".to_owned(),
    }
}

/// Why a promise came to what it did.
pub fn reason(shared: &Shared, state: &State, given: &Given, settlement: &Settlement) -> String {
    let mut reason = settlement.row.reason.to_owned();
    let is_message = settlement.outcome == Outcome::Resolve(Value::Messages);
    let detail = match (settlement.outcome, given.pipeline) {
        (Outcome::Reject(_), Some(index)) => detail_of(state, index),
        (_, Some(index)) if is_message => {
            let request = shared
                .plan
                .pipelines
                .get(index.index())
                .map(super::compile::request);
            let refusal = request.and_then(|request| shared.device.validate(&request).err());
            refusal
                .map(|error| shader(shared, index, &error))
                .unwrap_or_default()
        }
        _ => String::new(),
    };
    let raised = settlement.raised;
    let entry = raised.and_then(|raised| raised.pipeline);
    let entry = entry.and_then(|id| state.pipelines.get(id.index()));
    let refusal = raised.and_then(|raised| state.refusals.get(&raised.cause));
    let raised = entry.map(|entry| &entry.detail).or(refusal);
    let detail = raised.map_or(detail, String::clone);
    if !detail.is_empty() {
        reason.push_str("; ");
        reason.push_str(&detail);
    }
    reason
}

fn detail_of(state: &State, index: PipelineIndex) -> String {
    let id = state.latest_pipeline.get(index.index()).copied().flatten();
    let entry = id.and_then(|id| state.pipelines.get(id.index()));
    entry.map(|entry| entry.detail.clone()).unwrap_or_default()
}

/// An error that no scope captured.
pub fn uncaptured(shared: &Shared, state: &State, raised: Raised) -> String {
    let entry = raised
        .pipeline
        .and_then(|id| state.pipelines.get(id.index()));
    let plan = entry.and_then(|entry| shared.plan.pipelines.get(entry.plan.index()));
    let about = match (plan, entry) {
        (Some(plan), Some(entry)) => {
            format!(
                "line {}: pipeline {}: {}",
                plan.line, plan.name, entry.detail
            )
        }
        _ => match state.refusals.get(&raised.cause) {
            Some(refusal) => refusal.clone(),
            None => "a call breaks a rule".to_owned(),
        },
    };
    format!(
        "{} error that no scope captured: {about}; push an error scope before the call to catch it, or mend the call",
        raised.kind.label()
    )
}
