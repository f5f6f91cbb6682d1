//! Several captures in one window: each in a tab, with what belongs to it, and back as it was left.

use std::path::PathBuf;

use app::action::{Action, Command};
use app::state::{ThemeChoice, ViewChange};
use eframe::egui::{Key, Modifiers};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;
use engine::record::{LaneId, SpanId};
use engine::runner::{Message, Phase};
use engine::time::{Interval, Nanos};

use super::interaction::until;
use super::opened_captures::THEMES;
use super::recorded_fixtures::{kineto, ranks};
use super::{Window, both, records};
use crate::house::root;

const SIZE: [f32; 2] = [1280.0, 800.0];

fn open(window: &mut Window, paths: &[PathBuf]) {
    let before = window.harness.state().scene().status.tabs.len();
    let act = vec![Action::OpenFiles(paths.to_owned())];
    window.harness.state_mut().act(act, None);
    until(window, |window| {
        let status = window.harness.state().scene().status;
        status.parts.len() == paths.len() && status.job.is_none()
    });
    window.harness.run();
    assert!(window.harness.state().scene().status.tabs.len() >= before);
}

fn names(window: &Window) -> Vec<String> {
    let tabs = window.harness.state().scene().status.tabs.iter();
    tabs.map(|tab| tab.name.clone()).collect()
}

fn act(window: &mut Window, action: Action) {
    window.harness.state_mut().act(vec![action], None);
    window.harness.run();
}

fn shown(window: &Window) -> Option<Interval> {
    window.harness.state().scene().state.view.interval
}

fn steps() -> PathBuf {
    root().join("tests/data/captures/torch-steps.json.gz")
}

fn other(folder: &tempfile::TempDir) -> PathBuf {
    let path = folder.path().join("train.json");
    std::fs::write(&path, kineto(&ranks(1)[0], 0, 1)).unwrap();
    path
}

#[test]
fn each_capture_keeps_its_view_and_its_selection() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer");
    open(&mut window, &[steps()]);
    assert_eq!(names(&window), ["Double buffer", "torch-steps.json.gz"]);
    let first = Interval::new(Nanos(1_000), Nanos(90_000));
    act(&mut window, Action::Show(Some(first), ViewChange::Jump));
    act(&mut window, Action::Select(Some(SpanId(3))));

    open(&mut window, &[other(&folder)]);
    assert_eq!(shown(&window), None);
    assert_eq!(window.harness.state().scene().state.selection.span, None);
    // A file that is open is shown, and not read again.
    act(&mut window, Action::OpenFile(steps()));
    assert_eq!(names(&window).len(), 3);
    assert_eq!(shown(&window), Some(first));
    let chosen = window.harness.state().scene().state.selection.span;
    assert_eq!(chosen, Some(SpanId(3)));

    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::PageUp);
    window.harness.run();
    let scene = window.harness.state().scene();
    assert_eq!(scene.capture.run().unwrap().name, "double-buffer");
    window.harness.get_by_label("Close train.json").click();
    window.harness.run();
    assert_eq!(names(&window), ["Double buffer", "torch-steps.json.gz"]);
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::W);
    window.harness.run();
    assert_eq!(names(&window), ["torch-steps.json.gz"]);
}

/// What a run tells goes to its own tab, whichever is on screen.
#[test]
fn a_run_goes_on_in_its_tab_while_a_file_is_on_screen() {
    let mut window = Window::with_run(SIZE, ThemeChoice::Dark, "diamond");
    let records = records("diamond");
    let (first, rest) = records.split_at(records.len() / 2);
    window.engine.send(Message::Started { run: 2 }).unwrap();
    window.engine.send(Message::Phase(Phase::Running)).unwrap();
    window.engine.send(Message::Batch(first.to_vec())).unwrap();
    window.harness.step();
    window.harness.step();
    open(&mut window, &[steps()]);
    let spans = window.harness.state().scene().capture.span_count();
    window.engine.send(Message::Batch(rest.to_vec())).unwrap();
    window
        .engine
        .send(Message::Finished { run: 2, lost: 0 })
        .unwrap();
    while !window.engine.is_empty() {
        window.harness.step();
    }
    window.harness.run();
    let scene = window.harness.state().scene();
    assert_eq!(scene.capture.span_count(), spans, "the file is as it was");
    assert_eq!(scene.status.opened.as_deref(), Some("torch-steps.json.gz"));
    act(&mut window, Action::ShowTab(0));
    let scene = window.harness.state().scene();
    assert!(scene.capture.end().is_some() && scene.status.is_live);
    assert!(scene.status.verdicts.contains_key("diamond"));
}

