//! A column that grows at its end alone: what is behind is packed, some hundred numbers at a time.

use super::column::push;
use super::encoded_column::CompressedColumn;

/// Numbers of one part.
const PART: usize = 512;

/// Numbers by place.
#[derive(Clone, Default)]
pub(super) struct AppendColumn {
    parts: Vec<CompressedColumn>,
    tail: Vec<u32>,
}

impl AppendColumn {
    pub fn len(&self) -> usize {
        self.parts.len() * PART + self.tail.len()
    }

    pub fn push(&mut self, value: u32) {
        if self.tail.len() == self.tail.capacity() {
            let more = (self.tail.len() / 2).clamp(4, PART - self.tail.len());
            self.tail.reserve_exact(more);
        }
        self.tail.push(value);
        if self.tail.len() == PART {
            push(&mut self.parts, CompressedColumn::new(&self.tail));
            self.tail.clear();
        }
    }

    pub fn get(&self, at: usize) -> Option<u32> {
        match self.parts.get(at / PART) {
            Some(part) => Some(part.get(at % PART)),
            None => self
                .tail
                .get(at.checked_sub(self.parts.len() * PART)?)
                .copied(),
        }
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let parts: usize = self.parts.iter().map(CompressedColumn::heap_bytes).sum();
        parts + self.parts.capacity() * size_of::<CompressedColumn>() + self.tail.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_at_their_places() {
        let (mut column, mut expected) = (AppendColumn::default(), Vec::new());
        for at in 0..5_000_u32 {
            let value = match at / 1_000 {
                0 => 7,
                1 => at * 3,
                2 => at.wrapping_mul(2_654_435_761),
                _ => at % 50 * 1_000_000,
            };
            column.push(value);
            expected.push(value);
            assert_eq!(column.get(at as usize), Some(value));
        }
        assert_eq!((column.len(), column.get(5_000)), (5_000, None));
        let found: Vec<_> = (0..5_000).filter_map(|at| column.get(at)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_alike_takes_little() {
        let (mut same, mut near) = (AppendColumn::default(), AppendColumn::default());
        for at in 0..100_000 {
            same.push(5);
            near.push(at * 7 + at % 3);
        }
        assert!(same.heap_bytes() < 14_000, "{}", same.heap_bytes());
        assert!(near.heap_bytes() < 140_000, "{}", near.heap_bytes());
    }
}
