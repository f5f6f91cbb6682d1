//! What the window says about causes: the overview, the tables, the way back in the inspector, and the keys that follow it.

use std::path::PathBuf;

use app::action::{Action, Command};
use app::state::{Switch, ThemeChoice, ViewChange};
use eframe::egui::{Event, Key, Modifiers, pos2};
use egui_kittest::kittest::Queryable as _;
use engine::record::{SpanId, SpanKind};
use engine::time::{Interval, Nanos};

use super::Window;
use super::interaction::until;
use crate::house::root;

const SIZE: [f32; 2] = [1280.0, 800.0];

/// A known program, opened in a window, its causes read.
fn opened(program: &str) -> Window {
    let mut window = Window::new(SIZE, ThemeChoice::Dark);
    let path: PathBuf = root().join(format!("tests/data/causes/{program}.json"));
    let app = window.harness.state_mut();
    app.act(vec![Action::OpenFiles(vec![path])], None);
    until(&mut window, |window| {
        let scene = window.harness.state().scene();
        scene.capture.span_count() > 0 && scene.status.why.conclusions.is_some()
    });
    window.harness.run();
    window
}

fn named(window: &Window, name: &str) -> SpanId {
    let capture = window.harness.state().scene().capture;
    let mut spans = capture.spans();
    let found = spans.find(|it| capture.name(it.span.name) == name);
    found.unwrap().span.id
}

fn select(window: &mut Window, span: SpanId) {
    let app = window.harness.state_mut();
    app.act(vec![Action::Select(Some(span))], None);
    window.harness.run();
}

fn selected(window: &Window) -> Option<SpanId> {
    window.harness.state().scene().state.selection.span
}

/// Truth: D waited for B alone from 106 to 156 µs, 120 µs after it was submitted, and then took 3 µs to start.
#[test]
fn the_inspector_says_the_binding_cause_and_the_way_back() {
    let mut window = opened("fork_join");
    let (held, cause) = (named(&window, "D"), named(&window, "B"));
    select(&mut window, held);
    for words in [
        "It was queued for ",
        "120\u{a0}µs",
        "blocked by an event, for ",
        "3.00\u{a0}µs",
        "50.0\u{a0}µs",
    ] {
        let found = window.harness.query_all_by_label_contains(words);
        assert!(found.count() > 0, "{words:?} is not on screen");
    }
    let steps = ["◀ B", "◀ A", "◀ latency · B", "◀ latency · D"];
    for step in steps {
        assert!(
            window.harness.query_all_by_label(step).count() > 0,
            "{step}"
        );
    }
    window.harness.key_press(Key::OpenBracket);
    window.harness.run();
    assert_eq!(selected(&window), Some(cause));
    window.harness.key_press(Key::CloseBracket);
    window.harness.run();
    assert_eq!(selected(&window), Some(held));
}

#[test]
fn an_opened_capture_begins_with_its_overview_and_the_number_of_findings_is_what_they_are() {
    let window = opened("fork_join");
    let scene = window.harness.state().scene();
    assert_eq!(scene.state.settings.docks.bottom.tab, "overview");
    let made = scene.status.why.conclusions.clone().unwrap();
    assert!(made.overview.lines.len() >= 3, "{:?}", made.overview);
    for topic in ["busy", "idle", "critical path"] {
        assert!(
            window.harness.query_all_by_label(topic).count() > 0,
            "{topic}"
        );
    }
    let tab = format!("Findings {}", made.findings());
    assert!(window.harness.query_by_label(&tab).is_some(), "{tab}");
}

/// A topic stands beside the first line of what is said of it, and the lines of a sentence follow each other evenly.
#[test]
fn topics_of_the_overview_stand_beside_what_is_said_of_them() {
    let window = opened("fork_join");
    let harness = &window.harness;
    let top = |words: &str| {
        let mut all = harness.query_all_by_label(words);
        all.next().unwrap().rect().top()
    };
    // A mark may follow a number at once.
    let beginning = |words: &str| {
        let mut all = harness.query_all_by_label_contains(words);
        all.next().unwrap().rect().top()
    };
    let made = window
        .harness
        .state()
        .scene()
        .status
        .why
        .conclusions
        .clone();
    let made = made.unwrap();
    for line in &made.overview.lines {
        let first = line.says.first().map(app::text::piece).unwrap();
        let first = first.replace(app::text::THIN, "\u{a0}");
        let (topic, said) = (top(line.topic.label()), beginning(&first));
        let is_first = made.overview.lines.iter().find(|it| it.topic == line.topic) == Some(line);
        assert!(
            !is_first || (topic - said).abs() < 1.5,
            "{first:?}: {topic} and {said}"
        );
    }
}

