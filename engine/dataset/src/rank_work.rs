//! The tables of a capture on their way into the files of a rank: those that need no conclusions while the others are concluded.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use query::{CellValue, QuerySource, SqlTable, SqlWatch, TableSnapshot};

use super::capture_rows::{CaptureRows, RankShift};
use super::dataset::Dataset;
use super::error::DatasetError;
use super::layout::{CAPTURES, file_columns, rank_tables, shard_tables};
use super::rank_writer::{RankFile, SmallTables, WrittenRank, receipt, sorted_by};
use super::receipt::captures_table;
use super::row_source::{RowSource as _, StoredRows};
use super::table_writer::StopCheck;

/// Tables that a capture has without anything being concluded.
const PLAIN: &[&str] = &["arguments", "dependencies", "counters"];

/// The tables of a capture on their way into files.
pub(crate) struct RankWork<'a> {
    pub dataset: &'a Dataset,
    pub file: &'a RankFile<'a>,
    pub source: &'a QuerySource,
    pub watch: Arc<SqlWatch>,
    pub is_stopped: &'a StopCheck<'a>,
}

/// Tables that whoever has nothing to do takes the next of.
struct TableQueue {
    tables: Vec<&'static SqlTable>,
    next: AtomicUsize,
}

impl TableQueue {
    const fn new(tables: Vec<&'static SqlTable>) -> Self {
        let next = AtomicUsize::new(0);
        Self { tables, next }
    }

    /// Those that nobody else takes.
    fn taken(&self) -> impl Iterator<Item = &'static SqlTable> {
        std::iter::from_fn(|| {
            let next = self.next.fetch_add(1, Ordering::Relaxed);
            self.tables.get(next).copied()
        })
    }
}

/// How many rows each table has.
type RowCounts = BTreeMap<String, u64>;

impl RankWork<'_> {
    fn view(&self, name: &str) -> Result<TableSnapshot, DatasetError> {
        if (self.is_stopped)() {
            return Err(DatasetError::Stopped);
        }
        let view = self.source.view(name, &self.watch);
        view.map_err(|_stopped| DatasetError::Stopped)
    }

    /// Writes them all.
    pub fn write(&self) -> Result<WrittenRank, DatasetError> {
        let captures = self.view(CAPTURES)?;
        let shift = RankShift::new(self.file.rank, origin(&captures));
        let (plain, concluded): (Vec<_>, Vec<_>) =
            rank_tables().partition(|it| PLAIN.contains(&it.name));
        let queue = TableQueue::new(concluded);
        // While it is concluded what the others are made of, the plain ones keep another core busy.
        let beside = || {
            let mut rows = self.write_tables(plain.into_iter(), shift)?;
            self.conclude()?;
            rows.extend(self.write_tables(queue.taken(), shift)?);
            Ok(rows)
        };
        let (mut rows, small) = std::thread::scope(|scope| {
            let named = std::thread::Builder::new().name("tables".to_owned());
            let thread = named.spawn_scoped(scope, beside);
            let own = self.write_concluded(&queue, shift);
            let other = match thread {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                Err(error) => Err(DatasetError::unwritten(&self.dataset.root, error)),
            };
            let (mut rows, small) = own?;
            rows.extend(other?);
            Ok::<_, DatasetError>((rows, small))
        })?;
        rows.extend(
            small
                .iter()
                .map(|(name, it)| ((*name).to_owned(), it.row_count() as u64)),
        );
        Ok(WrittenRank {
            receipt: receipt(self.file, rows, true),
            captured: captured(&captures, self.file),
            small,
        })
    }

    /// Concludes what several tables are made of, or waits for whoever does.
    fn conclude(&self) -> Result<(), DatasetError> {
        let prepared = self.source.prepare(&self.watch);
        prepared.map_err(|_stopped| DatasetError::Stopped)
    }

    fn write_tables(
        &self,
        tables: impl Iterator<Item = &'static SqlTable>,
        shift: RankShift,
    ) -> Result<RowCounts, DatasetError> {
        let mut rows = BTreeMap::new();
        for table in tables {
            let found = self.view(table.name)?;
            let ordered = CaptureRows::new(&found, shift, sorted_by(table));
            self.dataset
                .write_table(self.file, (table, &ordered), self.is_stopped)?;
            rows.insert(table.name.to_owned(), found.len() as u64);
        }
        Ok(rows)
    }

    fn write_concluded(
        &self,
        queue: &TableQueue,
        shift: RankShift,
    ) -> Result<(RowCounts, SmallTables), DatasetError> {
        self.conclude()?;
        let rows = self.write_tables(queue.taken(), shift)?;
        let mut small = BTreeMap::new();
        for table in shard_tables() {
            let found = self.view(table.name)?;
            let mut stored = StoredRows::new(&file_columns(table));
            let own = CaptureRows::new(&found, shift, &[]);
            append_rank(&mut stored, &own, table, self.file.rank);
            small.insert(table.name, stored);
        }
        Ok((rows, small))
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
fn origin(captures: &TableSnapshot) -> Option<i64> {
    let column = captures.table().column("clock_origin_ns")?;
    captures.key(column, 0)
}

/// The row of the capture, with the hash of its file.
fn captured(captures: &TableSnapshot, file: &RankFile<'_>) -> StoredRows {
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
