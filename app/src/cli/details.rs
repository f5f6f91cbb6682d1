//! Prints what a capture holds, what became of all that its files held, and what it takes in memory.

mod tally;

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use super::arguments::OutputFormat;
use super::figures::CaptureReport;
use super::{CliFailure, OutputStreams, open_files, receipt};
use tally::CaptureTally;

/// All that is printed for programs.
#[derive(Serialize)]
struct CaptureDetails<'a> {
    capture: &'a CaptureReport<'a>,
    receipt: Value,
    receipts: Vec<Value>,
    #[serde(flatten)]
    tally: CaptureTally<'a>,
}

/// Prints the figures of some files and their receipts. In JSON, {capture, receipt {read, repaired, repairs,
/// inferred, dropped, notes}, receipts, lanes, ties, memory}: the capture as `syncline run` prints it, the receipt of
/// all files together, then that of each.
pub(super) fn details(
    paths: &[PathBuf],
    (format, findings): (OutputFormat, bool),
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let (capture, parts) = open_files::open(paths, streams)?;
    let dropped = parts.iter().map(|it| it.receipt.dropped).sum();
    let mut figures = CaptureReport::new(&capture, dropped, None);
    if let (true, Some(path)) = (figures.name.is_empty(), paths.first()) {
        figures.name = path.display().to_string();
    }
    let tally = CaptureTally::new(&figures.lanes);
    match format {
        OutputFormat::Json => {
            let whole = CaptureDetails {
                capture: &figures,
                receipt: receipt::sum(&parts),
                receipts: parts.iter().map(receipt::json).collect(),
                tally,
            };
            serde_json::to_writer_pretty(&mut *streams.out, &whole)
                .map_err(std::io::Error::from)?;
            writeln!(streams.out)?;
        }
        OutputFormat::Text => {
            figures.write_text(streams.out)?;
            figures.events.write(streams.out)?;
            if findings {
                figures.findings.write_text(streams.out)?;
            }
            tally.write_text(streams.out)?;
            for part in &parts {
                receipt::write(part, parts.len() > 1, streams.out)?;
            }
        }
    }
    Ok(open_files::code(&parts))
}
