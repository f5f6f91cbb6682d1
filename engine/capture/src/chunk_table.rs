//! Every chunk by its number. The numbers of those that were emptied are given again.

use std::ops::{Deref, DerefMut};

use super::chunk::Chunk;
use super::column::push;

/// The chunks of all rows.
#[derive(Clone, Default)]
pub(super) struct ChunkTable {
    all: Vec<Chunk>,
    free: Vec<u32>,
}

impl ChunkTable {
    /// Takes a chunk and gives its number.
    pub fn add(&mut self, chunk: Chunk) -> u32 {
        if let Some(number) = self.free.pop()
            && let Some(slot) = self.all.get_mut(number as usize)
        {
            *slot = chunk;
            return number;
        }
        push(&mut self.all, chunk);
        self.all.len() as u32 - 1
    }

    /// A chunk in which no span is left: its number may be given again.
    pub fn give_up(&mut self, number: u32) {
        push(&mut self.free, number);
    }

    /// Bytes that the table itself holds on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.all.capacity() * size_of::<Chunk>() + self.free.capacity() * 4
    }
}

impl Deref for ChunkTable {
    type Target = [Chunk];

    fn deref(&self) -> &[Chunk] {
        &self.all
    }
}

impl DerefMut for ChunkTable {
    fn deref_mut(&mut self) -> &mut [Chunk] {
        &mut self.all
    }
}
