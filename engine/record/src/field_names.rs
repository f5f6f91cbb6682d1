//! Names of fields of spans that analyses read: whoever writes such a field and whoever reads it says it by these.

/// For how many nanoseconds a wait waits at most.
pub const TIME_LIMIT: &str = "time limit (ns)";
/// What a query of an event came to: the label of a [`crate::QueryAnswer`].
pub const QUERY_ANSWER: &str = "answer";
/// Why a wait was inserted, in a sentence.
pub const INSERTED_BECAUSE: &str = "inserted because";
/// Why a call was blocked, in a sentence.
pub const BLOCKED_BECAUSE: &str = "blocked because";
