//! The checks for a machine with a GPU, made over the stand-in: they run to their ends, and would see what is wrong.

use std::process::{Command, Output};

use crate::house::program::{stand_in, syncline};

/// Checks that are not made here: those that last, and those that run these very tests.
const ELSEWHERE: &[&str] = &["clock", "conformance", "errors", "generated"];

fn check(folder: &tempfile::TempDir, name: &str, variables: &[(&str, &str)]) -> (Output, String) {
    let program = syncline()
        .with_file_name("gpu-check")
        .with_extension(std::env::consts::EXE_EXTENSION);
    let mut command = Command::new(program);
    command
        .arg(folder.path())
        .arg(name)
        .env("SYNCLINE_TEST_CUDA_STAND_IN", stand_in());
    for (name, value) in variables {
        command.env(name, value);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output, said)
}

/// The names of the checks, as the source lists them.
fn names() -> Vec<String> {
    let source = crate::house::read("tests/gpu-check/checks.rs");
    let (_, list) = source.split_once("CHECKS: &[Check]").unwrap();
    let quoted = list.split('"').skip(1).step_by(2);
    quoted.map(str::to_owned).collect()
}

#[test]
fn every_check_comes_to_its_end_on_the_stand_in() {
    let folder = tempfile::tempdir().unwrap();
    let names = names();
    assert!(names.len() > 20, "{names:?}");
    let mut failed = Vec::new();
    for name in names.iter().filter(|it| !ELSEWHERE.contains(&it.as_str())) {
        let (output, said) = check(&folder, name, &[]);
        eprintln!(
            "{name}: {}",
            said.split_whitespace().collect::<Vec<_>>().join(" ")
        );
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr);
            failed.push(format!("{name}: {said}{error}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    for left in ["cupti.jsonl", "raw.bin", "program.pftrace"] {
        let file = folder.path().join(left);
        assert!(file.metadata().unwrap().len() > 1000, "{left}");
    }
}

#[test]
fn a_check_sees_that_something_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let (output, said) = check(&folder, "activity", &[("SYNCLINE_CUPTI", "off")]);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("switched off"), "{said}");
    let gone = [("SYNCLINE_TEST_CUDA_STAND_IN", "/no/such/library.so")];
    let (output, said) = check(&folder, "fault-trap", &gone);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("/no/such/library.so"), "{said}");
}
