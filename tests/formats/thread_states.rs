//! How threads were scheduled, by ftrace in files of Perfetto, against a machine that knows it, and by the kernel of own runs.

use std::path::Path;
use std::process::Command;

use engine::analysis::ThreadTotals;
use engine::capture::Capture;
use engine::record::{Group, LaneId, ThreadState};
use engine::runner::{RunRequest, run};
use engine::time::Nanos;
use engine::workload::bundled;
use serde_json::{Value, json};

use super::questions::answer;
use crate::house::root;

/// How the script writes what the scheduler did.
const FORMS: [&str; 2] = ["each", "compact"];

/// What the script knows of the file that it wrote; nothing, and a word why, where it cannot run.
fn written(arguments: &[&str], file: &Path) -> Option<Value> {
    let script = root().join("tests/oracle/ftrace.py");
    let mut python = Command::new("python3");
    let Ok(output) = python.arg(script).args(arguments).arg(file).output() else {
        eprintln!("skipped: there is no python3 to write the files with");
        return None;
    };
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// The objects that a command prints.
fn objects(arguments: &[&str]) -> Vec<Value> {
    let out = answer(&[arguments, &["--format", "json"]].concat());
    out.lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect()
}

/// The states of each thread as `syncline threads` has them, in the script's form.
fn states(file: &str) -> Value {
    let mut threads: Vec<(i64, Vec<Value>)> = Vec::new();
    for row in objects(&["threads", file, "--intervals"]) {
        let thread = row["thread"].as_i64().unwrap();
        if threads.last().is_none_or(|it| it.0 != thread) {
            threads.push((thread, Vec::new()));
        }
        let columns = ["start_ns", "duration_ns", "state", "core", "waker"];
        let state = columns.map(|column| row[column].clone());
        threads.last_mut().unwrap().1.push(json!(state));
    }
    threads.sort_by_key(|it| it.0);
    json!(threads)
}

fn expected(told: &Value) -> Value {
    let threads = told["threads"].as_array().unwrap().iter();
    let threads: Vec<Value> = threads.map(|it| json!([it[1], it[2]])).collect();
    json!(threads)
}

/// What of two lists of states differs first.
fn difference(found: &Value, expected: &Value) -> Option<String> {
    if found == expected {
        return None;
    }
    let empty = Vec::new();
    let list = |it: &Value| it.as_array().unwrap_or(&empty).clone();
    for (found, expected) in list(found).iter().zip(&list(expected)) {
        let pairs = list(&found[1]).into_iter().zip(list(&expected[1]));
        for (place, (found_state, state)) in pairs.enumerate() {
            if found_state != state {
                return Some(format!(
                    "thread {} against {}, state {place}: {found_state} in place of {state}",
                    found[0], expected[0]
                ));
            }
        }
    }
    Some("other threads, or fewer states".to_owned())
}

#[test]
fn threads_are_what_a_machine_says_that_wrote_ftrace() {
    let folder = tempfile::tempdir().unwrap();
    for seed in ["1", "2", "3"] {
        for form in FORMS {
            for tracks in ["tracks", "bare"] {
                let file = folder
                    .path()
                    .join(format!("{seed}-{form}-{tracks}.pftrace"));
                let Some(told) = written(&["machine", seed, form, tracks], &file) else {
                    return;
                };
                let name = file.display().to_string();
                let found = states(&name);
                let differs = difference(&found, &expected(&told));
                assert_eq!(differs, None, "{name}");
                let info = answer(&["info", &name]);
                let laneless = told["laneless"].as_u64().unwrap();
                let words = format!("{laneless} thread");
                assert!(info.contains(&words) && info.contains("no lane"), "{info}");
                // What is saved is read again.
                let saved = format!("{name}-saved.pftrace");
                answer(&["convert", &name, &saved]);
                assert_eq!(states(&saved), found, "{name}");
            }
        }
    }
}

#[test]
fn sums_are_those_of_the_states() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sums.pftrace");
    let Some(told) = written(&["machine", "9", "each", "bare"], &file) else {
        return;
    };
    let rows = objects(&["threads", &file.display().to_string()]);
    for thread in told["threads"].as_array().unwrap() {
        let row = rows.iter().find(|it| it["thread"] == thread[1]).unwrap();
        let states = thread[2].as_array().unwrap();
        let sum = |state: &str| {
            let of = states.iter().filter(|it| it[2] == state);
            of.map(|it| it[1].as_i64().unwrap()).sum::<i64>()
        };
        for state in ["running", "runnable", "blocked", "uninterruptible"] {
            assert_eq!(
                row[format!("{state}_ns")],
                sum(state),
                "{state} of {thread}"
            );
        }
        let after = |it: &&[Value]| it[0][2] == "running";
        let left: Vec<&[Value]> = states.windows(2).filter(after).collect();
        let preempted = left.iter().filter(|it| it[1][2] == "runnable").count();
        assert_eq!(row["switches"], left.len());
        assert_eq!(row["preemptions"], preempted);
        let longest = states.iter().filter(|it| it[2] == "runnable");
        let longest = longest.map(|it| it[1].as_i64().unwrap()).max();
        assert_eq!(row["longest_runnable_ns"].as_i64(), longest);
    }
}

