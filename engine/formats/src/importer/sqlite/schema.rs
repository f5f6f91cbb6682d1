//! Which tables a database has, and which columns each of them.

use std::collections::BTreeSet;

use rusqlite::{Connection, Error};

/// A table that rows are stored in. Views and virtual tables are none: what they answer is a program's work.
#[derive(Clone, Debug)]
pub(in crate::importer) struct Table {
    pub name: String,
    columns: Vec<String>,
    /// About how many rows there are: exact only where the numbers of rows say more than the file can hold.
    pub rows: u64,
}

impl Table {
    /// Whether there is such a column; names are compared as SQLite does, without regard to case.
    pub fn has(&self, column: &str) -> bool {
        self.columns
            .iter()
            .any(|it| it.eq_ignore_ascii_case(column))
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
pub(super) fn tables(connection: &Connection, length: u64) -> Result<Vec<Table>, Error> {
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
                    tables.push(Table {
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

/// About how many rows a table has, by their numbers, which costs nothing; a table whose numbers are not its own, such as
/// those of processes, is counted.
fn rows_of(connection: &Connection, table: &str, length: u64) -> u64 {
    let ends = format!("SELECT min(rowid), max(rowid) FROM {}", quoted(table));
    let ends = connection.query_row(&ends, [], |row| {
        Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, Option<i64>>(1)?))
    });
    let Ok((Some(first), Some(last))) = ends else {
        return 0;
    };
    let numbers = last.abs_diff(first).saturating_add(1);
    if numbers <= length / LEAST {
        return numbers;
    }
    count_rows(connection, table, length)
}

/// How many rows a table has; never more than a file of `length` bytes can hold, in which a damaged table turns in circles.
pub(super) fn count_rows(connection: &Connection, table: &str, length: u64) -> u64 {
    let most = length / LEAST + 1;
    let count = format!(
        "SELECT count(*) FROM (SELECT 1 FROM {} NOT INDEXED LIMIT {most})",
        quoted(table)
    );
    let count = connection.query_row(&count, [], |row| row.get::<_, i64>(0));
    count.map_or(0, |it| u64::try_from(it).unwrap_or(0))
}

/// A name as SQL writes it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
