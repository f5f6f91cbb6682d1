//! What the threads of streams run operations with.

use std::cell::Cell;
use std::time::Instant;

use super::async_submit::{InFlight, NativeEvent};
use crate::paced::PacedTimes;
use crate::spin::spin;
use crate::{
    BackendError, BackendState, BufferSide, Caps, CompileError, CompileRequest, CompiledPipeline,
    NativeQuery, Operation, Overhead, PendingAnswer,
};
use record::time::{Interval, Nanos};
use record::{BufferIndex, Clock, LossKind, PaceReport, SpanId};
use workload::KernelArguments;

/// What runs operations.
pub trait ExecutorQueue: ExecutorBuffers {
    /// Whether an operation names buffers that exist and, if a kernel, fits them.
    ///
    /// # Errors
    /// What is wrong.
    fn check(&self, operation: &Operation) -> Result<(), BackendError>;

    /// What to keep with a launch that is run often, once it was looked at whether it fits.
    ///
    /// # Errors
    /// What is wrong.
    fn pack(
        &self,
        launch: &KernelArguments,
        elements: Option<usize>,
    ) -> Result<BackendState, BackendError>;

    /// Whether operations that move numbers or compute wait for an engine before they begin: [`StreamTurn::begin`] says when
    /// that was, and [`StreamTurn::tell`] what became of them.
    fn has_engines(&self) -> bool {
        false
    }

    /// Works on the calling host thread for about so long; gives up once `is_over`.
    fn work(&self, length: Nanos, is_over: &dyn Fn() -> bool) {
        // Whoever stops it knows.
        let _ = spin(length, is_over);
    }

    /// Runs an operation of the stream that `turn` names to its end. Records, waits and holds never come here.
    /// Answers when it ran, where the device says that itself.
    ///
    /// # Errors
    /// Why it did not run to its end.
    fn run(
        &self,
        turn: &StreamTurn<'_>,
        operation: &Operation,
    ) -> Result<Option<Interval>, ExecutionError>;

    /// Whether the thread that runs an operation does its work, so that without a processor core the operation stands still.
    fn works_itself(&self) -> bool {
        false
    }

    /// Whether [`ExecutorQueue::begin`] is asked: operations run ahead of the threads of their streams.
    fn runs_ahead(&self) -> bool {
        false
    }

    /// Gives an operation to the device, behind what it was given before for the same stream, and waits for nothing. A
    /// record and a wait come here too, the wait with the record that it is for, which was given on. Nothing where the
    /// stream's thread has to run it.
    ///
    /// # Errors
    /// Why it could not be given.
    fn begin(
        &self,
        turn: &StreamTurn<'_>,
        operation: &Operation,
        cause: Option<&NativeEvent>,
    ) -> Result<Option<Box<dyn InFlight>>, ExecutionError> {
        let _ = (turn, operation, cause);
        Ok(None)
    }

    /// Gives `buffer` on the device these numbers, which a collective operation brought.
    ///
    /// # Errors
    /// They could not be written.
    fn place(
        &self,
        turn: &StreamTurn<'_>,
        buffer: BufferIndex,
        values: &[f32],
    ) -> Result<(), ExecutionError> {
        // By way of the host's copy, which is as it was afterwards.
        let kept = self.read(buffer, BufferSide::Host);
        self.write(buffer, 0, values);
        let done = self.run(turn, &Operation::Upload(buffer)).map(drop);
        self.write(buffer, 0, &kept);
        done
    }
}

/// The numbers in buffers.
pub trait ExecutorBuffers: Send + Sync + 'static {
    /// The numbers of `buffer`, at one of its two places; empty where there is no such buffer.
    fn read(&self, buffer: BufferIndex, side: BufferSide) -> Vec<f32>;

    /// Writes `values` into the host copy of `buffer` from element `first` on; what does not fit is left out.
    fn write(&self, buffer: BufferIndex, first: usize, values: &[f32]);
}

/// What looks at pipelines and compiles them.
pub trait ExecutorCompiler: Send + Sync + 'static {
    /// As [`crate::DeviceCompiler::validate`].
    ///
    /// # Errors
    /// [`CompileError::Validation`].
    fn validate(&self, request: &CompileRequest) -> Result<(), CompileError>;

    /// As [`crate::DeviceCompiler::compile`]; gives up once `is_over`.
    ///
    /// # Errors
    /// Why it could not.
    fn compile(
        &self,
        request: &CompileRequest,
        is_over: &dyn Fn() -> bool,
    ) -> Result<CompiledPipeline, CompileError>;
}

