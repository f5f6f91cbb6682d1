//! A real window on a display of its own: opened, clicked, run, looked at and closed.

use std::fs::{self, File};
use std::process::{Child, ExitStatus, Stdio};

use crate::house::display::{Display, until};
use crate::house::program::syncline;

const WIDTH: u32 = 1200;
const HEIGHT: u32 = 800;

/// The program, ended with the test even where it fails.
struct Program(Child);

impl Program {
    fn ended(&mut self) -> Option<ExitStatus> {
        self.0.try_wait().expect("a child of ours")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_window_is_used() {
    let display = match Display::open(WIDTH, HEIGHT) {
        Ok(display) => display,
        Err(reason) => {
            assert!(
                std::env::var_os("REQUIRE_WINDOW").is_none(),
                "no display: {reason}"
            );
            eprintln!("skipped: the window is not tested here: {reason}");
            return;
        }
    };
    let folder = tempfile::tempdir().expect("a folder of our own");
    let log = folder.path().join("log");
    let errors = File::create(&log).expect("a file in a folder of our own");
    let child = display
        .command(syncline())
        .env_remove("XDG_RUNTIME_DIR")
        .stdin(Stdio::null())
        .stderr(errors)
        .spawn();
    let mut program = Program(child.expect("the program starts"));

    let mut alive = |what: &str| {
        let end = program.ended();
        let said = || fs::read_to_string(&log).unwrap_or_default();
        assert!(end.is_none(), "it ended before {what}: {end:?}\n{}", said());
    };
    let window = until("a window opens", || {
        alive("its window opened");
        let found = display.hand(&["search", "--onlyvisible", "--name", "Syncline"]);
        found.lines().next().map(str::to_owned)
    });
    display.hand(&["windowmove", &window, "0", "0"]);
    display.hand(&[
        "windowsize",
        &window,
        &WIDTH.to_string(),
        &HEIGHT.to_string(),
    ]);
    display.hand(&["windowfocus", &window]);
    until("something is painted", || {
        (display.picture().colours() > 50).then_some(())
    });

    // The first run ends, and an idle window does not repaint.
    let ran = display.resting();
    alive("the first run ended");
    assert!(ran.colours() > 50, "only {} colours", ran.colours());

    // Zooming goes about the pointer, so it must be over the timeline.
    let (x, y) = ((WIDTH / 2).to_string(), (HEIGHT / 3).to_string());
    display.hand(&["mousemove", &x, &y]);
    let seen = |hand: &[&str], what: &str, least: usize| {
        let before = display.resting();
        display.hand(hand);
        until(what, || {
            (display.picture().difference(&before) > least).then_some(())
        });
    };
    seen(&["key", "question"], "`?` shows the keys", 10_000);
    seen(&["key", "Escape"], "Escape hides them", 10_000);
    seen(&["key", "w"], "`w` zooms in", 1_000);
    seen(&["key", "ctrl+0"], "Ctrl+0 fits again", 1_000);
    seen(&["key", "t"], "`t` changes the theme", 100_000);
    seen(&["key", "F5"], "F5 runs the workload again", 1_000);
    seen(
        &["mousemove", "60", "160", "click", "1"],
        "a click chooses a workload",
        1_000,
    );
    alive("it was asked to close");
    display.hand(&["key", "ctrl+q"]);
    let end = until("it closes when asked to", || program.ended());
    let said = fs::read_to_string(&log).unwrap_or_default();
    assert!(end.success(), "{end}\n{said}");
    assert!(!said.contains("XDG_RUNTIME_DIR"), "{said}");
}
