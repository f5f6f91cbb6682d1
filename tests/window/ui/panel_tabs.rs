//! Tabs of the bottom that are dragged beside each other, and put back.

use std::collections::BTreeMap;

use app::action::{Action, Command};
use app::panel::{PANELS, PanelPosition};
use app::state::{DockSide, Settings, ThemeChoice};
use eframe::Storage;
use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Modifiers, PointerButton, Pos2, Vec2};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::{Queryable as _, by};

use super::Window;
use super::opened_captures::THEMES;

const SIZE: [f32; 2] = [1280.0, 800.0];

/// Keeps what is written as the system does.
#[derive(Default)]
struct KeptTexts(BTreeMap<String, String>);

impl Storage for KeptTexts {
    fn get_string(&self, key: &str) -> Option<String> {
        self.0.get(key).cloned()
    }

    fn set_string(&mut self, key: &str, value: String) {
        self.0.insert(key.to_owned(), value);
    }

    fn remove_string(&mut self, key: &str) {
        self.0.remove(key);
    }

    fn flush(&mut self) {}
}

/// What is read of the settings at the next start, with changes made to their text.
fn kept(settings: &Settings, change: impl Fn(String) -> String) -> Settings {
    let mut texts = KeptTexts::default();
    eframe::set_value(&mut texts, "settings", settings);
    let text = texts.get_string("settings").unwrap();
    texts.set_string("settings", change(text));
    eframe::get_value(&texts, "settings").unwrap()
}

fn window() -> Window {
    Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer")
}

fn settings(window: &Window) -> &Settings {
    &window.harness.state().scene().state.settings
}

/// Where a tab's title is.
fn title(window: &Window, name: &str) -> Pos2 {
    let tab = by().role(Role::Button).label_contains(name);
    let tabs = window.harness.get_all(tab);
    // The bar above has buttons of the same names.
    let lowest = tabs.map(|it| it.rect().center());
    lowest.max_by(|a, b| a.y.total_cmp(&b.y)).unwrap()
}

fn drag(window: &mut Window, from: Pos2, to: Pos2) {
    let harness = &mut window.harness;
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    harness.event(Event::PointerMoved(from));
    harness.event(button(from, true));
    harness.run_steps(1);
    for step in 1..=8 {
        let part = step as f32 / 8.0;
        harness.event(Event::PointerMoved(from + (to - from) * part));
        harness.run_steps(1);
    }
    harness.run_steps(30);
    harness.event(button(to, false));
    harness.run_steps(1);
    harness.event(Event::PointerGone);
    harness.run();
}

/// Drags the findings to the right edge of the panels.
fn split(window: &mut Window) {
    let from = title(window, "Findings");
    drag(window, from, from + Vec2::new(980.0 - from.x, 200.0));
}

#[test]
fn a_tab_that_is_dragged_to_the_side_is_seen_beside_the_other() {
    let mut window = window();
    assert!(!settings(&window).docks.is_tab_shown("findings"));
    split(&mut window);
    let shown = |window: &Window, tab| settings(window).docks.is_tab_shown(tab);
    assert!(shown(&window, "findings") && shown(&window, "overview"));
    assert_eq!(settings(&window).docks.bottom.tab, "findings");
    assert!(title(&window, "Findings").x > title(&window, "Overview").x + 300.0);
    // Of the row that it left another is opened, and the findings stay.
    let from = title(&window, "Statistics");
    drag(&mut window, from, from);
    assert!(shown(&window, "findings") && shown(&window, "statistics"));
    assert!(!shown(&window, "overview"));
    // What leads to a tab opens it where it stands.
    window
        .harness
        .state_mut()
        .act(vec![Action::OpenTab("why")], None);
    window.harness.run();
    assert!(shown(&window, "findings") && shown(&window, "why"));
    // It is kept as the settings are.
    assert_eq!(&kept(settings(&window), |text| text), settings(&window));
    let reset = vec![Command::ResetPanels.into()];
    window.harness.state_mut().act(reset, None);
    window.harness.run();
    assert_eq!(settings(&window).docks.bottom.arrangement, None);
    assert!(shown(&window, "why") && !shown(&window, "findings"));
}

#[test]
fn an_arrangement_of_another_edition_has_every_panel_and_no_strange_one() {
    let mut window = window();
    split(&mut window);
    let older = kept(settings(&window), |text| {
        assert!(text.contains("\"log\""));
        text.replace("\"log\"", "\"an older panel\"")
    });
    let tree = older.docks.bottom.arrangement.unwrap();
    let actions = vec![Action::Arrange(DockSide::Bottom, Box::new(tree))];
    window.harness.state_mut().act(actions, None);
    window.harness.run();
    window
        .harness
        .state_mut()
        .act(vec![Action::OpenTab("log")], None);
    window.harness.run();
    assert!(settings(&window).docks.is_tab_shown("log"));
    title(&window, "Findings");
    let strange = "an older panel";
    kept(settings(&window), |text| {
        assert!(!text.contains(strange));
        text
    });
}

