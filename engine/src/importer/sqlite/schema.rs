//! Which tables a database has, and which columns each of them.

use std::collections::BTreeSet;

use rusqlite::{Connection, Error};

/// A table that rows are stored in. Views and virtual tables are none: what they answer is a program's work.
#[derive(Clone, Debug)]
pub(in crate::importer) struct Table {
    pub name: String,
    columns: Vec<String>,
    /// The highest number of a row; about how many rows there are.
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
                    let rows = rows_of(connection, name);
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

fn rows_of(connection: &Connection, table: &str) -> u64 {
    let highest = format!("SELECT max(rowid) FROM {}", quoted(table));
    let highest = connection.query_row(&highest, [], |row| row.get::<_, Option<i64>>(0));
    highest
        .ok()
        .flatten()
        .and_then(|it| u64::try_from(it).ok())
        .unwrap_or(0)
}

/// A name as SQL writes it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
