//! Folders that profilers of JAX and TensorFlow write into: each run has a folder of its own, with a file a process.

use std::path::{Path, PathBuf};

/// Where the runs are below the folder that a program was told to log to.
const RUNS: &str = "plugins/profile";
/// How the files of a run's processes end.
const ENDINGS: &[&str] = &[".xplane.pb", ".xplane.pb.gz"];

/// The paths with each folder of profiles in place of which stand the files of its last run.
pub(super) fn expand(paths: &[PathBuf]) -> Vec<PathBuf> {
    let files = |path: &PathBuf| {
        let found = last_run(path);
        if found.is_empty() {
            vec![path.clone()]
        } else {
            found
        }
    };
    paths.iter().flat_map(files).collect()
}

/// The files of the last run in or below a folder, by name; none where it is no folder of profiles.
fn last_run(folder: &Path) -> Vec<PathBuf> {
    if !folder.is_dir() {
        return Vec::new();
    }
    let own = profiles(folder);
    if !own.is_empty() {
        return own;
    }
    let below = folder.join(RUNS);
    let runs = if below.is_dir() {
        below.as_path()
    } else {
        folder
    };
    // Runs are called by when they began.
    let runs = entries(runs).into_iter().rev();
    runs.map(|run| profiles(&run))
        .find(|it| !it.is_empty())
        .unwrap_or_default()
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
