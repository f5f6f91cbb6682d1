//! An opened device: takes operations, answers questions, blocks callers until work ends.

use std::sync::Arc;
use std::time::Duration;

use super::{
    Activity, Alarm, BackendError, Caps, CompileError, CompileRequest, CompiledPipeline, Flag,
    LossReport, NativeQuery, Overhead, PendingAnswer, PreparedLaunch, Submission,
};
use device::{DeviceStatus, RecordProgress};
use record::time::Nanos;
use record::{
    BufferIndex, Clock, EventIndex, LossKind, PaceReport, SignalIndex, SpanId, SpanStart,
    StreamIndex,
};
use workload::{KernelArguments, SyncTarget};

/// The position of a host thread among those of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostIndex(pub usize);

/// The two places in which a buffer's numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferSide {
    /// Memory of the device.
    Device,
    /// The copy on the host, which uploads read and downloads write.
    Host,
}

/// Its clock, and what is to be done when a time or a state has come.
pub trait DeviceTime: Send + Sync {
    /// How its clock is converted to the times that it reports; of use once it was started.
    fn clock(&self) -> Clock;

    /// The time, as `host` has it; beyond the last host, the latest time of all.
    fn now(&self, host: HostIndex) -> Nanos;

    /// Lets `act` be done once the device's own time has come to `time`; at once where that has passed. A device
    /// whose time is the host's gives `act` back: there the caller waits by itself.
    fn alarm(&self, time: Nanos, act: Alarm) -> Option<Alarm> {
        let _ = time;
        Some(act)
    }

    /// The same, unless every host thread made its last call and every stream is empty before: what has a moment that never
    /// comes is not waited for.
    fn alarm_while_busy(&self, time: Nanos, act: Alarm) -> Option<Alarm> {
        self.alarm(time, act)
    }

    /// Lets `act` be done once everything that was submitted by now has ended. A device whose time is the host's gives
    /// `act` back: there the caller looks at [`DeviceState::activity`] by itself.
    fn when_done(&self, act: Alarm) -> Option<Alarm> {
        Some(act)
    }

    /// Lets `act` be done once an operation runs on `stream`, at a moment at which it does. A device whose time is
    /// the host's gives `act` back: there the caller looks by itself.
    fn when_running(&self, stream: StreamIndex, act: Alarm) -> Option<Alarm> {
        let _ = stream;
        Some(act)
    }
}

/// What streams are given, and how far they have come.
pub trait DeviceQueue: Send + Sync {
    /// Blocks `host` while so much is queued on `stream` that the device takes no more, as GPUs do. Gives up
    /// where the device is over; what is submitted then is cancelled.
    fn make_room(&self, host: HostIndex, stream: StreamIndex);

    /// Blocks `host` until so many operations of `stream` have ended; gives up where the device is over.
    fn until_ended(&self, host: HostIndex, stream: StreamIndex, ended: u64);

    /// Whether nothing that `host` knows to be submitted to these streams is still to end.
    fn is_idle(&self, host: HostIndex, streams: &[StreamIndex]) -> bool;

    /// Operations of `stream` that have not ended.
    fn pending(&self, stream: StreamIndex) -> u64;

    /// Functions of `stream` that the thread of its callbacks was given and that have not ended (rule F15). A stream does
    /// not wait for those that do not block it.
    fn calls(&self, stream: StreamIndex) -> u64;

    /// How many operations of `stream` ended before it was lost, counted from its first; of use once it was drained. Those
    /// of an earlier generation count, whatever they came to.
    fn completed(&self, stream: StreamIndex) -> u64;

    /// How many operations of `stream` have begun to run, waits apart; those that have ended since count as well.
    /// A device that does [`DeviceTime::when_running`] by itself need not count.
    fn begun(&self, stream: StreamIndex) -> u64 {
        let _ = stream;
        0
    }

    /// Has the next operation that begins to run on `stream` stay in its beginning until the device is lost, or for a tenth of
    /// a second: whoever loses it then would be too late for a short one. Of no effect on a device whose operations the host
    /// does not begin, or that does [`DeviceTime::when_running`] by itself.
    fn await_loss(&self, stream: StreamIndex) {
        let _ = stream;
    }

