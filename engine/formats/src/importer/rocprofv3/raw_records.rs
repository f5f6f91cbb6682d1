//! Records as they stand in the file, kept until its end: taken apart they would take several times the room.

use std::collections::VecDeque;

use serde::de::DeserializeOwned;
use serde_json::from_slice;

/// Bytes of one block.
const BLOCK: usize = 1 << 20;

/// Records of one sort, each with its process and what else is known of it.
#[derive(Debug)]
pub(super) struct RecordList<K> {
    blocks: VecDeque<Vec<u8>>,
    /// Process, length and what is known of each.
    list: VecDeque<(u32, u32, K)>,
    /// Where the first of the records that are left begins in the first block.
    at: usize,
}

impl<K> Default for RecordList<K> {
    fn default() -> Self {
        Self {
            blocks: VecDeque::new(),
            list: VecDeque::new(),
            at: 0,
        }
    }
}

impl<K: Copy> RecordList<K> {
    /// Keeps a record that can be read.
    pub fn push(&mut self, process: u32, known: K, bytes: &[u8]) {
        let room = |block: &Vec<u8>| block.capacity() - block.len();
        if self.blocks.back().is_none_or(|it| room(it) < bytes.len()) {
            let block = Vec::with_capacity(BLOCK.max(bytes.len()));
            self.blocks.push_back(block);
        }
        if let Some(block) = self.blocks.back_mut() {
            block.extend_from_slice(bytes);
            self.list.push_back((process, bytes.len() as u32, known));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Every record, taken apart again.
    pub fn all<T: DeserializeOwned>(&self) -> impl Iterator<Item = (u32, K, T)> {
        let mut blocks = self.blocks.iter();
        let (mut block, mut at) = (blocks.next().map_or(&[][..], Vec::as_slice), self.at);
        self.list
            .iter()
            .filter_map(move |&(process, length, known)| {
                if at == block.len() {
                    (block, at) = (blocks.next()?, 0);
                }
                let bytes = block.get(at..at + length as usize)?;
                at += length as usize;
                Some((process, known, from_slice(bytes).ok()?))
            })
    }

    /// Takes the first of them out.
    pub fn next<T: DeserializeOwned>(&mut self) -> Option<(u32, K, T)> {
        loop {
            let (process, length, known) = self.list.pop_front()?;
            if self.blocks.front().is_some_and(|it| self.at >= it.len()) {
                self.blocks.pop_front();
                self.at = 0;
            }
            let end = self.at + length as usize;
            let bytes = self.blocks.front()?.get(self.at..end)?;
            self.at = end;
            if let Ok(record) = from_slice(bytes) {
                return Some((process, known, record));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_in_order_and_give_their_room_back() {
        let mut kept = RecordList::default();
        let text = |number: usize| format!("\"{}{number}\"", "x".repeat(number % 7 * 300_000));
        for number in 0..40 {
            kept.push(number as u32 / 3, number, text(number).as_bytes());
        }
        let blocks = kept.blocks.len();
        assert!(blocks > 20, "{blocks}");
        let unquoted = |number: usize| text(number).trim_matches('"').to_owned();
        let seen: Vec<(u32, usize, String)> = kept.all().collect();
        for (number, seen) in seen.into_iter().enumerate() {
            let expected = (number as u32 / 3, number, unquoted(number));
            assert_eq!(seen, expected);
            assert_eq!(kept.next::<String>(), Some(expected));
            if number == 20 {
                assert!(kept.blocks.len() < blocks / 2 + 3, "{}", kept.blocks.len());
                assert_eq!(kept.all::<String>().count(), kept.list.len());
            }
        }
        assert_eq!(kept.next::<String>(), None);
        assert!(kept.is_empty());
    }
}
