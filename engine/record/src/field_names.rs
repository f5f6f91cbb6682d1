//! Names of fields of spans that analyses read: whoever writes such a field and whoever reads it says it by these.

/// For how many nanoseconds a wait waits at most.
pub const TIME_LIMIT: &str = "time limit (ns)";
/// What a query of an event came to: the label of a [`crate::QueryAnswer`].
pub const QUERY_ANSWER: &str = "answer";
/// What a workload calls the call that a span is of, its `label=`: a text.
pub const CALL_LABEL: &str = "label";

/// Of the first call of a host thread in each round of an outermost loop with two rounds or more: which round it is, counted
/// from 1. Of the first call after such a loop: 0.
pub const ITERATION: &str = "iteration";
/// Why a wait was inserted, in a sentence.
pub const INSERTED_BECAUSE: &str = "inserted because";
/// Why a call was blocked, in a sentence.
pub const BLOCKED_BECAUSE: &str = "blocked because";
/// Which group of ranks a collective operation is of, as different writers call it, the best name first.
pub const COLLECTIVE_GROUPS: &[&str] = &[
    "Process Group Name",
    "Process Group Description",
    "groupName",
    "group_name",
    "comm",
];
/// The engine of a paced device on which an operation ran, or for which it waited.
pub const ENGINE: &str = "engine";
/// For how many nanoseconds an operation waited for its engine, once everything else let it go.
pub const ENGINE_WAIT: &str = "waited for its engine (ns)";
/// For how many nanoseconds an operation of a paced device really worked.
pub const WORKED: &str = "worked (ns)";
/// For how many nanoseconds the pace held it besides.
pub const HELD: &str = "held by the pace (ns)";
/// How many nanoseconds later it ended than the pace's law says.
pub const LATE: &str = "late (ns)";
/// Of a stub: the kind of the span that it stands for.
pub const STUB_KIND: &str = "stands for";
/// Of a stub: when the span that it stands for began, in nanoseconds of capture time.
pub const STUB_BEGAN: &str = "began (ns)";
/// Of a stub: when the span that it stands for ended, in nanoseconds of capture time.
pub const STUB_ENDED: &str = "ended (ns)";
/// What steps and frames of a program are called: ranges that are named so are iterations.
pub const STEP_WORDS: [&str; 6] = ["step", "iteration", "iter", "frame", "batch", "epoch"];
