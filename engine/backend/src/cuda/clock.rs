//! The device's clock: records of events are compared with an anchor, whose moment the host knows.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::code::Code;
use super::event::{Event, Events, Lent};
use super::stream::Stream;
use crate::threads::Zero;
use device::lock;
use record::time::Nanos;

/// How long an anchor is good for: beyond that the driver's times, which are floats, lose their last microsecond.
const GOOD: Duration = Duration::from_millis(500);
/// How often a moment is read, to take the tightest.
const TRIES: usize = 8;

/// An event whose moment the host knows.
pub struct Anchor {
    event: Lent,
    moment: Instant,
}

/// The clock.
pub struct Clock {
    stream: Stream,
    events: Arc<Events>,
    state: Mutex<State>,
}

struct State {
    anchor: Arc<Anchor>,
    uncertainty: Duration,
}

impl Clock {
    /// Reads the device's clock through a stream of its own.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(stream: Stream, events: &Arc<Events>) -> Result<Self, Code> {
        let mut best: Option<(Anchor, Duration)> = None;
        for _ in 0..TRIES {
            let (event, before, after) = read(&stream, events)?;
            let width = after - before;
            if best.as_ref().is_none_or(|(_, known)| width < *known) {
                let moment = before + width / 2;
                best = Some((Anchor { event, moment }, width));
            }
        }
        let none = || Code::new(999, String::new(), "the clock was never read".to_owned());
        let (anchor, width) = best.ok_or_else(none)?;
        Ok(Self {
            stream,
            events: Arc::clone(events),
            state: Mutex::new(State {
                anchor: Arc::new(anchor),
                uncertainty: width / 2,
            }),
        })
    }

    /// The anchor for what is given to the device now: a new one where the last is too old.
    ///
    /// # Errors
    /// What the driver says.
    pub fn anchor(&self) -> Result<Arc<Anchor>, Code> {
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
        state.anchor = Arc::new(Anchor { event, moment });
        Ok(Arc::clone(&state.anchor))
    }

    /// How far a time may be off, either way.
    pub fn uncertainty(&self) -> Nanos {
        Nanos::from_duration(lock(&self.state).uncertainty)
    }
}

impl Anchor {
    /// The time of the record of `event`.
    ///
    /// # Errors
    /// What the driver says.
    pub fn time(&self, event: &Event, zero: Zero) -> Result<Nanos, Code> {
        let later = event.since(&self.event)?;
        let moment = self.moment.saturating_duration_since(zero.0);
        let earlier = zero.0.saturating_duration_since(self.moment);
        let base = Nanos::from_duration(moment) - Nanos::from_duration(earlier);
        Ok(base + Nanos(later.round() as i64))
    }
}

/// Reads the device's clock: an event, and the moments between which it was recorded.
fn read(stream: &Stream, events: &Arc<Events>) -> Result<(Lent, Instant, Instant), Code> {
    let event = events.lend()?;
    let before = Instant::now();
    stream.record(&event, false)?;
    event.wait()?;
    Ok((event, before, Instant::now()))
}