#[test]
fn the_tables_of_the_range_add_up_to_it() {
    let mut window = opened("two_threads");
    let app = window.harness.state_mut();
    app.act(vec![Action::OpenTab("why")], None);
    window.harness.run();
    let within = |window: &Window| {
        let table = window.harness.state().scene().status.why.table.clone();
        let table = table.unwrap();
        let uses = table.uses.iter().map(|it| it.time);
        assert_eq!(
            uses.fold(Nanos::ZERO, |sum, it| sum + it),
            table.within.length()
        );
        for row in &table.streams {
            assert_eq!(row.time.total(), table.within.length());
        }
        table.within
    };
    let all = within(&window);
    let third = Nanos(all.length().0 / 3);
    let range = Interval::new(all.start + third, all.end - third);
    let app = window.harness.state_mut();
    app.act(vec![Action::SelectRange(Some(range))], None);
    window.harness.run();
    assert_eq!(within(&window), range);
    // The button copies what is on screen.
    window.harness.get_by_label("Copy").click();
    window.harness.run();
}

#[test]
fn the_path_is_walked_from_its_beginning_to_its_end_and_back() {
    let mut window = opened("fork_join");
    let made = window
        .harness
        .state()
        .scene()
        .status
        .why
        .conclusions
        .clone();
    let path = made.unwrap();
    let mut spans: Vec<SpanId> = path.path.iter().filter_map(|it| it.span).collect();
    spans.dedup();
    assert!(spans.len() > 2);
    for span in &spans {
        window.harness.key_press(Key::J);
        window.harness.run();
        assert_eq!(selected(&window), Some(*span));
    }
    for span in spans.iter().rev().skip(1) {
        window.harness.key_press_modifiers(Modifiers::SHIFT, Key::J);
        window.harness.run();
        assert_eq!(selected(&window), Some(*span));
    }
    let settings = &window.harness.state().scene().state.settings;
    assert!(settings.is_on(Switch::Path));
    let app = window.harness.state_mut();
    app.act(vec![Command::Path.into()], None);
    assert!(
        !window
            .harness
            .state()
            .scene()
            .state
            .settings
            .is_on(Switch::Path)
    );
}

/// The host made one operator after the other before it launched k4: each is a stop of the walk, and none within it.
#[test]
fn calls_of_one_stretch_of_the_host_are_walked_one_by_one() {
    let mut window = opened("host_late");
    let operators = ["aten::op0", "aten::op1", "aten::op2", "aten::op3"];
    let there = operators
        .iter()
        .chain(&["k4"])
        .map(|it| (Modifiers::NONE, it));
    let back = operators.iter().rev().map(|it| (Modifiers::SHIFT, it));
    for (modifiers, name) in there.chain(back) {
        window.harness.key_press_modifiers(modifiers, Key::J);
        window.harness.run();
        assert_eq!(selected(&window), Some(named(&window, name)), "{name}");
    }
}

