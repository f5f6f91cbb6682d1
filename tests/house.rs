//! What the house tests share: the project's folder, its source files and its built program.

pub mod causality;
mod cli;
pub mod display;
mod examples;
mod layers;
mod lists;
mod packages;
pub mod program;
mod readme;
mod sizes;
pub mod source;
pub mod source_place;
mod translations;
mod words;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use source::Source;

/// Names the project's folder, for tests that were built elsewhere.
const ROOT: &str = "SYNCLINE_ROOT";

/// The project's folder.
pub fn root() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        if let Some(named) = std::env::var_os(ROOT) {
            return named.into();
        }
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        package
            .parent()
            .expect("the tests are a folder of the project")
            .to_owned()
    });
    &FOLDER
}

/// The text of a file of the project.
pub fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names of the files of a folder of the project that end in `.extension`, sorted.
pub fn names(folder: &str, extension: &str) -> Vec<String> {
    let mut names: Vec<String> = files(&root().join(folder))
        .iter()
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| relative(path))
        .collect();
    names.sort();
    names
}

/// Every Rust file of the project.
pub fn sources() -> &'static [Source] {
    static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
        let mut paths: Vec<String> = ["engine", "app", "tests"]
            .iter()
            .flat_map(|folder| names(folder, "rs"))
            .collect();
        paths.sort();
        paths
            .into_iter()
            .map(|path| Source::new(&path, read(&path)))
            .collect()
    });
    assert!(
        SOURCES.len() > 20,
        "the sources were not found below {}",
        root().display()
    );
    &SOURCES
}

/// Fails with every complaint, one a line.
#[track_caller]
pub fn report(law: &str, complaints: &[String]) {
    assert!(
        complaints.is_empty(),
        "{law}\n  {}\n",
        complaints.join("\n  ")
    );
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        let hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_dir() && !hidden && !path.ends_with("target") {
            found.extend(files(&path));
        } else if path.is_file() {
            found.push(path);
        }
    }
    found
}

fn relative(path: &Path) -> String {
    let below = path.strip_prefix(root()).unwrap_or(path);
    below.to_string_lossy().replace('\\', "/")
}
