//! Runs operations on the processor, each on an engine and for as long as the law says.

use std::cell::Cell;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::engines::{EngineToken, Engines, PacedEngine};
use super::timer::sleep_until;
use super::{PacedTimes, law};
use crate::cpu::CpuExecutor;
use crate::threads::{
    ExecutionError, Executor, ExecutorBuffers, ExecutorCompiler, ExecutorQueue, ExecutorRecovery,
    ExecutorTimes, LossOutcome, StreamTurn, TimeOrigin,
};
use crate::work_flow::WorkFlow;
use crate::{
    BackendError, BackendState, BufferSide, Caps, CompileError, CompileRequest, CompiledPipeline,
    DeviceLayout, NativeQuery, Operation, PendingAnswer,
};
use device::lock;
use record::time::{Interval, Nanos};
use record::{BufferIndex, Clock, LossKind, PaceLaw, PaceReport, PacedLength, SpanId};
use workload::KernelArguments;

/// Between two parts of the work of an operation there is at least this much time: shorter, and timers are all that runs.
const PART: Duration = Duration::from_micros(200);

/// The processor, paced.
pub struct PacedExecutor {
    cpu: CpuExecutor,
    law: PaceLaw,
    caps: Caps,
    name: String,
    engines: Engines,
    /// How the operations that ran to their ends kept the law.
    kept: Mutex<Vec<PacedLength>>,
}

impl PacedExecutor {
    /// Makes the buffers of `layout`.
    ///
    /// # Errors
    /// They do not fit into memory.
    pub fn new(layout: &DeviceLayout, law: PaceLaw, caps: Caps) -> Result<Self, BackendError> {
        Ok(Self {
            cpu: CpuExecutor::new(layout, caps.clone())?,
            name: super::name(&law),
            engines: Engines::new(law.slots),
            kept: Mutex::default(),
            caps,
            law,
        })
    }

    /// Runs an operation that has its engine, or needs none, to the end that the law gives it.
    fn hold(
        &self,
        turn: &StreamTurn<'_>,
        operation: &Operation,
        run: &PacedRun<'_>,
    ) -> Result<(), ExecutionError> {
        self.cpu.perform(operation, run)?;
        if !sleep_until(run.begun + run.length, turn.is_void) {
            return Err(ExecutionError::Stopped);
        }
        run.has_finished.set(true);
        Ok(())
    }
}

/// An operation under way. Once it is dropped, whatever came of it, its turn is told what it spent its time on.
struct PacedRun<'a> {
    turn: &'a StreamTurn<'a>,
    kept: &'a Mutex<Vec<PacedLength>>,
    token: Option<EngineToken<'a>>,
    arrived: Instant,
    begun: Instant,
    length: Duration,
    /// How long it slept before its end.
    slept: Cell<Duration>,
    /// When its last part of work was done.
    last: Cell<Instant>,
    has_finished: Cell<bool>,
}

impl WorkFlow for PacedRun<'_> {
    fn part(&self, done: usize, all: usize) -> Result<(), ExecutionError> {
        let share = done as f64 / all.max(1) as f64;
        let now = Instant::now();
        let due = self.begun + self.length.mul_f64(share.clamp(0.0, 1.0));
        // What is due so soon is done now: a timer would take longer than it waits.
        if due.saturating_duration_since(now) < PART {
            return Ok(());
        }
        let is_held = sleep_until(due, self.turn.is_void);
        self.slept.set(self.slept.get() + now.elapsed());
        if is_held {
            Ok(())
        } else {
            Err(ExecutionError::Stopped)
        }
    }

    /// A time is what the law gives: there is nothing to compute besides.
    fn spin(&self, _: Nanos) -> Result<(), ExecutionError> {
        Ok(())
    }

    fn is_over(&self) -> bool {
        (self.turn.is_void)()
    }

    fn done(&self) {
        self.last.set(Instant::now());
    }
}

