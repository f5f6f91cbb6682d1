//! One record of an event: pending, then reached at an instant, or failed.

use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

use super::watermark::Watermark;
use crate::device::Progress;
use crate::time::Nanos;

const REACHED: u64 = 1;
const FAILED: u64 = 2;

/// One record of an event. Waits keep it alive, so the event may be recorded anew or released meanwhile.
#[derive(Debug, Default)]
pub struct Mark {
    level: Watermark,
    time: AtomicI64,
}

impl Mark {
    /// The stream reached the record at `time`.
    pub fn reach(&self, time: Nanos) {
        self.time.store(time.0, SeqCst);
        self.level.raise(REACHED);
    }

    /// The record was cancelled.
    pub fn fail(&self) {
        self.level.raise(FAILED);
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        match self.level.get() {
            0 => Progress::Pending,
            REACHED => Progress::Reached(Nanos(self.time.load(SeqCst))),
            _ => Progress::Failed,
        }
    }

    /// What to wait on: it reaches [`Mark::SETTLED`] once the record is reached or has failed.
    pub const fn level(&self) -> &Watermark {
        &self.level
    }

    /// The level from which on nothing is pending.
    pub const SETTLED: u64 = REACHED;
}
