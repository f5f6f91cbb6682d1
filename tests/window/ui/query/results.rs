//! The rows of an answer: sorted, followed, drawn and plotted.

use app::action::Action;
use app::panel::AnsweredQuestion;
use app::state::ThemeChoice;
use eframe::egui::{Event, Modifiers, PointerButton, Pos2, Shape, pos2};
use egui_kittest::kittest::Queryable as _;
use engine::query::StopReason;
use engine::record::SpanId;

use super::super::Window;
use super::{SPANS, ask, integer, row, window};

/// More rows than are shown.
const MANY: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001) \
    SELECT i AS ts, 1 AS dur, i * 2 AS twice FROM n";

/// Whether a text is painted.
fn is_painted(window: &Window, wanted: &str) -> bool {
    fn has(shape: &Shape, wanted: &str) -> bool {
        match shape {
            Shape::Text(text) => text.galley.text() == wanted,
            Shape::Vec(all) => all.iter().any(|it| has(it, wanted)),
            _ => false,
        }
    }
    let shapes = &window.harness.output().shapes;
    shapes.iter().any(|it| has(&it.shape, wanted))
}

/// Clicks a place of the window.
pub fn click_at(window: &mut Window, pos: Pos2) {
    let harness = &mut window.harness;
    harness.event(Event::PointerMoved(pos));
    for pressed in [true, false] {
        harness.event(Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
    }
    harness.run();
}

/// Clicks a cell, by its row and the name of its column.
fn click_cell(window: &mut Window, answer: &AnsweredQuestion, at: usize, column: &str) {
    let head = format!("Sort by {column}");
    let x = window.harness.get_by_label(&head).rect().center().x;
    let y = window
        .harness
        .get_by_label(&row(answer, at))
        .rect()
        .center()
        .y;
    click_at(window, pos2(x, y));
}

#[test]
fn the_sign_of_the_order_is_that_of_the_rows_below_it() {
    let mut window = window(ThemeChoice::Dark);
    ask(&mut window, SPANS);
    assert!(is_painted(&window, "dur"));
    for sign in ["dur ▼", "dur ▲", "dur ▼"] {
        window.harness.get_by_label("Sort by dur").click();
        window.harness.run();
        assert!(is_painted(&window, sign), "{sign}");
    }
}

#[test]
fn large_numbers_are_grouped_on_the_screen_and_texts_get_the_room_that_is_left() {
    let mut window = window(ThemeChoice::Dark);
    window.harness.set_size([1920.0, 1080.0].into());
    window.harness.run_steps(super::super::SETTLED);
    let long = "a".repeat(64);
    ask(
        &mut window,
        &format!("SELECT 1234567 AS n, '{long}' AS name"),
    );
    assert!(is_painted(&window, "1\u{2009}234\u{2009}567"));
    assert!(is_painted(&window, &long));
    let longer = "a".repeat(400);
    ask(&mut window, &format!("SELECT '{longer}' AS name"));
    assert!(!is_painted(&window, &longer));
}

#[test]
fn a_row_without_a_range_leaves_none_of_the_one_before() {
    let mut window = window(ThemeChoice::Dark);
    let answer = ask(
        &mut window,
        "SELECT 5 AS ts, 2 AS dur UNION ALL SELECT NULL, 7",
    );
    let range = |window: &Window| window.harness.state().scene().state.selection.range;
    click_cell(&mut window, &answer, 0, "ts");
    assert!(range(&window).is_some());
    click_cell(&mut window, &answer, 1, "dur");
    assert_eq!(range(&window), None);
    // One that was chosen by hand stays.
    click_cell(&mut window, &answer, 0, "ts");
    let by_hand = engine::time::Interval::new(engine::time::Nanos(1), engine::time::Nanos(9));
    let choose = vec![Action::SelectRange(Some(by_hand))];
    window.harness.state_mut().act(choose, None);
    click_cell(&mut window, &answer, 1, "dur");
    assert_eq!(range(&window), Some(by_hand));
}

#[test]
fn only_ids_of_spans_lead_to_spans_and_each_to_its_own() {
    let mut window = window(ThemeChoice::Dark);
    let chosen = |window: &Window| window.harness.state().scene().state.selection.span;
    let sql = "SELECT id, name, ts, dur, launch_id FROM spans WHERE launch_id IS NOT NULL ORDER BY ts, id LIMIT 3";
    let answer = ask(&mut window, sql);
    let span = |row, column| Some(SpanId(integer(&answer, row, column) as u32));
    click_cell(&mut window, &answer, 1, "launch_id");
    assert_eq!(chosen(&window), span(1, "launch_id"));
    click_cell(&mut window, &answer, 2, "name");
    assert_eq!(chosen(&window), span(2, "id"));
    let state = &window.harness.state().scene().state;
    let range = state.selection.range.unwrap();
    assert_eq!(range.start.0, integer(&answer, 2, "ts"));
    // The id of a dependency is that of no span.
    let before = chosen(&window);
    let answer = ask(
        &mut window,
        "SELECT id, kind FROM dependencies ORDER BY id LIMIT 2",
    );
    click_cell(&mut window, &answer, 1, "id");
    assert_eq!(chosen(&window), before);
}

#[test]
fn what_was_cut_off_is_said_of_what_is_drawn_of_the_rest() {
    let mut window = window(ThemeChoice::Dark);
    let answer = ask(&mut window, MANY);
    assert_eq!(answer.cut, Some(StopReason::Rows(10_000)));
    window.harness.get_by_label("Draw as lane").click();
    window.harness.run();
    window.harness.get_by_label("One lane").click();
    window.harness.run();
    let state = &window.harness.state().scene().state;
    let name = "answer, first 10\u{2009}000 rows";
    assert_eq!(state.drawn.rows()[0].name, name);
    let notice = state.notice.clone().unwrap().text;
    assert!(notice.contains("first 10\u{2009}000 rows"), "{notice}");
    window.harness.get_by_label("Plot").click();
    window.harness.run();
    let said = "Only the first 10\u{2009}000 rows of the answer are drawn";
    window.harness.get_by_label(said);
}

#[test]
fn a_second_answer_is_drawn_besides_the_first() {
    let mut window = window(ThemeChoice::Dark);
    for _ in 0..2 {
        ask(&mut window, SPANS);
        window.harness.get_by_label("Draw as lane").click();
        window.harness.run();
        window.harness.get_by_label("One lane").click();
        window.harness.run();
    }
    let scene = window.harness.state().scene();
    let rows = scene.state.drawn.rows().iter();
    let names: Vec<&str> = rows.map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["answer", "answer 2"]);
    // They are below all lanes, and came into view.
    assert!(scene.state.view.scroll > 0.0);
}

