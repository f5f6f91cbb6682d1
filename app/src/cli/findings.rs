//! What analyses found in a capture, for people and for programs.

use std::io::{self, Write};

use engine::analysis::{ANALYSES, AnalysisResult};
use engine::workload::nearest;
use serde::Serialize;

/// What analyses found, and what they looked at.
#[derive(Debug, Serialize)]
pub(super) struct FindingsReport {
    /// The worst first.
    findings: Vec<FindingReport>,
    /// What each analysis looked at, in the order of their list.
    looked: Vec<AnalysisReport>,
}

/// Something that was found.
#[derive(Debug, Serialize)]
struct FindingReport {
    code: String,
    severity: &'static str,
    text: String,
    lines: Vec<u32>,
    spans: Vec<u32>,
    count: u64,
}

/// What an analysis looked at.
#[derive(Debug, Serialize)]
struct AnalysisReport {
    code: &'static str,
    name: &'static str,
    text: String,
}

impl FindingsReport {
    /// What was answered about a whole capture.
    pub fn new(answers: Vec<AnalysisResult>) -> Self {
        let mut found: Vec<_> = answers.iter().flat_map(|it| &it.answer.findings).collect();
        found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        let findings = found.into_iter().map(|finding| FindingReport {
            code: finding.code.clone(),
            severity: finding.severity.label(),
            text: finding.text.clone(),
            lines: finding.lines.clone(),
            spans: finding.spans.iter().map(|span| span.0).collect(),
            count: finding.count,
        });
        let findings = findings.collect();
        let looked = |answered: AnalysisResult| AnalysisReport {
            code: answered.code,
            name: answered.name,
            text: answered.answer.looked,
        };
        Self {
            findings,
            looked: answers.into_iter().map(looked).collect(),
        }
    }

    /// Whether one of them has one of these codes.
    pub fn are_denied(&self, codes: &[String]) -> bool {
        self.findings.iter().any(|it| codes.contains(&it.code))
    }

    /// Writes them for people.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out)?;
        writeln!(out, "findings")?;
        for finding in &self.findings {
            let FindingReport {
                code,
                severity,
                text,
                count,
                ..
            } = finding;
            let times = match count {
                0 | 1 => String::new(),
                _ => format!(" ({count} times)"),
            };
            writeln!(out, "{severity} {code}: {text}{times}")?;
        }
        writeln!(out)?;
        writeln!(out, "looked for")?;
        for looked in &self.looked {
            writeln!(out, "{}: {}", looked.name, looked.text)?;
        }
        Ok(())
    }
}

/// A code that an analysis may give its findings.
pub(super) fn code(text: &str) -> Result<String, String> {
    let codes: Vec<&str> = ANALYSES.iter().map(|make| make().code()).collect();
    if codes.contains(&text) {
        return Ok(text.to_owned());
    }
    let hint = nearest(text, codes.iter().copied()).unwrap_or_default();
    let all = codes.join(", ");
    Err(format!(
        "no analysis has this code; {hint} the codes are {all}"
    ))
}
