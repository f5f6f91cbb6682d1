//! Reads columns of a table back, over all ranks, for whoever asks without an engine.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use query::{CellValue, SqlColumn, SqlTable};

use super::coverage::{RunCoverage, partitions};
use super::error::DatasetError;
use super::file_stamp::{FileFooter, RANKS};
use super::layout::{CAPTURES, PART, PartitionKey, RunName};
use super::rank_list::ranks_of_list;
use super::receipt::RankReceipt;
use super::table_reader::{ReadValues, read_column};

/// The files of a table, and the ranks that count.
#[derive(Clone, Debug)]
pub struct TableFiles {
    table: &'static SqlTable,
    files: Vec<TablePart>,
}

/// A file of a table.
#[derive(Clone, Debug)]
struct TablePart {
    path: PathBuf,
    run: RunName,
    /// The number of its partition.
    number: u32,
    rows: u64,
    /// Ranks whose rows in it do not count.
    left_out: BTreeSet<u32>,
}

/// What ended the reading of a column.
#[derive(Debug)]
pub enum ReadEnd {
    /// Whoever took the values.
    Stopped,
    /// A file.
    Failed(DatasetError),
}

impl From<DatasetError> for ReadEnd {
    fn from(error: DatasetError) -> Self {
        Self::Failed(error)
    }
}

/// Takes the value of the next row, and says whether to go on.
pub type CellSink<'a> = dyn FnMut(CellValue<'_>) -> bool + 'a;

impl TableFiles {
    /// Finds the files of a table, and reads what the end of each says. Rows of ranks that are not finished do not count.
    ///
    /// # Errors
    /// A folder or the end of a file cannot be read, a file is damaged, foreign or newer, or that of a complete rank is gone: some
    /// engines pass over such files without a word.
    pub fn find(
        root: &Path,
        table: &'static SqlTable,
        runs: &[RunCoverage],
    ) -> Result<Self, DatasetError> {
        let key = PartitionKey::of(table);
        let mut files = Vec::new();
        for (run, numbers) in partitions(root, table.name, key)? {
            let of_run = runs.iter().find(|it| it.name == run);
            let unfinished = of_run.map(|it| it.unfinished.clone()).unwrap_or_default();
            let folder = root.join(table.name).join(format!("run={run}"));
            let whole = of_run.filter(|_| key == PartitionKey::Rank);
            let absent = whole.and_then(|it| it.complete.difference(&numbers).next());
            if let Some(rank) = absent {
                return Err(gone(&folder.join(format!("rank={rank}")).join(PART)));
            }
            let mut shared = BTreeSet::new();
            for number in numbers {
                if key == PartitionKey::Rank && unfinished.contains(&number) {
                    continue;
                }
                let path = folder.join(format!("{}={number}", key.label())).join(PART);
                let Some(footer) = FileFooter::read(&path, table.name)? else {
                    continue;
                };
                let receipt = of_run.and_then(|it| it.receipts.get(&number));
                let is_own = |it: &RankReceipt| it.is_of_file(table, &footer);
                if key == PartitionKey::Rank
                    && table.name != CAPTURES
                    && !receipt.is_none_or(is_own)
                {
                    let reason = "it is not the file that the rank's receipt is of";
                    return Err(DatasetError::damaged(&path, &reason));
                }
                let ranks = footer.stamp.get(RANKS).and_then(ranks_of_list);
                for rank in ranks.unwrap_or_default() {
                    if !shared.insert(rank) {
                        let reason =
                            format!("another file has the rows of its rank {rank} as well");
                        return Err(DatasetError::damaged(&path, &reason));
                    }
                }
                files.push(TablePart {
                    path,
                    run: run.clone(),
                    number,
                    rows: footer.rows,
                    left_out: unfinished.clone(),
                });
            }
        }
        Ok(Self { table, files })
    }

    /// How many rows there are, at most.
    pub fn row_count(&self) -> u64 {
        self.files.iter().map(|it| it.rows).sum()
    }

    /// Hands the values of a column to `take`, row by row, always in the same order of rows.
    ///
    /// # Errors
    /// A file is damaged or cannot be read, or `take` said that it has enough.
    pub fn read(&self, column: &SqlColumn, take: &mut CellSink<'_>) -> Result<(), ReadEnd> {
        for file in &self.files {
            self.read_file(file, column, take)?;
        }
        Ok(())
    }

    fn read_file(
        &self,
        file: &TablePart,
        column: &SqlColumn,
        take: &mut CellSink<'_>,
    ) -> Result<(), ReadEnd> {
        let damaged = |error: ParquetError| DatasetError::damaged(&file.path, &error);
        let opened =
            File::open(&file.path).map_err(|error| DatasetError::unread(&file.path, error))?;
        let reader = SerializedFileReader::new(opened).map_err(damaged)?;
        let key = PartitionKey::of(self.table);
        let rank = self.table.columns.iter().find(|it| it.name == "rank");
        // Ranks share the files of small tables.
        let rank = rank.filter(|_| key == PartitionKey::Shard && !file.left_out.is_empty());
        let run = file.run.to_string();
        for group in 0..reader.num_row_groups() {
            let group = reader.get_row_group(group).map_err(damaged)?;
            let count = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            let values = match (column.name, key) {
                ("run", _) | ("rank", PartitionKey::Rank) => None,
                _ => Some(read_column(&*group, column, count).map_err(damaged)?),
            };
            let ranks = rank.map(|it| read_column(&*group, it, count));
            let ranks = ranks.transpose().map_err(damaged)?;
            for row in 0..count {
                if is_left_out(ranks.as_ref(), row, &file.left_out) {
                    continue;
                }
                let value = match &values {
                    Some(values) => values.cell(row).map_err(damaged)?,
                    None if column.name == "run" => CellValue::Text(&run),
                    None => CellValue::Integer(i64::from(file.number)),
                };
                if !take(value) {
                    return Err(ReadEnd::Stopped);
                }
            }
        }
        Ok(())
    }
}

/// Why the file of a complete rank is not read: it was taken away, or its folder is closed to this user.
fn gone(path: &Path) -> DatasetError {
    match fs::metadata(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => DatasetError::unread(path, error),
        _ => DatasetError::damaged(path, &"it is no file any more"),
    }
}

/// Whether a row is of a rank that does not count.
fn is_left_out(ranks: Option<&ReadValues>, row: usize, left_out: &BTreeSet<u32>) -> bool {
    let rank = match ranks.map(|it| it.cell(row)) {
        Some(Ok(CellValue::Integer(rank))) => u32::try_from(rank).ok(),
        _ => None,
    };
    rank.is_some_and(|it| left_out.contains(&it))
}
