//! Pictures of captures that other tools would have made: of PyTorch, of Nsight Systems, and of eight ranks at once.

use std::path::{Path, PathBuf};

use app::action::{Action, Command};
use app::state::{GroupKey, Switch, ThemeChoice, ViewChange};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;
use engine::record::{DependencyId, DependencyKind, Group, SpanId};
use engine::runner::Control;
use engine::time::{Interval, Nanos};

use super::Window;
use super::interaction::until;
use super::recorded_fixtures::{kineto, nsight, ranks};
use crate::formats::databases::build;
use crate::house::root;

const SIZE: [f32; 2] = [1200.0, 460.0];

/// Opens files in a window and shows all of them.
pub(super) fn opened(theme: ThemeChoice, size: [f32; 2], paths: Vec<PathBuf>) -> Window {
    let mut window = Window::new(size, theme);
    let count = paths.len();
    let app = window.harness.state_mut();
    let hide = [Switch::Left, Switch::Bottom].map(|it| Action::Set(it, false));
    app.act(hide.to_vec(), None);
    app.act(vec![Action::OpenFiles(paths)], None);
    until(&mut window, |window| {
        let scene = window.harness.state().scene();
        let is_open = scene.status.parts.len() == count && scene.capture.span_count() > 0;
        is_open && scene.status.why.conclusions.is_some()
    });
    window.harness.run();
    window
}

/// The effect of the dependency of a kind that lies this far into the list of them.
pub(super) fn effect(window: &Window, kind: DependencyKind, part: f64) -> SpanId {
    let capture = window.harness.state().scene().capture;
    let ids = (0..capture.dependency_count() as u32).map(DependencyId);
    let ties = ids.filter_map(|id| capture.dependency(id));
    let mut effects: Vec<SpanId> = ties
        .filter(|it| it.kind == kind)
        .map(|it| it.effect)
        .collect();
    effects.sort_by_key(|id| capture.span(*id).map(|it| it.span.start));
    assert!(!effects.is_empty(), "no arrow of {kind:?}");
    effects[(effects.len() as f64 * part) as usize]
}

pub(super) fn select(window: &mut Window, span: SpanId, arrows: bool) {
    let app = window.harness.state_mut();
    app.act(vec![Action::Set(Switch::AllArrows, arrows)], None);
    app.act(vec![Action::Select(Some(span))], None);
    window.harness.run();
}

/// Draws the critical path, with nothing chosen.
fn show_path(window: &mut Window) {
    let app = window.harness.state_mut();
    app.act(
        vec![
            Action::Select(None),
            Action::Set(Switch::AllArrows, false),
            Action::Set(Switch::Path, true),
        ],
        None,
    );
    window.harness.run();
}

/// Shows a range of time, in microseconds.
fn show(window: &mut Window, start: i64, end: i64) {
    let range = Interval::new(Nanos::from_micros(start), Nanos::from_micros(end));
    let app = window.harness.state_mut();
    app.act(vec![Action::Show(Some(range), ViewChange::Jump)], None);
    window.harness.run();
}

pub(super) const THEMES: [(ThemeChoice, &str); 2] =
    [(ThemeChoice::Dark, "dark"), (ThemeChoice::Light, "light")];

#[test]
fn a_capture_of_pytorch_shows_waits_of_streams_as_arrows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("train.pt.trace.json");
    std::fs::write(&path, kineto(&ranks(1)[0], 0, 1)).unwrap();
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = opened(theme, SIZE, vec![path.clone()]);
        let span = effect(&window, DependencyKind::Event, 0.5);
        select(&mut window, span, true);
        show(&mut window, 430, 900);
        results.add(
            window
                .harness
                .try_snapshot(format!("opened-kineto-{suffix}")),
        );
        show_path(&mut window);
        results.add(window.harness.try_snapshot(format!("path-kineto-{suffix}")));
    }
}

#[test]
fn a_capture_of_nsight_shows_waits_of_streams_as_arrows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("train.sqlite");
    std::fs::write(&path, build::database(&nsight(&ranks(1)[0]))).unwrap();
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = opened(theme, SIZE, vec![path.clone()]);
        let span = effect(&window, DependencyKind::Event, 0.4);
        select(&mut window, span, true);
        show(&mut window, 200, 640);
        results.add(
            window
                .harness
                .try_snapshot(format!("opened-nsight-{suffix}")),
        );
    }
}

#[test]
fn what_was_recorded_on_a_device_shows_what_its_streams_waited_for() {
    let path = root().join("tests/data/recorded-h100.pftrace");
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = opened(theme, SIZE, vec![path.clone()]);
        let span = effect(&window, DependencyKind::Event, 0.5);
        let at = {
            let capture = window.harness.state().scene().capture;
            capture.span(span).unwrap().span.start.0 / 1_000
        };
        select(&mut window, span, true);
        show(&mut window, at - 180, at + 90);
        let name = format!("opened-recorded-{suffix}");
        results.add(window.harness.try_snapshot(name));
    }
}

/// The files of eight ranks, in a folder.
pub fn rank_files(folder: &Path) -> Vec<PathBuf> {
    let made = ranks(8);
    let files = made.iter().enumerate().map(|(number, rank)| {
        let path = folder.join(format!("rank{number}.pt.trace.json"));
        std::fs::write(&path, kineto(rank, number, made.len())).unwrap();
        path
    });
    files.collect()
}

