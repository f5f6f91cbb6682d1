//! The program itself: what only a process of its own can show.
#![cfg(unix)]

use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use engine::capture::Capture;
use engine::importer;

use crate::house::program::syncline;

fn binary() -> Command {
    Command::new(syncline())
}

/// A workload that calls and computes for longer than any test.
pub const ENDLESS: &str = r#"
about "Runs until somebody ends it."
stream "s"
host "main" {
    repeat 1000000 index="i" {
        host-function "tick" on="s" micros=200
        synchronize-stream "s"
    }
}
"#;

/// Starts the endless workload and waits until its file has grown to `bytes`.
fn start(bytes: u64) -> (tempfile::TempDir, PathBuf, Child) {
    let folder = tempfile::tempdir().unwrap();
    let (workload, saved) = (
        folder.path().join("endless.kdl"),
        folder.path().join("out.pftrace"),
    );
    std::fs::write(&workload, ENDLESS).unwrap();
    let mut child = binary()
        .arg("run")
        .arg(&workload)
        .arg("--save")
        .arg(&saved)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_mins(1);
    while std::fs::metadata(&saved).map_or(0, |facts| facts.len()) < bytes {
        if let Some(status) = child.try_wait().unwrap() {
            let mut text = String::new();
            child
                .stderr
                .take()
                .unwrap()
                .read_to_string(&mut text)
                .unwrap();
            panic!("it ended with {status}: {text}");
        }
        assert!(Instant::now() < until, "the file does not grow");
        std::thread::sleep(Duration::from_millis(5));
    }
    (folder, saved, child)
}

