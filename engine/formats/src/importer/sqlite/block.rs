//! Rows of a table as they cross from the thread that reads them to the one that understands them.

use std::borrow::Cow;

/// How many rows cross at once.
pub(super) const ROWS: usize = 1024;

/// What stands for nothing in a cell.
const NOTHING: i64 = i64::MIN;

/// Some rows of one table.
#[derive(Debug, Default)]
pub(in crate::importer) struct RowBlock {
    width: usize,
    /// The number of its first row, counted from 1.
    first: u64,
    cells: Vec<i64>,
    text: String,
    ends: Vec<usize>,
    /// Cells of another type than was asked for, and read all the same.
    mended: u64,
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub(in crate::importer) struct SqliteRow<'a> {
    block: &'a RowBlock,
    cells: &'a [i64],
    /// Its number in the table, counted from 1.
    pub number: u64,
}

impl RowBlock {
    pub fn new(width: usize, first: u64) -> Self {
        Self {
            width: width.max(1),
            first,
            cells: Vec::with_capacity(width.max(1) * ROWS),
            ..Self::default()
        }
    }

    /// Cells that were of another type than was asked for.
    pub fn mended(&self) -> u64 {
        self.mended
    }

    /// Notes one more of them.
    pub fn count_repair(&mut self) {
        self.mended += 1;
    }

    /// Bytes of all its texts.
    pub fn text_length(&self) -> usize {
        self.text.len()
    }

    /// How many whole rows it holds.
    pub fn len(&self) -> usize {
        self.cells.len() / self.width.max(1)
    }

    pub fn rows(&self) -> impl Iterator<Item = SqliteRow<'_>> {
        let numbered = self.cells.chunks_exact(self.width.max(1)).zip(self.first..);
        numbered.map(|(cells, number)| SqliteRow {
            block: self,
            cells,
            number,
        })
    }

    pub fn push_nothing(&mut self) {
        self.cells.push(NOTHING);
    }

    pub fn push_integer(&mut self, value: i64) {
        self.cells.push(value);
    }

    pub fn push_number(&mut self, value: f64) {
        self.cells.push(value.to_bits() as i64);
    }

    pub fn push_text(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        self.mended += u64::from(matches!(text, Cow::Owned(_)));
        self.text.push_str(&text);
        self.cells.push(self.ends.len() as i64);
        self.ends.push(self.text.len());
    }
}

impl<'a> SqliteRow<'a> {
    /// The whole number in a column.
    pub fn integer(&self, column: usize) -> Option<i64> {
        let cell = *self.cells.get(column)?;
        (cell != NOTHING).then_some(cell)
    }

    /// The real number in a column.
    pub fn number(&self, column: usize) -> Option<f64> {
        let cell = *self.cells.get(column)?;
        (cell != NOTHING).then(|| f64::from_bits(cell as u64))
    }

    /// The text in a column.
    pub fn text(&self, column: usize) -> Option<&'a str> {
        let index = usize::try_from(self.integer(column)?).ok()?;
        let start = match index.checked_sub(1) {
            Some(before) => *self.block.ends.get(before)?,
            None => 0,
        };
        self.block.text.get(start..*self.block.ends.get(index)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_come_back_as_they_went_in() {
        let mut block = RowBlock::new(3, 7);
        for (integer, number, text) in [(1, 0.5, "a"), (-9, -2.0, ""), (3, 1e300, "käse")] {
            block.push_integer(integer);
            block.push_number(number);
            block.push_text(text.as_bytes());
        }
        let rows: Vec<_> = block
            .rows()
            .map(|row| (row.number, row.integer(0), row.number(1), row.text(2)))
            .collect();
        assert_eq!(rows[0], (7, Some(1), Some(0.5), Some("a")));
        assert_eq!(rows[1], (8, Some(-9), Some(-2.0), Some("")));
        assert_eq!(rows[2], (9, Some(3), Some(1e300), Some("käse")));
    }

    #[test]
    fn nothing_stays_nothing() {
        let mut block = RowBlock::new(2, 1);
        block.push_nothing();
        block.push_text(&[0x66, 0xff]);
        let row = block.rows().next().unwrap();
        assert_eq!(
            (row.integer(0), row.number(0), row.text(0)),
            (None, None, None)
        );
        assert_eq!((row.text(1), row.integer(9)), (Some("f\u{fffd}"), None));
        assert_eq!(block.mended, 1);
    }
}
