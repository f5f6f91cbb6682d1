//! Runs that can never go on: each says what it waits for, and ends.

use engine::capture::Capture;
use engine::record::RunOutcome;
use engine::runner::{RunRequest, run};

use crate::semantics::conformance::BRISK;

use super::backends;

/// Host threads that wait for promises which nothing settles any more.
const STUCK: [(&str, &str); 3] = [
    (
        "work behind a hold",
        r#"
        stream "s"
        signal "never"
        promise "work"
        host "main" { hold "never" on="s"; work-done promise="work"; settle "work"; signal "never" }
        "#,
    ),
    (
        "all of them",
        r#"
        stream "s"
        signal "never"
        buffer "x" f32=16
        promise "work"
        promise "mapped"
        host "main" {
            hold "never" on="s"
            upload "x" on="s"
            map-async "x" promise="mapped"
            work-done promise="work"
            settle-all
            signal "never"
        }
        "#,
    ),
    (
        "of another host thread",
        r#"
        stream "s"
        signal "never"
        signal "asked"
        promise "work"
        host "one" { hold "never" on="s"; work-done promise="work"; signal "asked" }
        host "two" { await "asked"; settle "work"; signal "never" }
        "#,
    ),
];

fn ran(backend: &str, name: &str, source: &str) -> (Capture, RunOutcome) {
    let mut capture = Capture::new();
    let request = RunRequest {
        name: name.to_owned(),
        source: source.to_owned(),
        backend: backend.to_owned(),
        paced: BRISK,
        ..RunRequest::default()
    };
    let end = run(request, |records| capture.apply(records)).unwrap();
    (capture, end.outcome)
}

#[test]
fn a_promise_that_nothing_settles_any_more_is_a_deadlock_on_every_backend() {
    for backend in backends() {
        for (name, source) in STUCK {
            let (capture, outcome) = ran(backend.name(), name, source);
            let place = format!("{}, {name}", backend.name());
            let RunOutcome::Failed(why) = outcome else {
                panic!("{place}: {outcome:?}")
            };
            assert!(
                why.contains("nothing can go on") && why.contains("signal never"),
                "{place}: {why}"
            );
            let mut problems = capture.problems().iter();
            assert!(problems.any(|it| it.code == "deadlock"), "{place}");
        }
    }
}

/// What comes late is no deadlock: slow compiles, work of other host threads, losses at a time.
#[test]
fn what_takes_its_time_is_waited_for() {
    let late = r#"
        stream "s"
        signal "go"
        pipeline "slow" kernel="scale" slow-micros=150000 cache=#false
        promise "built"
        promise "work"
        host "main" {
            hold "go" on="s"
            work-done promise="work"
            create-pipeline-async "slow" promise="built"
            settle "built"
            signal "go"
            settle "work"
        }
        expect { settles "built" "resolved"; settles "work" "resolved" }
        "#;
    let lost = r#"
        stream "s"
        signal "never"
        promise "work"
        promise "lost"
        host "main" {
            device-lost promise="lost"
            hold "never" on="s"
            lose-device by="driver" after-micros=150000
            settle "lost"
            signal "never"
        }
        expect { settles "lost" "resolved" }
        "#;
    for backend in backends() {
        for (name, source) in [("late", late), ("lost", lost)] {
            let (capture, outcome) = ran(backend.name(), name, source);
            let place = format!("{}, {name}", backend.name());
            let mut problems = capture.problems().iter();
            assert!(!problems.any(|it| it.code == "deadlock"), "{place}");
            let missed = capture.expectations().iter().find(|it| it.is_missed());
            assert!(missed.is_none(), "{place}: {missed:?}, {outcome:?}");
        }
    }
}
