//! Semantics of streams and events, as a table of cases that every backend runs unchanged.
//!
//! A case says what must hold as order: what ended before what started. Times are a backend's own.

mod callbacks;
mod cases;
mod control;
mod device;
mod errors;
mod events;
mod failures;
mod graphs;
mod invariants;
mod launches;
mod machine;
mod misuse;
mod sticky;
mod streams;
mod table;
mod timeouts;
pub mod view;

use std::panic::{AssertUnwindSafe, catch_unwind};

use std::sync::Once;

use engine::backend::{BACKENDS, Backend, use_cuda_stand_in};
use engine::capture::Capture;
use engine::record::{PaceSetting, Record, RunOutcome};
use engine::runner::{RunRequest, run};

use self::view::View;
use crate::house::program::stand_in;

/// Every list of cases.
const LISTS: &[&[Case]] = &[
    cases::CASES,
    errors::CASES,
    events::CASES,
    timeouts::CASES,
    callbacks::CASES,
    streams::CASES,
    launches::LAUNCHES,
    graphs::CASES,
    misuse::CASES,
];

/// One rule, or a few that go together.
pub struct Case {
    /// What it is about.
    pub name: &'static str,
    /// The rules that it checks.
    pub rules: &'static str,
    /// The workload.
    pub source: &'static str,
    /// Fails unless the capture is as the rules say.
    pub check: fn(&View),
}

/// Every case.
fn all_cases() -> impl Iterator<Item = &'static Case> + Clone {
    LISTS.iter().copied().flatten()
}

/// The backends that open here. Prints why others do not; fails for those that `REQUIRE_BACKENDS` names.
///
/// `ONLY_BACKENDS` leaves one. That of CUDA runs on the stand-in for its driver, unless `REAL_CUDA` asks for the driver.
pub fn backends() -> Vec<&'static dyn Backend> {
    if std::env::var_os("REAL_CUDA").is_none() {
        static STAND_IN: Once = Once::new();
        STAND_IN.call_once(|| use_cuda_stand_in(stand_in()));
    }
    let required = std::env::var("REQUIRE_BACKENDS").unwrap_or_default();
    let required: Vec<&str> = required
        .split(',')
        .filter(|name| !name.is_empty())
        .collect();
    for name in &required {
        let known = BACKENDS.iter().any(|backend| backend.name() == *name);
        assert!(known, "REQUIRE_BACKENDS names {name}, which there is not");
    }
    let opens = |backend: &&&'static dyn Backend| match backend.probe() {
        Ok(_) => true,
        Err(reason) => {
            let name = backend.name();
            assert!(
                !required.contains(&name),
                "{name} is required, and does not open: {reason}"
            );
            eprintln!("skipped {name}: {reason}");
            false
        }
    };
    let only = std::env::var("ONLY_BACKENDS").unwrap_or_default();
    let is_wanted = |backend: &&&'static dyn Backend| only.is_empty() || only == backend.name();
    let wanted = BACKENDS.iter().filter(is_wanted);
    wanted.filter(opens).copied().collect()
}

/// Paced devices are as quick as the processor where a test does not look at their times.
pub const BRISK: PaceSetting = PaceSetting {
    rate: None,
    slots: None,
    stretch: Some(0.1),
};

/// A request to run `source` on `backend`.
pub fn request(source: &str, backend: &str) -> RunRequest {
    RunRequest {
        name: "case.kdl".to_owned(),
        source: source.to_owned(),
        backend: backend.to_owned(),
        paced: BRISK,
        ..RunRequest::default()
    }
}

/// Runs `source` to its end, and checks what holds of every capture.
pub fn view(source: &str, backend: &str) -> View {
    let mut records = Vec::new();
    let end = run(request(source, backend), |batch| records.extend(batch)).unwrap();
    invariants::check(&records);
    let mut capture = Capture::new();
    capture.apply(records);
    View { capture, end }
}

/// Whether a workload has a kernel that fails, and with it the device.
fn traps(source: &str) -> bool {
    let goes_on = |stream: &str| {
        let continuing = format!("stream \"{stream}\" failure=\"continue\"");
        source.contains(&continuing)
    };
    let launches = source.split("launch \"trap\" on=\"").skip(1);
    let mut streams = launches.filter_map(|rest| rest.split('"').next());
    streams.any(|stream| !goes_on(stream))
}

#[test]
fn every_case_on_every_backend() {
    let mut failed = Vec::new();
    for backend in backends() {
        for case in all_cases() {
            // There a trap is a loss, which ends a process: tests/semantics/cuda/faults.rs.
            if backend.ends_processes() && traps(case.source) {
                continue;
            }
            let run = || {
                let view = view(case.source, backend.name());
                assert_eq!(view.end.outcome, RunOutcome::Finished);
                (case.check)(&view);
            };
            if catch_unwind(AssertUnwindSafe(run)).is_err() {
                failed.push(format!(
                    "{} on {} ({})",
                    case.name,
                    backend.name(),
                    case.rules
                ));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn a_check_that_must_fail_does() {
    // The case on redundant waits, without the wait: its check must notice.
    let case = all_cases()
        .find(|case| case.name == "many waiters")
        .unwrap();
    let source = case.source.replace("repeat 3 { wait \"e\" on=\"b\" }", "");
    let view = view(&source, "mock");
    let noticed = catch_unwind(AssertUnwindSafe(|| (case.check)(&view)));
    assert!(noticed.is_err());
}

#[test]
fn names_of_cases_are_unique() {
    for (place, case) in all_cases().enumerate() {
        assert!(
            all_cases()
                .skip(place + 1)
                .all(|other| other.name != case.name)
        );
        assert!(!case.rules.is_empty());
    }
}

#[test]
fn a_deterministic_backend_gives_the_same_records_every_time() {
    for backend in backends() {
        let found = backend.probe().unwrap();
        if !found.first().is_some_and(|found| found.caps.deterministic) {
            continue;
        }
        for case in all_cases() {
            let records = || {
                let mut records = Vec::new();
                run(request(case.source, backend.name()), |batch| {
                    records.extend(batch);
                })
                .unwrap();
                // Races are looked for beside the run: what else was told by then is a matter of real time.
                let is_finding = |it: &Record| matches!(it, Record::Finding(_) | Record::Search(_));
                records.into_iter().partition::<Vec<_>, _>(is_finding)
            };
            let first = records();
            for _ in 0..3 {
                assert_eq!(records(), first, "{}", case.name);
            }
        }
    }
}