/// Truth: back from 110 µs, when B ran, the time was made of A and B; back from the end of all, of D and the call as well.
#[test]
fn the_path_that_is_drawn_and_walked_is_that_of_the_range() {
    let mut window = opened("fork_join");
    let zero = {
        let why = &window.harness.state().scene().status.why;
        why.causes.clone().unwrap().extent().start
    };
    let drawn = |window: &Window| {
        let scene = window.harness.state().scene();
        let names = scene.path().iter().filter_map(|it| it.span);
        let name = |span| {
            let placed = scene.capture.span(span).unwrap();
            scene.capture.name(placed.span.name).to_owned()
        };
        let mut names: Vec<String> = names.map(name).collect();
        names.dedup();
        names
    };
    let range = Interval::new(zero, zero + Nanos(110_000));
    for (asked, names) in [
        (None, &["A", "B", "D", "cudaDeviceSynchronize"][..]),
        (Some(range), &["A", "B"]),
        (None, &["A", "B", "D", "cudaDeviceSynchronize"]),
    ] {
        let app = window.harness.state_mut();
        let on = Action::Set(Switch::Path, true);
        let begin = vec![on, Action::Select(None), Action::SelectRange(asked)];
        app.act(begin, None);
        window.harness.run();
        assert_eq!(drawn(&window), names);
        for name in names {
            window.harness.key_press(Key::J);
            window.harness.run();
            assert_eq!(selected(&window), Some(named(&window, name)));
        }
        // There is nothing behind its end.
        window.harness.key_press(Key::J);
        window.harness.run();
        assert_eq!(selected(&window), names.last().map(|it| named(&window, it)));
    }
}

/// What is told of the view is told of the path that is drawn as well.
#[test]
fn the_path_of_what_is_in_view_is_drawn_where_that_is_asked_for() {
    let mut window = opened("fork_join");
    let zero = {
        let why = &window.harness.state().scene().status.why;
        why.causes.clone().unwrap().extent().start
    };
    let view = Interval::new(zero + Nanos(10_000), zero + Nanos(50_000));
    let app = window.harness.state_mut();
    let show = Action::Show(Some(view), ViewChange::Jump);
    app.act(
        vec![Action::OpenTab("why"), show, Command::Path.into()],
        None,
    );
    window.harness.run();
    let length = |window: &Window| {
        let path = window.harness.state().scene().path().iter();
        path.fold(Nanos::ZERO, |sum, it| sum + it.interval.length())
    };
    assert_eq!(length(&window), Nanos(195_000));
    window.harness.get_by_label("In view").click();
    window.harness.run();
    assert_eq!(length(&window), Nanos(40_000));
    let table = window.harness.state().scene().status.why.table.clone();
    assert_eq!(table.unwrap().within, view);
}

/// Truth: C was submitted before the capture shows anything that it waited for, so that a part of its wait is no span's.
#[test]
fn a_step_of_the_way_back_that_is_no_spans_makes_its_time_the_range() {
    let mut window = opened("cut_window");
    let span = named(&window, "C");
    select(&mut window, span);
    let words = "◀ nothing is known of what came before";
    window.harness.get_by_label(words).click();
    window.harness.run();
    let scene = window.harness.state().scene();
    let range = scene.state.selection.range.expect("a range");
    let reader = scene.reader().unwrap();
    let steps = reader.chain(span);
    assert_eq!(steps.first().map(|it| it.interval), Some(range));
}

/// Nobody knows how many findings there are before the analyses have answered.
#[test]
fn findings_have_no_number_until_it_is_known() {
    let mut window = Window::new(SIZE, ThemeChoice::Dark);
    window.harness.step();
    // The tab, and the button of an opened capture.
    let has_number = |window: &Window| {
        let bare = window.harness.query_all_by_label("Findings");
        bare.count() == 0
    };
    assert!(!has_number(&window), "nothing was opened");
    let path: PathBuf = root().join("tests/data/causes/fork_join.json");
    let app = window.harness.state_mut();
    app.act(vec![Action::OpenFiles(vec![path])], None);
    until(&mut window, |window| {
        let is_known = window
            .harness
            .state()
            .scene()
            .status
            .why
            .conclusions
            .is_some();
        assert_eq!(has_number(window), is_known);
        is_known
    });
}

/// Truth: nothing ran on stream 7 from 63 to 159 µs; D waited for B until 156 µs, and then took 3 µs to start.
#[test]
fn a_gap_of_a_stream_says_what_it_was_spent_on_when_it_is_pointed_at() {
    let mut window = opened("fork_join");
    let found = point_at_gap(&mut window, Nanos(110_000), "Idle for 96.0\u{2009}µs");
    assert!(found, "no gap says that it is idle");
    for words in ["dependency", "93.0\u{2009}µs", "latency", "3.00\u{2009}µs"] {
        let count = window.harness.query_all_by_label(words).count();
        assert!(count > 0, "{words:?} is not on screen");
    }
}

