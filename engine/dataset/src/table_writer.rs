//! Writes rows as Parquet: texts by dictionary, whole numbers as differences of few bits, everything through gzip.

use std::io;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, GzipLevel, LogicalType, Repetition};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};
use query::{CellValue, SqlColumn, SqlType};

use super::checksum::{CHECKSUM, NO_DIGITS, seal};
use super::error::DatasetError;
use super::file_stamp::{FileStamp, physical};
use super::row_source::RowSource;
use super::whole_file::write_whole;

/// Rows of a group: few enough that a question about some lanes reads few of them.
const GROUP_ROWS: usize = 1 << 17;

/// Says whether to stop.
pub type StopCheck<'a> = dyn Fn() -> bool + Sync + 'a;

/// A file to be written.
pub(crate) struct TableFile<'a> {
    /// The folder of the dataset.
    pub root: &'a Path,
    pub path: &'a Path,
    /// The columns, in the order in which the rows have them.
    pub columns: &'a [SqlColumn],
    /// The columns by which the rows are in order.
    pub sorted_by: &'a [&'static str],
    /// What the file says of itself.
    pub stamp: &'a FileStamp,
}

/// Writes a file of these rows.
///
/// # Errors
/// It cannot be written, or `is_stopped` says so.
pub(crate) fn write_table(
    file: &TableFile<'_>,
    rows: &dyn RowSource,
    is_stopped: &StopCheck<'_>,
) -> Result<(), DatasetError> {
    let failed = |error: ParquetError| DatasetError::unwritten(file.path, io_error(error));
    let columns: Vec<TypedColumn<'_>> = file.columns.iter().map(|it| (it.name, it.holds)).collect();
    let properties = stamped(file, properties(&columns).map_err(failed)?);
    // A table is much smaller than its capture, which is in memory as well.
    let encoded = encode((&columns, properties), rows, is_stopped).map_err(failed)?;
    let mut bytes = encoded.ok_or(DatasetError::Stopped)?;
    seal(&mut bytes).ok_or_else(|| {
        let text = "no place was left for its checksum";
        DatasetError::unwritten(file.path, io::Error::other(text))
    })?;
    write_whole(file.root, file.path, &bytes)
}

/// The name of a column, and what it holds.
pub(crate) type TypedColumn<'a> = (&'a str, SqlType);

