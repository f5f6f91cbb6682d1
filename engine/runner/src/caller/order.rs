//! Tells the order of calls what a call does to it.

use super::{Caller, CurrentCall};
use backend::BackendError;
use order::{CallOrigin, HostWaitTarget, SyncOp};
use record::SpanId;
use workload::{GpuCall, SyncTarget};

/// The only device of a run, as the order of calls counts them.
const DEVICE: u32 = 0;

/// Which call it is, of the workload and of the capture.
pub(super) const fn origin(current: &CurrentCall, span: SpanId) -> CallOrigin {
    CallOrigin {
        site: current.place.call,
        span,
    }
}

/// What a synchronisation waits for.
pub(super) const fn awaited(target: SyncTarget) -> HostWaitTarget {
    match target {
        SyncTarget::Event(event) => HostWaitTarget::Event(event),
        SyncTarget::Stream(stream) => HostWaitTarget::Stream(stream),
        SyncTarget::Device => HostWaitTarget::Device(DEVICE),
    }
}

/// Whether a call that blocks has waited. One that says what failed before has waited like any other, also where nothing
/// more runs because of it; one that gave up, or was ended by a stop or a loss, has not.
pub(super) const fn has_waited(result: &Result<(), BackendError>) -> bool {
    matches!(
        result,
        Ok(()) | Err(BackendError::Call { .. } | BackendError::Poisoned(_))
    )
}

/// Whether what a host thread waited for is behind whatever it calls next.
const fn is_over(result: &Result<(), BackendError>) -> bool {
    has_waited(result) || matches!(result, Err(BackendError::Lost(_)))
}

impl Caller {
    pub(super) fn note(&self, current: &CurrentCall, act: SyncOp) {
        let host = self.host.0 as u32;
        let origin = origin(current, current.span);
        self.shared.order.push(host, origin, act, &[]);
    }

    /// The host thread begins to wait.
    pub(super) fn note_begin(&self, current: &CurrentCall, awaited: HostWaitTarget) {
        self.note(current, SyncOp::Begin(awaited, self.own_wait()));
    }

    /// The host thread has waited. One that a loss ended has not; but what it calls next comes to nothing, or, where the
    /// device is opened anew, begins without a past: either way it races with nothing that was before.
    pub(super) fn note_end(&self, current: &CurrentCall, result: &Result<(), BackendError>) {
        if is_over(result) {
            self.note(current, SyncOp::End(self.own_wait()));
        }
    }

    /// The host thread begins to wait for a stream because of a wait that is inserted.
    pub(super) fn note_begin_inserted(&self, current: &CurrentCall, awaited: HostWaitTarget) {
        let begin = SyncOp::Begin(awaited, self.own_wait());
        self.note(current, SyncOp::Inserted(Box::new(begin)));
    }

    /// That wait has ended.
    pub(super) fn note_end_inserted(
        &self,
        current: &CurrentCall,
        result: &Result<(), BackendError>,
    ) {
        if is_over(result) {
            let end = SyncOp::End(self.own_wait());
            self.note(current, SyncOp::Inserted(Box::new(end)));
        }
    }

    /// Promises that tell of the end of work: whoever hears of it comes after the work.
    pub(super) fn note_asked(&self, current: &CurrentCall, call: &GpuCall) {
        if let GpuCall::WorkDone { promise } | GpuCall::MapAsync { promise, .. } = call {
            self.note(
                current,
                SyncOp::Begin(HostWaitTarget::Device(DEVICE), promise.0),
            );
        }
    }

    /// The host thread has heard of what was promised.
    pub(super) fn note_answered(&self, current: &CurrentCall, call: &GpuCall) {
        match call {
            GpuCall::Settle { promise } => self.note(current, SyncOp::End(promise.0)),
            GpuCall::SettleAll {} => self.note(current, SyncOp::EndAll),
            _ => {}
        }
    }

    /// The number of waits that block: each host thread has one of its own, beyond those of promises.
    const fn own_wait(&self) -> u32 {
        u32::MAX - self.host.0 as u32
    }
}
