//! What was concluded from a run, and what was looked for.

use serde::{Deserialize, Serialize};

use super::{FindingId, Severity, SpanId};

/// What an analysis concluded, and the spans it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Its place in the table of findings. A later record of the same place replaces it.
    pub id: FindingId,
    /// A short stable word for its kind, such as `race`.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// What was found and what to do about it, in one sentence.
    pub text: String,
    /// The spans it is about, the first of them first.
    pub spans: Vec<SpanId>,
    /// Lines of the workload's source that it is about, counted from 1.
    pub lines: Vec<u32>,
    /// How often it was found; the spans are those of the first time.
    pub count: u64,
}

/// What was looked for, and how much was looked at: so that no finding is an answer as well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingSearch {
    /// The code that its findings have.
    pub code: String,
    /// Calls that were looked at.
    pub calls: u64,
    /// Calls that could not be looked at.
    pub left: u64,
    /// What was looked for and what came of it, in one sentence.
    pub text: String,
}
