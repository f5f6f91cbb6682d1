//! Engines for SQL as Python's registry has them, which `.ci/engines` installs.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::house::root;

/// The engines that answer questions over a dataset.
pub(super) const ENGINES: &[&str] = &["duckdb", "datafusion"];

/// The Python that has the engines; nothing, and a word why, where they are not installed, which `REQUIRE_ENGINES` makes a failure.
pub(crate) fn python() -> Option<PathBuf> {
    let named = std::env::var_os("SYNCLINE_ENGINES").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| root().join("target/engines"));
    if folder.join("complete").exists() {
        return Some(folder.join("bin/python"));
    }
    let text =
        "skipped: the engines for SQL are not installed; .ci/engines target/engines does that";
    assert!(std::env::var_os("REQUIRE_ENGINES").is_none(), "{text}");
    eprintln!("{text}");
    None
}

/// What a script prints as JSON.
pub(crate) fn script(python: &Path, arguments: &[&str], input: &str) -> Value {
    let mut script = Command::new(python);
    script.args(arguments).stdin(Stdio::piped());
    script.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = script.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {complaint}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The answers of an engine to the questions in some files, or to the text of one.
pub(super) fn ask(
    python: &Path,
    engine: &str,
    dataset: &Path,
    files: &[PathBuf],
    text: &str,
) -> Value {
    let own = root()
        .join("tests/oracle/datasets.py")
        .display()
        .to_string();
    let dataset = dataset.display().to_string();
    let files: Vec<String> = files.iter().map(|it| it.display().to_string()).collect();
    let mut arguments = vec![own.as_str(), engine, &dataset];
    arguments.extend(files.iter().map(String::as_str));
    script(python, &arguments, text)
}

/// The rows of one question.
pub(super) fn rows(python: &Path, engine: &str, dataset: &Path, text: &str) -> Vec<Vec<Value>> {
    let answer = ask(python, engine, dataset, &[], text);
    let rows = answer["-"]["rows"].as_array().unwrap().iter();
    rows.map(|row| row.as_array().unwrap().clone()).collect()
}
