//! What did automatic synchronisation insert, and what did that cost? As it was counted while the workload ran.

use super::{Analysis, Answer};
use capture::{Capture, PlacedSpan};

const CODE: &str = "automatic-waits";

/// What did automatic synchronisation insert?
pub(super) struct InsertedWaits;

impl Analysis for InsertedWaits {
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
            None if capture.calls().is_empty() => {
                "none: the capture tells of no workload".to_owned()
            }
            None => "none: this workload orders its streams itself".to_owned(),
            Some(_) => "what was inserted while it ran".to_owned(),
        };
        Answer::new(findings, looked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{CallId, NameId, Record, SourceCall};

    #[test]
    fn a_capture_without_a_workload_is_not_said_to_have_one() {
        let looked = |capture: &Capture| InsertedWaits.conclude(capture).looked;
        let mut capture = Capture::new();
        assert_eq!(looked(&capture), "none: the capture tells of no workload");
        capture.apply([Record::Call(SourceCall {
            id: CallId(0),
            line: 1,
            name: NameId::NONE,
        })]);
        assert_eq!(
            looked(&capture),
            "none: this workload orders its streams itself"
        );
    }
}
