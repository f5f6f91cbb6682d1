//! The table of all operations in the statistics of a range.

use std::collections::BTreeSet;

use app::action::Action;
use app::state::{ThemeChoice, ViewChange};
use eframe::egui::{
    Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, OutputCommand, Rect, TouchPhase, vec2,
};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use engine::analysis::Statistics;
use engine::capture::PlacedSpan;
use engine::record::{
    CallId, Group, Lane, LaneId, NameId, Record, Role, Span, SpanId, SpanKind, State,
};
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
    until(&mut window, |window| {
        let table = window.harness.query_by_label("All operations");
        table.is_some()
    });
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
    let chosen = scene
        .state
        .selection
        .span
        .and_then(|it| scene.capture.span(it));
    let name = scene.capture.name(chosen.unwrap().span.name);
    assert!(first.starts_with(name), "{first}, {name}");
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
    let falls = counts.is_sorted_by(|a, b| a >= b);
    assert!(counts.len() >= 2 && falls, "{counts:?}");

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
    // It is the longest of its name, and all of them are chosen: as many as the row counts.
    let all = scene.capture.spans();
    let same = all.filter(|it| {
        (it.span.name, it.span.kind) == (placed.span.name, placed.span.kind)
            && it.span.lane == placed.span.lane
    });
    let same: Vec<_> = same.collect();
    let longest = same.iter().map(|it| it.span.end - it.span.start).max();
    assert_eq!(Some(placed.span.end - placed.span.start), longest);
    let ids: BTreeSet<_> = same.iter().map(|it| it.span.id).collect();
    assert_eq!(scene.state.selection.group, ids);
    assert_eq!(count(&left[0]) as usize, ids.len());
    assert_eq!(scene.state.search, "");
}

