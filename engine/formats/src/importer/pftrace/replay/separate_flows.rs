//! Arrows of the old form, whose points stand apart from slices.

use std::collections::BTreeMap;

use super::begin_end_pairs::MatchedSlices;
use crate::importer::flow_points::{FlowPoint, SpanExtent, bind_row, tie_points};
use crate::importer::pftrace::items::TrackItems;
use record::SpanId;

/// Adds the arrows to those that are known; says how many points lead nowhere.
pub(super) fn add_flows(
    mut points: Vec<FlowPoint>,
    items: &TrackItems,
    matched: &mut MatchedSlices,
) -> u64 {
    if points.is_empty() {
        return 0;
    }
    points.sort_by_key(|it| (it.row, it.time));
    let mut rows: BTreeMap<u32, Vec<SpanExtent>> = BTreeMap::new();
    for point in points.iter().filter(|it| !it.span.is_some()) {
        rows.entry(point.row).or_default();
    }
    for item in &items.all {
        if let Some(slice) = items.slice_of(item)
            && let Some(row) = rows.get_mut(&item.track())
        {
            row.push(SpanExtent {
                start: item.time,
                end: matched.end(slice).unwrap_or(i64::MAX),
                span: SpanId(slice),
            });
        }
    }
    for on_row in points.chunk_by_mut(|a, b| a.row == b.row) {
        let row = on_row.first().and_then(|it| rows.get_mut(&it.row));
        if let Some(spans) = row {
            bind_row(on_row, spans);
        }
    }
    let arrows = &mut matched.arrows;
    tie_points(points, |from, to| arrows.push((from.span.0, to.span.0)))
}