    /// Takes a slot for a record of an event that needs one (rule F3): blocks `host` while none is free. Answers which
    /// record gave it back; [`SpanId::NONE`] where it was nobody's before.
    ///
    /// # Errors
    /// The device failed or was lost, or the run was stopped.
    fn take_slot(&self, host: HostIndex) -> Result<SpanId, BackendError>;

    /// Whether [`DeviceQueue::take_slot`] would block.
    fn is_short_of_slots(&self) -> bool;

    /// Kills what runs on `stream` where that is possible, drops what is queued, and blocks `host` until that is done.
    /// The stream takes work again, whatever it failed of before (rule F14). What it dropped is reported as the effect of
    /// the call that is the span `by`.
    ///
    /// # Errors
    /// The device failed or was lost, or the run was stopped.
    fn abort(&self, host: HostIndex, stream: StreamIndex, by: SpanId) -> Result<(), BackendError>;

    /// Appends an operation to a stream, without blocking. On a device that has failed the operation is cancelled, and its
    /// span reported as such.
    ///
    /// # Errors
    /// The operation names what the layout has not, or does not fit its kernel: nothing is submitted.
    fn submit(
        &self,
        host: HostIndex,
        stream: StreamIndex,
        submission: Submission,
    ) -> Result<(), BackendError>;

    /// Looks at a launch once and keeps it ready, to be submitted any number of times without being looked at again. It
    /// treats so many elements, or as many as its buffers have.
    ///
    /// # Errors
    /// It does not fit its kernel or this device.
    fn pack(
        &self,
        launch: KernelArguments,
        elements: Option<usize>,
    ) -> Result<Arc<PreparedLaunch>, BackendError>;
}

/// What host threads wait for, and what ends their waits.
pub trait DeviceWaiting: Send + Sync {
    /// Called by every host thread before each call. A device that decides in which order host threads
    /// call blocks here until it is the turn of `host`; others return at once.
    ///
    /// # Errors
    /// The run was stopped.
    fn turn(&self, host: HostIndex) -> Result<(), BackendError>;

    /// Called by every host thread after its last call.
    fn leave(&self, host: HostIndex);

    /// How far the latest record of `event` has come, without blocking.
    fn query(&self, host: HostIndex, event: EventIndex) -> RecordProgress;

    /// Blocks `host` until `target` has ended, or for at most `timeout`.
    ///
    /// # Errors
    /// The device failed or was lost, the run was stopped, or time ran out.
    fn synchronize(
        &self,
        host: HostIndex,
        target: SyncTarget,
        timeout: Option<Duration>,
    ) -> Result<(), BackendError>;

    /// Raises `signal` for good.
    fn raise(&self, host: HostIndex, signal: SignalIndex);

    /// Blocks `host` until `signal` is raised.
    ///
    /// # Errors
    /// The run was stopped, or begins again. A lost device does not end the wait: the signal is another host thread's.
    fn until_raised(&self, host: HostIndex, signal: SignalIndex) -> Result<(), BackendError>;

    /// Lets `host` compute for `length`.
    fn work(&self, host: HostIndex, length: Nanos);

    /// Blocks `host` until `flag` is raised.
    ///
    /// # Errors
    /// The run was stopped, or begins again. A lost device does not end the wait: whoever would raise the flag decides
    /// what the loss means.
    fn until_flag(&self, host: HostIndex, flag: &Flag) -> Result<(), BackendError>;

    /// Ends what host threads wait for of each other, signals and flags, with [`BackendError::Lost`], until [`DeviceRecovery::rewind`]:
    /// the workload is about to begin again.
    fn interrupt(&self);
}

/// What looks at pipelines and compiles them.
pub trait DeviceCompiler: Send + Sync {
    /// Looks at a pipeline as the device timeline does before it is compiled: parses and validates the shader, finds
    /// the entry point, compares with the device's limits. Quick, and the same whether the device is lost or not.
    ///
    /// # Errors
    /// [`CompileError::Validation`].
    fn validate(&self, request: &CompileRequest) -> Result<(), CompileError>;

