//! What can be concluded from a capture: figures, and sentences about single spans. Nothing here changes it.

mod aftermath;
mod chain;
mod explain;
mod fate;
mod readiness;
mod statistics;

pub use aftermath::{Aftermath, first_result, recovery};
pub use chain::{Chain, steps};
pub use explain::{Piece, explain};
pub use readiness::{Readiness, pipeline_of};
pub use statistics::{Durations, LaneUse, Overlap, Statistics, StatisticsJob};
