//! What allocators had from moment to moment, against a script that reads the raw files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use app::cli::WRONG;
use engine::analysis::memory::{MemoryGroup, MemoryGrouping, MemoryHistory};
use engine::capture::Capture;
use engine::time::Nanos;
use serde_json::{Value, json};

use super::questions::{answer, syncline};
use super::real::{open, path};
use crate::house::root;

/// Captures of the folder of captures: with totals and addresses, with neither, and of another vendor.
const REAL: [&str; 3] = [
    "kineto/hta_df_index_resolver.json.gz",
    "kineto/kineto_resnet50_w4_a.json.gz",
    "ascend/db_level1_rank0/ascend_pytorch_profiler_0.db",
];

/// Workloads that allocate memory in the order of streams, one of them by a graph.
const OWN: [&str; 2] = ["stream-ordered-memory", "graph-events"];

/// What the script says; nothing, and a word why, where it cannot run.
fn by_hand(file: &Path) -> Option<Vec<Value>> {
    let script = root().join("tests/oracle/memory.py");
    let Ok(output) = Command::new("python3").arg(script).arg(file).output() else {
        eprintln!("skipped: there is no python3 to read the raw files with");
        return None;
    };
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {complaint}", file.display());
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// What Syncline says of a moment, as the script has it: pools are called by what `title` makes of their titles.
fn pools_at(
    capture: &Capture,
    history: &MemoryHistory,
    at: Nanos,
    title: fn(&str) -> &str,
) -> Value {
    let pools = history.pools.iter().map(|pool| {
        let point = pool.point_at(at);
        let alive = pool.alive(point);
        let groups = MemoryGroup::all(capture, alive, MemoryGrouping::Operator);
        let alive: BTreeMap<String, Value> = groups
            .into_iter()
            .map(|it| {
                let name = it.name.map_or_else(|| "before".to_owned(), String::from);
                (name, json!([it.count, it.bytes]))
            })
            .collect();
        let found = json!({ "allocated": pool.allocated(point), "alive": alive });
        (title(&pool.title).to_owned(), found)
    });
    pools.collect::<serde_json::Map<_, _>>().into()
}

/// Compares twenty moments of a capture with the script's reading of the raw file.
fn compare(file: &Path, raw: &Path, title: fn(&str) -> &str) {
    let Some(expected) = by_hand(raw) else {
        return;
    };
    let (capture, _) = open(&[file.to_path_buf()]);
    let history = MemoryHistory::new(&capture);
    let events = history.pools.iter().flat_map(|it| &it.events);
    let first = events.map(|it| it.at).min().unwrap();
    assert_eq!(expected.len(), 20, "{}", raw.display());
    for moment in expected {
        let since = Nanos(moment["since"].as_i64().unwrap());
        let found = pools_at(&capture, &history, first + since, title);
        assert_eq!(found, moment["pools"], "{} at {since}", raw.display());
    }
}

fn small() -> PathBuf {
    root().join("tests/data/captures/torch-steps.json.gz")
}

/// The rows that a command prints.
fn rows(arguments: &[&str]) -> Vec<Value> {
    let out = answer(&[arguments, &["--format", "json"]].concat());
    let rows = out.lines().map(|it| serde_json::from_str(it).unwrap());
    rows.collect()
}

#[test]
fn memory_of_a_small_capture_is_that_of_a_script() {
    compare(&small(), &small(), |it| it);
}

#[test]
fn memory_of_real_captures_is_that_of_a_script() {
    for name in REAL {
        if let Some(file) = path(name) {
            compare(&file, &file, |it| it.trim_start_matches("memory, "));
        }
    }
}

#[test]
fn memory_of_own_runs_is_that_of_a_script() {
    let folder = tempfile::tempdir().unwrap();
    for name in OWN {
        let at = |ending: &str| folder.path().join(format!("{name}.{ending}"));
        let (capture, json) = (at("pftrace"), at("json"));
        let [capture_name, json_name] = [&capture, &json].map(|it| it.display().to_string());
        let run = ["run", name, "--backend", "cpu", "--save", &capture_name];
        let (_, _, err) = syncline(&run);
        assert!(capture.exists(), "{name}: {err}");
        answer(&["convert", &capture_name, &json_name]);
        compare(&capture, &json, |_| "");
        // In what was converted stands the same.
        compare(&json, &json, |_| "");
    }
}

#[test]
fn the_command_line_says_what_the_script_says() {
    let Some(expected) = by_hand(&small()) else {
        return;
    };
    let file = small().display().to_string();
    let [pool] = rows(&["memory", &file]).try_into().unwrap();
    assert_eq!(
        (&pool["device"], &pool["basis"]),
        (&"CPU".into(), &"totals".into())
    );
    let end = expected.last().unwrap();
    assert_eq!(pool["end_bytes"], end["pools"]["CPU"]["allocated"]);
    let first = answer(&[
        "query",
        &file,
        "SELECT min(ts) AS ts FROM spans WHERE name = '[memory]'",
        "--format",
        "csv",
    ]);
    let first: i64 = first.lines().nth(1).unwrap().parse().unwrap();
    for moment in expected {
        let at = format!("{}ns", first + moment["since"].as_i64().unwrap());
        let wanted = &moment["pools"]["CPU"]["alive"];
        let groups = rows(&["memory", &file, "--at", &at, "--by", "operator"]);
        let groups: BTreeMap<&str, Value> = groups
            .iter()
            .map(|it| {
                let name = it["operator"].as_str().unwrap();
                (name, json!([it["allocations"], it["bytes"]]))
            })
            .collect();
        assert_eq!(&json!(groups), wanted, "{at}");
        let each = rows(&["memory", &file, "--at", &at]);
        let bytes: u64 = each.iter().map(|it| it["bytes"].as_u64().unwrap()).sum();
        let all = wanted.as_object().unwrap().values();
        let all: u64 = all.map(|it| it[1].as_u64().unwrap()).sum();
        assert_eq!(bytes, all, "{at}");
    }
    let at_peak = rows(&["memory", &file, "--peak"]);
    let bytes: u64 = at_peak.iter().map(|it| it["bytes"].as_u64().unwrap()).sum();
    assert_eq!(pool["peak_bytes"], bytes, "all of this file is told");
    let never = rows(&["memory", &file, "--kept"]);
    let never = never.iter().filter(|it| it["freed_ns"].is_null()).count();
    assert_eq!(pool["never_freed"], never);
}

#[test]
fn counters_have_what_the_file_says_of_its_devices() {
    let file = small().display().to_string();
    let sql = "SELECT count(*) AS n, max(value) AS most FROM counters WHERE counter = 'Memory allocated · CPU'";
    let found = answer(&["query", &file, sql, "--format", "csv"]);
    let [pool] = rows(&["memory", &file]).try_into().unwrap();
    let wanted = format!("{},{}", pool["events"], pool["peak_bytes"]);
    assert_eq!(
        found.lines().nth(1).map(|it| it.replace(".0", "")),
        Some(wanted)
    );
}

/// Ascend's files have totals of their own, which the calls have to come to at every moment.
#[test]
fn calls_of_ascends_allocators_come_to_its_totals() {
    let Some(file) = path(REAL[2]) else { return };
    let (capture, _) = open(std::slice::from_ref(&file));
    let history = MemoryHistory::new(&capture);
    for pool in &history.pools {
        let allocator = pool.title.trim_start_matches("memory, ");
        let name = format!("Memory allocated, {allocator}");
        let counter = capture.counters().iter().find(|it| it.name == name);
        let samples = capture.samples(counter.unwrap().id);
        let told: BTreeMap<Nanos, f64> = samples
            .times()
            .iter()
            .copied()
            .zip(samples.values().iter().copied())
            .collect();
        assert!(told.len() > 50, "{name}");
        for (at, total) in told {
            let found = pool.allocated(pool.point_at(at));
            assert_eq!(found, Some(total as i64), "{name} at {at}");
        }
    }
}

#[test]
fn what_cannot_be_answered_is_said() {
    let file = root().join("tests/data/captures/torch-h100.json.gz");
    let (code, _, err) = syncline(&["memory", &file.display().to_string()]);
    assert_eq!(code, WRONG);
    assert!(err.contains("tells nothing of allocators"), "{err}");
    let file = small().display().to_string();
    let (code, _, err) = syncline(&["memory", &file, "--device", "CUDA"]);
    assert_eq!(code, WRONG);
    assert!(err.contains("there are CPU"), "{err}");
    let (code, _, err) = syncline(&["memory", &file, "--at", "soon"]);
    assert_eq!(code, WRONG);
    assert!(err.contains("is no time"), "{err}");
    for outside in ["99s", "-5ms"] {
        let (code, out, err) = syncline(&["memory", &file, "--at", outside]);
        assert_eq!(code, WRONG, "{outside}: {out}");
        assert!(err.contains("lies at --at: it goes from"), "{err}");
    }
    let (code, _, err) = syncline(&["memory", &file, "--at", "1ms", "--peak"]);
    assert_eq!(code, WRONG);
    assert!(err.contains("cannot be used with"), "{err}");
}
