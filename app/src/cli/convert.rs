//! Writes captures in another format, or as a picture.

use std::path::{Path, PathBuf};

use engine::capture::Capture;
use engine::exporter::{self, EXPORTERS};
use engine::importer::MergedFile;

use super::progress::ProgressLine;
use super::{CliFailure, FINE, OutputStreams, interrupt, open_files, receipt};
use crate::state::{AppState, Settings, ThemeChoice};
use crate::text;
use crate::timeline::drawing;

/// Reads all of `files` but the last as one capture, and writes the last in the format that its ending names.
pub(super) fn convert(
    files: &[PathBuf],
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let Some((output, inputs)) = files.split_last() else {
        return Ok(FINE);
    };
    let is_picture = output
        .extension()
        .is_some_and(|it| it.eq_ignore_ascii_case("svg"));
    if !is_picture && exporter::for_path(output).is_none() {
        return Err(CliFailure::Wrong(unknown(output)));
    }
    open_files::refuse_input(output, inputs)?;
    let (capture, parts) = open_files::open(inputs, streams)?;
    write(&capture, output, streams)?;
    print_receipts(&capture, &parts, output, streams)?;
    Ok(open_files::code(&parts))
}

fn write(capture: &Capture, output: &Path, streams: &OutputStreams<'_>) -> Result<(), CliFailure> {
    let progress = ProgressLine::open_ended(streams.watched);
    let name = output.display().to_string();
    let mut go_on = |written: u64| {
        progress.written(&name, written);
        !interrupt::is_requested()
    };
    let written = if let Some(exporter) = exporter::for_path(output) {
        exporter::save((capture, capture.bookmarks()), exporter, output, &mut go_on)
    } else {
        let picture = drawing::svg(capture, as_a_picture());
        exporter::replace(output, &mut go_on, &mut |file| {
            file.write_all(picture.as_bytes())
        })
    };
    match written {
        Ok(()) => Ok(()),
        Err(_) if interrupt::is_requested() => Err(CliFailure::Asked),
        Err(error) => Err(open_files::unwritten(output, &error)),
    }
}

/// Pictures from the command line are for print.
pub(super) fn as_a_picture() -> AppState {
    AppState {
        settings: Settings {
            theme: ThemeChoice::Light,
            ..Settings::default()
        },
        ..AppState::default()
    }
}

fn print_receipts(
    capture: &Capture,
    parts: &[MergedFile],
    output: &Path,
    streams: &mut OutputStreams<'_>,
) -> Result<(), CliFailure> {
    let counts = [
        text::counted(capture.span_count() as u64, "span"),
        text::counted(capture.dependency_count() as u64, "dependency"),
    ];
    let counts = counts.join(", ").replace(text::THIN, " ");
    writeln!(streams.out, "{}: {counts}", output.display())?;
    for part in parts {
        receipt::write(part, parts.len() > 1, streams.out)?;
    }
    Ok(())
}

fn unknown(output: &Path) -> String {
    let known = EXPORTERS.iter();
    let known: Vec<String> = known
        .map(|it| format!(".{} ({})", it.extension(), it.about().trim_end_matches('.')))
        .collect();
    format!(
        "{} cannot be written: its ending names no format. Syncline writes {}; .svg (a drawing of all of it)",
        output.display(),
        known.join("; ")
    )
}
