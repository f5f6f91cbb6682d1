//! How long the operations of each name took on each stream.

use std::collections::BTreeMap;

use super::draft::TableDraft;
use super::lanes::{id, lane_name};
use super::spans::NameCodes;
use crate::column::CellValue;
use crate::guard::{QueryGuard, StopReason};
use crate::rows::TableRows;
use crate::schema::TableId;
use crate::source::QuerySource;
use record::{LaneId, NameId, SpanKind};

/// Spans between two looks at whether to go on.
const STRIDE: usize = 1 << 16;

/// The length that so many of a hundred do not exceed, of lengths in order: one of them, by the nearest rank.
fn percentile(sorted: &[i64], percent: usize) -> i64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(0)
}

/// Sums them up.
pub(super) fn make(source: &QuerySource, guard: &QueryGuard) -> Result<TableRows, StopReason> {
    let capture = &source.capture;
    let facts = source.lanes()?;
    let codes = NameCodes::new(capture);
    let mut named: BTreeMap<(LaneId, u32, SpanKind), Vec<i64>> = BTreeMap::new();
    for (place, placed) in capture.spans().enumerate() {
        if place % STRIDE == 0 {
            guard.check()?;
        }
        let span = &placed.span;
        let is_work = !span.kind.is_waiting() && span.kind != SpanKind::EventRecord;
        if is_work && facts.is_stream(span.lane) {
            let key = (span.lane, codes.code(span.name), span.kind);
            let length = (span.end - span.start).0;
            named.entry(key).or_default().push(length);
        }
    }
    let mut draft = TableDraft::of(source, TableId::KERNELS, Some(guard));
    for ((lane, name, kind), mut lengths) in named {
        lengths.sort_unstable();
        let values = [
            CellValue::Text(capture.name(NameId(name))),
            CellValue::Text(kind.label()),
            id(lane.0),
            lane_name(capture, lane),
            CellValue::Integer(lengths.len() as i64),
            CellValue::Integer(lengths.iter().fold(0, |sum, it| sum.saturating_add(*it))),
            CellValue::Integer(percentile(&lengths, 0)),
            CellValue::Integer(percentile(&lengths, 50)),
            CellValue::Integer(percentile(&lengths, 99)),
            CellValue::Integer(percentile(&lengths, 100)),
        ];
        draft.row(facts.rank(lane), &values)?;
    }
    Ok(draft.finish())
}
