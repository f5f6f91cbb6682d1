//! An analysis of one's own: the longest gap of each stream between two of its operations.
//!
//! Inside the engine it would be one file in `engine/analysis/src` and one line in its list. It is shown every span once,
//! by number, and then answers. `cargo run -p syncline-engine --example longest_gap -- FILE`

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;

use engine::analysis::{Analysis, Answer};
use engine::capture::{Capture, PlacedSpan};
use engine::importer::open_all;
use engine::record::{Finding, FindingId, Group, LaneId, Severity, SpanId};
use engine::time::{Interval, Nanos};

/// The code of its findings.
const CODE: &str = "longest-gap";

/// What is the longest gap of each stream?
#[derive(Default)]
pub struct LongestGap {
    /// When each operation ran, by stream.
    operations: BTreeMap<LaneId, Vec<(Interval, SpanId)>>,
}

impl Analysis for LongestGap {
    fn code(&self) -> &'static str {
        CODE
    }

    fn name(&self) -> &'static str {
        "Longest gap of a stream"
    }

    fn about(&self) -> &'static str {
        "The longest time between two operations of a stream in which none of its operations ran"
    }

    fn look(&mut self, capture: &Capture, placed: &PlacedSpan) {
        let span = placed.span;
        let lane = capture.lane(span.lane);
        if lane.is_some_and(|it| it.group == Group::Streams) && !span.kind.is_waiting() {
            let ran = Interval::new(span.start, span.end);
            self.operations
                .entry(span.lane)
                .or_default()
                .push((ran, span.id));
        }
    }

    fn conclude(&mut self, capture: &Capture) -> Answer {
        let mut findings = Vec::new();
        for (lane, operations) in &mut self.operations {
            operations.sort_by_key(|(ran, _)| ran.start);
            let name = capture
                .lane(*lane)
                .map_or("a stream", |it| it.name.as_str());
            if let Some((length, spans)) = longest(operations) {
                findings.push(Finding {
                    id: FindingId(findings.len() as u32),
                    code: CODE.to_owned(),
                    severity: Severity::Info,
                    text: format!("{name} ran nothing for {length}"),
                    spans: spans.to_vec(),
                    lines: Vec::new(),
                    count: 1,
                });
            }
        }
        Answer::new(
            findings,
            format!("gaps of {} streams", self.operations.len()),
        )
    }
}

/// The longest gap between operations in the order of their starts, and the operations around it.
fn longest(operations: &[(Interval, SpanId)]) -> Option<(Nanos, [SpanId; 2])> {
    let (mut end, mut last) = operations.first().map(|(ran, id)| (ran.end, *id))?;
    let mut best = None;
    for (ran, id) in operations {
        let gap = (ran.start - end, [last, *id]);
        if gap.0 > Nanos::ZERO && best.is_none_or(|known: (Nanos, _)| known.0 < gap.0) {
            best = Some(gap);
        }
        // An earlier one may run on beyond this.
        if ran.end > end {
            (end, last) = (ran.end, *id);
        }
    }
    best
}

/// What the analysis says of the captures at `paths`, a line for each stream.
///
/// # Errors
/// Why a file cannot be opened.
pub fn gaps(paths: &[PathBuf]) -> Result<String, Box<dyn Error>> {
    let mut capture = Capture::new();
    open_all(paths, &mut |batch| {
        capture.apply(batch.records);
        ControlFlow::Continue(())
    })?;
    let mut text = String::new();
    for finding in LongestGap::default().run(&capture) {
        writeln!(text, "{}", finding.text)?;
    }
    Ok(text)
}

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    std::io::stdout().write_all(gaps(&paths)?.as_bytes())?;
    Ok(())
}
