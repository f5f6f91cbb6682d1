//! Rows of an answer on their way out: as a table, as comma-separated values, as lines of JSON, as a Parquet file.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, Write};
use std::path::PathBuf;

use engine::dataset::answer_file;
use engine::exporter::{self, csv::quoted as csv_field};
use engine::query::{SqlSummary, row_bytes};
use engine::record::Value;
use serde_json::json;

use super::asking::RowFormat;
use crate::cli::CliFailure;
use crate::cli::open_files::unwritten;
use crate::cli::table::TextTable;
use crate::text;

/// Writes rows. Those of a table wait for the last, since all decide how wide a column is, and so do those of a Parquet file,
/// since all decide what it holds.
pub struct RowWriter {
    format: RowFormat,
    /// The file that they go to, and what is to be written there.
    file: Option<(PathBuf, Vec<u8>)>,
    /// The rows of a table.
    table: TextTable,
    /// The places of its columns that have texts.
    texts: BTreeSet<usize>,
    /// Those of a Parquet file, and how many bytes they hold.
    rows: Vec<Vec<Option<Value>>>,
    row_bytes: usize,
    has_head: bool,
    /// The keys of JSON objects: of two columns with one name the second has a number.
    keys: Vec<String>,
}

/// What a Parquet file takes of memory while it is made, as a multiple of its rows.
const ENCODING: usize = 3;

impl RowWriter {
    pub fn new(format: RowFormat, file: Option<PathBuf>) -> Self {
        Self {
            format,
            file: file.map(|it| (it, Vec::new())),
            table: TextTable::new(&[]),
            texts: BTreeSet::new(),
            rows: Vec::new(),
            row_bytes: 0,
            has_head: false,
            keys: Vec::new(),
        }
    }

    /// Bytes that it holds of what it was given, and will hold until it is finished.
    pub fn held_bytes(&self) -> usize {
        let file = self.file.as_ref().map_or(0, |it| it.1.capacity());
        self.table.held_bytes() + file + ENCODING * self.row_bytes
    }

    /// Writes the next row, to `out` where it goes to no file.
    pub fn row(
        &mut self,
        columns: &[String],
        row: Vec<Option<Value>>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Some((path, mut bytes)) = self.file.take() else {
            return self.write_row(columns, row, out);
        };
        let written = self.write_row(columns, row, &mut bytes);
        self.file = Some((path, bytes));
        written
    }

    fn write_row(
        &mut self,
        columns: &[String],
        row: Vec<Option<Value>>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.head(columns, out)?;
        match self.format {
            RowFormat::Table => {
                let is_text = |it: &Option<Value>| matches!(it, Some(Value::Text(_)));
                let texts = row.iter().enumerate().filter(|it| is_text(it.1));
                self.texts.extend(texts.map(|(at, _)| at));
                let cells = row.iter().map(|it| text::sql_cell(it.as_ref()));
                self.table.row(cells);
            }
            RowFormat::Parquet => {
                self.row_bytes += row_bytes(&row);
                self.rows.push(row);
            }
            RowFormat::Csv => writeln!(out, "{}", csv_line(&row))?,
            RowFormat::Json => {
                let fields = self.keys.iter().zip(&row);
                let fields: Vec<String> = fields
                    .map(|(key, value)| format!("{}:{}", json!(key), json_value(value.as_ref())))
                    .collect();
                writeln!(out, "{{{}}}", fields.join(","))?;
            }
        }
        Ok(())
    }

    fn head(&mut self, columns: &[String], out: &mut dyn Write) -> io::Result<()> {
        if std::mem::replace(&mut self.has_head, true) {
            return Ok(());
        }
        self.keys = distinct(columns);
        let heads = columns.iter().map(|it| (Cow::Owned(it.clone()), false));
        self.table = TextTable::of(heads);
        if self.format == RowFormat::Csv {
            let fields: Vec<String> = columns.iter().map(|it| csv_field(it)).collect();
            writeln!(out, "{}", fields.join(","))?;
        }
        Ok(())
    }

    /// Writes what is left.
    pub fn finish(mut self, summary: &SqlSummary, out: &mut dyn Write) -> Result<(), CliFailure> {
        let Some((path, bytes)) = self.file.take() else {
            return Ok(self.write_rest(summary, out)?);
        };
        let written = exporter::replace(&path, &mut |_| true, &mut |output| {
            output.write_all(&bytes)?;
            self.write_rest(summary, output)
        });
        written.map_err(|error| unwritten(&path, &error))
    }

