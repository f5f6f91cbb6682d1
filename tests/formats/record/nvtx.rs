//! Programs that call NVTX are recorded without CUDA: each writes a plain log of itself, and a script of its own compares that
//! with the recording.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use engine::capture::{Capture, PlacedSpan};
use engine::record::Group;
use engine::time::{Interval, Nanos};

use super::open;
use crate::house::program::syncline;
use crate::house::root;

/// NVTX as `.ci/nvtx` downloads it; nothing, and a word why, where it is not there, which `REQUIRE_NVTX` makes a failure.
pub(super) fn nvtx() -> Option<PathBuf> {
    let named = std::env::var_os("SYNCLINE_NVTX").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| root().join("target/nvtx"));
    if folder.join("complete").exists() {
        return Some(folder);
    }
    let text = "skipped: NVTX is not downloaded; .ci/nvtx target/nvtx does that";
    assert!(std::env::var_os("REQUIRE_NVTX").is_none(), "{text}");
    eprintln!("{text}");
    None
}

/// Builds a program in C with what the compiler is told.
pub(super) fn build(folder: &Path, source: &str, words: &[&str], paths: &[PathBuf]) -> PathBuf {
    let program = folder.join("program");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-std=gnu11", "-O1", "-o"])
        .arg(&program)
        .args(words)
        .arg(root().join("tests/nvtx").join(source))
        .args(paths)
        .args(["-ldl", "-lpthread"]);
    let output = compiler.output().expect("there is a compiler for C");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    program
}

pub(super) fn said(output: &Output) -> String {
    let both = [&output.stdout, &output.stderr];
    both.map(|it| String::from_utf8_lossy(it)).concat()
}

/// Records a program that is given the path of its log.
fn record(folder: &Path, command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let left = std::fs::read_dir(folder).unwrap().flatten();
    let left = left.filter(|it| {
        it.file_name()
            .to_string_lossy()
            .starts_with("syncline-record")
    });
    assert_eq!(left.count(), 0, "what was written meanwhile is gone");
    said(&output)
}

fn recorder(folder: &Path) -> Command {
    let mut command = Command::new(syncline());
    command
        .args(["record", "--headless", "-o"])
        .arg(folder.join("out.pftrace"))
        .arg("--")
        .env("TMPDIR", folder);
    command
}

/// Has the script compare what was recorded with the log.
fn compare(folder: &Path) -> String {
    let capture = folder.join("out.json");
    let output = Command::new(syncline())
        .arg("convert")
        .arg(folder.join("out.pftrace"))
        .arg(&capture)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let output = Command::new("python3")
        .arg(root().join("tests/oracle/nvtx.py"))
        .arg(folder.join("log"))
        .arg(&capture)
        .output()
        .expect("there is Python");
    assert!(output.status.success(), "{}", said(&output));
    said(&output)
}

/// Builds, records and compares, and answers with what the recorder said.
fn in_c(words: &[&str], paths: &[PathBuf]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let program = build(folder.path(), "ranges.c", words, paths);
    let mut command = recorder(folder.path());
    command.arg(program).arg(folder.path().join("log"));
    let said = record(folder.path(), &mut command);
    let compared = compare(folder.path());
    assert!(compared.contains("'worker A', 'worker B'"), "{compared}");
    let capture = open(&folder.path().join("out.pftrace"));
    assert_nested(&capture);
    assert!(capture.problems().is_empty(), "{said}");
    for note in [
        "3 ranges were never ended",
        "1 pop has no range that was pushed on its thread in its domain",
        "1 end is of a range that never started",
        "1 text was given by a handle that nobody registered",
        "1 text was longer than 4096 bytes and is cut",
        "3 structures have sizes that no version of NVTX has",
    ] {
        assert!(said.contains(note), "“{note}” in: {said}");
    }
    said
}

/// Checks that of each lane of a host thread everything lies above what it contains.
pub(super) fn assert_nested(capture: &Capture) {
    let hosts = capture.lanes().iter().filter(|it| it.group == Group::Host);
    for lane in hosts.map(|it| it.id) {
        let mut around: Vec<PlacedSpan> = Vec::new();
        let all = Interval::new(Nanos::MIN, Nanos::MAX);
        for placed in capture.spans_by_start(lane, all) {
            around.retain(|it| it.span.end > placed.span.start);
            let contains = |it: &&PlacedSpan| {
                it.span.end >= placed.span.end && it.interval() != placed.interval()
            };
            let name = |it: &PlacedSpan| capture.name(it.span.name).to_owned();
            for outer in around.iter().filter(contains) {
                let both = (name(outer), outer.depth, name(&placed), placed.depth);
                assert!(outer.depth < placed.depth, "{both:?}");
            }
            around.push(placed);
        }
    }
}

