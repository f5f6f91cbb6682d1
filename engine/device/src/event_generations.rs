//! The table of events: every record of one makes a new generation, and remembers its span.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::lock;
use record::{EventIndex, SpanId, StreamIndex};

/// A record of an event: which generation it made, where, and the span that did it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedEvent {
    /// Counted from 1 for every event.
    pub generation: u32,
    /// The record's span.
    pub span: SpanId,
    /// The stream it was recorded on.
    pub stream: StreamIndex,
}

/// Why an event cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// There is no such event.
    #[error("there is no event {0}: the device was opened with fewer; add it to the layout")]
    Unknown(u32),
    /// It was released before.
    #[error(
        "event {0} was released: waits that were submitted before stay valid, new uses do not; \
         release it after its last use"
    )]
    Released(u32),
}

/// The events of a device.
///
/// A record and a wait are submitted while the event is locked, so that "the latest record when the
/// wait is called" means the same here and on the device, whichever host threads call.
#[derive(Debug, Default)]
pub struct EventTable {
    slots: Vec<Mutex<EventEntry>>,
    /// By event, what took its last record from it, as [`MissingRecord`]. Beside the locks, since it is asked by
    /// whoever submits a wait, with the event locked.
    taken: Vec<AtomicU8>,
}

/// A record to make: on which stream, and the span that does it.
pub type NewRecord = (StreamIndex, SpanId);

/// Why an event has no record that counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum MissingRecord {
    /// It was never recorded.
    #[default]
    Never,
    /// It was reset after its last record (rule F7).
    Reset,
    /// Its records went with the device, which was opened anew.
    Reopened,
}

impl MissingRecord {
    /// What to say of an event that has no record: “it …”.
    pub const fn says(self) -> &'static str {
        match self {
            Self::Never => "had not been recorded yet",
            Self::Reset => "was reset and not recorded since",
            Self::Reopened => "was not recorded since the device was opened anew",
        }
    }
}

#[derive(Debug, Default)]
struct EventEntry {
    latest: Option<RecordedEvent>,
    generation: u32,
    is_released: bool,
    /// Waits of streams that were submitted for the latest record.
    waits: u32,
}

impl EventEntry {
    fn record(&mut self, (stream, span): NewRecord) -> RecordedEvent {
        self.generation += 1;
        let recorded = RecordedEvent {
            generation: self.generation,
            span,
            stream,
        };
        self.latest = Some(recorded);
        self.waits = 0;
        recorded
    }
}

impl EventTable {
    /// A table of `count` events, none of them recorded.
    pub fn new(count: usize) -> Self {
        Self {
            slots: (0..count).map(|_| Mutex::default()).collect(),
            taken: (0..count).map(|_| AtomicU8::default()).collect(),
        }
    }

    /// Records `event` on `stream`: makes its next generation and submits it with `submit`.
    ///
    /// # Errors
    /// The event does not exist or was released; nothing is submitted then.
    pub fn record<T>(
        &self,
        event: EventIndex,
        stream: StreamIndex,
        span: SpanId,
        submit: impl FnOnce(RecordedEvent) -> T,
    ) -> Result<T, EventError> {
        self.with(event, |slot| submit(slot.record((stream, span))))
    }

    /// Uses the record of `event` that is the latest now; none where it was never recorded (rule A1).
    ///
    /// # Errors
    /// The event does not exist or was released; `take` is not called then.
    pub fn latest<T>(
        &self,
        event: EventIndex,
        take: impl FnOnce(Option<RecordedEvent>) -> T,
    ) -> Result<T, EventError> {
        self.with(event, |slot| take(slot.latest))
    }

    /// As [`EventTable::latest`], for a stream that will wait for it.
    ///
    /// # Errors
    /// As [`EventTable::latest`].
    pub fn wait<T>(
        &self,
        event: EventIndex,
        take: impl FnOnce(Option<RecordedEvent>) -> T,
    ) -> Result<T, EventError> {
        self.with(event, |slot| {
            slot.waits += u32::from(slot.latest.is_some());
            take(slot.latest)
        })
    }

    /// Uses several events at once, for a graph that records some and waits for others: `events` are in order, each once.
    /// What `submit` is given records an event, where it is told that it is one, or else gives its latest record.
    ///
    /// # Errors
    /// One of them does not exist or was released; nothing is submitted then.
    pub fn together<T>(
        &self,
        events: &[EventIndex],
        submit: impl FnOnce(&mut dyn FnMut(EventIndex, Option<NewRecord>) -> Option<RecordedEvent>) -> T,
    ) -> Result<T, EventError> {
        let mut locked = Vec::with_capacity(events.len());
        for event in events {
            let slot = self.slots.get(event.index());
            let slot = lock(slot.ok_or(EventError::Unknown(event.0))?);
            if slot.is_released {
                return Err(EventError::Released(event.0));
            }
            locked.push(slot);
        }
        let mut with = |event: EventIndex, made: Option<NewRecord>| {
            let place = events.binary_search(&event).ok()?;
            let slot = locked.get_mut(place)?;
            if let Some(made) = made {
                return Some(slot.record(made));
            }
            slot.waits += u32::from(slot.latest.is_some());
            slot.latest
        };
        Ok(submit(&mut with))
    }