impl Drop for PacedRun<'_> {
    fn drop(&mut self) {
        let now = Instant::now();
        let ran = Interval {
            start: self.turn.zero.at(self.begun),
            end: self.turn.zero.at(now),
        };
        let law = Nanos::from_duration(self.length);
        let worked = self.last.get().saturating_duration_since(self.begun);
        let length = PacedLength {
            law,
            late: (ran.length() - law).max(Nanos::ZERO),
            worked: Nanos::from_duration(worked.saturating_sub(self.slept.get())),
        };
        if self.has_finished.get() {
            lock(self.kept).push(length);
        }
        let waited = self.begun.saturating_duration_since(self.arrived);
        self.turn.set_times(PacedTimes {
            engine: self.token.as_ref().map(|token| token.engine),
            behind: self.token.as_ref().map_or(SpanId::NONE, |it| it.behind),
            waited: Nanos::from_duration(waited),
            ran: Some(ran),
            length,
        });
    }
}

impl ExecutorQueue for PacedExecutor {
    fn check(&self, operation: &Operation) -> Result<(), BackendError> {
        self.cpu.check(operation)
    }

    fn pack(
        &self,
        launch: &KernelArguments,
        elements: Option<usize>,
    ) -> Result<BackendState, BackendError> {
        self.cpu.pack(launch, elements)
    }

    fn has_engines(&self) -> bool {
        true
    }

    fn run(
        &self,
        turn: &StreamTurn<'_>,
        operation: &Operation,
    ) -> Result<Option<Interval>, ExecutionError> {
        let length = law::length(&self.law, operation, &|buffer| self.cpu.len(buffer));
        let arrived = Instant::now();
        let token = match PacedEngine::of(operation) {
            None => None,
            Some(engine) => {
                let found = self.engines.take(engine, turn.span(), turn.is_void);
                let Some(token) = found else {
                    turn.set_times(PacedTimes {
                        engine: Some(engine),
                        behind: SpanId::NONE,
                        waited: Nanos::from_duration(arrived.elapsed()),
                        ran: None,
                        length: PacedLength::default(),
                    });
                    return Err(ExecutionError::Stopped);
                };
                Some(token)
            }
        };
        let waits = token.as_ref().is_some_and(|token| token.waited);
        let begun = Instant::now();
        if token.is_some() {
            turn.begin(turn.zero.at(begun));
        }
        let run = PacedRun {
            turn,
            kept: &self.kept,
            token,
            arrived: if waits { arrived } else { begun },
            begun,
            length: length.to_duration(),
            slept: Cell::default(),
            last: Cell::new(begun),
            has_finished: Cell::new(false),
        };
        // The turn is told when it ran, as it is where it fails.
        self.hold(turn, operation, &run).map(|()| None)
    }

    fn place(
        &self,
        turn: &StreamTurn<'_>,
        buffer: BufferIndex,
        values: &[f32],
    ) -> Result<(), ExecutionError> {
        self.cpu.place(turn, buffer, values)
    }

    fn work(&self, length: Nanos, is_over: &dyn Fn() -> bool) {
        let length = self.law.stretched(length).to_duration();
        sleep_until(Instant::now() + length, is_over);
    }
}

impl Executor for PacedExecutor {
    fn name(&self) -> &str {
        &self.name
    }

    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn raw(&self, question: &NativeQuery) -> Option<PendingAnswer> {
        self.cpu.raw(question)
    }
}

impl ExecutorBuffers for PacedExecutor {
    fn read(&self, buffer: BufferIndex, side: BufferSide) -> Vec<f32> {
        self.cpu.read(buffer, side)
    }

    fn write(&self, buffer: BufferIndex, first: usize, values: &[f32]) {
        self.cpu.write(buffer, first, values);
    }
}

impl ExecutorCompiler for PacedExecutor {
    fn validate(&self, request: &CompileRequest) -> Result<(), CompileError> {
        self.cpu.validate(request)
    }

    fn compile(
        &self,
        request: &CompileRequest,
        is_over: &dyn Fn() -> bool,
    ) -> Result<CompiledPipeline, CompileError> {
        self.cpu.compile(request, is_over)
    }
}

impl ExecutorRecovery for PacedExecutor {
    fn lose(&self, kind: LossKind) -> LossOutcome {
        self.cpu.lose(kind)
    }

