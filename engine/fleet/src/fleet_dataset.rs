//! A dataset that is asked: its folder, and the ranks that count.

use std::path::{Path, PathBuf};

use dataset::{CheckedFiles, RunCoverage, coverage, is_dataset};

use super::error::FleetError;

/// A dataset that is asked.
#[derive(Clone, Debug)]
pub struct FleetDataset {
    root: PathBuf,
    runs: Vec<RunCoverage>,
    /// Files that were read whole for a question before.
    checked: CheckedFiles,
}

impl FleetDataset {
    /// Reads which ranks a dataset has. Their rows are not read.
    ///
    /// # Errors
    /// The folder is no dataset or cannot be read, or a receipt in it is damaged, foreign or newer.
    pub fn open(root: &Path) -> Result<Self, FleetError> {
        let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
        if !is_dataset(&root) {
            return Err(FleetError::NoDataset(root));
        }
        let runs = coverage(&root)?;
        Ok(Self {
            root,
            runs,
            checked: CheckedFiles::default(),
        })
    }

    /// Whether a folder looks like a dataset.
    pub fn is_dataset(path: &Path) -> bool {
        is_dataset(path)
    }

    /// Its folder, as a whole path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Files whose bytes are known to be those that were written.
    pub(crate) const fn checked(&self) -> &CheckedFiles {
        &self.checked
    }

    /// Its runs, by name.
    pub fn runs(&self) -> &[RunCoverage] {
        &self.runs
    }
}
