//! What each file of a dataset says of itself, and what is read from the end of a file without its rows.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

use parquet::basic::Type as Physical;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use query::{SCHEMA_VERSION, SqlType};

use super::checked_files::check_open;
use super::checksum::{self, CHECKSUM, ChecksumVerdict};
use super::error::DatasetError;
use super::layout::{file_columns, tables};
use super::table_writer::StopCheck;

/// The version of the tables.
const SCHEMA: &str = "syncline.schema";
/// The version of the program.
const VERSION: &str = "syncline.version";
/// The table.
const TABLE: &str = "syncline.table";
/// The file that the rows are of.
pub(crate) const CAPTURE: &str = "syncline.capture";
/// The hash of that file's content.
pub(crate) const CONTENT: &str = "syncline.content";
/// The ranks of a file that has several.
pub(crate) const RANKS: &str = "syncline.ranks";

/// Words and values at the end of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileStamp(BTreeMap<String, String>);

impl FileStamp {
    /// That of a table's file, written by this version of the program.
    pub fn new(table: &str) -> Self {
        let mut stamp = Self::default();
        stamp.set(SCHEMA, &SCHEMA_VERSION.to_string());
        stamp.set(VERSION, env!("CARGO_PKG_VERSION"));
        stamp.set(TABLE, table);
        stamp
    }

    /// Says something more.
    pub fn set(&mut self, key: &str, value: &str) {
        self.0.insert(key.to_owned(), value.to_owned());
    }

    /// What it says of something.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// All that it says.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Whether this version of the program wrote it, with the tables that it has now.
    pub fn is_current(&self) -> bool {
        let own = Self::new("");
        [SCHEMA, VERSION]
            .iter()
            .all(|key| self.get(key) == own.get(key))
    }

    /// The version of the tables.
    fn schema(&self) -> Option<i64> {
        self.get(SCHEMA)?.parse().ok()
    }

    /// Whether it is that of a file of this table.
    ///
    /// # Errors
    /// Syncline did not write it, wrote it for another table, or is a later version.
    fn check(&self, path: &Path, table: &str) -> Result<(), DatasetError> {
        match self.schema() {
            Some(schema) if schema > SCHEMA_VERSION => Err(DatasetError::Newer {
                path: path.to_owned(),
                schema,
            }),
            Some(_) if self.get(TABLE) == Some(table) => Ok(()),
            _ => Err(DatasetError::Foreign {
                path: path.to_owned(),
            }),
        }
    }
}

/// What the end of a file says.
#[derive(Clone, Debug)]
pub(crate) struct FileFooter {
    pub stamp: FileStamp,
    /// How many rows it has.
    pub rows: u64,
    /// Its length in bytes.
    pub bytes: u64,
}

impl FileFooter {
    /// Reads the end of a table's file; nothing where there is no file.
    ///
    /// # Errors
    /// The file is damaged, foreign or newer, or cannot be read.
    pub fn read(path: &Path, table: &str) -> Result<Option<Self>, DatasetError> {
        let file = open(path)?;
        file.map(|file| Self::of_file(&file, path, table))
            .transpose()
    }

    /// The same, once all bytes of the file have been compared with its checksum.
    ///
    /// # Errors
    /// As [`FileFooter::read`], or `is_stopped` says so.
    pub fn read_checked(
        path: &Path,
        table: &str,
        is_stopped: &StopCheck<'_>,
    ) -> Result<Option<Self>, DatasetError> {
        let Some(file) = open(path)? else {
            return Ok(None);
        };
        let footer = Self::of_file(&file, path, table)?;
        check_open(&file, path, is_stopped)?;
        Ok(Some(footer))
    }

    fn of_file(file: &File, path: &Path, table: &str) -> Result<Self, DatasetError> {
        let length = file.metadata();
        let bytes = length
            .map_err(|error| DatasetError::unread(path, error))?
            .len();
        let read = ParquetMetaDataReader::new().parse_and_finish(file);
        let found = read.map_err(|error| DatasetError::damaged(path, &error))?;
        let stamp = stamp(&found);
        if let Err(error) = stamp.check(path, table) {
            // A bit that has changed does not make one of ours another program's.
            let verdict = checksum::judge(file, &|| false);
            let is_own = verdict.is_ok_and(|it| it == ChecksumVerdict::Wrong);
            return Err(if is_own {
                DatasetError::damaged(path, &"what it says of itself has changed")
            } else {
                error
            });
        }
        if let Some(reason) = lack(&found, &stamp, table) {
            return Err(DatasetError::damaged(path, &reason));
        }
        let end = end_of_rows(&found);
        if end.is_none_or(|end| end > bytes) {
            return Err(DatasetError::damaged(
                path,
                &"rows are said to lie beyond its end",
            ));
        }
        let rows = u64::try_from(found.file_metadata().num_rows()).unwrap_or_default();
        Ok(Self { stamp, rows, bytes })
    }
}

