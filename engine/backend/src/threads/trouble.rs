//! What a stream has gone through that its next synchronisation says, and whether it takes work meanwhile.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use crate::Error;
use device::lock;
use record::SpanId;
use workload::ErrorKind;

/// What a stream has gone through.
#[derive(Debug, Default)]
pub struct Trouble {
    pending: Mutex<Option<Error>>,
    is_stopped: AtomicBool,
    /// Operations before this one, counted from the stream's first, are dropped.
    drop_before: AtomicU64,
    /// The calls that aborted it, each with the number of the first operation that it left.
    aborts: Mutex<Vec<(u64, SpanId)>>,
}

impl Trouble {
    /// Keeps what the next synchronisation is to say, unless something is kept already (rule A48).
    pub fn keep(&self, kind: ErrorKind, reason: &str) {
        lock(&self.pending).get_or_insert_with(|| Error::call(kind, reason));
    }

    /// What the synchronisation that asks is to say.
    pub fn take(&self) -> Option<Error> {
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

    /// The call that is the span `by` drops the operations before number `submitted`; the stream takes work again.
    pub fn abort(&self, submitted: u64, by: SpanId) {
        // Before anything is dropped, so that whoever drops it knows by what.
        lock(&self.aborts).push((submitted, by));
        self.drop_before.fetch_max(submitted, SeqCst);
        self.is_stopped.store(false, SeqCst);
        *lock(&self.pending) = None;
    }

    /// The first call that dropped the operation with this number, where one did.
    pub fn aborted_by(&self, number: u64) -> Option<SpanId> {
        if !self.is_aborted(number) {
            return None;
        }
        let aborts = lock(&self.aborts);
        let found = aborts.iter().find(|(submitted, _)| number < *submitted);
        found.map(|it| it.1).filter(|it| it.is_some())
    }

    /// How often it was aborted.
    pub fn aborts(&self) -> u64 {
        lock(&self.aborts).len() as u64
    }
}

/// What a synchronisation comes to that an abort ended (rule F14).
pub fn aborted() -> Error {
    Error::call(
        ErrorKind::Aborted,
        "the stream was aborted while this waited for it: what was queued on it was dropped",
    )
}

/// What a wait for an event comes to whose record was dropped or failed.
pub fn failed_record() -> Error {
    Error::call(
        ErrorKind::Failed,
        "the event's record was cancelled, because something before it failed or was dropped: see the first operation \
         that failed",
    )
}
