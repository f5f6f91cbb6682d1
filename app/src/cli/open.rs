//! Reads a file into a capture, with progress where somebody watches.

use std::ops::ControlFlow;
use std::path::Path;

use engine::capture::Capture;
use engine::importer::{self, Receipt};

use super::progress::Progress;
use super::{Stop, Streams, interrupt};

/// The capture of a file, and what became of all that it held.
pub(super) fn open(path: &Path, streams: &Streams<'_>) -> Result<(Capture, Receipt), Stop> {
    let mut capture = Capture::new();
    let mut progress = None;
    let receipt = importer::open(path, &mut |batch| {
        let bar = progress.get_or_insert_with(|| Progress::bytes(streams.watched, batch.total));
        bar.at(batch.read.min(batch.total));
        capture.apply(batch.records);
        if interrupt::asked() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    match receipt {
        Ok(receipt) => Ok((capture, receipt)),
        Err(error) => Err(Stop::Wrong(error.to_string())),
    }
}
