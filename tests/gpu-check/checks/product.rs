//! What Syncline itself does on the device: its backends, its workloads, its conformance, and losses of the device.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

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

/// What is run. The last has a fault to find: what it expects does not hold.
const WORKLOADS: &[&str] = &[
    "single-stream",
    "two-streams",
    "fork-join",
    "diamond",
    "double-buffer",
    "ways-to-wait",
    "legacy-stream",
    "join-streams",
    "stream-ordered-memory",
    "tile-matmul",
    "histogram",
    "heat",
    "graph-fork-join",
    "recorded-launch",
    FAULTY,
];
const FAULTY: &str = "missing-wait";

/// What a run came to that it should not: its end, and what it expected of order and numbers. Shares of time are the
/// device's to decide.
fn complaints(output: &Output) -> Vec<String> {
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let text =
        |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let outcome = text(&answer, "outcome").unwrap_or_else(|| last(output));
    let expectations = answer.get("expectations").and_then(Value::as_array);
    let failed = expectations.into_iter().flatten().filter_map(|it| {
        let expected = text(it, "text")?;
        let is_share = expected.starts_with("overlap") || expected.starts_with("busy");
        let holds = it.get("holds").and_then(Value::as_bool).unwrap_or_default();
        (!holds && !is_share).then_some(expected)
    });
    let ended = Some(outcome).filter(|it| it != "finished");
    ended.into_iter().chain(failed).collect()
}

/// Workloads end, in the right order and with the right numbers.
pub fn workloads(report: &mut Report) -> Result<(), String> {
    let saved = report.place("double-buffer.pftrace");
    let saved = saved.to_string_lossy();
    let mut wrong = Vec::new();
    for name in WORKLOADS {
        let mut arguments = vec!["run", name, "--backend", "cuda", "--format", "json"];
        if *name == "double-buffer" {
            arguments.extend(["--save", &saved]);
        }
        let found = complaints(&syncline(&arguments)?);
        if found.is_empty() == (*name == FAULTY) {
            wrong.push(format!("{name}: {}", found.join(", ")));
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
        // Each opens a context of its own, which takes half a second.
        .env("SYNCLINE_GENERATED", "150")
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

/// Generated workloads, compared with a model of their order and numbers.
pub fn generated(report: &mut Report) -> Result<(), String> {
    tests(
        report,
        &["generated_workloads_run_on_cuda"],
        "generated.log",
    )
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
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
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