    /// Makes `event` as if it was never recorded, and submits that with `submit`, which is told the record that it ends
    /// and how many waits were submitted for it. Generations count on (rule F7).
    ///
    /// # Errors
    /// The event does not exist or was released; nothing is submitted then.
    pub fn reset<T>(
        &self,
        event: EventIndex,
        submit: impl FnOnce(Option<RecordedEvent>, u32) -> T,
    ) -> Result<T, EventError> {
        self.with(event, |slot| {
            let (latest, waits) = (slot.latest.take(), std::mem::take(&mut slot.waits));
            if latest.is_some() {
                self.take(event, MissingRecord::Reset);
            }
            submit(latest, waits)
        })
    }

    /// No event was recorded: their device was opened anew. Generations count on.
    pub fn forget(&self) {
        for (place, slot) in (0..).zip(&self.slots) {
            if lock(slot).latest.take().is_some() {
                self.take(EventIndex(place), MissingRecord::Reopened);
            }
        }
    }

    fn take(&self, event: EventIndex, why: MissingRecord) {
        if let Some(taken) = self.taken.get(event.index()) {
            taken.store(why as u8, Relaxed);
        }
    }

    /// Why an event without a record that counts has none.
    pub fn without_record(&self, event: EventIndex) -> MissingRecord {
        let taken = self.taken.get(event.index());
        match taken.map_or(0, |it| it.load(Relaxed)) {
            1 => MissingRecord::Reset,
            2 => MissingRecord::Reopened,
            _ => MissingRecord::Never,
        }
    }

    /// Every event may be used: the workload begins again. Generations count on.
    pub fn restore(&self) {
        for slot in &self.slots {
            lock(slot).is_released = false;
        }
    }

    /// Releases `event` without blocking, and gives its latest generation; waits that were submitted before stay valid (rule
    /// A11).
    ///
    /// # Errors
    /// The event does not exist or was released before.
    pub fn release(&self, event: EventIndex) -> Result<u32, EventError> {
        self.with(event, |slot| {
            slot.is_released = true;
            slot.generation
        })
    }

    fn with<T>(
        &self,
        event: EventIndex,
        act: impl FnOnce(&mut EventEntry) -> T,
    ) -> Result<T, EventError> {
        let slot = self.slots.get(event.index());
        let mut slot = lock(slot.ok_or(EventError::Unknown(event.0))?);
        if slot.is_released {
            return Err(EventError::Released(event.0));
        }
        Ok(act(&mut slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const E: EventIndex = EventIndex(0);
    const S: StreamIndex = StreamIndex(0);

    #[test]
    fn every_record_is_a_new_generation_and_a_wait_takes_the_latest() {
        let events = EventTable::new(1);
        assert_eq!(events.latest(E, |latest| latest), Ok(None));
        let first = events.record(E, S, SpanId(7), |r| r).unwrap();
        assert_eq!((first.generation, first.span), (1, SpanId(7)));
        let taken = events.latest(E, |latest| latest).unwrap().unwrap();
        let second = events.record(E, S, SpanId(9), |r| r).unwrap();
        assert_eq!((taken, second.generation), (first, 2));
        assert_eq!(events.latest(E, |latest| latest), Ok(Some(second)));
    }

    #[test]
    fn a_reset_forgets_the_record_and_counts_who_waits() {
        let events = EventTable::new(1);
        let first = events.record(E, S, SpanId(7), |r| r).unwrap();
        events.wait(E, |_| ()).unwrap();
        assert_eq!(
            events.reset(E, |latest, waits| (latest, waits)),
            Ok((Some(first), 1))
        );
        assert_eq!(events.latest(E, |latest| latest), Ok(None));
        assert_eq!(events.without_record(E), MissingRecord::Reset);
        assert_eq!(
            events.reset(E, |latest, waits| (latest, waits)),
            Ok((None, 0))
        );
        assert_eq!(events.record(E, S, SpanId(8), |r| r.generation), Ok(2));
    }

    #[test]
    fn a_released_event_refuses_new_uses_and_a_second_release() {
        let events = EventTable::new(1);
        events.record(E, S, SpanId(0), |_| ()).unwrap();
        events.release(E).unwrap();
        assert_eq!(events.latest(E, |_| ()), Err(EventError::Released(0)));
        assert_eq!(events.release(E), Err(EventError::Released(0)));
        let unknown = events.record(EventIndex(4), S, SpanId(1), |_| ());
        assert_eq!(unknown, Err(EventError::Unknown(4)));
    }
}
