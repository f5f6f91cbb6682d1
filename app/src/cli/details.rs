//! Prints what a capture holds, what became of all that its files held, and what it takes in memory.

mod tally;

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use super::arguments::Format;
use super::figures::Figures;
use super::{Stop, Streams, open, receipt};
use tally::Tally;

/// All that is printed for programs.
#[derive(Serialize)]
struct Whole<'a> {
    capture: Figures,
    receipt: Value,
    receipts: Vec<Value>,
    #[serde(flatten)]
    tally: Tally<'a>,
}

/// Prints the figures of some files and their receipts. In JSON, {capture, receipt {read, repaired, repairs,
/// inferred, dropped, notes}, receipts, lanes, ties, memory}: the capture as `syncline run` prints it, the receipt of
/// all files together, then that of each.
pub(super) fn details(
    paths: &[PathBuf],
    (format, findings): (Format, bool),
    streams: &mut Streams<'_>,
) -> Result<u8, Stop> {
    let (capture, parts) = open::open(paths, streams)?;
    let mut figures = Figures::new(&capture, 0, None);
    if let (true, Some(path)) = (figures.name.is_empty(), paths.first()) {
        figures.name = path.display().to_string();
    }
    let tally = Tally::new(&capture, &figures.lanes);
    match format {
        Format::Json => {
            let whole = Whole {
                capture: figures,
                receipt: receipt::sum(&parts),
                receipts: parts.iter().map(receipt::json).collect(),
                tally,
            };
            serde_json::to_writer_pretty(&mut *streams.out, &whole)
                .map_err(std::io::Error::from)?;
            writeln!(streams.out)?;
        }
        Format::Text => {
            figures.write_text(streams.out)?;
            if findings {
                figures.findings.write_text(streams.out)?;
            }
            tally.write_text(streams.out)?;
            for part in &parts {
                receipt::write(part, parts.len() > 1, streams.out)?;
            }
        }
    }
    Ok(open::code(&capture))
}
