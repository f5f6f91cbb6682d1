//! Writes Chrome's trace JSON, which Perfetto, `chrome://tracing` and most other viewers open.

mod arguments;
mod event;
mod nest;
mod process;

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{ExportFidelity, Exporter, records_with};
use crate::perfetto::json::{EVENTS, FORMAT, WRITER, check};
use capture::Capture;
use event::ChromeEventWriter;
use record::Bookmark;
use record::time::Nanos;

/// Chrome's trace JSON as `.json`.
pub struct ChromeExporter;

impl Exporter for ChromeExporter {
    fn name(&self) -> &'static str {
        "chrome"
    }

    fn extension(&self) -> &'static str {
        "json"
    }

    fn about(&self) -> &'static str {
        "Chrome trace JSON for Perfetto, chrome://tracing, scripts and Syncline; keeps everything."
    }

    fn keeps(&self) -> ExportFidelity {
        ExportFidelity::Everything
    }

    fn write_with(
        &self,
        capture: &Capture,
        bookmarks: &[Bookmark],
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let origin = capture.extent().map_or(Nanos::ZERO, |extent| extent.start);
        // Viewers take no time before zero.
        // The farthest time has no number on the other side of zero.
        let origin = origin.clamp(Nanos(-i64::MAX), Nanos::ZERO);
        let about = about(capture, origin);
        head(capture, origin, &about, output)?;
        let mut events = ChromeEventWriter::new(capture, origin, output);
        events.header(&about)?;
        events.lanes()?;
        events.rows()?;
        for record in records_with(capture, bookmarks) {
            events.record(&record)?;
        }
        events.marks()?;
        let count = events.count;
        // Twice, so that a damaged number is not believed.
        write!(output, "\n],\"{EVENTS}\":[{count},{count}]}}\n")?;
        output.flush()
    }
}

/// What the file says of itself.
fn about(capture: &Capture, origin: Nanos) -> Value {
    let run = capture.run();
    let zero = origin.0.saturating_neg();
    json!({
        "writer": WRITER,
        "format": FORMAT,
        "version": env!("CARGO_PKG_VERSION"),
        "name": run.map(|run| run.name.as_str()),
        "backend": run.map(|run| run.backend.as_str()),
        "zero_ns": zero,
        "check": check(FORMAT, zero),
    })
}

/// What stands before the list of events, which is left open.
fn head(capture: &Capture, origin: Nanos, about: &Value, output: &mut dyn Write) -> io::Result<()> {
    write!(output, "{{\"displayTimeUnit\":\"ns\",\"otherData\":{about}")?;
    let unix = capture.clocks().iter().find(|clock| clock.tells_zero());
    if let Some(unix) = unix {
        let base = unix.offset + origin;
        write!(output, ",\"baseTimeNanoseconds\":{}", base.0)?;
    }
    write!(output, ",\"traceEvents\":[")
}
