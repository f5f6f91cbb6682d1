//! Texts of arguments, each stored once.

use std::hash::{BuildHasher as _, BuildHasherDefault, Hasher};

use crate::column::push;
use record::impossible;

/// An empty place of the table.
const FREE: u32 = u32::MAX;

/// Texts by number, and a table that finds the number of a text.
#[derive(Clone, Default)]
pub(super) struct ArgumentTexts {
    list: Vec<Box<str>>,
    places: Vec<u32>,
    hasher: BuildHasherDefault<TextHasher>,
}

impl ArgumentTexts {
    /// The number of a text.
    pub fn intern(&mut self, text: Box<str>) -> u32 {
        if self.list.len() * 2 >= self.places.len() {
            self.grow();
        }
        let place = self.place(&text);
        let Some(slot) = self.places.get_mut(place) else {
            return impossible!("a text has no place in its table");
        };
        if *slot == FREE {
            *slot = self.list.len() as u32;
            push(&mut self.list, text);
        }
        *slot
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn get(&self, id: u32) -> Option<&str> {
        self.list.get(id as usize).map(|text| &**text)
    }

    /// The place of a text, or the free one where it belongs.
    fn place(&self, text: &str) -> usize {
        let mask = self.places.len() - 1;
        let mut place = self.hasher.hash_one(text) as usize & mask;
        while let Some(&id) = self.places.get(place) {
            if id == FREE || self.get(id) == Some(text) {
                break;
            }
            place = (place + 1) & mask;
        }
        place
    }

    fn grow(&mut self) {
        self.places = vec![FREE; (self.places.len() * 2).max(64)];
        for id in 0..self.list.len() as u32 {
            let place = self.get(id).map_or(0, |text| self.place(text));
            if let Some(slot) = self.places.get_mut(place) {
                *slot = id;
            }
        }
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let texts: usize = self.list.iter().map(|text| text.len()).sum();
        texts + self.list.capacity() * size_of::<Box<str>>() + self.places.capacity() * 4
    }
}

/// Mixes eight bytes at a time.
#[derive(Clone, Default)]
struct TextHasher(u64);

impl Hasher for TextHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.0 = (self.0 ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR);
            self.0 ^= self.0 >> 32;
        }
        for byte in rest {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(FACTOR);
        }
        self.0 ^= self.0 >> 29;
    }
}
