//! Turns what a capture shows in a range of time into a workload that runs anywhere, to experiment with.

mod order;
mod script;

use capture::{Capture, PlacedSpan};
use order::{HostOrder, HostStep};
use record::time::{Interval, Nanos};
use record::{Basis, DependencyKind, Group, Role, SpanId, SpanKind};
use script::{ScriptStyle, WorkloadScript};

/// More operations than this make a text that no workload may have.
const MOST: usize = 20_000;
/// Bytes that a workload's text may have, as plain as it is written here.
const LONGEST: usize = 1 << 20;

/// A workload made from a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractedWorkload {
    /// The workload, in KDL.
    pub text: String,
    /// What of the capture it does not do, a sentence each.
    pub notes: Vec<String>,
}

/// Why no workload was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtractError {
    /// Nothing ran on a stream.
    #[error(
        "no stream ran anything in this range, so that there is nothing to extract; choose a range over spans of \
         streams"
    )]
    Nothing,
    /// Too much for a text.
    #[error(
        "{0} operations of streams lie in this range, too many for the {LONGEST} bytes that a workload may have; \
         choose a range of some 10,000 operations"
    )]
    TooMany(usize),
}

/// A workload of what streams did in `range`: kernels as spins of the observed lengths, copies and fills with buffers
/// of the observed bytes, and every record and wait that tied two streams.
///
/// # Errors
/// Nothing ran on a stream there, or more than a workload can hold.
pub fn extract(capture: &Capture, range: Interval) -> Result<ExtractedWorkload, ExtractError> {
    let mut spans: Vec<PlacedSpan> = capture
        .lanes()
        .iter()
        .filter(|lane| lane.group == Group::Streams && lane.role != Role::Queue)
        .flat_map(|lane| capture.spans_in(lane.id, range))
        .filter(|placed| range.contains(placed.span.start) && is_operation(placed.span.kind))
        .collect();
    match spans.len() {
        0 => return Err(ExtractError::Nothing),
        count if count > MOST => return Err(ExtractError::TooMany(count)),
        _ => {}
    }
    spans.sort_by_key(|placed| (placed.span.start, placed.span.end, placed.span.id));
    let ties = extracted_waits(capture, &spans);
    let order = HostOrder::new(&spans, &ties);
    for style in [ScriptStyle::Full, ScriptStyle::Terse] {
        let mut script = WorkloadScript::new(capture, &order, style);
        for step in &order.steps {
            match step {
                HostStep::Run(placed, at) => script.run(placed, *at),
                HostStep::Record(event, lane) => script.record(*event, *lane),
                HostStep::Wait(event, lane) => script.wait(*event, *lane),
            }
        }
        let extracted = script.finish(range, &order);
        if extracted.text.len() <= LONGEST {
            return Ok(extracted);
        }
    }
    Err(ExtractError::TooMany(spans.len()))
}

/// Whether a stream does this by itself, rather than holding still.
fn is_operation(kind: SpanKind) -> bool {
    matches!(
        kind,
        SpanKind::Kernel
            | SpanKind::Upload
            | SpanKind::Download
            | SpanKind::Copy
            | SpanKind::Fill
            | SpanKind::HostFunction
            | SpanKind::Callback
            | SpanKind::EventRecord
            | SpanKind::EventWait
    )
}

/// A wait of one stream for what another did.
#[derive(Clone, Copy, Debug)]
struct ExtractedWait {
    cause: SpanId,
    effect: SpanId,
}

/// The dependencies between streams that something enforces, each end a span of the list where it lies in the range.
fn extracted_waits(capture: &Capture, spans: &[PlacedSpan]) -> Vec<ExtractedWait> {
    let lane = |id| capture.span(id).map(|placed| placed.span.lane);
    let mut ties = Vec::new();
    for placed in spans {
        let mut causes: Vec<_> = capture.causes(placed.span.id).collect();
        causes.sort_unstable();
        for id in causes {
            let Some(tie) = capture.dependency(id) else {
                continue;
            };
            let holds = matches!(tie.kind, DependencyKind::Event | DependencyKind::Flow)
                && matches!(tie.basis, Basis::Enforced | Basis::Inferred);
            let crosses = lane(tie.cause) != lane(tie.effect);
            if holds && (crosses || placed.span.kind == SpanKind::EventWait) {
                ties.push(ExtractedWait {
                    cause: tie.cause,
                    effect: tie.effect,
                });
            }
        }
    }
    ties
}

/// How long a kernel spins for a span, in microseconds.
fn micros(length: Nanos) -> String {
    let micros = length.0.clamp(0, 60_000_000_000) as f64 / 1e3;
    let text = format!("{micros:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_keep_their_nanoseconds() {
        assert_eq!(micros(Nanos(1_234_567)), "1234.567");
        assert_eq!(micros(Nanos(2_000)), "2");
        assert_eq!(micros(Nanos(-5)), "0");
    }

    #[test]
    fn an_empty_range_says_what_to_do() {
        let answer = extract(&Capture::new(), Interval::new(Nanos(0), Nanos(9)));
        assert_eq!(answer, Err(ExtractError::Nothing));
        assert!(
            ExtractError::TooMany(60_000)
                .to_string()
                .contains("choose a range")
        );
    }
}
