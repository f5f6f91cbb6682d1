//! Part of a capture: a range of time, a lane, a rank, one span; and what is none of it is refused in a sentence.

use std::path::PathBuf;

use serde_json::Value;

use super::lines;
use crate::house::root;

const COMMANDS: [&[&str]; 3] = [&["explain", "--all"], &["idle"], &["critical-path"]];

fn program(name: &str) -> Vec<PathBuf> {
    vec![root().join(format!("tests/data/causes/{name}.json"))]
}

fn path_of(rows: &[Value]) -> Vec<(i64, String, String)> {
    let rows = rows.iter().filter(|it| it["type"] == "path");
    let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    rows.map(|it| {
        let length = it["to_ns"].as_i64().unwrap() - it["from_ns"].as_i64().unwrap();
        (length, text(&it["what"]), text(&it["name"]))
    })
    .collect()
}

fn makespan(rows: &[Value]) -> i64 {
    let found = rows.iter().find(|it| it["type"] == "makespan");
    found.unwrap()["ns"].as_i64().unwrap()
}

/// Truth: all ends at 195 µs; C ran on stream 24 from 66 to 106 µs, after A, which ran from 3 to 63 µs.
#[test]
fn the_critical_path_of_a_lane_ends_where_its_last_operation_did() {
    let files = program("fork_join");
    let whole = lines("critical-path", &files, &[]);
    assert_eq!(makespan(&whole), 195_000);
    let rows = lines("critical-path", &files, &["--lane", "stream 24"]);
    let expected = [
        (3_000, "latency", "A"),
        (60_000, "run", "A"),
        (3_000, "latency", "C"),
        (40_000, "run", "C"),
    ];
    let expected = expected.map(|(length, what, name)| (length, what.into(), name.into()));
    assert_eq!(path_of(&rows), expected);
    assert_eq!(makespan(&rows), 106_000);
    // All lanes of the only rank are all of the capture.
    let of_rank = lines("critical-path", &files, &["--rank", "0"]);
    assert_eq!(path_of(&of_rank), path_of(&whole));
}

#[test]
fn a_range_that_reaches_beyond_the_capture_ends_where_that_does() {
    let files = program("fork_join");
    let whole = makespan(&lines("critical-path", &files, &[]));
    let explained = lines("explain", &files, &["--all"]);
    let zero = explained.iter().filter_map(|it| it["enqueued_ns"].as_i64());
    let zero = zero.min().unwrap();
    let range = format!("{}ns..9s", zero + whole - 50_000);
    let rows = lines("critical-path", &files, &["--range", &range]);
    assert_eq!(makespan(&rows), 50_000);
    let sum: i64 = path_of(&rows).iter().map(|it| it.0).sum();
    assert_eq!(sum, 50_000);
    for row in lines("idle", &files, &["--range", &range]) {
        let fields = row.as_object().unwrap().iter();
        let fields = fields.filter(|(name, _)| name.ends_with("_ns") && *name != "rank_wait_ns");
        let sum: i64 = fields.filter_map(|(_, value)| value.as_i64()).sum();
        assert!(row["type"] != "idle" || sum == 50_000, "{row}");
    }
}

#[test]
fn a_step_that_is_marked_around_more_than_counts_has_a_path_as_long_as_what_counts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("steps.json");
    let span = |category: &str, name: &str, [start, length]: [u32; 2]| {
        format!(
            r#"{{"ph":"X","cat":"{category}","name":"{name}","pid":1,"tid":2,"ts":{start},"dur":{length}}}"#
        )
    };
    let events = [
        span("user_annotation", "ProfilerStep#1", [0, 100]),
        span("cpu_op", "aten::add", [20, 30]),
        span("user_annotation", "ProfilerStep#2", [100, 60]),
        span("cpu_op", "aten::add", [110, 50]),
    ];
    std::fs::write(&file, format!("[{}]", events.join(","))).unwrap();
    let rows = lines("critical-path", &[file], &["--iteration", "1"]);
    assert_eq!(makespan(&rows), 80_000);
    assert_eq!(path_of(&rows).iter().map(|it| it.0).sum::<i64>(), 80_000);
}

#[test]
fn what_is_not_in_a_capture_is_refused_in_a_sentence() {
    let wrong: &[(&[&str], &str)] = &[
        (
            &["--lane", "nope"],
            "no lane is called “nope”; `syncline info` lists the lanes",
        ),
        (
            &["--lane", "stream 25"],
            "no lane is called “stream 25”; did you mean “stream 2",
        ),
        (
            &["--rank", "7"],
            "the capture has no rank 7; `syncline info` lists",
        ),
        (
            &["--range", "9s.."],
            "nothing of the capture lies in --range: it goes from ",
        ),
        (
            &["--range", "9s..10s"],
            "nothing of the capture lies in --range: it goes from ",
        ),
        (
            &["--range", "2ms..1ms"],
            "ends before it begins; write the earlier time first",
        ),
        (&["--iteration", "3"], "the capture has no iterations"),
    ];
    for command in COMMANDS {
        for (more, sentence) in wrong {
            refused(command, more, sentence);
        }
    }
    refused(
        &["explain"],
        &["--span", "4000"],
        "no span has the number 4000",
    );
    let rows = lines("explain", &program("fork_join"), &["--all"]);
    let last = rows.iter().rfind(|it| it["name"] == "D").unwrap();
    let number = last["span"].to_string();
    let more = ["--span", &number, "--range", "0..1ns"];
    refused(&["explain"], &more, "outside of what was asked about");
    let more = ["--span", &number, "--lane", "stream 24"];
    refused(&["explain"], &more, "which --rank or --lane leaves out");
}

fn refused(command: &[&str], more: &[&str], sentence: &str) {
    let file = program("fork_join").remove(0).display().to_string();
    let arguments = [&["syncline"], command, &[file.as_str()], more].concat();
    let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = app::cli::run(&arguments, &mut out, &mut err);
    let said = String::from_utf8_lossy(&err);
    assert_eq!(code, 2, "{arguments:?}: {said}");
    assert!(said.contains(sentence), "{arguments:?}: {said}");
    assert!(!said.contains("  `") && out.is_empty(), "{said}");
}
