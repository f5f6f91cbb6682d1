//! The samples of one counter, by time.

use crate::time::{Interval, Nanos};

/// Instants and values of one counter, sorted by time; a value holds until the next.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    times: Vec<Nanos>,
    values: Vec<f64>,
}

impl Samples {
    /// When the values began to hold.
    pub fn times(&self) -> &[Nanos] {
        &self.times
    }

    /// The values, in the counter's unit.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The value that holds at `instant`, if any does yet.
    pub fn at(&self, instant: Nanos) -> Option<f64> {
        let after = self.times.partition_point(|&time| time <= instant);
        self.values.get(after.checked_sub(1)?).copied()
    }

    /// The smallest and the largest value that hold somewhere in `interval`.
    pub fn range(&self, interval: Interval) -> Option<(f64, f64)> {
        let from = self
            .times
            .partition_point(|&time| time <= interval.start)
            .saturating_sub(1);
        let to = self.times.partition_point(|&time| time < interval.end);
        let values = self.values.get(from..to)?;
        let first = *values.first()?;
        Some(
            values
                .iter()
                .fold((first, first), |(low, high), &v| (low.min(v), high.max(v))),
        )
    }

    /// Bytes held on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        self.times.capacity() * size_of::<Nanos>() + self.values.capacity() * size_of::<f64>()
    }

    pub(super) fn push(&mut self, time: Nanos, value: f64) {
        let at = match self.times.last() {
            Some(&last) if last > time => self.times.partition_point(|&other| other <= time),
            _ => self.times.len(),
        };
        self.times.insert(at, time);
        self.values.insert(at, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_samples_find_their_place() {
        let mut samples = Samples::default();
        for (time, value) in [(10, 1.0), (30, 3.0), (20, 2.0)] {
            samples.push(Nanos(time), value);
        }
        assert_eq!(samples.values(), [1.0, 2.0, 3.0]);
        assert_eq!(samples.at(Nanos(25)), Some(2.0));
        assert_eq!(samples.at(Nanos(9)), None);
        assert_eq!(
            samples.range(Interval::new(Nanos(15), Nanos(21))),
            Some((1.0, 2.0))
        );
    }
}
