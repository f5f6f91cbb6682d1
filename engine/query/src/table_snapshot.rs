//! The rows of a table for whoever writes them elsewhere: the same rows that SQL reads.

use std::sync::Arc;

use super::column::{CellValue, StoredColumn};
use super::guard::{QueryGuard, SqlLimits, SqlWatch, StopReason};
use super::rows::TableRows;
use super::schema::{SqlTable, TABLES, TableId};
use super::source::QuerySource;
use super::tables;

/// All rows of a table, with every column of its schema.
pub struct TableSnapshot {
    table: &'static SqlTable,
    rows: Arc<TableRows>,
}

impl QuerySource {
    /// The rows of a table of [`TABLES`], by its name. Large tables are not kept for the next question.
    ///
    /// # Errors
    /// `watch` was cancelled, or there is no table of this name, which reads as cancelled too.
    pub fn view(&self, name: &str, watch: &Arc<SqlWatch>) -> Result<TableSnapshot, StopReason> {
        let place = TABLES.iter().position(|it| it.name == name);
        let (id, table) = place
            .and_then(|place| Some((TableId(place), TABLES.get(place)?)))
            .ok_or(StopReason::Cancelled)?;
        let guard = unlimited(watch);
        let rows = Arc::new(tables::make(self, id, &guard)?);
        tables::complete(self, (id, u64::MAX), &rows, &guard)?;
        Ok(TableSnapshot { table, rows })
    }

    /// Concludes at once what several tables are made of, which is quicker than table by table.
    ///
    /// # Errors
    /// `watch` was cancelled.
    pub fn prepare(&self, watch: &Arc<SqlWatch>) -> Result<(), StopReason> {
        self.answers(&unlimited(watch)).map(drop)
    }
}

/// Whoever writes all rows has no limits.
fn unlimited(watch: &Arc<SqlWatch>) -> QueryGuard {
    let limits = SqlLimits {
        time: std::time::Duration::MAX,
        memory: u64::MAX,
        rows: u64::MAX,
    };
    QueryGuard::new(limits, Arc::clone(watch))
}

impl TableSnapshot {
    /// Its columns, in the order of their places.
    pub const fn table(&self) -> &'static SqlTable {
        self.table
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.len == 0
    }

    /// The value of a column in a row; NULL where there is no such row or column.
    pub fn cell(&self, column: usize, row: usize) -> CellValue<'_> {
        let column = self.column(column);
        column.map_or(CellValue::Null, |it| it.cell(row))
    }

    /// A number that equal texts of a column have in common; nothing for NULL. Of a column of whole numbers, the number itself.
    pub fn key(&self, column: usize, row: usize) -> Option<i64> {
        self.column(column)?.key(row)
    }

    /// The place of each text of a column in the order of all of them, by its [`key`](Self::key); nothing for other columns.
    pub fn text_order(&self, column: usize) -> Option<&[u32]> {
        self.column(column)?.ranks()
    }

    fn column(&self, place: usize) -> Option<&StoredColumn> {
        self.rows.columns.get(place)
    }
}
