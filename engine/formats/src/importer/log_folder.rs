//! Folders that profilers of JAX and TensorFlow write into: each run has a folder of its own, with a file a process.

use std::path::{Path, PathBuf};

/// Where the runs are below the folder that a program was told to log to.
const RUNS: &str = "plugins/profile";
/// How the files of a run's processes end.
const ENDINGS: &[&str] = &[".xplane.pb", ".xplane.pb.gz"];

/// Whether a folder, or one in it, has logs of `TensorBoard`.
pub(super) fn is_log_folder(folder: &Path) -> bool {
    let has_logs = |folder: &PathBuf| entries(folder).iter().any(|it| is_log(it));
    has_logs(&folder.to_owned()) || entries(folder).iter().any(has_logs)
}

fn is_log(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("events.out.tfevents")
}

/// The files of the last run in or below a folder, by name; none where it is no folder of profiles.
pub(super) fn last_run(folder: &Path) -> Vec<PathBuf> {
    if !folder.is_dir() {
        return Vec::new();
    }
    let own = profiles(folder);
    if !own.is_empty() {
        return own;
    }
    // A program that logs of training and of validation has a folder for each.
    let logs = std::iter::once(folder.to_owned()).chain(entries(folder));
    let runs = logs.flat_map(|it| entries(&it.join(RUNS)));
    let mut runs: Vec<PathBuf> = runs.chain(entries(folder)).collect();
    // Runs are called by when they began.
    runs.sort_by(|a, b| b.file_name().cmp(&a.file_name()));
    let mut files = runs.iter().map(|run| profiles(run));
    files.find(|it| !it.is_empty()).unwrap_or_default()
}

/// Whether a folder has the files of a run's processes.
pub(super) fn is_run(folder: &Path) -> bool {
    !profiles(folder).is_empty()
}

/// Whether a folder is that of a run, and a later one lies beside it.
pub(super) fn is_earlier_run(folder: &Path) -> bool {
    let Some(beside) = folder.parent().filter(|it| it.ends_with(RUNS)) else {
        return false;
    };
    let runs = entries(beside).into_iter().filter(|it| is_run(it));
    is_run(folder) && runs.max().is_some_and(|last| last.as_path() != folder)
}

/// The files of processes in a folder.
fn profiles(folder: &Path) -> Vec<PathBuf> {
    let is_one = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        ENDINGS.iter().any(|ending| name.ends_with(ending))
    };
    entries(folder).into_iter().filter(is_one).collect()
}

/// What is in a folder, by name; nothing where that cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut all: Vec<PathBuf> = entries.flatten().map(|it| it.path()).collect();
    all.sort();
    all
}
