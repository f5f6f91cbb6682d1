//! What calls found that asked for the last error of their thread, and whether that was expected.

use super::expectation::CheckResult;
use workload::{ErrorKind, ErrorMatch};

/// What the calls at one place of a workload found.
#[derive(Clone, Debug, Default)]
pub struct FoundErrors {
    /// How often it was asked.
    asked: u64,
    /// How often that found something else than was expected, and what it was first.
    others: u64,
    first_other: &'static str,
    /// What was found last.
    last: &'static str,
}

impl FoundErrors {
    /// Notes what one call found; nothing stands for success.
    pub fn note(&mut self, found: Option<ErrorKind>, expected: Option<&ErrorMatch>) {
        self.asked += 1;
        self.last = word(found);
        if expected.is_some_and(|it| !it.takes(found)) {
            if self.others == 0 {
                self.first_other = self.last;
            }
            self.others += 1;
        }
    }

    /// Whether nothing else was found.
    pub(super) fn judge(&self) -> CheckResult {
        let found = match (self.others, self.asked) {
            (0, _) => self.last.to_owned(),
            (_, 1) => self.first_other.to_owned(),
            (others, asked) => format!("{}, {others} of {asked} times", self.first_other),
        };
        (self.others == 0, found)
    }
}

/// The word for what a call came to.
pub fn word(found: Option<ErrorKind>) -> &'static str {
    found.map_or(ErrorMatch::SUCCESS, ErrorKind::label)
}
