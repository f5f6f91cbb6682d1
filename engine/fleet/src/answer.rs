//! What became of a question, and who answered.

use query::SqlSummary;

/// What became of a question, and who answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetSummary {
    /// What became of it. Its time is that from the engine's start on.
    pub answer: SqlSummary,
    /// What answered, with its version, such as `DuckDB 2.0.0`.
    pub engine: String,
}
