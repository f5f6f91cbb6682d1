//! The tab *Memory*: what was alive at the peak and at a selected span, and the segments of a snapshot.

use app::action::Action;
use app::state::ThemeChoice;
use eframe::egui::{PointerButton, pos2};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;
use engine::record::{MEMORY_EVENT, SpanId};

use super::interaction::until;
use super::opened_captures::{THEMES, opened};
use super::{Window, click};
use crate::house::root;

fn memory(theme: ThemeChoice, name: &str) -> Window {
    let file = root().join("tests/data/captures").join(name);
    let mut window = opened(theme, [1280.0, 800.0], vec![file]);
    window
        .harness
        .state_mut()
        .act(vec![Action::OpenTab("memory")], None);
    until(&mut window, |window| {
        let figures = window.harness.query_all_by_label_contains(" known");
        figures.count() > 0
    });
    window
}

fn press(window: &mut Window, words: &str) {
    window.harness.get_by_label(words).click();
    window.harness.run();
}

fn selected(window: &Window) -> Option<SpanId> {
    window.harness.state().scene().state.selection.span
}

#[test]
fn what_was_alive_at_the_peak_is_listed_by_who_asked() {
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = memory(theme, "torch-steps.json.gz");
        results.add(window.harness.try_snapshot(format!("allocations-{suffix}")));
        let figures = window
            .harness
            .query_all_by_label_contains("34.3 KiB allocated");
        assert_eq!(figures.count(), 1);
        // Below the timeline, where spans of that name have labels as well.
        let rows = window.harness.query_all_by_label_contains("aten::mm");
        rows.last().expect("a row").click();
        window.harness.run();
        let chosen = selected(&window).expect("what tells of its largest allocation");
        let capture = window.harness.state().scene().capture;
        let name = capture.span(chosen).unwrap().span.name;
        assert_eq!(capture.name(name), MEMORY_EVENT);
        // What was alive when that was allocated.
        press(&mut window, "Selected span");
        press(&mut window, "Each allocation");
        until(&mut window, |window| {
            let rows = window.harness.query_all_by_label_contains("0x");
            rows.count() > 0
        });
        press(&mut window, "Kept beyond its step");
        until(&mut window, |window| {
            window
                .harness
                .query_by_label("15 allocations · 54.9 KiB in all")
                .is_some()
        });
    }
}

#[test]
fn segments_of_a_snapshot_are_a_map() {
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = memory(theme, "torch-snapshot.pickle");
        press(&mut window, "End");
        press(&mut window, "Segments");
        until(&mut window, |window| {
            window.harness.query_all_by_label_contains(" used").count() > 2
        });
        results.add(window.harness.try_snapshot(format!("segments-{suffix}")));
        let bar = window.harness.query_all_by_label_contains(" used").next();
        let bar = bar.unwrap().rect();
        // The first block lies at the segment's beginning, right behind the words.
        for x in (bar.left() as i32 + 150..bar.right() as i32).step_by(4) {
            let at = pos2(x as f32, bar.center().y);
            click(&mut window, at, PointerButton::Primary);
            if selected(&window).is_some() {
                break;
            }
        }
        assert!(
            selected(&window).is_some(),
            "a block leads to its allocation"
        );
    }
}
