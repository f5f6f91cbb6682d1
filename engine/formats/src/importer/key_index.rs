//! Finds things by what they are, with four to eight bytes for each: a file may have millions of rows and lanes.

use std::hash::{BuildHasher as _, Hash, RandomState};

/// An empty place of the table.
const FREE: u32 = u32::MAX;
/// Places of the first table.
const FIRST: usize = 64;

/// The numbers of things by their keys, in an open table. The keys themselves are whoever's asks.
#[derive(Debug, Default)]
pub(in crate::importer) struct KeyIndex {
    /// A power of two, at most three quarters of them taken.
    places: Vec<u32>,
    count: usize,
    hasher: RandomState,
}

impl KeyIndex {
    /// The number of a key, which becomes `next` where it is new; `known` gives the key of a number.
    pub fn place<K: Hash + Eq>(
        &mut self,
        key: &K,
        next: usize,
        known: impl Fn(u32) -> Option<K>,
    ) -> u32 {
        if (self.count + 1) * 4 > self.places.len() * 3 {
            self.grow(&known);
        }
        let at = self.find(key, &known);
        match self.places.get_mut(at) {
            Some(place) if *place == FREE => {
                *place = next as u32;
                self.count += 1;
                next as u32
            }
            Some(place) => *place,
            None => next as u32,
        }
    }

    /// The number of a key, where it has one.
    pub fn get<K: Hash + Eq>(&self, key: &K, known: impl Fn(u32) -> Option<K>) -> Option<u32> {
        let found = self.places.get(self.find(key, &known)).copied();
        found.filter(|it| *it != FREE)
    }

    /// Where a key stands, or is to stand.
    fn find<K: Hash + Eq>(&self, key: &K, known: &impl Fn(u32) -> Option<K>) -> usize {
        let mask = self.places.len().saturating_sub(1);
        let mut at = self.hasher.hash_one(key) as usize & mask;
        while let Some(place) = self.places.get(at).filter(|it| **it != FREE) {
            if known(*place).as_ref() == Some(key) {
                break;
            }
            at = (at + 1) & mask;
        }
        at
    }

    fn grow<K: Hash + Eq>(&mut self, known: &impl Fn(u32) -> Option<K>) {
        let room = (self.places.len() * 2).max(FIRST);
        let old = std::mem::replace(&mut self.places, vec![FREE; room]);
        for place in old.into_iter().filter(|it| *it != FREE) {
            let at = known(place).map(|key| self.find(&key, known));
            if let Some(slot) = at.and_then(|at| self.places.get_mut(at)) {
                *slot = place;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_one_number_however_many_there_are() {
        let (mut index, mut keys) = (KeyIndex::default(), Vec::<(i64, u32)>::new());
        for round in 0..3 {
            for number in 0..10_000_i64 {
                let key = (number % 7, number as u32);
                let next = keys.len();
                let place = index.place(&key, next, |it| keys.get(it as usize).copied());
                assert_eq!(place, number as u32, "in round {round}");
                if place as usize == next {
                    keys.push(key);
                }
            }
        }
        assert_eq!(keys.len(), 10_000);
        assert!(index.places.len() * 4 <= 10_000 * 8);
    }
}
