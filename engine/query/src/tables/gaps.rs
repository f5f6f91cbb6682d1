//! Times in which streams ran nothing, each with its reason.

use super::draft::{TableDraft, int};
use super::lanes::{id, lane_name};
use crate::column::CellValue;
use crate::guard::{QueryGuard, StopReason};
use crate::rows::TableRows;
use crate::schema::TableId;
use crate::source::QuerySource;
use analysis::causes::IdleUse;
use record::SpanId;

/// The reason, as the sums of idle time are called in files.
const fn reason(what: IdleUse) -> &'static str {
    match what {
        IdleUse::Busy => "busy",
        IdleUse::HostLate => "host",
        IdleUse::HostBlocked => "host_sync",
        IdleUse::Dependency => "dependency",
        IdleUse::Latency => "latency",
        IdleUse::Unknown => "unknown",
        IdleUse::After => "after",
        IdleUse::OtherRanks => "rank_wait",
    }
}

/// Finds them, stream by stream.
pub(super) fn make(source: &QuerySource, guard: &QueryGuard) -> Result<TableRows, StopReason> {
    let causes = source.causes(guard)?;
    let facts = source.lanes()?;
    let reader = causes.read(&source.capture);
    let mut draft = TableDraft::of(source, TableId::GAPS, Some(guard));
    for lane in reader.streams() {
        guard.check()?;
        let name = lane_name(&source.capture, lane);
        for part in reader.idle_parts(lane, causes.extent()) {
            let span = |it: Option<SpanId>| int(it.map(|it| i64::from(it.0)));
            let values = [
                id(lane.0),
                match &name {
                    CellValue::Text(name) => CellValue::Text(name),
                    _ => CellValue::Null,
                },
                CellValue::Integer(part.interval.start.0),
                CellValue::Integer(part.interval.length().0),
                span(part.before),
                span(part.next),
                CellValue::Text(reason(part.what)),
            ];
            draft.row(facts.rank(lane), &values)?;
        }
    }
    Ok(draft.finish())
}
