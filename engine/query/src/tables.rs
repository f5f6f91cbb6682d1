//! How each table is made from the capture.

mod arguments;
mod captures;
mod collectives;
mod dependencies;
mod draft;
mod gaps;
mod kernels;
mod lanes;
mod overlap;
mod path;
mod small;
mod spans;
mod steps;
mod waits;

pub use collectives::is_operation as is_collective_name;
pub(crate) use draft::DraftColumn;
pub(crate) use lanes::LaneFacts;
pub(crate) use steps::StepIndex;

use super::guard::{QueryGuard, StopReason};
use super::rows::TableRows;
use super::schema::TableId;
use super::source::QuerySource;
use capture::Capture;

/// Makes a table.
pub(crate) fn make(
    source: &QuerySource,
    id: TableId,
    guard: &QueryGuard,
) -> Result<TableRows, StopReason> {
    match id.schema().map_or("", |it| it.name) {
        "spans" => spans::make(source, guard),
        "dependencies" => dependencies::make(source, guard),
        "arguments" => arguments::make(source, guard),
        "lanes" => lanes::make_lanes(source),
        "devices" => lanes::make_devices(source),
        "counters" => small::counters(source, guard),
        "steps" => steps::make(source, guard),
        "collectives" => collectives::make(source, guard),
        "gaps" => gaps::make(source, guard),
        "waits" => waits::make(source, guard),
        "lane_overlap" => overlap::make(source, guard),
        "critical_path" => path::make(source, guard),
        "findings" => small::findings(source, guard),
        "captures" => captures::make(source),
        "kernels" => kernels::make(source, guard),
        "problems" => small::problems(source),
        "names" => small::names(source, guard),
        _ => Ok(TableRows::new(Vec::new(), 0)),
    }
}

/// Makes the columns that are needed and were left out, where a table has such.
pub(crate) fn complete(
    source: &QuerySource,
    (id, used): (TableId, u64),
    rows: &TableRows,
    guard: &QueryGuard,
) -> Result<(), StopReason> {
    if id == spans::ID {
        spans::complete(source, used, rows, guard)?;
    }
    Ok(())
}

/// About how many rows a table will have.
pub(crate) fn estimate(capture: &Capture, id: TableId) -> usize {
    let spans = capture.span_count();
    match id.schema().map_or("", |it| it.name) {
        "spans" => spans,
        "arguments" => spans.saturating_mul(4),
        "waits" | "gaps" => spans / 2,
        "dependencies" => capture.dependency_count(),
        "critical_path" => spans / 10,
        "names" => capture.name_count(),
        "lanes" => capture.lanes().len(),
        _ => 1_000,
    }
}
