//! Where the times of a CUDA device come from: CUPTI's records where they can be had, timing events where not, each said;
//! and what is said where a record does not come.

use std::process::Command;

use engine::record::Group;
use serde_json::Value;

use super::{file, said, syncline_with};
use crate::formats::captures::{capture, opened};

/// The answer in JSON of `syncline ARGUMENTS` on the stand-in.
fn json(arguments: &[&str], variables: &[(&str, &str)]) -> Value {
    let output = syncline_with(arguments, variables);
    let answer = serde_json::from_slice(&output.stdout);
    answer.unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
}

/// What `syncline backends` says of the device's clock.
fn clock(variables: &[(&str, &str)]) -> String {
    let answer = json(&["backends", "--format", "json"], variables);
    let all = answer.as_array().or_else(|| answer["backends"].as_array());
    let cuda = all.unwrap().iter().find(|it| it["name"] == "cuda").unwrap();
    cuda["devices"][0]["clock"].as_str().unwrap().to_owned()
}

#[test]
fn the_backend_says_where_its_times_come_from_and_why() {
    let told = clock(&[]);
    assert!(
        told.contains("activity records of CUPTI of CUDA 13.0"),
        "{told}"
    );
    for (variable, value, reason) in [
        ("SYNCLINE_CUPTI", "off", "switched off"),
        ("SYNCLINE_STAND_IN_CUPTI", "busy", "one at a time"),
        (
            "SYNCLINE_STAND_IN_CUPTI",
            "unfit",
            "does not come to the driver",
        ),
    ] {
        let told = clock(&[(variable, value)]);
        assert!(
            told.starts_with("timing events around every operation, which cost")
                && told.contains(reason),
            "{value}: {told}"
        );
    }
}

/// Twelve kernels of 700 µs one after the other, between two copies.
const CHAIN: &str = r#"
stream "a"
buffer "x" f32=4096 init="k"
event "done" timing=#false
stream "b"
host "main" {
    upload "x" on="a"
    repeat 12 { launch "spin" on="a" { set "micros" 700 } }
    record "done" on="a"
    wait "done" on="b"
    download "x" on="b"
    synchronize-device
}
expect { each "x" equals="k" }
"#;

/// A span: its name, its start and its end in nanoseconds.
pub type Ran = (String, i64, i64);

/// The spans of a run of [`CHAIN`], and the codes and texts of its problems.
fn run(variables: &[(&str, &str)]) -> (Vec<Ran>, Vec<(String, String)>) {
    ran(CHAIN, variables)
}

/// The spans on streams of a run of a workload, and the codes and texts of its problems.
pub fn ran(text: &str, variables: &[(&str, &str)]) -> (Vec<Ran>, Vec<(String, String)>) {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, text).to_string_lossy().into_owned();
    let save = folder
        .path()
        .join("run.pftrace")
        .to_string_lossy()
        .into_owned();
    let arguments = [
        "run",
        &path,
        "--backend",
        "cuda",
        "--format",
        "json",
        "--save",
        &save,
    ];
    let answer = json(&arguments, variables);
    assert_eq!(answer["outcome"], "finished", "{answer}");
    assert_eq!(answer["expectations"][0]["holds"], true, "{answer}");
    let bytes = std::fs::read(&save).unwrap();
    let (records, _) = opened(bytes).unwrap();
    let capture = capture(records);
    let placed = capture.spans().filter(|placed| {
        let lane = capture
            .lanes()
            .iter()
            .find(|lane| lane.id == placed.span.lane);
        lane.is_some_and(|lane| lane.group == Group::Streams)
    });
    let spans = placed.map(|placed| {
        let span = placed.span;
        (capture.name(span.name).to_owned(), span.start.0, span.end.0)
    });
    let problems = capture.problems().iter();
    let problems = problems.map(|it| (it.code.clone(), it.text.clone()));
    (spans.collect(), problems.collect())
}

/// How long the kernels were, in nanoseconds.
fn lengths(spans: &[Ran]) -> Vec<i64> {
    let kernels = spans.iter().filter(|(name, ..)| name == "spin");
    kernels.map(|(_, start, end)| end - start).collect()
}

