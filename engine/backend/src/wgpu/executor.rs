//! Runs the operations of all streams on one queue, one submission each.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use ::wgpu::{Adapter, Instance};

use super::binding::BindingKey;
use super::device_state::{KernelRuntime, WgpuDeviceState};
use super::panic_guard::guarded;
use super::stream_slot::{ReadbackCopy, SubmissionResult, WgpuStream};
use super::{adapter, device_drop, native, spin};
use crate::dispatch::KernelDispatch;
use crate::floats::Floats;
use crate::threads::{
    ExecutionError, Executor, ExecutorBuffers, ExecutorCompiler, ExecutorQueue, ExecutorRecovery,
    ExecutorTimes, LossOutcome, StreamTurn, TimeOrigin,
};
use crate::{
    BackendError, BackendState, BufferSide, Caps, CompileError, CompileRequest, CompiledPipeline,
    DeviceLayout, NativeQuery, Operation, PendingAnswer, PreparedLaunch, ProbedDevice,
    available_memory, operation_check, shader,
};
use device::lock;
use record::time::{Interval, Nanos};
use record::{BufferIndex, Clock, LossKind};
use workload::{KernelArguments, LaunchShape};

/// An adapter, and the device that is open on it.
pub struct WgpuExecutor {
    found: ProbedDevice,
    hosts: Vec<Floats>,
    body: RwLock<Arc<WgpuDeviceState>>,
    streams: usize,
    adapter: Adapter,
    /// Of this run alone, so that nothing that happens here reaches what draws the window.
    _instance: Instance,
}

impl WgpuExecutor {
    /// Opens the adapter that `layout` names.
    ///
    /// # Errors
    /// There is none, it refuses, or buffers do not fit.
    pub fn open(layout: &DeviceLayout) -> Result<Self, BackendError> {
        let (instance, adapter, found) = adapter::open(&layout.adapter)?;
        let most = found.caps.limits.buffer_bytes;
        let sizes = layout.buffers.iter().map(|len| *len as u64 * 4);
        if let Some(size) = sizes.clone().find(|size| *size > most) {
            return Err(BackendError::BufferLimit { size, most });
        }
        available_memory::check(&layout.buffers)?;
        let zeros = |len: &usize| {
            let zeros = Floats::zeros(*len);
            zeros.ok_or_else(|| available_memory::too_much(&layout.buffers))
        };
        let hosts: Vec<Floats> = layout.buffers.iter().map(zeros).collect::<Result<_, _>>()?;
        let streams = layout.streams.len();
        let body = open_body(|| WgpuDeviceState::open(&adapter, &hosts, streams, None))?;
        Ok(Self {
            found,
            hosts,
            body: RwLock::new(Arc::new(body)),
            streams,
            adapter,
            _instance: instance,
        })
    }

