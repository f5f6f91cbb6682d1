//! Lists that are printed for people or for programs, and the values of their rows.

use clap::ValueEnum;
use engine::query::SqlSummary;
use engine::record::Value;
use engine::time::Nanos;

use crate::cli::query::{RowFormat, RowWriter};
use crate::cli::{CliFailure, FINE, OutputStreams};

/// So many rows are listed for people.
pub(super) const MOST: usize = 60;

/// How to print a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// Columns that line up, for people
    #[default]
    Text,
    /// An object on a line for each row
    Json,
    /// Comma-separated values with a head
    Csv,
}

impl From<ListFormat> for RowFormat {
    fn from(format: ListFormat) -> Self {
        match format {
            ListFormat::Text => Self::Table,
            ListFormat::Json => Self::Json,
            ListFormat::Csv => Self::Csv,
        }
    }
}

/// Says how many rows are not listed for people.
pub(super) fn more(count: usize, streams: &mut OutputStreams<'_>) -> Result<(), CliFailure> {
    if count > MOST {
        let rest = count - MOST;
        writeln!(
            streams.out,
            "… and {rest} more; --format csv or json shows them"
        )?;
    }
    Ok(())
}

/// Writes rows for programs.
pub(super) fn write_rows(
    columns: &[&str],
    rows: impl Iterator<Item = Vec<Option<Value>>>,
    format: ListFormat,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let columns: Vec<String> = columns.iter().map(|it| (*it).to_owned()).collect();
    let mut writer = RowWriter::new(format.into(), None);
    for row in rows {
        writer.row(&columns, row, streams.out)?;
    }
    let summary = SqlSummary {
        columns,
        ..SqlSummary::default()
    };
    writer.finish(&summary, streams.out)?;
    Ok(FINE)
}

pub(super) fn text(text: &str) -> Value {
    Value::Text(text.into())
}

pub(super) const fn integer(value: i64) -> Value {
    Value::Integer(value)
}

pub(super) const fn time(time: Nanos) -> Value {
    integer(time.0)
}

pub(super) fn count(value: u64) -> Value {
    integer(i64::try_from(value).unwrap_or(i64::MAX))
}
