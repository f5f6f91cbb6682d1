//! Captures as other tools take them: what is written holds what the capture holds, and is there whole or not at all.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use app::cli::{FINE, WRONG, run};
use engine::capture::Capture;
use engine::exporter::{EXPORTERS, for_path};
use engine::runner::RunRequest;
use engine::workload::bundled;
use serde_json::Value;

use crate::formats::captures::{capture, sample};

fn ran(name: &str) -> Capture {
    let workload = bundled().iter().find(|it| it.name == name).unwrap();
    let request = RunRequest {
        name: workload.name.to_owned(),
        source: workload.source.to_owned(),
        backend: "mock".to_owned(),
        ..RunRequest::default()
    };
    let mut capture = Capture::new();
    engine::runner::run(request, |records| capture.apply(records)).unwrap();
    capture
}

fn written(capture: &Capture, name: &str) -> String {
    let mut bytes = Vec::new();
    let exporter = for_path(Path::new(name)).unwrap();
    exporter.write(capture, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn of_phase<'a>(events: &'a [Value], phase: &str) -> Vec<&'a Value> {
    events.iter().filter(|it| it["ph"] == phase).collect()
}

/// Microseconds as nanoseconds.
fn nanos(value: &Value) -> i64 {
    (value.as_f64().unwrap() * 1000.0).round() as i64
}

