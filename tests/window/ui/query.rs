//! The tab of questions in SQL: asked, answered, stopped, sorted, and followed to the timeline.

mod editor;
mod results;

use app::action::Action;
use app::panel::AnsweredQuestion;
use app::state::{DrawnContent, ThemeChoice};
use eframe::egui::{Event, Key, Modifiers, vec2};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;
use engine::query::StopReason;
use engine::record::{SpanId, Value};
use engine::time::{Interval, Nanos};
use std::sync::Arc;

use super::interaction::until;
use super::{Window, records};

const SIZE: [f32; 2] = [1280.0, 800.0];

/// A window with a run on screen, its tab open.
fn window(theme: ThemeChoice) -> Window {
    let mut window = Window::with_run(SIZE, theme, "double-buffer");
    let app = window.harness.state_mut();
    app.act(vec![Action::OpenTab("query")], None);
    window.harness.run();
    window
}

fn answer(window: &Window) -> Option<Arc<AnsweredQuestion>> {
    window.harness.state().scene().status.asked.answer.clone()
}

/// Asks, and waits for the answer.
fn ask(window: &mut Window, sql: &str) -> Arc<AnsweredQuestion> {
    let context = window.harness.ctx.clone();
    let app = window.harness.state_mut();
    app.act(vec![Action::Ask(sql.to_owned())], Some(&context));
    until(window, |window| {
        answer(window).is_some_and(|it| it.sql == sql)
    });
    // How far it has come may be shown for some frames more.
    assert!((0..100).any(|_| window.harness.try_run().is_ok()));
    answer(window).unwrap()
}

fn integer(answer: &AnsweredQuestion, row: usize, column: &str) -> i64 {
    let column = answer.column(column).unwrap();
    match &answer.rows[row][column] {
        Some(Value::Integer(value)) => *value,
        other => panic!("{other:?}"),
    }
}

/// A value as the table shows it.
fn cell(answer: &AnsweredQuestion, row: usize, column: usize) -> String {
    match &answer.rows[row][column] {
        None => "NULL".to_owned(),
        Some(Value::Integer(value)) => value.to_string(),
        Some(Value::Number(value)) => format!("{value:.3}"),
        Some(Value::Text(text)) => text.to_string(),
    }
}

fn row(answer: &AnsweredQuestion, row: usize) -> String {
    let cells: Vec<String> = (0..answer.columns.len())
        .map(|at| cell(answer, row, at))
        .collect();
    cells.join(" ")
}

/// Clicks the first cell of a row: the middle of a row may be the edge of a column, which is there to be dragged.
fn click_row(window: &mut Window, answer: &AnsweredQuestion, at: usize) {
    let rect = window.harness.get_by_label(&row(answer, at)).rect();
    results::click_at(window, rect.left_center() + vec2(30.0, 0.0));
}

const SPANS: &str =
    "SELECT id, name, ts, dur FROM spans WHERE kind = 'kernel' ORDER BY ts, id LIMIT 5";

#[test]
fn a_question_is_asked_by_its_button_and_its_rows_are_there() {
    let mut window = window(ThemeChoice::Dark);
    window.harness.get_by_label("▶ Ask").click();
    until(&mut window, |window| answer(window).is_some());
    window.harness.run();
    let answer = answer(&window).unwrap();
    assert_eq!(answer.error, None);
    assert_eq!(answer.columns, ["name", "times", "total_ns"]);
    assert!(!answer.rows.is_empty());
    window.harness.get_by_label(&row(&answer, 0));
}

#[test]
fn the_editor_asks_by_its_keys() {
    let mut window = window(ThemeChoice::Dark);
    window.harness.get_by_label("Question in SQL").focus();
    window.harness.run();
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    until(&mut window, |window| answer(window).is_some());
    assert!(answer(&window).unwrap().sql.starts_with("SELECT name"));
}

#[test]
fn a_row_leads_to_its_span_and_its_range() {
    let mut window = window(ThemeChoice::Dark);
    let answer = ask(&mut window, SPANS);
    assert_eq!(answer.rows.len(), 5);
    click_row(&mut window, &answer, 2);
    window.harness.run();
    let selection = &window.harness.state().scene().state.selection;
    assert_eq!(
        selection.span,
        Some(SpanId(integer(&answer, 2, "id") as u32))
    );
    let range = selection.range.unwrap();
    assert_eq!(range.start.0, integer(&answer, 2, "ts"));
    assert_eq!(range.length().0, integer(&answer, 2, "dur"));
    // Without a span the view goes to the range.
    let answer = ask(
        &mut window,
        "SELECT ts, dur FROM gaps ORDER BY dur DESC, ts LIMIT 1",
    );
    click_row(&mut window, &answer, 0);
    window.harness.run();
    let state = &window.harness.state().scene().state;
    assert_eq!(
        state.selection.range.unwrap().start.0,
        integer(&answer, 0, "ts")
    );
    let view = state.view.interval.unwrap();
    assert!(view.start.0 <= integer(&answer, 0, "ts"));
}

