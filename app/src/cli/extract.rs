//! Writes a workload that does what a capture's streams did.

use std::path::{Path, PathBuf};

use engine::exporter;
use engine::time::{Interval, Nanos};

use super::range::TimeRange;
use super::{CliFailure, OutputStreams, interrupt, open_files};

/// Writes the workload of `range` of some files to `output`, and says what it leaves out.
pub(super) fn extract(
    files: &[PathBuf],
    range: Option<TimeRange>,
    output: &Path,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    open_files::refuse_input(output, files)?;
    let (capture, parts) = open_files::open(files, streams)?;
    let all = capture.extent().unwrap_or_default();
    let all = Interval::new(all.start, all.end + Nanos(1));
    let range = range.map_or(Ok(all), |range| range.within(all))?;
    let extracted = exporter::extract(&capture, range);
    let extracted = extracted.map_err(|error| CliFailure::Wrong(error.to_string()))?;
    let mut go_on = |_| !interrupt::is_requested();
    let written = exporter::replace(output, &mut go_on, &mut |file| {
        file.write_all(extracted.text.as_bytes())
    });
    match written {
        Ok(()) => {}
        Err(_) if interrupt::is_requested() => return Err(CliFailure::Asked),
        Err(error) => return Err(open_files::unwritten(output, &error)),
    }
    let lines = extracted.text.lines().count();
    writeln!(streams.out, "{}: {lines} lines", output.display())?;
    for note in &extracted.notes {
        writeln!(streams.out, "note: {note}")?;
    }
    Ok(open_files::code(&parts))
}
