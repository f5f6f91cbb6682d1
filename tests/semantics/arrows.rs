//! Dependencies say what enforced them: a wait that did not live to see its cause was not held by it, and what follows from
//! the order in which calls of unordered host threads came is observed.

use engine::backend::Backend;
use engine::capture::Capture;
use engine::record::{Basis, Dependency, DependencyKind, RunOutcome, SpanKind, State};
use engine::runner::{RecoveryMode, RunRequest, run};
use engine::workload::bundled;

use crate::semantics::conformance::{BRISK, backends};

/// The backends on which a loss ends nothing else.
fn in_process() -> impl Iterator<Item = &'static dyn Backend> {
    backends().into_iter().filter(|it| !it.ends_processes())
}

fn capture_of(source: &str, backend: &str) -> Capture {
    let request = RunRequest {
        name: "w".to_owned(),
        source: source.to_owned(),
        backend: backend.to_owned(),
        paced: BRISK,
        recovery: RecoveryMode::Stay,
        ..RunRequest::default()
    };
    let mut capture = Capture::new();
    let end = run(request, |records| capture.apply(records)).unwrap();
    assert_eq!(end.outcome, RunOutcome::Finished, "{source} on {backend}");
    capture
}

/// Two streams, their events and signals, and these calls of host threads.
fn workload(calls: &str) -> String {
    format!(
        r#"
        stream "a"; stream "b"; stream "c" failure="continue"
        event "e"; event "f"
        signal "go"; signal "come"; signal "done"
        buffer "x" f32=64; buffer "y" f32=64
        {calls}
        "#
    )
}

/// Every dependency, by its effect.
fn dependencies(capture: &Capture) -> Vec<Dependency> {
    let causes = capture.spans().flat_map(|it| capture.causes(it.span.id));
    causes.filter_map(|id| capture.dependency(id)).collect()
}

/// Dependencies of a kind.
fn of_kind(capture: &Capture, kind: DependencyKind) -> Vec<Dependency> {
    let mut all = dependencies(capture);
    all.retain(|it| it.kind == kind);
    all
}

fn state(capture: &Capture, it: &Dependency) -> State {
    capture.span(it.effect).unwrap().span.state
}

/// No enforced dependency has a cause that came to be after its effect had ended.
fn assert_enforced_happened(capture: &Capture, place: &str) {
    for it in dependencies(capture) {
        let (cause, effect) = (
            capture.span(it.cause).unwrap().span,
            capture.span(it.effect).unwrap().span,
        );
        let begun = match it.kind {
            // What a call brings about begins while it runs.
            DependencyKind::Submission
            | DependencyKind::Signal
            | DependencyKind::Step
            | DependencyKind::Abort => cause.start,
            _ => cause.end,
        };
        let is_late = begun > effect.end;
        assert!(
            it.basis != Basis::Enforced || !is_late,
            "{place}: {it:?} {cause:?} {effect:?}"
        );
    }
}

#[test]
fn what_a_bundled_workload_says_was_enforced_has_happened() {
    for backend in in_process() {
        for workload in bundled()
            .iter()
            .filter(|it| ["timeouts", "two-editions", "two-hosts"].contains(&it.name))
        {
            let capture = capture_of(workload.source, backend.name());
            assert_enforced_happened(
                &capture,
                &format!("{} on {}", workload.name, backend.name()),
            );
        }
    }
}

#[test]
fn a_wait_that_did_not_succeed_was_declared_and_not_enforced() {
    let cases = [
        // The hold is cancelled by the abort, and its signal raised then.
        (
            r#"hold "go" on="a"; abort-stream "a"; signal "go"; synchronize-device"#,
            SpanKind::Hold,
        ),
        // The record comes after the wait has given up.
        (
            r#"hold "go" on="a"; record "e" on="a"; wait "e" on="c" timeout-micros=200
               try { synchronize-stream "c" }
               catch "timed-out" { work micros=10 }
               signal "go"; synchronize-device"#,
            SpanKind::EventWait,
        ),
        (
            r#"hold "go" on="a"; record "e" on="a"
               try { synchronize-event "e" timeout-micros=200 }
               catch "timed-out" { work micros=10 }
               signal "go"; synchronize-device"#,
            SpanKind::Synchronize,
        ),
        // What is in flight is lost with the device, before the signal.
        (
            r#"hold "go" on="a"; lose-device by="destroy"; signal "go""#,
            SpanKind::Hold,
        ),
    ];
    for (calls, kind) in cases {
        for backend in in_process() {
            let place = format!("{calls} on {}", backend.name());
            let capture = capture_of(
                &workload(&format!("host \"main\" {{\n{calls}\n}}")),
                backend.name(),
            );
            assert_enforced_happened(&capture, &place);
            let failed = dependencies(&capture).into_iter().filter(|it| {
                let effect = capture.span(it.effect).unwrap().span;
                effect.kind == kind
                    && effect.state != State::Done
                    && !matches!(it.kind, DependencyKind::Submission | DependencyKind::Abort)
            });
            let failed: Vec<Basis> = failed.map(|it| it.basis).collect();
            assert_eq!(failed, [Basis::Declared], "{place}");
        }
    }
}

