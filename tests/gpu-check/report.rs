//! What a check finds: facts for its line, and files.

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// How a check that failed exits.
pub const FAILED: u8 = 1;

/// Where a check tells what it found.
pub struct Report {
    folder: PathBuf,
}

impl Report {
    /// With files going to `folder`.
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
        }
    }

    /// A fact for the check's line.
    #[expect(clippy::unused_self, reason = "whoever has no report has no facts")]
    pub fn fact(&mut self, name: &str, value: impl Display) {
        println!("{name}={value}");
    }

    /// The place of a file that is left.
    pub fn place(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Leaves a file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn file(&mut self, name: &str, bytes: &[u8]) -> Result<(), String> {
        std::fs::write(self.place(name), bytes).map_err(|error| format!("{name}: {error}"))
    }
}