fn open(path: &std::path::Path) -> Capture {
    let mut capture = Capture::new();
    importer::open(path, &mut |batch| {
        capture.apply(batch.records);
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    capture
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

#[test]
fn killed_in_the_middle_the_file_opens() {
    let (_folder, saved, mut child) = start(20_000);
    signal(&child, "-KILL");
    child.wait().unwrap();
    let capture = open(&saved);
    assert!(capture.span_count() > 50, "{} spans", capture.span_count());
    assert!(capture.run().is_some_and(|run| run.source == ENDLESS));
    assert!(capture.end().is_none());
    let only_cut =
        |code: &str| ["cut-short", "no-end", "no-end-of-file", "unwritten-spans"].contains(&code);
    let lost = capture.problems().iter().find(|it| !only_cut(&it.code));
    assert!(lost.is_none(), "{lost:?}");
}

#[test]
fn interrupted_it_ends_in_order() {
    let (_folder, saved, child) = start(5_000);
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains(", stopped after "),
        "{}",
        text(&output.stdout)
    );
    let capture = open(&saved);
    assert!(capture.end().is_some());
    assert!(capture.problems().is_empty(), "{:?}", capture.problems());
}

#[test]
fn without_a_display_it_names_what_works() {
    let headless = |display: Option<&str>| -> Output {
        let mut command = binary();
        command
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
            .env_remove("DISPLAY");
        command.envs(display.map(|display| ("DISPLAY", display)));
        command.output().unwrap()
    };
    for display in [None, Some(":987")] {
        let output = headless(display);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("`syncline run NAME`"), "{said}");
        assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    }
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let mut child = binary()
        .args(["workloads", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_run_keeps_its_exit_code_when_its_reader_is_gone() {
    for (arguments, code) in [
        (
            &["missing-wait", "--backend", "mock", "--deny", "race"][..],
            1,
        ),
        (
            &["missing-wait", "--backend", "mock", "--format", "json"],
            1,
        ),
        (&["single-stream", "--backend", "mock"], 0),
    ] {
        let mut child = binary()
            .arg("run")
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn interrupted_while_its_ranks_start_it_says_that_it_was() {
    // In the place of `ssh`: a machine that never answers.
    let folder = tempfile::tempdir().unwrap();
    let (ssh, mark) = (folder.path().join("ssh"), folder.path().join("asked"));
    let script = format!("#!/bin/sh\n: > '{}'\nexec sleep 600\n", mark.display());
    std::fs::write(&ssh, script).unwrap();
    std::fs::set_permissions(&ssh, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let child = binary()
        .args(["run", "two-machines", "--machine", "right=silent"])
        .env("PATH", format!("{}:{path}", folder.path().display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !mark.exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
}

/// The program that waits for the rest of a workload, which nobody sends.
#[test]
fn interrupted_while_the_workload_is_read_it_ends() {
    let mut child = binary()
        .args(["run", "-", "--backend", "mock"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take();
    // Once it hears the signal, which is the second of the mask.
    let facts = format!("/proc/{}/status", child.id());
    let hears = |text: &str| {
        let mask = text.lines().find_map(|it| it.strip_prefix("SigCgt:"));
        let mask = mask.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
        mask.is_some_and(|it| it & 2 != 0)
    };
    while let Ok(text) = std::fs::read_to_string(&facts)
        && !hears(&text)
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
}

/// A workload whose expectations take many times longer to answer than it runs: a hundred million pairs of operations. Where a
/// machine is so quick that they are answered within the second that is left to it, that is its answer.
#[test]
fn interrupted_while_its_report_is_made_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["pairs.kdl", "pairs.pftrace"];
    let [workload, saved] = names.map(|it| folder.path().join(it));
    let launch = |name: &str| {
        format!("launch \"spin\" on=\"{name}\" label=\"{name}\" {{ set \"micros\" 1; }}")
    };
    let apart = "apart \"p\" \"q\" at-least=0\n".repeat(40);
    let (one, other) = (launch("p"), launch("q"));
    let source = format!(
        "stream \"p\"\nstream \"q\"\nhost \"m\" {{ repeat 5000 {{ {one}; {other}; }}; }}\nexpect {{\n{apart}}}"
    );
    std::fs::write(&workload, source).unwrap();
    let mut child = binary()
        .arg("run")
        .arg(&workload)
        .args(["--backend", "mock", "--save"])
        .arg(&saved)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let has_ended = || {
        let is_there = std::fs::metadata(&saved).is_ok_and(|it| it.len() > 0);
        is_there && open(&saved).end().is_some()
    };
    while !has_ended() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(50));
    }
    if child.try_wait().unwrap().is_none() {
        signal(&child, "-INT");
    }
    let output = child.wait_with_output().unwrap();
    let (code, said) = (output.status.code(), text(&output.stdout));
    let is_stopped = code == Some(130) && said.is_empty();
    let is_answered = code == Some(1) && said.contains("more than 100000000");
    assert!(
        is_stopped || is_answered,
        "{code:?}: {said} {}",
        text(&output.stderr)
    );
}

#[test]
fn a_machine_that_the_workload_does_not_have_is_named() {
    for (workload, words) in [
        ("two-machines", "there are left, right"),
        ("double-buffer", "places nothing on machines"),
    ] {
        let mut command = binary();
        let output = command
            .args(["run", workload, "--machine", "middle=host"])
            .output()
            .unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("“middle”") && said.contains(words), "{said}");
    }
}

#[test]
fn a_run_on_a_graphics_device_says_nothing_of_an_absent_display() {
    let output = binary()
        .args(["run", "single-stream", "--backend", "wgpu"])
        .env_remove("XDG_RUNTIME_DIR")
        // Mesa complains where it finds no home to keep shaders in.
        .env("MESA_SHADER_CACHE_DISABLE", "true")
        .output()
        .unwrap();
    if output.status.code() == Some(2) {
        return eprintln!("skipped: {}", text(&output.stderr));
    }
    assert_eq!(text(&output.stderr), "");
}

/// A file that may not grow is one that cannot be written, and not the end of the process (`ulimit -f` counts 512 bytes each).
#[test]
fn a_file_that_may_not_grow_is_told_as_not_saved() {
    let folder = tempfile::tempdir().unwrap();
    let program = syncline();
    let limited = |rest: &str| {
        let script = format!("ulimit -f 8; exec \"$0\" {rest}");
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(script).arg(program);
        shell.current_dir(folder.path()).output().unwrap()
    };
    let ran = limited("run double-buffer --backend mock --save limited.pftrace --format json");
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let told: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert!(
        told["saved"].is_null() && told["save_error"].is_string(),
        "{told}"
    );
    let whole = binary()
        .args([
            "run",
            "double-buffer",
            "--backend",
            "mock",
            "--save",
            "whole.pftrace",
        ])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(whole.status.success(), "{whole:?}");
    let converted = limited("convert whole.pftrace out.json");
    assert_eq!(converted.status.code(), Some(1), "{converted:?}");
    let left = std::fs::read_dir(folder.path()).unwrap();
    let left: Vec<_> = left.map(|it| it.unwrap().file_name()).collect();
    assert!(
        !left
            .iter()
            .any(|it| it.to_string_lossy().ends_with(".part")),
        "{left:?}"
    );
}
