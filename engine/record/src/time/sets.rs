//! Sets of instants: sorted intervals that do not touch, their union, their intersection and their length.

use super::{Interval, Nanos};

/// The union of `intervals`, in any order, as sorted intervals that do not touch. Empty ones vanish.
pub fn union(mut intervals: Vec<Interval>) -> Vec<Interval> {
    if !intervals.is_sorted_by_key(|interval| interval.start) {
        intervals.sort_unstable_by_key(|interval| interval.start);
    }
    intervals.retain(|interval| interval.start < interval.end);
    intervals.dedup_by(|next, last| {
        let touches = next.start <= last.end;
        if touches {
            last.end = last.end.max(next.end);
        }
        touches
    });
    intervals.shrink_to_fit();
    intervals
}

/// The time that lies in both of two unions.
pub fn shared(a: &[Interval], b: &[Interval]) -> Nanos {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut total = Nanos::ZERO;
    while let (Some(left), Some(right)) = (a.peek(), b.peek()) {
        total += left
            .intersection(**right)
            .map_or(Nanos::ZERO, Interval::length);
        if left.end <= right.end {
            a.next()
        } else {
            b.next()
        };
    }
    total
}

/// The time that lies in a union.
pub fn total(union: &[Interval]) -> Nanos {
    union
        .iter()
        .fold(Nanos::ZERO, |total, interval| total + interval.length())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(pairs: &[(i64, i64)]) -> Vec<Interval> {
        union(
            pairs
                .iter()
                .map(|&(start, end)| Interval::new(Nanos(start), Nanos(end)))
                .collect(),
        )
    }

    #[test]
    fn union_counts_shared_time_once() {
        let a = set(&[(20, 30), (0, 10), (5, 12), (12, 15), (7, 7)]);
        assert_eq!(a, set(&[(0, 15), (20, 30)]));
        assert_eq!(total(&a), Nanos(25));
    }

    #[test]
    fn shared_is_the_length_of_the_intersection() {
        let (a, b) = (set(&[(0, 10), (20, 30)]), set(&[(5, 22), (29, 40)]));
        assert_eq!(shared(&a, &b), Nanos(5 + 2 + 1));
        assert_eq!(shared(&a, &b), shared(&b, &a));
        assert_eq!(shared(&a, &[]), Nanos::ZERO);
    }
}
