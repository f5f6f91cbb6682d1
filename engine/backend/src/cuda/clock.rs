//! The device's clock: records of events are compared with an anchor, whose moment the host knows.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::code::DriverErrorCode;
use super::event::{BorrowedEvent, CudaEvent, CudaEventPool};
use super::stream::CudaStream;
use crate::threads::TimeOrigin;
use device::lock;
use record::time::Nanos;

/// How long an anchor is good for: beyond that the driver's times, which are floats, lose their last microsecond.
const GOOD: Duration = Duration::from_millis(500);
/// How far the device's clock runs off the host's while an anchor is good: 12 to 15 µs a second, on an H100.
const DRIFT: Duration = Duration::from_micros(8);
/// How often a moment is read, to take the tightest.
const TRIES: usize = 8;

/// An event whose moment the host knows.
pub struct ClockAnchor {
    event: BorrowedEvent,
    moment: Instant,
}

/// The clock.
pub struct CudaClock {
    stream: CudaStream,
    events: Arc<CudaEventPool>,
    state: Mutex<CudaClockState>,
}

struct CudaClockState {
    anchor: Arc<ClockAnchor>,
    uncertainty: Duration,
}

impl CudaClock {
    /// Reads the device's clock through a stream of its own.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(stream: CudaStream, events: &Arc<CudaEventPool>) -> Result<Self, DriverErrorCode> {
        let mut best: Option<(ClockAnchor, Duration)> = None;
        for _ in 0..TRIES {
            let (event, before, after) = read(&stream, events)?;
            let width = after - before;
            if best.as_ref().is_none_or(|(_, known)| width < *known) {
                let moment = before + width / 2;
                best = Some((ClockAnchor { event, moment }, width));
            }
        }
        let none =
            || DriverErrorCode::new(999, String::new(), "the clock was never read".to_owned());
        let (anchor, width) = best.ok_or_else(none)?;
        Ok(Self {
            stream,
            events: Arc::clone(events),
            state: Mutex::new(CudaClockState {
                anchor: Arc::new(anchor),
                uncertainty: width / 2 + DRIFT,
            }),
        })
    }

    /// The anchor for what is given to the device now: a new one where the last is too old.
    ///
    /// # Errors
    /// What the driver says.
    pub fn anchor(&self) -> Result<Arc<ClockAnchor>, DriverErrorCode> {
        let mut state = lock(&self.state);
        if state.anchor.moment.elapsed() < GOOD {
            return Ok(Arc::clone(&state.anchor));
        }
        let (event, before, after) = read(&self.stream, &self.events)?;
        // By the device's own clock; what the host saw moves it only where it proves that wrong.
        let later = event.since(&state.anchor.event)?;
        let moment = state
            .anchor
            .moment
            .checked_add(Duration::from_nanos(later.max(0.0) as u64))
            .unwrap_or(after);
        let moment = moment.clamp(before, after);
        state.anchor = Arc::new(ClockAnchor { event, moment });
        Ok(Arc::clone(&state.anchor))
    }

    /// How far a time may be off, either way.
    pub fn uncertainty(&self) -> Nanos {
        Nanos::from_duration(lock(&self.state).uncertainty)
    }
}

impl ClockAnchor {
    /// The time of the record of `event`.
    ///
    /// # Errors
    /// What the driver says.
    pub fn time(&self, event: &CudaEvent, zero: TimeOrigin) -> Result<Nanos, DriverErrorCode> {
        let later = event.since(&self.event)?;
        let moment = self.moment.saturating_duration_since(zero.0);
        let earlier = zero.0.saturating_duration_since(self.moment);
        let base = Nanos::from_duration(moment) - Nanos::from_duration(earlier);
        Ok(base + Nanos(later.round() as i64))
    }
}

/// Reads the device's clock: an event, and the moments between which it was recorded.
fn read(
    stream: &CudaStream,
    events: &Arc<CudaEventPool>,
) -> Result<(BorrowedEvent, Instant, Instant), DriverErrorCode> {
    let event = events.lend()?;
    let before = Instant::now();
    stream.record(&event, false)?;
    event.wait()?;
    Ok((event, before, Instant::now()))
}
