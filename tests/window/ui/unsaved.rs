//! Texts that were not saved are asked about, and files are asked for in a window of our own.

use std::path::PathBuf;

use app::action::{Action, Command};
use app::state::{FilePurpose, FileRequest, OverlayWindow, ThemeChoice};
use eframe::egui::{Event, Key};
use egui_kittest::kittest::Queryable as _;

use super::interaction::until;
use super::{Window, both};

const SIZE: [f32; 2] = [1200.0, 760.0];

fn act(window: &mut Window, action: Action) {
    window.harness.state_mut().act(vec![action], None);
    // A thread that reads or writes a file may ask for frames meanwhile.
    window.harness.run_steps(3);
}

fn overlay(window: &Window) -> Option<OverlayWindow> {
    window.harness.state().scene().state.window
}

fn opened(folder: &tempfile::TempDir) -> (Window, PathBuf) {
    let path = folder.path().join("mine.kdl");
    std::fs::write(&path, engine::workload::bundled()[0].source).unwrap();
    let mut window = Window::new(SIZE, ThemeChoice::Dark);
    act(&mut window, Action::OpenFile(path.clone()));
    until(&mut window, |window| {
        let text = window.harness.state().scene().state.documents.text();
        text.is_some_and(|text| text.name == "mine.kdl")
    });
    (window, path)
}

#[test]
fn closing_asks_while_a_text_is_not_saved() {
    let folder = tempfile::tempdir().unwrap();
    let (mut window, path) = opened(&folder);
    act(&mut window, Action::Edit("// mine\n".to_owned()));
    act(&mut window, Command::Quit.into());
    assert_eq!(overlay(&window), Some(OverlayWindow::Unsaved));
    window.harness.get_by_label("Keep editing").click();
    window.harness.run_steps(3);
    assert_eq!(overlay(&window), None);

    act(&mut window, Command::Quit.into());
    let words = format!("Save to {}", path.display());
    window.harness.get_by_label(&words).click();
    until(&mut window, |window| {
        let documents = &window.harness.state().scene().state.documents;
        documents.unsaved().next().is_none()
    });
    window.harness.run_steps(3);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "// mine\n");
    window.harness.get_by_label("All of it is saved now.");
}

#[test]
fn a_file_that_is_read_again_does_not_replace_an_edited_text_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let (mut window, path) = opened(&folder);
    act(&mut window, Action::Edit("// mine\n".to_owned()));
    let source = |window: &Window| {
        let documents = &window.harness.state().scene().state.documents;
        documents.text().unwrap().source.clone()
    };
    act(&mut window, Action::OpenFile(path));
    until(&mut window, |window| overlay(window).is_some());
    window.harness.run_steps(3);
    assert_eq!(source(&window), "// mine\n");
    window.harness.get_by_label("Read the file").click();
    window.harness.run_steps(3);
    assert_eq!(source(&window), engine::workload::bundled()[0].source);
    assert_eq!(overlay(&window), None);
}

#[test]
fn a_file_is_chosen_in_our_own_window_where_the_system_has_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("train.kdl");
    std::fs::write(&path, engine::workload::bundled()[0].source).unwrap();
    std::fs::write(folder.path().join("notes.txt"), "no workload").unwrap();
    let mut window = Window::new(SIZE, ThemeChoice::Dark);
    act(&mut window, Action::Remember(path));
    act(
        &mut window,
        Action::AskFile(FileRequest {
            purpose: FilePurpose::Open,
            name: String::new(),
            endings: vec!["kdl".to_owned()],
        }),
    );
    assert!(window.harness.query_by_label("notes.txt").is_none());
    window
        .harness
        .get_all_by_label("train.kdl")
        .last()
        .unwrap()
        .click();
    window.harness.run_steps(3);
    window.harness.get_by_label("Open").click();
    window.harness.run_steps(3);
    until(&mut window, |window| {
        let text = window.harness.state().scene().state.documents.text();
        text.is_some_and(|text| text.name == "train.kdl")
    });
}

/// Whoever is asked something and types at once does nothing to what lies behind the question.
#[test]
fn keys_are_for_the_question_and_not_for_what_lies_behind_it() {
    let mut window = Window::new(SIZE, ThemeChoice::Dark);
    act(
        &mut window,
        Action::AskFile(FileRequest {
            purpose: FilePurpose::Open,
            name: String::new(),
            endings: vec!["kdl".to_owned()],
        }),
    );
    window.harness.event(Event::Text("t".to_owned()));
    window.harness.key_press(Key::T);
    window.harness.key_press(Key::Space);
    window.harness.run_steps(3);
    let is_dark =
        |window: &Window| window.harness.state().scene().state.settings.theme == ThemeChoice::Dark;
    assert!(is_dark(&window) && window.asked().is_empty());
    assert_eq!(
        window.harness.get_by_label("Name").value(),
        Some("t".to_owned())
    );
    // Nor where no field has the cursor.
    window.harness.get_by_label("All files").focus();
    window.harness.key_press(Key::T);
    window.harness.run_steps(3);
    assert!(is_dark(&window) && window.asked().is_empty());
    window.harness.key_press(Key::Escape);
    window.harness.run_steps(3);
    window.harness.key_press(Key::T);
    window.harness.run_steps(3);
    assert!(!is_dark(&window));
}

#[test]
fn a_folder_is_opened_as_one_capture() {
    let folder = tempfile::tempdir().unwrap();
    let ranks = folder.path().join("ranks");
    std::fs::create_dir(&ranks).unwrap();
    let steps = crate::house::root().join("tests/data/captures/torch-steps.json.gz");
    for rank in 0..2 {
        let name = format!("rank{rank}.json");
        std::fs::copy(&steps, ranks.join(format!("{name}.gz"))).unwrap();
    }
    let mut window = Window::new(SIZE, ThemeChoice::Dark);
    act(&mut window, Action::Remember(ranks.join("rank0.json.gz")));
    act(
        &mut window,
        Action::AskFile(FileRequest {
            purpose: FilePurpose::OpenFolder,
            name: String::new(),
            endings: vec!["json.gz".to_owned()],
        }),
    );
    window.harness.get_by_label("Open this folder").click();
    window.harness.run_steps(3);
    until(&mut window, |window| {
        window.harness.state().scene().status.parts.len() == 2
    });
    let scene = window.harness.state().scene();
    assert_eq!(scene.status.opened, Some(both(scene.status)));
}
