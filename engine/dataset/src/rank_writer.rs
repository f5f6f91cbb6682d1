//! Writes the tables of one rank, and keeps the rows that go into the files of its shard.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use capture::Capture;
use query::{CellValue, QuerySource, SqlTable, SqlWatch};

use super::content_hash::ContentHash;
use super::dataset::Dataset;
use super::error::DatasetError;
use super::file_stamp::{CAPTURE, CONTENT, FileStamp};
use super::layout::{PART, file_columns, partition, rank_tables, shard_tables};
use super::rank_work::RankWork;
use super::receipt::{RankReceipt, captures_table};
use super::row_source::{RowSource, StoredRows};
use super::table_writer::{StopCheck, TableFile, write_table};
use super::whole_file::remove;

/// Tables that are written in another order than the capture's, and by what.
const SORTED: &[(&str, &[&str])] = &[
    ("spans", &["lane_id", "ts"]),
    ("arguments", &["name", "span_id"]),
];

/// The columns by which a table's rows are in order in their file.
pub(crate) fn sorted_by(table: &SqlTable) -> &'static [&'static str] {
    let sorted = SORTED.iter().find(|it| it.0 == table.name);
    sorted.map_or(&[], |it| it.1)
}

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

    pub(crate) fn content_cell(&self) -> CellValue<'_> {
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

/// The rows of each small table.
pub(crate) type SmallTables = BTreeMap<&'static str, StoredRows>;

/// A rank whose own tables are written: what is left goes into the files of its shard, and into its receipt.
#[derive(Clone, Debug)]
pub struct WrittenRank {
    /// What its receipt will say; the shard is not yet known.
    pub receipt: RankReceipt,
    /// The row of the capture.
    pub(crate) captured: StoredRows,
    /// The rows of each small table.
    pub(crate) small: SmallTables,
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
        let work = RankWork {
            dataset: self,
            file,
            source: &source,
            watch: Arc::new(SqlWatch::default()),
            is_stopped,
        };
        let mut written = work.write()?;
        written.receipt.has_data_loss = capture.has_data_loss();
        Ok(written)
    }

    /// Writes a rank whose rows come from elsewhere: `rows` has those of each table by the columns of its file, see
    /// [`file_columns`], with ids and instants as the dataset has them, and in the order that files have.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write_rows(
        &self,
        file: &RankFile<'_>,
        rows: &dyn Fn(&'static SqlTable) -> StoredRows,
    ) -> Result<WrittenRank, DatasetError> {
        let mut counts = BTreeMap::new();
        for table in rank_tables() {
            let found = rows(table);
            self.write_table(file, (table, &found), &|| false)?;
            counts.insert(table.name.to_owned(), found.row_count() as u64);
        }
        let mut small = BTreeMap::new();
        for table in shard_tables() {
            let found = rows(table);
            counts.insert(table.name.to_owned(), found.row_count() as u64);
            small.insert(table.name, found);
        }
        let captured = captures_table().map_or_else(|| StoredRows::new(&[]), rows);
        Ok(WrittenRank {
            receipt: receipt(file, counts, true),
            captured,
            small,
        })
    }

    pub(crate) fn write_table(
        &self,
        file: &RankFile<'_>,
        (table, rows): (&SqlTable, &dyn RowSource),
        is_stopped: &StopCheck<'_>,
    ) -> Result<(), DatasetError> {
        let columns = file_columns(table);
        let target = TableFile {
            root: &self.root,
            path: &partition(&self.root, table, &self.run, file.rank).join(PART),
            columns: &columns,
            sorted_by: sorted_by(table),
            stamp: &file.stamp(table.name),
        };
        write_table(&target, rows, is_stopped)
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

pub(crate) fn receipt(
    file: &RankFile<'_>,
    rows: BTreeMap<String, u64>,
    is_complete: bool,
) -> RankReceipt {
    RankReceipt {
        rank: file.rank,
        capture: file.path.to_owned(),
        content: file.content().to_owned(),
        shard: 0,
        is_complete,
        has_data_loss: false,
        is_current: true,
        rows,
    }
}

/// Writes a receipt: the last file of a rank.
pub(crate) fn write_receipt(
    (root, path): (&Path, &Path),
    written: &WrittenRank,
    is_stopped: &StopCheck<'_>,
) -> Result<(), DatasetError> {
    let columns = captures_table().map(file_columns).unwrap_or_default();
    let target = TableFile {
        root,
        path,
        columns: &columns,
        sorted_by: &[],
        stamp: &written.receipt.stamp(),
    };
    write_table(&target, &written.captured, is_stopped)
}
