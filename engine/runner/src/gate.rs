//! Where host threads pass before each call: pause, step, stop and pace.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Pace;
use backend::{BackendError, HostIndex};
use device::lock;

/// Where host threads pass before each call. Costs one atomic load while it is open.
#[derive(Debug, Default)]
pub struct Gate {
    is_free: AtomicBool,
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    is_paused: bool,
    is_stopped: bool,
    pace: Pace,
    /// Calls that may be made although it is paused.
    steps: u64,
    /// Who waits while it is paused, in order of arrival: the front has the turn.
    waiting: VecDeque<HostIndex>,
    last: Vec<(HostIndex, Instant)>,
}

impl Gate {
    /// A gate that is closed where `paused`.
    pub fn new(paused: bool, pace: Pace) -> Self {
        let gate = Self::default();
        gate.change(|state| {
            state.is_paused = paused;
            state.pace = pace;
        });
        gate
    }

    /// Holds every host thread before its next call.
    pub fn pause(&self) {
        self.change(|state| state.is_paused = true);
    }

    /// Whether host threads are held.
    pub fn is_paused(&self) -> bool {
        lock(&self.state).is_paused
    }

    /// Lets them go on.
    pub fn resume(&self) {
        self.change(|state| {
            state.is_paused = false;
            state.steps = 0;
        });
    }

    /// Lets exactly one more call be made, and pauses.
    pub fn step(&self) {
        self.change(|state| {
            state.is_paused = true;
            state.steps += 1;
        });
    }

    /// Lets no call be made ever again.
    pub fn stop(&self) {
        self.change(|state| state.is_stopped = true);
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        lock(&self.state).is_stopped
    }

    /// Sets how fast calls are made.
    pub fn pace(&self, pace: Pace) {
        self.change(|state| state.pace = pace);
    }

    /// Returns when `host` may make its next call.
    ///
    /// # Errors
    /// No further calls are made.
    pub fn pass(&self, host: HostIndex) -> Result<(), BackendError> {
        if self.is_free.load(SeqCst) {
            return Ok(());
        }
        let mut state = lock(&self.state);
        loop {
            if state.is_stopped {
                return Err(BackendError::Stopped);
            }
            let due = state.due(host);
            if due.is_zero() && state.may_go(host) {
                state.go(host);
                self.changed.notify_all();
                return Ok(());
            }
            state = if due.is_zero() {
                let woken = self.changed.wait(state);
                woken.unwrap_or_else(PoisonError::into_inner)
            } else {
                let woken = self.changed.wait_timeout(state, due);
                woken.unwrap_or_else(PoisonError::into_inner).0
            };
        }
    }

    fn change(&self, change: impl FnOnce(&mut GateState)) {
        let mut state = lock(&self.state);
        change(&mut state);
        let is_free = !state.is_paused && !state.is_stopped && state.pace == Pace::Full;
        self.is_free.store(is_free, SeqCst);
        if !state.is_paused {
            state.waiting.clear();
        }
        self.changed.notify_all();
    }
}

impl GateState {
    /// How long until `host` may call, for its pace alone.
    fn due(&self, host: HostIndex) -> Duration {
        let Pace::CallsPerSecond(rate) = self.pace else {
            return Duration::ZERO;
        };
        // A pace of nothing, or less, is one call in a quarter of an hour: never a pause in disguise.
        let gap = Duration::from_secs_f64(1.0 / rate.max(0.001));
        let last = self.last.iter().find(|(other, _)| *other == host);
        last.map_or(Duration::ZERO, |(_, last)| {
            gap.saturating_sub(last.elapsed())
        })
    }

    fn may_go(&mut self, host: HostIndex) -> bool {
        if !self.is_paused {
            return true;
        }
        if !self.waiting.contains(&host) {
            self.waiting.push_back(host);
        }
        self.steps > 0 && self.waiting.front() == Some(&host)
    }

    fn go(&mut self, host: HostIndex) {
        if self.is_paused {
            self.steps -= 1;
            self.waiting.pop_front();
        }
        if self.pace != Pace::Full {
            self.last.retain(|(other, _)| *other != host);
            self.last.push((host, Instant::now()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn a_step_lets_exactly_one_call_pass() {
        let gate = Gate::new(true, Pace::Full);
        let passed = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for host in 0..3 {
                let (gate, passed) = (&gate, &passed);
                scope.spawn(move || {
                    while gate.pass(HostIndex(host)).is_ok() {
                        passed.fetch_add(1, SeqCst);
                    }
                });
            }
            for expected in 1..=20 {
                gate.step();
                while passed.load(SeqCst) < expected {
                    std::thread::yield_now();
                }
                std::thread::sleep(Duration::from_millis(1));
                assert_eq!(passed.load(SeqCst), expected);
            }
            gate.stop();
        });
    }

    #[test]
    fn pace_limits_each_host_thread() {
        let gate = Gate::new(false, Pace::CallsPerSecond(200.0));
        let start = Instant::now();
        for _ in 0..5 {
            gate.pass(HostIndex(0)).unwrap();
        }
        assert!(start.elapsed() >= Duration::from_millis(19));
        gate.pace(Pace::Full);
        gate.stop();
        assert_eq!(gate.pass(HostIndex(0)), Err(BackendError::Stopped));
    }
}
