//! The window in its smallest size and in larger ones: the timeline keeps the most room.

use app::action::Action;
use app::state::{Switch, ThemeChoice};
use eframe::egui::accesskit::Role;
use eframe::egui::{Pos2, Rect};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;

use super::Window;

#[test]
fn a_window_of_the_smallest_size_keeps_its_timeline() {
    let mut results = SnapshotResults::new();
    for (theme, name) in [
        (ThemeChoice::Dark, "window-small"),
        (ThemeChoice::Light, "window-small-light"),
    ] {
        let mut window = Window::with_run([800.0, 500.0], theme, "double-buffer");
        let app = window.harness.state_mut();
        app.act(vec![Action::Set(Switch::Right, false)], None);
        window.harness.run();
        // Three lanes at least.
        let body = window.harness.state().timeline_areas().body;
        assert!(body.height() > 96.0 && body.width() > 300.0, "{body:?}");
        results.add(window.harness.try_snapshot(name));
    }
}

/// Empty, tiny and with something selected, in windows from the smallest to the largest: the timeline has the most room, and no
/// part of the window lies outside of it.
#[test]
fn every_size_of_the_window_keeps_its_timeline_and_its_bars() {
    let sizes = [
        [800.0, 500.0],
        [1280.0, 800.0],
        [1440.0, 900.0],
        [1920.0, 1080.0],
        [2560.0, 1440.0],
    ];
    for (size, workload) in sizes.into_iter().flat_map(|size| {
        let workloads = [None, Some("single-stream"), Some("double-buffer")];
        workloads.map(|workload| (size, workload))
    }) {
        let mut window = match workload {
            None => Window::new(size, ThemeChoice::Light),
            Some(name) => Window::with_run(size, ThemeChoice::Light, name),
        };
        let app = window.harness.state_mut();
        let chosen = app.scene().capture.spans().map(|it| it.span.id).last();
        app.act(vec![Action::Select(chosen)], None);
        window.harness.run();
        let body = window.harness.state().timeline_areas().body;
        let case = format!("{size:?}, {workload:?}: {body:?}");
        // Without anything to show there are no lanes.
        let is_narrow = body.width() < size[0] * 0.3 || body.height() < size[1] * 0.22;
        assert!(workload.is_none() || !is_narrow, "{case}");
        let whole = Rect::from_min_size(Pos2::ZERO, size.into());
        for button in window.harness.get_all_by_role(Role::Button) {
            let rect = button.rect();
            // What is scrolled away has no size that is seen.
            let is_seen = rect.is_positive() && whole.intersects(rect);
            let is_bar = rect.top() >= 0.0 && rect.bottom() < 40.0;
            assert!(
                !is_seen || !is_bar || whole.contains_rect(rect),
                "{case}: {rect:?}"
            );
        }
    }
}
