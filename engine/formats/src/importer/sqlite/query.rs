//! What is asked of one table.

use super::column::{ColumnList, ColumnType};
use super::schema::{TableSchema, quoted};

/// Columns of one table, in the order asked for.
#[derive(Clone, Debug)]
pub(in crate::importer) struct SelectQuery {
    /// The table's name.
    pub table: String,
    /// About how many rows it has.
    pub rows: u64,
    pub(super) sql: String,
    pub(super) kinds: Vec<ColumnType>,
}

impl SelectQuery {
    /// Asks a table for the columns that a declaration lists; those that it lacks read as nothing.
    pub fn new(table: &TableSchema, list: fn(&mut ColumnList)) -> Self {
        let mut columns = ColumnList::new();
        list(&mut columns);
        let (names, kinds): (Vec<String>, Vec<ColumnType>) = columns
            .into_iter()
            .map(|(name, kind)| {
                let known = table.has(name).then(|| quoted(name));
                (known.unwrap_or("NULL".to_owned()), kind)
            })
            .unzip();
        // An index would answer in another order, and can differ from the table in a damaged file.
        let sql = format!(
            "SELECT {} FROM {} NOT INDEXED",
            names.join(", "),
            quoted(&table.name)
        );
        Self {
            table: table.name.clone(),
            rows: table.rows,
            sql,
            kinds,
        }
    }
}
