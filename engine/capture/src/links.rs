//! Lists that grow in any order: for each key, the items pushed under it.

use super::append_column::AppendColumn;
use super::sparse_column::SparseColumn;

/// For each key a list of items; items are numbered in the order in which they were pushed.
#[derive(Clone, Default)]
pub(super) struct LinkedLists {
    heads: SparseColumn,
    /// For each item how far back the one before it under the same key is; zero where it is the first.
    back: AppendColumn,
}

impl LinkedLists {
    /// Puts the next item under `key`. The caller bounds the key.
    pub fn push(&mut self, key: usize) {
        let item = self.back.len() as u32;
        let before = self.heads.put(key, item);
        self.back.push(before.map_or(0, |before| item - before));
    }

    /// The items under `key`, the latest first.
    pub fn of(&self, key: usize) -> impl Iterator<Item = u32> {
        std::iter::successors(self.heads.get(key), move |&item| {
            let back = self.back.get(item as usize).filter(|&back| back > 0)?;
            item.checked_sub(back)
        })
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.heads.heap_bytes() + self.back.heap_bytes()
    }
}
