//! Workers on this machine: what they show is what an engine in the own process shows, and their end is told truly.

use std::process::Command;
use std::time::{Duration, Instant};

use engine::capture::{Capture, text};
use engine::record::{Clock, LossKind, RunOutcome, State};
use engine::runner::far::ConnectionState;
use engine::runner::{Control, Engine, RecoveryMode};

use super::view::View;
use super::{here, long, request};

fn kill(process: u32, signal: &str) {
    assert_ne!(process, 0, "that would be this process's whole group");
    let sent = Command::new("kill")
        .args([signal, &process.to_string()])
        .status();
    assert!(sent.unwrap().success());
}

fn exists(process: u32) -> bool {
    std::path::Path::new(&format!("/proc/{process}")).exists()
}

/// What a capture holds, its dependencies in an order of their own: theirs is that in which they came.
fn content(capture: &Capture) -> String {
    let text = text(capture);
    let (mut dependencies, others): (Vec<_>, Vec<_>) = text
        .lines()
        .partition(|line| line.starts_with("dependency "));
    dependencies.sort_unstable();
    [others, dependencies].concat().join("\n")
}

#[test]
fn a_workers_capture_is_that_of_an_engine_in_the_own_process() {
    let mut far = View::of(here());
    let mut near = View::new(Engine::start(Box::new(|| ())));
    for name in ["double-buffer", "loss-with-promises", "compile-storm"] {
        for view in [&mut far, &mut near] {
            view.run(request(name, "mock"));
            view.until_finished();
        }
        assert_eq!(content(&far.capture), content(&near.capture), "{name}");
    }
    assert!(far.refused.is_empty());
}

#[test]
fn a_workers_run_is_saved_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("far.pftrace");
    let mut far = View::of(here());
    let mut request = request("double-buffer", "mock");
    request.save = Some(path.clone());
    far.run(request);
    far.until_finished();
    let mut back = Capture::new();
    engine::importer::open(&path, &mut |batch| {
        back.apply(batch.records);
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(text(&back), text(&far.capture));
}

#[test]
fn a_run_that_is_refused_says_the_same() {
    let mut wrong = request("double-buffer", "mock");
    wrong.source = "stream".to_owned();
    let mut far = View::of(here());
    let mut near = View::new(Engine::start(Box::new(|| ())));
    for view in [&mut far, &mut near] {
        view.run(wrong.clone());
        view.until("a refusal", |view| !view.refused.is_empty());
    }
    assert_eq!(far.refused, near.refused);
}

#[test]
fn its_times_lie_on_this_machines_clock() {
    let mut far = View::of(here());
    let before = engine::runner::far::unix_now();
    far.run(request("single-stream", "cpu"));
    far.until_finished();
    let after = engine::runner::far::unix_now();
    let clocks = far.capture.clocks();
    let unix = clocks.iter().find(|it| it.name == Clock::UNIX).unwrap();
    assert!(unix.uncertainty.0 > 0, "{unix:?}");
    assert!(before.0 - unix.uncertainty.0 <= unix.offset.0, "{unix:?}");
    assert!(unix.offset.0 <= after.0 + unix.uncertainty.0, "{unix:?}");
    assert!(clocks.iter().any(|it| it.name == "unix at here"));
}

#[test]
fn a_killed_worker_leaves_a_true_picture_and_the_next_run_has_another() {
    let mut view = View::of(here());
    view.run(long(1_000_000));
    view.until("spans", |view| view.capture.span_count() > 200);
    let process = view.connection.process;
    kill(process, "-KILL");
    view.until_finished();
    let end = view.capture.end().unwrap();
    let RunOutcome::Failed(why) = &end.outcome else {
        panic!("{:?}", end.outcome)
    };
    assert!(why.contains("signal 9 (SIGKILL)"), "{why}");
    let loss = view.capture.losses().last().unwrap();
    assert_eq!(loss.kind, LossKind::Process);
    assert_eq!(loss.time, end.time);
    assert!(view.capture.open().next().is_none(), "nothing runs on");
    let codes: Vec<&str> = view
        .capture
        .problems()
        .iter()
        .map(|it| it.code.as_str())
        .collect();
    assert!(codes.contains(&"worker-gone"), "{codes:?}");
    assert!(!exists(process), "it was waited for");
    // Nothing can go on from there, and it can be begun again.
    view.engine.send(Control::Recover(RecoveryMode::Resume));
    view.until("a refusal", |view| !view.refused.is_empty());
    assert!(
        view.refused[0].contains("begins again"),
        "{:?}",
        view.refused
    );
    view.run(request("single-stream", "mock"));
    view.until_finished();
    assert_eq!(view.capture.end().unwrap().outcome, RunOutcome::Finished);
    assert_ne!(view.connection.process, process);
    assert!(
        view.connection.detail.contains("new worker"),
        "{:?}",
        view.connection
    );
}

#[test]
fn a_long_operation_of_a_killed_worker_is_lost() {
    let mut request = long(1);
    request.source = request.source.replace("micros=200", "micros=60000000");
    let mut view = View::of(here());
    view.run(request);
    view.until("something runs", |view| {
        view.capture.open().next().is_some()
    });
    let open: Vec<_> = view.capture.open().map(|began| began.id).collect();
    kill(view.connection.process, "-KILL");
    view.until_finished();
    for id in open {
        let span = view.capture.span(id).unwrap();
        assert_eq!(span.span.state, State::Lost);
    }
}

#[test]
fn an_engine_that_is_dropped_leaves_no_process() {
    let mut view = View::of(here());
    view.run(long(1_000_000));
    view.until("spans", |view| view.capture.span_count() > 50);
    let process = view.connection.process;
    drop(view);
    assert!(!exists(process));
}

#[test]
fn many_kills_leave_nothing_behind() {
    let mut view = View::of(here());
    let mut processes = Vec::new();
    for round in 0..20 {
        view.capture = Capture::new();
        view.run(long(1_000_000));
        view.until("spans", |view| view.capture.span_count() > 5 + round * 7);
        processes.push(view.connection.process);
        kill(view.connection.process, "-KILL");
        view.until_finished();
        view.until_state(ConnectionState::Gone);
    }
    drop(view);
    assert!(processes.iter().all(|process| !exists(*process)));
}

#[test]
fn a_stopped_worker_does_not_hold_the_window() {
    let mut view = View::of(here());
    view.run(long(1_000_000));
    view.until("spans", |view| view.capture.span_count() > 50);
    let process = view.connection.process;
    kill(process, "-STOP");
    let began = Instant::now();
    view.engine.send(Control::Stop);
    assert!(began.elapsed() < Duration::from_millis(100));
    drop(view);
    assert!(began.elapsed() < Duration::from_secs(10));
    assert!(!exists(process), "it was ended although it did not answer");
}
