//! Pictures of the window and of every panel, compared with `screenshots/`.

use app::action::Action;
use app::app::App;
use app::panel::{PANELS, Panel};
use app::state::{DockSide, Switch, ThemeChoice};
use eframe::egui::accesskit::Role;
use eframe::egui::{Frame, Margin, Pos2, Rect};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::{Window, builder, longest_wait, pipeline_load};

const SIZE: [f32; 2] = [1000.0, 700.0];

/// A window in which a workload ran and a wait is selected.
fn window(theme: ThemeChoice) -> Window {
    let mut window = Window::with_run(SIZE, theme, "double-buffer");
    let app = window.harness.state_mut();
    let wait = longest_wait(app);
    app.act(vec![Action::Select(Some(wait))], None);
    window.harness.run();
    window
}

#[test]
fn the_window_looks_as_it_should() {
    let mut results = SnapshotResults::new();
    for (theme, name) in [
        (ThemeChoice::Dark, "window-dark"),
        (ThemeChoice::Light, "window-light"),
    ] {
        let mut window = window(theme);
        results.add(window.harness.try_snapshot(name));
    }
}

/// The size a panel has in its place.
fn size(panel: &dyn Panel) -> [f32; 2] {
    match panel.tab().map(DockSide::home) {
        Some(DockSide::Left) => [240.0, 420.0],
        Some(DockSide::Right) => [300.0, 520.0],
        Some(DockSide::Bottom) => [900.0, 260.0],
        None => [780.0, 520.0],
    }
}

/// Draws the panel at this position of the list alone, with what it reads from `app`.
fn panel(app: &App, at: usize) -> egui_kittest::Harness<'_, ()> {
    let mut panel = PANELS[at]();
    let scene = app.scene();
    let setup = builder(size(&*panel)).with_context_setup(app::theme::install);
    setup.build_ui(move |ui| {
        ui.ctx().set_theme(if scene.theme.dark {
            eframe::egui::Theme::Dark
        } else {
            eframe::egui::Theme::Light
        });
        let ground = Frame::new()
            .fill(scene.theme.panel)
            .inner_margin(Margin::same(12));
        ground.show(ui, |ui| {
            ui.set_min_size(ui.available_size());
            panel.ui(ui, &scene, &mut Vec::new());
        });
    })
}

#[test]
fn every_panel_looks_as_it_should() {
    let mut results = SnapshotResults::new();
    for (theme, suffix) in [(ThemeChoice::Dark, "dark"), (ThemeChoice::Light, "light")] {
        let window = window(theme);
        let mut storm = Window::new(SIZE, theme);
        storm.answer(pipeline_load::records(40));
        let mut tables = Window::with_run(SIZE, theme, "double-buffer");
        let app = tables.harness.state_mut();
        app.act(vec![Action::OpenTab("why")], None);
        tables.harness.run();
        let launched = Window::with_run(SIZE, theme, "graph-fork-join");
        for (at, make) in PANELS.iter().enumerate() {
            let drawn = make();
            // Lists of plain text look alike in both themes; the window's pictures show them in the light one.
            let is_storm = matches!(drawn.id(), "pipelines" | "promises");
            let matters = matches!(
                drawn.id(),
                "inspector"
                    | "source"
                    | "statistics"
                    | "pipelines"
                    | "launches"
                    | "overview"
                    | "why"
            );
            if theme == ThemeChoice::Light && !matters {
                continue;
            }
            let ran = match drawn.id() {
                "launches" => &launched,
                "why" => &tables,
                _ if is_storm => &storm,
                _ => &window,
            };
            let mut harness = panel(ran.harness.state(), at);
            harness.run();
            results.add(harness.try_snapshot(format!("panel-{}-{suffix}", drawn.id())));
        }
    }
}

#[test]
fn no_panel_is_empty_without_saying_what_would_fill_it() {
    let window = Window::new(SIZE, ThemeChoice::Dark);
    for (at, make) in PANELS.iter().enumerate() {
        let id = make().id();
        let mut harness = panel(window.harness.state(), at);
        harness.run();
        let words: usize = harness
            .root()
            .children_recursive()
            .filter_map(|node| {
                node.accesskit_node()
                    .value()
                    .or_else(|| node.accesskit_node().label())
            })
            .map(|words| words.len())
            .sum();
        assert!(
            words > 30,
            "{id} says {words} letters when there is nothing to show"
        );
    }
}

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