/// The loss of what is below, and how that is opened anew.
pub trait ExecutorRecovery: Send + Sync + 'static {
    /// Loses what is below, for good.
    fn lose(&self, kind: LossKind) -> LossOutcome;

    /// Opens anew what is below, after it was lost: buffers on the device begin as their copies on the host are.
    /// Nothing runs meanwhile.
    ///
    /// # Errors
    /// It cannot be opened again.
    fn reopen(&self) -> Result<(), BackendError>;

    /// Looks whether the implementation below has lost its device by itself, and says what it gave as the reason.
    fn lost(&self) -> Option<String>;
}

/// Its clock, and what it took for itself.
pub trait ExecutorTimes: Send + Sync + 'static {
    /// How its clock is converted to times counted from `zero`.
    fn clock(&self, zero: TimeOrigin) -> Clock;

    /// What has gone wrong with the times that it tells since this was asked last, in words for the user.
    fn complaint(&self) -> Option<String> {
        None
    }

    /// As [`crate::DeviceState::pace`].
    fn pace(&self) -> Option<PaceReport> {
        None
    }

    /// As [`crate::DeviceState::overheads`].
    fn overheads(&self, zero: TimeOrigin) -> Vec<Overhead> {
        let _ = zero;
        Vec::new()
    }
}

/// Runs the operations of all streams. Each stream has a thread that calls it, so operations of different streams
/// come at the same time; those of one stream come one after the other.
pub trait Executor:
    ExecutorQueue + ExecutorBuffers + ExecutorCompiler + ExecutorRecovery + ExecutorTimes
{
    /// What the device is called.
    fn name(&self) -> &str;

    /// What it can and cannot do.
    fn caps(&self) -> &Caps;

    /// As [`crate::DeviceState::raw`].
    fn raw(&self, question: &NativeQuery) -> Option<PendingAnswer>;
}

/// For which stream an operation runs, and until when.
pub struct StreamTurn<'a> {
    /// The position of the stream.
    pub stream: usize,
    /// Where times are counted from.
    pub zero: TimeOrigin,
    /// Whether nobody will see what it comes to: a stopped run, or a lost device.
    pub is_void: &'a dyn Fn() -> bool,
    /// Whether the device is lost: nothing below will answer any more.
    pub is_lost: &'a dyn Fn() -> bool,
    /// What has to do with engines, where the operation may take one.
    pub engine: Option<EngineTurn<'a>>,
}

/// What an executor with engines says of an operation.
pub struct EngineTurn<'a> {
    /// The operation's span.
    pub span: SpanId,
    /// Takes when it began.
    pub begin: &'a dyn Fn(Nanos),
    /// What it spent its time on.
    pub told: &'a Cell<Option<PacedTimes>>,
}

impl StreamTurn<'_> {
    /// The operation's span, where that is known.
    pub fn span(&self) -> SpanId {
        self.engine.as_ref().map_or(SpanId::NONE, |it| it.span)
    }

    /// The operation has its engine, and begins.
    pub fn begin(&self, time: Nanos) {
        if let Some(engine) = &self.engine {
            (engine.begin)(time);
        }
    }

    /// What the operation spent its time on, whatever came of it.
    pub fn set_times(&self, times: PacedTimes) {
        if let Some(engine) = &self.engine {
            engine.told.set(Some(times));
        }
    }
}

/// Where the times of a device are counted from: an instant of the host's clock.
#[derive(Clone, Copy, Debug)]
pub struct TimeOrigin(pub Instant);

impl TimeOrigin {
    /// The time at `instant`.
    pub fn at(self, instant: Instant) -> Nanos {
        Nanos::from_duration(instant.saturating_duration_since(self.0))
    }
}

/// Why an operation did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecutionError {
    /// The run was stopped in its middle.
    Stopped,
    /// It failed, for this reason.
    Failed(String),
    /// The implementation below lost its device by itself, for this reason.
    Lost(String),
}

/// What losing the device below came to.
pub struct LossOutcome {
    /// Whether the implementation lost its device, rather than Syncline acting as if it had.
    pub is_real: bool,
    /// What the implementation says of it; may be empty.
    pub message: String,
    /// How it was brought about, in words for the screen.
    pub how: &'static str,
}
