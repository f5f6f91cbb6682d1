//! Counts of a capture: spans by lane and kind, dependencies by kind and basis, bytes by table.

use std::collections::BTreeMap;
use std::io::{self, Write};

use engine::capture::Capture;
use engine::record::{DependencyId, LaneId};
use serde::Serialize;

use crate::cli::table::Table;
use crate::text;

/// How many lanes are printed for people; the rest is counted.
const LANES: usize = 60;

/// Counts of a capture.
#[derive(Debug, Serialize)]
pub(super) struct Tally {
    lanes: Vec<Lane>,
    ties: Vec<Tie>,
    memory: Memory,
}

/// What lies on a lane.
#[derive(Debug, Serialize)]
struct Lane {
    group: &'static str,
    name: String,
    spans: usize,
    kinds: BTreeMap<&'static str, usize>,
    rows: usize,
}

/// How many dependencies are of one kind and known in one way.
#[derive(Debug, Serialize)]
struct Tie {
    kind: &'static str,
    basis: &'static str,
    count: usize,
}

/// Bytes held.
#[derive(Debug, Serialize)]
struct Memory {
    bytes: usize,
    bytes_per_span: f64,
    tables: Vec<Held>,
}

/// Bytes that one table holds.
#[derive(Debug, Serialize)]
struct Held {
    name: &'static str,
    bytes: usize,
    bytes_per_span: f64,
}

impl Tally {
    pub fn new(capture: &Capture) -> Self {
        Self {
            lanes: lanes(capture),
            ties: ties(capture),
            memory: memory(capture),
        }
    }

    /// Writes them for people.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut lanes = Table::new(&["lane", "group", ">spans", ">rows", "kinds"]);
        for lane in self.lanes.iter().take(LANES) {
            let kinds = lane.kinds.iter();
            let kinds: Vec<String> = kinds
                .map(|(kind, count)| format!("{kind} {count}"))
                .collect();
            lanes.row([
                lane.name.clone(),
                lane.group.to_owned(),
                text::count(lane.spans as u64),
                text::count(lane.rows as u64),
                kinds.join(", "),
            ]);
        }
        lanes.write_after_a_line(out)?;
        if self.lanes.len() > LANES {
            writeln!(
                out,
                "and {} more lanes; --format json has all",
                self.lanes.len() - LANES
            )?;
        }
        let mut ties = Table::new(&["dependencies", "known as", ">count"]);
        for tie in &self.ties {
            let count = text::count(tie.count as u64);
            ties.row([tie.kind.to_owned(), tie.basis.to_owned(), count]);
        }
        ties.write_after_a_line(out)?;
        let mut memory = Table::new(&["memory", ">bytes", ">bytes a span"]);
        let whole = Held {
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

fn lanes(capture: &Capture) -> Vec<Lane> {
    let mut kinds: BTreeMap<LaneId, BTreeMap<&'static str, usize>> = BTreeMap::new();
    for placed in capture.spans() {
        let of_lane = kinds.entry(placed.span.lane).or_default();
        *of_lane.entry(placed.span.kind.label()).or_default() += 1;
    }
    let order = capture.lane_order();
    let lanes = order.iter().filter_map(|&id| capture.lane(id));
    lanes
        .map(|lane| {
            let kinds = kinds.remove(&lane.id).unwrap_or_default();
            Lane {
                group: lane.group.label(),
                name: lane.name.clone(),
                spans: kinds.values().sum(),
                kinds,
                rows: capture.depth(lane.id),
            }
        })
        .collect()
}

fn ties(capture: &Capture) -> Vec<Tie> {
    let mut counts = BTreeMap::new();
    let ids = (0..capture.dependency_count() as u32).map(DependencyId);
    for tie in ids.filter_map(|id| capture.dependency(id)) {
        *counts.entry((tie.kind, tie.basis)).or_insert(0_usize) += 1;
    }
    counts
        .into_iter()
        .map(|((kind, basis), count)| Tie {
            kind: kind.label(),
            basis: basis.label(),
            count,
        })
        .collect()
}

fn memory(capture: &Capture) -> Memory {
    let spans = capture.span_count().max(1) as f64;
    let held = |name, bytes| Held {
        name,
        bytes,
        bytes_per_span: bytes as f64 / spans,
    };
    let tables = capture.tables_in_bytes();
    Memory {
        bytes: capture.bytes(),
        bytes_per_span: capture.bytes() as f64 / spans,
        tables: tables
            .into_iter()
            .map(|(name, bytes)| held(name, bytes))
            .collect(),
    }
}