/// Moves the panel of a tab as people do, by its menu.
fn move_panel(window: &mut Window, name: &str, side: &str) {
    let tab = by().role(Role::Button).label(name);
    window.harness.get(tab).click_secondary();
    window.harness.run();
    let words = format!("Move to the {side}");
    window.harness.get_by_label(&words).click();
    window.harness.run();
}

#[test]
fn a_panel_moves_to_the_other_side_and_back() {
    let mut window = window();
    let right_of_all = |window: &Window, name| title(window, name).x > SIZE[0] - 272.0;
    assert!(right_of_all(&window, "Inspector") && !right_of_all(&window, "Overview"));
    move_panel(&mut window, "Inspector", "bottom");
    assert!(settings(&window).docks.is_tab_shown("inspector"));
    assert!(title(&window, "Inspector").y > SIZE[1] - 320.0);
    // Nothing is left on the right, so that the timeline has its room.
    let areas = |window: &Window| window.harness.state().timeline_areas();
    let wide = areas(&window).body.width();
    move_panel(&mut window, "Overview", "right");
    assert!(right_of_all(&window, "Overview"));
    assert!(areas(&window).body.width() < wide - 150.0);
    // Keys and links that open a tab find it there, where its side is hidden as well.
    let hide = vec![Command::Right.into()];
    window.harness.state_mut().act(hide, None);
    window.harness.run();
    assert!(areas(&window).body.width() > wide - 10.0);
    let open = vec![Action::OpenTab("overview")];
    window.harness.state_mut().act(open, None);
    window.harness.run();
    assert!(right_of_all(&window, "Overview"));
    assert_eq!(&kept(settings(&window), |text| text), settings(&window));
    let reset = vec![Command::ResetPanels.into()];
    window.harness.state_mut().act(reset, None);
    window.harness.run();
    assert!(right_of_all(&window, "Inspector") && !right_of_all(&window, "Overview"));
}

#[test]
fn a_tab_is_dragged_to_another_side_hidden_or_not() {
    let mut window = window();
    let side = |window: &Window, panel| settings(window).docks.side_of(panel);
    let from = title(&window, "Findings");
    drag(&mut window, from, Pos2::new(120.0, 300.0));
    assert_eq!(side(&window, "findings"), DockSide::Left);
    assert!(settings(&window).docks.is_tab_shown("findings"));
    assert!(title(&window, "Findings").x < 240.0);
    // Where it came from all is as it was.
    assert_eq!(settings(&window).docks.bottom.arrangement, None);
    assert_eq!(side(&window, "overview"), DockSide::Bottom);
    // A hidden side is the edge of the middle.
    let hide = vec![Command::Right.into()];
    window.harness.state_mut().act(hide, None);
    window.harness.run();
    let from = title(&window, "Findings");
    drag(&mut window, from, Pos2::new(SIZE[0] - 40.0, 300.0));
    assert_eq!(side(&window, "findings"), DockSide::Right);
    assert!(title(&window, "Findings").x > SIZE[0] - 272.0);
    // Let go over the timeline it stays where it is.
    let from = title(&window, "Statistics");
    drag(&mut window, from, Pos2::new(600.0, 300.0));
    assert_eq!(side(&window, "statistics"), DockSide::Bottom);
    assert_eq!(&kept(settings(&window), |text| text), settings(&window));
}

#[test]
fn a_side_that_every_panel_left_leaves_its_room() {
    let mut window = window();
    let areas = |window: &Window| window.harness.state().timeline_areas();
    let before = areas(&window).body;
    let docked = PANELS.iter().map(|make| make());
    let docked: Vec<_> = docked
        .filter(|it| it.place() == PanelPosition::Docked)
        .map(|it| it.id())
        .collect();
    let all_to = |window: &mut Window, side| {
        let moves = docked.iter().map(|id| Action::Dock(id, side));
        let moves = moves.collect();
        window.harness.state_mut().act(moves, None);
        window.harness.run();
    };
    all_to(&mut window, DockSide::Right);
    let only_right = areas(&window).body;
    assert!(only_right.height() > before.height() + 90.0);
    assert!(only_right.width() > before.width() + 150.0);
    all_to(&mut window, DockSide::Bottom);
    assert!(areas(&window).body.width() > only_right.width() + 150.0);
    all_to(&mut window, DockSide::Left);
    assert!(areas(&window).body.height() > before.height() + 90.0);
    let reset = vec![Command::ResetPanels.into()];
    window.harness.state_mut().act(reset, None);
    window.harness.run();
    assert_eq!(areas(&window).body, before);
}

#[test]
fn panels_beside_each_other_look_as_they_should() {
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = Window::with_run(SIZE, theme, "double-buffer");
        split(&mut window);
        results.add(
            window
                .harness
                .try_snapshot(format!("panels-beside-{suffix}")),
        );
        move_panel(&mut window, "Overview", "right");
        move_panel(&mut window, "Inspector", "bottom");
        results.add(
            window
                .harness
                .try_snapshot(format!("panels-moved-{suffix}")),
        );
    }
}
