//! Calls to wgpu itself, made straight, and what they come to.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ::wgpu::{
    Buffer, BufferDescriptor, BufferUsages, CommandEncoderDescriptor, CompilationMessageType,
    Device, Error, ShaderModuleDescriptor, ShaderSource,
};
use crossbeam_channel::{Receiver, bounded};

use super::device_state::WgpuDeviceState;
use super::panic_guard::guarded;
use super::ready_future::ready;
use crate::shader;
use crate::{
    CompileRequest, NativeAnswer, NativeErrorFilter, NativeMapMode, NativeQuery, PendingAnswer,
};
use device::lock;
use record::{BufferIndex, LossKind};

/// The length of a staging copy, in bytes: that is enough to be mapped.
const STAGED: u64 = 1024;

/// The staging copies that wgpu itself was asked to map.
pub struct StagingBuffers {
    /// Those that are mapped, or about to be.
    open: Mutex<BTreeMap<BufferIndex, StagingBuffer>>,
    /// Made before any loss: what is made after one is invalid, and would raise errors of its own.
    spares: [Buffer; 2],
}

impl StagingBuffers {
    /// For a device that has just been opened.
    pub fn new(device: &Device) -> Self {
        Self {
            open: Mutex::default(),
            spares: [NativeMapMode::Read, NativeMapMode::Write]
                .map(|mode| copy(device, usage(mode))),
        }
    }
}

const fn usage(mode: NativeMapMode) -> BufferUsages {
    match mode {
        NativeMapMode::Read => BufferUsages::MAP_READ.union(BufferUsages::COPY_DST),
        NativeMapMode::Write => BufferUsages::MAP_WRITE.union(BufferUsages::COPY_SRC),
    }
}

fn copy(device: &Device, usage: BufferUsages) -> Buffer {
    device.create_buffer(&BufferDescriptor {
        label: None,
        size: STAGED,
        usage,
        mapped_at_creation: false,
    })
}

/// A staging copy.
#[derive(Clone)]
struct StagingBuffer {
    buffer: Buffer,
    /// Whether its map was refused: it is of no further use.
    is_refused: Arc<AtomicBool>,
}

/// Makes a call.
pub fn ask(body: &Arc<WgpuDeviceState>, question: &NativeQuery) -> PendingAnswer {
    let asked = guarded(|| match question {
        NativeQuery::Map {
            buffer,
            mode,
            offset,
            size,
        } => map(body, *buffer, *mode, (*offset, *size)),
        NativeQuery::Unmap(buffer) => PendingAnswer::ready(unmap(body, *buffer)),
        NativeQuery::WorkDone => work_done(body),
        NativeQuery::Scope { filter } => PendingAnswer::ready(scope(body, *filter)),
        NativeQuery::Messages(request) => messages(body, request),
        NativeQuery::Create(request) => PendingAnswer::ready(create(body, request)),
        NativeQuery::Lost => lost(body),
    });
    asked.unwrap_or_else(|text| {
        PendingAnswer::ready(NativeAnswer {
            text: format!("wgpu panics: {text}"),
            ..NativeAnswer::default()
        })
    })
}

fn map(
    body: &Arc<WgpuDeviceState>,
    index: BufferIndex,
    mode: NativeMapMode,
    (offset, size): (u64, u64),
) -> PendingAnswer {
    let wanted = match mode {
        NativeMapMode::Read => ::wgpu::MapMode::Read,
        NativeMapMode::Write => ::wgpu::MapMode::Write,
    };
    let end = offset.saturating_add(size).min(STAGED);
    let range = offset.min(end)..end;
    let (tell, told) = bounded(1);
    let (staged, raised) = caught(body, || {
        let known = lock(&body.staging.open).get(&index).cloned();
        let known = known.filter(|staged| !staged.is_refused.load(SeqCst));
        let (staged, is_new) =
            known.map_or_else(|| (stage(body, index, mode), true), |it| (it, false));
        let refused = Arc::clone(&staged.is_refused);
        staged
            .buffer
            .map_async(wanted, range.clone(), move |answer| {
                if is_new && answer.is_err() {
                    refused.store(true, SeqCst);
                }
                let _ = tell.send(answer.is_ok());
            });
        staged
    });
    drop(staged);
    let body = Arc::downgrade(body);
    let mut known = None;
    PendingAnswer::new(move |patience| {
        let body = body.upgrade()?;
        known = known.or_else(|| answered(&body, &told, patience));
        let mut text = match known {
            Some(true) => "map_async: Ok(())",
            Some(false) => "map_async: Err(BufferAsyncError)",
            None => "map_async: still pending",
        }
        .to_owned();
        if known == Some(true) && body.gpu.is_closed() {
            text.push_str(range_text(&body, index));
        }
        add_error(&mut text, raised);
        Some(NativeAnswer {
            is_ok: known == Some(true),
            is_pending: known.is_none(),
            raised,
            text,
            ..NativeAnswer::default()
        })
    })
}

