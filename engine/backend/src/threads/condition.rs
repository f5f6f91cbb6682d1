//! Whether a device still runs work: read before every operation, so it is one atomic load.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU64, Ordering::SeqCst};

use crate::BackendError;
use device::{DeviceStatus, TerminationCause, lock};
use record::time::Nanos;

/// Whether a device still runs work, and why not. The first cause stays.
#[derive(Debug)]
pub struct DeviceCondition {
    code: AtomicU8,
    is_stopped: AtomicBool,
    lost: AtomicI64,
    losses: AtomicU64,
    reason: Mutex<String>,
}

/// The time of a loss that has just been.
const UNKNOWN: i64 = i64::MIN;
const STOPPED: u8 = 1;
const POISONED: u8 = 2;
const LOST: u8 = 3;

impl Default for DeviceCondition {
    fn default() -> Self {
        Self {
            code: AtomicU8::new(0),
            is_stopped: AtomicBool::new(false),
            lost: AtomicI64::new(UNKNOWN),
            losses: AtomicU64::new(0),
            reason: Mutex::default(),
        }
    }
}

impl DeviceCondition {
    /// Why nothing more runs, where that is so.
    pub fn cause(&self) -> Option<TerminationCause> {
        match self.code.load(SeqCst) {
            0 => None,
            STOPPED => Some(TerminationCause::Stopped),
            LOST => Some(TerminationCause::Lost),
            _ => Some(TerminationCause::Poisoned),
        }
    }

    /// Whether nothing more runs.
    pub fn is_over(&self) -> bool {
        self.code.load(SeqCst) != 0
    }

    /// Nothing more runs because somebody stopped it.
    pub fn stop(&self) {
        self.is_stopped.store(true, SeqCst);
        self.set(STOPPED);
    }

    /// Whether somebody stopped it, whatever happened before: what runs may be cut short.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(SeqCst)
    }

    /// Nothing more runs because of `reason`. Says whether that was news.
    pub fn poison(&self, reason: &str) -> bool {
        let mut guard = lock(&self.reason);
        let is_news = self.set(POISONED);
        if is_news {
            reason.clone_into(&mut guard);
        }
        is_news
    }

    /// The device is lost from now on, for the reason that `act` gives, which runs once nothing new begins. Answers
    /// when, where that is news.
    pub fn lose(&self, now: &dyn Fn() -> Nanos, act: impl FnOnce() -> String) -> Option<Nanos> {
        let mut guard = lock(&self.reason);
        let before = self.lost.swap(UNKNOWN, SeqCst);
        // What has failed can be lost, and opened anew then.
        let from_failure = || self.code.compare_exchange(POISONED, LOST, SeqCst, SeqCst);
        if !self.set(LOST) && from_failure().is_err() {
            self.lost.store(before, SeqCst);
            return None;
        }
        // Read after the loss is seen: what looked before and saw none ended before this time.
        let time = now();
        self.lost.store(time.0, SeqCst);
        self.losses.fetch_add(1, SeqCst);
        *guard = act();
        Some(time)
    }

    /// When the device was lost, which it is, or was: it may have been opened anew since whoever asks looked.
    pub fn lost_at(&self) -> Nanos {
        loop {
            match self.lost.load(SeqCst) {
                UNKNOWN => std::hint::spin_loop(),
                time => return Nanos(time),
            }
        }
    }

    /// Whether the device is lost.
    pub fn is_lost(&self) -> bool {
        self.code.load(SeqCst) == LOST
    }

    /// Whether it failed or was lost, so that nothing more comes to what is pending.
    pub fn has_failed(&self) -> bool {
        matches!(self.code.load(SeqCst), POISONED | LOST)
    }

    /// How often the device was lost.
    pub fn losses(&self) -> u64 {
        self.losses.load(SeqCst)
    }

    /// Whether a wait that began when there had been so many losses was for a device that is there still: it may have been
    /// lost and opened anew before who waited looks.
    ///
    /// # Errors
    /// It was lost meanwhile.
    pub fn lost_since(&self, losses: u64) -> Result<(), BackendError> {
        // Whoever loses it holds the reason until all of the loss is known.
        let reason = lock(&self.reason);
        if self.losses() == losses {
            return Ok(());
        }
        Err(BackendError::Lost(reason.clone()))
    }

    /// Whether what runs may be cut short: nobody will see what it comes to.
    pub fn is_void(&self) -> bool {
        self.is_stopped() || self.is_lost()
    }

    /// The device was opened anew after a loss. Says whether it was lost.
    pub fn reopen(&self) -> bool {
        if !self.is_lost() {
            return false;
        }
        self.code.compare_exchange(LOST, 0, SeqCst, SeqCst).is_ok()
    }

    fn set(&self, code: u8) -> bool {
        self.code.compare_exchange(0, code, SeqCst, SeqCst).is_ok()
    }

    /// The device's status.
    pub fn status(&self) -> DeviceStatus {
        match self.cause() {
            Some(TerminationCause::Poisoned) => DeviceStatus::Poisoned(lock(&self.reason).clone()),
            Some(TerminationCause::Lost) => DeviceStatus::Lost(lock(&self.reason).clone()),
            _ => DeviceStatus::Working,
        }
    }

    /// What a call that blocked comes to, where nothing more runs.
    pub fn check(&self) -> Result<(), BackendError> {
        match self.cause() {
            None => Ok(()),
            Some(TerminationCause::Stopped) => Err(BackendError::Stopped),
            Some(TerminationCause::Lost) => Err(BackendError::Lost(lock(&self.reason).clone())),
            Some(TerminationCause::Poisoned) => {
                Err(BackendError::Poisoned(lock(&self.reason).clone()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_saw_a_loss_hears_when_it_was_also_once_the_device_is_open_again() {
        let condition = DeviceCondition::default();
        let lose = |time| condition.lose(&|| Nanos(time), String::new);
        assert_eq!(lose(7), Some(Nanos(7)));
        assert_eq!(lose(8), None);
        assert_eq!(condition.lost_at(), Nanos(7));
        assert!(condition.reopen());
        // One that finds no time waits for it.
        assert_eq!(condition.lost.load(SeqCst), 7);
        assert_eq!(lose(9), Some(Nanos(9)));
        assert_eq!(condition.lost_at(), Nanos(9));
    }
}
