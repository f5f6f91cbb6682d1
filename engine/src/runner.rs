//! The engine thread: it owns the device, interprets a workload and reports records in batches.

mod caller;
mod collector;
mod comparison;
mod engine;
mod expectation;
pub mod far;
mod fit;
mod gate;
mod host;
mod injector;
mod insertion;
mod launches;
mod ledger;
mod loss;
mod machine;
mod memory;
mod mesh;
mod names;
mod order;
mod outbox;
mod pools;
mod prepare;
mod protocol;
mod ranks;
mod recorder;
mod running;
mod save;
mod shared;
mod stall;
mod timelines;
mod uses;

pub use engine::{Engine, run};
pub use fit::lack;
pub use mesh::Seat;
pub use protocol::{Control, Message, Pace, Phase, RankControl, Recovery, RunRequest};
pub use recorder::{Recorder, Reporter};