#[test]
fn chrome_json_holds_every_span_in_its_place() {
    let capture = ran("double-buffer");
    let whole: Value = serde_json::from_str(&written(&capture, "a.json")).unwrap();
    let events = whole["traceEvents"].as_array().unwrap();
    let spans = of_phase(events, "X");
    assert_eq!(spans.len(), capture.span_count());
    let mut threads: BTreeMap<(i64, i64), String> = BTreeMap::new();
    for event in of_phase(events, "M") {
        let place = (
            event["pid"].as_i64().unwrap(),
            event["tid"].as_i64().unwrap(),
        );
        if event["name"] == "thread_name" {
            threads.insert(place, event["args"]["name"].as_str().unwrap().to_owned());
        }
    }
    let mut expected: Vec<(String, String, i64, i64)> = capture
        .spans()
        .map(|it| {
            let lane = capture.lane(it.span.lane).unwrap().name.clone();
            let name = capture.name(it.span.name).to_owned();
            (lane, name, it.span.start.0, (it.span.end - it.span.start).0)
        })
        .collect();
    let mut found: Vec<_> = spans
        .iter()
        .map(|it| {
            let place = (it["pid"].as_i64().unwrap(), it["tid"].as_i64().unwrap());
            let name = it["name"].as_str().unwrap().to_owned();
            (
                threads[&place].clone(),
                name,
                nanos(&it["ts"]),
                nanos(&it["dur"]),
            )
        })
        .collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn chrome_flows_start_and_end_inside_spans_of_their_thread() {
    let capture = ran("fork-join");
    let whole: Value = serde_json::from_str(&written(&capture, "a.json")).unwrap();
    let events = whole["traceEvents"].as_array().unwrap();
    let spans = of_phase(events, "X");
    let (starts, ends) = (of_phase(events, "s"), of_phase(events, "f"));
    assert_eq!(starts.len(), capture.dependency_count());
    assert_eq!(ends.len(), capture.dependency_count());
    for flow in starts.iter().chain(&ends) {
        let time = nanos(&flow["ts"]);
        let inside = spans.iter().any(|span| {
            let (start, length) = (nanos(&span["ts"]), nanos(&span["dur"]));
            let place = span["pid"] == flow["pid"] && span["tid"] == flow["tid"];
            place && start <= time && (time < start + length || time == start)
        });
        assert!(inside, "{flow}");
    }
    let ids = |flows: &[&Value]| -> BTreeSet<i64> {
        flows.iter().map(|it| it["id"].as_i64().unwrap()).collect()
    };
    assert_eq!(ids(&starts), ids(&ends));
}

/// Viewers cut spans of one thread that overlap without nesting.
#[test]
fn chrome_spans_of_a_thread_nest() {
    let capture = capture(sample::records());
    let whole: Value = serde_json::from_str(&written(&capture, "a.json")).unwrap();
    let events = whole["traceEvents"].as_array().unwrap();
    let mut by_thread: BTreeMap<(i64, i64), Vec<(i64, i64)>> = BTreeMap::new();
    for span in of_phase(events, "X") {
        let place = (span["pid"].as_i64().unwrap(), span["tid"].as_i64().unwrap());
        let (start, length) = (nanos(&span["ts"]), nanos(&span["dur"]));
        assert!(start >= 0 && length >= 0, "{span}");
        by_thread
            .entry(place)
            .or_default()
            .push((start, start.saturating_add(length)));
    }
    for spans in by_thread.values() {
        for (a, b) in spans.iter().zip(spans.iter().skip(1)) {
            let crosses = a.0 < b.0 && b.0 < a.1 && a.1 < b.1;
            assert!(!crosses, "{a:?} {b:?}");
        }
    }
}

#[test]
fn tables_have_a_line_for_each_row_and_all_columns() {
    let capture = ran("double-buffer");
    for (name, rows) in [
        ("a.csv", capture.span_count()),
        ("a.dependencies.csv", capture.dependency_count()),
    ] {
        let text = written(&capture, name);
        let mut lines = text.lines();
        let columns = lines.next().unwrap().split(',').count();
        let mut count = 0;
        for line in lines {
            count += 1;
            assert_eq!(fields(line), columns, "{line}");
        }
        assert_eq!(count, rows, "{name}");
    }
}

#[test]
fn a_span_that_has_not_ended_is_a_line_up_to_the_end() {
    let capture = capture(sample::records());
    let began: Vec<_> = capture.open().collect();
    assert!(!began.is_empty());
    let text = written(&capture, "a.csv");
    let end = capture.extent().unwrap().end;
    for it in began {
        let head = format!("{},{},", it.id.0, capture.name(it.name));
        let line = text.lines().find(|line| line.starts_with(&head)).unwrap();
        let times = format!(",{},{},{},", it.start.0, end.0, (end - it.start).0);
        assert!(
            line.contains(",running,") && line.contains(&times),
            "{line}"
        );
    }
}

/// How many fields a line has; commas between quotation marks are part of a field.
fn fields(line: &str) -> usize {
    let mut inside = false;
    let commas = line.chars().filter(|char| {
        inside ^= *char == '"';
        *char == ',' && !inside
    });
    commas.count() + 1
}

#[test]
fn convert_writes_what_the_ending_says_and_leaves_nothing_half() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let source = path("in.pftrace");
    std::fs::write(
        &source,
        crate::formats::captures::saved(&sample::records(), 9),
    )
    .unwrap();
    let syncline = |arguments: &[&str]| {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let all = ["syncline"].iter().chain(arguments);
        let code = run(all, &mut out, &mut err);
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (code, text(out), text(err))
    };
    let endings = EXPORTERS.iter().map(|it| it.extension()).chain(["svg"]);
    for ending in endings.clone() {
        let target = path(&format!("out.{ending}"));
        let (code, out, err) = syncline(&["convert", &source, &target]);
        assert_eq!(code, FINE, "{err}");
        assert!(out.contains("0 dropped"), "{out}");
        assert!(std::fs::metadata(&target).unwrap().len() > 0);
    }
    let (code, _, err) = syncline(&["convert", &source, &path("out.xlsx")]);
    assert_eq!(code, WRONG);
    for ending in endings {
        assert!(err.contains(&format!(".{ending}")), "{err}");
    }
    let (code, _, err) = syncline(&["convert", &path("absent.pftrace"), &path("b.json")]);
    assert_eq!(code, WRONG, "{err}");
    let left = std::fs::read_dir(folder.path()).unwrap();
    let half = left.filter(|it| {
        let name = it.as_ref().unwrap().file_name();
        name.to_string_lossy().ends_with(".part")
    });
    assert_eq!(half.count(), 0);
}
