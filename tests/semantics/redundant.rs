//! A wait that is called redundant may be taken out of any workload: that makes no race, and no expectation fails of it.

use std::collections::BTreeSet;

use engine::capture::Capture;
use engine::record::{RunOutcome, Span, SpanKind, Value};
use engine::runner::{RunRequest, run};
use engine::workload::{Document, Synchronization, bundled};

/// The lines of races, and of waits that are called redundant, and the expectations that failed.
#[derive(Debug)]
struct Verdict {
    races: BTreeSet<Vec<u32>>,
    redundant: BTreeSet<u32>,
    failed: BTreeSet<String>,
}

fn capture_of(source: &str) -> Capture {
    let mut capture = Capture::new();
    let request = RunRequest {
        name: "w".to_owned(),
        source: source.to_owned(),
        backend: "mock".to_owned(),
        ..RunRequest::default()
    };
    let end = run(request, |records| capture.apply(records)).unwrap();
    assert_eq!(end.outcome, RunOutcome::Finished, "{source}");
    capture
}

fn verdict(source: &str) -> Verdict {
    let capture = capture_of(source);
    let found = |code: &'static str| {
        let findings = capture.findings().iter();
        findings.filter(move |it| it.code == code)
    };
    let failed = capture.expectations().iter().filter(|it| it.is_missed());
    Verdict {
        races: found("race").map(|it| it.lines.clone()).collect(),
        redundant: found("redundant-wait")
            .flat_map(|it| it.lines.iter().copied().take(1))
            .collect(),
        failed: failed.map(|it| it.text.clone()).collect(),
    }
}

/// The same without the waits of these lines, each of which has nothing else.
fn without(source: &str, lines: &BTreeSet<u32>) -> String {
    let mut text = String::new();
    for (number, line) in (1..).zip(source.lines()) {
        if lines.contains(&number) {
            let is_wait = line.trim_start().starts_with("wait ") && !line.contains(';');
            assert!(is_wait, "line {number} is more than a wait: {line}");
        } else {
            text.push_str(line);
        }
        text.push('\n');
    }
    text
}

/// The waits that are called redundant, of which each and all together were taken out.
fn taken_out(name: &str, source: &str) -> BTreeSet<u32> {
    let whole = verdict(source);
    let each = whole.redundant.iter().map(|line| BTreeSet::from([*line]));
    for lines in each.chain([whole.redundant.clone()]) {
        let less = verdict(&without(source, &lines));
        let (new, failed) = (
            less.races.difference(&whole.races).next(),
            less.failed.difference(&whole.failed).next(),
        );
        assert!(
            new.is_none() && failed.is_none(),
            "{name} without {lines:?}: {new:?} {failed:?}"
        );
    }
    whole.redundant
}

#[test]
fn every_wait_of_a_bundled_workload_that_is_called_redundant_may_be_taken_out() {
    let mut found = Vec::new();
    for workload in bundled() {
        let plan = Document::parse(workload.name, workload.source)
            .unwrap()
            .plan(&[])
            .unwrap();
        // Ranks have devices of their own.
        if plan.placement.is_some() || plan.synchronization != Synchronization::Manual {
            continue;
        }
        let lines = taken_out(workload.name, workload.source);
        found.extend(lines.into_iter().map(|line| (workload.name, line)));
    }
    eprintln!("{found:?}");
}

/// Of automatic synchronisation in bundled workloads, how many waits it inserts and how many it calls redundant. That
/// those may be taken out is the business of the generated workloads, whose waits are written out.
#[test]
fn bundled_workloads_insert_no_redundant_wait_that_no_test_takes_out() {
    for workload in bundled() {
        let plan = Document::parse(workload.name, workload.source)
            .unwrap()
            .plan(&[])
            .unwrap();
        if plan.synchronization == Synchronization::Manual || plan.placement.is_some() {
            continue;
        }
        let capture = capture_of(workload.source);
        let joins = capture.spans().filter(|it| it.span.kind == SpanKind::Join);
        let joins: Vec<Span> = joins.map(|it| it.span).collect();
        let is_redundant = |span: &&Span| {
            let mut fields = capture.arguments(span.id);
            fields.any(|(_, it)| matches!(it, Value::Text(it) if it.contains("wait is redundant")))
        };
        let redundant = joins.iter().filter(is_redundant).count();
        assert_eq!(redundant, 0, "{}: of {} waits", workload.name, joins.len());
    }
}

/// A graph of two concurrent branches, with these waits for an event of outside.
fn graph(before: &str, first: &str, second: &str) -> String {
    format!(
        r#"
        stream "a"
        stream "b"
        stream "c"
        event "e"
        event "f"
        event "j"
        graph "g"
        buffer "x" f32=64
        buffer "y" f32=64
        buffer "z" f32=64
        host "main" {{
            begin-capture "a"
            {before}
            record "f" on="a"
            wait "f" on="b"
            {first}
            copy "x" "y" on="a"
            {second}
            copy "x" "z" on="b"
            record "j" on="b"
            wait "j" on="a"
            end-capture "a" "g"
            instantiate "g"
            fill "x" value=1 on="c"
            record "e" on="c"
            replay "g" on="a"
            synchronize-device
        }}
        "#
    )
}

#[test]
fn waits_in_two_concurrent_branches_of_a_graph_are_both_needed() {
    let (on_a, on_b) = (
        r#"wait "e" external=#true on="a""#,
        r#"wait "e" external=#true on="b""#,
    );
    let both = verdict(&graph("", on_a, on_b));
    assert!(
        both.races.is_empty() && both.redundant.is_empty(),
        "{both:?}"
    );
    for (first, second) in [("", on_b), (on_a, "")] {
        let one = verdict(&graph("", first, second));
        assert_eq!(one.races.len(), 1, "{first} {second}: {one:?}");
    }
    // Before the fork one is enough for both.
    let source = graph(on_a, "", on_b);
    assert_eq!(verdict(&source).races.len(), 0);
    assert_eq!(taken_out("a graph", &source).len(), 1);
}
