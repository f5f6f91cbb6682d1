//! Dependencies, by number.

use super::draft::{TableDraft, int};
use super::lanes::id;
use crate::column::CellValue;
use crate::guard::{QueryGuard, StopReason};
use crate::rows::TableRows;
use crate::schema::TableId;
use crate::source::QuerySource;
use record::DependencyId;

/// Reads them.
pub(super) fn make(source: &QuerySource, guard: &QueryGuard) -> Result<TableRows, StopReason> {
    let capture = &source.capture;
    let facts = source.lanes()?;
    let is_one = facts.ranks().len() < 2;
    let mut draft = TableDraft::of(source, TableId::DEPENDENCIES, Some(guard));
    for number in 0..capture.dependency_count() as u32 {
        let Some(found) = capture.dependency(DependencyId(number)) else {
            continue;
        };
        let carried = found.event.is_some();
        let values = [
            id(number),
            CellValue::Text(found.kind.label()),
            CellValue::Text(found.basis.label()),
            int(carried.then_some(i64::from(found.event.0))),
            int(carried.then_some(i64::from(found.generation))),
            id(found.cause.0),
            id(found.effect.0),
        ];
        let rank = if is_one {
            facts.rank_of_all()
        } else {
            let placed = capture.span(found.effect);
            placed.map_or(0, |it| facts.rank(it.span.lane))
        };
        draft.row(rank, &values)?;
    }
    Ok(draft.finish())
}
