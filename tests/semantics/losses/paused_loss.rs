//! A device that is lost while somebody looks on stays lost until they decide: also once the last call was made.

use std::time::{Duration, Instant};

use engine::capture::Capture;
use engine::record::{Record, SpanKind};
use engine::runner::{Control, Engine, Message, Phase, RecoveryMode, RunRequest};
use engine::workload::{Injection, LossBy, LossMoment};

use super::backends;

/// The last call waits for work that takes far longer than a test: it ends by the loss alone.
const SOURCE: &str = r#"
stream "a"
buffer "x" f32=64 init="k"
host "main" {
    upload "x" on="a"
    launch "spin" on="a" { set "micros" "micros" }
    synchronize-device
}
param "micros" 300000 min=1 max=1000000
expect { each "x" equals="k" }
"#;

/// Loses the device during the last call, waits until that call has ended, and then does `after`. Gives the capture of the
/// whole run.
fn run(backend: &str, after: &Control) -> Capture {
    let engine = Engine::start(Box::new(|| ()));
    let request = RunRequest {
        name: "held".to_owned(),
        source: SOURCE.to_owned(),
        backend: backend.to_owned(),
        ..RunRequest::default()
    };
    engine.send(Control::Run(Box::new(request)));
    let mut capture = Capture::new();
    let (mut is_lost, mut is_decided) = (false, false);
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match engine.messages().recv_timeout(left).expect("the run ends") {
            Message::Batch(records) => capture.apply(records),
            Message::Finished { .. } => return capture,
            Message::Refused(reason) => panic!("{backend}: {reason}"),
            _ => {}
        }
        let blocked = |it: &engine::record::SpanStart| it.kind == SpanKind::Synchronize;
        if !is_lost && capture.open().any(blocked) {
            is_lost = true;
            let (by, at) = (LossBy::Driver, LossMoment::Now);
            engine.send(Control::Pause);
            engine.send(Control::Lose(Injection { by, at }));
        }
        let ended = |it: engine::capture::PlacedSpan| it.span.kind == SpanKind::Synchronize;
        if is_lost && !is_decided && capture.spans().any(ended) {
            is_decided = true;
            engine.send(after.clone());
        }
    }
}

fn real() -> impl Iterator<Item = &'static str> {
    // On a device in virtual time nothing is under way while somebody looks on.
    backends().into_iter().filter(|it| *it != "mock")
}

#[test]
fn a_run_whose_last_call_was_made_is_replayed() {
    for backend in real() {
        let capture = run(backend, &Control::Recover(RecoveryMode::Replay));
        assert_eq!(capture.recoveries().len(), 1, "{backend}");
        let calls = capture
            .spans()
            .filter(|it| it.span.kind == SpanKind::Synchronize);
        assert_eq!(calls.count(), 2, "{backend}: every call is made again");
        let verdict = capture.expectations().first().expect("it was checked");
        assert!(verdict.holds == Some(true), "{backend}: {verdict:?}");
    }
}

#[test]
fn a_run_whose_last_call_was_made_is_recovered_or_ends_without_its_device() {
    for backend in real() {
        let capture = run(backend, &Control::Recover(RecoveryMode::Resume));
        assert_eq!(capture.recoveries().len(), 1, "{backend}");
        for decided in [Control::Resume, Control::Stop] {
            let capture = run(backend, &decided);
            assert!(capture.recoveries().is_empty(), "{backend}");
            assert_eq!(capture.losses().len(), 1, "{backend}");
        }
    }
}

#[test]
fn the_window_is_told_that_the_run_is_held() {
    let Some(backend) = real().next() else { return };
    let engine = Engine::start(Box::new(|| ()));
    let request = RunRequest {
        name: "held".to_owned(),
        source: SOURCE.to_owned(),
        backend: backend.to_owned(),
        ..RunRequest::default()
    };
    engine.send(Control::Run(Box::new(request)));
    let (by, at) = (LossBy::Driver, LossMoment::Now);
    engine.send(Control::Pause);
    engine.send(Control::Lose(Injection { by, at }));
    let mut phases = Vec::new();
    let mut lost = false;
    for message in engine.messages() {
        match message {
            Message::Phase(phase) => phases.push(phase),
            Message::Batch(records) => {
                lost |= records.iter().any(|it| matches!(it, Record::Loss(_)));
                if lost {
                    engine.send(Control::Stop);
                }
            }
            Message::Finished { .. } => break,
            _ => {}
        }
    }
    let expected = [Phase::Running, Phase::Paused, Phase::Stopping];
    phases.dedup();
    assert_eq!(phases, expected);
}
