//! What bears a number, found by it: the numbers of neighbours lie close together, and so do they here.

use std::cell::Cell;

use crate::importer::fast_hash::QuickMap;

/// Bits of a number within a page.
const SHIFT: u32 = 4;
/// Stands for nothing.
const NONE: u32 = u32::MAX;

/// Places by number.
#[derive(Default)]
pub(super) struct NumberIndex {
    places: QuickMap<i64, u32>,
    pages: Vec<[u32; 1 << SHIFT]>,
    /// The page that was asked for last.
    last: Cell<Option<(i64, u32)>>,
}

impl NumberIndex {
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// What bears a number.
    pub fn get(&self, number: i64) -> Option<u32> {
        let key = number >> SHIFT;
        let page = match self.last.get() {
            Some((last, page)) if last == key => page,
            _ => {
                let page = *self.places.get(&key)?;
                self.last.set(Some((key, page)));
                page
            }
        };
        let page = self.pages.get(page as usize)?;
        page.get(slot(number)).copied().filter(|it| *it != NONE)
    }

    /// Says what bears a number from now on.
    pub fn put(&mut self, number: i64, place: u32) {
        let key = number >> SHIFT;
        let next = self.pages.len() as u32;
        let page = match self.last.get() {
            Some((last, page)) if last == key => page,
            _ => *self.places.entry(key).or_insert(next),
        };
        if page == next {
            self.pages.push([NONE; 1 << SHIFT]);
        }
        self.last.set(Some((key, page)));
        let page = self.pages.get_mut(page as usize);
        if let Some(known) = page.and_then(|it| it.get_mut(slot(number))) {
            *known = place;
        }
    }
}

fn slot(number: i64) -> usize {
    number as usize & ((1 << SHIFT) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_found_and_nothing_else() {
        let mut known = NumberIndex::default();
        let numbers = [0, 1, 15, 16, -1, i64::MIN, i64::MAX, 1 << 40, (1 << 40) + 3];
        for (place, number) in numbers.into_iter().enumerate() {
            assert_eq!(known.get(number), None);
            known.put(number, place as u32);
        }
        for (place, number) in numbers.into_iter().enumerate().rev() {
            assert_eq!(known.get(number), Some(place as u32));
        }
        known.put(16, 99);
        assert_eq!(
            (known.get(16), known.get(17), known.get(2)),
            (Some(99), None, None)
        );
    }
}
