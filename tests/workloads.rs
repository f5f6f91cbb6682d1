//! Every bundled workload, run on every backend that opens: what it expects must hold.

use engine::backend::BACKENDS;
use engine::capture::Capture;
use engine::record::{Outcome, Severity};
use engine::runner::{RunRequest, run};
use engine::workload::bundled;

fn capture_of(name: &str, source: &str, backend: &str) -> Capture {
    let mut capture = Capture::new();
    let request = RunRequest {
        name: name.to_owned(),
        source: source.to_owned(),
        backend: backend.to_owned(),
        ..RunRequest::default()
    };
    let end = run(request, |records| capture.apply(records)).unwrap();
    assert_eq!(end.outcome, Outcome::Finished, "{name} on {backend}");
    capture
}

#[test]
fn every_bundled_workload_keeps_what_it_promises() {
    for backend in BACKENDS {
        if let Err(reason) = backend.probe() {
            eprintln!("{} is skipped: {reason}", backend.name());
            continue;
        }
        for workload in bundled() {
            let capture = capture_of(workload.name, workload.source, backend.name());
            eprintln!(
                "{} {} {}",
                workload.name,
                backend.name(),
                capture.span_count()
            );
            for expectation in capture.expectations() {
                eprintln!(
                    "   {} {} {}",
                    expectation.holds, expectation.text, expectation.found
                );
            }
            for problem in capture.problems() {
                eprintln!("   {problem:?}");
            }
            assert!(capture.open().next().is_none());
            let is_bad = |severity| severity >= Severity::Error;
            assert!(
                !capture
                    .problems()
                    .iter()
                    .any(|problem| is_bad(problem.severity))
            );
        }
    }
}
