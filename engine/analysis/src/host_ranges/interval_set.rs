//! Stretches that do not touch, in order: how long any of them is, while more are put in.

use std::collections::VecDeque;

use record::time::{Interval, Nanos};

/// Stretches that do not touch, in order, and their lengths together.
#[derive(Clone, Debug, Default)]
pub(super) struct IntervalSet {
    parts: VecDeque<Interval>,
    total: Nanos,
}

impl IntervalSet {
    /// Their lengths together.
    pub const fn total(&self) -> Nanos {
        self.total
    }

    /// The stretches, in order.
    pub fn parts(&self) -> impl Iterator<Item = Interval> {
        self.parts.iter().copied()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Forgets them, and keeps the room.
    pub fn clear(&mut self) {
        self.parts.clear();
        self.total = Nanos::ZERO;
    }

    /// Puts a stretch in; one without length is nothing.
    pub fn insert(&mut self, new: Interval) {
        if new.end <= new.start {
            return;
        }
        match self.parts.back_mut() {
            Some(last) if new.start >= last.start && new.start <= last.end => {
                let more = (new.end - last.end).max(Nanos::ZERO);
                last.end += more;
                self.total += more;
            }
            Some(last) if new.start < last.start => self.insert_within(new),
            _ => {
                self.total += new.length();
                self.parts.push_back(new);
            }
        }
    }

    /// Puts in a stretch that begins before the last one.
    fn insert_within(&mut self, new: Interval) {
        let first = self.parts.partition_point(|it| it.end < new.start);
        let behind = self.parts.partition_point(|it| it.start <= new.end);
        if first >= behind {
            self.total += new.length();
            self.parts.insert(first, new);
            return;
        }
        let touched = self.parts.range(first..behind);
        let (before, whole) = touched.fold((Nanos::ZERO, new), |(sum, whole), it| {
            (sum + it.length(), whole.union(*it))
        });
        self.total += whole.length() - before;
        if let Some(part) = self.parts.get_mut(first) {
            *part = whole;
        }
        self.parts.drain(first + 1..behind);
    }

    /// Takes all of another one, which is empty then. The smaller is put into the larger, so that a chain of ranges around each
    /// other moves no stretch more often than the logarithm of how many there are.
    pub fn merge(&mut self, other: &mut Self) {
        if other.parts.len() > self.parts.len() {
            std::mem::swap(self, other);
        }
        while let Some(part) = other.parts.pop_front() {
            self.insert(part);
        }
        other.total = Nanos::ZERO;
    }

    /// How long any of this and of `other` is.
    pub fn total_with(&self, other: &Self) -> Nanos {
        let mut both = self.clone();
        both.merge(&mut other.clone());
        both.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_covered_is_as_counted_nanosecond_by_nanosecond() {
        let mut state = 7_u64;
        let mut below = |count: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            ((state >> 33) % count) as i64
        };
        for _ in 0..300 {
            let mut sets = [IntervalSet::default(), IntervalSet::default()];
            let mut covered = [false; 200];
            for set in &mut sets {
                for _ in 0..below(12) {
                    let start = below(180);
                    let end = start + below(20);
                    set.insert(Interval::new(Nanos(start), Nanos(end)));
                    covered[start as usize..end as usize].fill(true);
                }
            }
            let count = covered.iter().filter(|it| **it).count() as i64;
            let [mut first, mut second] = sets;
            assert_eq!(first.total_with(&second), Nanos(count));
            first.merge(&mut second);
            assert_eq!(first.total(), Nanos(count));
            let parts: Vec<Interval> = first.parts().collect();
            assert!(parts.windows(2).all(|it| it[0].end < it[1].start));
            assert!(second.is_empty() && second.total() == Nanos::ZERO);
        }
    }
}
