//! What a report says of memory: the peak of each counter, and what was allocated when an allocator had given out most.

use engine::analysis::memory::{
    MemoryBasis, MemoryGroup, MemoryGrouping, MemoryHistory, MemoryPoint, MemoryPool,
};
use engine::capture::Capture;

use super::report_document::{ReportBlock, ReportCell};
use super::sections::{MOST_ROWS, heading, table};
use crate::text::{self, words};

/// So many groups of each allocator are listed.
const MOST_GROUPS: usize = 12;

/// The largest value of each counter of bytes; nothing where the capture has none.
pub(super) fn peaks(capture: &Capture) -> Vec<ReportBlock> {
    let is_bytes = |unit: &str| matches!(unit, "bytes" | "B" | "Bytes");
    let counters = capture.counters().iter().filter(|it| is_bytes(&it.unit));
    let peaks = counters.filter_map(|counter| {
        let samples = capture.samples(counter.id);
        let pairs = samples.times().iter().zip(samples.values());
        let (time, value) = pairs.reduce(|most, it| if it.1 > most.1 { it } else { most })?;
        let device = counter
            .device
            .and_then(|id| capture.devices().get(id.index()));
        Some(vec![
            ReportCell::text(&counter.name),
            ReportCell::text(device.map_or("", |it| it.name.as_str())),
            ReportCell::bytes(*value as i64),
            ReportCell::time(*time),
        ])
    });
    let rows: Vec<Vec<ReportCell>> = peaks.collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![heading("Peaks of memory")];
    let heads = ["counter", "device", ">most", ">at"];
    blocks.extend(table("memory", &heads, rows, MOST_ROWS));
    blocks
}

/// Who had asked for what was allocated when most was; nothing where no allocator tells which allocation is which.
pub(super) fn at_the_peak(capture: &Capture) -> Vec<ReportBlock> {
    let within = capture.extent().unwrap_or_default();
    let mut pools = MemoryHistory::new(capture).pools;
    pools.retain(|it| it.knows_blocks() && !it.allocations.is_empty());
    let by = pools.iter().map(|it| MemoryGrouping::usual(capture, it));
    let Some(by) = by.min() else {
        return Vec::new();
    };
    let (mut says, mut rows, mut left_out) = (Vec::new(), Vec::new(), 0);
    for pool in &pools {
        let peak = pool.peak(within).map(|it| it.point);
        let point = peak.unwrap_or_else(|| pool.point_at(within.start));
        says.push((pool.title.clone(), total(pool, point)));
        let groups = MemoryGroup::alive(capture, (pool, point), pool.alive(point), by);
        left_out += groups.len().saturating_sub(MOST_GROUPS);
        let listed = groups.iter().take(MOST_GROUPS);
        rows.extend(listed.map(|it| row(pool, it, by)));
    }
    let mut blocks = vec![heading("Memory at the peak"), ReportBlock::List(says)];
    let heads = ["device", by.label(), ">allocations", ">bytes"];
    let count = rows.len();
    blocks.extend(table("memory-at-peak", &heads, rows, count));
    if left_out > 0 {
        let words = format!("… and {left_out} more, which `syncline memory --peak` lists.");
        blocks.push(ReportBlock::Paragraph(words));
    }
    blocks
}

/// How much a pool had allocated at a point.
fn total(pool: &MemoryPool, point: MemoryPoint) -> String {
    let since = match pool.basis {
        MemoryBasis::Totals => "allocated",
        MemoryBasis::SinceStart => "more allocated than at the start",
    };
    let bytes = words::bytes(pool.allocated(point).unwrap_or_default());
    format!("{bytes} {since} at {}", words::length(point.at))
}

/// The row of a group of allocations.
fn row(pool: &MemoryPool, group: &MemoryGroup, by: MemoryGrouping) -> Vec<ReportCell> {
    let count = usize::try_from(group.count).unwrap_or(usize::MAX);
    vec![
        ReportCell::text(&pool.title),
        ReportCell::name(&text::memory_group(group.name.as_deref(), by)),
        ReportCell::count(count),
        ReportCell::bytes(i64::try_from(group.bytes).unwrap_or(i64::MAX)),
    ]
}
