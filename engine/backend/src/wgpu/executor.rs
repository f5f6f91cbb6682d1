//! Runs the operations of all streams on one queue, one submission each.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use ::wgpu::{Adapter, Instance};

use super::binding::Key;
use super::body::{Body, Parts};
use super::lane::{Done, Download, Lane};
use super::panic_guard::guarded;
use super::{adapter, grave, raw, spin};
use crate::dispatch::Dispatch;
use crate::floats::Floats;
use crate::threads::{
    Downfall, Executor, ExecutorBuffers, ExecutorCompiler, ExecutorQueue, ExecutorRecovery,
    ExecutorTimes, Fault, Turn, Zero,
};
use crate::{
    Answer, Caps, CompileError, CompileRequest, Compiled, Error, Found, Kept, Layout, Operation,
    Packed, Question, Side, available, check, shader,
};
use device::lock;
use record::time::{Interval, Nanos};
use record::{BufferIndex, Clock, LossKind};
use workload::{KernelArguments, Shape};

/// An adapter, and the device that is open on it.
pub struct WgpuExecutor {
    found: Found,
    hosts: Vec<Floats>,
    body: RwLock<Arc<Body>>,
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
    pub fn open(layout: &Layout) -> Result<Self, Error> {
        let (instance, adapter, found) = adapter::open(&layout.adapter)?;
        let most = found.caps.limits.buffer_bytes;
        let sizes = layout.buffers.iter().map(|len| *len as u64 * 4);
        if let Some(size) = sizes.clone().find(|size| *size > most) {
            return Err(Error::BufferLimit { size, most });
        }
        available::check(&layout.buffers)?;
        let zeros = |len: &usize| {
            let zeros = Floats::zeros(*len);
            zeros.ok_or_else(|| available::too_much(&layout.buffers))
        };
        let hosts: Vec<Floats> = layout.buffers.iter().map(zeros).collect::<Result<_, _>>()?;
        let streams = layout.streams.len();
        let body = open_body(|| Body::open(&adapter, &hosts, streams, None))?;
        Ok(Self {
            found,
            hosts,
            body: RwLock::new(Arc::new(body)),
            streams,
            adapter,
            _instance: instance,
        })
    }

