//! A report of the capture on screen: what it says is what the command line says.

use std::path::{Path, PathBuf};

use app::action::{Action, AppRequest, Command, Menu};
use app::apply::apply;
use app::state::{AppState, FilePurpose, ThemeChoice};
use engine::capture::Capture;

use super::Window;
use super::interaction::until;
use crate::formats::questions::answer;
use crate::house::root;

const SIZE: [f32; 2] = [1280.0, 800.0];

fn act(window: &mut Window, action: Action) {
    window.harness.state_mut().act(vec![action], None);
    window.harness.run_steps(4);
}

/// A window with a file of ours, and where that lies.
fn opened() -> (Window, PathBuf) {
    let mut window = Window::new(SIZE, ThemeChoice::Dark);
    let path = root().join("tests/data/captures/torch-steps.json.gz");
    act(&mut window, Action::OpenFiles(vec![path.clone()]));
    until(&mut window, |window| {
        let scene = window.harness.state().scene();
        scene.status.job.is_none() && !scene.status.parts.is_empty()
    });
    (window, path)
}

/// Chooses where a report is written, as a dialog does, and waits until it is there or was refused; answers what is said of it.
fn save(window: &mut Window, path: &Path) -> String {
    let pick = Action::PickFiles(FilePurpose::Report, vec![path.to_path_buf()]);
    act(window, pick);
    until(window, |window| {
        window.harness.state().scene().status.job.is_none()
    });
    let notice = window.harness.state().scene().state.notice.clone();
    notice.map(|it| it.text).unwrap_or_default()
}

#[test]
fn a_report_is_saved_as_the_command_line_writes_it() {
    let (mut window, capture) = opened();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text = |path: &Path| path.display().to_string();
    let read = |name: &str| std::fs::read_to_string(at(name)).unwrap();

    let said = save(&mut window, &at("own.md"));
    assert_eq!(said, format!("Written to {}", text(&at("own.md"))));
    let printed = answer(&["report", &text(&capture), "--format", "markdown"]);
    assert_eq!(read("own.md"), printed);
    assert!(printed.contains("## Receipt"), "{printed}");

    save(&mut window, &at("own.html"));
    answer(&["report", &text(&capture), "-o", &text(&at("other.html"))]);
    assert!(
        read("own.html") == read("other.html"),
        "the pages are not the same"
    );
}

#[test]
fn a_report_goes_to_no_other_sort_of_file() {
    let (mut window, capture) = opened();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pdf");
    let said = save(&mut window, &path);
    assert!(said.contains("x.pdf cannot be written: a report"), "{said}");
    assert!(!path.exists());
    let said = save(&mut window, &capture);
    assert!(said.contains("writing would destroy it"), "{said}");
}

#[test]
fn a_run_has_a_report_without_files() {
    let mut window = Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.md");
    save(&mut window, &path);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("# double-buffer\n"), "{text}");
    assert!(!text.contains("| files |"), "{text}");
}

#[test]
fn an_empty_window_says_that_nothing_ran() {
    let mut window = Window::new(SIZE, ThemeChoice::Dark);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nothing.md");
    let said = save(&mut window, &path);
    assert!(said.contains("Nothing ran in this capture"), "{said}");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("# capture\n\nNothing ran"), "{text}");
}

#[test]
fn the_command_asks_where_to_write() {
    let mut state = AppState::default();
    let asked = apply(&mut state, &Capture::new(), Command::SaveReport.into());
    assert_eq!(asked, Some(AppRequest::SaveReport));
    let entry = Command::SaveReport.entry().unwrap();
    assert_eq!(entry.menu, Menu::File);
}