/// A capture is known by what it holds: a copy under another name comes back as the first was left.
#[test]
fn a_capture_that_is_opened_again_is_as_it_was_left() {
    let folder = tempfile::tempdir().unwrap();
    let views = Some(folder.path().join("views"));
    let interval = Interval::new(Nanos(2_000), Nanos(60_000));
    let mut window = Window::keeping(SIZE, ThemeChoice::Dark, views.clone());
    open(&mut window, &[other(&folder)]);
    act(&mut window, Action::Show(Some(interval), ViewChange::Jump));
    act(&mut window, Action::PinLane(LaneId(1)));
    act(&mut window, Action::Select(Some(SpanId(4))));
    act(&mut window, Command::CloseTab.into());
    assert_eq!(window.harness.state().scene().capture.span_count(), 0);

    let copy = folder.path().join("copied.json");
    std::fs::copy(folder.path().join("train.json"), &copy).unwrap();
    let mut window = Window::keeping(SIZE, ThemeChoice::Dark, views);
    open(&mut window, &[copy]);
    let state = window.harness.state().scene().state;
    assert_eq!(state.view.interval, Some(interval));
    assert_eq!(state.view.pinned, [LaneId(1)]);
    assert_eq!(state.selection.span, Some(SpanId(4)));
    // Another capture is not taken for it.
    open(&mut window, &[steps()]);
    assert_eq!(shown(&window), None);
}

#[test]
fn files_are_added_to_the_capture_on_screen() {
    let folder = tempfile::tempdir().unwrap();
    let all = ranks(2);
    let paths: Vec<PathBuf> = (0..2)
        .map(|at| {
            let path = folder.path().join(format!("rank{at}.json"));
            std::fs::write(&path, kineto(&all[at], at, 2)).unwrap();
            path
        })
        .collect();
    let mut window = Window::new(SIZE, ThemeChoice::Dark);
    open(&mut window, &[paths[0].clone()]);
    let spans = window.harness.state().scene().capture.span_count();
    let more = app::state::FilePurpose::Add;
    let pick = vec![Action::PickFiles(more, vec![paths[1].clone()])];
    window.harness.state_mut().act(pick, None);
    until(&mut window, |window| {
        window.harness.state().scene().status.parts.len() == 2
    });
    window.harness.run();
    let scene = window.harness.state().scene();
    assert!(scene.capture.span_count() > spans);
    assert_eq!(scene.status.tabs.len(), 1);
    assert_eq!(scene.status.opened, Some(both(scene.status)));
}

/// A file that cannot be read leaves no tab behind, and one that is given up neither.
#[test]
fn what_comes_to_nothing_leaves_no_tab() {
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.json");
    std::fs::write(&bad, "hello").unwrap();
    let mut window = Window::with_run(SIZE, ThemeChoice::Dark, "diamond");
    window
        .harness
        .state_mut()
        .act(vec![Action::OpenFile(bad)], None);
    let scene = window.harness.state().scene();
    assert_eq!(scene.reading(), Some("bad.json"));
    until(&mut window, |window| {
        window.harness.state().scene().state.notice.is_some()
    });
    assert_eq!(names(&window), ["Diamond"]);
    let actions = vec![Action::OpenFile(steps()), Action::Cancel];
    window.harness.state_mut().act(actions, None);
    window.harness.run();
    assert_eq!(names(&window), ["Diamond"]);
    assert!(window.harness.state().scene().status.job.is_none());
}

#[test]
fn tabs_look_as_they_should() {
    let folder = tempfile::tempdir().unwrap();
    let path = other(&folder);
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = Window::with_run(SIZE, theme, "double-buffer");
        open(&mut window, &[steps()]);
        open(&mut window, std::slice::from_ref(&path));
        until(&mut window, |window| {
            let status = window.harness.state().scene().status;
            status.why.conclusions.is_some()
        });
        window.harness.run();
        results.add(window.harness.try_snapshot(format!("tabs-{suffix}")));
    }
}
