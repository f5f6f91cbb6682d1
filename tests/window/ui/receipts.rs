//! Opened files in the window: one capture of several, each with its receipt, moved by hand and back.

use app::action::{Action, Command};
use app::state::ThemeChoice;
use egui_kittest::kittest::Queryable as _;
use engine::time::Nanos;

use super::Window;
use super::interaction::until;
use crate::formats::captures::{sample, saved};

/// When the spans of a lane start, in order.
fn starts(window: &Window, lane: u32) -> Vec<i64> {
    let capture = window.harness.state().scene().capture;
    let spans = capture.spans().filter(|it| it.span.lane.0 == lane);
    spans.map(|it| it.span.start.0).collect()
}

#[test]
fn files_are_opened_as_one_and_moved_and_moved_back() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["rank0.pftrace", "rank1.pftrace"].map(|name| folder.path().join(name));
    for path in &paths {
        std::fs::write(path, saved(&sample::records(), 9)).unwrap();
    }
    let mut window = Window::new([1200.0, 800.0], ThemeChoice::Dark);
    let act = |window: &mut Window, action: Action| {
        window.harness.state_mut().act(vec![action], None);
    };
    act(&mut window, Action::OpenFiles(paths.to_vec()));
    until(&mut window, |window| {
        window.harness.state().scene().status.parts.len() == 2
    });
    let parts = &window.harness.state().scene().status.parts;
    let second = parts[1].lanes.start + 1;
    let before = starts(&window, second);
    assert!(!before.is_empty());
    let moved: Vec<i64> = before.iter().map(|it| it.saturating_add(500)).collect();

    act(&mut window, Action::OpenTab("receipt"));
    window.harness.run_steps(3);
    assert!(window.harness.query_by_label("rank 1").is_some());
    let receipts = window.harness.query_all_by_label_contains("0 dropped");
    assert_eq!(receipts.count(), 2);

    act(&mut window, Action::Align(1, Nanos(500)));
    until(&mut window, |window| starts(window, second) == moved);
    let first = starts(&window, 1);
    assert_eq!(
        window.harness.state().scene().status.parts[1].hand,
        Nanos(500)
    );
    act(&mut window, Command::Undo.into());
    until(&mut window, |window| starts(window, second) == before);
    assert_eq!(starts(&window, 1), first);
    act(&mut window, Command::Redo.into());
    until(&mut window, |window| starts(window, second) == moved);
}
