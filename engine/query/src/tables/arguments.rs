//! Further fields of spans.

use super::draft::{TableDraft, int};
use super::lanes::id;
use crate::column::CellValue;
use crate::guard::{QueryGuard, StopReason};
use crate::rows::TableRows;
use crate::schema::TableId;
use crate::source::QuerySource;
use record::Value;

/// Reads them, span by span.
pub(super) fn make(source: &QuerySource, guard: &QueryGuard) -> Result<TableRows, StopReason> {
    let capture = &source.capture;
    let facts = source.lanes()?;
    let mut draft = TableDraft::of(source, TableId::ARGUMENTS, Some(guard));
    for placed in capture.spans() {
        let span = &placed.span;
        for (name, value) in capture.arguments(span.id) {
            let mut values = [
                id(span.id.0),
                CellValue::Text(name),
                int(None),
                CellValue::Null,
                CellValue::Null,
            ];
            let (place, value) = match &value {
                Value::Integer(value) => (2, CellValue::Integer(*value)),
                Value::Number(value) => (3, CellValue::Real(*value)),
                Value::Text(value) => (4, CellValue::Text(value)),
            };
            if let Some(slot) = values.get_mut(place) {
                *slot = value;
            }
            draft.row(facts.rank(span.lane), &values)?;
        }
    }
    Ok(draft.finish())
}
