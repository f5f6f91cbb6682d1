//! Which names match, a bit each: few enough bytes that looking a name up costs next to nothing.

use engine::capture::NAMES_A_PAGE;
use engine::record::NameId;

/// Bits of one word.
const WORD: usize = u64::BITS as usize;

/// A bit for each name of a page, in order.
pub type PageBits = [u64; NAMES_A_PAGE / WORD];

/// Every name.
pub const ALL: PageBits = [u64::MAX; NAMES_A_PAGE / WORD];

/// Sets a bit.
pub fn set(bits: &mut PageBits, at: usize) {
    if let Some(word) = bits.get_mut(at / WORD) {
        *word |= 1 << (at % WORD);
    }
}

/// How many are set.
pub fn count(bits: &PageBits) -> u32 {
    bits.iter().map(|word| word.count_ones()).sum()
}

/// The places that are set, from the lowest on.
pub fn places(bits: &PageBits) -> impl Iterator<Item = usize> {
    bits.iter().enumerate().flat_map(|(word, &bits)| {
        let mut left = bits;
        std::iter::from_fn(move || {
            let at = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(word * WORD + at)
        })
    })
}

/// A bit for each name that was looked at.
#[derive(Debug, Default)]
pub struct NameMarks {
    pages: Vec<PageBits>,
    /// How many names were looked at.
    known: usize,
}

impl NameMarks {
    /// How many names were looked at.
    pub fn known(&self) -> usize {
        self.known
    }

    /// The first page of which not every name was looked at.
    pub fn next_page(&self) -> usize {
        self.known / NAMES_A_PAGE
    }

    /// Whether the names of a page match; nothing where not all of them were looked at.
    pub fn page(&self, page: usize) -> Option<PageBits> {
        (page < self.next_page()).then(|| self.pages.get(page).copied())?
    }

    /// Adds pages from the next one on; of `names` there are then all known.
    pub fn extend(&mut self, pages: impl IntoIterator<Item = PageBits>, names: usize) {
        self.pages.truncate(self.next_page());
        self.pages.extend(pages);
        self.known = names.min(self.pages.len() * NAMES_A_PAGE);
    }

    /// Whether a name matches; no where it was not looked at.
    pub fn is_set(&self, name: NameId) -> bool {
        let (page, at) = (name.index() / NAMES_A_PAGE, name.index() % NAMES_A_PAGE);
        let word = self.pages.get(page).and_then(|bits| bits.get(at / WORD));
        word.is_some_and(|word| word >> (at % WORD) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_grew_is_looked_at_again() {
        let mut bits = PageBits::default();
        for at in [0, 63, 64, 255] {
            set(&mut bits, at);
        }
        assert_eq!(places(&bits).collect::<Vec<_>>(), [0, 63, 64, 255]);
        assert_eq!(count(&bits), 4);
        let mut marks = NameMarks::default();
        marks.extend([bits, bits], 300);
        assert_eq!((marks.known(), marks.next_page()), (300, 1));
        assert!(marks.is_set(NameId(63)) && marks.is_set(NameId(256)) && !marks.is_set(NameId(1)));
        assert!(marks.page(0).is_some() && marks.page(1).is_none());
        marks.extend([PageBits::default()], 400);
        assert!(!marks.is_set(NameId(256)) && !marks.is_set(NameId(9_999)));
        assert_eq!(marks.known(), 400);
    }
}
