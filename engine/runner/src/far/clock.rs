//! How far another machine's clock is from ours, from round trips.

use std::collections::VecDeque;

use record::time::Nanos;

/// Round trips that count: clocks drift, so old ones are forgotten.
const KEPT: usize = 30;

/// A clock compared with ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockOffset {
    /// By how much it is ahead of ours.
    pub ahead: Nanos,
    /// How far that may be off, either way: half of the shortest round trip.
    pub uncertainty: Nanos,
}

/// The latest round trips.
#[derive(Debug, Default)]
pub struct RoundTrips {
    trips: VecDeque<(Nanos, ClockOffset)>,
}

impl RoundTrips {
    /// Takes in a round trip: when it began and ended here, and what the other clock read in between.
    pub fn take(&mut self, sent: Nanos, there: Nanos, received: Nanos) {
        // What the other end says may be any number: that of our own it was to send back as well.
        let length = (received - sent).max(Nanos::ZERO);
        let middle = sent + Nanos(length.0 / 2);
        if self.trips.len() == KEPT {
            self.trips.pop_front();
        }
        let offset = ClockOffset {
            ahead: there - middle,
            uncertainty: Nanos(length.0 / 2 + 1),
        };
        self.trips.push_back((length, offset));
    }

    /// The best that is known: that of the shortest round trip.
    pub fn best(&self) -> Option<ClockOffset> {
        let shortest = self.trips.iter().min_by_key(|(length, _)| *length);
        shortest.map(|(_, offset)| *offset)
    }

    /// The length of the latest round trip.
    pub fn latest(&self) -> Option<Nanos> {
        self.trips.back().map(|(length, _)| *length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_may_say_anything() {
        let ends = [Nanos(i64::MIN), Nanos(-1), Nanos::ZERO, Nanos(i64::MAX)];
        for (sent, there) in ends.iter().flat_map(|it| ends.map(|there| (*it, there))) {
            let mut trips = RoundTrips::default();
            trips.take(sent, there, Nanos(1_000));
            let best = trips.best().unwrap();
            assert!(best.uncertainty > Nanos::ZERO, "{sent:?} {there:?}");
        }
    }

    #[test]
    fn the_shortest_trip_bounds_the_offset() {
        let mut trips = RoundTrips::default();
        assert_eq!(trips.best(), None);
        // The other clock is 1,000 ahead; ways there and back differ.
        trips.take(Nanos(0), Nanos(1_090), Nanos(100));
        trips.take(Nanos(200), Nanos(1_206), Nanos(210));
        let best = trips.best().unwrap();
        assert!((best.ahead.0 - 1_000).abs() <= best.uncertainty.0);
        assert_eq!(best.uncertainty, Nanos(6));
        for k in 0..40 {
            trips.take(Nanos(k), Nanos(k + 2_000), Nanos(k + 50));
        }
        assert!(
            trips.best().unwrap().ahead.0 > 1_900,
            "old trips are forgotten"
        );
    }
}
