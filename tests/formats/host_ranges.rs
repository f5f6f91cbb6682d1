//! What ranges of the host launched, and what called what, against a script that reads the raw files.

use std::path::{Path, PathBuf};
use std::process::Command;

use app::cli::WRONG;
use serde_json::{Value, json};

use super::questions::{answer, syncline};
use super::real::path;
use crate::house::root;

/// Every tree, from the outermost calls in and from the bottom up.
const TREES: &[&str] = &[
    "nvtx",
    "nvtx-up",
    "python",
    "python-up",
    "operators",
    "operators-up",
];

/// Captures that are always there.
const SMALL: [&str; 3] = [
    "host-ranges.json",
    "torch-h100.json.gz",
    "torch-steps.json.gz",
];

/// Those of the folder of captures, and the trees that a script finds in good time. The last one ties forward and backward passes.
const REAL: [(&str, &[&str]); 6] = [
    ("kineto/hta_cp_alexnet.json.gz", TREES),
    ("kineto/hta_trace_diff_control.json.gz", TREES),
    ("kineto/kineto_resnet50_w4_a.json.gz", TREES),
    (
        "kineto/tl_b200_eager.json.gz",
        &["nvtx", "nvtx-up", "python", "operators", "operators-up"],
    ),
    ("kineto/tl_sglang_qwen3_decode.json.gz", TREES),
    ("kineto/amd_hpcte_merged_all_events.json.gz", &["nvtx"]),
];