/// A new staging copy, which the queue uses: its map comes behind all that the queue was given.
fn stage(body: &WgpuDeviceState, index: BufferIndex, mode: NativeMapMode) -> StagingBuffer {
    let device = &body.gpu.device;
    let [read, write] = &body.staging.spares;
    let is_over = body.gpu.is_closed() || body.gpu.lost().is_some();
    let buffer = match mode {
        _ if !is_over => copy(device, usage(mode)),
        NativeMapMode::Read => read.clone(),
        NativeMapMode::Write => write.clone(),
    };
    if !is_over {
        let mut encoder = device.create_command_encoder(&CommandEncoderDescriptor::default());
        match (mode, body.buffers.get(index.index())) {
            (NativeMapMode::Read, Some(from)) => {
                encoder.copy_buffer_to_buffer(from, 0, &buffer, 0, from.size().min(STAGED));
            }
            (NativeMapMode::Read, None) => {}
            (NativeMapMode::Write, _) => {
                let to = copy(device, BufferUsages::COPY_DST);
                encoder.copy_buffer_to_buffer(&buffer, 0, &to, 0, STAGED);
            }
        }
        body.gpu.submit(encoder.finish());
    }
    let staged = StagingBuffer {
        buffer,
        is_refused: Arc::default(),
    };
    lock(&body.staging.open).insert(index, staged.clone());
    staged
}

/// Whether the range of a map can be looked at that wgpu says is there, on a device that is lost.
fn range_text(body: &WgpuDeviceState, index: BufferIndex) -> &'static str {
    let staged = lock(&body.staging.open).get(&index).cloned();
    let Some(staged) = staged else { return "" };
    // Nobody polls meanwhile, which would free what is looked at.
    let _gate = body.gpu.alone();
    if staged.buffer.get_mapped_range(..).is_ok() {
        ""
    } else {
        ", and get_mapped_range: Err(MapRangeError)"
    }
}

fn unmap(body: &WgpuDeviceState, index: BufferIndex) -> NativeAnswer {
    let staged = lock(&body.staging.open).remove(&index);
    let ((), raised) = caught(body, || {
        if let Some(staged) = staged {
            staged.buffer.unmap();
        }
    });
    let mut text = "unmap".to_owned();
    add_error(&mut text, raised);
    NativeAnswer {
        is_ok: true,
        raised,
        text,
        ..NativeAnswer::default()
    }
}

fn work_done(body: &Arc<WgpuDeviceState>) -> PendingAnswer {
    let (tell, told) = bounded(1);
    body.gpu.queue.on_submitted_work_done(move || {
        let _ = tell.send(());
    });
    let body = Arc::downgrade(body);
    let mut is_ok = false;
    PendingAnswer::new(move |patience| {
        let body = body.upgrade()?;
        is_ok = is_ok || answered(&body, &told, patience).is_some();
        let how = if is_ok { "called" } else { "not called yet" };
        Some(NativeAnswer {
            is_ok,
            text: format!("on_submitted_work_done: {how}"),
            ..NativeAnswer::default()
        })
    })
}

fn scope(body: &WgpuDeviceState, filter: NativeErrorFilter) -> NativeAnswer {
    let device = &body.gpu.device;
    let scope = device.push_error_scope(match filter {
        NativeErrorFilter::Validation => ::wgpu::ErrorFilter::Validation,
        NativeErrorFilter::OutOfMemory => ::wgpu::ErrorFilter::OutOfMemory,
        NativeErrorFilter::Internal => ::wgpu::ErrorFilter::Internal,
    });
    let caught = ready(scope.pop()).map(|error| kind(&error));
    let value = caught.map_or("null", NativeErrorFilter::label);
    NativeAnswer {
        is_ok: true,
        value: Some(value.to_owned()),
        text: match caught {
            Some(kind) => format!("ErrorScopeGuard::pop: Some({kind:?})"),
            None => "ErrorScopeGuard::pop: None".to_owned(),
        },
        ..NativeAnswer::default()
    }
}

