//! Runs the operations of all streams on the threads that call it.

use super::memory::CpuMemory;
use crate::threads::{
    ExecutionError, Executor, ExecutorBuffers, ExecutorCompiler, ExecutorQueue, ExecutorRecovery,
    ExecutorTimes, LossOutcome, StreamTurn, TimeOrigin,
};
use crate::work_flow::{AtOnce, WorkFlow};
use crate::{
    BackendError, BackendState, BufferSide, Caps, CompileError, CompileRequest, CompiledPipeline,
    DeviceLayout, NativeQuery, Operation, PendingAnswer, shader,
};
use record::time::Interval;
use record::{BufferIndex, Clock, LossKind};
use workload::KernelArguments;

/// The processor.
pub struct CpuExecutor {
    memory: CpuMemory,
    caps: Caps,
    name: String,
}

impl CpuExecutor {
    /// Makes the buffers of `layout`.
    ///
    /// # Errors
    /// They do not fit into memory.
    pub fn new(layout: &DeviceLayout, caps: Caps) -> Result<Self, BackendError> {
        Ok(Self {
            memory: CpuMemory::new(layout)?,
            name: super::name(caps.width),
            caps,
        })
    }
}

impl CpuExecutor {
    /// Runs an operation as `flow` says.
    ///
    /// # Errors
    /// It did not run to its end.
    pub fn perform(
        &self,
        operation: &Operation,
        flow: &dyn WorkFlow,
    ) -> Result<(), ExecutionError> {
        self.memory.perform(operation, flow)?;
        flow.done();
        Ok(())
    }

    /// The length of a buffer, in numbers; 0 where there is none.
    pub fn len(&self, buffer: BufferIndex) -> usize {
        self.memory.len(buffer).unwrap_or_default()
    }
}

impl Executor for CpuExecutor {
    fn name(&self) -> &str {
        &self.name
    }

    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn raw(&self, _: &NativeQuery) -> Option<PendingAnswer> {
        None
    }
}

impl ExecutorQueue for CpuExecutor {
    fn works_itself(&self) -> bool {
        true
    }

    fn check(&self, operation: &Operation) -> Result<(), BackendError> {
        self.memory.check(operation)
    }

    fn pack(
        &self,
        launch: &KernelArguments,
        elements: Option<usize>,
    ) -> Result<BackendState, BackendError> {
        self.memory.pack(launch, elements)
    }

    fn run(
        &self,
        turn: &StreamTurn<'_>,
        operation: &Operation,
    ) -> Result<Option<Interval>, ExecutionError> {
        self.perform(operation, &AtOnce(turn.is_void))
            .map(|()| None)
    }

    fn place(
        &self,
        _: &StreamTurn<'_>,
        buffer: BufferIndex,
        values: &[f32],
    ) -> Result<(), ExecutionError> {
        self.memory.place(buffer, values)
    }
}

impl ExecutorBuffers for CpuExecutor {
    fn read(&self, buffer: BufferIndex, side: BufferSide) -> Vec<f32> {
        self.memory.read(buffer, side)
    }

    fn write(&self, buffer: BufferIndex, first: usize, values: &[f32]) {
        self.memory.write(buffer, first, values);
    }
}

impl ExecutorCompiler for CpuExecutor {
    fn validate(&self, request: &CompileRequest) -> Result<(), CompileError> {
        shader::check(request, &self.caps.limits)
    }

    fn compile(
        &self,
        request: &CompileRequest,
        is_over: &dyn Fn() -> bool,
    ) -> Result<CompiledPipeline, CompileError> {
        shader::look_at(request, &self.caps.limits, is_over)
    }
}

impl ExecutorRecovery for CpuExecutor {
    fn lose(&self, _: LossKind) -> LossOutcome {
        LossOutcome {
            is_real: false,
            message: String::new(),
            how: "Syncline told the threads of this device to run nothing more",
        }
    }

    fn reopen(&self) -> Result<(), BackendError> {
        self.memory.restore();
        Ok(())
    }

    fn lost(&self) -> Option<String> {
        None
    }
}

impl ExecutorTimes for CpuExecutor {
    fn clock(&self, _: TimeOrigin) -> Clock {
        Clock {
            name: self.caps.clock.to_string(),
            ..Clock::default()
        }
    }
}
