//! Losses in the middle of a run, on every backend that opens: each is reported once, and the run goes on as asked.

mod begun;
mod destroyed;
mod earlier_attempt;
mod loss_counts;
mod paused_loss;
mod raceless;
mod resumed;
mod short_operations;
mod stale;
mod unordered_calls;

use engine::backend::BACKENDS;
use engine::capture::Capture;
use engine::record::{LossKind, RunOutcome, State};
use engine::runner::{RecoveryMode, RunRequest, run};
use engine::time::Nanos;
use engine::workload::{Injection, bundled};

use crate::semantics::conformance::BRISK;

const LONG: &str = r#"
stream "a"
stream "b"
event "done"
buffer "x" f32=1024 init="k"
host "main" {
    upload "x" on="a"
    repeat 10 {
        launch "spin" on="a" label="work" { set "micros" 1000 }
        record "done" on="a"
        wait "done" on="b"
        launch "spin" on="b" { set "micros" 4000 }
        synchronize-stream "b" label="step"
    }
    download "x" on="a" label="last"
    synchronize-device
}
expect { each "x" equals="k" }
"#;

/// The backends that open here; the others are named with their reason.
fn backends() -> Vec<&'static str> {
    let open = |name: &str, probe: Result<_, engine::backend::BackendError>| {
        probe
            .inspect_err(|error| eprintln!("skipped {name}: {error}"))
            .is_ok()
    };
    let all = BACKENDS.iter().filter(|it| !it.ends_processes());
    let all = all.filter(|it| open(it.name(), it.probe()));
    all.map(|it| it.name()).collect()
}

fn lose(
    backend: &str,
    source: &str,
    lose: &[&str],
    recovery: RecoveryMode,
) -> (Capture, RunOutcome) {
    let mut capture = Capture::new();
    let injections = lose.iter().map(|it| it.parse::<Injection>().unwrap());
    let request = RunRequest {
        name: "losses".to_owned(),
        source: source.to_owned(),
        backend: backend.to_owned(),
        paced: BRISK,
        lose: injections.collect(),
        recovery,
        ..RunRequest::default()
    };
    let end = run(request, |records| capture.apply(records)).unwrap();
    (capture, end.outcome)
}

fn count(capture: &Capture, state: State) -> usize {
    capture
        .spans()
        .filter(|placed| placed.span.state == state)
        .count()
}

/// Nothing is pending, and no operation that ran overlaps the time between a loss and its recovery.
fn is_whole(capture: &Capture) {
    assert_eq!(capture.open().count(), 0, "{capture}");
    for loss in capture.losses() {
        let back = capture
            .recoveries()
            .iter()
            .find(|it| it.lost == loss.time)
            .map_or(engine::time::Nanos::MAX, |it| it.time);
        for placed in capture.spans() {
            let lane = capture.lane(placed.span.lane).unwrap();
            let ran =
                lane.group == engine::record::Group::Streams && placed.span.state == State::Done;
            let inside = placed.span.end > loss.time && placed.span.end < back;
            assert!(!ran || !inside, "{placed:?} ran on a lost device: {loss:?}");
        }
    }
}

#[test]
fn a_lost_device_takes_what_is_pending_with_it_and_calls_go_on() {
    for backend in backends() {
        for way in ["destroy@label:step", "driver@1500us", "driver@stream:b"] {
            let (capture, outcome) = lose(backend, LONG, &[way], RecoveryMode::Stay);
            assert_eq!(outcome, RunOutcome::Finished, "{backend} {way}");
            let [loss] = capture.losses() else {
                panic!("{backend} {way}: {:?}", capture.losses());
            };
            let kind = if way.starts_with("driver") {
                LossKind::Unknown
            } else {
                LossKind::Destroyed
            };
            assert_eq!((loss.kind, loss.generation), (kind, 1), "{backend} {way}");
            // How far the work had come by then is the machine's to decide.
            assert!(
                count(&capture, State::Lost) > 0,
                "{backend} {way}: {capture}"
            );
            is_whole(&capture);
            let verdict = capture.expectations().first().unwrap();
            assert!(
                verdict.holds == Some(true),
                "what the host had stays: {verdict:?}"
            );
        }
    }
}

