//! The bundled questions over captures of other people's tools, against a script that answers them from the exports.

use std::path::Path;
use std::process::Command;

use app::cli::{CUT, FINE, WRONG, run};
use engine::query::questions;
use serde_json::Value;

use super::real::path;
use crate::house::root;

/// Small ones, which are always there.
pub const SMALL: &[&str] = &[
    "torch-steps.json.gz",
    "torch-gloo-rank0.json.gz",
    "jax-devices.xplane.pb.gz",
    "tensorflow.xplane.pb",
    "wgpu-profiler.json",
    "extra-counters.pftrace",
];
/// Those of the folder of captures.
pub const REAL: &[&str] = &[
    "kineto/hta_cp_event_sync_multi_stream.json.gz",
    "kineto/hta_cp_alexnet.json.gz",
    "kineto/param_dlrm8/worker0_step_12.1694128201545.pt.trace.json.gz",
    "nsys/nsightful_power_iteration.sqlite",
    "rocm/rocsys_rocpd-3638851.db",
];

pub fn syncline(arguments: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = run(["syncline"].iter().chain(arguments), &mut out, &mut err);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (code, text(out), text(err))
}

/// The answer, of a command that has one.
pub fn answer(arguments: &[&str]) -> String {
    let (code, out, err) = syncline(arguments);
    assert_eq!(code, FINE, "{arguments:?}: {err}");
    out
}

