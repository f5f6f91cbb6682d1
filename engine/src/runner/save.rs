//! The file that a capture is appended to while it runs.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::exporter::pftrace::Writer;
use crate::record::{EventId, Problem, Record, Severity, SpanId};

/// The file that a capture is appended to while it runs.
pub struct Save {
    path: PathBuf,
    writer: Writer<File>,
}

impl Save {
    /// Makes the file, over one that is there.
    ///
    /// # Errors
    /// The system refuses.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            writer: Writer::new(File::create(path)?),
        })
    }

    /// Appends records.
    ///
    /// # Errors
    /// The system refuses.
    pub fn write(&mut self, records: &[Record]) -> io::Result<()> {
        records
            .iter()
            .try_for_each(|record| self.writer.write(record))
    }

    /// What is to be told of a file that could not be written on.
    pub fn failed(&self, error: &io::Error) -> Record {
        Record::Problem(Box::new(Problem {
            severity: Severity::DataLoss,
            code: "save-failed".to_owned(),
            text: format!(
                "{} ends early, because it could not be written: {error}; save again from the window, or run again \
                 with another path",
                self.path.display()
            ),
            span: SpanId::NONE,
            event: EventId::NONE,
        }))
    }

    /// Makes what was appended survive this process.
    ///
    /// # Errors
    /// The system refuses.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
