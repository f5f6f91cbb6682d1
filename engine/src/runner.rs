//! The engine thread: it owns the device, interprets a workload and reports records in batches.

mod protocol;

pub use protocol::{Control, Message, Pace, Phase, RunRequest};