    fn body(&self) -> Arc<Body> {
        Arc::clone(&self.body.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Another device on the same adapter, with the numbers of the host.
    fn open_again(&self) -> Result<Arc<Body>, Error> {
        open_body(|| {
            let before = self.body();
            let body = Body::open(&self.adapter, &self.hosts, self.streams, Some(&before))?;
            let refused = |_| Error::Refused("it was lost again while it was opened".to_owned());
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
    ) -> Result<Dispatch, String> {
        let lens = |buffers: &[BufferIndex]| -> Vec<usize> {
            let lens = buffers.iter().map(|index| self.len(*index));
            lens.map(|len| len.unwrap_or_default().min(elements.unwrap_or(usize::MAX)))
                .collect()
        };
        let shape = Shape {
            reads: &lens(&launch.reads),
            writes: &lens(&launch.writes),
            parameters: &launch.parameters,
        };
        Dispatch::of(launch.kernel.name, &shape, most_groups)
    }

    /// What a launch of so many elements is dispatched with, where this driver takes it.
    fn fitting(
        &self,
        launch: &KernelArguments,
        elements: Option<usize>,
    ) -> Result<Dispatch, Error> {
        let wrong = |reason: String| Error::Launch {
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
        body: &Body,
        lane: &mut Lane,
        turn: &Turn<'_>,
        operation: &Operation,
    ) -> Result<Done, Fault> {
        let missing = |index: BufferIndex| Fault::Failed(format!("there is no buffer {}", index.0));
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
                let download = Download {
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
                let shape = Shape {
                    reads: &[],
                    writes: &[len],
                    parameters: &[f64::from(*value)],
                };
                let dispatch = Dispatch::of("fill", &shape, body.most_groups);
                let dispatch = dispatch.map_err(Fault::Failed)?;
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
            _ => Err(Fault::Failed("no operation of a device".to_owned())),
        }
    }

    fn launch(
        &self,
        body: &Body,
        lane: &mut Lane,
        turn: &Turn<'_>,
        found: &KernelArguments,
    ) -> Result<Done, Fault> {
        let dispatch = self.dispatch(found, None, body.most_groups);
        let dispatch = dispatch.map_err(Fault::Failed)?;
        let buffers = (&*found.reads, &*found.writes);
        let done = launch(body, lane, turn, found.kernel.name, buffers, &dispatch)?;
        trapped(found, done)
    }
}

/// How often a device is opened that is lost by itself each time.
const REOPENINGS: u32 = 3;

/// Opens a device; what wgpu panics of meanwhile is why there is none.
fn open_body<T>(open: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    guarded(open).unwrap_or_else(|text| Err(Error::Refused(text)))
}

/// How long a kernel spins.
fn length_of(spin: &KernelArguments) -> Duration {
    let micros = spin.parameters.first().copied().unwrap_or_default();
    Duration::from_nanos((micros.max(0.0) * 1e3) as u64)
}

/// Runs a launch that was packed: its numbers and its bind group are there since its first time on this stream.
fn packed_launch(
    body: &Body,
    lane: &mut Lane,
    turn: &Turn<'_>,
    packed: &Packed,
) -> Result<Done, Fault> {
    let Some(dispatch) = packed.kept::<Dispatch>() else {
        return lane.submit(&body.gpu, turn.is_lost, None, |_| ());
    };
    let word = lane.word.clone();
    let device = &body.gpu.device;
    let key = || Key {
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
    let bound = bound.map_err(Fault::Failed)?;
    let done = lane.submit(&body.gpu, turn.is_lost, None, |encoder| {
        bound.encode(encoder, dispatch);
    })?;
    trapped(&packed.launch, done)
}

/// The failure of a kernel that says that it failed.
fn trapped(found: &KernelArguments, done: Done) -> Result<Done, Fault> {
    if found.kernel.name == "trap" && done.word != 0 {
        return Err(Fault::Failed(
                "trap was launched, which does nothing but fail: WebGPU lets no shader fault, so this one raised a \
                 word that says it failed"
                    .to_owned(),
            ));
    }
    Ok(done)
}

fn launch(
    body: &Body,
    lane: &mut Lane,
    turn: &Turn<'_>,
    kernel: &'static str,
    (reads, writes): (&[BufferIndex], &[BufferIndex]),
    dispatch: &Dispatch,
) -> Result<Done, Fault> {
    let key = Key {
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
    let bound = bound.map_err(Fault::Failed)?;
    lane.submit(&body.gpu, turn.is_lost, None, |encoder| {
        bound.encode(encoder, dispatch);
    })
}

/// Spins for `length`, in pieces that a driver does not take for a hang and that a stop can come between.
fn spin(body: &Body, lane: &mut Lane, turn: &Turn<'_>, length: Duration) -> Result<Done, Fault> {
    let parts = Parts {
        gpu: &body.gpu,
        pipelines: &body.pipelines,
    };
    let mut left = length;
    let mut whole: Option<Done> = None;
    loop {
        let (steps, part) = spin::piece(left, body.steps_per_nano);
        let done = spin::run(lane, &parts, turn.is_lost, steps)?;
        left -= part;
        let done = match whole.take() {
            None => done,
            Some(first) => Done {
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
            return Err(Fault::Stopped);
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

    fn raw(&self, question: &Question) -> Option<Answer> {
        Some(raw::ask(&self.body(), question))
    }
}

impl ExecutorQueue for WgpuExecutor {
    fn check(&self, operation: &Operation) -> Result<(), Error> {
        check::operation(operation, &|buffer| self.len(buffer))?;
        match operation {
            Operation::Launch(launch) => self.fitting(launch, None).map(drop),
            _ => Ok(()),
        }
    }

    fn pack(&self, launch: &KernelArguments, elements: Option<usize>) -> Result<Kept, Error> {
        check::packed(launch, elements, &|buffer| self.len(buffer))?;
        if elements == Some(0) {
            return Ok(Box::new(()));
        }
        self.fitting(launch, elements)
            .map(|dispatch| -> Kept { Box::new(dispatch) })
    }

    fn run(&self, turn: &Turn<'_>, operation: &Operation) -> Result<Option<Interval>, Fault> {
        if let Operation::HostFunction(length) = operation {
            return crate::spin::spin(*length, turn.is_void).map(|()| None);
        }
        let body = self.body();
        let lane = body.lanes.get(turn.stream);
        let lane = lane.ok_or_else(|| Fault::Failed("there is no such stream".to_owned()))?;
        let _turn = body.ticks.is_none().then(|| lock(&body.turn));
        let done = body
            .gpu
            .guard(|| self.perform(&body, &mut lock(lane), turn, operation))?;
        Ok(Some(body.interval(turn.zero, &done)))
    }
}

impl ExecutorBuffers for WgpuExecutor {
    fn read(&self, buffer: BufferIndex, side: Side) -> Vec<f32> {
        let Some(host) = self.hosts.get(buffer.index()) else {
            return Vec::new();
        };
        if side == Side::Host {
            return host.to_vec();
        }
        let body = self.body();
        let (Some(from), Some(to)) = (body.buffers.get(buffer.index()), Floats::zeros(host.len()))
        else {
            return Vec::new();
        };
        let download = Download { from, to: &to };
        let done = body.gpu.guard(|| {
            let mut lane = Lane::new(&body.gpu.device);
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
    ) -> Result<Compiled, CompileError> {
        shader::check(request, &self.found.caps.limits)?;
        let body = self.body();
        let is_over = || is_over() || body.gpu.is_closed() || body.gpu.lost().is_some();
        let compiled = guarded(|| body.pipelines.compile(&body.gpu.device, request, &is_over));
        compiled.unwrap_or_else(|text| Err(CompileError::Internal(text)))
    }
}

impl ExecutorRecovery for WgpuExecutor {
    fn lose(&self, kind: LossKind) -> Downfall {
        self.body().gpu.lose(kind)
    }

    fn reopen(&self) -> Result<(), Error> {
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
        grave::bury(old);
        Ok(())
    }

    fn lost(&self) -> Option<String> {
        let body = self.body();
        body.gpu.poll(None);
        body.gpu.lost()
    }
}

impl ExecutorTimes for WgpuExecutor {
    fn clock(&self, Zero(zero): Zero) -> Clock {
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
        grave::bury(body);
    }
}
