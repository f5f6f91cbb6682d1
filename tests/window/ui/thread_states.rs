//! Strips beneath host threads that say how the system scheduled them.

use app::action::{Action, Command};
use app::state::{Switch, ThemeChoice};
use eframe::egui::{Event, pos2};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;
use engine::record::SpanId;
use engine::time::Nanos;

use super::Window;
use super::opened_captures::{THEMES, opened, select};
use crate::house::root;

fn window(theme: ThemeChoice) -> Window {
    let file = root().join("tests/data/captures/thread-states.pftrace");
    opened(theme, [1000.0, 420.0], vec![file])
}

/// The kernel that was submitted late.
fn late(window: &Window) -> SpanId {
    let capture = window.harness.state().scene().capture;
    let mut spans = capture.spans();
    let late = spans.find(|it| capture.name(it.span.name) == "gemm_2");
    late.unwrap().span.id
}

/// The kernel that was submitted late is selected: what kept its thread is in the inspector, and on the strip.
#[test]
fn threads_without_a_core_are_seen_beneath_their_lanes() {
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = window(theme);
        let late = late(&window);
        select(&mut window, late, true);
        results.add(
            window
                .harness
                .try_snapshot(format!("thread-states-{suffix}")),
        );
    }
}

#[test]
fn a_strip_says_the_state_under_the_pointer_and_can_be_turned_off() {
    let mut window = window(ThemeChoice::Dark);
    let areas = window.harness.state().timeline_areas();
    let scene = window.harness.state().scene();
    let extent = scene.state.view.shown(scene.capture.extent());
    let part = (Nanos(1_000_000) - extent.start).0 as f32 / extent.length().0 as f32;
    let x = areas.body.left() + areas.body.width() * part;
    let says = |window: &Window, words: &str| {
        let found = window.harness.query_by_label_contains(words);
        found.is_some()
    };
    let mut found = false;
    let mut y = areas.body.top();
    while y < areas.body.bottom() && !found {
        window.harness.event(Event::PointerMoved(pos2(x, y)));
        window.harness.run_steps(8);
        found = says(&window, "ready, without a core");
        y += 2.0;
    }
    assert!(found, "no strip says that the thread had no core");
    let is_on = |window: &Window| {
        let state = window.harness.state().scene().state;
        state.settings.is_on(Switch::ThreadStates)
    };
    assert!(is_on(&window));
    let app = window.harness.state_mut();
    app.act(vec![Action::from(Command::ThreadStates)], None);
    window.harness.run();
    assert!(!is_on(&window));
    let mut y = areas.body.top();
    while y < areas.body.bottom() {
        window.harness.event(Event::PointerMoved(pos2(x, y)));
        window.harness.run_steps(4);
        assert!(!says(&window, "ready, without a core"), "at {y}");
        y += 2.0;
    }
}
