//! How much of a stretch a set of intervals covers, asked again and again.

use super::{Interval, Nanos, union};

/// The union of some intervals, with what it covers up to each of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoveredTime {
    /// Each with the length of all before it, by start.
    parts: Vec<(Interval, Nanos)>,
}

impl CoveredTime {
    /// Of intervals in any order.
    pub fn new(intervals: Vec<Interval>) -> Self {
        let mut before = Nanos::ZERO;
        let sum = |interval: Interval| {
            let part = (interval, before);
            before += interval.length();
            part
        };
        Self {
            parts: union(intervals).into_iter().map(sum).collect(),
        }
    }

    /// How much of the time before `instant` is covered.
    fn until(&self, instant: Nanos) -> Nanos {
        let count = self.parts.partition_point(|(it, _)| it.start < instant);
        let last = count.checked_sub(1).and_then(|at| self.parts.get(at));
        last.map_or(Nanos::ZERO, |(it, before)| {
            *before + (instant.min(it.end) - it.start)
        })
    }

    /// How much of the time from `from` to `to` is covered; found in logarithmic time.
    pub fn within(&self, from: Nanos, to: Nanos) -> Nanos {
        (self.until(to) - self.until(from)).max(Nanos::ZERO)
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.parts.capacity() * size_of::<(Interval, Nanos)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_covered_is_what_a_count_of_instants_says() {
        let mut random = 3_u64;
        let mut below = |limit: u64| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            ((random >> 33) % limit) as i64
        };
        for _ in 0..50 {
            let mut is_covered = [false; 100];
            let intervals: Vec<Interval> = (0..below(12))
                .map(|_| {
                    let start = below(90);
                    let end = start + below(10);
                    (start..end).for_each(|at| is_covered[at as usize] = true);
                    Interval::new(Nanos(start), Nanos(end))
                })
                .collect();
            let covered = CoveredTime::new(intervals);
            for _ in 0..50 {
                let (from, to) = (below(100), below(100));
                let expected = (from..to).filter(|at| is_covered[*at as usize]).count();
                assert_eq!(
                    covered.within(Nanos(from), Nanos(to)),
                    Nanos(expected as i64)
                );
            }
        }
    }
}
