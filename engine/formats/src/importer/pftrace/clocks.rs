//! Timestamps of any clock of a file, as nanoseconds of the one that all others are converted to.

use std::collections::HashMap;

use crate::perfetto::proto::{BOOTTIME, ClockSnapshot};

/// The clock that counts from 1970.
const REALTIME: u32 = 1;
/// Clocks from this number on belong to one writer.
const OWN_CLOCKS: u32 = 64;

/// What the file has said of its clocks.
#[derive(Default)]
pub(super) struct PftraceClocks {
    known: HashMap<(u32, u32), ClockPoint>,
    /// Timestamps of clocks that no snapshot names.
    pub unknown: u64,
    /// What is added to a time for nanoseconds since 1970, where a snapshot says it.
    since_1970: Option<i64>,
    /// The clock that all others are converted to, where the first snapshot names one.
    primary: Option<u32>,
}

/// A clock at one instant.
struct ClockPoint {
    reading: i64,
    nanos: i64,
    tick: i64,
    /// Where timestamps count from the one before: the one before.
    last: Option<i64>,
}

/// A clock of the whole file, or of one writer.
fn key(sequence: u32, clock: u32) -> (u32, u32) {
    (if clock < OWN_CLOCKS { 0 } else { sequence }, clock)
}

fn narrow(timestamp: u64) -> i64 {
    i64::try_from(timestamp).unwrap_or(i64::MAX)
}

impl PftraceClocks {
    /// Takes readings of several clocks at one instant.
    pub fn snapshot(&mut self, sequence: u32, snapshot: &ClockSnapshot) {
        let reading_of = |id: u32| {
            let found = snapshot.clocks.iter().find(|it| it.clock_id == Some(id));
            found.map(|it| narrow(it.timestamp.unwrap_or(0)))
        };
        let named = snapshot
            .primary_trace_clock
            .and_then(|id| u32::try_from(id).ok());
        self.primary = self.primary.or(named);
        // A writer's own snapshot may name another of the clocks that everybody knows, which was converted before.
        let known = || {
            let mut clocks = snapshot.clocks.iter();
            clocks.find_map(|it| {
                let id = it.clock_id.filter(|id| *id < OWN_CLOCKS)?;
                let known = self.known.get(&key(sequence, id))?;
                Some(known.at(narrow(it.timestamp.unwrap_or(0))))
            })
        };
        let nanos = reading_of(self.primary())
            .or_else(known)
            .or_else(|| reading_of(BOOTTIME))
            .or_else(|| {
                let first = snapshot.clocks.first()?;
                Some(narrow(first.timestamp.unwrap_or(0)))
            });
        if let (Some(real), Some(nanos), None) = (reading_of(REALTIME), nanos, self.since_1970) {
            self.since_1970 = Some(real.saturating_sub(nanos));
        }
        for clock in &snapshot.clocks {
            let reading = narrow(clock.timestamp.unwrap_or(0));
            let known = ClockPoint {
                reading,
                nanos: nanos.unwrap_or(0),
                tick: clock.unit_multiplier_ns.map_or(1, narrow).max(1),
                last: clock.is_incremental.unwrap_or(false).then_some(reading),
            };
            let id = clock.clock_id.unwrap_or(0);
            self.known.insert(key(sequence, id), known);
        }
    }

    /// A time in nanoseconds since 1970, where the file says what that is.
    pub fn unix(&self, time: i64) -> Option<i64> {
        Some(time.saturating_add(self.since_1970?))
    }

    /// The instant of a packet's timestamp, in nanoseconds.
    pub fn time(&mut self, sequence: u32, clock: u32, timestamp: u64) -> i64 {
        let timestamp = narrow(timestamp);
        if clock == self.primary() {
            return timestamp;
        }
        let Some(known) = self.known.get_mut(&key(sequence, clock)) else {
            self.unknown += 1;
            return timestamp;
        };
        let reading = match &mut known.last {
            Some(last) => {
                *last = last.saturating_add(timestamp);
                *last
            }
            None => timestamp,
        };
        known.at(reading)
    }

    fn primary(&self) -> u32 {
        self.primary.unwrap_or(BOOTTIME)
    }
}

impl ClockPoint {
    /// A reading in nanoseconds.
    fn at(&self, reading: i64) -> i64 {
        let ticks = reading.saturating_sub(self.reading);
        self.nanos.saturating_add(ticks.saturating_mul(self.tick))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perfetto::proto::ClockReading;

    #[test]
    fn clocks_are_converted() {
        let clock = |id, timestamp| ClockReading {
            clock_id: Some(id),
            timestamp: Some(timestamp),
            ..ClockReading::default()
        };
        let counting = ClockReading {
            is_incremental: Some(true),
            unit_multiplier_ns: Some(1000),
            ..clock(64, 5)
        };
        let mut clocks = PftraceClocks::default();
        clocks.snapshot(
            7,
            &ClockSnapshot {
                clocks: vec![clock(BOOTTIME, 1_000_000), clock(3, 400), counting],
                primary_trace_clock: None,
            },
        );
        assert_eq!(clocks.time(1, BOOTTIME, 42), 42);
        assert_eq!(clocks.time(1, 3, 500), 1_000_100);
        assert_eq!(clocks.time(7, 64, 2), 1_002_000);
        assert_eq!(clocks.time(7, 64, 3), 1_005_000);
        assert_eq!(clocks.unknown, 0);
        assert_eq!(clocks.time(8, 64, 3), 3);
        assert_eq!(clocks.unknown, 1);
    }

    /// Chromium's file counts by the monotonic clock, and each writer's snapshot has that one alone.
    #[test]
    fn the_clock_that_the_file_names_is_the_one_that_counts() {
        let clock = |id, timestamp| ClockReading {
            clock_id: Some(id),
            timestamp: Some(timestamp),
            ..ClockReading::default()
        };
        let snapshot = |clocks: &[ClockReading], primary| ClockSnapshot {
            clocks: clocks.to_vec(),
            primary_trace_clock: primary,
        };
        let mut clocks = PftraceClocks::default();
        let service = [clock(BOOTTIME, 1_000), clock(3, 1_140)];
        clocks.snapshot(1, &snapshot(&service, Some(3)));
        assert_eq!(clocks.time(1, 3, 5_000), 5_000);
        assert_eq!(clocks.time(1, BOOTTIME, 1_000), 1_140);
        // Without the clock that counts, another that is known leads to it.
        clocks.snapshot(9, &snapshot(&[clock(BOOTTIME, 2_000), clock(70, 7)], None));
        assert_eq!(clocks.time(9, 70, 8), 2_141);
    }
}
