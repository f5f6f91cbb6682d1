//! The samples of one counter, by time.

use std::sync::{Mutex, OnceLock, PoisonError};

use super::column::push;
use record::time::{Interval, Nanos};

/// Instants and values of one counter, sorted by time; a value holds until the next.
///
/// Samples that come late are put in order when somebody looks next, all at once.
#[derive(Debug, Default)]
pub struct Samples {
    sorted: OnceLock<SampleColumns>,
    /// All samples in the order in which they came, while some of them came late and nobody has looked since.
    unsorted: Mutex<Vec<(Nanos, f64)>>,
}

impl Clone for Samples {
    /// What came late is put in order first, so that there is one place to copy.
    fn clone(&self) -> Self {
        Self {
            sorted: OnceLock::from(self.columns().clone()),
            unsorted: Mutex::default(),
        }
    }
}

impl FromIterator<(Nanos, f64)> for Samples {
    /// Of instants and values in any order.
    fn from_iter<T: IntoIterator<Item = (Nanos, f64)>>(samples: T) -> Self {
        Self {
            sorted: OnceLock::new(),
            unsorted: Mutex::new(samples.into_iter().collect()),
        }
    }
}

/// Samples in order of time.
#[derive(Clone, Debug, Default)]
struct SampleColumns {
    times: Vec<Nanos>,
    values: Vec<f64>,
}

impl SampleColumns {
    fn push(&mut self, time: Nanos, value: f64) {
        push(&mut self.times, time);
        push(&mut self.values, value);
    }
}

impl Samples {
    fn columns(&self) -> &SampleColumns {
        self.sorted.get_or_init(|| {
            let unsorted = self.unsorted.lock();
            let mut unsorted = unsorted.unwrap_or_else(PoisonError::into_inner);
            let mut unsorted = std::mem::take(&mut *unsorted);
            // Of samples at one time the last to come holds.
            unsorted.sort_by_key(|(time, _)| *time);
            let (times, values) = unsorted.into_iter().unzip();
            SampleColumns { times, values }
        })
    }

    /// When the values began to hold.
    pub fn times(&self) -> &[Nanos] {
        &self.columns().times
    }

    /// The values, in the counter's unit.
    pub fn values(&self) -> &[f64] {
        &self.columns().values
    }

    /// The value that holds at `instant`, if any does yet.
    pub fn at(&self, instant: Nanos) -> Option<f64> {
        let SampleColumns { times, values } = self.columns();
        let after = times.partition_point(|&time| time <= instant);
        values.get(after.checked_sub(1)?).copied()
    }

    /// The smallest and the largest value that hold somewhere in `interval`.
    pub fn range(&self, interval: Interval) -> Option<(f64, f64)> {
        let SampleColumns { times, values } = self.columns();
        let from = times
            .partition_point(|&time| time <= interval.start)
            .saturating_sub(1);
        let to = times.partition_point(|&time| time < interval.end);
        let values = values.get(from..to)?;
        let first = *values.first()?;
        Some(
            values
                .iter()
                .fold((first, first), |(low, high), &v| (low.min(v), high.max(v))),
        )
    }

    /// Bytes held on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        let SampleColumns { times, values } = self.columns();
        times.capacity() * size_of::<Nanos>() + values.capacity() * size_of::<f64>()
    }

    pub(super) fn push(&mut self, time: Nanos, value: f64) {
        let unsorted = self.unsorted.get_mut();
        let unsorted = unsorted.unwrap_or_else(PoisonError::into_inner);
        if !unsorted.is_empty() {
            return unsorted.push((time, value));
        }
        let mut sorted = self.sorted.take().unwrap_or_default();
        if sorted.times.last().is_none_or(|&last| last <= time) {
            sorted.push(time, value);
            self.sorted = OnceLock::from(sorted);
        } else {
            unsorted.extend(sorted.times.into_iter().zip(sorted.values));
            unsorted.push((time, value));
        }
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
        assert_eq!(samples.times(), [Nanos(10), Nanos(20), Nanos(30)]);
        assert_eq!(samples.at(Nanos(25)), Some(2.0));
        assert_eq!(samples.at(Nanos(9)), None);
        assert_eq!(
            samples.range(Interval::new(Nanos(15), Nanos(21))),
            Some((1.0, 2.0))
        );
    }

    #[test]
    fn samples_in_any_order_are_what_putting_each_in_its_place_gives() {
        let (mut samples, mut expected) = (Samples::default(), Vec::<(Nanos, f64)>::new());
        for round in 0..3_000_u32 {
            let time = match round / 1_000 {
                0 => 1_000 - round,
                1 => round.wrapping_mul(2_654_435_761) % 500,
                _ => round,
            };
            let (time, value) = (Nanos(i64::from(time)), f64::from(round));
            samples.push(time, value);
            let at = expected.partition_point(|(other, _)| *other <= time);
            expected.insert(at, (time, value));
            if round % 700 == 3 {
                assert_eq!(samples.times().len(), expected.len());
            }
        }
        let found = samples.times().iter().zip(samples.values());
        let found: Vec<_> = found.map(|(time, value)| (*time, *value)).collect();
        assert_eq!(found, expected);
    }

    /// However many come late, nothing is moved until somebody looks: a million in descending order would take hours.
    #[test]
    fn late_samples_wait_for_whoever_looks() {
        let mut samples = Samples::default();
        for time in (0..1_000_000).rev() {
            samples.push(Nanos(time), 0.0);
            assert_eq!(samples.sorted.get().is_some(), time == 999_999);
        }
        assert!(samples.times().is_sorted());
        assert_eq!(samples.times().len(), 1_000_000);
    }
}