#[test]
fn a_loss_at_a_stream_waits_until_an_operation_of_it_runs() {
    const LATE: &str = r#"
stream "a"
stream "b"
buffer "x" f32=1024
host "main" {
    fill "x" value=1 on="a"
    work micros=50000
    launch "spin" on="b" { set "micros" 60000 }
    synchronize-device
}"#;
    for backend in backends() {
        let (capture, _) = lose(backend, LATE, &["driver@stream:b"], RecoveryMode::Stay);
        let [loss] = capture.losses() else {
            panic!("{backend}: {:?}", capture.losses());
        };
        let on_b = |it: &engine::capture::PlacedSpan| {
            capture.lane(it.span.lane).is_some_and(|it| it.name == "b")
                && it.span.kind == engine::record::SpanKind::Kernel
        };
        let kernel = capture.spans().find(on_b).unwrap().span;
        assert!(kernel.start <= loss.time, "{backend}: {loss:?}, {kernel:?}");
        assert_eq!(kernel.state, State::Lost, "{backend}");
    }
}

#[test]
fn a_device_is_opened_anew_and_the_work_goes_on() {
    for backend in backends() {
        let (capture, outcome) = lose(backend, LONG, &["driver@stream:a"], RecoveryMode::Resume);
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        let [recovery] = capture.recoveries() else {
            panic!("{backend}: {:?}", capture.recoveries());
        };
        let [loss] = capture.losses() else {
            panic!("{backend}: {:?}", capture.losses());
        };
        assert_eq!(
            (recovery.generation, recovery.lost),
            (2, loss.time),
            "{backend}"
        );
        assert!(recovery.time >= loss.time, "{backend}");
        let after = capture
            .spans()
            .filter(|it| it.span.enqueued >= recovery.time && it.span.state == State::Done);
        assert!(after.count() > 10, "{backend}: {capture}");
        assert!(
            capture.expectations().iter().all(|it| !it.is_missed()),
            "{backend}: {capture}"
        );
        is_whole(&capture);
    }
}

#[test]
fn a_workload_is_replayed_from_its_first_call() {
    for backend in backends() {
        let (capture, outcome) = lose(backend, LONG, &["destroy@label:last"], RecoveryMode::Replay);
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        let recovery = *capture.recoveries().first().unwrap();
        let uploads = capture.spans().filter(|it| {
            let lane = capture.lane(it.span.lane).unwrap();
            lane.role != engine::record::Role::Queue
                && capture.name(it.span.name) == "upload x"
                && it.span.start >= recovery.time
        });
        assert_eq!(
            uploads.count(),
            2,
            "{backend}: the call and its operation, again\n{capture}"
        );
        assert!(
            capture.expectations().iter().all(|it| !it.is_missed()),
            "{backend}: {capture}"
        );
        is_whole(&capture);
    }
}

#[test]
fn a_workload_may_lose_and_recover_by_itself_many_times() {
    let source = LONG.replace(
        "synchronize-stream \"b\" label=\"step\"",
        "synchronize-stream \"b\"\nlose-device by=\"driver\" stream=\"a\"\nlaunch \"spin\" on=\"a\" { set \"micros\" 10000 }\nsynchronize-device\nrecover-device",
    );
    for backend in backends() {
        let (capture, outcome) = lose(backend, &source, &[], RecoveryMode::Stay);
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        let generations: Vec<u32> = capture
            .recoveries()
            .iter()
            .map(|it| it.generation)
            .collect();
        let count = generations.len() as u32;
        // On a busy machine an operation may be over before anybody has seen it run.
        let least = if backend == "mock" { 10 } else { 1 };
        assert!((least..=10).contains(&count), "{backend}: {count}");
        assert_eq!(
            generations,
            (2..2 + count).collect::<Vec<u32>>(),
            "{backend}"
        );
        is_whole(&capture);
    }
}

