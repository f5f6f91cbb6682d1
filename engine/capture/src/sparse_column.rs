//! A column in which most places may be empty: 256 to a page, of which only the filled ones take room.

use std::collections::VecDeque;

use super::encoded_column::CompressedColumn;

/// Keys of one page.
const PAGE: usize = 256;
/// So many pages are left open for more, or a sixteenth of all.
const OPEN: usize = 64;

/// The numbers of a page, by how many places before theirs are filled.
#[derive(Clone)]
enum SparseValues {
    Open(Vec<u32>),
    Packed(CompressedColumn),
}

/// The filled places of some keys, in order.
#[derive(Clone)]
struct SparsePage {
    filled: [u64; PAGE / 64],
    values: SparseValues,
}

impl SparsePage {
    const fn new() -> Self {
        Self {
            filled: [0; PAGE / 64],
            values: SparseValues::Open(Vec::new()),
        }
    }

    /// Whether the place `bit` is filled, and how many before it are.
    fn rank(&self, bit: usize) -> (bool, usize) {
        let (word, bit) = (bit / 64, bit % 64);
        let (before, from) = self.filled.split_at(word.min(self.filled.len()));
        let word = from.first().copied().unwrap_or(0);
        let before: u32 = before.iter().map(|word| word.count_ones()).sum();
        let inside = word & ((1 << bit) - 1);
        (
            word >> bit & 1 == 1,
            (before + inside.count_ones()) as usize,
        )
    }

    fn get(&self, bit: usize) -> Option<u32> {
        let (filled, at) = self.rank(bit);
        match &self.values {
            SparseValues::Open(values) => values.get(at).copied().filter(|_| filled),
            SparseValues::Packed(values) => filled.then(|| values.get(at)),
        }
    }

    fn pack(&mut self) {
        if let SparseValues::Open(values) = &self.values
            && !values.is_empty()
        {
            self.values = SparseValues::Packed(CompressedColumn::new(values));
        }
    }

    /// The numbers in a form that takes more; says whether it was another before.
    fn open(&mut self) -> bool {
        let SparseValues::Packed(packed) = &self.values else {
            return false;
        };
        let count: u32 = self.filled.iter().map(|word| word.count_ones()).sum();
        let values = (0..count as usize).map(|at| packed.get(at));
        self.values = SparseValues::Open(values.collect());
        true
    }

    fn put(&mut self, bit: usize, value: u32) -> Option<u32> {
        let (filled, at) = self.rank(bit);
        let SparseValues::Open(values) = &mut self.values else {
            return None;
        };
        if filled {
            let slot = values.get_mut(at)?;
            return Some(std::mem::replace(slot, value));
        }
        if let Some(word) = self.filled.get_mut(bit / 64) {
            *word |= 1 << (bit % 64);
        }
        if values.len() == values.capacity() {
            values.reserve_exact((values.len() / 2).max(4));
        }
        values.insert(at, value);
        None
    }

    fn heap_bytes(&self) -> usize {
        match &self.values {
            SparseValues::Open(values) => values.capacity() * 4,
            SparseValues::Packed(values) => values.heap_bytes(),
        }
    }
}

/// Numbers by key.
#[derive(Clone, Default)]
pub(super) struct SparseColumn {
    pages: Vec<SparsePage>,
    /// The pages that are not packed, the longest open first.
    open: VecDeque<u32>,
}

impl SparseColumn {
    /// The number under `key`.
    pub fn get(&self, key: usize) -> Option<u32> {
        self.pages.get(key / PAGE)?.get(key % PAGE)
    }

    /// A key that is above all that have a number.
    pub fn end(&self) -> usize {
        self.pages.len() * PAGE
    }

    /// Puts a number under `key` and returns the one that was there. The caller bounds the key.
    pub fn put(&mut self, key: usize, value: u32) -> Option<u32> {
        let place = key / PAGE;
        if place >= self.pages.len() {
            self.extend(place + 1);
        }
        let page = self.pages.get_mut(place)?;
        let is_new = page.open() || page.filled == [0; PAGE / 64];
        let before = page.put(key % PAGE, value);
        if is_new {
            self.open.push_back(place as u32);
            self.pack();
        }
        before
    }

    /// Packs the page that was open longest, where many are.
    fn pack(&mut self) {
        if self.open.len() <= OPEN.max(self.pages.len() / 16) {
            return;
        }
        let oldest = self.open.pop_front();
        if let Some(page) = oldest.and_then(|it| self.pages.get_mut(it as usize)) {
            page.pack();
        }
    }

    fn extend(&mut self, length: usize) {
        if length > self.pages.capacity() {
            let more = (length - self.pages.len()).max(self.pages.len() / 8);
            self.pages.reserve_exact(more.max(4));
        }
        self.pages.resize_with(length, SparsePage::new);
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let values: usize = self.pages.iter().map(SparsePage::heap_bytes).sum();
        values + self.pages.capacity() * size_of::<SparsePage>() + self.open.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_whatever_order_they_came() {
        let mut column = SparseColumn::default();
        let keys: Vec<usize> = (0..50_000).map(|it| it * 7_919 % 200_011).collect();
        for (value, &key) in keys.iter().enumerate() {
            assert_eq!(column.put(key, value as u32), None);
        }
        for (value, &key) in keys.iter().enumerate() {
            assert_eq!(column.get(key), Some(value as u32));
            assert_eq!(column.put(key, 1), Some(value as u32));
        }
        let found = (0..300_000).filter(|&key| column.get(key).is_some());
        assert_eq!(found.count(), keys.len());
    }

    #[test]
    fn empty_places_take_little_room_and_others_what_they_need() {
        let (mut column, mut dense) = (SparseColumn::default(), SparseColumn::default());
        for key in (0..1_000_000).step_by(16) {
            column.put(key, 7);
            dense.put(key / 4, key as u32 / 16);
        }
        assert!(column.heap_bytes() < 400_000, "{}", column.heap_bytes());
        assert!(dense.heap_bytes() < 160_000, "{}", dense.heap_bytes());
    }
}
