//! A report of a capture: what it comes to, in one file that needs nothing else to be read.

mod html;
mod markdown;
mod memory_sections;
mod pictures;
mod report_document;
mod sections;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use engine::analysis::Conclusions;
use engine::exporter;

use super::{CliFailure, OutputStreams, interrupt, open_files};
use report_document::ReportDocument;

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

/// What a report is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// A page with pictures
    Html,
    /// Text for a pull request
    Markdown,
}

impl ReportOptions {
    fn format(&self) -> ReportFormat {
        let output = self.output.as_ref();
        let ending = output.and_then(|it| it.extension());
        let is_text = ending.is_some_and(|it| it.eq_ignore_ascii_case("md"));
        self.format.unwrap_or(if is_text {
            ReportFormat::Markdown
        } else {
            ReportFormat::Html
        })
    }
}

/// Refuses a file whose ending says that it is something else than a report; one without an ending says nothing.
fn refuse_ending(output: &Path) -> Result<(), CliFailure> {
    let Some(ending) = output.extension() else {
        return Ok(());
    };
    let known = ["html", "htm", "md"];
    if known.iter().any(|it| ending.eq_ignore_ascii_case(it)) {
        return Ok(());
    }
    Err(CliFailure::Wrong(format!(
        "{} cannot be written: a report is a page (.html, .htm) or Markdown (.md)",
        output.display()
    )))
}

/// Writes a report of some files.
pub(super) fn report(
    options: &ReportOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    if let Some(output) = &options.output {
        open_files::refuse_input(output, &options.files)?;
        refuse_ending(output)?;
    }
    let (capture, parts) = open_files::open(&options.files, streams)?;
    let format = options.format();
    let document = if capture.span_count() == 0 {
        let words = sections::EMPTY;
        writeln!(streams.err, "syncline: {words}")?;
        ReportDocument::of_nothing(&capture, &parts, words)
    } else {
        let made = Conclusions::of(&capture);
        ReportDocument::new((&capture, &parts), &made, format == ReportFormat::Html)
    };
    let text = match format {
        ReportFormat::Html => html::write(&document),
        ReportFormat::Markdown => markdown::write(&document),
    };
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
