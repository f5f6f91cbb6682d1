//! The table of findings, and what was looked for.

use super::Capture;
use super::apply::Placeholder;
use record::{Finding, FindingId, FindingSearch, Severity};

impl Capture {
    /// What was concluded while it ran, by id.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// What was looked for while it ran.
    pub fn searches(&self) -> &[FindingSearch] {
        &self.searches
    }

    pub(super) fn take_finding(&mut self, finding: Finding) {
        let index = finding.id.index();
        self.put("finding", index, finding, |capture| &mut capture.findings);
    }
}

impl Placeholder for Finding {
    fn filler(index: u32) -> Self {
        Self {
            id: FindingId(index),
            code: String::new(),
            severity: Severity::Info,
            text: format!("finding {index} is missing"),
            spans: Vec::new(),
            lines: Vec::new(),
            count: 0,
        }
    }
}