    fn write_rest(&mut self, summary: &SqlSummary, out: &mut dyn Write) -> io::Result<()> {
        self.head(&summary.columns, out)?;
        match self.format {
            RowFormat::Parquet => {
                let columns = (&self.keys[..], &summary.types[..]);
                out.write_all(&answer_file(columns, &self.rows)?)
            }
            RowFormat::Csv | RowFormat::Json => Ok(()),
            // Of a question that was ended nobody knows whether it has some.
            RowFormat::Table if summary.rows == 0 && summary.cut.is_some() => Ok(()),
            RowFormat::Table if summary.rows == 0 => writeln!(out, "no rows"),
            RowFormat::Table => {
                for column in (0..summary.columns.len()).filter(|it| !self.texts.contains(it)) {
                    self.table.align_right(column);
                }
                self.table.write(out)
            }
        }
    }
}

/// A row as comma-separated values; nothing between two commas is NULL, and an empty text has quotation marks.
fn csv_line(row: &[Option<Value>]) -> String {
    let field = |value: &Option<Value>| match value {
        None => String::new(),
        Some(Value::Integer(value)) => value.to_string(),
        Some(Value::Number(value)) => value.to_string(),
        Some(Value::Text(text)) if text.is_empty() => "\"\"".to_owned(),
        Some(Value::Text(text)) => csv_field(text),
    };
    row.iter().map(field).collect::<Vec<_>>().join(",")
}

/// A value in JSON, which has no word for what is not finite.
fn json_value(value: Option<&Value>) -> serde_json::Value {
    match value {
        None => serde_json::Value::Null,
        Some(Value::Integer(value)) => json!(value),
        Some(Value::Number(value)) if value.is_finite() => json!(value),
        Some(Value::Number(value)) => json!(value.to_string()),
        Some(Value::Text(value)) => json!(value),
    }
}

/// Names of which none is like another before it.
fn distinct(columns: &[String]) -> Vec<String> {
    let mut taken: HashSet<String> = HashSet::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let names = columns.iter().map(|column| {
        let mut name = column.clone();
        let number = numbers.entry(column).or_insert(1);
        while !taken.insert(name.clone()) {
            *number += 1;
            name = format!("{column}_{number}");
        }
        name
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(format: RowFormat, rows: &[Vec<Option<Value>>]) -> String {
        let columns = ["name".to_owned(), "n".to_owned(), "n".to_owned()].to_vec();
        let mut out = Vec::new();
        let mut writer = RowWriter::new(format, None);
        for row in rows {
            writer.row(&columns, row.clone(), &mut out).unwrap();
        }
        let summary = SqlSummary {
            columns,
            rows: rows.len() as u64,
            ..SqlSummary::default()
        };
        writer.finish(&summary, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rows_are_written_in_each_format() {
        let text = |text: &str| Some(Value::Text(text.into()));
        let rows = [
            vec![
                text("a,b"),
                Some(Value::Integer(-1)),
                Some(Value::Number(0.1)),
            ],
            vec![text("=1"), None, Some(Value::Number(1e-9))],
            vec![
                text(""),
                Some(Value::Integer(7)),
                Some(Value::Number(f64::INFINITY)),
            ],
        ];
        assert_eq!(
            written(RowFormat::Csv, &rows),
            "name,n,n\n\"a,b\",-1,0.1\n'=1,,0.000000001\n\"\",7,inf\n"
        );
        assert_eq!(
            written(RowFormat::Json, &rows),
            "{\"name\":\"a,b\",\"n\":-1,\"n_2\":0.1}\n{\"name\":\"=1\",\"n\":null,\"n_2\":1e-9}\n\
             {\"name\":\"\",\"n\":7,\"n_2\":\"inf\"}\n"
        );
        assert_eq!(
            written(RowFormat::Table, &rows),
            "name     n         n\na,b     -1     0.100\n=1    NULL  1.000e-9\n         7       inf\n"
        );
        assert_eq!(written(RowFormat::Csv, &[]), "name,n,n\n");
        assert_eq!(written(RowFormat::Json, &[]), "");
        assert_eq!(written(RowFormat::Table, &[]), "no rows\n");
    }
}
