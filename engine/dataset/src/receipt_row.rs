//! What the row of a receipt says of the file that a rank was converted from.

use std::path::Path;

use query::CellValue;

use super::error::DatasetError;
use super::layout::{CAPTURES, RunName, file_columns};
use super::receipt::{RankReceipt, captures_table, receipt_path};
use super::row_source::RowSource as _;
use super::table_reader::read_table;

/// The file that a rank was converted from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiptRow {
    /// Its whole path.
    pub capture: String,
    /// The hash of its content.
    pub content: String,
    /// When its time 0 was, in nanoseconds since 1970; nothing where it does not say.
    pub clock_origin: Option<i64>,
}

/// Reads the receipt of a rank; nothing where there is none.
///
/// # Errors
/// It is damaged, foreign or newer, or cannot be read.
pub fn receipt_row(
    root: &Path,
    run: &RunName,
    rank: u32,
) -> Result<Option<ReceiptRow>, DatasetError> {
    let (Some(receipt), Some(table)) = (RankReceipt::read(root, run, rank)?, captures_table())
    else {
        return Ok(None);
    };
    let columns = file_columns(table);
    let rows = read_table(&receipt_path(root, run, rank), CAPTURES, &columns)?;
    let place = columns.iter().position(|it| it.name == "clock_origin_ns");
    let origin = rows
        .zip(place)
        .map(|(rows, place)| match rows.cell(place, 0) {
            CellValue::Integer(origin) => Some(origin),
            _ => None,
        });
    Ok(Some(ReceiptRow {
        capture: receipt.capture,
        content: receipt.content,
        clock_origin: origin.flatten(),
    }))
}
