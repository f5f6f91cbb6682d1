//! The pipelines of one device: compiled on whichever thread asks, kept by shader and entry point.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ::wgpu::{
    ColorTargetState, CompilationMessageType, ComputePipeline, ComputePipelineDescriptor, Device,
    ErrorFilter, FragmentState, MultisampleState, PipelineCompilationOptions, PrimitiveState,
    RenderPipeline, RenderPipelineDescriptor, ShaderModule, ShaderModuleDescriptor, ShaderSource,
    TextureFormat, VertexState,
};

use super::ready_future::ready;
use crate::{
    CacheUse, CompileError, CompileRequest, CompiledPipeline, ENTRY, ShaderMessage, kernel_shader,
    shader,
};
use device::lock;
use record::{PipelineKind, Severity};

/// What fills buffers: no kernel of the library.
const FILL: &str = include_str!("../../../../assets/kernels/fill.wgsl");

/// The pipelines of one device.
#[derive(Default)]
pub struct PipelineCache(Mutex<HashMap<PipelineKey, WgpuPipeline>>);

/// What a pipeline is made of.
type PipelineKey = (Arc<str>, String, PipelineKind);

/// A pipeline, whichever way it is used.
#[derive(Clone)]
pub enum WgpuPipeline {
    /// For kernels.
    Compute(Arc<ComputePipeline>),
    /// For drawing: it is compiled and kept, and nothing is drawn with it.
    Render(#[expect(dead_code, reason = "it lives as long as its device")] Arc<RenderPipeline>),
}

impl PipelineCache {
    /// The pipeline of a kernel of the library, or of `fill`; compiled at its first use.
    ///
    /// # Errors
    /// There is no such kernel, or the device does not take it.
    pub fn kernel(&self, device: &Device, name: &str) -> Result<Arc<ComputePipeline>, String> {
        let text = kernel_shader(name).or_else(|| (name == "fill").then_some(FILL));
        let text = text.ok_or_else(|| format!("there is no shader for {name}"))?;
        let request = CompileRequest {
            shader: text.into(),
            entry: ENTRY.to_owned(),
            kind: PipelineKind::Compute,
            cache: true,
            slow: Duration::ZERO,
        };
        let key = key(&request);
        let known = lock(&self.0).get(&key).cloned();
        let found = match known {
            Some(known) => known,
            None => self
                .create(device, &request)
                .map_err(|error| error.to_string())?,
        };
        match found {
            WgpuPipeline::Compute(pipeline) => Ok(pipeline),
            WgpuPipeline::Render(_) => Err(format!("{name} is no kernel")),
        }
    }

    /// Compiles what is asked for, unless it is kept already.
    ///
    /// # Errors
    /// What is wrong with it, or `is_over` came true.
    pub fn compile(
        &self,
        device: &Device,
        request: &CompileRequest,
        is_over: &dyn Fn() -> bool,
    ) -> Result<CompiledPipeline, CompileError> {
        if request.cache && lock(&self.0).contains_key(&key(request)) {
            return Ok(CompiledPipeline {
                cache: CacheUse::Hit,
                driver: Duration::ZERO,
            });
        }
        let begun = Instant::now();
        let created = self.create(device, request);
        shader::linger(Instant::now() + request.slow, is_over);
        if is_over() {
            return Err(CompileError::Lost);
        }
        created?;
        Ok(CompiledPipeline {
            cache: if request.cache {
                CacheUse::Miss
            } else {
                CacheUse::None
            },
            driver: begun.elapsed(),
        })
    }

    /// Creates a pipeline, on a stack that the compilers below do not fill.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn create(
        &self,
        device: &Device,
        request: &CompileRequest,
    ) -> Result<WgpuPipeline, CompileError> {
        shader::bound(&request.shader)?;
        shader::on_large_stack(|| self.create_here(device, request))
    }

    /// Creates a pipeline. Scopes are of the thread that pushed them, so they are pushed here, on this one.
    fn create_here(
        &self,
        device: &Device,
        request: &CompileRequest,
    ) -> Result<WgpuPipeline, CompileError> {
        let internal = device.push_error_scope(ErrorFilter::Internal);
        let memory = device.push_error_scope(ErrorFilter::OutOfMemory);
        let validation = device.push_error_scope(ErrorFilter::Validation);
        let module = device.create_shader_module(ShaderModuleDescriptor {
            label: None,
            source: ShaderSource::Wgsl((&*request.shader).into()),
        });
        let created = match request.kind {
            PipelineKind::Compute => compute(device, &module, request),
            PipelineKind::Render => render(device, &module, request),
        };
        let invalid = ready(validation.pop());
        let failed = [ready(memory.pop()), ready(internal.pop())];
        if let Some(error) = invalid {
            return Err(CompileError::Validation {
                messages: messages(&module, &error.to_string()),
            });
        }
        if let Some(error) = failed.into_iter().flatten().next() {
            return Err(CompileError::Internal(error.to_string()));
        }
        if request.cache {
            lock(&self.0).insert(key(request), created.clone());
        }
        Ok(created)
    }
}

fn key(request: &CompileRequest) -> PipelineKey {
    (
        Arc::clone(&request.shader),
        request.entry.clone(),
        request.kind,
    )
}

fn entry(request: &CompileRequest) -> Option<&str> {
    (!request.entry.is_empty()).then_some(request.entry.as_str())
}

fn compute(device: &Device, module: &ShaderModule, request: &CompileRequest) -> WgpuPipeline {
    WgpuPipeline::Compute(Arc::new(device.create_compute_pipeline(
        &ComputePipelineDescriptor {
            label: None,
            layout: None,
            module,
            entry_point: entry(request),
            compilation_options: PipelineCompilationOptions::default(),
            cache: None,
        },
    )))
}

fn render(device: &Device, module: &ShaderModule, request: &CompileRequest) -> WgpuPipeline {
    let fragment = shader::fragment_entry(&request.shader);
    let targets = [Some(ColorTargetState::from(TextureFormat::Rgba8Unorm))];
    WgpuPipeline::Render(Arc::new(device.create_render_pipeline(
        &RenderPipelineDescriptor {
            label: None,
            layout: None,
            vertex: VertexState {
                module,
                entry_point: entry(request),
                compilation_options: PipelineCompilationOptions::default(),
                buffers: &[],
            },
            primitive: PrimitiveState::default(),
            depth_stencil: None,
            multisample: MultisampleState::default(),
            fragment: fragment.as_deref().map(|name| FragmentState {
                module,
                entry_point: Some(name),
                compilation_options: PipelineCompilationOptions::default(),
                targets: &targets,
            }),
            multiview_mask: None,
            cache: None,
        },
    )))
}

/// The messages of a shader, or else what is wrong with the pipeline.
fn messages(module: &ShaderModule, error: &str) -> Vec<ShaderMessage> {
    let said = ready(module.get_compilation_info()).messages;
    let wrong = said
        .into_iter()
        .filter(|message| message.message_type == CompilationMessageType::Error);
    let messages: Vec<ShaderMessage> = wrong
        .map(|message| {
            let place = message.location;
            ShaderMessage {
                line: place.map_or(0, |place| place.line_number),
                column: place.map_or(0, |place| place.line_position),
                length: place.map_or(0, |place| place.length),
                text: message.message,
                severity: Severity::Error,
            }
        })
        .collect();
    if messages.is_empty() {
        return vec![ShaderMessage::overall(error.to_owned())];
    }
    messages
}
