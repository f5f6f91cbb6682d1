//! What each file of a dataset says of itself, and what is read from the end of a file without its rows.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use query::SCHEMA_VERSION;

use super::error::DatasetError;

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

    /// Whether it is that of a file of this table.
    ///
    /// # Errors
    /// Syncline did not write it, wrote it for another table, or is a later version.
    fn check(&self, path: &Path, table: &str) -> Result<(), DatasetError> {
        let schema = self.get(SCHEMA).and_then(|it| it.parse::<i64>().ok());
        match schema {
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
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|error| DatasetError::unread(path, error))?,
        };
        let length = file.metadata();
        let bytes = length
            .map_err(|error| DatasetError::unread(path, error))?
            .len();
        let read = ParquetMetaDataReader::new().parse_and_finish(&file);
        let found = read.map_err(|error| DatasetError::damaged(path, &error))?;
        let stamp = stamp(&found);
        stamp.check(path, table)?;
        let end = end_of_rows(&found);
        if end.is_none_or(|end| end > bytes) {
            return Err(DatasetError::damaged(
                path,
                &"rows are said to lie beyond its end",
            ));
        }
        let rows = u64::try_from(found.file_metadata().num_rows()).unwrap_or_default();
        Ok(Some(Self { stamp, rows, bytes }))
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
