//! Every bundled workload, run on every backend that opens: what it expects must hold.

use engine::capture::Capture;
use engine::record::{Problem, RunOutcome, Severity};
use engine::runner::{RunRequest, run};
use engine::workload::bundled;

use crate::semantics::conformance::{BRISK, backends};

fn capture_of(name: &str, source: &str, backend: &str) -> Capture {
    let mut capture = Capture::new();
    let request = RunRequest {
        name: name.to_owned(),
        source: source.to_owned(),
        backend: backend.to_owned(),
        paced: BRISK,
        ..RunRequest::default()
    };
    let end = run(request, |records| capture.apply(records)).unwrap();
    assert_eq!(end.outcome, RunOutcome::Finished, "{name} on {backend}");
    capture
}

/// What one workload came to on one backend, where it is not what it should be.
fn complaint(name: &str, source: &str, backend: &str) -> Option<String> {
    let capture = capture_of(name, source, backend);
    assert!(capture.open().next().is_none(), "{name} on {backend}");
    // How often a thread loses its core in one call, and so whether there is room to tell, is the other programs' doing.
    let is_bad = |it: &&Problem| it.severity >= Severity::Error && it.code != "thread-states-lost";
    let bad: Vec<_> = capture.problems().iter().filter(is_bad).collect();
    // Where the machine's other work shows is known on cpu alone; order and numbers are a device's own.
    let is_share = |text: &str| text.starts_with("overlap") || text.starts_with("busy");
    let expectations = capture.expectations().iter();
    let counts = |text: &str| matches!(backend, "mock" | "cpu") || !is_share(text);
    let failed: Vec<_> = expectations
        .filter(|expectation| expectation.is_missed() && counts(&expectation.text))
        .collect();
    // That one dies is what it shows; what it comes to in the end is right.
    let dies = name == "rank-that-dies" && backend != "mock";
    let is_right = (bad.is_empty() != dies) && (failed.is_empty() != (name == "missing-wait"));
    (!is_right).then(|| format!("{name} on {backend}: {bad:?} {failed:?}"))
}

/// Whether a workload makes a device fault.
fn has_a_fault(source: &str) -> bool {
    source.contains("lose-device") || source.contains("\"trap\"")
}

#[test]
fn every_bundled_workload_keeps_what_it_promises() {
    let mut complaints = Vec::new();
    // Ranks are processes of the program.
    crate::house::program::syncline();
    for backend in backends() {
        for workload in bundled() {
            // Its faults are tested in processes of their own.
            if backend.ends_processes() && has_a_fault(workload.source) {
                continue;
            }
            complaints.extend(complaint(workload.name, workload.source, backend.name()));
        }
    }
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn the_missing_wait_shows_every_time() {
    let workload = bundled()
        .iter()
        .find(|workload| workload.name == "missing-wait")
        .unwrap();
    for round in 0..5 {
        let capture = capture_of(workload.name, workload.source, "cpu");
        let mut expectations = capture.expectations().iter();
        assert!(
            expectations.any(engine::record::Expectation::is_missed),
            "round {round}"
        );
    }
}
