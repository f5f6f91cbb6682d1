//! The engine of Syncline: what runs workloads on streams, and what keeps, reads and judges captures of them.
//! It draws nothing and knows no window.
//!
//! A [`workload`] is text; the [`runner`] turns it into calls on a [`backend`]; what the backend did comes back
//! as [`record::Record`]s, and a [`capture::Capture`] takes them in by one door. From there an [`analysis`] reads
//! it, and an [`exporter`] writes it to a file that an [`importer`] opens again.
//!
//! # A workload in code, run and read
//!
//! ```
//! use engine::analysis::Statistics;
//! use engine::capture::Capture;
//! use engine::record::{DependencyKind, RunOutcome, SpanKind};
//! use engine::runner::{self, RunRequest};
//!
//! // Two streams: one copies, the other waits for the copy and computes.
//! let source = r#"
//!     about "A kernel that waits for a copy on another stream."
//!     param "n" 65536
//!     stream "copy" role="host-to-device"
//!     stream "compute"
//!     buffer "x" f32="n" init="k"
//!     buffer "y" f32="n" init="1"
//!     event "ready"
//!     host "main" {
//!         upload "y" on="compute"
//!         upload "x" on="copy"
//!         record "ready" on="copy"
//!         wait "ready" on="compute"
//!         launch "saxpy" on="compute" { read "x"; write "y"; set "a" 2 }
//!         download "y" on="compute"
//!         synchronize-device
//!     }
//!     expect { each "y" equals="2 * k + 1" }
//! "#;
//!
//! // Run it on this computer's processor. Every batch of records goes into the capture.
//! let mut capture = Capture::new();
//! let request = RunRequest {
//!     name: "example".into(),
//!     source: source.into(),
//!     parameters: vec![("n".into(), 4096.0)],
//!     backend: "cpu".into(),
//!     ..RunRequest::default()
//! };
//! let end = runner::run(request, |batch| capture.apply(batch))?;
//! assert_eq!(end.outcome, RunOutcome::Finished);
//! assert!(capture.expectations().iter().all(|expectation| !expectation.is_missed()));
//!
//! // The kernel began only after the wait, and the wait ended only after the record on the other stream.
//! let of_kind = |kind| capture.spans().find(|placed| placed.span.kind == kind);
//! let wait = of_kind(SpanKind::EventWait).ok_or("no wait")?.span;
//! let kernel = of_kind(SpanKind::Kernel).ok_or("no kernel")?.span;
//! assert!(kernel.start >= wait.end);
//! let released = capture
//!     .causes(wait.id)
//!     .filter_map(|id| capture.dependency(id))
//!     .find(|tie| tie.kind == DependencyKind::Event)
//!     .ok_or("no record released the wait")?;
//! assert!(capture.span(released.cause).ok_or("no record")?.span.end <= wait.end);
//!
//! // How busy each lane was, and which ran at the same time.
//! let statistics = Statistics::of(&capture, capture.extent().unwrap_or_default());
//! for lane in &statistics.lanes {
//!     let name = &capture.lane(lane.lane).ok_or("no lane")?.name;
//!     println!("{name}: {} spans, busy for {}", lane.spans, lane.busy);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use formats::{activity, exporter, importer, merge, perfetto};
pub use record::time;
pub use {
    analysis, backend, capture, dataset, device, fleet, lesson, order, query, record, runner,
    workload,
};
