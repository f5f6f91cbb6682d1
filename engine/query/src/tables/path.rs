//! The critical path, segment by segment.

use super::draft::{TableDraft, int};
use crate::column::CellValue;
use crate::guard::{QueryGuard, StopReason};
use crate::rows::TableRows;
use crate::schema::TableId;
use crate::source::QuerySource;
use record::SpanId;

/// Follows it.
pub(super) fn make(source: &QuerySource, guard: &QueryGuard) -> Result<TableRows, StopReason> {
    let causes = source.causes(guard)?;
    let facts = source.lanes()?;
    let index = source.steps(guard)?;
    let reader = causes.read(&source.capture);
    let mut draft = TableDraft::of(source, TableId::CRITICAL_PATH, Some(guard));
    for (place, segment) in reader.path().into_iter().enumerate() {
        let start = segment.interval.start;
        let lane = segment.lane;
        let step = lane.and_then(|lane| {
            let call = segment.span.and_then(|it| reader.launch(it));
            let call = call.and_then(|it: SpanId| source.capture.span(it));
            index.step(lane, start, call.map(|it| it.span.start))
        });
        let rank = lane.map_or_else(|| facts.rank_of_all(), |it| facts.rank(it));
        let step = step.or_else(|| index.step_of_rank(rank, start));
        let values = [
            CellValue::Integer(place as i64),
            int(segment.span.map(|it| i64::from(it.0))),
            int(step),
            CellValue::Integer(start.0),
            CellValue::Integer(segment.interval.length().0),
            CellValue::Text(segment.what.label()),
        ];
        draft.row(rank, &values)?;
    }
    Ok(draft.finish())
}
