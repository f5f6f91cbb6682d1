//! Collective operations: each rank's part, and which parts are of one.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::{TableDraft, int, text};
use super::lanes::id;
use crate::column::CellValue;
use crate::guard::{QueryGuard, StopReason};
use crate::rows::TableRows;
use crate::schema::TableId;
use crate::source::QuerySource;
use analysis::told_bytes;
use capture::{Capture, PlacedSpan};
use record::{COLLECTIVE_GROUPS, Group, NameId, SpanId, SpanKind, Value};

/// Places of columns.
pub(super) const PART_NUMBER: usize = 0;
pub(super) const SPAN: usize = 2;
pub(super) const BYTES: usize = 4;

/// Spans between two looks at whether to go on.
const STRIDE: usize = 1 << 16;

/// What libraries call the operations of a device, in lower case.
const LIBRARIES: &[&str] = &["nccl", "rccl", "hcom_", "hccl"];
/// What they do, in lower case and without signs between words.
const OPERATIONS: &[&str] = &[
    "allreduce",
    "allgather",
    "reducescatter",
    "alltoall",
    "broadcast",
    "reduce",
    "gather",
    "scatter",
    "send",
    "recv",
];
/// The argument that counts the elements of a message, and the one that says of what type they are.
const ELEMENTS: &str = "In msg nelems";
const ELEMENT_TYPE: &str = "dtype";

/// A part of a collective operation.
struct CollectiveRow {
    group: Option<Box<str>>,
    rank: u32,
    placed: PlacedSpan,
    bytes: Option<i64>,
    /// Which parts belong together, where the capture ties them.
    joined: Option<usize>,
    number: Option<i64>,
}

/// Whether a name is that of a collective operation of a device's library.
pub fn is_operation(name: &str) -> bool {
    let name = name.to_lowercase();
    if !LIBRARIES.iter().any(|it| name.starts_with(it)) {
        return false;
    }
    let bare: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    OPERATIONS.iter().any(|it| bare.contains(it))
}

/// Bytes of an element, by the name of its type.
fn element_bytes(name: &str) -> Option<i64> {
    Some(match name.to_lowercase().as_str() {
        "byte" | "char" | "bool" | "int8" | "uint8" | "float8_e4m3fn" | "float8_e5m2" => 1,
        "half" | "bfloat16" | "short" | "float16" | "int16" => 2,
        "float" | "int" | "float32" | "int32" => 4,
        "double" | "long" | "float64" | "int64" => 8,
        _ => return None,
    })
}

/// The parts of the capture: spans of that kind, those that it ties to others, and kernels of a library for them.
fn find_parts(source: &QuerySource, guard: &QueryGuard) -> Result<Vec<CollectiveRow>, StopReason> {
    let capture = &source.capture;
    let causes = source.causes(guard)?;
    let facts = source.lanes()?;
    let mut joined: BTreeMap<SpanId, usize> = BTreeMap::new();
    for (place, parts) in causes.read(capture).collectives().enumerate() {
        joined.extend(parts.into_iter().map(|it| (it, place)));
    }
    let names = (0..capture.name_count() as u32).map(NameId);
    let names: BTreeSet<NameId> = names.filter(|it| is_operation(capture.name(*it))).collect();
    let mut rows = Vec::new();
    for (place, placed) in capture.spans().enumerate() {
        if place % STRIDE == 0 {
            guard.check()?;
        }
        let span = &placed.span;
        let is_stream = || {
            capture
                .lane(span.lane)
                .is_some_and(|it| it.group == Group::Streams)
        };
        let tied = joined.get(&span.id).copied();
        let is_part = tied.is_some()
            || span.kind == SpanKind::Collective
            || (!names.is_empty() && names.contains(&span.name) && is_stream());
        if is_part {
            let (group, bytes) = fields(capture, span.id);
            rows.push(CollectiveRow {
                group,
                rank: facts.rank(span.lane),
                placed,
                bytes,
                joined: tied,
                number: None,
            });
        }
    }
    Ok(rows)
}