    fn reopen(&self) -> Result<(), BackendError> {
        self.cpu.reopen()
    }

    fn lost(&self) -> Option<String> {
        None
    }
}

impl ExecutorTimes for PacedExecutor {
    fn clock(&self, zero: TimeOrigin) -> Clock {
        self.cpu.clock(zero)
    }

    fn pace(&self) -> Option<PaceReport> {
        Some(PaceReport::of(lock(&self.kept).clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::EngineTurn;
    use record::PaceSetting;

    fn executor(stretch: f64) -> PacedExecutor {
        let layout = DeviceLayout {
            buffers: vec![4096],
            ..DeviceLayout::default()
        };
        let setting = PaceSetting {
            stretch: Some(stretch),
            ..PaceSetting::default()
        };
        let law = setting.law();
        PacedExecutor::new(&layout, law, super::super::caps(law)).unwrap()
    }

    /// What running an operation comes to, and what is told of it.
    fn run(
        executor: &PacedExecutor,
        operation: &Operation,
        is_void: &dyn Fn() -> bool,
    ) -> (Result<Option<Interval>, ExecutionError>, PacedTimes) {
        let told = Cell::new(None);
        let turn = StreamTurn {
            stream: 0,
            zero: TimeOrigin(Instant::now()),
            is_void,
            is_lost: &|| false,
            engine: Some(EngineTurn {
                span: SpanId(3),
                begin: &|_| (),
                told: &told,
            }),
        };
        let result = executor.run(&turn, operation);
        (result, told.take().unwrap())
    }

    #[test]
    fn where_time_jumps_the_span_jumps() {
        const JUMP: Duration = Duration::from_millis(40);
        let executor = executor(400.0);
        let numbers = [7.0; 4096];
        executor.write(BufferIndex(0), 0, &numbers);
        let has_jumped = Cell::new(false);
        let jump = || {
            if !has_jumped.replace(true) {
                std::thread::sleep(JUMP);
            }
            false
        };
        let upload = Operation::Upload(BufferIndex(0));
        let (result, told) = run(&executor, &upload, &jump);
        assert_eq!(result, Ok(None));
        let ran = told.ran.unwrap();
        // 16 KiB at 1 GiB/s are 15 microseconds, and 6 milliseconds stretched.
        let law = executor.law.copy(16 << 10);
        assert_eq!(told.length.law, law);
        assert!(ran.length().to_duration() >= JUMP, "{told:?}");
        assert_eq!(told.length.late, ran.length() - law);
        assert_eq!(told.engine, Some(PacedEngine::CopyIn));
        assert_eq!(executor.read(BufferIndex(0), BufferSide::Device), numbers);
        let report = executor.pace().unwrap();
        assert_eq!((report.operations, report.kept), (1, false));
    }

    #[test]
    fn one_that_is_stopped_before_it_has_an_engine_never_ran() {
        let executor = executor(1.0);
        let held = executor
            .engines
            .take(PacedEngine::CopyOut, SpanId(1), &|| false);
        let download = Operation::Download(BufferIndex(0));
        let (result, told) = run(&executor, &download, &|| true);
        assert_eq!(result, Err(ExecutionError::Stopped));
        assert_eq!((told.ran, told.engine), (None, Some(PacedEngine::CopyOut)));
        drop(held);
        let (result, told) = run(&executor, &download, &|| false);
        assert_eq!(result, Ok(None));
        assert!(told.behind == SpanId::NONE && told.waited == Nanos::ZERO);
        assert_eq!(executor.pace().unwrap().operations, 1);
    }

    #[test]
    fn a_fault_gives_its_engine_back() {
        let executor = executor(1.0);
        let trap = Operation::Launch(Box::new(KernelArguments {
            kernel: workload::Kernel::find("trap").unwrap(),
            reads: Vec::new(),
            writes: Vec::new(),
            parameters: Vec::new(),
        }));
        for _ in 0..3 {
            let fault = std::panic::AssertUnwindSafe(|| run(&executor, &trap, &|| false));
            assert!(std::panic::catch_unwind(fault).is_err());
        }
        assert_eq!(executor.pace().unwrap().operations, 0);
    }
}
