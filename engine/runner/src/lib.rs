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

mod active_run;
mod allocator;
mod call_order;
mod caller;
mod captured_streams;
mod collector;
mod comparison;
mod delivery;
mod engine;
mod expectation;
mod expectation_log;
pub mod far;
mod found_errors;
mod gate;
mod host;
mod host_schedule;
mod insertion;
mod isolated_worker;
mod launches;
mod loss;
mod loss_scheduler;
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
mod requirements;
mod room_wait;
mod save;
mod shared;
mod stall;
mod starvation;
mod timelines;
mod uses;
mod wait_basis;
mod workers;

pub use allocator::keep_large_blocks_apart;
pub use engine::{Engine, run};
pub use far::again_path;
pub use isolated_worker::{apart, run_apart};
pub use mesh::RankAssignment;
pub use program::{
    KeptCapture, ProgramRequest, ToggleOutcome, WindowControl, WindowStatus, abandoned_captures,
    carry_recorder, toggle_capture, window_signal,
};
pub use protocol::{Control, Message, Pace, Phase, RankControl, RecoveryMode, RunRequest};
pub use recorder::{Recorder, Reporter};
pub use requirements::lack;
pub use save::SAVE_FAILED;
