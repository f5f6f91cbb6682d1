//! Reads files into a capture, with progress where somebody watches.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use engine::capture::Capture;
use engine::exporter;
use engine::importer::{self, ImportError, MergedFile};

use super::progress::ProgressLine;
use super::{CliFailure, FAILED, FINE, OutputStreams, interrupt};

/// The capture of some files, and what became of all that each held.
pub(super) fn open(
    paths: &[PathBuf],
    streams: &OutputStreams<'_>,
) -> Result<(Capture, Vec<MergedFile>), CliFailure> {
    let mut capture = Capture::new();
    let mut progress: Option<(u64, ProgressLine)> = None;
    let parts = importer::open_all(paths, &mut |batch| {
        // What comes by a pipe has no end that is known.
        let total = batch.total;
        if progress.as_ref().is_none_or(|(known, _)| *known != total) {
            let bar = match total {
                0 => ProgressLine::open_ended(streams.watched),
                total => ProgressLine::bytes(streams.watched, total),
            };
            progress = Some((total, bar));
        }
        match &progress {
            Some((0, bar)) => bar.written("reading", batch.read),
            Some((total, bar)) => bar.at(batch.read.min(*total)),
            None => {}
        }
        capture.apply(batch.records);
        if interrupt::is_requested() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    match parts {
        Ok(mut parts) => {
            importer::note_dropped(&mut parts, &mut capture);
            Ok((capture, parts))
        }
        Err(ImportError::Cancelled) => Err(CliFailure::Asked),
        Err(error) => Err(CliFailure::Wrong(error.to_string())),
    }
}

/// Refuses to write onto a file that is read, or that a folder or a pattern stands for.
pub(super) fn refuse_input(output: &Path, inputs: &[PathBuf]) -> Result<(), CliFailure> {
    let inputs = importer::files_of(inputs);
    let inputs = inputs.map_err(|error| CliFailure::Wrong(error.to_string()))?;
    let inputs = inputs.iter().map(PathBuf::as_path);
    exporter::refuse_input(output, inputs).map_err(CliFailure::Wrong)
}

/// Why there is no file at `output`: it cannot be one, or writing it failed.
pub(super) fn unwritten(output: &Path, error: &io::Error) -> CliFailure {
    use io::ErrorKind::{
        InvalidFilename, IsADirectory, NotADirectory, NotFound, PermissionDenied, QuotaExceeded,
        ReadOnlyFilesystem, ResourceBusy, StorageFull,
    };
    let instead = match error.kind() {
        InvalidFilename => "; name another file",
        StorageFull | QuotaExceeded => "; make room there, or name a place where there is some",
        _ => "",
    };
    let text = format!("{} was not written: {error}{instead}", output.display());
    match error.kind() {
        InvalidFilename | IsADirectory | NotADirectory | NotFound | PermissionDenied
        | ReadOnlyFilesystem | ResourceBusy => CliFailure::Wrong(text),
        _ => CliFailure::Unsaved(text),
    }
}

/// Says beside an answer that not all that the files hold is there.
pub(super) fn tell_missing(
    has_data_loss: bool,
    parts: &[MergedFile],
    streams: &mut OutputStreams<'_>,
) -> io::Result<()> {
    let dropped: u64 = parts.iter().map(|it| it.receipt.dropped).sum();
    if dropped > 0 {
        let words =
            "{fact that the files hold is|facts that the files hold are} not in the capture";
        let words = engine::record::counted(dropped, words);
        writeln!(
            streams.err,
            "syncline: {words}: what the answer lacks may be among them; syncline info says what they are"
        )?;
    } else if has_data_loss {
        writeln!(
            streams.err,
            "syncline: a part of the capture could not be read, and is not in the answer: `syncline info` says which"
        )?;
    }
    Ok(())
}

/// The exit code for files that were opened: whether all that they hold is there.
pub(super) fn code(parts: &[MergedFile]) -> u8 {
    if parts.iter().all(|it| it.receipt.dropped == 0) {
        FINE
    } else {
        FAILED
    }
}