/// Losses at moments at which the host threads are somewhere else each time.
const MOMENTS: &[&str] = &[
    "destroy",
    "driver",
    "driver@2ms",
    "destroy@stream:a",
    "driver@stream:b",
];

#[test]
fn a_replay_comes_to_its_end_wherever_the_loss_finds_the_host_threads() {
    let source = LONG.replace(
        "expect {",
        "expect {\n in-turn \"work\" \"next\"\n before \"first\" \"last\"\n",
    );
    let source = source.replacen("on=\"a\"", "on=\"a\" label=\"first\"", 1);
    let source = source.replace(
        "launch \"spin\" on=\"b\"",
        "launch \"spin\" on=\"b\" label=\"next\"",
    );
    for backend in backends() {
        for way in MOMENTS {
            let (capture, outcome) = lose(backend, &source, &[way], RecoveryMode::Replay);
            assert_eq!(outcome, RunOutcome::Finished, "{backend} {way}");
            let attempts = 1 + capture.recoveries().len();
            assert_eq!(attempts, 2, "{backend} {way}: {:?}", capture.losses());
            for verdict in capture.expectations() {
                assert!(
                    verdict.holds == Some(true) && verdict.found.ends_with("(attempt 2)"),
                    "{backend} {way}: {verdict:?}"
                );
            }
            is_whole(&capture);
        }
    }
}

#[test]
fn a_replay_may_find_a_host_thread_that_waits_for_another_or_for_its_promises() {
    // When the loss comes, one waits for a signal, and the other has made all its calls and waits for a promise.
    let source = r#"
stream "a"
signal "go"
pipeline "slow" kernel="scan" slow-micros=60000 cache=#false
promise "built"
host "waits" {
    await "go"
}
host "asks" {
    launch "spin" on="a" { set "micros" 8000 }
    work micros=2000
    create-pipeline-async "slow" promise="built"
}
host "signals" {
    work micros=50000
    signal "go"
}
expect { settles "built" "resolved" value="pipeline" }
"#;
    for backend in backends() {
        // The law of a paced device is a tenth here.
        let time = if backend == "paced" { "1ms" } else { "10ms" };
        let ways = [format!("driver@{time}"), format!("destroy@{time}")];
        for way in ways.iter().map(String::as_str).chain(["driver@stream:a"]) {
            let (capture, outcome) = lose(backend, source, &[way], RecoveryMode::Replay);
            assert_eq!(outcome, RunOutcome::Finished, "{backend} {way}");
            assert_eq!(capture.recoveries().len(), 1, "{backend} {way}");
            for verdict in capture.expectations() {
                assert!(verdict.holds == Some(true), "{backend} {way}: {verdict:?}");
            }
            is_whole(&capture);
        }
    }
}

#[test]
fn a_replay_begins_with_buffers_events_and_streams_as_they_were() {
    // Attempt 1 changes what the host has of x, destroys an event, fails a stream and raises a signal, and only then
    // loses the device.
    let source = r#"
stream "a" failure="stop"
event "e"
signal "raised"
buffer "x" f32=64 init="k"
buffer "y" f32=64
buffer "never-uploaded" f32=64 init="7"
host "main" {
    download "never-uploaded" on="a"
    upload "x" on="a" label="first"
    record "e" on="a"
    wait "e" on="a"
    launch "saxpy" on="a" { read "x"; write "y"; set "a" 2 }
    copy "y" "x" on="a"
    download "x" on="a"
    synchronize-stream "a"
    destroy-event "e"
    signal "raised"
    host-function "last" micros=1 on="a" label="last"
    synchronize-device
}
host "other" { await "raised" label="heard" }
expect { each "x" equals="2 * k"; each "never-uploaded" equals="0"; ends-before "first" "heard" }
"#;
    for backend in backends() {
        let (capture, outcome) = lose(
            backend,
            source,
            &["driver@label:last"],
            RecoveryMode::Replay,
        );
        assert_eq!(outcome, RunOutcome::Finished, "{backend}: {capture}");
        assert_eq!(capture.recoveries().len(), 1, "{backend}");
        for verdict in capture.expectations() {
            assert!(verdict.holds == Some(true), "{backend}: {verdict:?}");
        }
    }
}

