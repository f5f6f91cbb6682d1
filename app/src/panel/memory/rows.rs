//! The rows of the table: groups of allocations, or one allocation each.

use engine::analysis::memory::{
    Allocation, MemoryGroup, MemoryGrouping, MemoryOrigin, MemoryPoint, MemoryPool,
};
use engine::capture::Capture;
use engine::record::SpanId;
use engine::time::Nanos;

use crate::text;

/// Rows that are kept at most; those with fewest bytes are left out.
pub const MOST: usize = 50_000;

/// A row of the table.
pub struct MemoryRow {
    /// What the group shares; of a single allocation its address or name.
    pub name: String,
    pub count: u64,
    pub bytes: u64,
    /// Of a single allocation: who asked, and when it was allocated and freed.
    pub origin: MemoryOrigin,
    pub from: Option<Nanos>,
    pub to: Option<Nanos>,
    /// The spans that tell of it, the one to look at first.
    pub spans: Vec<SpanId>,
}

/// The rows of what was alive at a moment, or was kept.
pub fn rows(
    capture: &Capture,
    pool: &MemoryPool,
    (point, alive): (Option<MemoryPoint>, &[&Allocation]),
    by: Option<MemoryGrouping>,
) -> Vec<MemoryRow> {
    let Some(by) = by else {
        let each = alive.iter().take(MOST + 1);
        return each.map(|it| single(capture, it)).collect();
    };
    let some = alive.iter().copied();
    let groups = match point {
        Some(point) => MemoryGroup::alive(capture, (pool, point), some, by),
        None => MemoryGroup::all(capture, some, by),
    };
    let row = |group: MemoryGroup| MemoryRow {
        name: text::memory_group(group.name.as_deref(), by),
        count: group.count,
        bytes: group.bytes,
        origin: MemoryOrigin::default(),
        from: None,
        to: None,
        spans: group.spans,
    };
    groups.into_iter().map(row).collect()
}

fn single(capture: &Capture, allocation: &Allocation) -> MemoryRow {
    let (from, to) = (allocation.from, allocation.to);
    let origin = from.map(|it| MemoryOrigin::of(capture, it.span));
    MemoryRow {
        name: allocation.block.to_string(),
        count: 1,
        bytes: allocation.bytes,
        origin: origin.unwrap_or_default(),
        from: from.map(|it| it.at),
        to: to.map(|it| it.at),
        spans: from.or(to).map(|it| it.span).into_iter().collect(),
    }
}