#[test]
fn a_loss_does_not_end_the_wait_of_a_host_thread_for_another() {
    let calls = r#"
        host "one" { await "go"; fill "x" value=1 on="a" }
        host "two" { fill "y" value=1 on="b"; lose-device by="destroy"; work micros=3000; signal "go" }"#;
    for backend in in_process() {
        let capture = capture_of(&workload(calls), backend.name());
        assert_enforced_happened(&capture, backend.name());
        let raised = of_kind(&capture, DependencyKind::Signal);
        let found: Vec<_> = raised
            .iter()
            .map(|it| (it.basis, state(&capture, it)))
            .collect();
        assert_eq!(
            found,
            [(Basis::Enforced, State::Done)],
            "{}",
            backend.name()
        );
    }
}

#[test]
fn what_unordered_host_threads_make_of_each_other_is_observed_in_every_run() {
    use Basis::{Enforced, Observed};
    use DependencyKind::{Event, Signal, Synchronization};
    let cases: [(&str, DependencyKind, Basis); 6] = [
        (
            r#"host "one" { record "e" on="a" }
 host "two" { work micros=900; wait "e" on="b" }"#,
            Event,
            Observed,
        ),
        (
            r#"host "one" { record "e" on="a"; signal "go" }
 host "two" { await "go"; wait "e" on="b" }"#,
            Event,
            Enforced,
        ),
        // The event may be recorded by the other as well.
        (
            r#"host "one" { record "e" on="a"; wait "e" on="b" }
 host "two" { work micros=900; record "e" on="c" }"#,
            Event,
            Observed,
        ),
        (
            r#"host "one" { fill "x" value=1 on="a" }
 host "two" { work micros=900; synchronize-stream "a" }"#,
            Synchronization,
            Observed,
        ),
        (
            r#"host "one" { fill "x" value=1 on="a"; signal "go" }
 host "two" { await "go"; synchronize-stream "a" }"#,
            Synchronization,
            Enforced,
        ),
        // Whoever comes first raises it.
        (
            r#"host "one" { signal "go" }
 host "two" { work micros=900; signal "go" }
 host "three" { await "go" }"#,
            Signal,
            Observed,
        ),
    ];
    for (calls, kind, basis) in cases {
        for backend in in_process() {
            for _ in 0..3 {
                let capture = capture_of(&workload(calls), backend.name());
                let found: Vec<_> = of_kind(&capture, kind).iter().map(|it| it.basis).collect();
                // Where nothing orders them, the second may come before the first.
                let is_sure = basis == Enforced || kind == Signal || backend.name() == "mock";
                let agrees = found == [basis] || !is_sure && found.is_empty();
                assert!(agrees, "{calls} on {}: {found:?}", backend.name());
            }
        }
    }
}

#[test]
fn a_signal_that_either_of_two_host_threads_raises_orders_what_comes_before_both() {
    let found = |one: &str, two: &str, three: &str| {
        let calls = format!(
            r#"host "zero" {{ fill "x" value=1 on="a"; synchronize-stream "a"; signal "come" }}
            host "one" {{ await "come"; {one} signal "go" }}
            host "two" {{ await "come"; work micros=500; {two} signal "go" }}
            host "three" {{ await "go"; {three} }}"#
        );
        let capture = capture_of(&workload(&calls), "mock");
        let findings = capture.findings().iter();
        findings.map(|it| it.code.clone()).collect::<Vec<_>>()
    };
    let both = found("", "", r#"fill "x" value=2 on="b""#);
    assert_eq!(both, ["unordered-hosts"], "the fill comes before either");
    let one = r#"fill "y" value=1 on="b"; synchronize-stream "b";"#;
    let mut chance = found(one, "", r#"fill "y" value=2 on="c""#);
    chance.sort_unstable();
    assert_eq!(
        chance,
        ["race", "unordered-hosts"],
        "the other may raise it"
    );
}
