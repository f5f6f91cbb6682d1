//! Links to a place of a capture: what was never opened here is asked for, and then its place is gone to.

use std::path::{Path, PathBuf};

use app::action::Action;
use app::capture_link::CaptureLink;
use app::state::{OverlayWindow, ThemeChoice};
use eframe::egui::OutputCommand;
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;
use engine::record::SpanId;
use engine::time::{Interval, Nanos};

use super::Window;
use super::interaction::until;
use super::opened_captures::THEMES;
use crate::house::root;

const SIZE: [f32; 2] = [1280.0, 800.0];

fn capture() -> PathBuf {
    root().join("tests/data/captures/torch-steps.json.gz")
}

fn follow(window: &mut Window, link: &CaptureLink) {
    // As it comes from a browser: as text.
    let link = CaptureLink::parse(&link.to_string()).unwrap();
    let app = window.harness.state_mut();
    app.act(vec![Action::FollowLink(link)], None);
    window.harness.run_steps(4);
}

fn is_open(window: &Window, file: &Path) -> bool {
    let scene = window.harness.state().scene();
    let parts = &scene.status.parts;
    scene.status.loading.is_none() && parts.len() == 1 && parts[0].path == file
}

#[test]
fn what_was_never_opened_is_asked_for_and_then_its_place_is_gone_to() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a & b.json.gz");
    std::fs::copy(capture(), &file).unwrap();
    let mut window = Window::new(SIZE, ThemeChoice::Dark);
    let link = |at, span| CaptureLink {
        files: vec![file.clone()],
        at,
        span,
    };
    let asked = |window: &Window| window.harness.state().scene().state.window;

    follow(&mut window, &link(None, Some(SpanId(3))));
    assert_eq!(asked(&window), Some(OverlayWindow::Link));
    assert!(window.harness.state().scene().status.loading.is_none());
    window.harness.get_by_label("Do not open").click();
    window.harness.run_steps(4);
    assert_eq!(asked(&window), None);
    assert!(window.harness.state().scene().status.parts.is_empty());

    follow(&mut window, &link(None, Some(SpanId(3))));
    window.harness.get_by_label("Open").click();
    until(&mut window, |window| is_open(window, &file));
    window.harness.run_steps(4);
    let selected = window.harness.state().scene().state.selection.span;
    assert_eq!(selected, Some(SpanId(3)));

    // It is among the recent files now, and open.
    let at = Interval::new(Nanos(1_000), Nanos(90_000));
    follow(&mut window, &link(Some(at), None));
    assert_eq!(asked(&window), None);
    assert_eq!(
        window.harness.state().scene().state.selection.range,
        Some(at)
    );
    // A time that is not the span's own is what is shown.
    follow(&mut window, &link(Some(at), Some(SpanId(3))));
    let state = window.harness.state().scene().state;
    assert_eq!(state.view.interval, Some(at));
    assert_eq!(state.selection.span, Some(SpanId(3)));
    follow(&mut window, &link(None, Some(SpanId(4_000_000))));
    let told = window.harness.state().scene().state.notice.clone();
    assert!(told.is_some_and(|it| it.is_error && it.text.contains("4000000")));
}

#[test]
fn a_link_is_copied_to_what_was_read_from_files_alone() {
    let file = capture();
    let mut window = Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer");
    let at = Interval::new(Nanos(5), Nanos(9));
    let context = window.harness.ctx.clone();
    let copy = |window: &mut Window| {
        let app = window.harness.state_mut();
        app.act(vec![Action::CopyLink(at, None)], Some(&context));
        let commands = context.output(|output| output.commands.clone());
        commands.into_iter().find_map(|it| match it {
            OutputCommand::CopyText(text) => Some(text),
            _ => None,
        })
    };
    assert_eq!(copy(&mut window), None);
    let told = window.harness.state().scene().state.notice.clone();
    assert!(told.is_some_and(|it| it.text.contains("no file to link to")));
    let app = window.harness.state_mut();
    app.act(vec![Action::OpenFiles(vec![file.clone()])], None);
    until(&mut window, |window| is_open(window, &file));
    let link = CaptureLink::parse(&copy(&mut window).unwrap()).unwrap();
    assert_eq!(
        (link.files, link.at, link.span),
        (vec![file], Some(at), None)
    );
}

#[test]
fn the_question_looks_as_it_should() {
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = Window::new(SIZE, theme);
        let link = CaptureLink {
            files: vec![
                "/captures/rank 0.json".into(),
                "/captures/rank 1.json".into(),
            ],
            ..CaptureLink::default()
        };
        follow(&mut window, &link);
        results.add(window.harness.try_snapshot(format!("link-{suffix}")));
    }
}
