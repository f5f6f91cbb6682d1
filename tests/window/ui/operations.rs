//! The table of all operations in the statistics of a range.

use app::action::Action;
use app::state::ThemeChoice;
use eframe::egui::{
    Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, Rect, TouchPhase, vec2,
};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use engine::analysis::Statistics;
use engine::record::Role;
use engine::time::{Interval, Nanos};

use super::Window;
use super::interaction::until;
use super::opened_captures::{THEMES, opened, rank_files};
use crate::house::root;

/// A window with the table of all operations of a run.
fn window() -> Window {
    let mut window = Window::with_run([1280.0, 800.0], ThemeChoice::Dark, "double-buffer");
    let open = vec![Action::OpenTab("statistics")];
    window.harness.state_mut().act(open, None);
    window.harness.run();
    window.harness.get_by_label("All operations").click();
    window.harness.run();
    window
}

/// The texts of the table's rows, from top to bottom: those that have all of its columns.
fn rows(window: &Window) -> Vec<String> {
    let rows = window.harness.query_all_by_label_contains(" · ");
    let mut rows: Vec<_> = rows
        .filter_map(|it| Some((it.rect().top() as i32, it.accesskit_node().label()?)))
        .filter(|it| it.1.split(" · ").count() == 11)
        .collect();
    rows.sort();
    rows.into_iter().map(|it| it.1).collect()
}

#[test]
fn columns_that_have_no_room_are_scrolled_to_and_the_first_stays() {
    let mut window = window();
    let place = |window: &Window, title: &str| {
        let found = window.harness.query_by_label(title);
        found.map(|it| it.rect())
    };
    let name = place(&window, "name").unwrap();
    assert_eq!(place(&window, "kind"), None);
    let over = place(&window, "total").unwrap().center() + vec2(0.0, 40.0);
    window.harness.event(Event::PointerMoved(over));
    window.harness.event(Event::MouseWheel {
        unit: MouseWheelUnit::Point,
        delta: vec2(-2_000.0, 0.0),
        phase: TouchPhase::Move,
        modifiers: Modifiers::NONE,
        source: MouseWheelSource::Wheel,
    });
    // It glides there.
    window.harness.run_steps(40);
    assert!(place(&window, "kind").is_some());
    assert_eq!(place(&window, "name"), Some(name));
    // A key follows a row as a click does.
    let first = rows(&window).remove(0);
    window.harness.get_by_label(&first).focus();
    window.harness.run();
    window.harness.key_press(Key::Enter);
    window.harness.run();
    let scene = window.harness.state().scene();
    assert!(first.starts_with(&scene.state.search) && !scene.state.search.is_empty());
}

#[test]
fn an_edge_of_a_column_can_be_moved() {
    let mut window = window();
    let place = |window: &Window, title: &str| window.harness.get_by_label(title).rect();
    let (before, edge) = (
        place(&window, "total"),
        place(&window, "count").right_center(),
    );
    window.harness.drag_at(edge);
    window.harness.hover_at(edge + vec2(30.0, 0.0));
    window.harness.run();
    window.harness.drop_at(edge + vec2(30.0, 0.0));
    window.harness.run();
    let after = place(&window, "total");
    assert!(
        (after.left() - before.left() - 30.0).abs() < 2.0,
        "{before} {after}"
    );
}

#[test]
fn operations_are_sorted_filtered_and_followed() {
    let mut window = window();
    let first = rows(&window);
    assert!(first.len() >= 2, "{first:?}");
    window.harness.get_by_label("count").click();
    window.harness.run();
    let count = |row: &String| {
        let cell = row.split(" · ").nth(1).unwrap();
        cell.parse::<u32>().unwrap()
    };
    let counts: Vec<u32> = rows(&window).iter().map(count).collect();
    assert!(counts.len() >= 2 && counts.is_sorted(), "{counts:?}");

    window.harness.get_by_label("Filter operations").focus();
    window.harness.run();
    window
        .harness
        .get_by_label("Filter operations")
        .type_text("upload");
    window.harness.run();
    let left = rows(&window);
    assert!(
        !left.is_empty() && left.iter().all(|it| it.contains("upload")),
        "{left:?}"
    );

    window.harness.get_by_label(&left[0]).click();
    window.harness.run();
    let scene = window.harness.state().scene();
    let chosen = scene.state.selection.span.unwrap();
    let placed = scene.capture.span(chosen).unwrap();
    let name = scene.capture.name(placed.span.name);
    assert!(left[0].starts_with(name), "{left:?}, {name}");
    assert_eq!(scene.state.search, name);
    let longest = scene
        .capture
        .spans()
        .filter(|it| it.span.name == placed.span.name);
    let longest = longest.map(|it| it.span.end - it.span.start).max().unwrap();
    assert_eq!(placed.span.end - placed.span.start, longest);
}

#[test]
fn operations_are_those_of_the_range() {
    let mut window = window();
    let all = rows(&window);
    let extent = window.harness.state().scene().capture.extent().unwrap();
    let none = Interval::new(extent.start, extent.start + Nanos(1));
    let range = vec![Action::SelectRange(Some(none))];
    window.harness.state_mut().act(range, None);
    for _ in 0..4 {
        window.harness.run();
    }
    assert!(rows(&window).len() < all.len(), "{all:?}");
}

/// The operations of a capture of PyTorch.
#[test]
fn the_operations_of_a_capture_look_as_they_should() {
    let mut results = SnapshotResults::new();
    for (theme, suffix) in [(ThemeChoice::Dark, "dark"), (ThemeChoice::Light, "light")] {
        let mut window = Window::new([1280.0, 800.0], theme);
        let path = root().join("tests/data/captures/torch-steps.json.gz");
        let app = window.harness.state_mut();
        app.act(vec![Action::OpenFiles(vec![path])], None);
        until(&mut window, |window| {
            let scene = window.harness.state().scene();
            scene.capture.span_count() > 0 && scene.status.why.conclusions.is_some()
        });
        let open = vec![Action::OpenTab("statistics")];
        window.harness.state_mut().act(open, None);
        until(&mut window, |window| {
            let table = window.harness.query_by_label("All operations");
            table.is_some()
        });
        window.harness.get_by_label("All operations").click();
        window.harness.run();
        results.add(window.harness.try_snapshot(format!("operations-{suffix}")));
    }
}

/// Communication under computation stands first, with a row for each rank.
#[test]
fn roles_are_compared_for_each_rank() {
    let folder = tempfile::tempdir().unwrap();
    let paths = rank_files(folder.path());
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = opened(theme, [1280.0, 800.0], paths.clone());
        let open = vec![Action::OpenTab("statistics")];
        window.harness.state_mut().act(open, None);
        window.harness.run();
        let column = window
            .harness
            .get_by_label("collective\nunder compute")
            .rect();
        let below =
            |rect: Rect| rect.top() > column.bottom() && (rect.left() - column.left()).abs() < 2.0;
        let shares = window.harness.query_all_by_label_contains("\u{2009}%");
        let shares: Vec<String> = shares
            .filter(|it| below(it.rect()))
            .filter_map(|it| it.accesskit_node().value())
            .collect();
        let capture = window.harness.state().scene().capture;
        let all = Statistics::of(capture, capture.extent().unwrap()).roles;
        let pair = all
            .iter()
            .filter(|it| (it.first, it.second) == (Role::Collective, Role::Compute));
        let expected: Vec<String> = pair.map(|it| app::text::percent(it.of_first())).collect();
        assert_eq!((shares.len(), &shares), (8, &expected));
        results.add(
            window
                .harness
                .try_snapshot(format!("statistics-ranks-{suffix}")),
        );
    }
}
