//! Links that drop while the worker lives on.

use std::ffi::OsString;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use engine::record::{LossKind, RunOutcome};
use engine::runner::Control;
use engine::runner::far::{ConnectionState, WorkerTarget};

use super::long;
use super::view::View;
use crate::house::program::syncline;

/// A worker behind pipes that can be broken without it, as a network can.
fn piped() -> WorkerTarget {
    let script = r#"cat | setsid "$0" worker "$@" | cat"#;
    WorkerTarget {
        name: "piped".to_owned(),
        command: vec!["sh".into(), "-c".into(), script.into(), syncline().into()],
        can_drop: true,
        silence: std::time::Duration::from_mins(1),
        shares_clock: false,
    }
}

/// The same for a user who has no home and no folder for sockets, as a service has.
fn piped_without_home(temporary: &std::path::Path) -> WorkerTarget {
    let mut target = piped();
    let without = ["env", "-u", "XDG_RUNTIME_DIR", "HOME=/nonexistent"];
    let mut command: Vec<OsString> = without.map(OsString::from).into();
    command.push(format!("TMPDIR={}", temporary.display()).into());
    command.append(&mut target.command);
    target.command = command;
    target
}

/// The children of a process that are called `name`.
fn children(parent: u32, name: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        let Some((head, tail)) = stat.rsplit_once(") ") else {
            continue;
        };
        let is_child = tail.split(' ').nth(1).and_then(|it| it.parse().ok()) == Some(parent);
        if is_child && head.ends_with(&format!("({name}")) {
            found.extend(entry.file_name().to_string_lossy().parse::<u32>());
        }
    }
    found
}

/// The worker that a shell started.
fn worker_of(shell: u32) -> u32 {
    let found = children(shell, "syncline");
    assert_eq!(found.len(), 1, "one worker");
    found[0]
}

/// Ends a shell and the `cat`s it started.
fn cut(shell: u32) {
    let mut ends = children(shell, "cat");
    ends.push(shell);
    assert_eq!(ends.len(), 3, "a shell and two cats");
    let ends = ends.iter().map(ToString::to_string);
    // One may have ended by itself when another did, and `kill` then has words about it.
    Command::new("kill")
        .arg("-KILL")
        .args(ends)
        .output()
        .unwrap();
}

#[test]
fn what_happened_while_the_link_was_down_is_there_when_it_is_back() {
    let mut view = View::of(piped());
    let rounds = 24_000;
    view.run(long(rounds));
    for drop in 1..=3 {
        let seen = view.capture.span_count() + 300;
        view.until("spans", |view| view.capture.span_count() > seen);
        cut(view.connection.process);
        view.until_state(ConnectionState::Dropped);
        view.until_state(ConnectionState::Connected);
        let links = view.capture.losses().iter();
        assert_eq!(links.filter(|it| it.kind == LossKind::Link).count(), drop);
    }
    view.until_finished();
    assert_eq!(view.capture.end().unwrap().outcome, RunOutcome::Finished);
    assert_eq!(view.capture.recoveries().len(), 3);
    // A tick and its call, and a synchronisation, each round: none is missing and none is there twice.
    assert_eq!(view.capture.span_count(), rounds * 3);
    assert!(view.capture.open().next().is_none());
}

#[test]
fn a_worker_without_a_home_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut view = View::of(piped_without_home(folder.path()));
    view.run(long(3_000));
    view.until("spans", |view| view.capture.span_count() > 300);
    cut(view.connection.process);
    view.until_state(ConnectionState::Dropped);
    view.until_state(ConnectionState::Connected);
    view.until_finished();
    assert_eq!(view.capture.end().unwrap().outcome, RunOutcome::Finished);
    assert_eq!(view.capture.span_count(), 9_000);
}

#[test]
fn whoever_stops_while_the_link_is_down_does_not_wait_for_it() {
    let mut target = piped();
    let mut view = View::of(target.clone());
    view.run(long(1_000_000));
    view.until("spans", |view| view.capture.span_count() > 100);
    target.can_drop = true;
    let worker = worker_of(view.connection.process);
    cut(view.connection.process);
    view.until_state(ConnectionState::Dropped);
    view.engine.send(Control::Stop);
    view.until_finished();
    assert!(matches!(
        view.capture.end().unwrap().outcome,
        RunOutcome::Failed(_)
    ));
    // The worker is told, and does not run on with nobody to see it.
    let until = Instant::now() + Duration::from_secs(30);
    while std::path::Path::new(&format!("/proc/{worker}")).exists() {
        assert!(Instant::now() < until, "the worker runs on");
        std::thread::sleep(Duration::from_millis(50));
    }
}
