//! Lanes that are pinned, hidden, filtered, folded and sorted.

use app::action::{Action, Command};
use app::state::{GroupKey, LaneSort, ThemeChoice};
use eframe::egui::{Key, Modifiers, PointerButton, Pos2, pos2};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;
use engine::record::{Group, LaneId};

use super::opened_captures::{THEMES, opened};
use super::recorded_fixtures::{kineto, ranks};
use super::{Window, click, longest_wait};

const SIZE: [f32; 2] = [1280.0, 800.0];

fn window() -> Window {
    Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer")
}

fn act(window: &mut Window, action: Action) {
    window.harness.state_mut().act(vec![action], None);
    window.harness.run();
}

fn lane(window: &Window, name: &str) -> LaneId {
    let lanes = window.harness.state().scene().capture.lanes();
    lanes.iter().find(|lane| lane.name == name).unwrap().id
}

fn press(window: &mut Window, at: Pos2) {
    click(window, at, PointerButton::Secondary);
}

#[test]
fn the_lane_of_the_selected_span_is_pinned_and_hidden_by_keys() {
    let mut window = window();
    let wait = longest_wait(window.harness.state());
    act(&mut window, Action::Select(Some(wait)));
    let lane = {
        let capture = window.harness.state().scene().capture;
        capture.span(wait).unwrap().span.lane
    };
    let press = |window: &mut Window, key| {
        window.harness.key_press_modifiers(Modifiers::SHIFT, key);
        window.harness.run();
    };
    press(&mut window, Key::P);
    assert_eq!(window.harness.state().scene().state.view.pinned, [lane]);
    press(&mut window, Key::P);
    assert!(window.harness.state().scene().state.view.pinned.is_empty());
    press(&mut window, Key::H);
    assert!(
        window
            .harness
            .state()
            .scene()
            .state
            .view
            .hidden
            .contains(&lane)
    );
    window.harness.get_by_label("1 hidden: show").click();
    window.harness.run();
    assert!(window.harness.state().scene().state.view.hidden.is_empty());
}

#[test]
fn a_filter_is_typed_and_shows_the_lanes_that_match() {
    let mut window = window();
    let capture = window.harness.state().scene().capture;
    let all = capture.lanes().len() + capture.counters().len();
    window.harness.key_press_modifiers(Modifiers::SHIFT, Key::F);
    window.harness.run();
    window
        .harness
        .get_by_label("Filter lanes")
        .type_text("^comp|^copy$");
    window.harness.run();
    assert_eq!(
        window.harness.state().scene().state.view.filter,
        "^comp|^copy$"
    );
    let words = format!("{} hidden: show", all - 2);
    window.harness.get_by_label(&words);
    // What is no expression hides nothing.
    act(&mut window, Action::FilterLanes("(".to_owned()));
    assert!(
        window
            .harness
            .query_by_label_contains("hidden: show")
            .is_none()
    );
    act(&mut window, Command::ShowAllLanes.into());
    assert!(window.harness.state().scene().state.view.filter.is_empty());
}

#[test]
fn lanes_are_sorted_by_name_use_and_busy_time() {
    let mut window = window();
    let order = |window: &Window| window.harness.state().scene().state.view.order.clone();
    act(&mut window, Action::SortLanes(LaneSort::Name));
    let capture = window.harness.state().scene().capture;
    let names: Vec<&str> = order(&window)
        .iter()
        .map(|lane| capture.lane(*lane).unwrap().name.as_str())
        .collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(names, sorted);

    act(&mut window, Action::SortLanes(LaneSort::Busy));
    let capture = window.harness.state().scene().capture;
    let busy = |lane: &LaneId| -> i64 {
        let spans = capture
            .spans()
            .filter(|it| it.span.lane == *lane && !it.span.kind.is_waiting());
        spans.map(|it| it.interval().length().0).sum()
    };
    let lengths: Vec<i64> = order(&window).iter().map(busy).collect();
    assert!(lengths.is_sorted_by(|a, b| a >= b), "{lengths:?}");

    act(&mut window, Action::SortLanes(LaneSort::FirstUse));
    let capture = window.harness.state().scene().capture;
    let first = |lane: &LaneId| {
        let spans = capture.spans().filter(|it| it.span.lane == *lane);
        spans.map(|it| it.span.start.0).min().unwrap_or(i64::MAX)
    };
    let starts: Vec<i64> = order(&window).iter().map(first).collect();
    assert!(starts.is_sorted(), "{starts:?}");
    act(&mut window, Action::SortLanes(LaneSort::Capture));
    assert!(order(&window).is_empty());
}