/// What is copied are the rows that are shown, in their order, times in nanoseconds.
#[test]
fn operations_are_copied_as_comma_separated_values() {
    let mut window = window();
    let shown = rows(&window);
    window.harness.get_by_label("Copy as CSV").click();
    window.harness.step();
    let commands = &window.harness.output().platform_output.commands;
    let copied = commands.iter().find_map(|it| match it {
        OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    let copied = copied.expect("something was copied");
    let mut lines = copied.lines();
    let titles =
        "name,count,total (ns),self (ns),share (%),mean (ns),median (ns),p95 (ns),max (ns),kind,on";
    assert_eq!(lines.next(), Some(titles));
    let scene = window.harness.state().scene();
    let all = Statistics::of(scene.capture, scene.capture.extent().unwrap()).durations;
    for (line, row) in lines.clone().zip(&shown) {
        let fields: Vec<&str> = line.split(',').collect();
        let name = row.split(" · ").next().unwrap();
        assert_eq!(fields[0], name);
        let mut same = all.iter();
        let total =
            same.find(|it| scene.capture.name(it.name) == name && it.kind.label() == fields[9]);
        assert_eq!(fields[2], total.unwrap().total.0.to_string(), "{line}");
    }
    assert!(lines.count() >= shown.len() && shown.len() > 2);
}

/// Statistics and their charts are of the view where no range is selected.
#[test]
fn statistics_follow_the_view() {
    let mut window = window();
    // What they are of, and of how many spans.
    let says = |window: &Window, spans: &str| {
        let mut all = window.harness.query_all_by_label_contains("In view · ");
        all.any(|it| {
            let label = it.accesskit_node().value();
            label.is_some_and(|it| it.ends_with(spans))
        })
    };
    until(&mut window, |window| says(window, "· 121 spans"));
    let capture = window.harness.state().scene().capture;
    let extent = capture.extent().unwrap();
    let first = Interval::new(extent.start, extent.start + Nanos(extent.length().0 / 4));
    let seen = |it: &PlacedSpan| it.span.start < first.end;
    let count = format!("· {} spans", capture.spans().filter(seen).count());
    assert_ne!(count, "· 121 spans");
    let show = vec![Action::Show(Some(first), ViewChange::Jump)];
    window.harness.state_mut().act(show, None);
    until(&mut window, |window| says(window, &count));
    window.harness.get_by_label("Charts").click();
    let show = vec![Action::Show(None, ViewChange::Jump)];
    window.harness.state_mut().act(show, None);
    until(&mut window, |window| says(window, "· 121 spans"));
}

/// Spans of one name on two streams and a host thread.
fn steps() -> Vec<Record> {
    let name = Record::Name(NameId(0), "step".into());
    let lane = |id: u32, group| {
        Record::Lane(Box::new(Lane {
            id: LaneId(id),
            group,
            device: None,
            role: Role::None,
            name: format!("lane {id}"),
            order: 0,
            process: "".into(),
            thread: "".into(),
        }))
    };
    let lanes = [
        lane(0, Group::Streams),
        lane(1, Group::Streams),
        lane(2, Group::Host),
    ];
    let lanes = lanes.into_iter();
    [name]
        .into_iter()
        .chain(lanes)
        .chain(step_spans())
        .collect()
}

fn step_spans() -> [Record; 6] {
    let span = |id: u32, lane: u32, kind, start: i64, end: i64| {
        Record::Span(Span {
            id: SpanId(id),
            lane: LaneId(lane),
            name: NameId(0),
            call: CallId::NONE,
            kind,
            state: State::Done,
            enqueued: Nanos(start),
            start: Nanos(start),
            end: Nanos(end),
        })
    };
    [
        // Before the range, into it, within it on another lane, and after it.
        span(0, 0, SpanKind::Kernel, 0, 900),
        span(1, 0, SpanKind::Kernel, 900, 1_100),
        span(2, 1, SpanKind::Kernel, 1_500, 1_800),
        span(3, 0, SpanKind::Kernel, 2_000, 2_500),
        // The same name, and something else.
        span(4, 0, SpanKind::Copy, 1_200, 1_300),
        span(5, 2, SpanKind::Kernel, 1_200, 1_300),
    ]
}

/// A name on several lanes and in several kinds, of which only some overlap a range.
#[test]
fn a_row_selects_what_it_counts_and_nothing_else() {
    let mut window = Window::new([1280.0, 800.0], ThemeChoice::Dark);
    window.answer(steps());
    let range = Interval::new(Nanos(1_000), Nanos(2_000));
    let app = window.harness.state_mut();
    app.act(
        vec![
            Action::OpenTab("statistics"),
            Action::SelectRange(Some(range)),
        ],
        None,
    );
    until(&mut window, |window| {
        window.harness.query_by_label("All operations").is_some()
    });
    window.harness.get_by_label("All operations").click();
    until(&mut window, |window| rows(window).len() == 3);
    let row = rows(&window)
        .into_iter()
        .find(|it| it.starts_with("step · 2 · "));
    window.harness.get_by_label(&row.unwrap()).click();
    window.harness.run();
    let scene = window.harness.state().scene();
    let chosen: Vec<_> = scene.state.selection.group.iter().map(|it| it.0).collect();
    assert_eq!(
        (chosen, scene.state.selection.span),
        (vec![1, 2], Some(SpanId(2)))
    );
    // The range itself says how much lies in it: 100 + 300 + 100 + 100 of four spans.
    until(&mut window, |window| {
        let scene = window.harness.state().scene();
        scene
            .status
            .measure
            .is_some_and(|it| (it.spans, it.sum) == (4, Nanos(600)))
    });
    let told = window.harness.query_by_label_contains("4 spans, 600");
    assert!(told.is_some());
}

#[test]
fn operations_are_those_of_the_range() {
    let mut window = window();
    let all = rows(&window);
    let extent = window.harness.state().scene().capture.extent().unwrap();
    let none = Interval::new(extent.start, extent.start + Nanos(1));
    let range = vec![Action::SelectRange(Some(none))];
    window.harness.state_mut().act(range, None);
    until(&mut window, |window| rows(window).len() < all.len());
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
        until(&mut window, |window| {
            window.harness.query_by_label("Overlap").is_some()
        });
        window.harness.get_by_label("Overlap").click();
        window.harness.run();
        let column = window
            .harness
            .get_by_label("collective\nunder compute")
            .rect();
        let below = |rect: Rect| {
            rect.top() > column.bottom() && (rect.right() - column.right()).abs() < 4.0
        };
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
