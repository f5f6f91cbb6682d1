//! Recorded launches and graphs, in figures.

use std::io::{self, Write};

use engine::capture::{Capture, LaunchHistory};
use engine::record::{LaunchChange, LaunchKind};
use serde::Serialize;

use super::table::TextTable;
use crate::text;

/// Recorded launches and graphs, in figures.
#[derive(Debug, Serialize)]
pub(super) struct LaunchesReport {
    /// Launches, in the order of the file, graphs last.
    pub launches: Vec<LaunchReport>,
}

/// What was made once and launched many times.
#[derive(Debug, Serialize)]
pub(super) struct LaunchReport {
    name: String,
    /// `kernel` or `graph`.
    kind: &'static str,
    kernel: String,
    elements: Option<u64>,
    /// Each argument's name and value, as they are at the end.
    arguments: Vec<(String, String)>,
    nodes: usize,
    edges: usize,
    revision: u32,
    launched: usize,
    last_stream: String,
    /// Captures that came to nothing.
    failed: usize,
}

impl LaunchesReport {
    /// All of `capture`.
    pub fn new(capture: &Capture) -> Self {
        let all = capture.launches().iter();
        Self {
            launches: all.map(|it| launch(capture, it)).collect(),
        }
    }

    /// Writes them for people.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let heads = ["launch", "of", "with", ">revision", ">launched", "last on"];
        let mut table = TextTable::new(&heads);
        for it in &self.launches {
            table.row([
                it.name.clone(),
                match it.kind {
                    "graph" => "graph".to_owned(),
                    _ => it.kernel.clone(),
                },
                with(it),
                it.revision.to_string(),
                it.launched.to_string(),
                it.last_stream.clone(),
            ]);
        }
        table.write_after_a_line(out)
    }
}

fn with(launch: &LaunchReport) -> String {
    let mut parts: Vec<String> = Vec::new();
    if launch.kind == "graph" {
        parts.push(text::counted(launch.nodes as u64, "node"));
        parts.push(text::counted(launch.edges as u64, "edge"));
    }
    let arguments = launch.arguments.iter();
    parts.extend(arguments.map(|(name, value)| format!("{name}={value}")));
    parts.extend(launch.elements.map(|it| text::counted(it, "element")));
    if launch.failed > 0 {
        parts.push(text::counted(launch.failed as u64, "failed capture"));
    }
    parts.join(", ")
}

fn launch(capture: &Capture, launched: &LaunchHistory) -> LaunchReport {
    let step = launched.step();
    let steps = launched.steps.iter();
    let nodes = steps.clone().rev().find(|it| !it.nodes.is_empty());
    let nodes = nodes.map(|it| it.nodes.as_slice()).unwrap_or_default();
    let last = launched.launches.last();
    let last = last.and_then(|last| capture.span(last.operation));
    let lane = last.and_then(|placed| capture.lane(placed.span.lane));
    LaunchReport {
        name: launched.launch.name.clone(),
        kind: launched.launch.kind.label(),
        kernel: match launched.launch.kind {
            LaunchKind::Kernel => step.map(|it| it.kernel.clone()).unwrap_or_default(),
            LaunchKind::Graph => String::new(),
        },
        elements: step.and_then(|it| it.elements),
        arguments: step.map(|it| it.arguments.clone()).unwrap_or_default(),
        nodes: nodes.len(),
        edges: nodes.iter().map(|it| it.before.len()).sum(),
        revision: step.map_or(0, |it| it.revision),
        launched: launched.launches.len(),
        last_stream: lane.map(|it| it.name.clone()).unwrap_or_default(),
        failed: steps.filter(|it| it.change == LaunchChange::Failed).count(),
    }
}
