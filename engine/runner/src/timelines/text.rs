//! The words of the layer's records: names of steps, what a promise came to, why, and what is different here.

use super::state::{PromiseEntry, TimelinesState};
use crate::shared::RunState;
use backend::CompileError;
use device::webgpu::{
    Api, CallOutcome, PipelineProgress, PromiseRejection, PromiseResult, PromiseValue, RaisedError,
    StepResult,
};
use record::{self, Verdict};
use workload::{PipelineIndex, PipelinePurpose, ShaderPlan};

use super::compile::CompileResult;

/// The name of a step's span.
pub fn step(shared: &RunState, state: &TimelinesState, step: &StepResult) -> String {
    let entry = step.pipeline.and_then(|id| state.pipelines.get(id.index()));
    let given = step.promise.and_then(|promise| state.first_entry(promise));
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

const fn creation(kind: PipelinePurpose, is_async: bool) -> &'static str {
    match (kind, is_async) {
        (PipelinePurpose::Compute, true) => Api::CreateComputePipelineAsync.label(),
        (PipelinePurpose::Compute, false) => Api::CreateComputePipeline.label(),
        (PipelinePurpose::Render, true) => Api::CreateRenderPipelineAsync.label(),
        (PipelinePurpose::Render, false) => Api::CreateRenderPipeline.label(),
    }
}

/// A pipeline's state as the capture has it.
pub const fn stage(state: PipelineProgress) -> record::PipelineState {
    match state {
        PipelineProgress::Requested => record::PipelineState::Requested,
        PipelineProgress::Checked => record::PipelineState::Checked,
        PipelineProgress::Queued => record::PipelineState::Queued,
        PipelineProgress::Compiling => record::PipelineState::Compiling,
        PipelineProgress::Ready => record::PipelineState::Ready,
        PipelineProgress::Failed(_) => record::PipelineState::Failed,
        PipelineProgress::Lost => record::PipelineState::Lost,
    }
}

/// Why a compile failed, for the state that it brings about.
pub fn built(shared: &RunState, index: PipelineIndex, built: &CompileResult) -> String {
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
pub fn shader(shared: &RunState, index: PipelineIndex, error: &CompileError) -> String {
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
pub fn first_entry(source: &str, kind: PipelinePurpose) -> String {
    let attribute = match kind {
        PipelinePurpose::Compute => "@compute",
        PipelinePurpose::Render => "@vertex",
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
pub fn verdict(
    shared: &RunState,
    given: &PromiseEntry,
    settlement: &PromiseResult,
) -> (Verdict, String) {
    match settlement.outcome {
        CallOutcome::Resolve(value) => {
            let text = match value {
                PromiseValue::Pipeline => "pipeline",
                PromiseValue::Undefined => "undefined",
                PromiseValue::Null => "null",
                PromiseValue::Error(kind) => error(kind),
                PromiseValue::Messages => return (Verdict::Resolved, messages(shared, given)),
                PromiseValue::NoMessages => "empty",
                PromiseValue::Lost(kind) => kind.label(),
                PromiseValue::Device | PromiseValue::LostDevice => "device",
            };
            (Verdict::Resolved, text.to_owned())
        }
        CallOutcome::Reject(rejection) => {
            let text = match rejection {
                PromiseRejection::PipelineValidation => "GPUPipelineError: validation",
                PromiseRejection::PipelineInternal => "GPUPipelineError: internal",
                other => other.label(),
            };
            (Verdict::Rejected, text.to_owned())
        }
        other => (Verdict::Resolved, other.to_string()),
    }
}

const fn error(kind: device::webgpu::GpuErrorKind) -> &'static str {
    use device::webgpu::GpuErrorKind;
    match kind {
        GpuErrorKind::Validation => "GPUValidationError",
        GpuErrorKind::OutOfMemory => "GPUOutOfMemoryError",
        GpuErrorKind::Internal => "GPUInternalError",
    }
}

/// What compiling a module says, in short.
fn messages(shared: &RunState, given: &PromiseEntry) -> String {
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
pub fn reason(
    shared: &RunState,
    state: &TimelinesState,
    given: &PromiseEntry,
    settlement: &PromiseResult,
) -> String {
    let mut reason = settlement.row.reason.to_owned();
    let is_message = settlement.outcome == CallOutcome::Resolve(PromiseValue::Messages);
    let detail = match (settlement.outcome, given.pipeline) {
        (CallOutcome::Reject(_), Some(index)) => detail_of(state, index),
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

fn detail_of(state: &TimelinesState, index: PipelineIndex) -> String {
    let id = state.latest_pipeline.get(index.index()).copied().flatten();
    let entry = id.and_then(|id| state.pipelines.get(id.index()));
    entry.map(|entry| entry.detail.clone()).unwrap_or_default()
}

/// An error that no scope captured.
pub fn uncaptured(shared: &RunState, state: &TimelinesState, raised: RaisedError) -> String {
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
