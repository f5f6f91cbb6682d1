//! Which host threads use one stream or one event by calls in no order? As it was found while the workload ran.

use super::{Analysis, Answer};
use capture::{Capture, PlacedSpan};

const CODE: &str = "unordered-hosts";

/// Which host threads use one stream or one event by calls in no order?
pub(super) struct UnorderedHosts;

impl Analysis for UnorderedHosts {
    fn code(&self) -> &'static str {
        CODE
    }

    fn name(&self) -> &'static str {
        "Host threads in no order"
    }

    fn about(&self) -> &'static str {
        "Two host threads submit to one stream, record one event, or wait for what the other submits or records, and no \
         signal orders their calls; the order that happened is observed, and nothing is concluded from it"
    }

    fn look(&mut self, _: &Capture, _: &PlacedSpan) {}

    fn conclude(&mut self, capture: &Capture) -> Answer {
        let found = capture.findings().iter().filter(|it| it.code == CODE);
        let findings: Vec<_> = found.cloned().collect();
        let looked = if findings.is_empty() {
            "no two host threads use one stream or event by calls that nothing orders".to_owned()
        } else {
            "calls of host threads that nothing orders".to_owned()
        };
        Answer::new(findings, looked)
    }
}