/// Nothing where there is no file.
fn open(path: &Path) -> Result<Option<File>, DatasetError> {
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other
            .map(Some)
            .map_err(|error| DatasetError::unread(path, error)),
    }
}

/// What the file of a table has to have and has not: engines take a column that is not there for one without values.
fn lack(found: &ParquetMetaData, stamp: &FileStamp, table: &str) -> Option<String> {
    if stamp.get(CHECKSUM).is_none() {
        return Some("it has no checksum, which every file of a dataset has".to_owned());
    }
    let columns = tables().find(|it| it.name == table).map(file_columns);
    let columns = columns.unwrap_or_default();
    let descriptor = found.file_metadata().schema_descr();
    let own = descriptor.columns();
    let wrong = columns.iter().zip(own).find(|(column, own)| {
        own.name() != column.name || own.physical_type() != physical(column.holds)
    });
    if let Some((column, own)) = wrong {
        let (wanted, name) = (column.name, own.name());
        return Some(format!(
            "the column {name} stands where {wanted} belongs, or is of another type"
        ));
    }
    // Later versions add columns at the end, and an earlier one wrote this file.
    let is_earlier = stamp.schema().is_some_and(|it| it < SCHEMA_VERSION);
    let (has, wanted) = (own.len(), columns.len());
    let is_whole = has == wanted || (is_earlier && has < wanted);
    (!is_whole).then(|| format!("it has {has} columns, and {table} has {wanted}"))
}

/// What holds the values of a column in a file.
pub(crate) const fn physical(holds: SqlType) -> Physical {
    match holds {
        SqlType::Integer => Physical::INT64,
        SqlType::Real => Physical::DOUBLE,
        SqlType::Text => Physical::BYTE_ARRAY,
    }
}

fn stamp(found: &ParquetMetaData) -> FileStamp {
    let pairs = found.file_metadata().key_value_metadata();
    let pairs = pairs.into_iter().flatten();
    let pairs = pairs.map(|it| (it.key.clone(), it.value.clone().unwrap_or_default()));
    FileStamp(pairs.collect())
}

/// Where the last of the rows ends, in bytes; nothing where that is no place in a file.
fn end_of_rows(found: &ParquetMetaData) -> Option<u64> {
    let columns = found
        .row_groups()
        .iter()
        .flat_map(RowGroupMetaData::columns);
    columns
        .map(|column| {
            let start = column
                .dictionary_page_offset()
                .unwrap_or(column.data_page_offset());
            let start = start.min(column.data_page_offset());
            u64::try_from(start.checked_add(column.compressed_size())?).ok()
        })
        .try_fold(0, |last: u64, end| Some(last.max(end?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row_source::StoredRows;
    use crate::table_writer::{TableFile, write_table};
    use query::SqlColumn;

    /// What is said of a file of gaps that has these columns.
    fn said(columns: &[SqlColumn], schema: i64) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rank=7/part-0.parquet");
        let mut stamp = FileStamp::new("gaps");
        stamp.set(SCHEMA, &schema.to_string());
        let file = TableFile {
            root: folder.path(),
            path: &path,
            columns,
            sorted_by: &[],
            stamp: &stamp,
        };
        write_table(&file, &StoredRows::new(columns), &|| false).unwrap();
        let read = FileFooter::read_checked(&path, "gaps", &|| false);
        read.map_or_else(|error| error.to_string(), |_| String::new())
    }

    #[test]
    fn a_file_has_the_columns_of_its_table_and_no_others() {
        let table = tables().find(|it| it.name == "gaps").unwrap();
        let columns = file_columns(table);
        assert_eq!(said(&columns, SCHEMA_VERSION), "");
        let fewer = &columns[..columns.len() - 1];
        // Columns are only added, at the end.
        assert_eq!(said(fewer, SCHEMA_VERSION - 1), "");
        let mut more = columns.clone();
        more.push(SqlColumn {
            name: "more",
            ..columns[0]
        });
        let mut swapped = columns.clone();
        swapped.swap(0, 1);
        let mut other = columns.clone();
        other[0].holds = SqlType::Text;
        for wrong in [fewer, &more, &swapped, &other, &columns[1..]] {
            let told = said(wrong, SCHEMA_VERSION);
            assert!(
                told.contains("rank=7/part-0.parquet is damaged: "),
                "{told}"
            );
            assert!(
                told.ends_with("delete it and convert the capture of rank 7 again"),
                "{told}"
            );
        }
        assert!(said(fewer, SCHEMA_VERSION + 1).contains("use the newer Syncline"));
    }
}
