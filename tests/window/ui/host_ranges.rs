//! Ranges of the host: lanes of what they launched, the ranges that operations came from, and what called what.

use app::action::{Action, Command};
use app::state::ThemeChoice;
use eframe::egui::{PointerButton, Rect, pos2};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;
use engine::record::{Group, SpanId, SpanKind};

use super::interaction::until;
use super::opened_captures::{THEMES, opened};
use super::{Window, click};
use crate::house::root;

fn capture(theme: ThemeChoice, name: &str) -> Window {
    opened(
        theme,
        [1280.0, 800.0],
        vec![root().join("tests/data/captures").join(name)],
    )
}

fn act(window: &mut Window, actions: Vec<Action>) {
    window.harness.state_mut().act(actions, None);
}

/// The span of this name that begins first, of this kind.
fn span(window: &Window, name: &str) -> SpanId {
    let capture = window.harness.state().scene().capture;
    let mut named = capture
        .spans()
        .filter(|it| capture.name(it.span.name) == name);
    named.next().unwrap().span.id
}

/// Presses a tab's or a toggle's words.
fn press(window: &mut Window, words: &str) {
    window.harness.get_by_label(words).click();
    window.harness.run();
}

#[test]
fn what_ranges_launched_lies_beneath_the_streams() {
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = capture(theme, "host-ranges.json");
        assert!(window.harness.state().scene().state.projected.is_empty());
        let levels = [Command::ProjectNvtx, Command::ProjectOperators];
        act(&mut window, levels.map(Action::from).to_vec());
        until(&mut window, |window| {
            window.harness.state().scene().state.projected.all().len() == 2
        });
        act(&mut window, vec![Action::Scroll(300.0)]);
        window.harness.run();
        results.add(window.harness.try_snapshot(format!("projected-{suffix}")));
        act(&mut window, levels.map(Action::from).to_vec());
        until(&mut window, |window| {
            window.harness.state().scene().state.projected.is_empty()
        });
    }
}

#[test]
fn a_click_on_a_projected_bar_selects_its_range() {
    let mut window = capture(ThemeChoice::Dark, "host-ranges.json");
    act(&mut window, vec![Command::ProjectNvtx.into()]);
    until(&mut window, |window| {
        !window.harness.state().scene().state.projected.is_empty()
    });
    let areas = window.harness.state().timeline_areas();
    let scene = window.harness.state().scene();
    let lane = &scene.state.projected.all()[0];
    let step = span(&window, "ProfilerStep#1");
    let whole = lane.range(step).unwrap().whole();
    assert_eq!((whole.operations, whole.busy.0), (10, 198_000));
    let shown = scene.state.view.shown(scene.capture.extent());
    let middle = (whole.interval.start.0 + whole.interval.end.0) as f32 / 2.0;
    let share = (middle - shown.start.0 as f32) / shown.length().0 as f32;
    let x = areas.body.left() + share * areas.body.width();
    // The lane lies somewhere below: the first place down the column whose click selects the range.
    let mut selected = None;
    for y in (areas.body.top() as i32..areas.body.bottom() as i32)
        .rev()
        .step_by(6)
    {
        click(&mut window, pos2(x, y as f32), PointerButton::Primary);
        let own = window.harness.state().scene().state.selection.span;
        if own == Some(step) {
            selected = own;
            break;
        }
    }
    assert_eq!(selected, Some(step));
    // The inspector says what it launched.
    assert!(window.harness.query_by_label("LAUNCHED").is_some());
}

#[test]
fn an_operation_says_which_ranges_launched_it() {
    let mut window = capture(ThemeChoice::Dark, "host-ranges.json");
    let kernel = span(&window, "relu");
    act(&mut window, vec![Action::Select(Some(kernel))]);
    window.harness.run();
    assert!(window.harness.query_by_label("LAUNCHED WITHIN").is_some());
    for range in ["train.py(7): step", "forward", "aten::relu"] {
        assert!(window.harness.query_by_label(range).is_some(), "{range}");
    }
    press(&mut window, "aten::relu");
    let selected = window.harness.state().scene().state.selection.span;
    assert_eq!(selected, Some(span(&window, "aten::relu")));
}

#[test]
fn selected_operations_lead_to_the_ranges_that_they_came_from() {
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = capture(theme, "host-ranges.json");
        let capture = window.harness.state().scene().capture;
        let is_kernel = |kind| kind == SpanKind::Kernel;
        let kernels = capture
            .spans()
            .filter(|it| is_kernel(it.span.kind))
            .map(|it| it.span.id);
        let kernels: Vec<SpanId> = kernels.take(6).collect();
        assert!(kernels.iter().all(|it| {
            let lane = capture.span(*it).unwrap().span.lane;
            capture.lane(lane).unwrap().group == Group::Streams
        }));
        act(
            &mut window,
            vec![Action::SelectGroup(kernels), Action::OpenTab("selection")],
        );
        window.harness.run();
        press(&mut window, "Ranges they came from");
        until(&mut window, |window| {
            window
                .harness
                .query_by_label_contains("ProfilerStep#1 · NVTX ranges")
                .is_some()
        });
        results.add(
            window
                .harness
                .try_snapshot(format!("selection-ranges-{suffix}")),
        );
    }
}

#[test]
fn calls_are_a_table_and_a_flame_graph() {
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = capture(theme, "torch-steps.json.gz");
        act(&mut window, vec![Action::OpenTab("calls")]);
        until(&mut window, |window| {
            let rows = window.harness.query_all_by_label_contains("aten::");
            rows.count() > 0
        });
        results.add(window.harness.try_snapshot(format!("calls-table-{suffix}")));
        press(&mut window, "Python functions");
        press(&mut window, "Flame graph");
        until(&mut window, |window| {
            window.harness.query_by_label("flame graph").is_some()
        });
        results.add(window.harness.try_snapshot(format!("calls-flame-{suffix}")));
        let area: Rect = window.harness.get_by_label("flame graph").rect();
        let at = pos2(area.left() + 10.0, area.top() + 28.0);
        click(&mut window, at, PointerButton::Primary);
        let state = window.harness.state().scene().state;
        let chosen = state.selection.span.expect("its longest span is selected");
        let capture = window.harness.state().scene().capture;
        let lane = capture
            .lane(capture.span(chosen).unwrap().span.lane)
            .unwrap();
        assert_eq!(lane.group, Group::Host);
        assert!(window.harness.query_by_label("Show all").is_some());
        press(&mut window, "Show all");
        press(&mut window, "Bottom up");
        assert!(window.harness.query_by_label("Show all").is_none());
    }
}
