//! Pipelines: CUDA C is compiled by NVRTC; a shader of the library is compiled from its own CUDA C.

use std::time::Instant;

use super::kernels::{LoadedKernels, of_shader};
use super::nvrtc::nvrtc;
use crate::{
    CacheUse, CompileError, CompileRequest, CompiledPipeline, DeviceLimits, ShaderMessage, shader,
};

/// What every kernel of CUDA C has in its text, and no shader in WGSL.
const MARK: &str = "__global__";

/// Looks at a pipeline before it is compiled.
///
/// # Errors
/// As [`shader::check`].
pub fn validate(request: &CompileRequest, limits: &DeviceLimits) -> Result<(), CompileError> {
    if request.shader.contains(MARK) {
        // Only its compiler can tell.
        Ok(())
    } else {
        shader::check(request, limits)
    }
}

/// Compiles a pipeline.
///
/// # Errors
/// What the compiler says, or that the device was lost meanwhile.
pub fn compile(
    kernels: &LoadedKernels,
    request: &CompileRequest,
    limits: &DeviceLimits,
    is_over: &dyn Fn() -> bool,
) -> Result<CompiledPipeline, CompileError> {
    let begun = Instant::now();
    let cache = if request.shader.contains(MARK) {
        let compiler = nvrtc().map_err(|reason| CompileError::Validation {
            messages: vec![ShaderMessage::overall(reason)],
        })?;
        compiler.compile(&request.shader, "pipeline.cu", kernels.architecture())?;
        CacheUse::None
    } else if let Some(source) = of_shader(&request.shader) {
        let loaded = kernels.load(source.name);
        loaded.map_err(|code| CompileError::Internal(code.to_string()))?;
        CacheUse::None
    } else {
        return shader::look_at(request, limits, is_over);
    };
    shader::linger(begun + request.slow, is_over);
    if is_over() {
        return Err(CompileError::Lost);
    }
    Ok(CompiledPipeline {
        cache,
        driver: begun.elapsed(),
    })
}
