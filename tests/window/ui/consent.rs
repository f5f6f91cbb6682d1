//! Workloads that want to connect to other machines: asked before anything is run, and remembered for the file.

use std::path::{Path, PathBuf};

use app::action::{Action, Command};
use app::state::{OverlayWindow, ThemeChoice};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;
use engine::runner::{Control, RunRequest, run};

use super::Window;

/// A workload whose machine is at this address.
fn source(at: &str) -> String {
    format!(
        "placement {{ machine \"left\" devices=\"0\" at=\"{at}\"; }}\nstream \"s\"\nhost \"main\" {{ synchronize-device; }}\n"
    )
}

fn window() -> Window {
    Window::new([1000.0, 700.0], ThemeChoice::Dark)
}

/// Opens a file and waits until it was read.
fn open(window: &mut Window, path: &Path) {
    let app = window.harness.state_mut();
    app.act(vec![Action::OpenFile(path.to_path_buf())], None);
    while window.harness.state().scene().status.job.is_some() {
        std::thread::sleep(std::time::Duration::from_millis(2));
        window.harness.step();
    }
    window.harness.run();
}

fn act(window: &mut Window, action: impl Into<Action>) {
    let action = action.into();
    window.harness.state_mut().act(vec![action], None);
    window.harness.run();
}

/// What the engine was asked to run since the last time, each with what it may connect to.
fn runs(window: &Window) -> Vec<Vec<String>> {
    let asked = window.asked().into_iter();
    let runs = asked.filter_map(|control| match control {
        Control::Run(request) => Some(request.allowed),
        _ => None,
    });
    runs.collect()
}

fn is_asked(window: &Window) -> bool {
    window.harness.state().scene().state.window == Some(OverlayWindow::Consent)
}

fn click(window: &mut Window, button: &str) {
    window.harness.get_by_label(button).click();
    window.harness.run();
}

#[test]
fn a_file_that_wants_to_connect_is_asked_about_once_for_each_address() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("opened.kdl");
    std::fs::write(&file, source("me@someserver:/opt/syncline")).unwrap();
    let mut window = window();
    open(&mut window, &file);
    assert!(is_asked(&window) && runs(&window).is_empty());
    window
        .harness
        .get_by_label_contains("ssh me@someserver /opt/syncline worker");
    click(&mut window, "Do not connect");
    assert!(!is_asked(&window) && runs(&window).is_empty());
    // However it is run.
    for command in [Command::Rerun, Command::RunOrPause, Command::Step] {
        act(&mut window, command);
        assert!(is_asked(&window) && runs(&window).is_empty(), "{command:?}");
        act(&mut window, Command::Clear);
    }
    act(&mut window, Command::Rerun);
    click(&mut window, "Allow and run");
    let allowed = vec!["me@someserver:/opt/syncline".to_owned()];
    assert_eq!(runs(&window), std::slice::from_ref(&allowed));
    act(&mut window, Command::Rerun);
    assert_eq!(runs(&window), std::slice::from_ref(&allowed));
    // Other words of it are the same file, and another address is another question.
    act(
        &mut window,
        Action::Edit(format!(
            "// edited\n{}",
            source("me@someserver:/opt/syncline")
        )),
    );
    act(&mut window, Command::Rerun);
    assert_eq!(runs(&window), [allowed]);
    act(
        &mut window,
        Action::Edit(source("me@someserver:/tmp/other")),
    );
    act(&mut window, Command::Rerun);
    assert!(is_asked(&window) && runs(&window).is_empty());
}

#[test]
fn what_was_allowed_for_a_file_is_not_allowed_for_others() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = ["a", "b"]
        .map(|name| folder.path().join(name).join("w.kdl"))
        .into();
    let mut window = window();
    for path in &paths {
        std::fs::create_dir(path.parent().unwrap()).unwrap();
        std::fs::write(path, source("someserver")).unwrap();
    }
    open(&mut window, &paths[0]);
    click(&mut window, "Allow and run");
    assert_eq!(runs(&window).len(), 1);
    open(&mut window, &paths[1]);
    assert!(is_asked(&window) && runs(&window).is_empty());
    // An answer is for what was asked about, even where another workload was chosen meanwhile.
    let first = window.harness.state().scene().state.documents.chosen - 1;
    act(&mut window, Action::Choose(first));
    act(&mut window, Action::Edit(source("elsewhere")));
    click(&mut window, "Allow and run");
    assert!(is_asked(&window) && runs(&window).is_empty());
}

#[test]
fn the_workload_of_a_capture_is_asked_about_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.pftrace");
    let request = RunRequest {
        name: "double-buffer".to_owned(),
        source: source("someserver"),
        backend: "mock".to_owned(),
        save: Some(path.clone()),
        ..RunRequest::default()
    };
    run(request, |_| ()).unwrap();
    let mut window = window();
    open(&mut window, &path);
    assert!(!is_asked(&window), "it is shown and not run");
    act(&mut window, Command::Rerun);
    assert!(is_asked(&window) && runs(&window).is_empty());
    click(&mut window, "Allow and run");
    assert_eq!(runs(&window), [["someserver"]]);
}

#[test]
fn the_question_looks_as_it_should() {
    let mut window = window();
    let text = app::state::WorkloadText {
        name: "opened.kdl".to_owned(),
        title: "opened.kdl".to_owned(),
        source: source("me@someserver:/opt/syncline"),
        ..app::state::WorkloadText::default()
    };
    act(&mut window, Action::Adopt(Box::new(text)));
    act(&mut window, Command::Rerun);
    assert!(is_asked(&window));
    SnapshotResults::new().add(window.harness.try_snapshot("consent-dark"));
}
