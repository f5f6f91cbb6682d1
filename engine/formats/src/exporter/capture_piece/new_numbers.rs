//! New numbers for what a piece keeps of a capture's tables: each place in a table is the next that is free.

use std::collections::HashMap;
use std::hash::Hash;

/// The new numbers of what is kept of a table, given out as they are asked for.
pub(super) struct TableNumbers<T>(HashMap<T, u32>);

impl<T> Default for TableNumbers<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T: Copy + Eq + Hash> TableNumbers<T> {
    /// The number of a row, and whether it has it only now.
    pub fn number(&mut self, of: T) -> (u32, bool) {
        let next = self.len();
        let number = *self.0.entry(of).or_insert(next);
        (number, number == next)
    }

    /// The number of a row that has one.
    pub fn known(&self, of: T) -> Option<u32> {
        self.0.get(&of).copied()
    }

    /// How many rows have one.
    pub fn len(&self) -> u32 {
        self.0.len() as u32
    }
}

/// The new numbers of spans: their places in the order of the old ones.
pub(super) struct SpanNumbers(Vec<u32>);

impl SpanNumbers {
    /// Numbers spans, which may come in any order.
    pub fn new(mut spans: Vec<u32>) -> Self {
        spans.sort_unstable();
        spans.dedup();
        Self(spans)
    }

    /// The new number of a span; nothing where it is not kept.
    pub fn of(&self, span: u32) -> Option<u32> {
        let place = self.0.binary_search(&span).ok();
        place.map(|place| place as u32)
    }
}
