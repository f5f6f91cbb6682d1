//! What operations and blocking calls waited for.

use super::draft::{TableDraft, int};
use super::lanes::id;
use crate::column::CellValue;
use crate::guard::{QueryGuard, StopReason};
use crate::rows::TableRows;
use crate::schema::TableId;
use crate::source::QuerySource;
use analysis::causes::{TimePart, TimeUse};

/// Spans between two looks at whether to go on.
const STRIDE: usize = 1 << 14;

/// The kind of a part; nothing where nothing waited then.
fn kind(part: &TimePart) -> Option<&'static str> {
    match part.what {
        TimeUse::Blocked => part.by.map(|it| it.kind.label()),
        TimeUse::Latency => Some("latency"),
        TimeUse::Unknown => Some("unknown"),
        _ => None,
    }
}

/// Finds them: for each span what it waited for before it began, and then what it waited for itself.
pub(super) fn make(source: &QuerySource, guard: &QueryGuard) -> Result<TableRows, StopReason> {
    let causes = source.causes(guard)?;
    let facts = source.lanes()?;
    let reader = causes.read(&source.capture);
    let mut draft = TableDraft::of(source, TableId::WAITS, Some(guard));
    let mut number = 0;
    for (place, placed) in source.capture.spans().enumerate() {
        if place % STRIDE == 0 {
            guard.check()?;
        }
        let span = placed.span.id;
        if !reader.is_operation(span) && !reader.is_blocking(span) {
            continue;
        }
        let before = reader.split(span);
        for part in before.iter().chain(&reader.inside(span)) {
            let Some(kind) = kind(part) else {
                continue;
            };
            let cause = part.by.map(|it| i64::from(it.span().0));
            let values = [
                CellValue::Integer(number),
                id(span.0),
                int(cause),
                CellValue::Text(kind),
                CellValue::Integer(part.interval.start.0),
                CellValue::Integer(part.interval.length().0),
            ];
            draft.row(facts.rank(placed.span.lane), &values)?;
            number += 1;
        }
    }
    Ok(draft.finish())
}
