//! Races on the timeline.

use app::state::ThemeChoice;
use egui_kittest::SnapshotResults;

use super::Window;
use super::opened_captures::THEMES;

const SIZE: [f32; 2] = [1280.0, 560.0];

/// The texts that are painted.
fn painted(window: &Window) -> Vec<String> {
    window.painted().into_iter().map(|it| it.0).collect()
}

/// Where nothing orders two uses the timeline names the buffer, and nowhere else.
#[test]
fn a_race_is_drawn_between_its_spans_and_names_the_buffer() {
    let window = Window::with_run(SIZE, ThemeChoice::Dark, "missing-wait");
    let is_race = |it: &String| it.starts_with("race: ");
    let capture = window.harness.state().scene().capture;
    assert!(capture.findings().iter().any(|it| it.code == "race"));
    assert!(painted(&window).iter().any(is_race));
    let window = Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer");
    assert!(!painted(&window).iter().any(is_race));
}

#[test]
fn races_look_as_they_should() {
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = Window::with_run(SIZE, theme, "missing-wait");
        results.add(window.harness.try_snapshot(format!("races-{suffix}")));
    }
}
