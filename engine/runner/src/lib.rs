//! The engine thread: it owns the device, interprets a workload and reports records in batches.
//!
//! ```
//! use record::{RunOutcome, Record};
//! use runner::{RunRequest, run};
//!
//! let source = r#"
//!     stream "main"
//!     buffer "x" f32=64 init="k"
//!     host "main" { upload "x" on="main"; synchronize-stream "main" }
//! "#;
//! let request = RunRequest {
//!     name: "example".into(),
//!     source: source.into(),
//!     backend: "cpu".into(),
//!     ..RunRequest::default()
//! };
//! let mut spans = 0;
//! let end = run(request, |batch| {
//!     spans += batch.into_iter().filter(|it| matches!(it, Record::Span(_))).count();
//! })?;
//! assert_eq!(end.outcome, RunOutcome::Finished);
//! assert!(spans >= 2, "the upload, and the host that waited");
//! # Ok::<(), String>(())
//! ```

mod apart;
mod caller;
mod collector;
mod comparison;
mod delivery;
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
mod lost_values;
mod machine;
mod memory;
mod mesh;
mod names;
mod order;
mod outbox;
mod overheads;
mod pools;
mod prepare;
mod program;
mod protocol;
mod ranks;
mod recorder;
mod recovery;
mod room_wait;
mod running;
mod save;
mod shared;
mod stall;
mod timelines;
mod uses;
mod waited;
mod workers;

pub use apart::{apart, run_apart};
pub use engine::{Engine, run};
pub use fit::lack;
pub use mesh::RankAssignment;
pub use program::ProgramRequest;
pub use protocol::{Control, Message, Pace, Phase, RankControl, RecoveryMode, RunRequest};
pub use recorder::{Recorder, Reporter};
pub use save::SAVE_FAILED;
