//! Captures of other tools, compared span by span with a reading of their bytes that shares no code with the importers.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

use crate::house::program::syncline;
use crate::house::root;

/// Captures that are no larger are compared in every test run; the others where `SYNCLINE_EXACT` is set.
const SMALL: u64 = 512 << 10;

/// Words that end in an s and stand behind a one all the same.
const SINGULAR: [&str; 4] = ["is", "was", "process", "processes"];

/// A count of one has no plural behind it, in what is said of any of the small captures.
#[test]
fn one_of_something_is_told_as_one() {
    let mut wrong = Vec::new();
    for path in files() {
        if std::fs::metadata(&path).is_ok_and(|it| it.len() > 64 << 10) {
            continue;
        }
        let output = Command::new(syncline())
            .arg("info")
            .arg(&path)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let lines = said.lines().filter(|line| {
            let about = ["note:", "repaired:", "info ", "warning ", "data loss "];
            about.iter().any(|it| line.starts_with(it)) || line.contains(" read, ")
        });
        for line in lines {
            let words: Vec<&str> = line.split([' ', ',', '.', ':', ';', '(']).collect();
            let is_wrong = |pair: &[&str]| match pair {
                ["1", noun] => noun.ends_with('s') && !SINGULAR.contains(noun),
                _ => false,
            };
            if words.windows(2).any(is_wrong) {
                wrong.push(format!("{}: {line}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The captures of the project, and those of the folder of captures, where it is at hand.
fn files() -> Vec<PathBuf> {
    let given = std::env::var_os("SYNCLINE_CAPTURES");
    let shared = given.map_or_else(|| root().join("../shared/captures"), PathBuf::from);
    let mut folders = vec![root().join("tests/data/captures"), shared];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for path in entries.map(|it| it.path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    let takes_all = std::env::var_os("SYNCLINE_EXACT").is_some();
    files.retain(|path| takes_all || std::fs::metadata(path).is_ok_and(|it| it.len() <= SMALL));
    files.sort();
    files
}

/// The script compares the tables that the program exports with the raw file: every span's name, process, thread, start and
/// length, every arrow that the file draws and every sample of a counter.
#[test]
fn what_is_exported_is_what_the_bytes_say() {
    let mut script = Command::new("python3");
    script
        .arg(root().join("tests/formats/exact/compare.py"))
        .arg(syncline())
        .args(files())
        .env("PYTHONDONTWRITEBYTECODE", "1");
    let output = match script.output() {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!("skipped: there is no python3 to read the raw files with");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let said = String::from_utf8_lossy(&output.stdout);
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{wrong}");
    assert!(said.contains("captures compared, 0 differences"), "{said}");
}
