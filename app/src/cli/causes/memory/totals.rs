//! How much each allocator had in all at a moment.

use engine::analysis::memory::{Allocation, MemoryPool};
use engine::record::Value;
use engine::time::Nanos;

use super::{AllocationChoice, MemoryPrinter};
use crate::cli::causes::row_list::{ListFormat, count, integer, text, time, write_rows};
use crate::cli::table::TextTable;
use crate::cli::{CliFailure, FINE, OutputStreams};
use crate::text::words;

const COLUMNS: [&str; 9] = [
    "device",
    "rank",
    "basis",
    "at_ns",
    "allocated_bytes",
    "reserved_bytes",
    "allocations",
    "bytes",
    "before_bytes",
];

/// Writes what each allocator had.
pub(super) fn write(
    printer: &MemoryPrinter<'_>,
    question: AllocationChoice,
    format: ListFormat,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let rows = printer.pools.iter().map(|it| row(printer, it, question));
    if format != ListFormat::Text {
        return write_rows(&COLUMNS, rows.map(Vec::from), format, streams);
    }
    let mut table = TextTable::new(&[
        "device",
        ">at",
        ">allocated",
        ">reserved",
        ">allocations",
        ">of which known",
        ">from before",
    ]);
    for row in rows {
        table.row(cells(&row));
    }
    table.write(streams.out)?;
    Ok(FINE)
}

fn row(
    printer: &MemoryPrinter<'_>,
    pool: &MemoryPool,
    question: AllocationChoice,
) -> [Option<Value>; 9] {
    let point = printer.moment(pool, question).unwrap_or_default();
    let alive: Vec<&Allocation> = pool.alive(point).collect();
    let known = |value: Value| Some(value).filter(|_| pool.knows_blocks());
    [
        Some(text(&pool.title)),
        pool.rank.map(|it| integer(i64::from(it))),
        Some(text(pool.basis.label())),
        Some(time(point.at)),
        pool.allocated(point).map(integer),
        pool.reserved(point).map(integer),
        known(count(alive.len() as u64)),
        known(count(Allocation::bytes_of(alive.iter().copied()))),
        known(count(pool.untold(point))),
    ]
}

/// A row for people.
fn cells(row: &[Option<Value>; 9]) -> [String; 7] {
    let unknown = || "–".to_owned();
    let [title, _, _, at, numbers @ ..] = row;
    let whole = |value: &Option<Value>| match value {
        Some(Value::Integer(value)) => Some(*value),
        _ => None,
    };
    let bytes = |value: &Option<Value>| whole(value).map_or_else(unknown, words::bytes);
    let [allocated, reserved, allocations, known, before] = numbers;
    let title = match title {
        Some(Value::Text(title)) => title.to_string(),
        _ => String::new(),
    };
    let allocations = whole(allocations).and_then(|it| u64::try_from(it).ok());
    [
        title,
        whole(at).map_or_else(unknown, |it| words::length(Nanos(it))),
        bytes(allocated),
        bytes(reserved),
        allocations.map_or_else(unknown, crate::text::count),
        bytes(known),
        bytes(before),
    ]
}
