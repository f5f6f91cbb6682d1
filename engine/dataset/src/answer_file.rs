//! The rows of an answer as a Parquet file.

use std::collections::HashMap;
use std::io;

use query::{CellValue, SqlType};
use record::Value;

use super::row_source::RowSource;
use super::table_writer::encode_answer;

/// Rows of an answer, with what each column holds.
struct AnswerRows<'a> {
    rows: &'a [Vec<Option<Value>>],
    types: Vec<SqlType>,
    /// The texts of columns of texts: those that stand there, and numbers as they are written.
    texts: Vec<AnswerTexts>,
}

/// The texts of a column, each kept once.
#[derive(Default)]
struct AnswerTexts {
    codes: Vec<Option<usize>>,
    texts: Vec<String>,
}

/// The rows as bytes of a Parquet file. A column is of whole numbers, of numbers of 64 bits or of texts, by what stands in it;
/// numbers in a column of texts are written as texts, and one with nothing but NULL is of texts.
///
/// # Errors
/// The columns cannot be declared.
pub fn answer_file(columns: &[String], rows: &[Vec<Option<Value>>]) -> io::Result<Vec<u8>> {
    let types: Vec<SqlType> = (0..columns.len()).map(|it| type_of(rows, it)).collect();
    let texts = types.iter().enumerate().map(|(at, holds)| match holds {
        SqlType::Text => AnswerTexts::of(rows, at),
        _ => AnswerTexts::default(),
    });
    let texts = texts.collect();
    let declared = columns
        .iter()
        .map(String::as_str)
        .zip(types.iter().copied());
    let declared: Vec<(&str, SqlType)> = declared.collect();
    encode_answer(&declared, &AnswerRows { rows, types, texts })
}

/// What a column holds.
fn type_of(rows: &[Vec<Option<Value>>], column: usize) -> SqlType {
    let mut found = None;
    for row in rows {
        match row.get(column) {
            Some(Some(Value::Text(_))) => return SqlType::Text,
            Some(Some(Value::Number(_))) => found = Some(SqlType::Real),
            Some(Some(Value::Integer(_))) => found = found.or(Some(SqlType::Integer)),
            _ => {}
        }
    }
    found.unwrap_or(SqlType::Text)
}

impl AnswerTexts {
    fn of(rows: &[Vec<Option<Value>>], column: usize) -> Self {
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut all = Self::default();
        for row in rows {
            let value = row.get(column).and_then(Option::as_ref);
            let text = value.map(|it| match it {
                Value::Text(text) => text.to_string(),
                Value::Integer(number) => number.to_string(),
                Value::Number(number) => number.to_string(),
            });
            let code = text.map(|text| {
                *known.entry(text).or_insert_with_key(|text| {
                    all.texts.push(text.clone());
                    all.texts.len() - 1
                })
            });
            all.codes.push(code);
        }
        all
    }
}

impl RowSource for AnswerRows<'_> {
    fn row_count(&self) -> usize {
        self.rows.len()
    }

    fn cell(&self, column: usize, row: usize) -> CellValue<'_> {
        let value = self.rows.get(row).and_then(|it| it.get(column)?.as_ref());
        match (self.types.get(column), value) {
            (Some(SqlType::Integer), Some(Value::Integer(value))) => CellValue::Integer(*value),
            (Some(SqlType::Real), Some(Value::Number(value))) => CellValue::Real(*value),
            (Some(SqlType::Real), Some(Value::Integer(value))) => CellValue::Real(*value as f64),
            (Some(SqlType::Text), _) => {
                let texts = self.texts.get(column);
                let text = texts.and_then(|it| it.texts.get((*it.codes.get(row)?)?));
                text.map_or(CellValue::Null, |it| CellValue::Text(it))
            }
            _ => CellValue::Null,
        }
    }

    fn text_code(&self, column: usize, row: usize) -> Option<usize> {
        self.texts.get(column)?.codes.get(row).copied().flatten()
    }
}
