//! What a screen reader calls the controls: each by words, and never by a sign.

use std::collections::BTreeSet;

use app::action::{Action, Command};
use app::state::ThemeChoice;
use eframe::egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _, by};
use engine::time::{Interval, Nanos};

use super::Window;
use super::opened_captures::opened;
use super::recorded_fixtures::{kineto, ranks};

/// What can be worked with the keyboard.
const CONTROLS: [Role; 8] = [
    Role::Button,
    Role::CheckBox,
    Role::ComboBox,
    Role::Link,
    Role::RadioButton,
    Role::Slider,
    Role::SpinButton,
    Role::TextInput,
];

/// Tabs that are made of an answer, one after the other.
const TABS: [&str; 15] = [
    "overview",
    "source",
    "statistics",
    "why",
    "query",
    "findings",
    "problems",
    "pipelines",
    "memory",
    "calls",
    "launches",
    "events",
    "log",
    "receipt",
    "bookmarks",
];

/// Controls without a word in their names, with what is beside them.
fn nameless(window: &Window) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for role in CONTROLS {
        for node in window.harness.query_all(by().role(role)) {
            let own = node.accesskit_node();
            let name = own
                .label()
                .or_else(|| own.placeholder().map(str::to_owned))
                .unwrap_or_default();
            if name.chars().filter(|it| it.is_alphanumeric()).count() == 0 {
                let at = node.rect();
                found.insert(format!(
                    "{role:?} {name:?} at {:.0}, {:.0}",
                    at.left(),
                    at.top()
                ));
            }
        }
    }
    found
}

fn check(window: &mut Window, state: &str, all: &mut Vec<String>) {
    window.harness.run_steps(3);
    all.extend(
        nameless(window)
            .into_iter()
            .map(|it| format!("{state}: {it}")),
    );
}

fn act(window: &mut Window, actions: Vec<Action>) {
    window.harness.state_mut().act(actions, None);
}

#[test]
fn every_control_of_a_run_and_of_an_opened_capture_has_a_name() {
    let mut all = Vec::new();
    let size = [1600.0, 1000.0];
    let mut run = Window::with_run(size, ThemeChoice::Dark, "double-buffer");
    check(&mut run, "a run", &mut all);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("train.json");
    std::fs::write(&path, kineto(&ranks(1)[0], 0, 1)).unwrap();
    let mut capture = opened(ThemeChoice::Dark, size, vec![path]);
    check(&mut capture, "a capture", &mut all);
    for window in [&mut run, &mut capture] {
        for tab in TABS {
            act(window, vec![Action::OpenTab(tab)]);
            check(window, tab, &mut all);
        }
        let range = Interval::new(Nanos::from_micros(100), Nanos::from_micros(300));
        act(
            window,
            vec![Action::SelectRange(Some(range)), Command::Play.into()],
        );
        check(window, "playback of a range", &mut all);
        act(
            window,
            vec![Action::SetPlayback(None), Action::Search("e".to_owned())],
        );
        check(window, "a search", &mut all);
        for command in [
            Command::Palette,
            Command::Help,
            Command::Guides,
            Command::Connect,
            Command::LoseDevice,
        ] {
            act(window, vec![command.into()]);
            check(window, &format!("{command:?}"), &mut all);
            act(window, vec![Command::Clear.into()]);
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
