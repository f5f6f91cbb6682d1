//! The capture itself: a row, or one for each rank of several.

use std::collections::BTreeMap;

use super::draft::{TableDraft, int, text};
use crate::column::CellValue;
use crate::guard::StopReason;
use crate::rows::TableRows;
use crate::schema::{SCHEMA_VERSION, TableId};
use crate::source::QuerySource;
use crate::tables::LaneFacts;
use capture::Capture;

/// The row.
pub(super) fn make(source: &QuerySource) -> Result<TableRows, StopReason> {
    let capture = &source.capture;
    let facts = source.lanes()?;
    let run = capture.run();
    let devices: Vec<&str> = capture
        .devices()
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    let devices = devices.join(", ");
    let clocks = capture.clocks();
    let zero = clocks.iter().find(|it| it.tells_zero());
    let uncertainty = clocks.iter().map(|it| it.uncertainty.0).max();
    let repaired: u64 = capture.file_repairs().iter().map(|it| it.count).sum();
    let receipt = receipt(capture);
    let mut values = [
        CellValue::Integer(SCHEMA_VERSION),
        CellValue::Null,
        CellValue::Null,
        text(run.map(|it| it.backend.as_str())),
        text(
            run.map(|it| it.machine.as_str())
                .filter(|it| !it.is_empty()),
        ),
        CellValue::Text(&devices),
        int(zero.map(|it| it.offset.0)),
        int(uncertainty),
        CellValue::Null,
        CellValue::Integer(repaired as i64),
        CellValue::Integer(capture.dropped() as i64),
        CellValue::Text(&receipt),
        CellValue::Text(env!("CARGO_PKG_VERSION")),
    ];
    let mut draft = TableDraft::of(source, TableId::CAPTURES, None);
    for (rank, count) in spans_of_ranks(capture, &facts) {
        let [_, path, .., spans, _, _, _, _] = &mut values;
        *path = text(source.path_of(|lane| facts.rank(lane) == rank));
        *spans = CellValue::Integer(count);
        draft.row(rank, &values)?;
    }
    Ok(draft.finish())
}

/// How many spans each rank has.
fn spans_of_ranks(capture: &Capture, facts: &LaneFacts) -> BTreeMap<u32, i64> {
    let ranks = facts.ranks();
    if ranks.len() < 2 {
        let all = capture.span_count() + capture.open().count();
        return BTreeMap::from([(facts.rank_of_all(), all as i64)]);
    }
    let mut spans: BTreeMap<u32, i64> = ranks.into_iter().map(|it| (it, 0)).collect();
    let lanes = capture.spans().map(|it| it.span.lane);
    for lane in lanes.chain(capture.open().map(|it| it.lane)) {
        *spans.entry(facts.rank(lane)).or_default() += 1;
    }
    spans
}

/// What was mended, as a JSON object of causes and counts.
fn receipt(capture: &Capture) -> String {
    let repairs = capture.file_repairs().iter();
    let fields: Vec<String> = repairs
        .map(|it| format!("{}:{}", quoted(&it.cause), it.count))
        .collect();
    format!("{{{}}}", fields.join(","))
}

/// A sign that has no form of its own in JSON.
fn escape(control: char) -> impl Iterator<Item = char> {
    let text = format!("\\u{:04x}", u32::from(control));
    text.chars().collect::<Vec<char>>().into_iter()
}

/// A text in JSON.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            control if control < ' ' => quoted.extend(escape(control)),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
