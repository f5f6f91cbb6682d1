//! From a rank of a dataset back to the file that it was converted from.

use std::fs;
use std::path::{Path, PathBuf};

use dataset::{ContentHash, RunName, receipt_row};
use query::{SqlWatch, StopReason};

use super::error::FleetError;
use super::fleet_dataset::FleetDataset;

/// Folders below the one that is looked through, at most.
const DEEPEST: usize = 16;

/// The file that a rank was converted from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankCapture {
    /// Where it was.
    pub path: PathBuf,
    /// The hash of its content.
    pub content: String,
    /// When the capture's time 0 was, in nanoseconds on the run's clock: an instant of the window is one of the run less this.
    /// Nothing where times of the dataset are those of the capture.
    pub clock_origin: Option<i64>,
}

impl FleetDataset {
    /// The file that a rank was converted from, as its receipt says it.
    ///
    /// # Errors
    /// There is no such rank, or its receipt is damaged or cannot be read.
    pub fn rank_capture(&self, run: &RunName, rank: u32) -> Result<RankCapture, FleetError> {
        let row = receipt_row(self.root(), run, rank)?;
        let row = row.ok_or_else(|| FleetError::NoRank {
            run: run.to_string(),
            rank,
        })?;
        Ok(RankCapture {
            path: row.capture.into(),
            content: row.content,
            clock_origin: row.clock_origin,
        })
    }
}

impl RankCapture {
    /// Finds the file: where it was, or by its content among the files below a folder, first those of its name. Reads files
    /// as a whole, which takes a while.
    ///
    /// # Errors
    /// There is no file of this content, or `watch` was cancelled.
    pub fn find(&self, below: Option<&Path>, watch: &SqlWatch) -> Result<PathBuf, FleetError> {
        if self.is_content_of(&self.path, watch) {
            return Ok(self.path.clone());
        }
        let mut files = Vec::new();
        if let Some(below) = below {
            list(below, DEEPEST, &mut files);
        }
        // Mostly whole folders are moved, and names stay.
        files.sort_by_key(|it| it.file_name() != self.path.file_name());
        let found = files.into_iter().find(|it| self.is_content_of(it, watch));
        if watch.is_cancelled() {
            return Err(FleetError::Cut(StopReason::Cancelled));
        }
        found.ok_or_else(|| FleetError::Moved {
            path: self.path.clone(),
            below: below.map(Path::to_owned),
        })
    }

    fn is_content_of(&self, path: &Path, watch: &SqlWatch) -> bool {
        let hash = ContentHash::of_file(path, &|| watch.is_cancelled());
        hash.is_ok_and(|it| it.as_str() == self.content)
    }
}

/// The files below a folder. What cannot be read is passed over.
fn list(folder: &Path, deepest: usize, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let kind = entry.file_type();
        if kind.as_ref().is_ok_and(fs::FileType::is_file) {
            files.push(entry.path());
        } else if kind.is_ok_and(|it| it.is_dir()) && deepest > 0 {
            list(&entry.path(), deepest - 1, files);
        }
    }
}