#[test]
fn a_workload_that_loses_its_own_device_is_replayed_once_for_each_such_call() {
    for backend in backends() {
        for name in [
            "loss-and-recovery",
            "loss-with-promises",
            "loss-during-compile",
            "two-editions",
        ] {
            let workload = bundled().iter().find(|it| it.name == name).unwrap();
            for extra in [&[][..], &["driver@1ms"]] {
                let (capture, outcome) =
                    lose(backend, workload.source, extra, RecoveryMode::Replay);
                assert_eq!(outcome, RunOutcome::Finished, "{backend} {name} {extra:?}");
                let said = capture
                    .log()
                    .iter()
                    .filter(|it| it.text.contains("by a call of its own again"));
                assert_eq!(said.count(), 1, "{backend} {name} {extra:?}: {capture}");
                // One for the call, one for what was asked for, and the one that the workload makes by itself.
                let most =
                    1 + extra.len() + usize::from(workload.source.contains("recover-device"));
                let count = capture.recoveries().len();
                assert!(
                    (1..=most).contains(&count),
                    "{backend} {name} {extra:?}: {count}"
                );
                for verdict in capture.expectations() {
                    assert!(
                        verdict.holds == Some(true),
                        "{backend} {name} {extra:?}: {verdict:?}"
                    );
                }
                assert_eq!(capture.open().count(), 0, "{backend} {name}: {capture}");
            }
        }
    }
}

#[test]
fn a_loss_ends_waits_for_the_device_and_no_wait_for_another_host_thread() {
    let source = r#"
stream "a"
signal "go"
host "one" {
    await "go"
}
host "two" {
    launch "spin" on="a" { set "micros" 1000 }
    lose-device by="driver"
    synchronize-device
    work micros=20000
    signal "go"
}
"#;
    for backend in backends() {
        let (capture, outcome) = lose(backend, source, &[], RecoveryMode::Stay);
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        let call = |label: &str| {
            let mut spans = capture.spans();
            let found = spans.find(|it| capture.name(it.span.name) == label);
            found
                .unwrap_or_else(|| panic!("{backend}: no {label}"))
                .span
        };
        let (end, wait, raise) = (
            call("synchronize device"),
            call("await go"),
            call("signal go"),
        );
        assert_eq!(
            (end.state, wait.state),
            (State::Lost, State::Done),
            "{backend}"
        );
        assert!(
            wait.end >= raise.start,
            "{backend}: {wait:?} before {raise:?}"
        );
    }
}

#[test]
fn what_a_loss_took_is_named_where_calls_go_on_and_its_results_too() {
    // x is uploaded anew, y is computed again, z is lost and w is made of it; the host has what v was.
    let source = r#"
stream "a"
buffer "v" f32=64 init="k"
buffer "w" f32=64
buffer "x" f32=64 init="k"
buffer "y" f32=64
buffer "z" f32=64
host "main" {
    fill "v" value=3 on="a"
    download "v" on="a"
    fill "y" value=1 on="a"
    fill "z" value=2 on="a"
    synchronize-device
    fill "x" value=9 on="a" label="lose"
    upload "x" on="a"
    fill "y" value=5 on="a"
    copy "z" "w" on="a"
    download "v" on="a"
    download "w" on="a"
    download "x" on="a"
    download "y" on="a"
    synchronize-device
}
expect {
    each "v" equals="3"
    each "w" equals="2"
    each "x" equals="k"
    each "y" equals="5"
}
"#;
    for backend in backends() {
        let (capture, outcome) = lose(
            backend,
            source,
            &["driver@label:lose"],
            RecoveryMode::Resume,
        );
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        let said = |code: &str| -> Vec<String> {
            let found = capture.problems().iter().filter(|it| it.code == code);
            found.map(|it| it.text.clone()).collect()
        };
        let lost = said("buffers-lost");
        assert_eq!(lost.len(), 1, "{backend}: {lost:?}");
        assert!(
            lost[0].contains("had or was to compute in y, z is lost"),
            "{backend}: {lost:?}"
        );
        let wrong = said("stale-result");
        assert_eq!(wrong.len(), 1, "{backend}: {wrong:?}");
        assert!(wrong[0].contains("read back of w"), "{backend}: {wrong:?}");
        let verdicts: Vec<(bool, bool)> = capture
            .expectations()
            .iter()
            .map(|it| {
                (
                    it.holds == Some(true),
                    it.found.contains("lost with the device"),
                )
            })
            .collect();
        let right = (true, false);
        assert_eq!(verdicts, [right, (false, true), right, right], "{backend}");
    }
}

