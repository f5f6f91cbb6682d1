//! What Syncline itself does on the device: its backends, its workloads, its conformance, and losses of the device.

use std::path::PathBuf;
use std::process::{Command, Output};

use crate::report::Report;

/// A program that lies beside this one.
pub fn beside(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.with_file_name(name)
}

/// What `syncline` says to these arguments.
///
/// # Errors
/// It cannot be started.
pub fn syncline(arguments: &[&str]) -> Result<Output, String> {
    let program = beside("syncline");
    let output = Command::new(&program).args(arguments).output();
    output.map_err(|error| format!("{}: {error}", program.display()))
}

/// The last line of what a program said, for people.
pub fn last(output: &Output) -> String {
    let text = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it).into_owned());
    let text = text.concat();
    text.lines().last().unwrap_or_default().to_owned()
}

/// The backend is there.
pub fn backends(report: &mut Report) -> Result<(), String> {
    let output = syncline(&["backends"])?;
    report.file("backends.txt", &output.stdout)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().filter(|line| line.contains("cuda"));
    report.fact("lines", lines.count());
    output
        .status
        .success()
        .then_some(())
        .ok_or_else(|| last(&output))
}

/// What is run, and how it exits.
const WORKLOADS: &[(&str, i32)] = &[
    ("single-stream", 0),
    ("two-streams", 0),
    ("fork-join", 0),
    ("diamond", 0),
    ("double-buffer", 0),
    ("ways-to-wait", 0),
    ("legacy-stream", 0),
    ("missing-wait", 1),
    ("join-streams", 0),
    ("stream-ordered-memory", 0),
    ("tile-matmul", 0),
    ("histogram", 0),
    ("heat", 0),
    ("graph-fork-join", 0),
    ("recorded-launch", 0),
];

/// Workloads end as they do on the processor, their numbers checked by themselves.
pub fn workloads(report: &mut Report) -> Result<(), String> {
    let saved = report.place("double-buffer.pftrace");
    let saved = saved.to_string_lossy();
    let mut wrong = Vec::new();
    for (name, exit) in WORKLOADS {
        let mut arguments = vec!["run", name, "--backend", "cuda"];
        if *name == "double-buffer" {
            arguments.extend(["--save", &saved]);
        }
        let output = syncline(&arguments)?;
        if output.status.code() != Some(*exit) {
            wrong.push(format!(
                "{name}: {:?}, {}",
                output.status.code(),
                last(&output)
            ));
        }
    }
    report.fact("run", WORKLOADS.len());
    report.fact("wrong", wrong.len());
    wrong
        .is_empty()
        .then_some(())
        .ok_or_else(|| wrong.join("; "))
}

/// The project's own tests, where they were built and named by `GPU_CHECK_TESTS`.
fn tests(report: &mut Report, filters: &[&str], log: &str) -> Result<(), String> {
    let Some(program) = std::env::var_os("GPU_CHECK_TESTS") else {
        report.fact("skipped", "\"GPU_CHECK_TESTS names no tests\"");
        return Ok(());
    };
    let place = report.place(log);
    let output = Command::new(&program)
        .args(filters)
        .args(["--test-threads", "4"])
        .env("REAL_CUDA", "1")
        .env("REQUIRE_BACKENDS", "cuda")
        .env("SYNCLINE_BUILT", beside(""))
        .env("MISUSE_TABLE", report.place("errors.tsv"))
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let results = text.lines().filter(|line| line.starts_with("test result"));
    for result in results {
        report.fact("result", format!("{result:?}"));
    }
    report.file(log, &[output.stdout.as_slice(), &output.stderr].concat())?;
    let why = || format!("see {}", place.display());
    output.status.success().then_some(()).ok_or_else(why)
}

/// Conformance: the table of rules, on the driver.
pub fn conformance(report: &mut Report) -> Result<(), String> {
    let all = ["conformance::", "cuda::", "--skip", "cuda::misuse"];
    tests(report, &all, "conformance.log")
}

/// Which code each misuse gives, as `errors.tsv`; fails where that is not what is kept for the stand-in.
pub fn errors(report: &mut Report) -> Result<(), String> {
    tests(report, &["cuda::misuse"], "errors.log")
}

/// Work that lasts, with a result that no loss may change.
const LONG: &str = include_str!("../long.kdl");

/// The device is lost in each real way, and a new worker comes to the right result.
pub fn losses(report: &mut Report) -> Result<(), String> {
    report.file("long.kdl", LONG.as_bytes())?;
    let long = report.place("long.kdl");
    let long = long.to_string_lossy();
    let mut wrong = Vec::new();
    for way in ["trap", "address", "assertion", "hang", "kill"] {
        let lose = format!("{way}@30ms");
        let run = ["run", &long, "--backend", "cuda", "--lose", &lose];
        let output = syncline(&[&run[..], &["--format", "json"]].concat())?;
        report.file(&format!("loss-{way}.json"), &output.stdout)?;
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let reason = answer
            .pointer("/losses/0/reason")
            .and_then(|it| it.as_str());
        report.fact(way, format!("{:?}", reason.unwrap_or("none")));
        let again = syncline(&[&run[..], &["--recover", "replay"]].concat())?;
        if reason.is_none() || again.status.code() != Some(0) {
            wrong.push(format!(
                "{way}: {:?}, {}",
                again.status.code(),
                last(&again)
            ));
        }
    }
    report.fact("wrong", wrong.len());
    wrong
        .is_empty()
        .then_some(())
        .ok_or_else(|| wrong.join("; "))
}