#[test]
fn rows_are_sorted_by_a_click_on_a_head_and_copied_in_that_order() {
    let mut window = window(ThemeChoice::Dark);
    let answer = ask(&mut window, SPANS);
    let mut lengths: Vec<i64> = (0..5).map(|at| integer(&answer, at, "dur")).collect();
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    window.harness.get_by_label("Sort by dur").click();
    window.harness.run();
    window.harness.get_by_label("Copy CSV").click();
    window.harness.step();
    let commands = &window.harness.output().platform_output.commands;
    let copied = commands.iter().find_map(|it| match it {
        eframe::egui::OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    let copied = copied.expect("something was copied");
    let mut lines = copied.lines();
    assert_eq!(lines.next(), Some("id,name,ts,dur"));
    let found: Vec<i64> = lines
        .map(|it| it.rsplit(',').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(found, lengths);
}

#[test]
fn what_is_wrong_is_said_and_what_never_ends_is_stopped() {
    let mut window = window(ThemeChoice::Dark);
    let answer = ask(&mut window, "SELECT nme FROM spans");
    assert!(answer.error.is_some());
    window
        .harness
        .get_by_label_contains("there is no column “nme”; did you mean name?");
    let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let context = window.harness.ctx.clone();
    let app = window.harness.state_mut();
    app.act(vec![Action::Ask(endless.to_owned())], Some(&context));
    window.harness.step();
    window.harness.get_by_label("■ Stop").click();
    until(&mut window, |window| {
        window
            .harness
            .state()
            .scene()
            .status
            .asked
            .running
            .is_none()
    });
    let answer = self::answer(&window).unwrap();
    assert_eq!(
        (answer.sql.as_str(), answer.cut),
        (endless, Some(StopReason::Cancelled))
    );
}

#[test]
fn the_last_fifty_questions_are_kept_and_another_run_forgets_the_answer() {
    let mut window = window(ThemeChoice::Dark);
    for number in 0..53 {
        ask(&mut window, &format!("SELECT {number} AS n"));
    }
    ask(&mut window, "SELECT 51 AS n");
    let past = &window.harness.state().scene().status.asked.past;
    assert_eq!(past.len(), 50);
    let first: Vec<&str> = past.iter().take(3).map(|it| it.sql.as_str()).collect();
    assert_eq!(
        first,
        ["SELECT 51 AS n", "SELECT 52 AS n", "SELECT 50 AS n"]
    );
    window.answer(records("heat"));
    assert!(answer(&window).is_none());
    let answer = ask(&mut window, "SELECT count(*) AS spans FROM spans");
    let count = window.harness.state().scene().capture.span_count();
    assert_eq!(integer(&answer, 0, "spans"), count as i64);
}

#[test]
fn words_are_completed() {
    let mut window = window(ThemeChoice::Dark);
    window.harness.get_by_label("Question in SQL").focus();
    window.harness.run();
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::A);
    window
        .harness
        .event(Event::Text("SELECT * FROM lane_ov".to_owned()));
    window.harness.run();
    window.harness.key_press(Key::Tab);
    window.harness.run();
    window.harness.get_by_label("▶ Ask").click();
    until(&mut window, |window| answer(window).is_some());
    let answer = answer(&window).unwrap();
    assert_eq!(answer.error, None, "{}", answer.sql);
    assert_eq!(answer.sql, "SELECT * FROM lane_overlap");
}

#[test]
fn an_answer_is_drawn_below_the_lanes_and_followed_from_there() {
    let mut window = window(ThemeChoice::Dark);
    let answer = ask(&mut window, SPANS);
    window.harness.get_by_label("Draw as lane").click();
    window.harness.run();
    window.harness.get_by_label("One lane").click();
    window.harness.run();
    let state = &window.harness.state().scene().state;
    let rows = state.drawn.rows();
    assert_eq!(rows.len(), 1);
    let DrawnContent::Bars(bars) = &rows[0].content else {
        panic!("bars")
    };
    // Each row of the answer is a bar at its time, with its name and its span.
    let mut wanted: Vec<(i64, i64, String, u32)> = (0..answer.rows.len())
        .map(|row| {
            let (ts, dur) = (integer(&answer, row, "ts"), integer(&answer, row, "dur"));
            let name = cell(&answer, row, answer.column("name").unwrap());
            (ts, ts + dur, name, integer(&answer, row, "id") as u32)
        })
        .collect();
    let all = Interval::new(Nanos(i64::MIN / 4), Nanos(i64::MAX / 4));
    let mut found: Vec<(i64, i64, String, u32)> = (0..bars.depths())
        .flat_map(|depth| bars.within(depth, all))
        .map(|bar| {
            let interval = bar.interval;
            let (start, end) = (interval.start.0, interval.end.0);
            (start, end, bar.name.to_string(), bar.span.unwrap().0)
        })
        .collect();
    wanted.sort();
    found.sort();
    assert_eq!(found, wanted);
    // Neither the capture nor what is asked of it knows of them.
    let count = window.harness.state().scene().capture.span_count();
    let again = ask(&mut window, "SELECT count(*) AS spans FROM spans");
    assert_eq!(integer(&again, 0, "spans"), count as i64);
    let app = window.harness.state_mut();
    app.act(vec![Action::StopDrawing(None)], None);
    window.harness.run();
    let state = &window.harness.state().scene().state;
    assert!(state.drawn.rows().is_empty());
}

#[test]
fn the_tab_looks_as_it_should() {
    let mut results = SnapshotResults::new();
    for (theme, suffix) in [(ThemeChoice::Dark, "dark"), (ThemeChoice::Light, "light")] {
        let mut window = window(theme);
        let answer = ask(&mut window, SPANS);
        click_row(&mut window, &answer, 1);
        window.harness.run();
        window.harness.get_by_label("Draw as lane").click();
        window.harness.run();
        window.harness.get_by_label("A lane for each name").click();
        window.harness.run();
        let app = window.harness.state_mut();
        app.act(vec![Action::Scroll(10_000.0)], None);
        window.harness.run();
        results.add(window.harness.try_snapshot(format!("query-{suffix}")));
    }
}
