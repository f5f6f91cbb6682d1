//! Counts of a capture: spans by lane and kind, dependencies by kind and basis, bytes by table.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use engine::capture::Capture;
use engine::record::DependencyId;
use serde::{Serialize, Serializer};

use crate::cli::lane_uses::LaneUses;
use crate::cli::table::TextTable;
use crate::text;

/// How many lanes are printed for people; the rest is counted.
const LANES: usize = 60;

/// Counts of a capture.
#[derive(Serialize)]
pub(super) struct CaptureTally<'a> {
    lanes: LaneTallies<'a>,
    ties: Vec<DependencyCount>,
    memory: MemoryReport,
}

/// The lanes in the order on screen.
struct LaneTallies<'a>(&'a LaneUses<'a>);

/// What lies on a lane.
#[derive(Debug, Serialize)]
struct LaneTally<'a> {
    group: &'static str,
    name: Cow<'a, str>,
    spans: usize,
    kinds: BTreeMap<&'static str, usize>,
    rows: usize,
}

impl<'a> LaneTallies<'a> {
    fn iter(&self) -> impl Iterator<Item = LaneTally<'a>> {
        let lanes = self.0;
        lanes.iter().map(|(lane, used)| {
            let kinds = used.map_or(&[][..], |it| lanes.found.kinds(it)).iter();
            LaneTally {
                group: lane.group.label(),
                name: lanes.capture.lane_title(lane.id),
                spans: used.map_or(0, |it| it.spans),
                kinds: kinds
                    .map(|(kind, count)| (kind.label(), *count as usize))
                    .collect(),
                rows: lanes.capture.depth(lane.id),
            }
        })
    }
}

impl Serialize for LaneTallies<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// How many dependencies are of one kind and known in one way.
#[derive(Debug, Serialize)]
struct DependencyCount {
    kind: &'static str,
    basis: &'static str,
    count: usize,
}

/// Bytes held.
#[derive(Debug, Serialize)]
struct MemoryReport {
    bytes: usize,
    bytes_per_span: f64,
    tables: Vec<TableMemory>,
}

/// Bytes that one table holds.
#[derive(Debug, Serialize)]
struct TableMemory {
    name: &'static str,
    bytes: usize,
    bytes_per_span: f64,
}

impl<'a> CaptureTally<'a> {
    pub fn new(lanes: &'a LaneUses<'a>) -> Self {
        let capture = lanes.capture;
        Self {
            lanes: LaneTallies(lanes),
            ties: count_dependencies(capture),
            memory: memory(capture),
        }
    }

    /// Writes them for people.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut lanes = TextTable::new(&["lane", "group", ">spans", ">rows", "kinds"]);
        for lane in self.lanes.iter().take(LANES) {
            let kinds = lane.kinds.iter();
            let kinds: Vec<String> = kinds
                .map(|(kind, count)| format!("{kind} {count}"))
                .collect();
            lanes.row([
                lane.name.into_owned(),
                lane.group.to_owned(),
                text::count(lane.spans as u64),
                text::count(lane.rows as u64),
                kinds.join(", "),
            ]);
        }
        lanes.write_after_a_line(out)?;
        let more = self.lanes.0.count().saturating_sub(LANES);
        if more > 0 {
            writeln!(out, "and {more} more lanes; --format json has all")?;
        }
        let mut ties = TextTable::new(&["dependencies", "basis", ">count"]);
        for tie in &self.ties {
            let count = text::count(tie.count as u64);
            ties.row([tie.kind.to_owned(), tie.basis.to_owned(), count]);
        }
        ties.write_after_a_line(out)?;
        let mut memory = TextTable::new(&["memory", ">bytes", ">bytes a span"]);
        let whole = TableMemory {
            name: "all tables",
            bytes: self.memory.bytes,
            bytes_per_span: self.memory.bytes_per_span,
        };
        for held in self.memory.tables.iter().chain([&whole]) {
            let bytes = text::count(held.bytes as u64);
            let each = format!("{:.1}", held.bytes_per_span);
            memory.row([held.name.to_owned(), bytes, each]);
        }
        memory.write_after_a_line(out)
    }
}

fn count_dependencies(capture: &Capture) -> Vec<DependencyCount> {
    let mut counts = BTreeMap::new();
    let ids = (0..capture.dependency_count() as u32).map(DependencyId);
    for tie in ids.filter_map(|id| capture.dependency(id)) {
        *counts.entry((tie.kind, tie.basis)).or_insert(0_usize) += 1;
    }
    counts
        .into_iter()
        .map(|((kind, basis), count)| DependencyCount {
            kind: kind.label(),
            basis: basis.label(),
            count,
        })
        .collect()
}

fn memory(capture: &Capture) -> MemoryReport {
    let spans = capture.span_count().max(1) as f64;
    let held = |name, bytes| TableMemory {
        name,
        bytes,
        bytes_per_span: bytes as f64 / spans,
    };
    let tables = capture.tables_in_bytes();
    MemoryReport {
        bytes: capture.bytes(),
        bytes_per_span: capture.bytes() as f64 / spans,
        tables: tables
            .into_iter()
            .map(|(name, bytes)| held(name, bytes))
            .collect(),
    }
}
