//! How a device whose streams are threads is lost, and how it begins anew.

use std::time::{Duration, Instant};

use super::ThreadedDevice;
use crate::threads::Executor;
use crate::{BackendError, DeviceRecovery, DeviceState as _, LossReport};
use device::DeviceStatus;
use record::LossKind;
use record::time::Nanos;

/// How long what was submitted to a lost device may take to come to an end.
const DRAIN: Duration = Duration::from_secs(10);

/// How often it is looked whether everything has.
const LOOK: Duration = Duration::from_millis(10);

impl<E: Executor> DeviceRecovery for ThreadedDevice<E> {
    fn status(&self) -> DeviceStatus {
        self.shared.condition.status()
    }

    fn lose(&self, kind: LossKind) -> LossReport {
        let mut fall = None;
        let mut reason = format!("{} on purpose", kind.label());
        let time = self.shared.lose_by(|| {
            let fall = fall.insert(self.shared.executor.lose(kind));
            if !fall.message.is_empty() {
                reason = format!("{reason}: {}", fall.message);
            }
            reason.clone()
        });
        LossReport {
            is_news: time.is_some(),
            is_real: fall.as_ref().is_some_and(|fall| fall.is_real),
            time: time.unwrap_or_else(|| self.shared.now()),
            reason,
            how: fall.as_ref().map_or("it was lost before", |fall| fall.how),
            message: fall.map(|fall| fall.message).unwrap_or_default(),
        }
    }

    fn lost_at(&self) -> Option<Nanos> {
        let condition = &self.shared.condition;
        condition.is_lost().then(|| condition.lost_at())
    }

    fn drain(&self) -> Result<(), BackendError> {
        let deadline = Instant::now() + DRAIN;
        while !self.wait_idle(LOOK) {
            self.shared.wake_all();
            if Instant::now() > deadline {
                return Err(BackendError::TimedOut);
            }
        }
        Ok(())
    }

    fn reopen(&self) -> Result<(), BackendError> {
        self.drain()?;
        self.shared.executor.reopen()?;
        self.shared.reopen();
        Ok(())
    }

    fn rewind(&self) {
        self.shared.rewind();
    }
}