#[test]
fn cupti_tells_times_to_the_nanosecond_and_in_the_order_of_streams() {
    let (spans, problems) = run(&[]);
    assert_eq!(problems, []);
    assert_eq!(spans.len(), 16, "{spans:?}");
    // The stand-in runs a kernel for exactly as long as it was asked to: only a record says so.
    let exact = lengths(&spans)
        .iter()
        .filter(|length| **length == 700_000)
        .count();
    assert!(exact >= 10, "{spans:?}");
    let find = |name: &str| spans.iter().find(|(it, ..)| it == name).unwrap();
    let (record, wait, download) = (find("record done"), find("wait done"), find("download x"));
    let last = spans
        .iter()
        .filter(|(name, ..)| name == "spin")
        .map(|(_, _, end)| *end)
        .max()
        .unwrap();
    assert!(record.1 >= last, "{spans:?}");
    assert!(wait.2 >= record.1 && download.1 >= wait.2, "{spans:?}");
}

#[test]
fn without_cupti_timing_events_tell_the_same_story() {
    let (spans, problems) = run(&[("SYNCLINE_CUPTI", "off")]);
    assert_eq!((problems, spans.len()), (vec![], 16));
    // The stand-in's device is a thread of this machine: where it waits for a core, an event or a kernel comes late. A
    // wrong unit would be off by a thousand.
    let mut lengths = lengths(&spans);
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    assert!((690_000..7_000_000).contains(&median), "{spans:?}");
}

#[test]
fn what_cupti_drops_is_counted_and_shown_as_the_host_saw_it() {
    let (spans, problems) = run(&[("SYNCLINE_STAND_IN_CUPTI", "drop=5")]);
    assert_eq!(spans.len(), 16, "nothing is missing: {spans:?}");
    let of = |code: &str| problems.iter().filter(|(it, _)| it == code).count();
    assert!(
        of("dropped-activity") >= 1 && of("no-device-time") >= 1,
        "{problems:?}"
    );
    let text = problems.iter().map(|(_, text)| text.as_str());
    assert!(
        text.clone().any(|text| text.contains("activity records")),
        "{problems:?}"
    );
}

#[test]
fn operations_without_a_record_are_there_and_said_to_be_guesses() {
    for mode in ["mute", "untimed"] {
        let (spans, problems) = run(&[("SYNCLINE_STAND_IN_CUPTI", mode)]);
        assert_eq!(spans.len(), 16, "{mode}: {spans:?}");
        let named = problems
            .iter()
            .filter(|(code, _)| code == "no-device-time")
            .count();
        // Eight of a stream are named, and the rest is counted.
        assert_eq!(named, 8 + 1 + 1, "{mode}: {problems:?}");
        assert!(
            problems
                .iter()
                .any(|(_, text)| text.contains("more operations of a stream"))
        );
        for length in lengths(&spans) {
            assert!(length >= 0, "{mode}: {spans:?}");
        }
    }
}

#[test]
fn what_the_driver_and_cupti_take_for_themselves_has_a_lane() {
    let folder = tempfile::tempdir().unwrap();
    let save = folder.path().join("run.pftrace");
    let save = save.to_string_lossy().into_owned();
    let stutter = [
        "run",
        "pipeline-stutter",
        "--backend",
        "cuda",
        "--save",
        &save,
    ];
    let kinds = |variables: &[(&str, &str)]| {
        let output = syncline_with(&stutter, variables);
        assert!(output.status.success(), "{}", said(&output));
        let (records, _) = opened(std::fs::read(&save).unwrap()).unwrap();
        let capture = capture(records);
        let lane = capture.lanes().iter().find(|lane| lane.name == "overhead");
        let lane = lane.map(|lane| lane.id);
        let spans = capture.spans().filter(|it| Some(it.span.lane) == lane);
        let spans: Vec<_> = spans
            .map(|it| {
                assert!(it.span.start.0 >= 0 && it.span.end >= it.span.start);
                capture.name(it.span.name).to_owned()
            })
            .collect();
        (lane.is_some(), spans)
    };
    let (is_there, spans) = kinds(&[]);
    // The stand-in tells of each module that it loads.
    for name in ["compile", "driver compiles"] {
        let found = spans.iter().any(|it| it == name);
        assert!(is_there && found, "{name}: {spans:?}");
    }
    assert!(!kinds(&[("SYNCLINE_CUPTI", "off")]).0);
}

/// Every test of the device over the stand-in, once more in a process that has no CUPTI.
#[test]
fn everything_runs_on_timing_events_too() {
    // The tests of this process must not run at the same time as those of the other where that says so already.
    if std::env::var_os("SYNCLINE_CUPTI").is_some() {
        return;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "conformance::every_case_on_every_backend",
            "workloads::every_bundled_workload_keeps_what_it_promises",
            "cuda::results",
            "cuda::streams",
        ])
        .env("SYNCLINE_CUPTI", "off")
        .env("ONLY_BACKENDS", "cuda")
        .output()
        .unwrap();
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("7 passed"), "{text}");
}
