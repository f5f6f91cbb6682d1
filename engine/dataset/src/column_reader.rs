//! Reads columns of a table back, over all ranks, for whoever asks without an engine.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use query::{CellValue, SqlColumn, SqlTable};

use super::checked_files::CheckedFiles;
use super::coverage::{RunCoverage, partitions};
use super::error::DatasetError;
use super::file_stamp::{FileFooter, RANKS};
use super::layout::{CAPTURES, PART, PartitionKey, RunName, partition};
use super::rank_list::ranks_of_list;
use super::table_reader::{ReadValues, read_column};
use super::table_writer::StopCheck;

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
    /// A folder or the end of a file cannot be read, a file is damaged, foreign or newer, or one that a complete rank has is
    /// gone: some engines pass over such files without a word.
    pub fn find(
        root: &Path,
        table: &'static SqlTable,
        runs: &[RunCoverage],
    ) -> Result<Self, DatasetError> {
        let mut found = partitions(root, table.name, PartitionKey::of(table))?;
        for run in runs {
            // Where its folder is gone, all its files are.
            found.entry(run.name.clone()).or_default();
        }
        let mut files = Vec::new();
        for (name, numbers) in found {
            let coverage = runs.iter().find(|it| it.name == name);
            let run = TableRun {
                root,
                table,
                wanted: coverage.map_or_else(BTreeMap::new, |it| it.wanted(table)),
                coverage,
                name,
            };
            files.extend(run.parts(&numbers)?);
        }
        Ok(Self { table, files })
    }

    /// Reads the files whole, and compares their bytes with their checksums. Those that `checked` knows, and that have not changed
    /// since, are passed over.
    ///
    /// # Errors
    /// Some bytes of a file are not those that were written, it cannot be read, or `is_stopped` says so.
    pub fn verify(
        &self,
        checked: &CheckedFiles,
        is_stopped: &StopCheck<'_>,
    ) -> Result<(), DatasetError> {
        let paths: Vec<&Path> = self.files.iter().map(|it| it.path.as_path()).collect();
        let wrong = checked.check_all(&paths, 1, is_stopped);
        wrong.into_iter().next().map_or(Ok(()), |it| Err(it.1))
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

/// A run of a table whose files are looked for.
struct TableRun<'a> {
    root: &'a Path,
    table: &'static SqlTable,
    name: RunName,
    coverage: Option<&'a RunCoverage>,
    /// The partitions that receipts say to be there, each with its ranks.
    wanted: BTreeMap<u32, BTreeSet<u32>>,
}

impl TableRun<'_> {
    fn path(&self, number: u32) -> PathBuf {
        partition(self.root, self.table, &self.name, number).join(PART)
    }

    /// The files of these partitions that count.
    fn parts(&self, numbers: &BTreeSet<u32>) -> Result<Vec<TablePart>, DatasetError> {
        let absent = self.wanted.iter().find(|it| !numbers.contains(it.0));
        if let Some((number, ranks)) = absent {
            return Err(gone(&self.path(*number), ranks));
        }
        let key = PartitionKey::of(self.table);
        let unfinished = self.coverage.map(|it| it.unfinished.clone());
        let unfinished = unfinished.unwrap_or_default();
        let mut parts = Vec::new();
        let mut known = BTreeSet::new();
        for number in numbers {
            if key == PartitionKey::Rank && unfinished.contains(number) {
                continue;
            }
            let path = self.path(*number);
            let Some(footer) = FileFooter::read(&path, self.table.name)? else {
                continue;
            };
            match key {
                PartitionKey::Rank => self.check_rank(*number, &path, &footer)?,
                PartitionKey::Shard => self.check_shard(*number, (&path, &footer), &mut known)?,
            }
            parts.push(TablePart {
                path,
                run: self.name.clone(),
                number: *number,
                rows: footer.rows,
                left_out: unfinished.clone(),
            });
        }
        Ok(parts)
    }

    /// Refuses a file that another capture was converted to than the one that the rank's receipt names.
    fn check_rank(&self, rank: u32, path: &Path, footer: &FileFooter) -> Result<(), DatasetError> {
        let receipt = self.coverage.and_then(|it| it.receipts.get(&rank));
        let is_own = receipt.is_none_or(|it| it.is_of_file(self.table, footer));
        if is_own || self.table.name == CAPTURES {
            return Ok(());
        }
        let reason = "it is not the file that the rank's receipt is of";
        Err(DatasetError::damaged(path, &reason))
    }

    /// Refuses a file of a shard that has a rank of another one, or has not one that it should.
    fn check_shard(
        &self,
        shard: u32,
        (path, footer): (&Path, &FileFooter),
        known: &mut BTreeSet<u32>,
    ) -> Result<(), DatasetError> {
        let ranks = footer.stamp.get(RANKS).and_then(ranks_of_list);
        let ranks = ranks.unwrap_or_default();
        let wanted = self.wanted.get(&shard).into_iter().flatten();
        let reason = if let Some(rank) = ranks.intersection(known).next() {
            format!("another file has the rows of its rank {rank} as well")
        } else if let Some(rank) = wanted.copied().find(|it| !ranks.contains(it)) {
            format!("it has no rows of rank {rank}, whose receipt says that they are there")
        } else {
            known.extend(ranks);
            return Ok(());
        };
        Err(DatasetError::damaged(path, &reason))
    }
}

/// Why the file of complete ranks is not read: it was taken away, or its folder is closed to this user.
fn gone(path: &Path, ranks: &BTreeSet<u32>) -> DatasetError {
    match fs::metadata(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => DatasetError::unread(path, error),
        _ => DatasetError::missing(path, ranks),
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
