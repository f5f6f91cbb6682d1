//! Reads the rows of small tables back, so that those of further ranks can be added.

use std::fs::File;
use std::path::Path;

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader as _, RowGroupReader, SerializedFileReader};
use query::{CellValue, SqlColumn, SqlType};

use super::error::DatasetError;
use super::file_stamp::FileFooter;
use super::row_source::{RowSource as _, StoredRows};

/// The rows of a table's file, once its bytes have been compared with its checksum; nothing where there is no file. A column that
/// a later version added is NULL in each.
///
/// # Errors
/// The file is damaged, foreign or newer, or cannot be read.
pub(crate) fn read_table(
    path: &Path,
    table: &str,
    columns: &[SqlColumn],
) -> Result<Option<StoredRows>, DatasetError> {
    let Some(footer) = FileFooter::read_checked(path, table, &|| false)? else {
        return Ok(None);
    };
    let damaged = |error: ParquetError| DatasetError::damaged(path, &error);
    let file = File::open(path).map_err(|error| DatasetError::unread(path, error))?;
    let reader = SerializedFileReader::new(file).map_err(damaged)?;
    let mut rows = StoredRows::new(columns);
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(damaged)?;
        read_group(&*group, columns, &mut rows).map_err(damaged)?;
    }
    if rows.row_count() as u64 != footer.rows {
        return Err(DatasetError::damaged(
            path,
            &"it has fewer rows than it says",
        ));
    }
    Ok(Some(rows))
}

/// The values of a column in some rows.
pub(crate) enum ReadValues {
    Integers(Vec<Option<i64>>),
    Reals(Vec<Option<f64>>),
    Texts(Vec<Option<ByteArray>>),
    Absent,
}

impl ReadValues {
    /// The value of a row.
    pub fn cell(&self, row: usize) -> Result<CellValue<'_>, ParquetError> {
        Ok(match self {
            Self::Integers(all) => {
                value(all, row).map_or(CellValue::Null, |it| CellValue::Integer(*it))
            }
            Self::Reals(all) => value(all, row).map_or(CellValue::Null, |it| CellValue::Real(*it)),
            Self::Texts(all) => match value(all, row) {
                Some(text) => CellValue::Text(text.as_utf8()?),
                None => CellValue::Null,
            },
            Self::Absent => CellValue::Null,
        })
    }
}

fn value<T>(all: &[Option<T>], row: usize) -> Option<&T> {
    all.get(row)?.as_ref()
}

fn read_group(
    group: &dyn RowGroupReader,
    columns: &[SqlColumn],
    rows: &mut StoredRows,
) -> Result<(), ParquetError> {
    let count = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    let values = columns
        .iter()
        .map(|column| read_column(group, column, count));
    let values = values.collect::<Result<Vec<ReadValues>, _>>()?;
    for row in 0..count {
        let cells = values.iter().map(|it| it.cell(row));
        let cells = cells.collect::<Result<Vec<CellValue<'_>>, _>>()?;
        rows.push(&cells);
    }
    Ok(())
}

/// The values of a column in a group of `count` rows; NULL in each where the file has no such column.
pub(crate) fn read_column(
    group: &dyn RowGroupReader,
    column: &SqlColumn,
    count: usize,
) -> Result<ReadValues, ParquetError> {
    let columns = group.metadata().columns().iter();
    let mut names = columns.map(|it| it.column_path().string());
    let Some(place) = names.position(|it| it == column.name) else {
        return Ok(ReadValues::Absent);
    };
    match (group.get_column_reader(place)?, column.holds) {
        (ColumnReader::Int64ColumnReader(reader), SqlType::Integer) => {
            optional(reader, count).map(ReadValues::Integers)
        }
        (ColumnReader::DoubleColumnReader(reader), SqlType::Real) => {
            optional(reader, count).map(ReadValues::Reals)
        }
        (ColumnReader::ByteArrayColumnReader(reader), SqlType::Text) => {
            optional(reader, count).map(ReadValues::Texts)
        }
        _ => {
            let text = format!("the column {} is of another type", column.name);
            Err(ParquetError::General(text))
        }
    }
}

/// The values of `count` rows.
fn optional<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    count: usize,
) -> Result<Vec<Option<T::T>>, ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let mut done = 0;
    while done < count {
        let (records, _, _) =
            reader.read_records(count - done, Some(&mut levels), None, &mut values)?;
        if records == 0 {
            let text = "a column ends before the others".to_owned();
            return Err(ParquetError::General(text));
        }
        done += records;
    }
    let mut values = values.into_iter();
    Ok(levels
        .iter()
        .map(|level| if *level > 0 { values.next() } else { None })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_stamp::FileStamp;
    use crate::layout::file_columns;
    use crate::table_writer::{TableFile, write_table};

    fn columns(table: &str) -> Vec<SqlColumn> {
        let found = query::TABLES.iter().find(|it| it.name == table).unwrap();
        file_columns(found)
    }

    fn cells(rows: &StoredRows, columns: usize) -> Vec<Vec<CellValue<'_>>> {
        let row = |row| (0..columns).map(|column| rows.cell(column, row)).collect();
        (0..rows.row_count()).map(row).collect()
    }

    #[test]
    fn rows_come_back_with_their_gaps() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part-0.parquet");
        let columns = columns("arguments");
        let mut rows = StoredRows::new(&columns);
        rows.push(&[
            CellValue::Integer(i64::MAX),
            CellValue::Text("grid x"),
            CellValue::Integer(i64::MIN + 1),
        ]);
        rows.push(&[
            CellValue::Integer(7 << 32),
            CellValue::Text("ä"),
            CellValue::Null,
            CellValue::Real(0.1),
        ]);
        rows.push(&[
            CellValue::Null,
            CellValue::Text("grid x"),
            CellValue::Null,
            CellValue::Null,
            CellValue::Text(""),
        ]);
        let file = TableFile {
            root: folder.path(),
            path: &path,
            columns: &columns,
            sorted_by: &["name"],
            stamp: &FileStamp::new("arguments"),
        };
        write_table(&file, &rows, &|| false).unwrap();
        let read = |columns: &[SqlColumn]| read_table(&path, "arguments", columns);
        let found = read(&columns).unwrap().unwrap();
        assert_eq!(cells(&found, columns.len()), cells(&rows, columns.len()));
        // A column that came later has no values in an older file.
        let mut later = columns.clone();
        later.push(SqlColumn {
            name: "later",
            ..columns[0]
        });
        let found = read(&later).unwrap().unwrap();
        assert_eq!(found.cell(columns.len(), 0), CellValue::Null);
        let mut other = columns.clone();
        other[0].holds = SqlType::Text;
        assert!(matches!(read(&other), Err(DatasetError::Damaged { .. })));
        let foreign = read_table(&path, "spans", &columns);
        assert!(matches!(foreign, Err(DatasetError::Foreign { .. })));
        assert!(write_table(&file, &rows, &|| true).is_err());
    }
}
