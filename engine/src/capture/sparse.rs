//! A column in which most places may be empty: 64 to a page, of which only the filled ones take room.

/// Keys of one page.
const PAGE: usize = 64;

/// The filled places of 64 keys, in order.
#[derive(Default)]
struct Page {
    filled: u64,
    values: Vec<u32>,
}

impl Page {
    /// Whether the place `bit` is filled, and how many before it are.
    fn rank(&self, bit: usize) -> (bool, usize) {
        let before = self.filled & ((1 << bit) - 1);
        (self.filled >> bit & 1 == 1, before.count_ones() as usize)
    }
}

/// Numbers by key.
#[derive(Default)]
pub(super) struct Sparse {
    pages: Vec<Page>,
}

impl Sparse {
    /// The number under `key`.
    pub fn get(&self, key: usize) -> Option<u32> {
        let page = self.pages.get(key / PAGE)?;
        let (filled, at) = page.rank(key % PAGE);
        page.values.get(at).copied().filter(|_| filled)
    }

    /// Puts a number under `key` and returns the one that was there. The caller bounds the key.
    pub fn put(&mut self, key: usize, value: u32) -> Option<u32> {
        let place = key / PAGE;
        if place >= self.pages.len() {
            self.extend(place + 1);
        }
        let page = self.pages.get_mut(place)?;
        let (filled, at) = page.rank(key % PAGE);
        if filled {
            return page
                .values
                .get_mut(at)
                .map(|slot| std::mem::replace(slot, value));
        }
        page.filled |= 1 << (key % PAGE);
        if page.values.len() == page.values.capacity() {
            page.values.reserve_exact((at / 2).max(4));
        }
        page.values.insert(at, value);
        None
    }

    /// What was filled last will hardly change: it gives back what it reserved.
    fn extend(&mut self, length: usize) {
        if let Some(page) = self.pages.last_mut() {
            page.values.shrink_to_fit();
        }
        if length > self.pages.capacity() {
            let more = (length - self.pages.len()).max(self.pages.len() / 8);
            self.pages.reserve_exact(more.max(16));
        }
        self.pages.resize_with(length, Page::default);
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let values: usize = self.pages.iter().map(|page| page.values.capacity()).sum();
        values * 4 + self.pages.capacity() * size_of::<Page>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_whatever_order_they_came() {
        let mut column = Sparse::default();
        let keys: Vec<usize> = (0..5_000).map(|it| it * 7_919 % 20_011).collect();
        for (value, &key) in keys.iter().enumerate() {
            assert_eq!(column.put(key, value as u32), None);
        }
        for (value, &key) in keys.iter().enumerate() {
            assert_eq!(column.get(key), Some(value as u32));
            assert_eq!(column.put(key, 1), Some(value as u32));
        }
        let found = (0..30_000).filter(|&key| column.get(key).is_some());
        assert_eq!(found.count(), keys.len());
    }

    #[test]
    fn empty_places_take_little_room() {
        let mut column = Sparse::default();
        for key in (0..1_000_000).step_by(16) {
            column.put(key, 7);
        }
        assert!(column.heap_bytes() < 1_000_000);
    }
}
