//! Which uses of one buffer does nothing order? As it was found while the workload ran, and what happened this time.

use super::words::{length, span};
use super::{Analysis, Answer};
use capture::{Capture, PlacedSpan};
use record::{Finding, State};

const CODE: &str = "race";

/// Which uses of one buffer does nothing order?
pub(super) struct Races;

impl Analysis for Races {
    fn code(&self) -> &'static str {
        CODE
    }

    fn name(&self) -> &'static str {
        "Races on buffers"
    }

    fn about(&self) -> &'static str {
        "Two operations use one buffer, at least one of them writes it, and no stream order, wait or synchronisation \
         makes either come first; what each call declares is compared while it runs, so that luck in time proves \
         nothing"
    }

    fn look(&mut self, _: &Capture, _: &PlacedSpan) {}

    fn conclude(&mut self, capture: &Capture) -> Answer {
        let recorded = capture.findings().iter().filter(|it| it.code == CODE);
        let findings = recorded.map(|finding| seen(capture, finding)).collect();
        let searches = capture.searches().iter().filter(|it| it.code == CODE);
        let told: Vec<&str> = searches.map(|search| search.text.as_str()).collect();
        let looked = if !told.is_empty() {
            told.join("; ")
        } else if capture.run().is_some_and(|run| !run.source.is_empty()) && capture.end().is_none()
        {
            "the run goes on, or was cut off: what was called so far is looked at, and counted at its end".to_owned()
        } else {
            return Answer::skipped(
                "not looked for: this capture does not say which buffers its operations read and write".to_owned(),
            );
        };
        Answer::new(findings, looked)
    }
}

/// The finding with what was observed: that is no proof either way, and so it is told apart.
fn seen(capture: &Capture, finding: &Finding) -> Finding {
    let mut finding = finding.clone();
    let [first, second] = finding.spans.as_slice() else {
        return finding;
    };
    let (Some(first), Some(second)) = (capture.span(*first), capture.span(*second)) else {
        return finding;
    };
    let ran = |it: &PlacedSpan| !matches!(it.span.state, State::Cancelled | State::Lost);
    if first.span.id == second.span.id || !ran(&first) || !ran(&second) {
        return finding;
    }
    let (name, other) = (span(capture, &second), span(capture, &first));
    let seen = if second.span.start >= first.span.end {
        format!("this time {name} happened to begin after {other} had ended")
    } else if second.span.end <= first.span.start {
        let early = length(first.span.start - second.span.end);
        format!("this time {name} ended {early} before {other} began")
    } else {
        let early = length(first.span.end - second.span.start);
        format!("this time {name} began {early} before {other} ended")
    };
    finding.text = format!("{}; {seen}", finding.text);
    finding
}