fn messages(body: &WgpuDeviceState, request: &CompileRequest) -> PendingAnswer {
    // wgpu would follow a shader that is too deep until the stack is full, which ends the process: it is not asked.
    let made = shader::bound(&request.shader).and_then(|()| {
        shader::on_large_stack(|| {
            let make = || {
                body.gpu
                    .device
                    .create_shader_module(ShaderModuleDescriptor {
                        label: None,
                        source: ShaderSource::Wgsl((&*request.shader).into()),
                    })
            };
            Ok(caught(body, make).0)
        })
    });
    let Ok(module) = made else {
        return PendingAnswer::new(|_| None);
    };
    let mut module = Some(module);
    let mut found = None;
    PendingAnswer::new(move |_| {
        if let Some(module) = module.take() {
            found = Some(ready(module.get_compilation_info()).messages);
        }
        let wrong = found.iter().flatten();
        let wrong = wrong.filter(|it| it.message_type == CompilationMessageType::Error);
        let value = match wrong.count() {
            0 => "no messages".to_owned(),
            1 => "1 message".to_owned(),
            count => format!("{count} messages"),
        };
        Some(NativeAnswer {
            is_ok: true,
            text: format!("get_compilation_info: {value}"),
            value: Some(value),
            ..NativeAnswer::default()
        })
    })
}

/// On a device that is lost wgpu looks at nothing and compiles nothing.
fn create(body: &WgpuDeviceState, request: &CompileRequest) -> NativeAnswer {
    let request = CompileRequest {
        cache: false,
        ..request.clone()
    };
    let made = body.pipelines.create(&body.gpu.device, &request);
    NativeAnswer {
        is_ok: made.is_ok(),
        text: match made {
            Ok(_) => "the call returned a pipeline and raised no error".to_owned(),
            Err(error) => format!("the call raised an error: {error}"),
        },
        ..NativeAnswer::default()
    }
}

fn lost(body: &Arc<WgpuDeviceState>) -> PendingAnswer {
    let body = Arc::downgrade(body);
    PendingAnswer::new(move |patience| {
        let body = body.upgrade()?;
        let kind = until(&body, patience, |body| body.gpu.reported_loss());
        let (value, text) = match kind {
            Some(LossKind::Destroyed) => ("destroyed", "called with Destroyed"),
            Some(_) => ("unknown", "called with Unknown"),
            None => ("", "not called yet"),
        };
        Some(NativeAnswer {
            is_ok: kind.is_some(),
            value: Some(value.to_owned()),
            text: format!("device lost callback: {text}"),
            ..NativeAnswer::default()
        })
    })
}

/// Does something in a scope of its own. Gives the error that it raised besides.
fn caught<T>(body: &WgpuDeviceState, act: impl FnOnce() -> T) -> (T, Option<NativeErrorFilter>) {
    let device = &body.gpu.device;
    let scope = device.push_error_scope(::wgpu::ErrorFilter::Validation);
    let done = act();
    let raised = ready(scope.pop());
    (done, raised.map(|error| kind(&error)))
}

fn add_error(text: &mut String, raised: Option<NativeErrorFilter>) {
    if let Some(kind) = raised {
        text.push_str(", and raised ");
        text.push_str(kind.label());
    }
}

fn answered<T>(body: &WgpuDeviceState, told: &Receiver<T>, patience: Duration) -> Option<T> {
    until(body, patience, |_| told.try_recv().ok())
}

/// Polls until `look` finds something. After a loss nobody else polls, and nobody looks at mapped memory.
fn until<T>(
    body: &WgpuDeviceState,
    patience: Duration,
    look: impl Fn(&WgpuDeviceState) -> Option<T>,
) -> Option<T> {
    let end = Instant::now() + patience;
    loop {
        if let Some(found) = look(body) {
            return Some(found);
        }
        body.gpu.look();
        let found = look(body);
        if found.is_some() || Instant::now() >= end {
            return found;
        }
        std::thread::sleep(Duration::from_micros(50));
    }
}

const fn kind(error: &Error) -> NativeErrorFilter {
    match error {
        Error::OutOfMemory { .. } => NativeErrorFilter::OutOfMemory,
        Error::Validation { .. } => NativeErrorFilter::Validation,
        Error::Internal { .. } => NativeErrorFilter::Internal,
    }
}
