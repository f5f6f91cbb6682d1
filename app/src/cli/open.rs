//! Reads files into a capture, with progress where somebody watches.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use engine::capture::Capture;
use engine::exporter;
use engine::importer::{self, Error, Part};

use super::progress::Progress;
use super::{Stop, Streams, interrupt};

/// The capture of some files, and what became of all that each held.
pub(super) fn open(paths: &[PathBuf], streams: &Streams<'_>) -> Result<(Capture, Vec<Part>), Stop> {
    let mut capture = Capture::new();
    let mut progress: Option<(u64, Progress)> = None;
    let parts = importer::open_all(paths, &mut |batch| {
        // What comes by a pipe has no end that is known.
        let total = batch.total;
        if progress.as_ref().is_none_or(|(known, _)| *known != total) {
            let bar = match total {
                0 => Progress::open_ended(streams.watched),
                total => Progress::bytes(streams.watched, total),
            };
            progress = Some((total, bar));
        }
        match &progress {
            Some((0, bar)) => bar.written("reading", batch.read),
            Some((total, bar)) => bar.at(batch.read.min(*total)),
            None => {}
        }
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

/// Refuses to write onto a file that is read.
pub(super) fn refuse_input(output: &Path, inputs: &[PathBuf]) -> Result<(), Stop> {
    let inputs = inputs.iter().map(PathBuf::as_path);
    exporter::refuse_input(output, inputs).map_err(Stop::Wrong)
}
