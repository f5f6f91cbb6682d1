//! Writes the tables of one rank, and keeps the rows that go into the files of its shard.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use capture::Capture;
use query::{CellValue, QuerySource, SqlTable, SqlWatch, TableView};

use super::atomic_file::remove;
use super::capture_rows::{CaptureRows, RankShift};
use super::content_hash::ContentHash;
use super::dataset::Dataset;
use super::error::DatasetError;
use super::file_stamp::{CAPTURE, CONTENT, FileStamp};
use super::layout::{CAPTURES, PART, file_columns, partition, rank_tables, shard_tables};
use super::receipt::{RankReceipt, captures_table};
use super::row_source::{RowSource as _, StoredRows};
use super::table_writer::{StopCheck, TableFile, write_table};

/// Tables that are written in another order than the capture's, and by what.
const SORTED: &[(&str, &[&str])] = &[
    ("spans", &["lane_id", "ts"]),
    ("arguments", &["name", "span_id"]),
];

/// A file, and the rank that its rows become.
#[derive(Clone, Copy, Debug)]
pub struct RankFile<'a> {
    /// The rank.
    pub rank: u32,
    /// The file, as the dataset shall name it.
    pub path: &'a str,
    /// The hash of its content; nothing where not even that could be read.
    pub content: Option<&'a ContentHash>,
}

impl RankFile<'_> {
    fn content(&self) -> &str {
        self.content.map_or("", ContentHash::as_str)
    }

    fn content_cell(&self) -> CellValue<'_> {
        let content = self.content.map(ContentHash::as_str);
        content.map_or(CellValue::Null, CellValue::Text)
    }

    fn stamp(&self, table: &str) -> FileStamp {
        let mut stamp = FileStamp::new(table);
        stamp.set(CAPTURE, self.path);
        stamp.set(CONTENT, self.content());
        stamp
    }
}

/// A rank whose own tables are written: what is left goes into the files of its shard, and into its receipt.
#[derive(Clone, Debug)]
pub struct WrittenRank {
    /// What its receipt will say; the shard is not yet known.
    pub receipt: RankReceipt,
    /// The row of the capture.
    pub(crate) captured: StoredRows,
    /// The rows of each small table.
    pub(crate) small: BTreeMap<&'static str, StoredRows>,
}

impl Dataset {
    /// Writes the tables that have a file for each rank. `is_stopped` is asked now and then.
    ///
    /// # Errors
    /// A file cannot be written, or `is_stopped` says so.
    pub fn write_rank(
        &self,
        file: &RankFile<'_>,
        capture: &Arc<Capture>,
        is_stopped: &StopCheck<'_>,
    ) -> Result<WrittenRank, DatasetError> {
        let source = QuerySource::new(Arc::clone(capture), Some(file.path.to_owned()));
        let watch = Arc::new(SqlWatch::default());
        let view = |name: &str| {
            source
                .view(name, &watch)
                .map_err(|_stopped| DatasetError::Stopped)
        };
        let captures = view(CAPTURES)?;
        let shift = RankShift::new(file.rank, origin(&captures));
        let mut rows = BTreeMap::new();
        for table in rank_tables() {
            if is_stopped() {
                return Err(DatasetError::Stopped);
            }
            let found = view(table.name)?;
            self.write_view(file, &found, shift, is_stopped)?;
            rows.insert(table.name.to_owned(), found.len() as u64);
        }
        let mut small = BTreeMap::new();
        for table in shard_tables() {
            let found = view(table.name)?;
            let mut stored = StoredRows::new(&file_columns(table));
            append_rank(
                &mut stored,
                &CaptureRows::new(&found, shift, &[]),
                table,
                file.rank,
            );
            rows.insert(table.name.to_owned(), stored.row_count() as u64);
            small.insert(table.name, stored);
        }
        Ok(WrittenRank {
            receipt: receipt(file, rows, true),
            captured: captured(&captures, file),
            small,
        })
    }

