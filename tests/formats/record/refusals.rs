//! What cannot be recorded, and why: said before anything is started, or once it is known.

use std::process::{Command, Output};

use super::{program, record, recorder};
use crate::house::program::syncline;

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What `syncline record` says to these arguments; nothing is recorded.
fn refused(arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(syncline())
        .arg("record")
        .args(arguments)
        .env("TMPDIR", folder.path())
        .envs(variables.iter().copied())
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = said(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    text
}

#[test]
fn what_cannot_begin_is_a_reason() {
    let own = program().display().to_string();
    let text = refused(&["--headless", "-o", "a.pftrace"], &[]);
    assert!(text.contains("COMMAND"), "{text}");
    let text = refused(
        &["--headless", "-o", "a.pftrace", "--", "no-such-program"],
        &[],
    );
    assert!(
        text.contains("there is no program “no-such-program”"),
        "{text}"
    );
    let text = refused(
        &[
            "--headless",
            "-o",
            "no/folder/a.pftrace",
            "--",
            &own,
            "work",
        ],
        &[],
    );
    assert!(
        text.contains("no/folder/a.pftrace cannot be written"),
        "{text}"
    );
    let text = refused(&["--headless", "--", &own, "work"], &[]);
    assert!(text.contains("name one with -o"), "{text}");
    let all = ["--headless", "-o", "a.pftrace", "--", &own, "work"];
    for injection in ["CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"] {
        let text = refused(&all, &[(injection, "/opt/other.so")]);
        let said = format!("{injection} is set to /opt/other.so already");
        assert!(text.contains(&said), "{text}");
    }
    let text = refused(&all, &[("SYNCLINE_INJECT", "/no/libcuda_recorder.so")]);
    assert!(
        text.contains("SYNCLINE_INJECT names /no/libcuda_recorder.so"),
        "{text}"
    );
    let text = refused(&all, &[("TMPDIR", "/no/such/folder")]);
    assert!(text.contains("set TMPDIR"), "{text}");
}

#[test]
fn a_file_that_was_there_stays_where_nothing_begins() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.pftrace");
    std::fs::write(&path, "mine").unwrap();
    let output = Command::new(syncline())
        .args(["record", "--headless", "-o"])
        .arg(&path)
        .arg("no-such-program")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
}

#[test]
fn a_capture_that_was_there_stays_where_nothing_is_recorded() {
    for what in [&["nothing"][..], &["work"]] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.pftrace");
        std::fs::write(&path, "mine").unwrap();
        let mut command = recorder(folder.path(), what);
        let output = command.env("SYNCLINE_CUPTI", "off").output().unwrap();
        let text = said(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("it is as it was before"), "{text}");
        assert!(!text.contains("saved as"), "{text}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
        let output = recorder(folder.path(), &["work"]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let capture = super::open(&path);
        assert!(capture.span_count() > 0 && capture.run().is_some());
    }
}

#[test]
fn why_nothing_was_recorded_is_said() {
    let cases = [
        ("nothing", ("SYNCLINE_CUPTI", ""), "none initialised CUDA"),
        ("work", ("SYNCLINE_CUPTI", "off"), "switched off"),
        ("work", ("SYNCLINE_STAND_IN_CUPTI", "busy"), "39"),
        (
            "work",
            ("SYNCLINE_STAND_IN_CUPTI", "unfit"),
            "nothing of CUDA was recorded",
        ),
    ];
    for (what, variable, words) in cases {
        let recorded = record(&[what], &[variable]);
        let said = recorded.said();
        assert!(said.contains(words), "{what} {variable:?}: {said}");
        assert_eq!(recorded.code(), Some(1), "{said}");
        assert_eq!(recorded.codes(), ["nothing-recorded"]);
        assert!(said.contains("only the log"), "{said}");
    }
}

#[test]
fn the_programs_streams_are_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = recorder(folder.path(), &[]);
    let arguments: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    let (_, before) = arguments.split_last().unwrap();
    command = Command::new(syncline());
    command.args(before).args([
        "sh",
        "-c",
        "read line; echo out $line; echo err >&2; exit 5",
    ]);
    let input = folder.path().join("input");
    std::fs::write(&input, "given\n").unwrap();
    command.stdin(std::fs::File::open(input).unwrap());
    let output = command.output().unwrap();
    assert_eq!(output.stdout, b"out given\n");
    assert!(said(&output).starts_with("err\n"), "{}", said(&output));
    assert_eq!(output.status.code(), Some(5));
}
