//! Parameters hold over the ranges that workloads declare for them.

use engine::capture::Capture;
use engine::record::{PaceSetting, RunOutcome};
use engine::runner::{RunRequest, run};
use engine::workload::{Document, bundled};

use crate::house::program::syncline;
use crate::semantics::conformance::{BRISK, backends};

/// What a workload expects and does not get with these values; shares of time apart, which are the machine's to decide.
fn missed(name: &str, source: &str, backend: &str, values: &[(String, f64)]) -> Vec<String> {
    let mut capture = Capture::new();
    let request = RunRequest {
        name: name.to_owned(),
        source: source.to_owned(),
        backend: backend.to_owned(),
        parameters: values.to_vec(),
        // What is lost in the middle of something must not be past its end where a thread begins late.
        paced: if source.contains("lose-device") {
            PaceSetting::default()
        } else {
            BRISK
        },
        ..RunRequest::default()
    };
    let place = format!("{name} on {backend} with {values:?}");
    let end = match run(request, |records| capture.apply(records)) {
        Ok(end) => end,
        Err(reason) => return vec![format!("{place}: {reason}")],
    };
    let is_share = |text: &str| text.starts_with("overlap") || text.starts_with("busy");
    let counts = |text: &str| backend == "mock" || !is_share(text);
    let failed = capture.expectations().iter();
    let failed = failed.filter(|it| it.is_missed() && counts(&it.text));
    let mut all: Vec<String> = failed
        .map(|it| format!("{place}: {}: {}", it.text, it.found))
        .collect();
    if end.outcome != RunOutcome::Finished {
        all.push(format!("{place}: {:?}", end.outcome));
    }
    all
}

#[test]
fn the_least_values_of_every_parameter_hold() {
    // Ranks are processes of the program.
    syncline();
    let mut wrong = Vec::new();
    for backend in backends().iter().filter(|it| !it.ends_processes()) {
        for workload in bundled() {
            // That numbers are wrong is what it shows.
            if workload.name == "missing-wait" {
                continue;
            }
            let document = Document::parse(workload.name, workload.source).unwrap();
            // A fault of a rank needs that rank, so that fewer are refused with words.
            let has_fault = workload.source.contains("\nfault ");
            let least = document.parameters().iter();
            let least = least.filter(|it| !(has_fault && it.name == "ranks"));
            let least = least.map(|it| (it.name.clone(), it.min));
            let least: Vec<(String, f64)> = least.filter(|it| it.1.is_finite()).collect();
            // Each by itself in virtual time, all of them elsewhere: most of what could go wrong is arithmetic.
            if backend.name() == "mock" {
                for value in &least {
                    let alone = std::slice::from_ref(value);
                    wrong.extend(missed(workload.name, workload.source, "mock", alone));
                }
            }
            let name = backend.name();
            wrong.extend(missed(workload.name, workload.source, name, &least));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_largest_values_of_every_parameter_are_taken() {
    for workload in bundled() {
        let document = Document::parse(workload.name, workload.source).unwrap();
        for parameter in document.parameters() {
            let value = (parameter.name.clone(), parameter.max);
            if let Err(errors) = document.plan(std::slice::from_ref(&value)) {
                panic!("{} with {value:?}: {errors:?}", workload.name);
            }
        }
    }
}
