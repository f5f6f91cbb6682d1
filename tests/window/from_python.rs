//! A window that a program in Python opens on what its profiler recorded, which outlives the program and leaves no file.

use std::path::Path;
use std::process::Command;

use crate::formats::python::{output, python};
use crate::house::display::{Display, until};
use crate::house::root;

/// The processes of the window, ended with the test even where it fails.
struct WindowGroup(String);

impl Drop for WindowGroup {
    fn drop(&mut self) {
        // One that ended by itself is no longer there.
        let group = format!("-{}", self.0);
        let _ = Command::new("kill").args(["-KILL", "--", &group]).output();
    }
}

#[test]
fn a_profiler_is_shown_and_its_file_goes_with_the_window() {
    let display = match Display::open(1000, 700) {
        Ok(display) => display,
        Err(reason) => {
            let must = std::env::var_os("REQUIRE_WINDOW").is_some();
            assert!(!must, "no display: {reason}");
            eprintln!("skipped: the window is not tested here: {reason}");
            return;
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    let python = python(Path::new("python3"));
    let mut command = display.command(&"python3".into());
    for (name, value) in python.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
        .arg(root().join("app/python/tests/show_profiler.py"))
        .env("TMPDIR", folder.path())
        .env_remove("XDG_RUNTIME_DIR");
    let Some(said) = output(&mut command) else {
        return;
    };
    let wrong = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success(), "{wrong}");
    let group = String::from_utf8_lossy(&said.stdout).trim().to_owned();
    let _group = WindowGroup(group);
    let title = "torch-profiler.json - Syncline";
    let window = until("the window has the name of the profile", || {
        let found = display.hand(&["search", "--onlyvisible", "--name", title]);
        found.lines().next().map(str::to_owned)
    });
    assert_eq!(files(), 1, "the profile is there while the window is");
    display.hand(&["windowclose", &window]);
    until("the profile has gone", || (files() == 0).then_some(()));
}
