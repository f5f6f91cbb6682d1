//! Losses in the middle of a run, on every backend that opens: each is reported once, and the run goes on as asked.

use engine::backend::BACKENDS;
use engine::capture::Capture;
use engine::record::{LossKind, Outcome, State};
use engine::runner::{Recovery, RunRequest, run};
use engine::workload::Injection;

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
    let open = |name: &str, probe: Result<_, engine::backend::Error>| {
        probe
            .inspect_err(|error| eprintln!("skipped {name}: {error}"))
            .is_ok()
    };
    let all = BACKENDS.iter().filter(|it| !it.ends_processes());
    let all = all.filter(|it| open(it.name(), it.probe()));
    all.map(|it| it.name()).collect()
}

fn lose(backend: &str, source: &str, lose: &[&str], recovery: Recovery) -> (Capture, Outcome) {
    let mut capture = Capture::new();
    let injections = lose.iter().map(|it| it.parse::<Injection>().unwrap());
    let request = RunRequest {
        name: "losses".to_owned(),
        source: source.to_owned(),
        backend: backend.to_owned(),
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
            let (capture, outcome) = lose(backend, LONG, &[way], Recovery::Stay);
            assert_eq!(outcome, Outcome::Finished, "{backend} {way}");
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
            assert!(verdict.holds, "what the host had stays: {verdict:?}");
        }
    }
}

#[test]
fn a_device_is_opened_anew_and_the_work_goes_on() {
    for backend in backends() {
        let (capture, outcome) = lose(backend, LONG, &["driver@stream:a"], Recovery::Resume);
        assert_eq!(outcome, Outcome::Finished, "{backend}");
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
            capture.expectations().iter().all(|it| it.holds),
            "{backend}: {capture}"
        );
        is_whole(&capture);
    }
}

#[test]
fn a_workload_is_replayed_from_its_first_call() {
    for backend in backends() {
        let (capture, outcome) = lose(backend, LONG, &["destroy@label:last"], Recovery::Replay);
        assert_eq!(outcome, Outcome::Finished, "{backend}");
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
            capture.expectations().iter().all(|it| it.holds),
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
        let (capture, outcome) = lose(backend, &source, &[], Recovery::Stay);
        assert_eq!(outcome, Outcome::Finished, "{backend}");
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