    fn write_view(
        &self,
        file: &RankFile<'_>,
        view: &TableView,
        shift: RankShift,
        is_stopped: &StopCheck<'_>,
    ) -> Result<(), DatasetError> {
        let table = view.table();
        let sorted_by = SORTED.iter().find(|it| it.0 == table.name);
        let sorted_by = sorted_by.map_or(&[][..], |it| it.1);
        let columns = file_columns(table);
        let target = TableFile {
            path: &partition(&self.root, table, &self.run, file.rank).join(PART),
            columns: &columns,
            sorted_by,
            stamp: &file.stamp(table.name),
        };
        write_table(
            &target,
            &CaptureRows::new(view, shift, sorted_by),
            is_stopped,
        )
    }

    /// What becomes of a rank whose file cannot be read: no rows, and a row in `captures` that says why. Rows of an earlier
    /// conversion are taken away.
    ///
    /// # Errors
    /// A file of an earlier conversion cannot be removed.
    pub fn write_unreadable(
        &self,
        file: &RankFile<'_>,
        reason: &str,
    ) -> Result<WrittenRank, DatasetError> {
        for table in rank_tables() {
            remove(&partition(&self.root, table, &self.run, file.rank).join(PART))?;
        }
        let columns = captures_table().map(file_columns).unwrap_or_default();
        let note = serde_json::json!({ "unreadable": reason }).to_string();
        let values = columns.iter().map(|column| match column.name {
            "schema" => CellValue::Integer(query::SCHEMA_VERSION),
            "path" => CellValue::Text(file.path),
            "content_hash" => file.content_cell(),
            "spans" => CellValue::Integer(0),
            "receipt" => CellValue::Text(&note),
            _ => CellValue::Null,
        });
        let values: Vec<CellValue<'_>> = values.collect();
        let mut captured = StoredRows::new(&columns);
        captured.push(&values);
        let empty = shard_tables().map(|it| (it.name, StoredRows::new(&file_columns(it))));
        Ok(WrittenRank {
            receipt: receipt(file, BTreeMap::new(), false),
            captured,
            small: empty.collect(),
        })
    }
}

fn receipt(file: &RankFile<'_>, rows: BTreeMap<String, u64>, is_complete: bool) -> RankReceipt {
    RankReceipt {
        rank: file.rank,
        capture: file.path.to_owned(),
        content: file.content().to_owned(),
        shard: 0,
        is_complete,
        is_current: true,
        rows,
    }
}

/// Adds the rows of a rank. Its number is the last column of the file, which stands behind the run in the schema.
fn append_rank(stored: &mut StoredRows, rows: &CaptureRows<'_>, table: &SqlTable, rank: u32) {
    let own = file_columns(table).len().saturating_sub(1);
    for row in 0..rows.row_count() {
        let mut values: Vec<CellValue<'_>> = (0..own).map(|it| rows.cell(it, row)).collect();
        values.push(CellValue::Integer(i64::from(rank)));
        stored.push(&values);
    }
}

/// Capture time 0, where the capture says it.
fn origin(captures: &TableView) -> Option<i64> {
    let column = captures.table().column("clock_origin_ns")?;
    captures.key(column, 0)
}

/// The row of the capture, with the hash of its file.
fn captured(captures: &TableView, file: &RankFile<'_>) -> StoredRows {
    let columns = captures_table().map(file_columns).unwrap_or_default();
    let mut stored = StoredRows::new(&columns);
    let values = columns
        .iter()
        .enumerate()
        .map(|(place, column)| match column.name {
            "content_hash" => file.content_cell(),
            _ => captures.cell(place, 0),
        });
    let values: Vec<CellValue<'_>> = values.collect();
    stored.push(&values);
    stored
}

/// Writes a receipt: the last file of a rank.
pub(crate) fn write_receipt(
    path: &Path,
    written: &WrittenRank,
    is_stopped: &StopCheck<'_>,
) -> Result<(), DatasetError> {
    let columns = captures_table().map(file_columns).unwrap_or_default();
    let target = TableFile {
        path,
        columns: &columns,
        sorted_by: &[],
        stamp: &written.receipt.stamp(),
    };
    write_table(&target, &written.captured, is_stopped)
}
