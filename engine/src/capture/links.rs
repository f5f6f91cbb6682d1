//! Lists that grow in any order: for each key, the items pushed under it.

use super::column::push;
use super::sparse::Sparse;

/// A nothing in the column below.
const NIL: u32 = u32::MAX;

/// For each key a list of items; items are numbered in the order in which they were pushed.
#[derive(Default)]
pub(super) struct Links {
    heads: Sparse,
    next: Vec<u32>,
}

impl Links {
    /// Puts the next item under `key`. The caller bounds the key.
    pub fn push(&mut self, key: usize) {
        let item = self.next.len() as u32;
        let before = self.heads.put(key, item).unwrap_or(NIL);
        push(&mut self.next, before);
    }

    /// The items under `key`, the latest first.
    pub fn of(&self, key: usize) -> impl Iterator<Item = u32> {
        let link = |item: u32| (item != NIL).then_some(item);
        std::iter::successors(self.heads.get(key), move |&item| {
            self.next.get(item as usize).copied().and_then(link)
        })
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.heads.heap_bytes() + self.next.capacity() * 4
    }
}
