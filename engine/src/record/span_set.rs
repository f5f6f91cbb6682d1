//! A set of spans, a bit each.

use super::SpanId;

/// How far a number may lie beyond those in the set, in words of 64: work ends in another order than it is numbered, and a
/// number far beyond all others is damaged or a mistake, for which nothing is kept.
const FAR: usize = 1 << 18;

/// A set of spans whose numbers lie close together.
#[derive(Debug, Default)]
pub struct SpanSet(Vec<u64>);

impl SpanSet {
    /// Adds a span, unless its number lies more than some 16 million beyond all others.
    pub fn insert(&mut self, span: SpanId) {
        let place = span.index() / 64;
        if place > self.0.len() + FAR {
            return;
        }
        if self.0.len() <= place {
            self.0.resize(place + 1, 0);
        }
        if let Some(word) = self.0.get_mut(place) {
            *word |= 1 << (span.0 % 64);
        }
    }

    /// Whether a span is in it.
    pub fn contains(&self, span: SpanId) -> bool {
        let word = self.0.get(span.index() / 64);
        word.is_some_and(|word| word >> (span.0 % 64) & 1 == 1)
    }

    /// How many spans are in this set and not in another.
    pub fn count_beyond(&self, other: &Self) -> u64 {
        let others = other.0.iter().chain(std::iter::repeat(&0));
        let words = self.0.iter().zip(others);
        words
            .map(|(own, other)| u64::from((own & !other).count_ones()))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_far_beyond_all_others_takes_no_room() {
        let mut set = SpanSet::default();
        set.insert(SpanId(u32::MAX - 1));
        assert!(set.0.is_empty());
        for id in [0, 100_000, 4_000_000] {
            set.insert(SpanId(id));
            assert!(set.contains(SpanId(id)));
        }
        assert!(!set.contains(SpanId(1)));
    }

    #[test]
    fn what_another_set_lacks_is_counted() {
        let [mut one, mut other] = [(); 2].map(|()| SpanSet::default());
        for (one_has, other_has) in [(1, 1), (64, 2), (700, 65)] {
            one.insert(SpanId(one_has));
            other.insert(SpanId(other_has));
        }
        assert_eq!((one.count_beyond(&other), other.count_beyond(&one)), (2, 2));
        assert_eq!(SpanSet::default().count_beyond(&one), 0);
    }
}
