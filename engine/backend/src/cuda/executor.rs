//! Gives the operations of each stream to a stream of the driver, which runs them in order and lets others wait.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use super::cupti::CuptiSubscription;
use super::device_state::{CudaDeviceState, CudaOpenRequest};
use super::devices::{ChosenDevice, choose};
use super::event::CudaEvent;
use super::host::HostPages;
use super::in_flight::{CudaInFlight, mark};
use super::submit::{dispatch, length, submit, takes};
use super::{compile, faults, graph, memory};
use crate::spin::spin;
use crate::threads::{
    ExecutionError, Executor, ExecutorBuffers, ExecutorCompiler, ExecutorQueue, ExecutorRecovery,
    ExecutorTimes, InFlight, LossOutcome, NativeEvent, OperationTiming, StreamTurn, TimeOrigin,
};
use crate::{
    BackendError, BackendState, BufferSide, Caps, CompileError, CompileRequest, CompiledPipeline,
    DeviceLayout, NativeQuery, Operation, Overhead, PendingAnswer, operation_check,
};
use device::lock;
use record::time::Interval;
use record::{BufferIndex, Clock, EventIndex, LossKind};
use workload::KernelArguments;

/// How often the end of an operation is looked for that is waited for.
const LOOK: Duration = Duration::from_micros(20);
/// How long the time of an operation is waited for that has ended.
const TELLING: Duration = Duration::from_secs(1);

/// A device that is open.
pub struct CudaExecutor {
    chosen: ChosenDevice,
    layout: DeviceLayout,
    hosts: Vec<Arc<HostPages>>,
    body: RwLock<Arc<CudaDeviceState>>,
    /// Nodes of graphs and the like whose time never came, and that were not spoken of.
    untimed: AtomicU64,
}

impl CudaExecutor {
    /// Opens the device that `layout` names.
    ///
    /// # Errors
    /// There is none, it refuses, or buffers do not fit.
    pub fn open(layout: &DeviceLayout) -> Result<Self, BackendError> {
        let chosen = choose(&layout.adapter)?;
        let most = chosen.found.caps.limits.buffer_bytes;
        let sizes = layout.buffers.iter().map(|len| *len as u64 * 4);
        if let Some(size) = sizes.clone().find(|size| *size > most) {
            return Err(BackendError::BufferLimit { size, most });
        }
        let hosts = memory::hosts(&layout.buffers)?;
        let body = CudaDeviceState::open(chosen.driver, &wanted(&chosen, layout, &hosts))?;
        Ok(Self {
            chosen,
            layout: layout.clone(),
            hosts,
            body: RwLock::new(Arc::new(body)),
            untimed: AtomicU64::new(0),
        })
    }

    fn body(&self) -> Arc<CudaDeviceState> {
        Arc::clone(&self.body.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn len(&self, buffer: BufferIndex) -> Option<usize> {
        self.hosts.get(buffer.index()).map(|pages| pages.len())
    }

    fn fitting(
        &self,
        launch: &KernelArguments,
        elements: Option<usize>,
    ) -> Result<crate::dispatch::KernelDispatch, BackendError> {
        dispatch(launch, elements, &|index| self.len(index)).map_err(|reason| {
            BackendError::Launch {
                kernel: launch.kernel.name.to_owned(),
                reason,
            }
        })
    }

    /// What gives `operation` to the driver; nothing where it is the engine's own.
    fn flight(
        &self,
        turn: &StreamTurn<'_>,
        operation: &Operation,
        cause: Option<&NativeEvent>,
    ) -> Result<Option<CudaInFlight>, ExecutionError> {
        let body = self.body();
        let lane = body.lanes.get(turn.stream);
        let lane =
            lane.ok_or_else(|| ExecutionError::Failed("there is no such stream".to_owned()))?;
        if lane.is_void.load(SeqCst) && !(turn.is_void)() {
            lane.interrupt(false);
        }
        let flight = match operation {
            Operation::Record(event) => {
                let own = self
                    .own_event(&body, *event)
                    .map_err(ExecutionError::from)?;
                CudaInFlight::record(&body, turn.stream, own)
            }
            Operation::Wait(_) => {
                let event = cause.and_then(mark);
                CudaInFlight::wait(&body, turn.stream, event.map(|mark| &**mark))
            }
            Operation::Replay(replay) if graph::can_hold(&replay.graph) => {
                let taken = body.graphs.take(&body, lane, &replay.graph);
                taken.and_then(|instance| CudaInFlight::replay(&body, turn.stream, instance))
            }
            operation if takes(operation) => CudaInFlight::of(&body, turn.stream, |stream| {
                submit(&body, lane, stream, operation, None)
            }),
            _ => return Ok(None),
        };
        let flight = flight.map_err(ExecutionError::from)?;
        Ok(Some(flight.lasting(length(operation))))
    }

    /// An event with options of its own, where it has any.
    fn own_event(
        &self,
        body: &CudaDeviceState,
        event: EventIndex,
    ) -> Result<Option<CudaEvent>, super::code::DriverErrorCode> {
        let layout = self.layout.events.get(event.index()).copied();
        let special = layout.filter(|layout| !layout.timing || layout.blocking);
        special
            .map(|layout| CudaEvent::new(&body.context, layout))
            .transpose()
    }
}

fn wanted<'a>(
    chosen: &'a ChosenDevice,
    layout: &'a DeviceLayout,
    hosts: &'a [Arc<HostPages>],
) -> CudaOpenRequest<'a> {
    CudaOpenRequest {
        ordinal: chosen.ordinal,
        architecture: &chosen.architecture,
        layout,
        hosts,
    }
}

