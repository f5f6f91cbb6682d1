//! What ends the waits of host threads, and how they begin again after a loss.

use super::cost;
use super::host::{HostState, MockWait};
use super::simulation::Simulation;
use crate::BackendError;
use device::TerminationCause;
use record::time::Nanos;

/// Why host threads no longer wait for each other. A loss alone is no such reason: the other host still calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostWaitEnd {
    /// The workload is about to begin again.
    Interrupted,
    /// The run was stopped.
    Stopped,
}

impl MockWait {
    /// Whether the device is waited for, rather than another host thread or a promise.
    pub const fn is_of_device(&self) -> bool {
        !matches!(self, Self::Signal(_) | Self::Flag(_))
    }
}

impl Simulation {
    /// Makes host threads ready whose wait came true by `time`, or will not come true any more.
    pub fn wake(&mut self, time: Nanos) {
        for place in 0..self.hosts.len() {
            let state = self.hosts.get(place).map(|host| &host.state);
            let is_met = match state {
                Some(HostState::Blocked(until, _)) => {
                    self.may_wait(until).is_err() || self.is_met(until)
                }
                _ => false,
            };
            if let (true, Some(host)) = (is_met, self.hosts.get_mut(place)) {
                host.clock = host.clock.max(time) + cost::WAKE;
                host.state = HostState::Ready;
            }
        }
    }

    /// Whether a host thread may go on waiting for this. Work comes to an end on a device that failed as well (rule A47).
    ///
    /// # Errors
    /// What it waits for will not come true any more.
    pub fn may_wait(&self, until: &MockWait) -> Result<(), BackendError> {
        match self.check(until) {
            Err(BackendError::Poisoned(_))
                if matches!(until, MockWait::Mark(..) | MockWait::Streams(..)) =>
            {
                Ok(())
            }
            other => other,
        }
    }

    /// What a host thread hears that waited for this.
    ///
    /// # Errors
    /// Why nothing more runs, or begins.
    pub fn check(&self, until: &MockWait) -> Result<(), BackendError> {
        match (self.released, self.cause) {
            (Some(HostWaitEnd::Stopped), _) | (None, Some(TerminationCause::Stopped)) => {
                Err(BackendError::Stopped)
            }
            (_, Some(TerminationCause::Lost)) if until.is_of_device() => {
                Err(BackendError::Lost(self.reason.clone()))
            }
            (_, Some(TerminationCause::Poisoned)) if until.is_of_device() => {
                Err(BackendError::Poisoned(self.reason.clone()))
            }
            (Some(HostWaitEnd::Interrupted), _) => {
                Err(BackendError::Lost("the workload begins again".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Host threads wait for each other no longer.
    pub fn release(&mut self, released: HostWaitEnd) {
        if self.released != Some(HostWaitEnd::Stopped) {
            self.released = Some(released);
        }
        self.wake(self.time);
    }

    /// Begins anew after a loss: no event is recorded, and streams are free from now on.
    pub fn reopen(&mut self) {
        if self.cause == Some(TerminationCause::Lost) {
            self.cause = None;
            self.generation += 1;
        }
        self.latest.fill(None);
        for stream in &mut self.streams {
            stream.free_at = stream.free_at.max(self.time);
        }
    }

    /// Lets host threads call from the beginning, from now on.
    pub fn rewind(&mut self) {
        // The first call of one comes after the last of all.
        self.time = self.now();
        self.signals.fill(None);
        for stream in &mut self.streams {
            (stream.trouble, stream.is_stopped) = (None, false);
            stream.free_at = self.time;
        }
        for host in &mut self.hosts {
            host.clock = self.time;
            host.state = HostState::Ready;
        }
        if self.released == Some(HostWaitEnd::Interrupted) {
            self.released = None;
        }
    }
}
