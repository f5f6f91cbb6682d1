//! Lists that grow in any order: for each key, the items pushed under it.

/// A nothing in the columns below.
const NIL: u32 = u32::MAX;

/// For each key a list of items; items are numbered in the order in which they were pushed.
#[derive(Default)]
pub(super) struct Links {
    heads: Vec<u32>,
    next: Vec<u32>,
}

impl Links {
    /// Puts the next item under `key`. The caller bounds the key.
    pub fn push(&mut self, key: usize) {
        if key >= self.heads.len() {
            self.heads.resize(key + 1, NIL);
        }
        let item = self.next.len() as u32;
        let before = self
            .heads
            .get_mut(key)
            .map_or(NIL, |head| std::mem::replace(head, item));
        self.next.push(before);
    }

    /// The items under `key`, the latest first.
    pub fn of(&self, key: usize) -> impl Iterator<Item = u32> {
        let link = |item: u32| (item != NIL).then_some(item);
        let first = self.heads.get(key).copied().and_then(link);
        std::iter::successors(first, move |&item| {
            self.next.get(item as usize).copied().and_then(link)
        })
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        (self.heads.capacity() + self.next.capacity()) * 4
    }
}
