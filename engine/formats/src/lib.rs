//! Files of captures. An [`importer`] opens one, of other tools or our own, as records; an [`exporter`] writes one.
//!
//! What several formats have in common is beside them: [`activity`] makes records of what CUPTI tells, [`merge`] puts files and
//! ranks on one clock, and [`perfetto`] is the wire format that is both read and written.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use capture::Capture;
//! use formats::importer::{self, Source};
//!
//! let text = r#"{"traceEvents": [
//!     {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": "stream 7", "ts": 1, "dur": 2.5}
//! ]}"#;
//! let source = Source::from_bytes("example.json", text.into())?;
//! let mut capture = Capture::new();
//! let receipt = importer::open_source(&source, &mut |batch| {
//!     capture.apply(batch.records);
//!     ControlFlow::Continue(())
//! })?;
//! assert_eq!(receipt.dropped, 0);
//! let gemm = capture.spans().next().ok_or("no span")?.span;
//! assert_eq!((gemm.end - gemm.start).0, 2_500, "nanoseconds");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod activity;
pub mod exporter;
pub mod importer;
pub mod merge;
pub mod perfetto;
mod submission;
mod temporary;
