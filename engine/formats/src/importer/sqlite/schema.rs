//! Which tables a database has, and which columns each of them.

use std::collections::BTreeSet;

use rusqlite::{Connection, Error};

/// A table that rows are stored in. Views and virtual tables are none: what they answer is a program's work.
#[derive(Clone, Debug)]
pub(in crate::importer) struct TableSchema {
    pub name: String,
    columns: Vec<String>,
    /// About how many rows there are, for progress: what is told of them is counted.
    pub rows: u64,
}

impl TableSchema {
    /// Whether there is such a column; names are compared as SQLite does, without regard to case.
    pub fn has(&self, column: &str) -> bool {
        self.columns
            .iter()
            .any(|it| it.eq_ignore_ascii_case(column))
    }

    /// Which of these columns there are not.
    pub fn lacks(&self, columns: &'static [&'static str]) -> Vec<&'static str> {
        let lacking = columns.iter().copied();
        lacking.filter(|column| !self.has(column)).collect()
    }

    /// Whether there are all these columns.
    pub fn has_all(&self, columns: &[&str]) -> bool {
        columns.iter().all(|column| self.has(column))
    }
}

/// The smallest page of any database; every table has one of its own.
const PAGE: u64 = 512;

/// Every table of a database of `length` bytes, as far as the list of them can be read. A damaged list may turn in
/// circles: no more is read of it than such a database can hold.
pub(super) fn tables(connection: &Connection, length: u64) -> Result<Vec<TableSchema>, Error> {
    let list = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 1";
    let mut statement = connection.prepare(list)?;
    let mut rows = statement.query([])?;
    let (mut tables, mut seen) = (Vec::new(), BTreeSet::new());
    for _ in 0..=length / PAGE {
        match rows.next() {
            Ok(Some(row)) => {
                let name = row.get_ref(0)?;
                if let Ok(name) = name.as_str()
                    && seen.insert(name.to_ascii_lowercase())
                    && let Ok(columns) = columns(connection, name)
                {
                    let rows = rows_of(connection, name, length);
                    let name = name.to_owned();
                    tables.push(TableSchema {
                        name,
                        columns,
                        rows,
                    });
                }
            }
            Err(error) if tables.is_empty() => return Err(error),
            Ok(None) | Err(_) => break,
        }
    }
    Ok(tables)
}

/// The stored columns of a table; those that are computed are left out.
fn columns(connection: &Connection, table: &str) -> Result<Vec<String>, Error> {
    let mut statement =
        connection.prepare("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0")?;
    let names = statement.query_map([table], |row| row.get(0))?;
    names.collect()
}

/// The fewest bytes that a row takes.
const LEAST: u64 = 4;

/// How many rows a table has, as far as it can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowCount {
    pub rows: u64,
    /// Whether they are all: the table was read to its end.
    pub is_whole: bool,
}

/// About how many rows a table has, by their numbers, which costs nothing. A table whose numbers are
/// not its own, such as those of processes, or that has none is counted.
fn rows_of(connection: &Connection, table: &str, length: u64) -> u64 {
    let ends = format!("SELECT min(rowid), max(rowid) FROM {}", quoted(table));
    let ends = connection.query_row(&ends, [], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
    });
    let numbers = ends.map(|(first, last)| last.abs_diff(first).saturating_add(1));
    match numbers {
        Ok(numbers) if numbers <= length / LEAST => numbers,
        _ => count_rows(connection, table, length).rows,
    }
}

/// Counts the rows of a table up to its end or its damage; no more than a file of `length` bytes can hold, in which a
/// damaged table turns in circles.
pub(super) fn count_rows(connection: &Connection, table: &str, length: u64) -> RowCount {
    let most = length / LEAST + 1;
    let each = format!("SELECT 1 FROM {} NOT INDEXED LIMIT {most}", quoted(table));
    let all = connection.query_row(&format!("SELECT count(*) FROM ({each})"), [], |row| {
        row.get::<_, i64>(0)
    });
    let (rows, is_whole) = match all {
        Ok(rows) => (u64::try_from(rows).unwrap_or(0), true),
        Err(_) => (rows_before_damage(connection, &each).unwrap_or(0), false),
    };
    RowCount {
        rows,
        is_whole: is_whole && rows < most,
    }
}

/// How many rows a query answers before it fails.
fn rows_before_damage(connection: &Connection, query: &str) -> Result<u64, Error> {
    let mut statement = connection.prepare(query)?;
    let mut rows = statement.query([])?;
    let mut count = 0;
    while let Ok(Some(_)) = rows.next() {
        count += 1;
    }
    Ok(count)
}

/// A name as SQL writes it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(script: &str) -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(script).unwrap();
        connection
    }

    fn rows(script: &str) -> Vec<u64> {
        let all = tables(&made(script), 8_192).unwrap();
        all.iter().map(|table| table.rows).collect()
    }

    #[test]
    fn rows_whose_numbers_are_not_their_own_are_counted() {
        let sparse = "CREATE TABLE sparse (id INTEGER PRIMARY KEY);
            INSERT INTO sparse VALUES (1), (6442462837);";
        assert_eq!(rows(sparse), [2]);
        let without = "CREATE TABLE without (id INTEGER PRIMARY KEY) WITHOUT ROWID;
            INSERT INTO without VALUES (1), (6442462837), (7);";
        assert_eq!(rows(without), [3]);
        let hidden = "CREATE TABLE hidden (rowid TEXT); INSERT INTO hidden VALUES ('a'), (NULL);";
        assert_eq!(rows(hidden), [2]);
        assert_eq!(rows("CREATE TABLE empty (id INTEGER);"), [0]);
    }

    #[test]
    fn a_count_ends_where_the_file_can_hold_no_more() {
        let connection =
            made("CREATE TABLE many (id INTEGER); INSERT INTO many VALUES (1), (2), (3), (4);");
        let whole = RowCount {
            rows: 4,
            is_whole: true,
        };
        assert_eq!(count_rows(&connection, "many", 512), whole);
        let turning = RowCount {
            rows: 3,
            is_whole: false,
        };
        assert_eq!(count_rows(&connection, "many", 8), turning);
    }
}
