//! The editor of a workload: what may stand at the caret is offered while somebody types.

use app::action::Action;
use app::state::ThemeChoice;
use eframe::egui::{Event, Key};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;

use super::Window;

/// A window whose editor has the focus, its caret at the end of the chosen text.
fn window(theme: ThemeChoice) -> Window {
    let mut window = Window::new([1280.0, 800.0], theme);
    window
        .harness
        .state_mut()
        .act(vec![Action::OpenTab("source")], None);
    window.harness.run();
    window.harness.get_by_label("Workload text").focus();
    window.harness.run();
    window
}

fn write(window: &mut Window, words: &str) {
    window.harness.event(Event::Text(words.to_owned()));
    window.harness.run();
}

fn press(window: &mut Window, key: Key) {
    window.harness.key_press(key);
    window.harness.run();
}

fn source(window: &Window) -> String {
    let scene = window.harness.state().scene();
    scene.state.documents.text().unwrap().source.clone()
}

/// Whether a word is offered of which the list says this.
fn is_offered(window: &Window, about: &str) -> bool {
    let mut all = window.harness.query_all_by_label_contains(about);
    all.next().is_some()
}

#[test]
fn words_and_names_of_the_text_are_offered_and_taken_by_keys() {
    let mut window = window(ThemeChoice::Dark);
    write(&mut window, "\nhost \"more\" { syn");
    assert!(is_offered(&window, "Blocks the host thread until"));
    press(&mut window, Key::ArrowDown);
    press(&mut window, Key::ArrowDown);
    press(&mut window, Key::Enter);
    assert!(
        source(&window).ends_with("{ synchronize-stream"),
        "{}",
        source(&window)
    );
    write(&mut window, " \"comp");
    press(&mut window, Key::Tab);
    assert!(source(&window).ends_with("synchronize-stream \"compute"));
    write(&mut window, "\" time");
    press(&mut window, Key::Tab);
    assert!(source(&window).ends_with("\"compute\" timeout-micros="));
    // It is written as if it had been typed: the text is checked, and can be taken back.
    write(&mut window, "5 }");
    let scene = window.harness.state().scene();
    assert!(scene.status.checked.errors.is_empty());
}

#[test]
fn escape_closes_the_list_and_keeps_the_text() {
    let mut window = window(ThemeChoice::Dark);
    write(&mut window, "\nexpect { over");
    assert!(is_offered(&window, "How much of the time"));
    let before = source(&window);
    press(&mut window, Key::Escape);
    assert!(!is_offered(&window, "How much of the time"));
    press(&mut window, Key::Enter);
    assert_eq!(source(&window), before + "\n");
}

#[test]
fn the_list_lies_below_the_caret_and_says_what_each_word_does() {
    let mut results = SnapshotResults::new();
    for (theme, name) in [
        (ThemeChoice::Dark, "source-words-dark"),
        (ThemeChoice::Light, "source-words-light"),
    ] {
        let mut window = window(theme);
        write(&mut window, "\nhost \"more\" { re");
        results.add(window.harness.try_snapshot(name));
    }
}