/// Truth: between its two kernels stream 7 waited for the host, which was in no call for most of that.
#[test]
fn what_the_host_did_meanwhile_ends_where_its_time_begins() {
    let mut window = opened("query");
    let capture = window.harness.state().scene().capture;
    let mut kernels: Vec<_> = capture.spans().collect();
    kernels.retain(|it| it.span.kind == SpanKind::Kernel);
    kernels.sort_by_key(|it| it.span.start);
    let pairs = kernels
        .windows(2)
        .map(|it| (it[0].span.end, it[1].span.start));
    let (from, to) = pairs.max_by_key(|it| it.1 - it.0).unwrap();
    let made = window
        .harness
        .state()
        .scene()
        .status
        .why
        .conclusions
        .clone();
    let zero = made.unwrap().causes.extent().start;
    let at = Nanos(from.0.midpoint(to.0)) - zero;
    let what = "in no call shown";
    assert!(point_at_gap(&mut window, at, what), "no gap says {what}");
    let cause = window
        .harness
        .query_all_by_label_contains("◂ submitted by ");
    assert_eq!(cause.count(), 1, "the card does not say what bound");
    let label = window.harness.get_by_label(what).rect();
    let times = window.harness.query_all_by_label_contains("\u{2009}µs");
    let of_line = times
        .map(|it| it.rect())
        .filter(|it| (it.center().y - label.center().y).abs() < 4.0 && it.right() > label.right());
    let left = of_line.map(|it| it.left()).fold(f32::INFINITY, f32::min);
    assert!(
        left.is_finite() && label.right() <= left,
        "{label:?} and {left}"
    );
}

/// Points at each lane in turn at a moment after the first of all, until the card says so.
fn point_at_gap(window: &mut Window, moment: Nanos, wanted: &str) -> bool {
    let app = window.harness.state();
    let scene = app.scene();
    let made = scene.status.why.conclusions.clone().unwrap();
    let shown = scene.state.view.shown(scene.capture.extent());
    let at = made.causes.extent().start + moment;
    let share = (at - shown.start).0 as f32 / shown.length().0 as f32;
    let body = app.timeline_areas().body;
    let x = body.left() + share * body.width();
    let mut y = body.top();
    while y < body.bottom() {
        window.harness.event(Event::PointerMoved(pos2(x, y)));
        // The card comes once the pointer has rested.
        for _ in 0..4 {
            window.harness.step();
        }
        if window.harness.query_by_label(wanted).is_some() {
            return true;
        }
        y += 6.0;
    }
    false
}

#[test]
fn keys_and_rows_go_to_iterations() {
    let mut window = opened("steps");
    let made = window
        .harness
        .state()
        .scene()
        .status
        .why
        .conclusions
        .clone();
    let rows = made.unwrap().iterations.rows.clone();
    assert_eq!(rows.len(), 3);
    let range = |window: &Window| window.harness.state().scene().state.selection.range;
    for row in &rows {
        window.harness.key_press(Key::O);
        window.harness.run();
        assert_eq!(range(&window), Some(row.iteration.interval));
    }
    for row in rows.iter().rev().skip(1) {
        window.harness.key_press_modifiers(Modifiers::SHIFT, Key::O);
        window.harness.run();
        assert_eq!(range(&window), Some(row.iteration.interval));
    }
    let app = window.harness.state_mut();
    app.act(vec![Action::OpenTab("why")], None);
    window.harness.run();
    window.harness.get_by_label("Iterations").click();
    window.harness.run();
    let name = rows[1].iteration.name.clone();
    assert!(
        window.harness.query_all_by_label_contains(&name).count() > 0,
        "{name}"
    );
}

/// Nothing of the other theme is left once the window rests: what egui draws by its own style changes a frame later.
#[test]
fn a_change_of_theme_is_drawn_whole_before_the_window_rests() {
    let mut window = opened("fork_join");
    window.harness.key_press(Key::T);
    window.harness.run();
    let drawn = window.harness.output().shapes.clone();
    window.harness.step();
    assert!(
        drawn == window.harness.output().shapes,
        "the last frame was not the last"
    );
}
