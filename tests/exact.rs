//! Captures of other tools, compared span by span with a reading of their bytes that shares no code with the importers.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

use crate::house::program::syncline;
use crate::house::root;

/// The small captures of the project, and those of the folder of captures that are no larger, where it is at hand.
fn folders() -> Vec<PathBuf> {
    let given = std::env::var_os("SYNCLINE_CAPTURES");
    let shared = given.map_or_else(|| root().join("../shared/captures"), PathBuf::from);
    let all = [
        root().join("tests/data/captures"),
        shared.join("odd"),
        shared.join("fresh"),
        shared.join("perfetto"),
        shared.join("rocm"),
    ];
    all.into_iter().filter(|it| it.is_dir()).collect()
}

/// The script compares the tables that the program exports with the raw file: every span's name, process, thread, start and
/// length, every arrow that the file draws and every sample of a counter.
#[test]
fn what_is_exported_is_what_the_bytes_say() {
    let mut script = Command::new("python3");
    script
        .arg(root().join("tests/exact/compare.py"))
        .arg(syncline())
        .args(folders())
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
