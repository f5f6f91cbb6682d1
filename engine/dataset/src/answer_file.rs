//! The rows of an answer as a Parquet file.

use std::io;

use query::{CellValue, SqlType};
use record::Value;

use super::row_source::StoredRows;
use super::table_writer::encode_answer;

/// The rows as bytes of a Parquet file. A column is of whole numbers, of numbers of 64 bits or of texts, by what stands in it;
/// numbers in a column of texts are written as texts. One with nothing but NULL is of what `declared` says, or else of texts.
///
/// # Errors
/// The columns cannot be declared.
pub fn answer_file(
    (columns, declared): (&[String], &[Option<SqlType>]),
    rows: &[Vec<Option<Value>>],
) -> io::Result<Vec<u8>> {
    let types: Vec<SqlType> = (0..columns.len())
        .map(|it| {
            let told = declared.get(it).copied().flatten();
            type_of(rows, it).or(told).unwrap_or(SqlType::Text)
        })
        .collect();
    let mut stored = StoredRows::of_types(types.iter().copied());
    for row in rows {
        // Numbers among texts, which are borrowed below.
        let texts = row
            .iter()
            .zip(&types)
            .map(|(value, holds)| match (value, holds) {
                (Some(Value::Integer(number)), SqlType::Text) => number.to_string(),
                (Some(Value::Number(number)), SqlType::Text) => number.to_string(),
                _ => String::new(),
            });
        let texts: Vec<String> = texts.collect();
        let cells = row.iter().zip(types.iter().zip(&texts));
        let cells: Vec<CellValue<'_>> = cells.map(|(value, of)| cell(value.as_ref(), of)).collect();
        stored.push(&cells);
    }
    let declared = columns.iter().map(String::as_str).zip(types);
    let declared: Vec<(&str, SqlType)> = declared.collect();
    encode_answer(&declared, &stored)
}

/// A value as its column holds it; `written` is a number among texts.
fn cell<'a>(value: Option<&'a Value>, (holds, written): (&SqlType, &'a String)) -> CellValue<'a> {
    match (value, holds) {
        (None, _) => CellValue::Null,
        (Some(Value::Text(text)), _) => CellValue::Text(text),
        (Some(_), SqlType::Text) => CellValue::Text(written),
        (Some(Value::Integer(value)), SqlType::Real) => CellValue::Real(*value as f64),
        (Some(Value::Integer(value)), SqlType::Integer) => CellValue::Integer(*value),
        (Some(Value::Number(value)), _) => CellValue::Real(*value),
    }
}

/// What a column holds; nothing where all of it is NULL.
fn type_of(rows: &[Vec<Option<Value>>], column: usize) -> Option<SqlType> {
    let mut found = None;
    for row in rows {
        match row.get(column) {
            Some(Some(Value::Text(_))) => return Some(SqlType::Text),
            Some(Some(Value::Number(_))) => found = Some(SqlType::Real),
            Some(Some(Value::Integer(_))) => found = found.or(Some(SqlType::Integer)),
            _ => {}
        }
    }
    found
}
