//! What can be concluded from a capture: figures, and sentences about single spans. Nothing here changes it.

mod explain;
mod statistics;

pub use explain::{Piece, explain};
pub use statistics::{Durations, LaneUse, Overlap, Statistics, StatisticsJob};