    /// Compiles a pipeline on the calling thread, which it blocks; several threads may compile at once.
    ///
    /// # Errors
    /// What is wrong with the shader, what the driver could not do, or that the device was lost meanwhile.
    fn compile(&self, request: &CompileRequest) -> Result<CompiledPipeline, CompileError>;
}

/// Its loss, and how it begins anew.
pub trait DeviceRecovery: Send + Sync {
    /// Whether it can still run work.
    fn status(&self) -> DeviceStatus;

    /// Loses the device now: everything pending comes to [`State::Lost`], waiters are released, and
    /// [`DeviceRecovery::status`] is [`DeviceStatus::Lost`] when this returns. Reports no [`Record::Loss`]: the caller does, if
    /// the answer says that it was news.
    ///
    /// [`State::Lost`]: record::State::Lost
    /// [`Record::Loss`]: record::Record::Loss
    fn lose(&self, kind: LossKind) -> LossReport;

    /// Since when it is lost, where it knows; a device that was lost by itself is asked.
    fn lost_at(&self) -> Option<Nanos> {
        None
    }

    /// Waits until everything that was submitted to a lost device has come to an end: its operations touch no buffer
    /// after that.
    ///
    /// # Errors
    /// It does not come to an end.
    fn drain(&self) -> Result<(), BackendError>;

    /// Opens the device anew after a loss, with its layout. Buffers on the device begin as their copies on the host
    /// are, and no event is recorded. What was submitted before stays lost.
    ///
    /// # Errors
    /// It cannot be opened again, or what was submitted before does not come to an end.
    fn reopen(&self) -> Result<(), BackendError>;

    /// Lets host threads call from the beginning, after each of them has left: no signal is raised, and streams take
    /// work whatever they failed of.
    fn rewind(&self);
}

/// The numbers in its buffers.
pub trait DeviceBuffers: Send + Sync {
    /// The numbers of `buffer`, at one of its two places; empty where there is no such buffer.
    fn read(&self, buffer: BufferIndex, side: BufferSide) -> Vec<f32>;

    /// Writes `values` into the host copy of `buffer` from element `first` on; what does not fit is left out.
    fn write(&self, buffer: BufferIndex, first: usize, values: &[f32]);
}

/// What it is doing, for whoever looks on.
pub trait DeviceState: Send + Sync {
    /// What everything on it is doing.
    fn activity(&self) -> Activity;

    /// Waits until every stream ended what it was given and reported it, for at most `timeout`, and says whether it did:
    /// some backends know when an operation ran only some time after it has ended.
    fn wait_idle(&self, timeout: Duration) -> bool;

    /// Reports each operation that has been running for `age` or longer, unless its id is `known`.
    fn running(
        &self,
        age: Nanos,
        known: &dyn Fn(SpanId) -> bool,
        report: &mut dyn FnMut(SpanStart),
    );

    /// How the operations so far kept the law of a paced device; nothing of any other.
    fn pace(&self) -> Option<PaceReport> {
        None
    }

    /// What the driver, and whoever measures it, took for itself since this was asked last, as far as it is told.
    fn overheads(&self) -> Vec<Overhead> {
        Vec::new()
    }

    /// For how long the threads that run the operations of these streams were ready to run and had no processor core, since
    /// they were started. Nothing where operations run elsewhere, or where the system does not tell.
    fn starved(&self, streams: &[StreamIndex]) -> Option<Nanos> {
        let _ = streams;
        None
    }

    /// Makes a call to the implementation below, on the calling thread; nothing where there is none that has such calls.
    fn raw(&self, question: &NativeQuery) -> Option<PendingAnswer>;
}

/// An opened device with the resources of its layout. Dropping it stops what has not begun, waits for
/// what runs and reports every span, also in the middle of a run.
pub trait BackendDevice:
    DeviceTime
    + DeviceQueue
    + DeviceWaiting
    + DeviceCompiler
    + DeviceRecovery
    + DeviceBuffers
    + DeviceState
{
    /// What it is called.
    fn name(&self) -> &str;

    /// What it can and cannot do.
    fn caps(&self) -> &Caps;

    /// Starts the clock: this instant is zero. Called once, before anything is submitted.
    fn start(&self);

    /// Cancels what has not begun and releases everything that waits.
    fn stop(&self);
}
