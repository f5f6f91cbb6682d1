//! Tables of plain text: columns that line up, numbers to the right.

use std::io::{self, Write};

/// A table under construction.
pub(super) struct Table {
    heads: Vec<Head>,
    rows: Vec<Vec<String>>,
}

/// The head of a column; `>` before its words aligns the column to the right.
struct Head {
    words: &'static str,
    right: bool,
}

impl Table {
    /// A table with these heads.
    pub fn new(heads: &[&'static str]) -> Self {
        let head = |words: &&'static str| Head {
            words: words.trim_start_matches('>'),
            right: words.starts_with('>'),
        };
        Self {
            heads: heads.iter().map(head).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row. Thin spaces, which few terminals draw well, become plain ones.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let plain = |cell: String| cell.replace(crate::text::THIN, " ");
        self.rows.push(cells.into_iter().map(plain).collect());
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
        let heads: Vec<String> = self
            .heads
            .iter()
            .map(|head| head.words.to_owned())
            .collect();
        let widths: Vec<usize> = (0..heads.len()).map(|column| self.width(column)).collect();
        self.line(&heads, &widths, out)?;
        self.rows
            .iter()
            .try_for_each(|row| self.line(row, &widths, out))
    }

    fn line(&self, cells: &[String], widths: &[usize], out: &mut dyn Write) -> io::Result<()> {
        let mut line = String::new();
        let columns = cells.iter().zip(&self.heads).zip(widths);
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

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
        let head = self
            .heads
            .get(column)
            .map_or(0, |head| head.words.chars().count());
        widest.max(head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["stream", ">busy", "role"]);
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
