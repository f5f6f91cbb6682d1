//! Writes captures in another format, as a picture, or as ranks of a dataset.

mod captures;
mod piece_options;
mod ranks;
mod sources;

pub(super) use ranks::failure;

use std::path::{Path, PathBuf};

use clap::Args;
use engine::capture::Capture;
use engine::dataset::RunName;
use engine::exporter::{self, EXPORTERS};
use engine::importer::MergedFile;

use super::progress::ProgressLine;
use super::query::refuse_dataset;
use super::{CliFailure, OutputStreams, interrupt, open_files, receipt};
use crate::text;
use crate::timeline::drawing;

/// What to write, where, and as what.
#[derive(Debug, Args)]
#[command(after_help = ABOUT)]
pub struct ConvertOptions {
    /// The captures, - for standard input, and last the file to write: its ending says in which format. With --to captures alone,
    /// each of which is a rank
    #[arg(required_unless_present = "list", value_name = "IN… OUT")]
    pub files: Vec<PathBuf>,
    /// Write the captures into this folder, as ranks of a dataset in Parquet
    #[arg(long, value_name = "DATASET")]
    pub to: Option<PathBuf>,
    /// The run that the ranks are of
    #[arg(long, value_name = "NAME", requires = "to", default_value = "run")]
    pub run: RunName,
    /// Where a file does not say its rank: the number at the last place of its path that this fits, such as 'rank(\d+)'
    #[arg(long, value_name = "REGEX", requires = "to", value_parser = sources::RankPattern::parse)]
    pub rank_from: Option<sources::RankPattern>,
    /// Convert only the part I of N parts, from 0: a path is always in the same one
    #[arg(long, value_name = "I/N", requires = "to", value_parser = sources::ShardChoice::parse, default_value = "0/1")]
    pub shard: sources::ShardChoice,
    /// Convert the captures whose paths stand in this file, one a line
    #[arg(long, value_name = "FILE", requires = "to")]
    pub list: Option<PathBuf>,
    /// Which piece of them
    #[command(flatten)]
    pub piece: piece_options::PieceOptions,
}

const ABOUT: &str = "`syncline guide captures` explains pieces, and `syncline guide datasets` datasets. Exit codes: 0 all of it is written, 1 something of a file \
    could not be kept, or a file is no rank of the dataset, 2 the output cannot be written or the input is wrong, 130 stopped by \
    Ctrl-C.";

/// Reads all of the files but the last as one capture, and writes the last in the format that its ending names; with a dataset
/// to write to, reads each as a rank of that.
pub(super) fn convert(
    options: &ConvertOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    if let Some(folder) = &options.to {
        return ranks::convert(folder, options, streams);
    }
    let (output, inputs) = match options.files.split_last() {
        Some((output, inputs)) if !inputs.is_empty() => (output, inputs),
        _ => {
            return Err(CliFailure::Wrong(
                "there is only one file: name the captures and last the file to write, or the folder of a dataset by --to".to_owned(),
            ));
        }
    };
    let is_picture = output
        .extension()
        .is_some_and(|it| it.eq_ignore_ascii_case("svg"));
    if !is_picture && exporter::for_path(output).is_none() {
        return Err(CliFailure::Wrong(unknown(output)));
    }
    open_files::refuse_input(output, inputs)?;
    refuse_dataset(output)?;
    let (capture, parts) = open_files::open(inputs, streams)?;
    let capture = options.piece.apply(capture, streams)?;
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
        let picture = drawing::svg(capture, drawing::for_print());
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
