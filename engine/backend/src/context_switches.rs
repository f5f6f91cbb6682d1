//! Context switches of a thread, as the kernel tells them to the thread itself: when it left its core, whether it could have run
//! on, and when it had a core again.

use cuda_recorder::{SwitchInterval, SwitchState, ThreadSwitches};
use record::time::{Interval, Nanos};
use record::{NameId, ThreadInterval, ThreadState};

/// So often the two clocks are read side by side: a thread that lost its core between them would be told the wrong difference.
const ATTEMPTS: usize = 5;

/// Follows how the thread that made it is scheduled. What woke the thread is not told, and neither is when: having left its core
/// to wait, it is off its core until it has one again.
pub struct ContextSwitches {
    switches: ThreadSwitches,
    /// What is added to the kernel's time for that of the capture.
    offset: Nanos,
}

impl ContextSwitches {
    /// Begins to follow the calling thread, whose time is `now`.
    ///
    /// # Errors
    /// The system does not tell, for this reason.
    pub fn of_this_thread(now: impl Fn() -> Nanos) -> Result<Self, String> {
        let switches = ThreadSwitches::of_this_thread()?;
        let clock = || Nanos(cuda_recorder::now() as i64);
        let offset = offset(clock, now);
        Ok(Self { switches, offset })
    }

    /// What became of the thread since it was asked last, once that is worth a look.
    pub fn take(&mut self) -> Vec<ThreadInterval> {
        let states = self.switches.take(false).into_iter();
        states.map(|it| interval(it, self.offset)).collect()
    }

    /// What became of the thread since it was asked last, up to `now`, and how many switches were told while nobody asked and
    /// had no room. Nothing is followed from here on.
    pub fn finish(mut self, now: Nanos) -> (Vec<ThreadInterval>, u64) {
        let at = u64::try_from((now - self.offset).0).unwrap_or_default();
        let states = self.switches.finish(at).into_iter();
        let states = states.map(|it| interval(it, self.offset)).collect();
        (states, self.switches.lost())
    }
}

/// What is added to the time of one clock for that of another, by the two readings of the one that stood closest around the other's.
fn offset(clock: impl Fn() -> Nanos, now: impl Fn() -> Nanos) -> Nanos {
    let readings = (0..ATTEMPTS).map(|_| (clock(), now(), clock()));
    let closest = readings.min_by_key(|(before, _, after)| *after - *before);
    closest.map_or(Nanos::ZERO, |(before, now, after)| {
        now - before - Nanos((after - before).0 / 2)
    })
}

/// The same by the capture's time.
fn interval(told: SwitchInterval, offset: Nanos) -> ThreadInterval {
    let at = |time: u64| Nanos(time as i64) + offset;
    let (state, core) = match told.state {
        SwitchState::Running(core) => (ThreadState::Running, core),
        SwitchState::Runnable => (ThreadState::Runnable, None),
        SwitchState::OffCpu => (ThreadState::OffCpu, None),
    };
    ThreadInterval {
        interval: Interval {
            start: at(told.start),
            end: at(told.end),
        },
        state,
        core,
        waker: NameId::NONE,
    }
}

#[cfg(test)]
mod tests;
