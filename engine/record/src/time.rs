//! Instants and intervals of capture time, in integer nanoseconds.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

mod covered;
mod sets;

pub use covered::CoveredTime;
pub use sets::{shared, total, union};

/// An effect may begin so much before its cause ends, by two clocks, and still be its effect.
pub const TOLERANCE: Nanos = Nanos(2_000);

/// An instant or a length of capture time: nanoseconds, counted from the capture's start.
///
/// Instants before the start are negative and legal. Arithmetic saturates, so damaged input cannot wrap.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Nanos(pub i64);

impl Nanos {
    /// The capture's start.
    pub const ZERO: Self = Self(0);
    /// The earliest instant that can be written.
    pub const MIN: Self = Self(i64::MIN);
    /// The latest instant that can be written.
    pub const MAX: Self = Self(i64::MAX);

    /// A length of `micros` microseconds.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros.saturating_mul(1_000))
    }

    /// A length of `millis` milliseconds.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// The nanoseconds of `duration`, at most [`Nanos::MAX`].
    pub fn from_duration(duration: std::time::Duration) -> Self {
        Self(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX))
    }

    /// The same length; zero where it is negative.
    pub fn to_duration(self) -> std::time::Duration {
        std::time::Duration::from_nanos(u64::try_from(self.0).unwrap_or(0))
    }

    /// As a number of seconds; exact to a nanosecond for captures of up to an hour.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl Add for Nanos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Nanos {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sum for Nanos {
    /// What does not fit stays at the largest there is: the times of a damaged file can be any.
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, |sum, it| sum + it)
    }
}

impl Nanos {
    /// The length of a time, whatever its sign, in the unit in which it has at most three digits before the point.
    pub fn in_unit(self) -> (f64, &'static str) {
        let mut value = self.0.unsigned_abs() as f64;
        let mut unit = "ns";
        for next in ["µs", "ms", "s"] {
            // 999.5 and more would be written with four digits, so the next unit takes it.
            if value < 999.5 {
                break;
            }
            value /= 1_000.0;
            unit = next;
        }
        (value, unit)
    }

    /// A length of time with three digits and the unit that fits, such as `18.6 µs`.
    pub fn rounded(self) -> String {
        let (value, unit) = self.in_unit();
        let digits = match value {
            _ if unit == "ns" => 0,
            // 9.995 and 99.95 are written with the digits of what they are rounded to.
            99.95.. => 0,
            9.995.. => 1,
            _ => 2,
        };
        let sign = if self.0 < 0 { "-" } else { "" };
        format!("{sign}{value:.digits$} {unit}")
    }
}

/// Full nanoseconds with thin grouping: `12_345 ns` is written `12 345 ns`.
impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.unsigned_abs().to_string();
        if self.0 < 0 {
            f.write_str("-")?;
        }
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place).is_multiple_of(3) {
                f.write_str(" ")?;
            }
            write!(f, "{digit}")?;
        }
        f.write_str(" ns")
    }
}

/// The half-open range of capture time `start..end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Interval {
    /// The first instant inside.
    pub start: Nanos,
    /// The first instant after.
    pub end: Nanos,
}

impl Interval {
    /// From `start` to `end`; the two are swapped where they are the wrong way round.
    pub fn new(start: Nanos, end: Nanos) -> Self {
        if start <= end {
            Self { start, end }
        } else {
            Self {
                start: end,
                end: start,
            }
        }
    }

    /// Its length, never negative.
    pub fn length(self) -> Nanos {
        self.end - self.start
    }

    /// Whether `instant` lies inside.
    pub fn contains(self, instant: Nanos) -> bool {
        self.start <= instant && instant < self.end
    }

    /// Whether the two share an instant; an empty interval shares none.
    pub fn overlaps(self, other: Self) -> bool {
        self.start.max(other.start) < self.end.min(other.end)
    }

    /// The instants that lie in both, or nothing.
    pub fn intersection(self, other: Self) -> Option<Self> {
        let (start, end) = (self.start.max(other.start), self.end.min(other.end));
        (start < end).then_some(Self { start, end })
    }

    /// The smallest interval around both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_groups_digits() {
        assert_eq!(Nanos(1_234_567).to_string(), "1 234 567 ns");
        assert_eq!(Nanos(-1_000).to_string(), "-1 000 ns");
        assert_eq!(Nanos(0).to_string(), "0 ns");
    }

    #[test]
    fn arithmetic_saturates() {
        assert_eq!(Nanos::MAX + Nanos(1), Nanos::MAX);
        assert_eq!(Nanos::MIN - Nanos(1), Nanos::MIN);
    }

    #[test]
    fn touching_intervals_do_not_overlap() {
        let (a, b) = (
            Interval::new(Nanos(0), Nanos(5)),
            Interval::new(Nanos(5), Nanos(9)),
        );
        assert!(!a.overlaps(b) && a.intersection(b).is_none());
        assert_eq!(a.union(b), Interval::new(Nanos(0), Nanos(9)));
        assert_eq!(Interval::new(Nanos(9), Nanos(5)), b);
    }
}
