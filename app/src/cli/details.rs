//! Prints what a capture holds, what became of all that its files held, and what it takes in memory.

mod tally;

use std::path::PathBuf;

use serde_json::{Value, json};

use super::arguments::Format;
use super::figures::Figures;
use super::{Stop, Streams, open, receipt};
use tally::Tally;

/// Prints the figures of some files and their receipts. In JSON, {capture, receipt {read, repaired, repairs,
/// inferred, dropped, notes}, receipts, lanes, ties, memory}: the capture as `syncline run` prints it, the receipt of
/// all files together, then that of each.
pub(super) fn details(
    paths: &[PathBuf],
    format: Format,
    streams: &mut Streams<'_>,
) -> Result<u8, Stop> {
    let (capture, parts) = open::open(paths, streams)?;
    let mut figures = Figures::new(&capture, 0, None);
    if let (true, Some(path)) = (figures.name.is_empty(), paths.first()) {
        figures.name = path.display().to_string();
    }
    let tally = Tally::new(&capture);
    match format {
        Format::Json => {
            let receipts: Vec<_> = parts.iter().map(receipt::json).collect();
            let capture = serde_json::to_value(&figures).map_err(std::io::Error::from)?;
            let tally = serde_json::to_value(&tally).map_err(std::io::Error::from)?;
            let mut whole = json!({
                "capture": capture,
                "receipt": receipt::sum(&parts),
                "receipts": receipts,
            });
            if let (Some(whole), Value::Object(tally)) = (whole.as_object_mut(), tally) {
                whole.extend(tally);
            }
            writeln!(streams.out, "{whole:#}")?;
        }
        Format::Text => {
            figures.write_text(streams.out)?;
            tally.write_text(streams.out)?;
            for part in &parts {
                receipt::write(part, parts.len() > 1, streams.out)?;
            }
        }
    }
    Ok(open::code(&capture))
}
