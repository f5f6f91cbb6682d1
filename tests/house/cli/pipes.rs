//! What can be read only once: pipes, FIFOs and standard input are captures as files are.
#![cfg(unix)]

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::json;
use crate::formats::damage;
use crate::house::program;

/// Runs the program with bytes on its standard input.
fn fed(arguments: &[&str], bytes: &[u8]) -> Output {
    let mut child = Command::new(program::syncline())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let bytes = bytes.to_vec();
    // Whoever refuses what comes does not read all of it.
    let feeder = super::piping(move || {
        let _ = input.write_all(&bytes);
    });
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    output
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// What `info` prints of a capture, apart from what it is called.
fn facts(mut told: Value) -> Value {
    for receipt in told["receipts"].as_array_mut().unwrap() {
        receipt["file"] = Value::Null;
    }
    for key in ["name", "reason"] {
        told["capture"][key] = Value::Null;
    }
    told
}

/// Every format, databases too, is the same by a pipe as from a file, packed or not.
#[test]
fn standard_input_is_read_whole_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    for (place, (name, bytes)) in damage::files().into_iter().enumerate() {
        let path = folder.path().join(format!("{place}"));
        for bytes in [bytes.clone(), gzip(&bytes)] {
            fs::write(&path, &bytes).unwrap();
            let expected = facts(json(&[
                "info",
                &path.display().to_string(),
                "--format",
                "json",
            ]));
            let output = fed(&["info", "-", "--format", "json"], &bytes);
            let found: Value = serde_json::from_slice(&output.stdout).unwrap();
            let receipts = found["receipts"].as_array().unwrap().iter();
            let is_whole = receipts.clone().all(|it| it["dropped"] == 0);
            let code = i32::from(!is_whole);
            assert_eq!(
                output.status.code(),
                Some(code),
                "{name}: {}",
                said(&output)
            );
            assert_eq!(facts(found), expected, "{name}");
        }
    }
}

#[test]
fn fifos_and_several_pipes_are_captures_too() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("a.pftrace");
    let path = saved.display().to_string();
    assert_eq!(
        super::syncline(&["run", "heat", "--set", "steps=2", "--save", &path]).0,
        0
    );
    let bytes = fs::read(&saved).unwrap();
    let spans = json(&["info", &path, "--format", "json"])["capture"]["spans"]
        .as_u64()
        .unwrap();

    let (one, other) = (folder.path().join("rank0"), folder.path().join("rank1"));
    let mut feeders = Vec::new();
    for fifo in [&one, &other] {
        assert!(Command::new("mkfifo").arg(fifo).status().unwrap().success());
        let (fifo, bytes) = (fifo.clone(), bytes.clone());
        feeders.push(super::piping(move || {
            File::options()
                .write(true)
                .open(fifo)
                .unwrap()
                .write_all(&bytes)
                .unwrap();
        }));
    }
    let text = |path: &Path| path.display().to_string();
    let several = json(&[
        "info",
        &text(&one),
        &text(&other),
        &path,
        "--format",
        "json",
    ]);
    assert_eq!(several["capture"]["spans"], 3 * spans);
    assert_eq!(several["receipts"].as_array().unwrap().len(), 3);
    for feeder in feeders {
        feeder.join().unwrap();
    }

    for out in ["out.json", "out.csv", "out.svg", "out.pftrace"] {
        let out = text(&folder.path().join(out));
        let output = fed(&["convert", "-", &out], &bytes);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(fs::metadata(&out).unwrap().len() > 100);
    }
    let kdl = text(&folder.path().join("out.kdl"));
    let output = fed(&["extract", "-", "-o", &kdl], &bytes);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let workload = fs::read(&kdl).unwrap();
    for arguments in [&["check", "-"][..], &["run", "-", "--backend", "mock"]] {
        let output = fed(arguments, &workload);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(String::from_utf8_lossy(&output.stdout).starts_with("standard input"));
    }
}

#[test]
fn what_is_no_capture_is_refused_before_its_end_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let temporary = folder.path().display().to_string();
    let refused = |arguments: &[&str], input: Stdio| {
        let output = Command::new(program::syncline())
            .args(arguments)
            .env("TMPDIR", &temporary)
            .stdin(input)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
        said(&output)
    };
    let null = || Stdio::from(File::open("/dev/null").unwrap());
    assert!(refused(&["info", "-"], null()).contains("standard input is empty"));
    // Neither of these ever ends.
    let zeros = || Stdio::from(File::open("/dev/zero").unwrap());
    assert!(refused(&["info", "-"], zeros()).contains("standard input is not a capture"));
    assert!(refused(&["info", "/dev/zero"], null()).contains("/dev/zero is not a capture"));
    assert!(refused(&["info", "-", "-"], null()).contains("read only once"));
    assert!(refused(&["check", "-"], zeros()).contains("longer than the 1 MiB"));
    let report = fed(&["info", "-"], b"NVIDIA Tegra Profiler Report 1.\n");
    assert!(said(&report).contains("nsys export"), "{}", said(&report));
}

#[test]
fn a_question_may_come_by_standard_input_but_not_beside_the_capture() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("a.pftrace").display().to_string();
    assert_eq!(super::syncline(&["run", "heat", "--save", &saved]).0, 0);
    let question = b"SELECT count(*) > 0 AS found FROM spans";
    let output = fed(&["query", &saved, "-f", "-", "--format", "csv"], question);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "found\n1\n");
    let output = fed(&["query", "-", "-f", "-"], question);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("either the capture or the question"));
}

#[test]
fn whoever_is_told_to_end_while_it_copies_leaves_no_copy() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(program::syncline())
        .args(["info", "-"])
        .env("TMPDIR", folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // A list of events without an end, as far as anybody knows.
    input.write_all(b"[").unwrap();
    input.write_all(&vec![b' '; 1 << 20]).unwrap();
    let is_copied = || {
        let mut files = fs::read_dir(folder.path()).unwrap();
        files.any(|it| it.unwrap().metadata().is_ok_and(|it| it.len() > 0))
    };
    while !is_copied() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    drop(input);
}
