//! Context switches of a thread, as the kernel tells them to the thread itself: when it left its core, whether it could have run
//! on, and when it had a core again.

#[cfg(target_os = "linux")]
mod perf_ring;
mod switch_records;

use record::time::{Interval, Nanos};
use record::{NameId, ThreadInterval, ThreadState};

use switch_records::{SwitchRecord, SwitchRecords};

/// So often the two clocks are read side by side: a thread that lost its core between them would be told the wrong difference.
#[cfg(target_os = "linux")]
const ATTEMPTS: usize = 5;
/// So many bytes wait for whoever asks, before it is worth it to look at them.
const WORTH: usize = 32 * switch_records::SWITCH;

/// Follows how the thread that made it is scheduled. What woke the thread is not told, and neither is when: having left its core
/// to wait, it is off its core until it has one again.
pub struct ContextSwitches {
    #[cfg(target_os = "linux")]
    ring: perf_ring::PerfRing,
    timeline: SwitchTimeline,
}

impl ContextSwitches {
    /// Begins to follow the calling thread, whose time is `now`.
    ///
    /// # Errors
    /// The system does not tell, for this reason.
    #[cfg(target_os = "linux")]
    pub fn of_this_thread(now: impl Fn() -> Nanos) -> Result<Self, String> {
        let ring = perf_ring::PerfRing::of_this_thread()?;
        // The time first: should the thread change its core between the two, a switch after that time tells of it.
        let start = perf_ring::clock();
        let core = perf_ring::core();
        let offset = offset(perf_ring::clock, now);
        let timeline = SwitchTimeline::new(offset, (start, core));
        Ok(Self { ring, timeline })
    }

    /// Begins to follow the calling thread, whose time is `now`.
    ///
    /// # Errors
    /// The system does not tell, for this reason.
    #[cfg(not(target_os = "linux"))]
    pub fn of_this_thread(_now: impl Fn() -> Nanos) -> Result<Self, String> {
        Err("only Linux tells a program of its context switches".to_owned())
    }

    /// What became of the thread since it was asked last, once that is worth a look.
    pub fn take(&mut self) -> Vec<ThreadInterval> {
        self.read(WORTH)
    }

    /// What became of the thread since it was asked last, up to `now`, and how many switches were told while nobody asked and
    /// had no room. Nothing is followed from here on.
    pub fn finish(mut self, now: Nanos) -> (Vec<ThreadInterval>, u64) {
        let mut states = self.read(0);
        states.extend(self.timeline.end(now));
        (states, self.timeline.lost)
    }

    fn read(&mut self, least: usize) -> Vec<ThreadInterval> {
        let mut states = Vec::new();
        #[cfg(target_os = "linux")]
        if let Some(bytes) = self.ring.take(least) {
            for record in SwitchRecords::new(&bytes) {
                states.extend(self.timeline.take(record));
            }
        }
        states
    }
}

/// What is added to the time of one clock for that of another, by the two readings of the one that stood closest around the other's.
#[cfg(target_os = "linux")]
fn offset(clock: impl Fn() -> Nanos, now: impl Fn() -> Nanos) -> Nanos {
    let readings = (0..ATTEMPTS).map(|_| (clock(), now(), clock()));
    let closest = readings.min_by_key(|(before, _, after)| *after - *before);
    closest.map_or(Nanos::ZERO, |(before, now, after)| {
        now - before - Nanos((after - before).0 / 2)
    })
}

/// From switches to states.
struct SwitchTimeline {
    /// What is added to the kernel's time for that of the capture.
    offset: Nanos,
    /// When it began, by the kernel's time. What the kernel told of before is passed over.
    start: Nanos,
    /// When the last switch was, by the capture's time: the kernel's may go back a little where it is adjusted.
    latest: Nanos,
    /// What the thread is, and since when; nothing while that is not known.
    open: Option<ThreadInterval>,
    lost: u64,
}

impl SwitchTimeline {
    /// Of a thread that runs on a core at an instant of the kernel's time.
    fn new(offset: Nanos, (start, core): (Nanos, Option<u32>)) -> Self {
        Self {
            offset,
            start,
            latest: start + offset,
            open: Some(open(start + offset, ThreadState::Running, core)),
            lost: 0,
        }
    }

    /// Takes what the kernel told; gives the state that ended with it.
    fn take(&mut self, record: SwitchRecord) -> Option<ThreadInterval> {
        let (time, state, core) = match record {
            SwitchRecord::In { time, core } => (time, ThreadState::Running, Some(core)),
            SwitchRecord::Out { time, is_ready } => {
                let state = if is_ready {
                    ThreadState::Runnable
                } else {
                    ThreadState::OffCpu
                };
                (time, state, None)
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
        let at = self.latest.max(time + self.offset);
        self.latest = at;
        let ended = self.end(at);
        // Without the switch before, it is not known since when it ran: it cannot have left a core without one.
        self.open = Some(open(at, state, core));
        ended
    }

    /// The state that holds, up to an instant.
    fn end(&mut self, at: Nanos) -> Option<ThreadInterval> {
        let mut ended = self.open.take()?;
        ended.interval.end = at.max(ended.interval.start);
        Some(ended)
    }
}

const fn open(start: Nanos, state: ThreadState, core: Option<u32>) -> ThreadInterval {
    ThreadInterval {
        interval: Interval { start, end: start },
        state,
        core,
        waker: NameId::NONE,
    }
}

#[cfg(test)]
mod tests;