/// The rows as bytes of a Parquet file without a stamp, for whoever asks for an answer as one.
///
/// # Errors
/// The columns cannot be declared.
pub(crate) fn encode_answer(
    columns: &[TypedColumn<'_>],
    rows: &dyn RowSource,
) -> io::Result<Vec<u8>> {
    let properties = properties(columns).map_err(io_error)?.build();
    let encoded = encode((columns, properties), rows, &|| false).map_err(io_error)?;
    Ok(encoded.unwrap_or_default())
}

/// The rows as bytes of a file; nothing where `is_stopped` said so.
fn encode(
    (columns, properties): (&[TypedColumn<'_>], WriterProperties),
    rows: &dyn RowSource,
    is_stopped: &StopCheck<'_>,
) -> Result<Option<Vec<u8>>, ParquetError> {
    let schema = Arc::new(message(columns)?);
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    let mut texts = vec![Vec::new(); columns.len()];
    let mut first = 0;
    while first < rows.row_count() {
        let next = rows.row_count().min(first + GROUP_ROWS);
        if is_stopped() {
            return Ok(None);
        }
        write_group(&mut writer, rows, first..next, &mut texts)?;
        first = next;
    }
    writer.into_inner().map(Some)
}

fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

/// The columns as Parquet declares them. Any may hold NULL.
fn message(columns: &[TypedColumn<'_>]) -> Result<Type, ParquetError> {
    let fields = columns.iter().map(|(name, holds)| {
        let logical = (*holds == SqlType::Text).then_some(LogicalType::String);
        let field = Type::primitive_type_builder(name, physical(*holds))
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        field.build().map(Arc::new)
    });
    let fields = fields.collect::<Result<_, _>>()?;
    Type::group_type_builder("table")
        .with_fields(fields)
        .build()
}

/// With what a file says of itself, and how its rows are sorted.
fn stamped(file: &TableFile<'_>, properties: WriterPropertiesBuilder) -> WriterProperties {
    // The checksum is looked for at the end.
    let stamp = file.stamp.pairs().chain([(CHECKSUM, NO_DIGITS)]);
    let stamp = stamp.map(|(key, value)| KeyValue::new(key.to_owned(), value.to_owned()));
    let place = |name: &&str| file.columns.iter().position(|it| it.name == *name);
    let sorted = file.sorted_by.iter().filter_map(place);
    let sorted: Vec<SortingColumn> = sorted
        .map(|place| SortingColumn {
            column_idx: place as i32,
            descending: false,
            nulls_first: true,
        })
        .collect();
    let properties = properties
        .set_sorting_columns((!sorted.is_empty()).then_some(sorted))
        .set_key_value_metadata(Some(stamp.collect()));
    properties.build()
}

/// How columns are written.
fn properties(columns: &[TypedColumn<'_>]) -> Result<WriterPropertiesBuilder, ParquetError> {
    let mut builder = WriterProperties::builder()
        .set_created_by(format!("syncline {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::GZIP(GzipLevel::try_new(1)?))
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(GROUP_ROWS));
    for (name, holds) in columns {
        let path = ColumnPath::from(*name);
        builder = match holds {
            SqlType::Text => builder.set_column_dictionary_enabled(path, true),
            SqlType::Integer => builder.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
            SqlType::Real => builder,
        };
    }
    Ok(builder)
}

/// Writes some of the rows. `texts` has the texts of each column that were written before, by their codes.
fn write_group(
    writer: &mut SerializedFileWriter<Vec<u8>>,
    rows: &dyn RowSource,
    range: std::ops::Range<usize>,
    texts: &mut [Vec<Option<ByteArray>>],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    let mut levels = Vec::with_capacity(range.len());
    for (place, known) in texts.iter_mut().enumerate() {
        let Some(mut column) = group.next_column()? else {
            break;
        };
        levels.clear();
        let cells = range.clone().map(|row| rows.cell(place, row));
        match column.untyped() {
            ColumnWriter::Int64ColumnWriter(target) => {
                let values = present(cells, &mut levels, |it| match it {
                    CellValue::Integer(value) => Some(value),
                    _ => None,
                });
                target.write_batch(&values, Some(&levels), None)?;
            }
            ColumnWriter::DoubleColumnWriter(target) => {
                let values = present(cells, &mut levels, |it| match it {
                    CellValue::Real(value) => Some(value),
                    _ => None,
                });
                target.write_batch(&values, Some(&levels), None)?;
            }
            ColumnWriter::ByteArrayColumnWriter(target) => {
                let values = range.clone().map(|row| text(rows, (place, row), known));
                let values = present(values, &mut levels, |it| it);
                target.write_batch(&values, Some(&levels), None)?;
            }
            _ => {}
        }
        column.close()?;
    }
    group.close()?;
    Ok(())
}

/// The values that are there; `levels` says of each row whether it has one.
fn present<C, T>(
    cells: impl Iterator<Item = C>,
    levels: &mut Vec<i16>,
    value: impl Fn(C) -> Option<T>,
) -> Vec<T> {
    let mut values = Vec::with_capacity(cells.size_hint().0);
    for cell in cells {
        let value = value(cell);
        levels.push(i16::from(value.is_some()));
        values.extend(value);
    }
    values
}

/// A text as Parquet takes it. Equal texts of a column share their bytes.
fn text(
    rows: &dyn RowSource,
    (column, row): (usize, usize),
    known: &mut Vec<Option<ByteArray>>,
) -> Option<ByteArray> {
    let code = rows.text_code(column, row)?;
    if known.len() <= code {
        known.resize(code + 1, None);
    }
    let slot = known.get_mut(code)?;
    if slot.is_none()
        && let CellValue::Text(text) = rows.cell(column, row)
    {
        *slot = Some(ByteArray::from(text));
    }
    slot.clone()
}