/// The rows that a script finds by hand; nothing, and a word why, where it cannot run.
fn by_hand(capture: &str) -> Option<Value> {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    answer(&["convert", capture, &at("spans.csv")]);
    answer(&["convert", capture, &at("x.dependencies.csv")]);
    answer(&["convert", capture, &at("x.counters.csv")]);
    std::fs::rename(at("x.dependencies.csv"), at("dependencies.csv")).unwrap();
    std::fs::rename(at("x.counters.csv"), at("counters.csv")).unwrap();
    for (name, command) in [
        ("idle.jsonl", &["idle"][..]),
        ("path.jsonl", &["critical-path"]),
        ("explain.jsonl", &["explain", "--all"]),
        ("info.json", &["info"]),
    ] {
        let arguments = [command, &[capture, "--format", "json"]].concat();
        std::fs::write(at(name), answer(&arguments)).unwrap();
    }
    let script = root().join("tests/oracle/questions.py");
    let mut python = Command::new("python3");
    let Ok(output) = python.arg(script).arg(folder.path()).output() else {
        eprintln!("skipped: there is no python3 to answer the questions by hand");
        return None;
    };
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{capture}: {complaint}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// The rows of a bundled question.
fn rows(capture: &str, question: &str) -> Vec<Vec<Value>> {
    let out = answer(&["query", capture, "-q", question, "--format", "json"]);
    let found = questions().iter().find(|it| it.name == question).unwrap();
    let row = |line: &str| {
        let object: Value = serde_json::from_str(line).unwrap();
        let columns = found.columns();
        columns.iter().map(|it| object[it].clone()).collect()
    };
    out.lines().map(row).collect()
}

/// Without what the script does not know, or in an order of its own.
fn comparable(question: &str, mut rows: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    for row in &mut rows {
        match question {
            // The number of a lane is not exported.
            "first-and-last" | "busy-by-stream" | "host-blocked" => row[2] = Value::Null,
            "idle-by-reason" => {
                for place in [2, 5, 7] {
                    row[place] = Value::Null;
                }
            }
            _ => {}
        }
    }
    if question == "first-and-last" {
        rows.sort_by_key(|row| Value::from(row.clone()).to_string());
    }
    rows
}

/// All gaps together are the times in which the streams ran nothing, each once. What they are spent on is another matter.
fn check_gaps(capture: &str, rows: &[Vec<Value>], idle: &[Value]) {
    let sql = "SELECT lane, lane_id, ts, ts + dur AS ended FROM gaps ORDER BY lane_id, ts";
    let out = answer(&["query", capture, sql, "--format", "json"]);
    let mut found: Vec<(String, i64, i64, i64)> = Vec::new();
    for line in out.lines() {
        let gap: Value = serde_json::from_str(line).unwrap();
        let number = |name: &str| gap[name].as_i64().unwrap();
        let (lane, start, end) = (number("lane_id"), number("ts"), number("ended"));
        match found.last_mut() {
            Some(last) if (last.1, last.3) == (lane, start) => last.3 = end,
            last => {
                let is_behind = last.is_none_or(|it| it.1 != lane || it.3 < start);
                assert!(
                    is_behind,
                    "{capture}: {gap} begins before the one before it ends"
                );
                found.push((gap["lane"].as_str().unwrap().to_owned(), lane, start, end));
            }
        }
    }
    let found = found
        .into_iter()
        .map(|it| serde_json::json!([it.0, it.2, it.3]));
    let mut found: Vec<Value> = found.collect();
    found.sort_by_key(|it| {
        (
            it[0].as_str().unwrap().to_owned(),
            it[1].as_i64(),
            it[2].as_i64(),
        )
    });
    let other = found.iter().zip(idle).find(|it| it.0 != it.1);
    assert!(other.is_none(), "{capture}: {other:?}");
    assert_eq!(found.len(), idle.len(), "{capture}");
    let lengths: Vec<i64> = rows.iter().filter_map(|it| it[4].as_i64()).collect();
    assert!(
        lengths.is_sorted_by(|a, b| a >= b),
        "{capture}: {lengths:?}"
    );
}

/// Asks every question; says how many had rows.
fn compare(capture: &str) -> usize {
    let Some(by_hand) = by_hand(capture) else {
        return 0;
    };
    let mut some = 0;
    for question in questions() {
        let name = question.name;
        let expected = by_hand[name]
            .as_array()
            .unwrap_or_else(|| panic!("{name} is not answered by hand"));
        let found = rows(capture, name);
        some += usize::from(!found.is_empty());
        if name == "longest-gaps" {
            check_gaps(capture, &found, expected);
            continue;
        }
        let expected = expected.iter().map(|row| row.as_array().unwrap().clone());
        let expected = comparable(name, expected.collect());
        assert_eq!(comparable(name, found), expected, "{capture}: {name}");
    }
    some
}

#[test]
fn small_captures_answer_the_questions_as_a_script_does() {
    let mut some = 0;
    for name in SMALL {
        let capture = root().join("tests/data/captures").join(name);
        some += compare(&capture.display().to_string());
    }
    eprintln!("{some} answers had rows");
}

#[test]
fn real_captures_answer_the_questions_as_a_script_does() {
    for name in REAL {
        if let Some(capture) = path(name) {
            let some = compare(&capture.display().to_string());
            eprintln!("{name}: {some} answers had rows");
        }
    }
}

/// Kernels of one stream run beside its waits for events.
#[test]
fn gaps_are_where_a_stream_ran_nothing_beside_waits_too() {
    for name in ["level1_rank0", "level1_rank1"] {
        let Some(capture) = path(&format!("ascend/{name}/trace_view.json")) else {
            continue;
        };
        let capture = capture.display().to_string();
        if let Some(by_hand) = by_hand(&capture) {
            let rows = rows(&capture, "longest-gaps");
            check_gaps(&capture, &rows, by_hand["longest-gaps"].as_array().unwrap());
        }
    }
}

fn small() -> String {
    let capture: &Path = &root().join("tests/data/captures/torch-steps.json.gz");
    capture.display().to_string()
}

#[test]
fn the_command_prints_tables_csv_and_json() {
    let sql =
        "SELECT step, name, dur * 1e-6 AS ms, NULL AS absent FROM steps ORDER BY step LIMIT 2";
    let table = answer(&["query", &small(), sql]);
    assert_eq!(
        table,
        "step  name               ms  absent\n   1  ProfilerStep#2  1.393    NULL\n   2  ProfilerStep#3  0.416    NULL\n"
    );
    let csv = answer(&["query", &small(), sql, "--format", "csv"]);
    assert!(
        csv.starts_with("step,name,ms,absent\n1,ProfilerStep#2,1.39284"),
        "{csv}"
    );
    let json = answer(&["query", &small(), sql, "--format", "json"]);
    assert!(
        json.starts_with("{\"step\":1,\"name\":\"ProfilerStep#2\",\"ms\":1.39284"),
        "{json}"
    );
    let none = answer(&["query", &small(), "SELECT id FROM spans WHERE id < 0"]);
    assert_eq!(none, "no rows\n");
}

#[test]
fn exit_codes_say_what_is_wrong_and_what_was_cut_off() {
    let (code, out, err) =
        syncline(&["query", &small(), "SELECT id FROM spans", "--max-rows", "3"]);
    assert_eq!((code, out.lines().count()), (CUT, 4));
    assert!(
        err.contains("only the first 3 rows are printed") && err.contains("--max-rows"),
        "{err}"
    );
    let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let (code, out, err) = syncline(&["query", &small(), endless, "--max-time", "1"]);
    assert_eq!((code, out.as_str()), (CUT, ""));
    assert!(err.contains("ended after 1 s"), "{err}");
    let large = "SELECT a.id FROM spans a, spans b ORDER BY a.name || b.name";
    let (code, _, err) = syncline(&["query", &small(), large, "--max-memory", "20"]);
    assert_eq!(code, CUT, "{err}");
    assert!(err.contains("held 20 MB"), "{err}");
    for (arguments, word) in [
        (
            &["query", &small(), "SELECT\n  nme FROM spans"][..],
            "line 2, character 3: there is no column “nme”; did you mean name?\n    nme FROM spans\n    ^",
        ),
        (&["query", &small()], "there is no question"),
        (
            &["query", &small(), "-q", "top-kernel"],
            "did you mean “top-kernels”?",
        ),
        (
            &["query", &small(), "-q", "top-kernels", "--set", "n=1"],
            "no value to change",
        ),
        (
            &[
                "query",
                &small(),
                "-q",
                "longest-gaps",
                "--set",
                "least_ns=x",
            ],
            "not a number",
        ),
        (
            &["query", &small(), "-f", "/nowhere.sql"],
            "there is no file",
        ),
        (&["query", "/nowhere.json", "SELECT 1"], "/nowhere.json"),
    ] {
        let (code, _, err) = syncline(arguments);
        assert_eq!(code, WRONG, "{arguments:?}");
        assert!(err.contains(word), "{arguments:?}: {err}");
    }
}

#[test]
fn questions_are_listed_and_asked_from_files_with_other_values() {
    let list = answer(&["query", "--list"]);
    for question in questions() {
        assert!(
            list.contains(question.name) && list.contains(question.sentence()),
            "{list}"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("question.sql").display().to_string();
    std::fs::write(&file, "WITH p AS (SELECT 1 AS least)\nSELECT count(*) AS n FROM steps WHERE step >= (SELECT least FROM p)").unwrap();
    assert_eq!(answer(&["query", &small(), "-f", &file]), "n\n3\n");
    assert_eq!(
        answer(&["query", &small(), "-f", &file, "--set", "least=3"]),
        "n\n1\n"
    );
    let (code, out, err) = syncline(&["query", &small(), "-q", "stragglers"]);
    assert_eq!((code, out.as_str()), (FINE, "no rows\n"));
    assert!(err.contains("needs rows in collectives"), "{err}");
}