#[test]
fn eight_ranks_show_who_came_last() {
    let folder = tempfile::tempdir().unwrap();
    let paths = rank_files(folder.path());
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = opened(theme, [1200.0, 1000.0], paths.clone());
        let ties = window.harness.state().scene().capture.dependency_count();
        assert!(ties > 300, "{ties}");
        // What the streams did is the matter here, and who came last to the third exchange.
        let hosts = [(Group::Host, u32::MAX)].into_iter();
        let devices = (0..8).map(|device| (Group::Device, device));
        let fold = hosts.chain(devices);
        let fold = fold.map(|(group, device)| Action::Collapse(GroupKey { group, device }));
        window.harness.state_mut().act(fold.collect(), None);
        let held = effect(&window, DependencyKind::Collective, 0.5);
        let last = {
            let capture = window.harness.state().scene().capture;
            let causes = capture.causes(held).filter_map(|id| capture.dependency(id));
            let mut causes = causes.filter(|it| it.kind == DependencyKind::Collective);
            causes.next().unwrap().cause
        };
        select(&mut window, last, false);
        show(&mut window, 520, 1_180);
        results.add(
            window
                .harness
                .try_snapshot(format!("opened-ranks-{suffix}")),
        );
        // The path goes by way of the last to arrive, which is one of the last four ranks.
        let first = (0..4).map(|device| (Group::Streams, device));
        let fold = first.map(|(group, device)| Action::Collapse(GroupKey { group, device }));
        window.harness.state_mut().act(fold.collect(), None);
        show_path(&mut window);
        results.add(window.harness.try_snapshot(format!("path-ranks-{suffix}")));
    }
}

/// An opened capture has nothing to run: no key puts a workload in its place before one is chosen.
#[test]
fn an_opened_capture_is_not_run_over() {
    let mut window = Window::new([1280.0, 800.0], ThemeChoice::Dark);
    let path = root().join("tests/data/captures/torch-steps.json.gz");
    let app = window.harness.state_mut();
    app.act(vec![Action::OpenFiles(vec![path])], None);
    until(&mut window, |window| {
        let scene = window.harness.state().scene();
        scene.capture.span_count() > 0 && scene.status.why.conclusions.is_some()
    });
    // In the bar, and among what is open.
    let named = |window: &Window| {
        let all = window.harness.query_all_by_label("torch-steps.json.gz");
        all.count()
    };
    assert_eq!(named(&window), 2);
    window.harness.get_by_label("Extract workload…");
    assert!(window.harness.query_by_label("Lose device").is_none());
    for command in [Command::Rerun, Command::Step] {
        let app = window.harness.state_mut();
        app.act(vec![command.into()], None);
        window.harness.run();
        assert!(window.asked().is_empty(), "{command:?}");
        window
            .harness
            .get_by_label_contains("An opened capture is on screen");
        let app = window.harness.state_mut();
        app.act(vec![Action::Notify(None)], None);
        window.harness.run();
    }
    let app = window.harness.state_mut();
    app.act(vec![Action::OpenTab("source")], None);
    window.harness.run();
    window
        .harness
        .get_by_label_contains("Choose a workload on the left");

    // A workload runs in a tab of its own: the capture stays open in its.
    window.harness.get_by_label("Fork and join").click();
    window.harness.run();
    let scene = window.harness.state().scene();
    assert_eq!(scene.status.tabs.len(), 2);
    assert_eq!(scene.capture.span_count(), 0, "choosing is not running");
    let app = window.harness.state_mut();
    app.act(vec![Command::RunOrPause.into()], None);
    assert!(matches!(window.asked().as_slice(), [Control::Run(_)]));
    let app = window.harness.state_mut();
    app.act(vec![Action::ShowTab(0)], None);
    window.harness.run();
    assert!(window.harness.state().scene().capture.span_count() > 0);
}

/// A file without anything in it is not taken for a window in which nothing has run.
#[test]
fn an_empty_capture_says_that_it_is_empty() {
    let mut window = Window::new([1280.0, 800.0], ThemeChoice::Dark);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.json");
    std::fs::write(&path, r#"{"traceEvents":[]}"#).unwrap();
    let app = window.harness.state_mut();
    app.act(vec![Action::OpenFiles(vec![path])], None);
    until(&mut window, |window| {
        let scene = window.harness.state().scene();
        scene.status.is_document && scene.status.job.is_none()
    });
    window.harness.run();
    let said: Vec<String> = painted(&window);
    assert!(
        said.iter().any(|it| it.contains("holds nothing to show")),
        "{said:?}"
    );
    for tab in ["Overview", "Statistics", "Why", "Findings"] {
        window.harness.get_all_by_label(tab).last().unwrap().click();
        window.harness.run();
        let said = painted(&window);
        let is_told = |words: &str| said.iter().any(|it| it.contains(words));
        assert!(
            is_told("has no spans") && !is_told("runs the chosen workload"),
            "{tab}: {said:?}"
        );
    }
}

/// The texts that are painted.
fn painted(window: &Window) -> Vec<String> {
    window.painted().into_iter().map(|it| it.0).collect()
}