    fn body(&self) -> Arc<WgpuDeviceState> {
        Arc::clone(&self.body.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Another device on the same adapter, with the numbers of the host.
    fn open_again(&self) -> Result<Arc<WgpuDeviceState>, BackendError> {
        open_body(|| {
            let before = self.body();
            let body =
                WgpuDeviceState::open(&self.adapter, &self.hosts, self.streams, Some(&before))?;
            let refused =
                |_| BackendError::Refused("it was lost again while it was opened".to_owned());
            let restored = body.gpu.guard(|| body.restore(&self.hosts));
            restored.map_err(refused)?;
            Ok(Arc::new(body))
        })
    }

    fn len(&self, buffer: BufferIndex) -> Option<usize> {
        self.hosts.get(buffer.index()).map(Floats::len)
    }

    fn dispatch(
        &self,
        launch: &KernelArguments,
        elements: Option<usize>,
        most_groups: u32,
    ) -> Result<KernelDispatch, String> {
        let lens = |buffers: &[BufferIndex]| -> Vec<usize> {
            let lens = buffers.iter().map(|index| self.len(*index));
            lens.map(|len| len.unwrap_or_default().min(elements.unwrap_or(usize::MAX)))
                .collect()
        };
        let shape = LaunchShape {
            reads: &lens(&launch.reads),
            writes: &lens(&launch.writes),
            parameters: &launch.parameters,
        };
        KernelDispatch::of(launch.kernel.name, &shape, most_groups)
    }

    /// What a launch of so many elements is dispatched with, where this driver takes it.
    fn fitting(
        &self,
        launch: &KernelArguments,
        elements: Option<usize>,
    ) -> Result<KernelDispatch, BackendError> {
        let wrong = |reason: String| BackendError::Launch {
            kernel: launch.kernel.name.to_owned(),
            reason,
        };
        let dispatch = self
            .dispatch(launch, elements, self.body().most_groups)
            .map_err(wrong)?;
        let most = adapter::most_turns(&self.found);
        if dispatch.turns > most {
            return Err(wrong(format!(
                "its loops turn {} times, and this software driver ends them after {most} without a word: make its \
                 buffers smaller",
                dispatch.turns
            )));
        }
        Ok(dispatch)
    }

    fn perform(
        &self,
        body: &WgpuDeviceState,
        lane: &mut WgpuStream,
        turn: &StreamTurn<'_>,
        operation: &Operation,
    ) -> Result<SubmissionResult, ExecutionError> {
        let missing =
            |index: BufferIndex| ExecutionError::Failed(format!("there is no buffer {}", index.0));
        let buffer = |index: BufferIndex| {
            let found = body.buffers.get(index.index());
            found.ok_or_else(|| missing(index))
        };
        let host = |index: BufferIndex| {
            let found = self.hosts.get(index.index());
            found.ok_or_else(|| missing(index))
        };
        let gpu = &body.gpu;
        match operation {
            Operation::Upload(index) => {
                let (to, host) = (buffer(*index)?, host(*index)?);
                let from = lane.stage(gpu, host)?;
                lane.submit(gpu, turn.is_lost, None, |encoder| {
                    encoder.copy_buffer_to_buffer(&from, 0, to, 0, to.size());
                })
            }
            Operation::Download(index) => {
                let download = ReadbackCopy {
                    from: buffer(*index)?,
                    to: host(*index)?,
                };
                lane.submit(gpu, turn.is_lost, Some(&download), |_| ())
            }
            Operation::Copy { from, to } => {
                let (from, to) = (buffer(*from)?, buffer(*to)?);
                let size = from.size().min(to.size());
                lane.submit(gpu, turn.is_lost, None, |encoder| {
                    if from != to {
                        encoder.copy_buffer_to_buffer(from, 0, to, 0, size);
                    }
                })
            }
            Operation::Fill { buffer: to, value } => {
                let len = host(*to)?.len();
                let shape = LaunchShape {
                    reads: &[],
                    writes: &[len],
                    parameters: &[f64::from(*value)],
                };
                let dispatch = KernelDispatch::of("fill", &shape, body.most_groups);
                let dispatch = dispatch.map_err(ExecutionError::Failed)?;
                launch(body, lane, turn, "fill", (&[], &[*to]), &dispatch)
            }
            Operation::Launch(found) if found.kernel.name == "spin" => {
                self::spin(body, lane, turn, length_of(found))
            }
            Operation::Packed(packed) if packed.launch.kernel.name == "spin" => {
                self::spin(body, lane, turn, length_of(&packed.launch))
            }
            Operation::Launch(found) => self.launch(body, lane, turn, found),
            Operation::Packed(packed) => packed_launch(body, lane, turn, packed),
            _ => Err(ExecutionError::Failed(
                "no operation of a device".to_owned(),
            )),
        }
    }

    fn launch(
        &self,
        body: &WgpuDeviceState,
        lane: &mut WgpuStream,
        turn: &StreamTurn<'_>,
        found: &KernelArguments,
    ) -> Result<SubmissionResult, ExecutionError> {
        let dispatch = self.dispatch(found, None, body.most_groups);
        let dispatch = dispatch.map_err(ExecutionError::Failed)?;
        let buffers = (&*found.reads, &*found.writes);
        let done = launch(body, lane, turn, found.kernel.name, buffers, &dispatch)?;
        trapped(found, done)
    }
}

/// How often a device is opened that is lost by itself each time.
const REOPENINGS: u32 = 3;

/// Opens a device; what wgpu panics of meanwhile is why there is none.
fn open_body<T>(open: impl FnOnce() -> Result<T, BackendError>) -> Result<T, BackendError> {
    guarded(open).unwrap_or_else(|text| Err(BackendError::Refused(text)))
}

/// How long a kernel spins.
fn length_of(spin: &KernelArguments) -> Duration {
    let micros = spin.parameters.first().copied().unwrap_or_default();
    Duration::from_nanos((micros.max(0.0) * 1e3) as u64)
}

/// Runs a launch that was packed: its numbers and its bind group are there since its first time on this stream.
fn packed_launch(
    body: &WgpuDeviceState,
    lane: &mut WgpuStream,
    turn: &StreamTurn<'_>,
    packed: &PreparedLaunch,
) -> Result<SubmissionResult, ExecutionError> {
    let Some(dispatch) = packed.kept::<KernelDispatch>() else {
        return lane.submit(&body.gpu, turn.is_lost, None, |_| ());
    };
    let word = lane.word.clone();
    let device = &body.gpu.device;
    let key = || BindingKey {
        kernel: packed.launch.kernel.name,
        given: dispatch.given,
        reads: packed.launch.reads.clone(),
        writes: packed.launch.writes.clone(),
    };
    let bound = lane.bindings.packed(
        packed.number,
        key,
        device,
        &body.pipelines,
        &body.buffers,
        &word,
    );
    let bound = bound.map_err(ExecutionError::Failed)?;
    let done = lane.submit(&body.gpu, turn.is_lost, None, |encoder| {
        bound.encode(encoder, dispatch);
    })?;
    trapped(&packed.launch, done)
}

/// The failure of a kernel that says that it failed.
fn trapped(
    found: &KernelArguments,
    done: SubmissionResult,
) -> Result<SubmissionResult, ExecutionError> {
    if found.kernel.name == "trap" && done.word != 0 {
        return Err(ExecutionError::Failed(
                "trap was launched, which does nothing but fail: WebGPU lets no shader fault, so this one raised a \
                 word that says it failed"
                    .to_owned(),
            ));
    }
    Ok(done)
}

fn launch(
    body: &WgpuDeviceState,
    lane: &mut WgpuStream,
    turn: &StreamTurn<'_>,
    kernel: &'static str,
    (reads, writes): (&[BufferIndex], &[BufferIndex]),
    dispatch: &KernelDispatch,
) -> Result<SubmissionResult, ExecutionError> {
    let key = BindingKey {
        kernel,
        given: dispatch.given,
        reads: reads.to_vec(),
        writes: writes.to_vec(),
    };
    let word = lane.word.clone();
    let device = &body.gpu.device;
    let bound = lane
        .bindings
        .get(key, device, &body.pipelines, &body.buffers, &word);
    let bound = bound.map_err(ExecutionError::Failed)?;
    lane.submit(&body.gpu, turn.is_lost, None, |encoder| {
        bound.encode(encoder, dispatch);
    })
}

/// Spins for `length`, in pieces that a driver does not take for a hang and that a stop can come between.
fn spin(
    body: &WgpuDeviceState,
    lane: &mut WgpuStream,
    turn: &StreamTurn<'_>,
    length: Duration,
) -> Result<SubmissionResult, ExecutionError> {
    let parts = KernelRuntime {
        gpu: &body.gpu,
        pipelines: &body.pipelines,
    };
    let mut left = length;
    let mut whole: Option<SubmissionResult> = None;
    loop {
        let (steps, part) = spin::piece(left, body.steps_per_nano);
        let done = spin::run(lane, &parts, turn.is_lost, steps)?;
        left -= part;
        let done = match whole.take() {
            None => done,
            Some(first) => SubmissionResult {
                before: first.before,
                ticks: first
                    .ticks
                    .zip(done.ticks)
                    .map(|(first, last)| [first[0], last[1]]),
                ..done
            },
        };
        if left.is_zero() {
            return Ok(done);
        }
        if (turn.is_void)() {
            return Err(ExecutionError::Stopped);
        }
        whole = Some(done);
    }
}

impl Executor for WgpuExecutor {
    fn name(&self) -> &str {
        &self.found.name
    }

    fn caps(&self) -> &Caps {
        &self.found.caps
    }

    fn raw(&self, question: &NativeQuery) -> Option<PendingAnswer> {
        Some(native::ask(&self.body(), question))
    }
}

impl ExecutorQueue for WgpuExecutor {
    fn check(&self, operation: &Operation) -> Result<(), BackendError> {
        operation_check::operation(operation, &|buffer| self.len(buffer))?;
        match operation {
            Operation::Launch(launch) => self.fitting(launch, None).map(drop),
            _ => Ok(()),
        }
    }

    fn pack(
        &self,
        launch: &KernelArguments,
        elements: Option<usize>,
    ) -> Result<BackendState, BackendError> {
        operation_check::arguments(launch, elements, &|buffer| self.len(buffer))?;
        if elements == Some(0) {
            return Ok(Box::new(()));
        }
        self.fitting(launch, elements)
            .map(|dispatch| -> BackendState { Box::new(dispatch) })
    }

    fn run(
        &self,
        turn: &StreamTurn<'_>,
        operation: &Operation,
    ) -> Result<Option<Interval>, ExecutionError> {
        if let Operation::HostFunction(length) = operation {
            return crate::spin::spin(*length, turn.is_void).map(|()| None);
        }
        let body = self.body();
        let lane = body.lanes.get(turn.stream);
        let lane =
            lane.ok_or_else(|| ExecutionError::Failed("there is no such stream".to_owned()))?;
        let _turn = body.ticks.is_none().then(|| lock(&body.turn));
        let done = body
            .gpu
            .guard(|| self.perform(&body, &mut lock(lane), turn, operation))?;
        Ok(Some(body.interval(turn.zero, &done)))
    }
}

impl ExecutorBuffers for WgpuExecutor {
    fn read(&self, buffer: BufferIndex, side: BufferSide) -> Vec<f32> {
        let Some(host) = self.hosts.get(buffer.index()) else {
            return Vec::new();
        };
        if side == BufferSide::Host {
            return host.to_vec();
        }
        let body = self.body();
        let (Some(from), Some(to)) = (body.buffers.get(buffer.index()), Floats::zeros(host.len()))
        else {
            return Vec::new();
        };
        let download = ReadbackCopy { from, to: &to };
        let done = body.gpu.guard(|| {
            let mut lane = WgpuStream::new(&body.gpu.device);
            lane.submit(&body.gpu, &|| false, Some(&download), |_| ())
        });
        done.map(|_| to.to_vec()).unwrap_or_default()
    }

    fn write(&self, buffer: BufferIndex, first: usize, values: &[f32]) {
        if let Some(host) = self.hosts.get(buffer.index()) {
            host.store(first, values);
        }
    }
}

impl ExecutorCompiler for WgpuExecutor {
    fn validate(&self, request: &CompileRequest) -> Result<(), CompileError> {
        shader::check(request, &self.found.caps.limits)
    }

    fn compile(
        &self,
        request: &CompileRequest,
        is_over: &dyn Fn() -> bool,
    ) -> Result<CompiledPipeline, CompileError> {
        shader::check(request, &self.found.caps.limits)?;
        let body = self.body();
        let is_over = || is_over() || body.gpu.is_closed() || body.gpu.lost().is_some();
        let compiled = guarded(|| body.pipelines.compile(&body.gpu.device, request, &is_over));
        compiled.unwrap_or_else(|text| Err(CompileError::Internal(text)))
    }
}

impl ExecutorRecovery for WgpuExecutor {
    fn lose(&self, kind: LossKind) -> LossOutcome {
        self.body().gpu.lose(kind)
    }

    fn reopen(&self) -> Result<(), BackendError> {
        let mut opened = self.open_again();
        for _ in 1..REOPENINGS {
            if opened.is_ok() {
                break;
            }
            opened = self.open_again();
        }
        let body = opened?;
        let old = {
            let mut current = self.body.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *current, body)
        };
        old.gpu.close();
        device_drop::bury(old);
        Ok(())
    }

    fn lost(&self) -> Option<String> {
        let body = self.body();
        body.gpu.poll(None);
        body.gpu.lost()
    }
}

impl ExecutorTimes for WgpuExecutor {
    fn clock(&self, TimeOrigin(zero): TimeOrigin) -> Clock {
        let body = self.body();
        let Some(ticks) = &body.ticks else {
            return Clock {
                name: self.found.caps.clock.to_string(),
                ..Clock::default()
            };
        };
        let name = if ticks.is_monotonic {
            "CLOCK_MONOTONIC".to_owned()
        } else {
            format!("timestamps of {}", self.found.name)
        };
        Clock {
            name,
            offset: Nanos(ticks.nanos_at(zero)),
            uncertainty: Nanos::from_duration(ticks.uncertainty),
            ..Clock::default()
        }
    }
}

impl Drop for WgpuExecutor {
    fn drop(&mut self) {
        let body = self.body();
        body.gpu.close();
        if let Ok(mut current) = self.body.write() {
            // What the executor holds must not be the last: dropping that would wait here.
            let held = std::mem::replace(&mut *current, Arc::clone(&body));
            drop(held);
        }
        device_drop::bury(body);
    }
}
