//! The files that ranks of a shard share, and the moment at which their ranks are complete.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use query::{CellValue, SqlTable};

use super::dataset::Dataset;
use super::error::DatasetError;
use super::file_stamp::{FileFooter, FileStamp, RANKS};
use super::layout::{PART, file_columns, partition, shard_tables};
use super::rank_list::{rank_list, ranks_of_list};
use super::rank_writer::{WrittenRank, write_receipt};
use super::receipt::receipt_path;
use super::row_source::{RowSource as _, StoredRows};
use super::table_reader::read_table;
use super::table_writer::{StopCheck, TableFile, write_table};

impl Dataset {
    /// Adds the ranks' rows of small tables to the files of a shard, and then writes the receipts, which is what makes the ranks
    /// complete. Another process that commits to the same shard waits meanwhile, where the file system has locks.
    ///
    /// # Errors
    /// A file of the shard is damaged, foreign or newer, or a file cannot be written; then the ranks that have no receipt yet
    /// are not complete.
    pub fn commit(
        &self,
        shard: u32,
        ranks: &mut [WrittenRank],
        is_stopped: &StopCheck<'_>,
    ) -> Result<(), DatasetError> {
        if ranks.is_empty() {
            return Ok(());
        }
        let _lock = self.lock(shard);
        ranks.sort_by_key(|it| it.receipt.rank);
        for table in shard_tables() {
            self.merge(table, shard, ranks, is_stopped)?;
        }
        for written in ranks {
            written.receipt.shard = shard;
            let path = receipt_path(&self.root, &self.run, written.receipt.rank);
            write_receipt((&self.root, &path), written, is_stopped)?;
        }
        Ok(())
    }

    /// Waits until nobody else writes the shard's files. Where the file system has no locks, every job needs a shard of its own.
    fn lock(&self, shard: u32) -> Option<File> {
        let path = self.root.join(lock_name(&self.run.to_string(), shard));
        let file = File::create(path).ok()?;
        file.lock().ok()?;
        Some(file)
    }

    /// Writes a table's file of the shard anew: the rows that it had of other ranks, and those of these.
    fn merge(
        &self,
        table: &'static SqlTable,
        shard: u32,
        ranks: &[WrittenRank],
        is_stopped: &StopCheck<'_>,
    ) -> Result<(), DatasetError> {
        let path = partition(&self.root, table, &self.run, shard).join(PART);
        let columns = file_columns(table);
        let before = read_table(&path, table.name, &columns)?;
        let mut named = named_ranks(&path, table)?;
        let last = columns.len().saturating_sub(1);
        let mut rows = RanksInOrder::default();
        if let Some(before) = &before {
            for row in 0..before.row_count() {
                if let CellValue::Integer(rank) = before.cell(last, row) {
                    rows.places.push((rank as u32, 0, row));
                }
            }
        }
        let is_new = |rank: u32| ranks.iter().any(|it| it.receipt.rank == rank);
        rows.places.retain(|it| !is_new(it.0));
        for (place, written) in ranks.iter().enumerate() {
            named.insert(written.receipt.rank);
            let own = written
                .small
                .get(table.name)
                .map_or(0, StoredRows::row_count);
            let own = (0..own).map(|row| (written.receipt.rank, place + 1, row));
            rows.places.extend(own);
        }
        let empty = StoredRows::new(&columns);
        let sources = ranks
            .iter()
            .map(|it| it.small.get(table.name).unwrap_or(&empty));
        let sources: Vec<&StoredRows> = std::iter::once(before.as_ref().unwrap_or(&empty))
            .chain(sources)
            .collect();
        let mut stamp = FileStamp::new(table.name);
        stamp.set(RANKS, &rank_list(&named));
        let target = TableFile {
            root: &self.root,
            path: &path,
            columns: &columns,
            sorted_by: &["rank"],
            stamp: &stamp,
        };
        write_table(&target, &rows.gather(&columns, &sources), is_stopped)
    }
}

/// Where rows of several ranks come from: the rank, the source and the row in it.
#[derive(Default)]
struct RanksInOrder {
    places: Vec<(u32, usize, usize)>,
}

impl RanksInOrder {
    /// The rows by rank, those of one rank in the order that they have.
    fn gather(mut self, columns: &[query::SqlColumn], sources: &[&StoredRows]) -> StoredRows {
        self.places.sort_by_key(|it| it.0);
        let mut gathered = StoredRows::new(columns);
        for (_, source, row) in self.places {
            let Some(source) = sources.get(source) else {
                continue;
            };
            let values = (0..columns.len()).map(|it| source.cell(it, row));
            let values: Vec<CellValue<'_>> = values.collect();
            gathered.push(&values);
        }
        gathered
    }
}

/// The ranks that a shard's file names.
fn named_ranks(path: &Path, table: &SqlTable) -> Result<BTreeSet<u32>, DatasetError> {
    let footer = FileFooter::read(path, table.name)?;
    let list = footer.as_ref().and_then(|it| it.stamp.get(RANKS));
    Ok(list.and_then(ranks_of_list).unwrap_or_default())
}

/// The hidden file that whoever writes the files of a shard has locked.
fn lock_name(run: &str, shard: u32) -> String {
    format!(".{run}.shard-{shard}.lock")
}
