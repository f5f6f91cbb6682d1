//! Pipelines, shader modules and their messages.

use engine::device::webgpu::{PipelineDefect, PipelineShape};
use engine::workload::PipelinePurpose;

use super::{CALL, Statement, keep};
use crate::semantics::webgpu::machine::{HOST, Machine, Stop};
use crate::semantics::webgpu::shader;

pub fn execute(machine: &mut Machine<'_>, it: &Statement<'_>) -> Option<Result<(), Stop>> {
    let text = it.text;
    if text.contains("PipelineAsync(") {
        return Some(create_async(machine, it));
    }
    if text.ends_with("createComputePipeline()") || text.ends_with("createRenderPipeline()") {
        create(machine, text, None);
        return Some(Ok(()));
    }
    if text.starts_with("control: create") && text.contains("Pipeline()") {
        create(machine, text, None);
        return Some(control(machine));
    }
    if text == "invalid createComputePipeline" {
        create(machine, text, Some(PipelineDefect::Validation));
        return Some(Ok(()));
    }
    if text.starts_with("shaderModule") {
        let (_, made) = machine.model.create_shader_module(HOST, CALL, false);
        machine.note(&made.effects);
        return Some(Ok(()));
    }
    if text.starts_with("createShaderModule(") {
        return Some(create_module(machine, it));
    }
    if text == "getCompilationInfo()" {
        let module = machine.modules.get("m").map(|(module, _)| *module);
        let Some(module) = module else {
            return Some(Err(Stop::Unknown(text.to_owned())));
        };
        let made = machine.model.get_compilation_info(HOST, CALL, module);
        keep(machine, it, &made);
        return Some(Ok(()));
    }
    None
}

/// Everything up to here ends, and has raised no error that nobody captured.
pub fn control(machine: &mut Machine<'_>) -> Result<(), Stop> {
    machine.finish();
    if machine.uncaptured.is_empty() {
        Ok(())
    } else {
        Err(Stop::Stuck("the control call raises an error".to_owned()))
    }
}

fn kind(text: &str) -> PipelinePurpose {
    if text.contains("Render") {
        PipelinePurpose::Render
    } else {
        PipelinePurpose::Compute
    }
}

fn create_async(machine: &mut Machine<'_>, it: &Statement<'_>) -> Result<(), Stop> {
    let kind = kind(it.text);
    let shape = |defect| PipelineShape { kind, defect };
    machine.descriptor = match it.inside() {
        "same descriptor" => machine.descriptor,
        "entry=main" => (shape(None), None),
        "entry=does_not_exist" | "invalid descriptor" => {
            (shape(Some(PipelineDefect::Validation)), None)
        }
        "descriptor whose backend compile fails" => (shape(None), Some(PipelineDefect::Internal)),
        "target format needs a feature that is not enabled" => {
            (shape(Some(PipelineDefect::Feature)), None)
        }
        other => return Err(Stop::Unknown(other.to_owned())),
    };
    let (_, made) = machine
        .model
        .create_pipeline_async(HOST, CALL, machine.descriptor.0);
    keep(machine, it, &made);
    Ok(())
}

fn create(machine: &mut Machine<'_>, text: &str, defect: Option<PipelineDefect>) {
    let shape = PipelineShape {
        kind: kind(text),
        defect,
    };
    let (_, made) = machine.model.create_pipeline(HOST, CALL, shape);
    machine.note(&made.effects);
}

fn create_module(machine: &mut Machine<'_>, it: &Statement<'_>) -> Result<(), Stop> {
    let word = it.inside().split('(').next().unwrap_or_default();
    let source = shader::named(word).ok_or_else(|| Stop::Unknown(it.text.to_owned()))?;
    // A real compiler says whether the text breaks a rule.
    let is_wrong = !shader::messages(source.text).is_empty() && source.line > 0;
    let (module, made) = machine.model.create_shader_module(HOST, CALL, is_wrong);
    let name = it.name.unwrap_or("m").to_owned();
    machine.modules.insert(name, (module, word.to_owned()));
    machine.note(&made.effects);
    if it.text.ends_with("completed") {
        machine.finish();
        machine.uncaptured.clear();
    }
    Ok(())
}