/// When it ran, once that is told, or nothing where it is not told in time.
fn until_told(ran: OperationTiming, turn: &StreamTurn<'_>) -> Option<Interval> {
    let Some(mut later) = ran.later else {
        return Some(ran.interval);
    };
    let begun = Instant::now();
    loop {
        if let Some(told) = later.look(turn.zero) {
            return Some(told);
        }
        if begun.elapsed() > TELLING || (turn.is_lost)() {
            return None;
        }
        std::thread::sleep(LOOK);
    }
}

impl Executor for CudaExecutor {
    fn name(&self) -> &str {
        &self.chosen.found.name
    }

    fn caps(&self) -> &Caps {
        &self.chosen.found.caps
    }

    fn raw(&self, _: &NativeQuery) -> Option<PendingAnswer> {
        None
    }
}

impl ExecutorQueue for CudaExecutor {
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
        if let Operation::HostFunction(length) = operation
            && turn.stream >= self.layout.streams.len()
        {
            // A callback thread's: the driver has no part in it.
            return spin(*length, turn.is_void).map(|()| None);
        }
        let asked = turn.zero.at(Instant::now());
        let Some(mut flight) = self.flight(turn, operation, None)? else {
            return Err(ExecutionError::Failed(
                "no operation of a device".to_owned(),
            ));
        };
        loop {
            if let Some(ran) = flight.poll(turn)? {
                // Whoever called has seen it begin and end: the two clocks may differ by a little.
                let now = turn.zero.at(Instant::now());
                let told = until_told(ran, turn).unwrap_or_else(|| {
                    self.untimed.fetch_add(1, SeqCst);
                    Interval {
                        start: asked,
                        end: now,
                    }
                });
                let start = told.start.clamp(asked, now);
                let end = told.end.clamp(start, now);
                return Ok(Some(Interval { start, end }));
            }
            std::thread::sleep(LOOK);
        }
    }

    fn runs_ahead(&self) -> bool {
        !self.layout.may_drop
    }

    fn begin(
        &self,
        turn: &StreamTurn<'_>,
        operation: &Operation,
        cause: Option<&NativeEvent>,
    ) -> Result<Option<Box<dyn InFlight>>, ExecutionError> {
        let flight = self.flight(turn, operation, cause)?;
        Ok(flight.map(|flight| -> Box<dyn InFlight> { Box::new(flight) }))
    }
}

impl ExecutorBuffers for CudaExecutor {
    fn read(&self, buffer: BufferIndex, side: BufferSide) -> Vec<f32> {
        let Some(host) = self.hosts.get(buffer.index()) else {
            return Vec::new();
        };
        if side == BufferSide::Host {
            return host.to_vec();
        }
        self.body().read(buffer).unwrap_or_default()
    }

    fn write(&self, buffer: BufferIndex, first: usize, values: &[f32]) {
        if let Some(host) = self.hosts.get(buffer.index()) {
            host.store(first, values);
        }
    }
}

impl ExecutorCompiler for CudaExecutor {
    fn validate(&self, request: &CompileRequest) -> Result<(), CompileError> {
        compile::validate(request, &self.chosen.found.caps.limits)
    }

    fn compile(
        &self,
        request: &CompileRequest,
        is_over: &dyn Fn() -> bool,
    ) -> Result<CompiledPipeline, CompileError> {
        let limits = &self.chosen.found.caps.limits;
        compile::compile(&self.body().kernels, request, limits, is_over)
    }
}

impl ExecutorRecovery for CudaExecutor {
    fn lose(&self, kind: LossKind) -> LossOutcome {
        faults::lose(&self.body(), kind)
    }

    fn reopen(&self) -> Result<(), BackendError> {
        let wanted = wanted(&self.chosen, &self.layout, &self.hosts);
        let body = Arc::new(CudaDeviceState::open(self.chosen.driver, &wanted)?);
        let mut current = self.body.write().unwrap_or_else(PoisonError::into_inner);
        *current = body;
        Ok(())
    }

    fn lost(&self) -> Option<String> {
        let body = self.body();
        let asked = lock(&body.aside).query();
        asked
            .err()
            .filter(super::code::DriverErrorCode::is_fatal)
            .map(|code| code.to_string())
    }
}

impl ExecutorTimes for CudaExecutor {
    fn clock(&self, _: TimeOrigin) -> Clock {
        Clock {
            name: self.chosen.found.caps.clock.to_string(),
            uncertainty: self.body().clock.uncertainty(),
            ..Clock::default()
        }
    }

    fn complaint(&self) -> Option<String> {
        let dropped = self.body().activity.and_then(CuptiSubscription::complaint);
        let untimed = self.untimed.swap(0, SeqCst);
        let untimed = (untimed > 0).then(|| {
            format!("CUPTI told no time of {untimed} nodes of graphs, which are shown as the host saw them")
        });
        match (dropped, untimed) {
            (Some(dropped), Some(untimed)) => Some(format!("{dropped}. {untimed}")),
            (dropped, untimed) => dropped.or(untimed),
        }
    }

    fn overheads(&self, zero: TimeOrigin) -> Vec<Overhead> {
        let activity = self.body().activity;
        activity.map_or_else(Vec::new, |activity| activity.overheads(zero))
    }
}

impl Drop for CudaExecutor {
    fn drop(&mut self) {
        let body = self.body();
        if body.context.is_broken() {
            // What a fault left belongs to the process: the driver answers nothing, or never.
            std::mem::forget(body);
        }
    }
}
