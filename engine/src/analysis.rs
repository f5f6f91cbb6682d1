//! What can be concluded from a capture: figures, and sentences about single spans. Nothing here changes it.

mod busy;
mod explain;
mod statistics;

pub use busy::{both, length};
pub use explain::{Piece, explain};
pub use statistics::{Durations, LaneUse, Overlap, Statistics, StatisticsJob};