#[test]
fn each_armed_loss_happens_or_is_told() {
    let armed: &[&[&str]] = &[
        &["driver@2ms", "driver@3ms", "driver@4ms"],
        &["destroy@2ms", "driver@2ms", "destroy@label:last"],
        &[
            "driver",
            "driver@stream:b",
            "destroy@stream:a",
            "driver@60s",
        ],
    ];
    for backend in backends() {
        for ways in armed {
            for recovery in [RecoveryMode::Stay, RecoveryMode::Resume] {
                let (capture, _) = lose(backend, LONG, ways, recovery);
                let context = format!("{backend} {ways:?} {recovery:?}");
                let unmet = capture.problems().iter();
                let unmet: Vec<&str> = unmet
                    .filter(|it| it.code == "loss-unmet")
                    .map(|it| it.text.as_str())
                    .collect();
                let happened = capture.losses().len();
                assert!(happened > 0, "{context}");
                assert_eq!(happened + unmet.len(), ways.len(), "{context}: {unmet:?}");
                if recovery == RecoveryMode::Stay {
                    assert_eq!(happened, 1, "{context}");
                    let told = |it: &&&str| it.contains("lost already") || it.contains("was over");
                    assert_eq!(unmet.iter().filter(told).count(), unmet.len(), "{unmet:?}");
                }
                is_whole(&capture);
            }
        }
    }
}

#[test]
fn a_loss_behind_the_end_of_a_run_is_told_and_not_waited_for() {
    for backend in backends() {
        for recovery in [RecoveryMode::Stay, RecoveryMode::Replay] {
            let (capture, _) = lose(backend, LONG, &["driver@600s"], recovery);
            assert!(capture.losses().is_empty(), "{backend}");
            let mut problems = capture.problems().iter();
            let told = problems.any(|it| it.code == "loss-unmet" && it.text.contains("was over"));
            assert!(told, "{backend}");
            let end = capture.extent().unwrap().end;
            assert!(end < Nanos::from_millis(600_000), "{backend}: {end}");
        }
    }
}

#[test]
fn a_loss_at_a_stream_misses_no_operation_however_short() {
    let source = r#"
stream "a"
buffer "x" f32=16
host "main" {
    work micros=3000
    fill "x" value=1 on="a"
    synchronize-device
    work micros=30000
}
"#;
    for backend in backends() {
        for _ in 0..5 {
            let (capture, _) = lose(backend, source, &["driver@stream:a"], RecoveryMode::Stay);
            assert_eq!(capture.losses().len(), 1, "{backend}: {capture}");
        }
    }
}

#[test]
fn a_moment_that_cannot_come_is_refused_by_name() {
    let cases = [
        ("driver@stream:c", "there is no stream c"),
        ("driver@pipeline:x", "this workload has none"),
        ("destroy@label:stop", "did you mean “step”?"),
        ("destroy@line:1", "there is no call at line 1"),
    ];
    for (way, text) in cases {
        let request = RunRequest {
            source: LONG.to_owned(),
            backend: "cpu".to_owned(),
            lose: vec![way.parse().unwrap()],
            ..RunRequest::default()
        };
        let error = run(request, |_| ()).unwrap_err();
        assert!(error.contains(text), "{way}: {error}");
    }
}
