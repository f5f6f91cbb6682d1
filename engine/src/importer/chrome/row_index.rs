//! Finds rows by what they are, with four to eight bytes for each: a file may have millions of them.

use std::hash::{BuildHasher as _, RandomState};

use super::scan::Row;

/// An empty place of the table.
const FREE: u32 = u32::MAX;
/// Places of the first table.
const FIRST: usize = 64;

/// The numbers of rows, in an open table. The rows themselves are whoever's asks.
#[derive(Default)]
pub(super) struct RowIndex {
    /// A power of two, at most three quarters of them taken.
    places: Vec<u32>,
    count: usize,
    hasher: RandomState,
}

impl RowIndex {
    /// The number of a row, which becomes `next` where it is new; `known` gives the row of a number.
    pub fn place(&mut self, row: Row, next: usize, known: impl Fn(u32) -> Option<Row>) -> u32 {
        if (self.count + 1) * 4 > self.places.len() * 3 {
            self.grow(&known);
        }
        let at = self.find(row, &known);
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

    /// Where a row stands, or is to stand.
    fn find(&self, row: Row, known: &impl Fn(u32) -> Option<Row>) -> usize {
        let mask = self.places.len().saturating_sub(1);
        let mut at = self.hasher.hash_one(row) as usize & mask;
        while let Some(place) = self.places.get(at).filter(|it| **it != FREE) {
            if known(*place) == Some(row) {
                break;
            }
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self, known: &impl Fn(u32) -> Option<Row>) {
        let room = (self.places.len() * 2).max(FIRST);
        let old = std::mem::replace(&mut self.places, vec![FREE; room]);
        for place in old.into_iter().filter(|it| *it != FREE) {
            let at = known(place).map(|row| self.find(row, known));
            if let Some(slot) = at.and_then(|at| self.places.get_mut(at)) {
                *slot = place;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan::Token;
    use super::*;

    #[test]
    fn each_row_has_one_number_however_many_there_are() {
        let (mut index, mut rows) = (RowIndex::default(), Vec::<Row>::new());
        for round in 0..3 {
            for number in 0..10_000_i64 {
                let row = (Token::Number(number % 7), Token::Text(number as u32));
                let next = rows.len();
                let place = index.place(row, next, |it| rows.get(it as usize).copied());
                assert_eq!(place, number as u32, "in round {round}");
                if place as usize == next {
                    rows.push(row);
                }
            }
        }
        assert_eq!(rows.len(), 10_000);
        assert!(index.places.len() * 4 <= 10_000 * 8);
    }
}
