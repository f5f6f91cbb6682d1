//! The file that a capture is appended to while it runs.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::exporter::pftrace::Writer;
use crate::record::Record;

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

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
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

    /// Makes what was appended survive this process.
    ///
    /// # Errors
    /// The system refuses.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
