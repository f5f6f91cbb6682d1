//! What did automatic synchronisation insert, and what did that cost? As it was counted while the workload ran.

use super::{Analysis, Answer};
use capture::{Capture, PlacedSpan};

const CODE: &str = "automatic-waits";

/// What did automatic synchronisation insert?
pub(super) struct Inserted;

impl Analysis for Inserted {
    fn code(&self) -> &'static str {
        CODE
    }

    fn name(&self) -> &'static str {
        "Waits that were inserted"
    }

    fn about(&self) -> &'static str {
        "Automatic synchronisation makes a use of a buffer wait for the stream of its last use, reads too; where it is \
         compared, the same workload runs before with waits for conflicts alone"
    }

    fn look(&mut self, _: &Capture, _: &PlacedSpan) {}

    fn conclude(&mut self, capture: &Capture) -> Answer {
        let found = capture.findings().iter().filter(|it| it.code == CODE);
        let findings: Vec<_> = found.cloned().collect();
        let looked = match findings.first() {
            None => "none: this workload orders its streams itself".to_owned(),
            Some(_) => "what was inserted while it ran".to_owned(),
        };
        Answer::new(findings, looked)
    }
}
