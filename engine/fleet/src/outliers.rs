//! Steps that took a rank much longer than the others.

/// A step that took a rank much longer than the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepOutlier {
    /// The rank.
    pub rank: u32,
    /// The step.
    pub step: i64,
    /// How long it took, in nanoseconds.
    pub time: i64,
    /// The median of that step over all ranks, in nanoseconds.
    pub median: i64,
}
