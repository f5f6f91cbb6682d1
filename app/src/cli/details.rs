//! Prints what a capture holds.

use std::path::Path;

use serde_json::json;

use super::arguments::Format;
use super::figures::Figures;
use super::{FINE, Stop, Streams, open};

/// Prints the figures of a file and its receipt. In JSON, {capture, receipt {read, repaired, inferred, dropped,
/// notes}}, the capture being as `syncline run` prints it.
pub(super) fn details(path: &Path, format: Format, streams: &mut Streams<'_>) -> Result<u8, Stop> {
    let (capture, receipt) = open::open(path, streams)?;
    let mut figures = Figures::new(&capture, 0, None);
    if figures.name.is_empty() {
        figures.name = path.display().to_string();
    }
    match format {
        Format::Json => {
            let receipt = json!({
                "read": receipt.read,
                "repaired": receipt.repaired,
                "inferred": receipt.inferred,
                "dropped": receipt.dropped,
                "notes": receipt.notes,
            });
            let capture = serde_json::to_value(&figures).map_err(std::io::Error::from)?;
            writeln!(
                streams.out,
                "{:#}",
                json!({ "capture": capture, "receipt": receipt })
            )?;
        }
        Format::Text => {
            figures.write_text(streams.out)?;
            writeln!(
                streams.out,
                "\n{} records read, {} repaired, {} inferred, {} dropped",
                receipt.read, receipt.repaired, receipt.inferred, receipt.dropped
            )?;
        }
    }
    Ok(FINE)
}
