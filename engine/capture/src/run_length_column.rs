//! A column of which most values are the same: it takes room only where two differ.

/// Values by place. Whoever has it knows how many there are.
#[derive(Clone, Default)]
pub(super) struct RunLengthColumn {
    same: u32,
    /// Nothing while all are the same.
    each: Vec<u32>,
}

impl RunLengthColumn {
    pub fn get(&self, at: usize) -> Option<u32> {
        if self.each.is_empty() {
            return Some(self.same);
        }
        self.each.get(at).copied()
    }

    /// All `length` values.
    pub fn all(&self, length: usize) -> Vec<u32> {
        if self.each.is_empty() {
            return vec![self.same; length];
        }
        self.each.clone()
    }

    /// Puts a value at a place among `length` others.
    pub fn insert(&mut self, at: usize, value: u32, length: usize) {
        if length == 0 {
            self.each.clear();
            self.same = value;
        } else if !self.each.is_empty() || value != self.same {
            if self.each.is_empty() {
                self.each.reserve_exact(super::chunk::room(length));
                self.each.resize(length, self.same);
            }
            if self.each.len() == self.each.capacity() {
                self.each.reserve_exact(super::chunk::room(length) - length);
            }
            self.each.insert(at, value);
        }
    }

    /// Forgets all values, and keeps the room.
    pub fn clear(&mut self) {
        self.each.clear();
    }

    pub fn truncate(&mut self, length: usize) {
        self.each.truncate(length);
        self.each.shrink_to_fit();
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.each.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_in_their_places_whether_they_differ_or_not() {
        let (mut column, mut expected) = (RunLengthColumn::default(), Vec::new());
        for round in 0..500_u32 {
            let at = (round * 7) as usize % (expected.len() + 1);
            let value = if round < 100 { 5 } else { round };
            column.insert(at, value, expected.len());
            expected.insert(at, value);
            if round == 99 {
                assert_eq!(column.heap_bytes(), 0);
            }
        }
        let found: Vec<u32> = (0..500).filter_map(|at| column.get(at)).collect();
        assert_eq!(found, expected);
        column.truncate(0);
        column.insert(0, 9, 0);
        assert_eq!((column.get(0), column.heap_bytes()), (Some(9), 0));
    }
}
