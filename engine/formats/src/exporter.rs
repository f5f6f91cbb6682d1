//! Writes captures to files: one format a file, all listed in [`EXPORTERS`].

mod anonymize;
mod capture_piece;
pub mod chrome;
pub mod csv;
mod destination;
mod extract;
mod file;
pub mod pftrace;
mod records;

use std::io::{self, Write};
use std::path::Path;

use capture::Capture;
use record::Bookmark;

pub use anonymize::{AnonymousCapture, anonymize};
pub use capture_piece::{CapturePiece, PieceCounts, PieceLanes, PieceRequest, piece};
pub use destination::{Destination, DestinationKind, hold, open_existing, refuse_input};
pub use extract::{ExtractError, ExtractedWorkload, extract};
pub use file::{WriteProgress, replace, save};
pub use records::records;
use records::records_with;

/// How much of a capture a format keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFidelity {
    /// All of it: the file reopens as the same capture.
    Everything,
    /// Lanes, spans, dependencies and counters: the file reopens, and looks the same.
    Timeline,
    /// Rows for other programs; no capture is made of them again.
    Rows,
}

/// A format that captures are written in.
pub trait Exporter: Sync {
    /// A short word for it, such as `pftrace`.
    fn name(&self) -> &'static str;
    /// What its files are called, without the dot.
    fn extension(&self) -> &'static str;
    /// One line that says what opens it and what it keeps.
    fn about(&self) -> &'static str;
    /// How much it keeps.
    fn keeps(&self) -> ExportFidelity;
    /// Writes the whole capture, with these bookmarks in place of its own where the format keeps any.
    ///
    /// # Errors
    /// Those of `output`; the first ends it.
    fn write_with(
        &self,
        capture: &Capture,
        bookmarks: &[Bookmark],
        output: &mut dyn Write,
    ) -> io::Result<()>;

    /// Writes the whole capture.
    ///
    /// # Errors
    /// Those of `output`; the first ends it.
    fn write(&self, capture: &Capture, output: &mut dyn Write) -> io::Result<()> {
        self.write_with(capture, capture.bookmarks(), output)
    }
}

/// Every format that captures are written in; the first is the one that keeps everything.
pub const EXPORTERS: &[&dyn Exporter] = &[
    &pftrace::PftraceExporter,
    &chrome::ChromeExporter,
    &csv::SpansCsv,
    &csv::DependenciesCsv,
    &csv::CountersCsv,
];

/// The format that a file's name asks for by its ending, whatever its case; the longest ending counts.
pub fn for_path(path: &Path) -> Option<&'static dyn Exporter> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let asked = EXPORTERS.iter().filter(|exporter| {
        let ending = exporter.extension();
        let stem = name.strip_suffix(ending);
        // A name may be no more than an ending of two parts.
        stem.is_some_and(|stem| stem.ends_with('.') || stem.is_empty() && ending.contains('.'))
    });
    asked.max_by_key(|it| it.extension().len()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_ending_counts() {
        let name = |path: &str| for_path(Path::new(path)).map(Exporter::name);
        assert_eq!(name("a/b.PFTRACE"), Some("pftrace"));
        assert_eq!(name("b.json"), Some("chrome"));
        assert_eq!(name("b.csv"), Some("csv"));
        assert_eq!(name("b.dependencies.csv"), Some("csv-dependencies"));
        assert_eq!(name("dependencies.csv"), Some("csv-dependencies"));
        assert_eq!(name("b.counters.csv"), Some("csv-counters"));
        assert_eq!((name("b.xlsx"), name("json")), (None, None));
    }
}