pub(super) fn include(folder: &Path) -> String {
    format!("-I{}", folder.display())
}

#[test]
fn calls_of_the_newest_header_are_recorded_as_the_program_logged_them() {
    let Some(nvtx) = nvtx() else { return };
    let headers = include(&nvtx.join("nvidia/cu13/include"));
    let said = in_c(&["-DNEWEST", &headers], &[]);
    assert!(
        said.contains("1 payload is of a schema that was not registered"),
        "{said}"
    );
    assert!(
        said.contains("1 sample is of a counter that nobody registered"),
        "{said}"
    );
}

#[test]
fn calls_of_an_older_header_of_version_3_are_recorded() {
    let Some(nvtx) = nvtx() else { return };
    in_c(&[&include(&nvtx.join("nvidia/nvtx/include"))], &[]);
}

#[test]
fn calls_of_the_library_of_version_2_are_recorded() {
    let Some(nvtx) = nvtx() else { return };
    let folder = nvtx.join("nvidia/nvtx");
    let headers = include(&folder.join("include"));
    let library = folder.join("lib/libnvToolsExt.so.1");
    let path = format!("-Wl,-rpath,{}", folder.join("lib").display());
    in_c(&["-DVERSION_2", &headers, &path], &[library]);
}

/// By the Python that NVTX was downloaded for, and by that of the engines, which has `NumPy`.
#[test]
fn calls_of_the_package_for_python_are_recorded() {
    let Some(nvtx) = nvtx() else { return };
    let with_numpy = crate::formats::datasets::engines::python();
    for python in [Some(PathBuf::from("python3")), with_numpy]
        .into_iter()
        .flatten()
    {
        let folder = tempfile::tempdir().unwrap();
        let mut command = recorder(folder.path());
        command.arg(&python);
        command.arg(root().join("tests/nvtx/ranges.py"));
        command
            .arg(folder.path().join("log"))
            .env("PYTHONPATH", &nvtx);
        record(folder.path(), &mut command);
        let compared = compare(folder.path());
        assert!(compared.starts_with("191 range, "), "{compared}");
    }
}

/// The types that NVTX's header wants to be called as in `cuda.h`, which its wheel has not.
const CUDA_TYPES: &str = "typedef int CUdevice; typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream; typedef struct CUevent_st *CUevent;
";

#[test]
fn names_of_devices_and_streams_are_those_of_the_program() {
    let Some(nvtx) = nvtx() else { return };
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cuda.h"), CUDA_TYPES).unwrap();
    let own = include(folder.path());
    let headers = include(&nvtx.join("nvidia/cu13/include"));
    let program = build(folder.path(), "streams.c", &[&own, &headers], &[]);
    let mut command = recorder(folder.path());
    command.arg(program);
    command.env(
        "SYNCLINE_TEST_CUDA_STAND_IN",
        crate::house::program::stand_in(),
    );
    let said = record(folder.path(), &mut command);
    let capture = open(&folder.path().join("out.pftrace"));
    let lanes: Vec<&str> = capture.lanes().iter().map(|it| it.name.as_str()).collect();
    for name in ["copies: Stream", "results: Stream"] {
        assert!(
            lanes.iter().any(|it| it.starts_with(name)),
            "{lanes:?}: {said}"
        );
    }
    assert!(
        capture.devices()[0].name.starts_with("the first: "),
        "{said}"
    );
    assert!(said.contains("event “half way”"), "{said}");
    // The range lies around the calls of its thread.
    let spans: Vec<_> = capture.spans().collect();
    let range = spans
        .iter()
        .find(|it| capture.name(it.span.name) == "upload all")
        .unwrap();
    let within = spans.iter().filter(|it| {
        let is_call = capture.name(it.span.name) == "cuMemcpyHtoDAsync_v2";
        is_call
            && it.span.lane == range.span.lane
            && it.span.start >= range.span.start
            && it.span.end <= range.span.end
    });
    assert_eq!(within.count(), 2, "{said}");
}

