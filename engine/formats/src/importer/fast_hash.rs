//! Tables by small numbers, hashed by one multiplication. Files are no adversaries here: a slow table is still a right one.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A table by numbers.
pub(super) type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<QuickHasher>>;

/// A set of numbers.
pub(super) type QuickSet<K> = HashSet<K, BuildHasherDefault<QuickHasher>>;

/// Hashes small numbers quickly.
#[derive(Default)]
pub(super) struct QuickHasher(u64);

impl Hasher for QuickHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ mixed >> 32;
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number as u64);
    }
}
