//! Says what a dataset lacks, and what lies in its folder that does not belong there. The bytes of every file are compared with its
//! checksum.

mod files;
mod ranks;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::error::DatasetError;
use super::layout::RunName;
use files::DatasetFiles;

/// What is known of a dataset.
#[derive(Clone, Debug, Default)]
pub struct DatasetReport {
    /// Its runs, by name.
    pub runs: Vec<RunReport>,
    /// Files that are damaged, foreign, newer or cannot be read, each with the reason in words.
    pub wrong: Vec<DatasetProblem>,
    /// Files and folders that no part of a dataset has as a name.
    pub strangers: Vec<PathBuf>,
    /// Files of conversions that go on, or were stopped. Engines do not read them.
    pub unfinished: Vec<PathBuf>,
}

/// What is wrong with a file of a dataset.
#[derive(Clone, Debug)]
pub struct DatasetProblem {
    /// The file.
    pub path: PathBuf,
    /// What it is, why, and what to do.
    pub text: String,
}

/// What is known of a run.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// Its name.
    pub name: RunName,
    /// Ranks of which everything is there.
    pub complete: BTreeSet<u32>,
    /// Ranks whose file could not be read when it was converted, with that file.
    pub unreadable: BTreeMap<u32, String>,
    /// Ranks that are expected, or have files, and are not complete.
    pub missing: BTreeSet<u32>,
    /// Complete ranks of whose file a part could not be read, with that file.
    pub with_data_loss: BTreeMap<u32, String>,
    /// Why ranks that have files are not complete, in words.
    pub incomplete: BTreeMap<u32, String>,
    /// Spans of the complete ranks.
    pub spans: u64,
    /// Bytes of all files of the run.
    pub bytes: u64,
}

impl DatasetReport {
    /// Whether every expected rank is complete and nothing is wrong with a file.
    pub fn is_fine(&self) -> bool {
        let is_whole = |it: &RunReport| it.missing.is_empty() && it.unreadable.is_empty();
        !self.runs.is_empty()
            && self.wrong.is_empty()
            && self.strangers.is_empty()
            && self.runs.iter().all(is_whole)
    }
}

/// Looks through the folder of a dataset. Of each run the ranks below `expected` are to be there; without it, those up to the
/// highest that has a file.
///
/// # Errors
/// The folder cannot be read.
pub fn check_dataset(root: &Path, expected: Option<u32>) -> Result<DatasetReport, DatasetError> {
    let files = DatasetFiles::find(root)?;
    let mut report = DatasetReport {
        wrong: files.wrong,
        strangers: files.strangers,
        unfinished: files.unfinished,
        ..DatasetReport::default()
    };
    for (name, run) in files.runs {
        report
            .runs
            .push(ranks::judge(name, &run, expected, &mut report.wrong));
    }
    report.wrong.sort_by(|a, b| a.path.cmp(&b.path));
    report.strangers.sort();
    report.unfinished.sort();
    Ok(report)
}