#[test]
fn every_group_is_collapsed_and_expanded_at_once() {
    let mut window = window();
    act(&mut window, Command::CollapseAll.into());
    let scene = window.harness.state().scene();
    let groups = scene.capture.lanes().iter().map(GroupKey::of);
    let collapsed = &scene.state.view.collapsed;
    assert!(groups.into_iter().all(|group| collapsed.contains(&group)));
    act(&mut window, Command::ExpandAll.into());
    assert!(
        window
            .harness
            .state()
            .scene()
            .state
            .view
            .collapsed
            .is_empty()
    );
}

#[test]
fn the_right_button_has_a_menu_on_a_lane_and_on_a_span() {
    let mut window = window();
    // The first lane lies below the first group's name.
    let names = window.harness.state().timeline_areas().names;
    press(&mut window, pos2(names.center().x, names.top() + 38.0));
    window.harness.get_by_label("Pin to the top").click();
    window.harness.run();
    assert_eq!(window.harness.state().scene().state.view.pinned.len(), 1);

    let wait = longest_wait(window.harness.state());
    act(&mut window, Action::Select(Some(wait)));
    act(&mut window, Command::Focus.into());
    let lane = {
        let scene = window.harness.state().scene();
        scene.capture.span(wait).unwrap().span.lane
    };
    act(&mut window, Action::ShowOnly(vec![lane]));
    // Its lane alone is below the name of its group, and it is in the middle of the view.
    let body = window.harness.state().timeline_areas().body;
    press(&mut window, pos2(body.center().x, body.top() + 38.0));
    window.harness.get_by_label("Copy as a table row").click();
    window.harness.run();
    let copied = window.harness.output().platform_output.commands.iter().any(|command| {
        matches!(command, eframe::egui::OutputCommand::CopyText(text) if text.split('\t').count() == 6)
    });
    let selected = window.harness.state().scene().state.selection.span;
    assert_eq!(selected, Some(wait));
    assert!(
        copied
            || window
                .harness
                .query_by_label("Copy as a table row")
                .is_none()
    );
}

/// Pinned lanes stay where they are while the others are scrolled.
#[test]
fn pinned_lanes_look_as_they_should() {
    let folder = tempfile::tempdir().unwrap();
    let all = ranks(8);
    let paths: Vec<_> = (0..8)
        .map(|at| {
            let path = folder.path().join(format!("rank{at}.json"));
            std::fs::write(&path, kineto(&all[at], at, 8)).unwrap();
            path
        })
        .collect();
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = opened(theme, [1280.0, 520.0], paths.clone());
        let lanes: Vec<LaneId> = {
            let lanes = window.harness.state().scene().capture.lanes().iter();
            let streams = lanes.filter(|lane| lane.group == Group::Streams);
            streams
                .filter(|lane| lane.name.contains("24"))
                .map(|lane| lane.id)
                .collect()
        };
        for lane in [1, 5].map(|at| lanes[at]) {
            act(&mut window, Action::PinLane(lane));
        }
        act(&mut window, Action::Scroll(900.0));
        results.add(window.harness.try_snapshot(format!("pinned-{suffix}")));
    }
    let mut window = self::window();
    let copy = lane(&window, "copy");
    act(&mut window, Action::PinLane(copy));
    act(&mut window, Action::HideLanes(vec![copy]));
    assert!(window.harness.state().scene().state.view.pinned.is_empty());
}
