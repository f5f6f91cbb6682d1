//! Reads files into a capture, with progress where somebody watches.

use std::ops::ControlFlow;
use std::path::PathBuf;

use engine::capture::Capture;
use engine::importer::{self, Error, Part};

use super::progress::Progress;
use super::{Stop, Streams, interrupt};

/// The capture of some files, and what became of all that each held.
pub(super) fn open(paths: &[PathBuf], streams: &Streams<'_>) -> Result<(Capture, Vec<Part>), Stop> {
    let mut capture = Capture::new();
    let mut progress = None;
    let parts = importer::open_all(paths, &mut |batch| {
        let bar = progress.get_or_insert_with(|| Progress::bytes(streams.watched, batch.total));
        bar.at(batch.read.min(batch.total));
        capture.apply(batch.records);
        if interrupt::asked() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    match parts {
        Ok(parts) => Ok((capture, parts)),
        Err(Error::Cancelled) => Err(Stop::Asked),
        Err(error) => Err(Stop::Wrong(error.to_string())),
    }
}
