//! What a stream has gone through that its next synchronisation says, and whether it takes work meanwhile.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use crate::BackendError;
use device::lock;
use record::SpanId;
use record::time::Nanos;
use workload::ErrorKind;

/// What a stream has gone through.
#[derive(Debug, Default)]
pub struct StreamErrorState {
    pending: Mutex<Option<BackendError>>,
    is_stopped: AtomicBool,
    /// Operations before this one, counted from the stream's first, are dropped.
    drop_before: AtomicU64,
    /// The calls that aborted it.
    aborts: Mutex<Vec<StreamAbort>>,
}

/// A call that aborted a stream.
#[derive(Clone, Copy, Debug)]
struct StreamAbort {
    /// It dropped the operations before this number.
    before: u64,
    /// The call.
    by: SpanId,
    /// When it began to drop them.
    began: Nanos,
    /// Whether there were any.
    is_heard: bool,
}

impl StreamErrorState {
    /// Keeps what the next synchronisation is to say, unless something is kept already (rule A48).
    pub fn keep(&self, kind: ErrorKind, reason: &str) {
        lock(&self.pending).get_or_insert_with(|| BackendError::call(kind, reason));
    }

    /// What the synchronisation that asks is to say.
    pub fn take(&self) -> Option<BackendError> {
        lock(&self.pending).take()
    }

    /// The stream takes no more work until it is aborted.
    pub fn stop(&self) {
        self.is_stopped.store(true, SeqCst);
    }

    /// Whether the operation with this number, counted from the stream's first, is dropped.
    pub fn drops(&self, number: u64) -> bool {
        self.is_stopped.load(SeqCst) || self.is_aborted(number)
    }

    /// Whether an abort dropped the operation with this number.
    pub fn is_aborted(&self, number: u64) -> bool {
        number < self.drop_before.load(SeqCst)
    }

    /// The call that is the span `by` drops the operations before number `submitted` that have not `ended`, from the time
    /// `began` on; the stream takes work again.
    pub fn abort(&self, (submitted, ended): (u64, u64), by: SpanId, began: Nanos) {
        let abort = StreamAbort {
            before: submitted,
            by,
            began,
            is_heard: ended < submitted,
        };
        // Before anything is dropped, so that whoever drops it knows by what.
        lock(&self.aborts).push(abort);
        self.drop_before.fetch_max(submitted, SeqCst);
        self.is_stopped.store(false, SeqCst);
        *lock(&self.pending) = None;
    }

    /// The first call that dropped the operation with this number, where one did. What had `ended` before a call began was
    /// cancelled by something else.
    pub fn aborted_by(&self, number: u64, ended: Nanos) -> Option<SpanId> {
        if !self.is_aborted(number) {
            return None;
        }
        let aborts = lock(&self.aborts);
        let mut found = aborts.iter().filter(|it| number < it.before);
        let found = found.find(|it| it.began <= ended);
        found.map(|it| it.by).filter(|it| it.is_some())
    }

    /// How often an abort found something to drop: one that found nothing concerns nobody who waits.
    pub fn aborts(&self) -> u64 {
        lock(&self.aborts).iter().filter(|it| it.is_heard).count() as u64
    }
}

/// What a synchronisation comes to that an abort ended (rule F14).
pub fn aborted() -> BackendError {
    BackendError::call(
        ErrorKind::Aborted,
        "the stream was aborted while this waited for it: what was queued on it was dropped",
    )
}

/// What a wait for an event comes to whose record was dropped or failed.
pub fn failed_record() -> BackendError {
    BackendError::call(
        ErrorKind::Failed,
        "the event's record was cancelled, because something before it failed or was dropped: see the first operation \
         that failed",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abort_has_dropped_nothing_that_had_ended_before_it() {
        let trouble = StreamErrorState::default();
        trouble.abort((2, 1), SpanId(7), Nanos(100));
        trouble.abort((3, 3), SpanId(8), Nanos(200));
        assert_eq!(trouble.aborts(), 1);
        let by = |number, ended| trouble.aborted_by(number, Nanos(ended));
        assert_eq!(by(1, 99), None);
        assert_eq!(by(1, 100), Some(SpanId(7)));
        assert_eq!(by(2, 150), None);
        assert_eq!(by(2, 250), Some(SpanId(8)));
        assert_eq!(by(3, 250), None);
    }
}