/// The group of ranks and the size of what a part puts in, by its arguments.
fn fields(capture: &Capture, span: SpanId) -> (Option<Box<str>>, Option<i64>) {
    let mut group: Option<(usize, Box<str>)> = None;
    let (mut elements, mut each) = (None, None);
    for (name, value) in capture.arguments(span) {
        let place = COLLECTIVE_GROUPS.iter().position(|it| *it == name);
        if let Some(place) = place
            && group.as_ref().is_none_or(|known| place < known.0)
        {
            let text = match &value {
                Value::Text(text) => text.clone(),
                Value::Integer(number) => number.to_string().into(),
                Value::Number(number) => number.to_string().into(),
            };
            group = Some((place, text));
        }
        match (name, value) {
            (ELEMENTS, Value::Integer(count)) => elements = Some(count),
            (ELEMENT_TYPE, Value::Text(of)) => each = element_bytes(&of),
            _ => {}
        }
    }
    let counted = elements
        .zip(each)
        .and_then(|(count, each)| count.checked_mul(each));
    let group = group.map(|it| it.1).filter(|it| !it.is_empty());
    (group, counted.or_else(|| told_bytes(capture, span)))
}

/// Numbers the operations of each group in order of time: those that the capture ties by when the last part began, and where it
/// ties none, those of each rank by when its part began.
fn number(rows: &mut [CollectiveRow]) {
    let mut starts: BTreeMap<usize, i64> = BTreeMap::new();
    for row in rows.iter() {
        if let Some(place) = row.joined {
            let last = starts.entry(place).or_insert(i64::MIN);
            *last = row.placed.span.start.0.max(*last);
        }
    }
    let is_tied = !starts.is_empty();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|at| {
        let row = rows.get(*at);
        row.map(|row| {
            let last = row.joined.and_then(|it| starts.get(&it)).copied();
            let own = row.placed.span.start.0;
            (last.unwrap_or(own), row.joined, row.placed.span.id)
        })
    });
    let mut next: BTreeMap<(Option<Box<str>>, Option<u32>), i64> = BTreeMap::new();
    let mut numbers: BTreeMap<usize, i64> = BTreeMap::new();
    for at in order {
        let Some(row) = rows.get_mut(at) else {
            continue;
        };
        let mut fresh = |rank: Option<u32>| {
            let next = next.entry((row.group.clone(), rank)).or_insert(0);
            *next += 1;
            *next - 1
        };
        row.number = match row.joined {
            Some(place) => Some(*numbers.entry(place).or_insert_with(|| fresh(None))),
            None if is_tied => None,
            None => Some(fresh(Some(row.rank))),
        };
    }
}

/// The parts, in order of time.
pub(super) fn make(source: &QuerySource, guard: &QueryGuard) -> Result<TableRows, StopReason> {
    let mut rows = find_parts(source, guard)?;
    rows.sort_by_key(|it| (it.placed.span.start, it.placed.span.id));
    number(&mut rows);
    let mut draft = TableDraft::of(source, TableId::COLLECTIVES, Some(guard));
    for row in &rows {
        let span = &row.placed.span;
        let values = [
            int(row.number),
            text(row.group.as_deref()),
            id(span.id.0),
            CellValue::Text(source.capture.name(span.name)),
            int(row.bytes),
            CellValue::Integer(span.start.0),
            CellValue::Integer(span.start.0),
            CellValue::Integer((span.end - span.start).0),
        ];
        draft.row(row.rank, &values)?;
    }
    Ok(draft.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_of_libraries_are_known_by_their_names() {
        for name in [
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
            "ncclKernel_AllGather_RING_LL_Sum_int8_t",
            "hcom_allReduce__123",
        ] {
            assert!(is_operation(name), "{name}");
        }
        for name in [
            "void reduce_kernel<512>",
            "nccl:coalesced",
            "Memcpy DtoD",
            "record_param_comms",
        ] {
            assert!(!is_operation(name), "{name}");
        }
    }
}
