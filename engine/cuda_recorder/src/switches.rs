//! Context switches of threads of this process, as the kernel tells them: when a thread left its core, whether it could have run
//! on, and when it had a core again. Times are those of [`crate::now`].

#[cfg(target_os = "linux")]
mod perf_ring;
#[cfg(unix)]
mod registry;
mod switch_records;

use serde::{Deserialize, Serialize};

#[cfg(unix)]
pub(crate) use registry::SwitchRegistry;
use switch_records::SwitchRecord;

/// So many bytes wait for whoever asks, before it is worth it to look at them.
#[cfg(target_os = "linux")]
const WORTH: usize = 32 * switch_records::SWITCH;

/// What a thread is for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SwitchState {
    /// It has this core, where that is known.
    Running(Option<u32>),
    /// It could run, and has no core.
    Runnable,
    /// It left its core to wait, and has none again.
    OffCpu,
}

/// A stretch of time in which a thread was in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SwitchInterval {
    /// When it began.
    pub start: u64,
    /// When it ended.
    pub end: u64,
    /// The state.
    pub state: SwitchState,
}

/// Follows how a thread is scheduled. What woke the thread is not told, and neither is when: having left its core to wait, it is
/// off its core until it has one again.
#[derive(Debug)]
pub struct ThreadSwitches {
    #[cfg(target_os = "linux")]
    ring: perf_ring::PerfRing,
    timeline: SwitchTimeline,
}

impl ThreadSwitches {
    /// Begins to follow the calling thread.
    ///
    /// # Errors
    /// The system does not tell, for this reason.
    #[cfg(target_os = "linux")]
    pub fn of_this_thread() -> Result<Self, String> {
        let ring = perf_ring::PerfRing::new(None)?;
        // The time first: should the thread change its core between the two, a switch after that time tells of it.
        let start = crate::now();
        let running = SwitchState::Running(perf_ring::core());
        let timeline = SwitchTimeline::new(start, Some(running));
        Ok(Self { ring, timeline })
    }

    /// Begins to follow another thread of this process. What it is up to its first switch is not known.
    ///
    /// # Errors
    /// The system does not tell, for this reason, or the thread has ended.
    #[cfg(target_os = "linux")]
    pub fn of_thread(thread: u32) -> Result<Self, String> {
        let ring = perf_ring::PerfRing::new(Some(thread))?;
        let timeline = SwitchTimeline::new(crate::now(), None);
        Ok(Self { ring, timeline })
    }

    /// Begins to follow the calling thread.
    ///
    /// # Errors
    /// The system does not tell, for this reason.
    #[cfg(not(target_os = "linux"))]
    pub fn of_this_thread() -> Result<Self, String> {
        Err("only Linux tells a program of its context switches".to_owned())
    }

    /// Begins to follow another thread of this process.
    ///
    /// # Errors
    /// The system does not tell, for this reason.
    #[cfg(not(target_os = "linux"))]
    pub fn of_thread(_thread: u32) -> Result<Self, String> {
        Self::of_this_thread()
    }

    /// What became of the thread since it was asked last; nothing yet where that is not `forced` and hardly worth a look.
    pub fn take(&mut self, forced: bool) -> Vec<SwitchInterval> {
        let mut states = Vec::new();
        #[cfg(target_os = "linux")]
        if let Some(bytes) = self.ring.take(if forced { 0 } else { WORTH }) {
            for record in switch_records::SwitchRecords::new(&bytes) {
                states.extend(self.timeline.take(record));
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = forced;
        states
    }

    /// What became of the thread since it was asked last, up to an instant at which it is still there. Nothing is followed from
    /// here on.
    pub fn finish(&mut self, at: u64) -> Vec<SwitchInterval> {
        let mut states = self.take(true);
        states.extend(self.timeline.end(at));
        states
    }

    /// Whether it had a core when it was asked last.
    pub const fn is_running(&self) -> bool {
        matches!(self.timeline.open, Some((_, SwitchState::Running(_))))
    }

    /// How many switches were told so far while nobody asked and had no room.
    pub const fn lost(&self) -> u64 {
        self.timeline.lost
    }
}

/// From switches to states.
#[derive(Debug)]
struct SwitchTimeline {
    /// When it began. What the kernel told of before is passed over.
    start: u64,
    /// When the last switch was: the kernel's clock may go back a little where it is adjusted.
    latest: u64,
    /// What the thread is, and since when; nothing while that is not known.
    open: Option<(u64, SwitchState)>,
    lost: u64,
}

impl SwitchTimeline {
    /// Of a thread that is in a state at an instant, where that is known.
    fn new(start: u64, state: Option<SwitchState>) -> Self {
        Self {
            start,
            latest: start,
            open: state.map(|state| (start, state)),
            lost: 0,
        }
    }

    /// Takes what the kernel told; gives the state that ended with it.
    fn take(&mut self, record: SwitchRecord) -> Option<SwitchInterval> {
        let (time, state) = match record {
            SwitchRecord::In { time, core } => (time, SwitchState::Running(Some(core))),
            SwitchRecord::Out { time, is_ready } => {
                let state = if is_ready {
                    SwitchState::Runnable
                } else {
                    SwitchState::OffCpu
                };
                (time, state)
            }
            SwitchRecord::Lost(count) => {
                self.lost += count;
                self.open = None;
                return None;
            }
        };
        if time < self.start {
            return None;
        }
        let at = self.latest.max(time);
        self.latest = at;
        let ended = self.end(at);
        // Without the switch before, it is not known since when it ran: it cannot have left a core without one.
        self.open = Some((at, state));
        ended
    }

    /// The state that holds, up to an instant.
    fn end(&mut self, at: u64) -> Option<SwitchInterval> {
        let (start, state) = self.open.take()?;
        let end = at.max(start);
        Some(SwitchInterval { start, end, state })
    }
}

#[cfg(test)]
mod tests;
