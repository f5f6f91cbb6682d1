//! A set of spans, a bit each.

use super::SpanId;

/// How many words of 64 spans are kept together.
const BLOCK: usize = 64;

/// A set of spans. Numbers that lie close together share a block of half a kibibyte, and the list of blocks is half a mebibyte
/// at most per 268 million numbers, so that a number far beyond all others, damaged or a mistake, costs little.
#[derive(Debug, Default)]
pub struct SpanSet(Vec<Option<Box<[u64; BLOCK]>>>);

impl SpanSet {
    /// Adds a span.
    pub fn insert(&mut self, span: SpanId) {
        let (block, word, bit) = place(span);
        if self.0.len() <= block {
            self.0.resize_with(block + 1, || None);
        }
        if let Some(block) = self.0.get_mut(block)
            && let Some(word) = block
                .get_or_insert_with(|| Box::new([0; BLOCK]))
                .get_mut(word)
        {
            *word |= bit;
        }
    }

    /// Whether a span is in it.
    pub fn contains(&self, span: SpanId) -> bool {
        let (block, word, bit) = place(span);
        let block = self.0.get(block).and_then(Option::as_ref);
        let word = block.and_then(|block| block.get(word));
        word.is_some_and(|word| word & bit != 0)
    }

    /// How many spans are in this set and not in another.
    pub fn count_beyond(&self, other: &Self) -> u64 {
        let empty = [0; BLOCK];
        let blocks = self.0.iter().enumerate();
        let counts = blocks.filter_map(|(place, own)| {
            let others = other.0.get(place).and_then(Option::as_ref);
            let others = others.map_or(&empty, |it| &**it);
            let words = own.as_ref()?.iter().zip(others);
            Some(
                words
                    .map(|(own, other)| u64::from((own & !other).count_ones()))
                    .sum::<u64>(),
            )
        });
        counts.sum()
    }
}

/// The block of a span, the word in it and the bit in that.
fn place(span: SpanId) -> (usize, usize, u64) {
    let word = span.index() / 64;
    (word / BLOCK, word % BLOCK, 1 << (span.0 % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_far_beyond_all_others_is_held_and_takes_one_block() {
        let mut set = SpanSet::default();
        for id in [u32::MAX - 1, 0, 100_000, 4_000_000] {
            assert!(!set.contains(SpanId(id)));
            set.insert(SpanId(id));
            assert!(set.contains(SpanId(id)));
        }
        assert!(!set.contains(SpanId(1)));
        assert_eq!(set.0.iter().flatten().count(), 4);
        assert_eq!(set.count_beyond(&SpanSet::default()), 4);
    }

    #[test]
    fn what_another_set_lacks_is_counted() {
        let [mut one, mut other] = [(); 2].map(|()| SpanSet::default());
        for (one_has, other_has) in [(1, 1), (64, 2), (70_000, 65)] {
            one.insert(SpanId(one_has));
            other.insert(SpanId(other_has));
        }
        assert_eq!((one.count_beyond(&other), other.count_beyond(&one)), (2, 2));
        assert_eq!(SpanSet::default().count_beyond(&one), 0);
    }
}
