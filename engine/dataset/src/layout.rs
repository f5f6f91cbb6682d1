//! Where the files of a dataset lie: `TABLE/run=NAME/rank=N/part-0.parquet`, and `shard=N` for tables of few rows.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use query::{CAPTURE_ONLY, SqlColumn, SqlTable, SqlType, TABLES};

use super::error::DatasetError;
use super::rank_list::MOST_RANKS;

/// The file in each folder of a partition.
pub(crate) const PART: &str = "part-0.parquet";
/// The table whose file says that a rank is complete.
pub(crate) const CAPTURES: &str = "captures";
/// Tables of so few rows a rank that a file for each rank would be nothing but its head.
const SMALL_TABLES: &[&str] = &[
    "lanes",
    "devices",
    "steps",
    "collectives",
    "lane_overlap",
    "findings",
];
/// The longest name of a run.
const LONGEST: usize = 100;

/// By what the rows of a table are divided into files, besides the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PartitionKey {
    /// A file for each rank.
    Rank,
    /// A file for the ranks that one job converted; the rank is a column in it.
    Shard,
}

impl PartitionKey {
    /// That of a table.
    pub fn of(table: &SqlTable) -> Self {
        if SMALL_TABLES.contains(&table.name) {
            Self::Shard
        } else {
            Self::Rank
        }
    }

    /// Its word in the names of folders.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Rank => "rank",
            Self::Shard => "shard",
        }
    }
}

/// The tables of a dataset.
pub fn tables() -> impl Iterator<Item = &'static SqlTable> {
    let is_kept = |it: &&SqlTable| !CAPTURE_ONLY.contains(&it.name);
    TABLES.iter().filter(is_kept)
}

/// The tables with a file for each rank, without the one that says that a rank is complete.
pub(crate) fn rank_tables() -> impl Iterator<Item = &'static SqlTable> {
    tables().filter(|it| PartitionKey::of(it) == PartitionKey::Rank && it.name != CAPTURES)
}

/// The tables with a file for each shard.
pub(crate) fn shard_tables() -> impl Iterator<Item = &'static SqlTable> {
    tables().filter(|it| PartitionKey::of(it) == PartitionKey::Shard)
}

/// The columns of a table's files: what the names of their folders do not say already.
pub fn file_columns(table: &SqlTable) -> Vec<SqlColumn> {
    let is_in_name = |it: &SqlColumn| match PartitionKey::of(table) {
        PartitionKey::Rank => ["run", "rank"].contains(&it.name),
        PartitionKey::Shard => it.name == "run",
    };
    let columns = table.columns.iter().copied();
    columns
        .filter(|it| !it.is_hidden && !is_in_name(it))
        .collect()
}

/// The type that declares a column to engines.
pub(crate) const fn declared_type(holds: SqlType) -> &'static str {
    match holds {
        SqlType::Integer => "BIGINT",
        SqlType::Real => "DOUBLE",
        SqlType::Text => "VARCHAR",
    }
}

/// The name of a run. It begins with a letter, since engines read a folder `run=2026` as a number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunName(String);

impl FromStr for RunName {
    type Err = DatasetError;

    fn from_str(text: &str) -> Result<Self, DatasetError> {
        let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
        let begins = text.starts_with(|it: char| it.is_ascii_alphabetic());
        if begins && text.len() <= LONGEST && text.chars().all(is_plain) {
            Ok(Self(text.to_owned()))
        } else {
            Err(DatasetError::Run(text.to_owned()))
        }
    }
}

impl fmt::Display for RunName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The folder of a partition of a table.
pub(crate) fn partition(root: &Path, table: &SqlTable, run: &RunName, number: u32) -> PathBuf {
    let key = PartitionKey::of(table).label();
    root.join(table.name)
        .join(format!("run={run}"))
        .join(format!("{key}={number}"))
}

/// The number in a folder's name such as `rank=7`; nothing where it is not written as engines write numbers, or
/// too large.
pub(crate) fn partition_number(name: &str, key: PartitionKey) -> Option<u32> {
    let digits = name.strip_prefix(key.label())?.strip_prefix('=')?;
    let number: u32 = digits.parse().ok()?;
    (number < MOST_RANKS && number.to_string() == digits).then_some(number)
}

/// The numbers of the partitions in a folder that have a file, in order; none where there is no such folder.
///
/// # Errors
/// The folder cannot be read.
pub(crate) fn partition_numbers(
    folder: &Path,
    key: PartitionKey,
) -> Result<BTreeSet<u32>, DatasetError> {
    let names = folder_names(folder)?;
    // A conversion may have taken the file away.
    let has_file = |it: &String| folder.join(it).join(PART).is_file();
    let numbers = names.iter().filter(|it| has_file(it));
    Ok(numbers.filter_map(|it| partition_number(it, key)).collect())
}

/// What a folder holds; nothing where there is no such folder.
///
/// # Errors
/// It cannot be read.
pub(crate) fn folder_names(folder: &Path) -> Result<Vec<String>, DatasetError> {
    let unread = |error| DatasetError::unread(folder, error);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(unread)?,
    };
    let name = |entry: io::Result<DirEntry>| {
        let entry = entry.map_err(unread)?;
        Ok(entry.file_name().to_string_lossy().into_owned())
    };
    entries.map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_names_begin_with_a_letter_and_are_plain() {
        for name in ["base", "b", "Run-2_final.3"] {
            assert_eq!(name.parse::<RunName>().unwrap().to_string(), name);
        }
        let long = "a".repeat(101);
        for name in ["", "2026", "-a", "a b", "a/b", "a=b", "ä", "..", &long] {
            assert!(name.parse::<RunName>().is_err(), "{name}");
        }
    }

    #[test]
    fn numbers_of_partitions_are_plain() {
        let number = |name| partition_number(name, PartitionKey::Rank);
        assert_eq!(number("rank=0"), Some(0));
        assert_eq!(number("rank=41"), Some(41));
        for name in [
            "rank=",
            "rank=1048576",
            "rank=07",
            "rank=+7",
            "rank=-1",
            "shard=1",
            "rank=1x",
            "1",
        ] {
            assert_eq!(number(name), None, "{name}");
        }
    }

    #[test]
    fn every_table_has_its_columns_but_those_of_folders() {
        let names: Vec<&str> = tables().map(|it| it.name).collect();
        assert_eq!(names.len(), 14);
        assert_eq!(rank_tables().count() + shard_tables().count(), 13);
        for table in shard_tables() {
            assert_eq!(file_columns(table).last().map(|it| it.name), Some("rank"));
        }
        for table in rank_tables() {
            let columns = file_columns(table);
            assert!(
                columns
                    .iter()
                    .all(|it| !["run", "rank", "name_id"].contains(&it.name))
            );
        }
        for name in SMALL_TABLES {
            assert!(names.contains(name), "{name}");
        }
    }
}
