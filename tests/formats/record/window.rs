//! A program that is seen in a window as it runs, on a display of its own.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use engine::record::{DependencyKind, SpanKind};

use super::{of_kind, open, program, ties};
use crate::house::display::{Display, until};
use crate::house::program::{stand_in, syncline};

/// The recorder, ended with the test even where it fails.
struct Recorder(Child);

impl Drop for Recorder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A display of its own; nothing, said, where there can be none.
fn display() -> Option<Display> {
    match Display::open(1200, 800) {
        Ok(display) => Some(display),
        Err(reason) => {
            let must = std::env::var_os("REQUIRE_WINDOW").is_some();
            assert!(!must, "no display: {reason}");
            eprintln!("skipped: the window is not tested here: {reason}");
            None
        }
    }
}

/// Records the program in a window, into `out.pftrace` of a folder.
fn start(display: &Display, folder: &Path, arguments: &[&str]) -> Recorder {
    let mut command = display.command(syncline());
    command
        .args(["record", "--live", "-o"])
        .arg(folder.join("out.pftrace"))
        .arg("--");
    command.arg(program()).args(arguments);
    command
        .env("SYNCLINE_TEST_CUDA_STAND_IN", stand_in())
        .env("TMPDIR", folder)
        .stdin(Stdio::null());
    Recorder(command.spawn().unwrap())
}

/// The window closes once it is told to by a signal, with the exit code of the program that had ended before.
#[test]
fn the_programs_exit_code_is_that_of_the_window() {
    let Some(display) = display() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut recorder = start(&display, folder.path(), &["fail", "5"]);
    let path = folder.path().join("out.pftrace");
    until("the program has ended", || {
        let is_there = std::fs::metadata(&path).is_ok_and(|it| it.len() > 0);
        (is_there && open(&path).end().is_some()).then_some(())
    });
    // The window has yet to hear of it.
    until("the picture rests", || Some(display.resting()));
    let process = recorder.0.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &process]).status();
    assert!(sent.unwrap().success());
    let end = until("it closes", || recorder.0.try_wait().unwrap());
    assert_eq!(end.code(), Some(3), "{end}");
}

#[test]
fn a_program_that_cannot_be_started_is_said_to_be_wrong_when_the_window_closes() {
    let Some(display) = display() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut command = display.command(syncline());
    command.args(["record", "--live", "--"]);
    command.arg(folder.path().join("nothing"));
    command.env("SYNCLINE_TEST_CUDA_STAND_IN", stand_in());
    command.env("TMPDIR", folder.path()).stdin(Stdio::null());
    let mut recorder = Recorder(command.spawn().unwrap());
    until("something is painted", || {
        (display.picture().colours() > 50).then_some(())
    });
    until("the picture rests", || Some(display.resting()));
    assert!(recorder.0.try_wait().unwrap().is_none(), "its window stays");
    let process = recorder.0.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &process]).status();
    assert!(sent.unwrap().success());
    let end = until("it closes", || recorder.0.try_wait().unwrap());
    assert_eq!(end.code(), Some(2), "{end}");
}

#[test]
fn a_program_is_seen_as_it_runs_and_ends_with_the_window() {
    let Some(display) = display() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.pftrace");
    let mut recorder = start(&display, folder.path(), &["forever"]);
    let window = until("a window opens", || {
        let found = display.hand(&["search", "--onlyvisible", "--name", "Syncline"]);
        found.lines().next().map(str::to_owned)
    });
    display.hand(&["windowfocus", &window]);
    let first = until("something is painted", || {
        let picture = display.picture();
        (picture.colours() > 50).then_some(picture)
    });
    until("the picture goes on", || {
        (display.picture().difference(&first) > 500).then_some(())
    });
    let written = || std::fs::metadata(&path).map_or(0, |it| it.len());
    until("the file grows", || (written() > 100_000).then_some(()));
    assert!(recorder.0.try_wait().unwrap().is_none());
    display.hand(&["mousemove", "600", "300"]);
    display.hand(&["key", "ctrl+q"]);
    let end = until("it closes", || recorder.0.try_wait().unwrap());
    assert_eq!(end.code(), Some(130), "{end}");
    let capture = open(&path);
    assert!(of_kind(&capture, SpanKind::Kernel).len() > 100);
    assert!(ties(&capture, DependencyKind::Event).len() > 50);
    // The program is gone, and what it wrote.
    let lanes = capture.lanes().iter();
    let host = lanes
        .map(|lane| &lane.name)
        .find(|name| name.starts_with("cuda-program "));
    let process = host.unwrap().split(' ').nth(1).unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{process}")).exists());
    let left = std::fs::read_dir(folder.path()).unwrap().flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["out.pftrace"]);
}