/// Records ten steps of 20 ms within a window, and answers with what was said and the code.
fn steps(window: &[&str]) -> Option<(tempfile::TempDir, Output)> {
    let nvtx = nvtx()?;
    let folder = tempfile::tempdir().unwrap();
    let headers = include(&nvtx.join("nvidia/cu13/include"));
    let program = build(folder.path(), "ranges.c", &[&headers], &[]);
    let output = Command::new(syncline())
        .args(["record", "--headless"])
        .args(window)
        .arg("-o")
        .arg(folder.path().join("out.pftrace"))
        .arg("--")
        .arg(program)
        .arg(folder.path().join("log"))
        .arg("steps")
        .env("TMPDIR", folder.path())
        .output()
        .unwrap();
    Some((folder, output))
}

/// Names and times of what was kept, in nanoseconds since the program was started.
fn kept(folder: &Path) -> Vec<(String, i64, i64)> {
    let capture = open(&folder.join("out.pftrace"));
    let spans = capture.spans().map(|placed| placed.span);
    let spans = spans.map(|it| (capture.name(it.name).to_owned(), it.start.0, it.end.0));
    spans.collect()
}

#[test]
fn of_a_window_of_ranges_what_they_hold_is_kept() {
    let Some((folder, output)) = steps(&["--range", "nvtx:step:3..5"]) else {
        return;
    };
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let kept = kept(folder.path());
    for name in ["step", "part", "mark"] {
        let count = kept.iter().filter(|(it, ..)| it == name).count();
        assert_eq!(count, 3, "{name} of {kept:?}");
    }
    let text =
        "3 of 10 ranges “step”. 21 activities, ranges and samples outside of it were left out";
    assert!(said(&output).contains(text), "{}", said(&output));
    // The log says when: the third to the fifth.
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    let moment = |line: &str, place: usize| line.split('\t').nth(place).unwrap().parse().unwrap();
    let lines = log.lines().filter(|line| line.contains("\tstep\t"));
    let logged: Vec<(i64, i64)> = lines.map(|it| (moment(it, 5), moment(it, 8))).collect();
    let mut steps: Vec<(i64, i64)> = kept
        .iter()
        .filter(|(name, ..)| name == "step")
        .map(|(_, start, end)| (*start, *end))
        .collect();
    steps.sort_unstable();
    let wanted = &logged[2..5];
    for ((start, end), (first, last)) in steps.iter().zip(wanted) {
        assert!(end - start <= last - first && end - start + 1_000_000 > last - first);
        let (own, logged) = (start - steps[0].0, first - wanted[0].0);
        assert!((own - logged).abs() < 1_000_000, "{own} {logged}");
    }
}

#[test]
fn a_range_that_never_comes_is_told_with_those_that_did() {
    let Some((folder, output)) = steps(&["--range", "nvtx:stop@io"]) else {
        return;
    };
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let text =
        "the range “stop@io” never came, so nothing was kept; others did, such as “part”, “step”";
    assert!(said(&output).contains(text), "{}", said(&output));
    assert!(kept(folder.path()).is_empty());
}

#[test]
fn of_a_window_of_time_what_touches_it_is_kept() {
    let window = ["--delay", "50ms", "--duration", "60ms"];
    let Some((folder, output)) = steps(&window) else {
        return;
    };
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let kept = kept(folder.path());
    assert!(!kept.is_empty() && kept.len() < 30, "{kept:?}");
    for (name, start, end) in &kept {
        assert!(
            *end >= 50_000_000 && *start < 110_000_000,
            "{name} {start} {end}"
        );
    }
    let left = 30 - kept.len();
    let text = format!("from 0.05 s after the start of the program on, for 0.06 s. {left} ");
    assert!(said(&output).contains(&text), "{}", said(&output));
    // The file says it as well.
    let capture = open(&folder.path().join("out.pftrace"));
    let notes = capture.notes();
    assert!(notes.iter().any(|it| it.contains(&text)), "{notes:?}");
}

#[test]
fn a_program_without_any_call_says_what_would_have_been_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = recorder(folder.path());
    let output = command.arg("true").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let text = "none initialised CUDA or called NVTX";
    assert!(said(&output).contains(text), "{}", said(&output));
}
