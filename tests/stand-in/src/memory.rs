//! Memory of the device, which is memory of the host at addresses of its own, and memory of the host that is registered.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Where the device's addresses begin: nothing of the host is there.
const BASE: u64 = 0x7a00_0000_0000;
const ALIGN: u64 = 512;

/// All memory.
#[derive(Default)]
pub struct Memory {
    device: BTreeMap<u64, Block>,
    /// Bytes of registered memory by its address, and whose it is.
    registered: BTreeMap<u64, (usize, usize)>,
    next: u64,
    used: usize,
}

struct Block {
    words: Arc<[AtomicU32]>,
    bytes: usize,
    /// Freed memory stays with its pool.
    is_freed: bool,
}

/// Words that a kernel or a copy uses.
#[derive(Clone)]
pub enum Words {
    /// Memory of the device, from a word on.
    Device(Arc<[AtomicU32]>, usize),
    /// Memory of the host: its address, and how many words.
    Host(u64, usize),
}

impl Memory {
    /// Allocates; nothing where `most` bytes are used up.
    pub fn allocate(&mut self, bytes: usize, most: usize) -> Option<u64> {
        if self.used.checked_add(bytes)? > most {
            return None;
        }
        let words: Arc<[AtomicU32]> = (0..bytes.div_ceil(4)).map(|_| AtomicU32::new(0)).collect();
        let address = BASE + self.next;
        self.next += (bytes as u64).next_multiple_of(ALIGN) + ALIGN;
        self.used += bytes;
        self.device.insert(
            address,
            Block {
                words,
                bytes,
                is_freed: false,
            },
        );
        Some(address)
    }

    /// Frees for good. False where nothing was allocated there.
    pub fn free(&mut self, address: u64) -> bool {
        let freed = self.device.remove(&address);
        if let Some(block) = freed.as_ref().filter(|block| !block.is_freed) {
            self.used -= block.bytes;
        }
        freed.is_some_and(|block| !block.is_freed)
    }

    /// Gives memory back to its pool, which keeps it. False where nothing was allocated there.
    pub fn give_back(&mut self, address: u64) -> bool {
        match self
            .device
            .get_mut(&address)
            .filter(|block| !block.is_freed)
        {
            Some(block) => {
                block.is_freed = true;
                self.used -= block.bytes;
                true
            }
            None => false,
        }
    }

    /// Bytes that were allocated at an address.
    pub fn bytes(&self, address: u64) -> usize {
        self.device.get(&address).map_or(0, |block| block.bytes)
    }

    /// Bytes in use.
    pub const fn used(&self) -> usize {
        self.used
    }

    /// Registers memory of the host. False where some of it is registered.
    pub fn register(&mut self, address: u64, bytes: usize, context: usize) -> bool {
        let before = self.registered.range(..address + bytes as u64).next_back();
        let overlaps = before.is_some_and(|(at, (len, _))| at + *len as u64 > address);
        if !overlaps {
            self.registered.insert(address, (bytes, context));
        }
        !overlaps
    }

    /// The same again, backwards. False where it is not.
    pub fn unregister(&mut self, address: u64) -> bool {
        self.registered.remove(&address).is_some()
    }

    /// A context is destroyed: what was registered in it is no more.
    pub fn forget(&mut self, context: usize) {
        self.registered.retain(|_, (_, of)| *of != context);
    }

    /// Whether memory at `address` is registered.
    pub fn is_registered(&self, address: u64) -> bool {
        let found = self.registered.range(..=address).next_back();
        found.is_some_and(|(at, (bytes, _))| address < at + *bytes as u64)
    }

    /// What is at an address as the device has it.
    pub fn words(&self, address: u64) -> Option<Words> {
        if let Some((at, (bytes, _))) = self.registered.range(..=address).next_back()
            && address < at + *bytes as u64
        {
            let left = (at + *bytes as u64 - address) / 4;
            return Some(Words::Host(address, left as usize));
        }
        let (at, block) = self.device.range(..=address).next_back()?;
        let first = ((address - at) / 4) as usize;
        (first <= block.words.len()).then(|| Words::Device(Arc::clone(&block.words), first))
    }
}

impl Words {
    /// Memory of the caller's.
    pub const fn of_host(address: u64, count: usize) -> Self {
        Self::Host(address, count)
    }

    fn cells(&self) -> &[AtomicU32] {
        match self {
            Self::Device(words, first) => words.get(*first..).unwrap_or_default(),
            // SAFETY: the caller gave this address as one of so many words, and keeps it until what uses it has ended, as
            // it has to with a driver.
            Self::Host(address, count) => unsafe {
                std::slice::from_raw_parts(
                    std::ptr::with_exposed_provenance::<AtomicU32>(*address as usize),
                    *count,
                )
            },
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.cells().len()
    }

    /// The word at `place`.
    pub fn word(&self, place: usize) -> Option<u32> {
        self.cells().get(place).map(|cell| cell.load(Relaxed))
    }

    /// Writes the word at `place`; false beyond the end.
    pub fn set(&self, place: usize, word: u32) -> bool {
        let cell = self.cells().get(place);
        cell.map(|cell| cell.store(word, Relaxed)).is_some()
    }

    /// The first `count` words.
    pub fn load(&self, count: usize) -> Vec<u32> {
        let cells = self.cells().iter().take(count);
        cells.map(|cell| cell.load(Relaxed)).collect()
    }

    /// Writes words from the first on.
    pub fn store(&self, words: &[u32]) {
        for (cell, word) in self.cells().iter().zip(words) {
            cell.store(*word, Relaxed);
        }
    }
}
