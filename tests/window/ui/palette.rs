//! Commands found by a few letters.

use app::action::{COMMANDS, Command};
use app::state::{OverlayWindow, Switch, ThemeChoice};
use eframe::egui::{Key, Modifiers};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;
use engine::runner::Control;

use super::Window;
use super::opened_captures::THEMES;

const SIZE: [f32; 2] = [1280.0, 800.0];

fn palette(theme: ThemeChoice) -> Window {
    let mut window = Window::with_run(SIZE, theme, "double-buffer");
    let keys = Modifiers::COMMAND | Modifiers::SHIFT;
    window.harness.key_press_modifiers(keys, Key::P);
    window.harness.run();
    window
}

fn type_text(window: &mut Window, text: &str) {
    window
        .harness
        .get_by_label("Find a command")
        .type_text(text);
    window.harness.run();
}

#[test]
fn a_command_is_found_by_letters_and_done_by_enter() {
    let mut window = palette(ThemeChoice::Dark);
    for entry in COMMANDS.iter().filter(|it| it.command != Command::Palette) {
        let found = window.harness.query_all_by_label_contains(entry.label);
        assert!(found.count() > 0, "{} is missing", entry.label);
    }
    type_text(&mut window, "denro");
    window.harness.key_press(Key::Enter);
    window.harness.run();
    let state = window.harness.state().scene().state;
    assert!(state.settings.is_on(Switch::Dense) && state.window.is_none());
}

#[test]
fn a_workload_is_run_and_arrows_choose() {
    let mut window = palette(ThemeChoice::Dark);
    type_text(&mut window, "run diamond");
    window.harness.key_press(Key::ArrowDown);
    window.harness.key_press(Key::ArrowUp);
    window.harness.key_press(Key::Enter);
    window.harness.run();
    let asked = window.asked();
    let [Control::Run(request)] = asked.as_slice() else {
        panic!("{asked:?}")
    };
    assert_eq!(request.name, "diamond");
}

#[test]
fn escape_closes_it_and_does_nothing() {
    let mut window = palette(ThemeChoice::Dark);
    let open = |window: &Window| window.harness.state().scene().state.window;
    assert_eq!(open(&window), Some(OverlayWindow::Palette));
    type_text(&mut window, "quit");
    window.harness.key_press(Key::Escape);
    window.harness.run();
    assert_eq!(open(&window), None);
    assert!(window.asked().is_empty());
}

#[test]
fn the_palette_looks_as_it_should() {
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = palette(theme);
        type_text(&mut window, "pa");
        results.add(window.harness.try_snapshot(format!("palette-{suffix}")));
    }
}
