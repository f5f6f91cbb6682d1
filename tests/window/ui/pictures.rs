//! Pictures of the window and of every panel, compared with `screenshots/`.

use app::action::Action;
use app::app::App;
use app::panel::{PANELS, Panel};
use app::state::{DockSide, ThemeChoice};
use eframe::egui::{Frame, Margin};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::NodeT as _;

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
        let warned = Window::with_run(SIZE, theme, "event-kinds");
        for (at, make) in PANELS.iter().enumerate() {
            let drawn = make();
            // Of the CPU there is no pace.
            if drawn.id() == "pace" {
                continue;
            }
            // Lists of plain text look alike in both themes; the window's pictures show them in the light one.
            let is_storm = matches!(drawn.id(), "pipelines" | "promises");
            let matters = matches!(
                drawn.id(),
                "inspector"
                    | "source"
                    | "statistics"
                    | "pipelines"
                    | "launches"
                    | "events"
                    | "overview"
                    | "why"
            );
            if theme == ThemeChoice::Light && !matters {
                continue;
            }
            let ran = match drawn.id() {
                "launches" => &launched,
                "why" => &tables,
                "problems" | "events" => &warned,
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
        // Only a paced device has something to set there.
        if id == "pace" {
            continue;
        }
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
