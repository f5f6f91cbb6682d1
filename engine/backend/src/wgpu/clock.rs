//! The device's clock: ticks to instants of the host, with what is not known of them.

use std::time::{Duration, Instant};

/// How ticks of the device are converted to instants of the host.
#[derive(Clone, Debug)]
pub struct TickClock {
    /// Nanoseconds of a tick.
    period: f64,
    /// A reading, and the instant at which the clock had it.
    base: (u64, Instant),
    /// How far a converted instant may be off, either way.
    pub uncertainty: Duration,
    /// Whether the device's clock is the host's own.
    pub is_monotonic: bool,
}

/// A reading of the clock, which was taken between two instants.
#[derive(Clone, Copy, Debug)]
pub struct TickReading {
    /// Before.
    pub before: Instant,
    /// The ticks.
    pub ticks: u64,
    /// After.
    pub after: Instant,
}

impl TickClock {
    /// From readings, and from an instant at which the host's monotonic clock stood at so many nanoseconds. Nothing
    /// where there is no reading.
    pub fn fitted(
        period: f64,
        readings: &[TickReading],
        host: Option<(u64, Instant)>,
    ) -> Option<Self> {
        let first = readings.first()?;
        // Every reading says that the first was not before one instant and not after another.
        let since = |reading: &TickReading| lasted(first.ticks, reading.ticks, period);
        let low = readings.iter().map(|r| shift(r.before, -since(r))).max()?;
        let high = readings.iter().map(|r| shift(r.after, -since(r))).min()?;
        let (low, high) = if low <= high {
            (low, high)
        } else {
            // The two clocks drift apart faster than they can be read: the tightest reading has to do.
            let tightest = readings.iter().min_by_key(|r| r.after - r.before)?;
            let by = -since(tightest);
            (shift(tightest.before, by), shift(tightest.after, by))
        };
        if let Some((nanos, instant)) = host {
            let same = shift(instant, lasted(nanos, first.ticks, period));
            let slack = Duration::from_micros(1);
            if period == 1.0 && same + slack >= low && same <= high + slack {
                return Some(Self {
                    period,
                    base: (first.ticks, same),
                    uncertainty: slack,
                    is_monotonic: true,
                });
            }
        }
        let width = high - low;
        Some(Self {
            period,
            base: (first.ticks, low + width / 2),
            uncertainty: width / 2,
            is_monotonic: false,
        })
    }

    /// The instant of a reading.
    pub fn instant(&self, ticks: u64) -> Instant {
        shift(self.base.1, lasted(self.base.0, ticks, self.period))
    }

    /// What the clock read at `instant`, in nanoseconds.
    pub fn nanos_at(&self, instant: Instant) -> i64 {
        let base = self.base.0 as f64 * self.period;
        let base = if self.period == 1.0 {
            self.base.0 as i64
        } else {
            base as i64
        };
        let later = instant.saturating_duration_since(self.base.1).as_nanos() as i64;
        let earlier = self.base.1.saturating_duration_since(instant).as_nanos() as i64;
        base.saturating_add(later).saturating_sub(earlier)
    }
}

/// Nanoseconds from one reading to another.
fn lasted(from: u64, to: u64, period: f64) -> i64 {
    let ticks = to.wrapping_sub(from) as i64;
    if period == 1.0 {
        ticks
    } else {
        (ticks as f64 * period) as i64
    }
}

fn shift(instant: Instant, nanos: i64) -> Instant {
    let by = Duration::from_nanos(nanos.unsigned_abs());
    let moved = if nanos < 0 {
        instant.checked_sub(by)
    } else {
        instant.checked_add(by)
    };
    moved.unwrap_or(instant)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(zero: Instant, before: u64, ticks: u64, after: u64) -> TickReading {
        let at = |micros| zero + Duration::from_micros(micros);
        TickReading {
            before: at(before),
            ticks,
            after: at(after),
        }
    }

    #[test]
    fn readings_narrow_the_offset_down() {
        // A clock of half a microsecond a tick that stood at 1000 at the instant zero.
        let zero = Instant::now();
        let readings = [
            reading(zero, 0, 1020, 40),
            reading(zero, 100, 1204, 103),
            reading(zero, 200, 1410, 206),
        ];
        let ticks = TickClock::fitted(500.0, &readings, None).unwrap();
        let off = ticks.instant(1000).saturating_duration_since(zero);
        assert!(off <= Duration::from_micros(2), "{off:?}");
        assert!(ticks.uncertainty <= Duration::from_micros(2) && !ticks.is_monotonic);
        assert!((ticks.nanos_at(zero) - 500_000).abs() <= 2_000);
        let later = ticks.instant(3000) - ticks.instant(1000);
        assert_eq!(later, Duration::from_millis(1));
    }

    #[test]
    fn the_hosts_own_clock_is_known_by_its_readings() {
        let zero = Instant::now();
        let readings = [reading(zero, 0, 7_000_010_000, 30)];
        let host = (7_000_000_000, zero);
        let ticks = TickClock::fitted(1.0, &readings, Some(host)).unwrap();
        assert!(ticks.is_monotonic && ticks.uncertainty == Duration::from_micros(1));
        assert_eq!(
            ticks.instant(7_000_000_500),
            zero + Duration::from_nanos(500)
        );
        let other = (9_000_000_000, zero);
        let other = TickClock::fitted(1.0, &readings, Some(other)).unwrap();
        assert!(!other.is_monotonic);
        assert!(TickClock::fitted(1.0, &[], None).is_none());
    }
}
