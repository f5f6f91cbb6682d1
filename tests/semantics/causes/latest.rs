//! Captures of other tools: the cause that ended last, found in the files themselves by a script that shares no code with
//! the importers, is the one that is named; and what another tool says of idle time and critical paths of the same captures.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

use crate::house::program::syncline;
use crate::house::root;

/// Larger files are left to `make long`, which sets `SYNCLINE_EVERY_CAPTURE`.
const MOST_BYTES: &str = "2500000";
/// So are captures of more operations.
const MOST_OPERATIONS: &str = "1400";

/// The captures of the project, and the folder of captures where it is at hand.
fn folders() -> Vec<PathBuf> {
    let given = std::env::var_os("SYNCLINE_CAPTURES");
    let shared = given.map_or_else(|| root().join("../shared/captures"), PathBuf::from);
    let data = root().join("tests/data");
    let all = [data.join("captures"), data.join("causes"), shared];
    let (found, missing): (Vec<_>, Vec<_>) = all.into_iter().partition(|it| it.is_dir());
    for path in missing {
        eprintln!("skipped: {} is not there", path.display());
    }
    found
}

/// Runs a script of this folder over captures; its last line says what came of it. Nothing, and a word why, where there is no
/// Python.
fn run(script: &str, arguments: &[PathBuf]) -> Option<String> {
    let mut command = Command::new("python3");
    command
        .arg(root().join("tests/semantics/causes").join(script))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(syncline())
        .args(arguments);
    if std::env::var_os("SYNCLINE_EVERY_CAPTURE").is_none() {
        command.args(["--most-bytes", MOST_BYTES]);
        command.args(["--most-operations", MOST_OPERATIONS]);
    }
    let output = match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!("skipped: there is no python3 to read the raw files with");
            return None;
        }
        Err(error) => panic!("{error}"),
    };
    let said = String::from_utf8_lossy(&output.stdout);
    let wrong = String::from_utf8_lossy(&output.stderr);
    eprintln!("{said}");
    assert!(output.status.success(), "{said}{wrong}");
    Some(said.into_owned())
}

#[test]
fn the_cause_that_ended_last_by_the_files_themselves_is_named() {
    if let Some(said) = run("latest_ending.py", &folders()) {
        assert!(said.contains(" compared, 0 wrong"), "{said}");
    }
}

/// HTA is another opinion: the script lists each difference with the reason why HTA's is questionable.
#[test]
fn idle_time_and_critical_paths_are_those_of_hta_or_differ_for_a_reason() {
    let named = std::env::var_os("SYNCLINE_REFERENCE");
    let folder = named.map_or_else(|| root().join("../shared/reference"), PathBuf::from);
    let truth = folder.join("hta_truth.json");
    let captures = folders().pop().filter(|it| it.ends_with("captures"));
    let Some(captures) =
        captures.filter(|it| truth.is_file() && !it.starts_with(root().join("tests")))
    else {
        return eprintln!("skipped: {} or the captures are not there", truth.display());
    };
    if let Some(said) = run("hta.py", &[truth, captures]) {
        assert!(said.contains(" for a reason, 0 without one"), "{said}");
    }
}
