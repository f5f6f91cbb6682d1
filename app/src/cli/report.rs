//! Reports of captures, printed or written to a file.

use std::path::PathBuf;

use clap::Args;
use engine::exporter;

use super::{CliFailure, OutputStreams, interrupt, open_files};
use crate::report::{self, ReportFormat};

/// What is reported on, and as what.
#[derive(Debug, Args)]
#[command(after_help = ABOUT)]
pub struct ReportOptions {
    /// The captures; several are the ranks of one, and - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The file to write; without it, it is printed
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What it is written as; without it, what the ending of --output says, and else HTML
    #[arg(long, value_enum)]
    pub format: Option<ReportFormat>,
}

const ABOUT: &str = "It has what and where the capture is of, its iterations, idle time by cause, the critical path, findings with \
    pictures of the timeline around them, the operations that took longest, memory at the peak by who asked for it and peaks of counters where the capture has them, and the \
    receipt. HTML is one page that loads nothing and runs no script; Markdown has no pictures. Exit codes: 0 all of it is told, 1 \
    something of a file is not in the capture, 2 the input is wrong or the file cannot be written, 130 stopped by Ctrl-C.";

/// Writes a report of some files.
pub(super) fn report(
    options: &ReportOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let mut by_ending = ReportFormat::Html;
    if let Some(output) = &options.output {
        open_files::refuse_input(output, &options.files)?;
        by_ending = ReportFormat::of(output).map_err(CliFailure::Wrong)?;
    }
    let (capture, parts) = open_files::open(&options.files, streams)?;
    if let Some(words) = report::remark(&capture) {
        writeln!(streams.err, "syncline: {words}")?;
    }
    let format = options.format.unwrap_or(by_ending);
    let text = report::write((&capture, &parts), format);
    match &options.output {
        None => streams.out.write_all(text.as_bytes())?,
        Some(output) => {
            let mut go_on = |_| !interrupt::is_requested();
            let written = exporter::replace(output, &mut go_on, &mut |file| {
                file.write_all(text.as_bytes())
            });
            match written {
                Ok(()) => {}
                Err(_) if interrupt::is_requested() => return Err(CliFailure::Asked),
                Err(error) => return Err(open_files::unwritten(output, &error)),
            }
            writeln!(streams.out, "{}: {} bytes", output.display(), text.len())?;
        }
    }
    Ok(open_files::code(&parts))
}
