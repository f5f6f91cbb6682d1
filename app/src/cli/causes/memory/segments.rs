//! The segments of allocators.

use engine::analysis::memory::{MemoryPool, MemorySegment};
use engine::record::Value;
use engine::time::Nanos;

use super::{AllocationChoice, MemoryPrinter};
use crate::cli::causes::row_list::{
    ListFormat, MOST, count, integer, more, text, time, write_rows,
};
use crate::cli::table::TextTable;
use crate::cli::{CliFailure, FINE, OutputStreams};
use crate::text::words;

const COLUMNS: [&str; 10] = [
    "device",
    "rank",
    "at_ns",
    "address",
    "bytes",
    "stream",
    "allocated_bytes",
    "free_bytes",
    "blocks",
    "largest_free_bytes",
];

/// A segment, with its pool and the moment.
type PlacedSegment<'a> = (&'a MemoryPool, Nanos, MemorySegment);

/// Writes the segments of a moment.
pub(super) fn write(
    answer: &MemoryPrinter<'_>,
    question: AllocationChoice,
    format: ListFormat,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let all: Vec<PlacedSegment<'_>> = answer
        .pools
        .iter()
        .flat_map(|pool| {
            let point = answer.moment(pool, question).unwrap_or_default();
            let all = MemorySegment::all(answer.capture, pool, point).into_iter();
            all.map(move |it| (pool, point.at, it))
        })
        .collect();
    if all.is_empty() {
        return Err(CliFailure::Wrong(
            "the capture tells of no segments then; snapshots of PyTorch's allocator do, which \
             torch.cuda.memory._dump_snapshot writes"
                .to_owned(),
        ));
    }
    if format != ListFormat::Text {
        let rows = all.iter().map(|(pool, at, it)| row(pool, *at, it));
        return write_rows(&COLUMNS, rows, format, streams);
    }
    sums(answer, &all, streams)?;
    list(&all, streams)?;
    Ok(FINE)
}

/// Writes for people how much there is of each device.
fn sums(
    answer: &MemoryPrinter<'_>,
    all: &[PlacedSegment<'_>],
    streams: &mut OutputStreams<'_>,
) -> Result<(), CliFailure> {
    for pool in &answer.pools {
        let own = || all.iter().filter(|it| it.0.title == pool.title);
        let sum =
            |of: fn(&MemorySegment) -> i64| own().map(|it| of(&it.2)).fold(0, i64::saturating_add);
        let (bytes, allocated) = (sum(|it| it.bytes), sum(MemorySegment::allocated));
        let largest = own().map(|it| it.2.largest_free()).max().unwrap_or(0);
        writeln!(
            streams.out,
            "{}: {} in {}, {} of it free, at most {} of that in one piece",
            pool.title,
            words::bytes(bytes),
            crate::text::counted(own().count() as u64, "segment"),
            words::bytes(bytes.saturating_sub(allocated)),
            words::bytes(largest),
        )?;
    }
    Ok(())
}

/// Writes segments for people, the largest first.
fn list(all: &[PlacedSegment<'_>], streams: &mut OutputStreams<'_>) -> Result<(), CliFailure> {
    let mut table = TextTable::new(&[
        "device",
        "address",
        ">bytes",
        ">stream",
        ">allocated",
        ">free",
        ">blocks",
        ">largest free",
    ]);
    let mut largest: Vec<&PlacedSegment<'_>> = all.iter().collect();
    largest.sort_by_key(|it| std::cmp::Reverse(it.2.bytes));
    for (pool, _, segment) in largest.into_iter().take(MOST) {
        let allocated = segment.allocated();
        let stream = segment.stream.map(crate::text::allocator_stream);
        table.row([
            pool.title.clone(),
            format!("{:#x}", segment.address),
            words::bytes(segment.bytes),
            stream.unwrap_or_else(|| "–".to_owned()),
            words::bytes(allocated),
            words::bytes(segment.bytes.saturating_sub(allocated)),
            crate::text::count(segment.blocks.len() as u64),
            words::bytes(segment.largest_free()),
        ]);
    }
    table.write(streams.out)?;
    more(all.len(), streams)
}

fn row(pool: &MemoryPool, at: Nanos, segment: &MemorySegment) -> Vec<Option<Value>> {
    let allocated = segment.allocated();
    vec![
        Some(text(&pool.title)),
        pool.rank.map(|it| integer(i64::from(it))),
        Some(time(at)),
        Some(text(&format!("{:#x}", segment.address))),
        Some(integer(segment.bytes)),
        segment.stream.map(integer),
        Some(integer(allocated)),
        Some(integer(segment.bytes.saturating_sub(allocated))),
        Some(count(segment.blocks.len() as u64)),
        Some(integer(segment.largest_free())),
    ]
}