#[test]
fn an_operation_was_submitted_late_because_its_thread_had_no_core() {
    let folder = tempfile::tempdir().unwrap();
    for form in FORMS {
        let file = folder.path().join(format!("late-{form}.pftrace"));
        let Some(told) = written(&["late", form], &file) else {
            return;
        };
        let name = file.display().to_string();
        let all = objects(&["explain", &name, "--all"]);
        let of = |name: &str| all.iter().find(|it| it["name"] == name).unwrap();
        let late = &of("gemm_2")["submitted_late"];
        for (field, is) in [
            ("from_ns", &told["from"]),
            ("to_ns", &told["to"]),
            ("runnable_ns", &told["without_core"]),
            ("blocked_ns", &json!(0)),
            ("off_cpu_ns", &json!(0)),
        ] {
            assert_eq!(&late[field], is, "{field} of {late}");
        }
        let said = of("gemm_2")["text"].as_str().unwrap();
        let words =
            "it was submitted late because its thread had no core for 1.80 ms of the 2.00 ms";
        assert!(said.contains(words), "{said}");
        assert!(of("gemm_1").get("submitted_late").is_none());
        let findings = answer(&["info", &name, "--findings"]);
        let kept = "of that time it had no core for 1.80 ms";
        assert!(findings.contains(kept), "{findings}");
        let span = of("gemm_2")["span"].to_string();
        let told = answer(&["explain", &name, "--span", &span]);
        assert!(told.contains(words), "{told}");
    }
}

/// Of own runs the threads of hosts are followed, where the kernel allows that.
#[test]
fn host_threads_of_a_run_are_followed() {
    let mut capture = Capture::new();
    let workload = bundled()
        .iter()
        .find(|it| it.name == "double-buffer")
        .unwrap();
    let request = RunRequest {
        name: workload.name.to_owned(),
        source: workload.source.to_owned(),
        backend: "cpu".to_owned(),
        ..RunRequest::default()
    };
    run(request, |records| capture.apply(records)).unwrap();
    let is_refused = |text: &str| text.contains("when they had no core, is not known");
    let refused = capture.log().iter().find(|it| is_refused(&it.text));
    if let Some(refused) = refused {
        eprintln!("skipped: {}", refused.text);
        return;
    }
    let host = LaneId(0);
    assert_eq!(capture.lane(host).unwrap().group, Group::Host);
    assert_eq!(capture.scheduled_lanes().collect::<Vec<_>>(), [host]);
    let totals = ThreadTotals::of(&capture, host, None).unwrap();
    let sum = totals.running + totals.runnable + totals.off_cpu;
    assert_eq!(sum, totals.known.length(), "{totals:?}");
    assert!(totals.running > Nanos::ZERO && !totals.cores.is_empty());
    // No waker is told, and so not when a thread that waited was ready.
    let states = capture.thread_states(host);
    assert!(states.iter().all(|it| !it.waker.is_some()));
    let is_blocked = |state| matches!(state, ThreadState::Blocked | ThreadState::Uninterruptible);
    assert!(!states.iter().any(|it| is_blocked(it.state)));
    // Every call lies in what is known.
    let spans = capture.spans().filter(|it| it.span.lane == host);
    for placed in spans {
        let at = placed.interval();
        assert_eq!(at.union(totals.known), totals.known, "{at:?}");
    }
}