#[test]
fn columns_of_a_plot_are_chosen_and_a_single_row_has_none() {
    let mut window = window(ThemeChoice::Dark);
    ask(&mut window, "SELECT 1 AS a, 2 AS b");
    assert!(window.harness.query_by_label("Plot").is_none());
    ask(
        &mut window,
        "SELECT 1 AS a, 2 AS b, 3 AS c UNION ALL SELECT 2, 900, 4",
    );
    window.harness.get_by_label("Plot").click();
    window.harness.run();
    // The first column is what the others are drawn over.
    assert!(window.harness.query_by_label("a").is_none());
    assert!(is_painted(&window, "b"));
    let before = window.harness.output().shapes.len();
    window.harness.get_by_label("c").click();
    window.harness.run();
    assert!(window.harness.output().shapes.len() > before);
}

#[test]
fn a_row_is_seen_in_the_smallest_window() {
    let mut window = window(ThemeChoice::Dark);
    window.harness.set_size([800.0, 500.0].into());
    window.harness.run_steps(super::super::SETTLED);
    let answer = ask(&mut window, SPANS);
    let first = window.harness.get_by_label(&row(&answer, 0)).rect();
    assert!(first.bottom() < 500.0 && first.height() > 10.0, "{first:?}");
    window.harness.get_by_label("More").click();
    window.harness.run();
    window.harness.get_by_label("Copy CSV");
    window.harness.get_by_label("Draw as lane").click();
    window.harness.run();
    window.harness.get_by_label("One lane").click();
    window.harness.run();
    let state = &window.harness.state().scene().state;
    assert_eq!(state.drawn.rows().len(), 1);
}