/// What the script says; nothing, and a word why, where it cannot run.
fn by_hand(file: &Path, trees: &[&str]) -> Option<Value> {
    let script = root().join("tests/oracle/host_ranges.py");
    let mut python = Command::new("python3");
    let Ok(output) = python.arg(script).arg(file).args(trees).output() else {
        eprintln!("skipped: there is no python3 to read the raw files with");
        return None;
    };
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {complaint}", file.display());
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// The objects that a command prints.
fn objects(arguments: &[&str]) -> Vec<Value> {
    let out = answer(&[arguments, &["--format", "json"]].concat());
    out.lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect()
}

/// The projections of a file as the script has them.
fn projections(file: &str) -> Vec<Value> {
    let rows = objects(&["project", file]);
    let number = |row: &Value, field: &str| row[field].as_i64().unwrap();
    let zero = rows.first().map_or(0, |row| number(row, "start_ns"));
    let row = |row: &Value| {
        let since = |field| number(row, field) - zero;
        let share = number(row, "busy_ns") as f64 / number(row, "projected_ns").max(1) as f64;
        assert!((row["share"].as_f64().unwrap() - share).abs() < 1e-9 || share == 0.0);
        json!([
            row["name"],
            row["level"],
            since("start_ns"),
            row["duration_ns"],
            since("projected_start_ns"),
            since("projected_end_ns"),
            row["busy_ns"],
            row["operations"],
            row["linked_operations"],
        ])
    };
    rows.iter().map(row).collect()
}

/// A tree as the script has it, once each row was found to lie right below its parent.
fn tree(file: &str, name: &str) -> Vec<Value> {
    let level = name.trim_end_matches("-up");
    let mut arguments = vec!["tree", file, "--of", level];
    if name.ends_with("-up") {
        arguments.push("--bottom-up");
    }
    let mut paths: Vec<Vec<Value>> = Vec::new();
    let mut found = Vec::new();
    for (place, row) in objects(&arguments).iter().enumerate() {
        assert_eq!(row["node"], place);
        let parent = row["parent"].as_u64();
        let mut path = parent.map_or_else(Vec::new, |it| paths[it as usize].clone());
        assert_eq!(row["depth"], path.len());
        path.push(row["name"].clone());
        let counts = [
            "count",
            "host_total_ns",
            "host_self_ns",
            "device_ns",
            "launches",
            "bytes",
        ];
        let counts = counts.map(|it| row[it].clone());
        found.push(Value::from(
            [&[Value::from(path.clone())], &counts[..]].concat(),
        ));
        paths.push(path);
    }
    found
}

/// In one order, whatever that is.
fn sorted(rows: &[Value]) -> Vec<String> {
    let mut rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
    rows.sort();
    rows
}

fn compare(file: &Path, trees: &[&str]) {
    let Some(expected) = by_hand(file, trees) else {
        return;
    };
    let shown = file.display().to_string();
    let found = projections(&shown);
    let wanted = expected["projections"].as_array().unwrap();
    for (found, wanted) in found.iter().zip(wanted) {
        assert_eq!(found, wanted, "{shown}");
    }
    assert_eq!(found.len(), wanted.len(), "{shown}");
    for name in trees {
        let wanted = expected["trees"][*name].as_array().unwrap();
        let (found, wanted) = (sorted(&tree(&shown, name)), sorted(wanted));
        for (found, wanted) in found.iter().zip(&wanted) {
            assert_eq!(found, wanted, "{shown}: {name}");
        }
        assert_eq!(found.len(), wanted.len(), "{shown}: {name}");
    }
}

fn small(name: &str) -> PathBuf {
    root().join("tests/data/captures").join(name)
}

#[test]
fn projections_and_trees_of_small_captures_are_those_of_a_script() {
    for name in SMALL {
        compare(&small(name), TREES);
    }
}

#[test]
fn projections_and_trees_of_real_captures_are_those_of_a_script() {
    for (name, trees) in REAL {
        if let Some(file) = path(name) {
            compare(&file, trees);
        }
    }
}

#[test]
fn what_is_asked_about_is_what_is_projected() {
    let file = small("host-ranges.json").display().to_string();
    let names = |arguments: &[&str]| {
        let rows = objects(&[&["project", &file], arguments].concat());
        let names = rows
            .iter()
            .map(|it| it["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let crossing = ["all", "load", "compute"];
    assert_eq!(names(&["--lane", "thread 3"]), crossing);
    assert_eq!(
        names(&["--range", "505us..600us", "--of", "nvtx"]),
        crossing
    );
    assert_eq!(names(&["--range", "552us..553us"]), ["all", "compute"]);
    // Of a stream, ranges with what they launched there.
    let rows = objects(&["project", &file, "--lane", "stream 13", "--of", "operators"]);
    let rows = rows
        .iter()
        .map(|it| (it["name"].as_str().unwrap(), it["operations"].as_u64()));
    assert_eq!(
        rows.collect::<Vec<_>>(),
        [
            ("aten::linear", Some(1)),
            ("aten::relu", Some(1)),
            ("AddmmBackward0", Some(1))
        ]
    );
    let rows = objects(&["project", &file, "--same-thread", "--of", "operators"]);
    let all: u64 = rows
        .iter()
        .filter_map(|it| it["linked_operations"].as_u64())
        .sum();
    assert_eq!(all, 0);
    let csv = answer(&["project", &file, "--lane", "thread 3", "--format", "csv"]);
    assert_eq!(csv.lines().count(), 4);
    assert!(csv.starts_with("span,name,level,lane,rank,start_ns,duration_ns,projected_start_ns,"));
    let none = answer(&[
        "project",
        &small("torch-steps.json.gz").display().to_string(),
    ]);
    assert!(none.contains("ties no operation"), "{none}");
}

#[test]
fn a_tree_is_of_a_range_or_of_spans() {
    let file = small("host-ranges.json").display().to_string();
    let tree = |arguments: &[&str]| {
        let rows = objects(&[&["tree", &file, "--of", "operators"], arguments].concat());
        let row = |it: &Value| {
            let number = |field: &str| it[field].as_u64().unwrap();
            let name = it["name"].as_str().unwrap().to_owned();
            (
                name,
                number("count"),
                number("host_total_ns"),
                number("launches"),
            )
        };
        rows.iter().map(row).collect::<Vec<_>>()
    };
    let row = |name: &str, count, total, launches| (name.to_owned(), count, total, launches);
    // What lies inside: half of one operator, and what was called before the end.
    assert_eq!(
        tree(&["--range", "0us..35us"]),
        [
            row("aten::linear", 1, 15_000, 1),
            row("aten::addmm", 1, 13_000, 1)
        ]
    );
    let spans = objects(&["project", &file]);
    let number = |name: &str| {
        let row = spans.iter().find(|it| it["name"] == name).unwrap();
        row["span"].to_string()
    };
    // Of a range of the host, what lies in it.
    let forward = number("forward");
    assert_eq!(
        tree(&["--span", &forward]),
        [
            row("aten::linear", 2, 60_000, 2),
            row("aten::addmm", 2, 40_000, 2),
            row("aten::relu", 1, 10_000, 1)
        ]
    );
    let (code, _, err) = syncline(&["tree", &file, "--of", "nvtx", "--span", "9999"]);
    assert_eq!(code, WRONG);
    assert!(err.contains("no span 9999"), "{err}");
}
