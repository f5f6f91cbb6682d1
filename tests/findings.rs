//! What nothing orders is found while it runs, and what is ordered is not, on every backend that opens.

use engine::backend::BACKENDS;
use engine::capture::Capture;
use engine::record::{Finding, Outcome, Severity};
use engine::runner::{Recovery, RunRequest, run};
use engine::workload::bundled;

fn capture_of(source: &str, backend: &str) -> Capture {
    capture_with(RunRequest {
        name: "w".to_owned(),
        source: source.to_owned(),
        backend: backend.to_owned(),
        ..RunRequest::default()
    })
}

fn capture_with(request: RunRequest) -> Capture {
    let mut capture = Capture::new();
    let end = run(request, |records| capture.apply(records)).unwrap();
    assert_eq!(end.outcome, Outcome::Finished);
    capture
}

fn races(capture: &Capture) -> Vec<&Finding> {
    let findings = capture.findings().iter();
    findings.filter(|finding| finding.code == "race").collect()
}

#[test]
fn the_missing_wait_is_found_and_nothing_else_anywhere() {
    crate::house::program::syncline();
    for backend in BACKENDS.iter().filter(|it| !it.ends_processes()) {
        if let Err(reason) = backend.probe() {
            eprintln!("{} is skipped: {reason}", backend.name());
            continue;
        }
        for workload in bundled() {
            let capture = capture_of(workload.source, backend.name());
            let found = races(&capture);
            let expected = match workload.name {
                "missing-wait" => 1,
                // Used before its allocation, and freed while it is used, as far as anything orders it.
                "stream-ordered-memory" => 2,
                _ => 0,
            };
            let place = format!("{} on {}: {found:#?}", workload.name, backend.name());
            assert_eq!(found.len(), expected, "{place}");
            let searched = capture.searches();
            // Each rank looks for itself, and again where it is begun again.
            assert!(searched.len() >= capture.devices().len(), "{place}");
            assert!(
                searched.iter().all(|it| it.left == 0 && it.calls > 0),
                "{place}"
            );
        }
    }
}

#[test]
fn a_race_names_both_calls_their_lines_streams_and_the_buffer() {
    let found = bundled().iter().find(|it| it.name == "missing-wait");
    let capture = capture_of(found.unwrap().source, "mock");
    let race = races(&capture)[0];
    assert_eq!((race.severity, race.count), (Severity::Error, 1));
    assert_eq!(race.lines, [14, 18]);
    for words in [
        "“kernel” (line 18, on compute)",
        "“upload” (line 14, on copy)",
        "reads x",
        "writes it",
    ] {
        assert!(race.text.contains(words), "{}", race.text);
    }
    let names: Vec<&str> = race
        .spans
        .iter()
        .map(|span| capture.name(capture.span(*span).unwrap().span.name))
        .collect();
    assert_eq!(names, ["upload x", "scale"]);
}

/// A host, two streams, a buffer, and these calls.
fn workload(calls: &str) -> String {
    format!(
        r#"
        stream "a"
        stream "b"
        event "e"
        signal "go"
        buffer "x" f32=64
        buffer "y" f32=64
        {calls}
        "#
    )
}

fn count(calls: &str) -> Vec<u64> {
    let capture = capture_of(&workload(calls), "mock");
    races(&capture).iter().map(|race| race.count).collect()
}

#[test]
fn a_pair_of_calls_in_a_loop_is_one_finding_with_a_count() {
    let calls = r#"host "main" { repeat 6 { fill "x" value=1 on="a"; fill "x" value=2 on="b" } }"#;
    let found = count(calls);
    assert_eq!(found.len(), 2, "either may come first: {found:?}");
    assert_eq!(found.iter().sum::<u64>(), 11);
}

#[test]
fn each_way_to_order_two_calls_is_known() {
    let ordered = [
        r#"host "main" { fill "x" value=1 on="a"; record "e" on="a"; wait "e" on="b"; fill "x" value=2 on="b" }"#,
        r#"host "main" { fill "x" value=1 on="a"; record "e" on="a"; synchronize-event "e"; fill "x" value=2 on="b" }"#,
        r#"host "main" { fill "x" value=1 on="a"; synchronize-stream "a"; fill "x" value=2 on="b" }"#,
        r#"host "main" { fill "x" value=1 on="a"; synchronize-device; fill "x" value=2 on="b" }"#,
        r#"host "one" { fill "x" value=1 on="a"; synchronize-stream "a"; signal "go" }
           host "two" { await "go"; fill "x" value=2 on="b" }"#,
        r#"host "one" { hold "go" on="b"; fill "x" value=2 on="b" }
           host "two" { fill "x" value=1 on="a"; synchronize-stream "a"; signal "go" }"#,
        r#"host "main" { upload "x" on="a"; upload "y" on="b" }"#,
    ];
    for calls in ordered {
        assert_eq!(count(calls), [0_u64; 0], "{calls}");
    }
    let racy = [
        r#"host "main" { fill "x" value=1 on="a"; wait "e" on="b"; record "e" on="a"; fill "x" value=2 on="b" }"#,
        r#"host "main" { record "e" on="a"; fill "x" value=1 on="a"; wait "e" on="b"; fill "x" value=2 on="b" }"#,
        r#"host "main" { fill "x" value=1 on="a"; synchronize-stream "b"; fill "x" value=2 on="b" }"#,
        r#"host "main" { hold "go" on="b"; fill "x" value=2 on="b"; fill "x" value=1 on="a"; signal "go" }"#,
        r#"host "main" { download "x" on="a"; download "x" on="b" }"#,
    ];
    for calls in racy {
        assert_eq!(count(calls), [1], "{calls}");
    }
}

#[test]
fn what_a_lost_device_did_is_before_all_that_its_successor_does() {
    let source = workload(
        r#"host "main" { fill "x" value=1 on="a"; lose-device by="destroy"; recover-device; fill "x" value=2 on="b" }"#,
    );
    let capture = capture_with(RunRequest {
        source,
        backend: "mock".to_owned(),
        recovery: Recovery::Stay,
        ..RunRequest::default()
    });
    assert!(races(&capture).is_empty(), "{:?}", races(&capture));
}
