//! Which wait cost the most time, and what was waited for?

use super::explain::explain;
use super::words::{self, counted, finding, length, line};
use super::{Analysis, Answer};
use crate::capture::{Capture, PlacedSpan};
use crate::record::{Group, Severity, SpanKind};
use crate::time::Nanos;

const CODE: &str = "costliest-wait";

/// Which wait cost the most time?
#[derive(Default)]
pub(super) struct CostliestWait {
    /// The longest wait of a stream, and the longest of a host thread.
    stream: Option<PlacedSpan>,
    host: Option<PlacedSpan>,
    waits: usize,
    total: Nanos,
}

impl Analysis for CostliestWait {
    fn code(&self) -> &'static str {
        CODE
    }

    fn name(&self) -> &'static str {
        "Costliest wait"
    }

    fn about(&self) -> &'static str {
        "The longest time that a stream stood still for an event or a signal and, where no stream did, that a host \
         thread was blocked"
    }

    fn look(&mut self, capture: &Capture, placed: &PlacedSpan) {
        let length = placed.interval().length();
        if !placed.span.kind.is_waiting() || length <= Nanos::ZERO {
            return;
        }
        let lane = capture.lane(placed.span.lane);
        let is_stream = lane.is_some_and(|lane| lane.group == Group::Streams)
            && matches!(placed.span.kind, SpanKind::EventWait | SpanKind::Hold);
        self.waits += 1;
        self.total += length;
        let longest = if is_stream {
            &mut self.stream
        } else {
            &mut self.host
        };
        if longest.is_none_or(|known| length > known.interval().length()) {
            *longest = Some(*placed);
        }
    }

    fn conclude(&mut self, capture: &Capture) -> Answer {
        let looked = format!(
            "{} that took any time, {} in all",
            counted(self.waits, "wait"),
            length(self.total)
        );
        let found = self.stream.or(self.host);
        let told = found.and_then(|placed| Some((placed, explain(capture, placed.span.id)?)));
        let findings = told.map(|(placed, pieces)| {
            let place =
                line(capture, &placed).map_or_else(String::new, |it| format!(" (line {it})"));
            let name = capture.name(placed.span.name);
            let text = format!("{name}{place}: {}", words::plain(&pieces));
            finding(capture, CODE, Severity::Info, text, &[placed.span.id])
        });
        Answer {
            findings: findings.into_iter().collect(),
            looked,
        }
    }
}
