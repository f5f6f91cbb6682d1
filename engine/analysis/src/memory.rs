//! Memory that allocators gave out: what was there at a moment, who had asked for it, and what was kept beyond its step.

mod events;
mod group;
mod history;
mod origin;
mod pool;
mod segments;
mod steps;
#[cfg(test)]
mod tests;

pub use events::BlockKey;
pub use group::{MemoryGroup, MemoryGrouping};
pub use history::MemoryHistory;
pub use origin::MemoryOrigin;
pub use pool::{
    Allocation, AllocatorEvent, MemoryBasis, MemoryMoment, MemoryPeak, MemoryPoint, MemoryPool,
};
pub use segments::{MemorySegment, SegmentBlock};
pub use steps::PoolSteps;
