//! What a format does with the rows of one table.

use super::driver::{DatabaseReader, Dialect};
use super::{ColumnList, Database, SelectQuery, SqliteRow};

/// A row says no time that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::importer) struct UntimedRow;

/// What came of a row: those of tables without times cannot lack any.
pub(in crate::importer) trait RowOutcome {
    fn checked(self) -> Result<(), UntimedRow>;
}

impl RowOutcome for () {
    fn checked(self) -> Result<(), UntimedRow> {
        Ok(())
    }
}

impl RowOutcome for Result<(), UntimedRow> {
    fn checked(self) -> Self {
        self
    }
}

/// A table that a format knows: its columns, and what becomes of a row.
#[derive(Debug)]
pub(in crate::importer) struct TableReader<D: Dialect> {
    /// The table's name, or how it begins where the dialect says so.
    pub name: &'static str,
    pub columns: fn(&mut ColumnList),
    pub take: fn(&mut DatabaseReader<'_, '_, D>, SqliteRow<'_>) -> Result<(), UntimedRow>,
    /// The column by which it is found when the capture began.
    pub time: Option<&'static str>,
    /// Whether it refers to spans of host threads, which are handed over before it is read.
    pub follows_hosts: bool,
}

/// A [`TableReader`] of a table's name, the columns of its rows, and the method that takes one of them.
macro_rules! table {
    ($name:literal, $row:ident, $take:expr) => {{
        use $crate::importer::sqlite::{RowField as _, RowOutcome as _, TableReader};
        TableReader {
            name: $name,
            columns: |columns| $row::list(&[], columns),
            take: |reader, row| $take(reader, $row::read(row, &mut 0)).checked(),
            time: None,
            follows_hosts: false,
        }
    }};
}

pub(in crate::importer) use table;

impl<D: Dialect> TableReader<D> {
    /// The same table, by one of whose columns it is found when the capture began.
    pub const fn timed(mut self, column: &'static str) -> Self {
        self.time = Some(column);
        self
    }

    /// The same table, which refers to spans of host threads.
    pub const fn after_hosts(mut self) -> Self {
        self.follows_hosts = true;
        self
    }
}

/// A table of a database that is read.
#[derive(Debug)]
pub(in crate::importer) struct TableQuery<D: Dialect> {
    pub reader: &'static TableReader<D>,
    /// Which of several profiled processes it is of, where each has its own tables.
    pub owner: i64,
    pub query: SelectQuery,
}

impl<D: Dialect> TableQuery<D> {
    /// The tables of a list that a database has.
    pub fn all(readers: &'static [TableReader<D>], database: &Database) -> Vec<Self> {
        let known = readers.iter().filter_map(|reader| {
            let query = SelectQuery::new(database.table(reader.name)?, reader.columns);
            Some(Self {
                reader,
                owner: 0,
                query,
            })
        });
        known.collect()
    }
}
