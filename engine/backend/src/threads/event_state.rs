//! One record of an event: pending, then reached at an instant, or failed.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

use super::async_submit::NativeEvent;
use super::watermark::Watermark;
use device::RecordProgress;
use record::time::Nanos;

const REACHED: u64 = 1;
const FAILED: u64 = 2;

/// One record of an event. Waits keep it alive, so the event may be recorded anew or released meanwhile.
#[derive(Default)]
pub struct EventState {
    level: Watermark,
    time: AtomicI64,
    /// Reaches 1 once the record was given to the device below, or is settled.
    given: Watermark,
    native: OnceLock<NativeEvent>,
    told: OnceLock<Nanos>,
}

impl fmt::Debug for EventState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.progress())
    }
}

impl EventState {
    /// The record was given to the device below, which knows it by `native`.
    pub fn mark_submitted(&self, native: Option<NativeEvent>) {
        if let Some(native) = native {
            // It is given once.
            let _ = self.native.set(native);
        }
        self.given.raise(1);
    }

    /// What the device below knows it by.
    pub fn native(&self) -> Option<NativeEvent> {
        self.native.get().cloned()
    }

    /// Reaches 1 once the record was given to the device below, or is settled.
    pub const fn submitted(&self) -> &Watermark {
        &self.given
    }

    /// The stream reached the record at `time`.
    pub fn reach(&self, time: Nanos) {
        self.time.store(time.0, SeqCst);
        self.level.raise(REACHED);
        self.given.raise(1);
    }

    /// The stream reached the record at `time`, which is what the record's span says; it may be known later than that
    /// the record was reached.
    pub fn report_time(&self, time: Nanos) {
        // It is told once.
        let _ = self.told.set(time);
    }

    /// When the stream reached the record, as its span says.
    pub fn reported_time(&self) -> Option<Nanos> {
        self.told.get().copied()
    }

    /// The record was cancelled.
    pub fn fail(&self) {
        self.level.raise(FAILED);
        self.given.raise(1);
    }

    /// How far it has come.
    pub fn progress(&self) -> RecordProgress {
        match self.level.get() {
            0 => RecordProgress::Pending,
            REACHED => RecordProgress::Reached(Nanos(self.time.load(SeqCst))),
            _ => RecordProgress::Failed,
        }
    }

    /// What to wait on: it reaches [`Mark::SETTLED`] once the record is reached or has failed.
    pub const fn level(&self) -> &Watermark {
        &self.level
    }

    /// The level from which on nothing is pending.
    pub const SETTLED: u64 = REACHED;
}
