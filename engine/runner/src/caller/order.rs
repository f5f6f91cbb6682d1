//! Tells the order of calls what a call does to it.

use super::{Caller, Current};
use backend::Error;
use order::{Act, Awaited, Origin};
use record::SpanId;
use workload::{GpuCall, Target};

/// The only device of a run, as the order of calls counts them.
const DEVICE: u32 = 0;

/// Which call it is, of the workload and of the capture.
pub(super) const fn origin(current: &Current, span: SpanId) -> Origin {
    Origin {
        site: current.place.call,
        span,
    }
}

/// What a synchronisation waits for.
pub(super) const fn awaited(target: Target) -> Awaited {
    match target {
        Target::Event(event) => Awaited::Event(event),
        Target::Stream(stream) => Awaited::Stream(stream),
        Target::Device => Awaited::Device(DEVICE),
    }
}

/// Whether a call that blocks has waited. One that says what failed before has waited like any other, also where nothing
/// more runs because of it; one that gave up, or was ended by a stop or a loss, has not.
pub(super) const fn has_waited(result: &Result<(), Error>) -> bool {
    matches!(
        result,
        Ok(()) | Err(Error::Call { .. } | Error::Poisoned(_))
    )
}

impl Caller {
    pub(super) fn note(&self, current: &Current, act: Act) {
        let host = self.host.0 as u32;
        let origin = origin(current, current.span);
        self.shared.order.push(host, origin, act, &[]);
    }

    /// The host thread begins to wait.
    pub(super) fn note_begin(&self, current: &Current, awaited: Awaited) {
        self.note(current, Act::Begin(awaited, self.own_wait()));
    }

    /// The host thread has waited. One that a loss ended has not; but what it calls next comes to nothing, or, where the
    /// device is opened anew, begins without a past: either way it races with nothing that was before.
    pub(super) fn note_end(&self, current: &Current, result: &Result<(), Error>) {
        if has_waited(result) || matches!(result, Err(Error::Lost(_))) {
            self.note(current, Act::End(self.own_wait()));
        }
    }

    /// Promises that tell of the end of work: whoever hears of it comes after the work.
    pub(super) fn note_asked(&self, current: &Current, call: &GpuCall) {
        if let GpuCall::WorkDone { promise } | GpuCall::MapAsync { promise, .. } = call {
            self.note(current, Act::Begin(Awaited::Device(DEVICE), promise.0));
        }
    }

    /// The host thread has heard of what was promised.
    pub(super) fn note_answered(&self, current: &Current, call: &GpuCall) {
        match call {
            GpuCall::Settle { promise } => self.note(current, Act::End(promise.0)),
            GpuCall::SettleAll {} => self.note(current, Act::EndAll),
            _ => {}
        }
    }

    /// The number of waits that block: each host thread has one of its own, beyond those of promises.
    const fn own_wait(&self) -> u32 {
        u32::MAX - self.host.0 as u32
    }
}
