//! Tables of plain text: columns that line up, numbers to the right.

use std::borrow::Cow;
use std::io::{self, Write};

use super::plain_text::one_line;

/// A table under construction. It may have a row for each of a million streams, so its cells lie in one text.
pub(super) struct TextTable {
    heads: Vec<TableHead>,
    text: String,
    /// Where each cell ends in the text.
    ends: Vec<usize>,
    /// How many cells there are after each row.
    rows: Vec<usize>,
    /// The characters of the widest cell of each column.
    widths: Vec<usize>,
}

/// The head of a column; `>` before its words aligns the column to the right.
struct TableHead {
    words: Cow<'static, str>,
    right: bool,
}

impl TextTable {
    /// A table with these heads.
    pub fn new(heads: &[&'static str]) -> Self {
        let head = |words: &&'static str| {
            let bare = Cow::Borrowed(words.trim_start_matches('>'));
            (bare, words.starts_with('>'))
        };
        Self::of(heads.iter().map(head))
    }

    /// A table whose heads are known when it runs, each with whether its column is aligned to the right.
    pub fn of(heads: impl IntoIterator<Item = (Cow<'static, str>, bool)>) -> Self {
        let heads = heads.into_iter();
        let heads: Vec<TableHead> = heads
            .map(|(words, right)| TableHead { words, right })
            .collect();
        Self {
            widths: heads.iter().map(|it| it.words.chars().count()).collect(),
            heads,
            text: String::new(),
            ends: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// A table with a first column of names and columns of numbers.
    pub fn of_numbers(first: &'static str, numbers: impl Iterator<Item = &'static str>) -> Self {
        let mut table = Self::new(&[first]);
        let heads = numbers.map(|words| TableHead {
            words: Cow::Borrowed(words),
            right: true,
        });
        table.heads.extend(heads);
        let heads = table.heads.iter();
        table.widths = heads.map(|it| it.words.chars().count()).collect();
        table
    }

    /// Adds a row. Thin spaces, which few terminals draw well, become plain ones.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        for (column, cell) in cells.into_iter().enumerate() {
            let begin = self.text.len();
            let plain = |it: char| if it == crate::text::THIN { ' ' } else { it };
            self.text.extend(one_line(&cell).chars().map(plain));
            self.ends.push(self.text.len());
            let width = self.text.get(begin..).map_or(0, |it| it.chars().count());
            if let Some(widest) = self.widths.get_mut(column) {
                *widest = width.max(*widest);
            }
        }
        self.rows.push(self.ends.len());
    }

    /// Aligns a column to the right.
    pub fn align_right(&mut self, column: usize) {
        if let Some(head) = self.heads.get_mut(column) {
            head.right = true;
        }
    }

    /// Bytes that it holds.
    pub const fn held_bytes(&self) -> usize {
        self.text.capacity() + (self.ends.capacity() + self.rows.capacity()) * size_of::<usize>()
    }

    /// As [`Table::write`], with an empty line before it.
    pub fn write_after_a_line(&self, out: &mut dyn Write) -> io::Result<()> {
        if !self.rows.is_empty() {
            writeln!(out)?;
        }
        self.write(out)
    }

    /// Writes it, its heads first; nothing where it has no rows.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let heads: Vec<&str> = self.heads.iter().map(|head| &*head.words).collect();
        self.line(&heads, out)?;
        let (mut at, mut begin) = (0, 0);
        let mut cells = Vec::with_capacity(heads.len());
        for &row in &self.rows {
            cells.clear();
            for &end in self.ends.get(at..row).unwrap_or_default() {
                cells.push(self.text.get(begin..end).unwrap_or_default());
                begin = end;
            }
            at = row;
            self.line(&cells, out)?;
        }
        Ok(())
    }

    fn line(&self, cells: &[&str], out: &mut dyn Write) -> io::Result<()> {
        let mut line = String::new();
        let columns = cells.iter().zip(&self.heads).zip(&self.widths);
        for (column, ((cell, head), width)) in columns.enumerate() {
            if column > 0 {
                line.push_str("  ");
            }
            let room = width.saturating_sub(cell.chars().count());
            let blank = " ".repeat(room);
            if head.right {
                line.push_str(&blank);
                line.push_str(cell);
            } else {
                line.push_str(cell);
                line.push_str(&blank);
            }
        }
        writeln!(out, "{}", line.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = TextTable::new(&["stream", ">busy", "role"]);
        table.row([
            "größe".to_owned(),
            format!("1{}ms", crate::text::THIN),
            String::new(),
        ]);
        table.row(["c".to_owned(), "120 ms".to_owned(), "compute".to_owned()]);
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "stream    busy  role\ngröße     1 ms\nc       120 ms  compute\n"
        );
    }
}
