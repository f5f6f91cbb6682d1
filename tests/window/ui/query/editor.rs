//! The editor of a question: its keys, the words that it offers, and the menus above it.

use std::sync::Arc;

use app::action::Action;
use app::app::App;
use app::state::{OverlayWindow, Settings, ThemeChoice};
use eframe::egui::{Event, Key, Modifiers, Rect};
use egui_kittest::kittest::Queryable as _;

use super::super::interaction::until;
use super::super::{Window, builder};
use super::{SIZE, answer, ask, window};

/// What stands beside the column `name` in the list of words.
const NAME: &str = "what it is called";

/// Puts the caret into the editor, and writes this in the place of all that is there.
fn write(window: &mut Window, text: &str) {
    window.harness.get_by_label("Question in SQL").focus();
    window.harness.run();
    let harness = &mut window.harness;
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.event(Event::Text(text.to_owned()));
    window.harness.run();
}

fn press(window: &mut Window, key: Key) {
    window.harness.key_press(key);
    window.harness.run();
}

/// Asks what stands in the editor, and answers with its text.
fn asked(window: &mut Window) -> String {
    let before = answer(window);
    window.harness.get_by_label("▶ Ask").click();
    until(window, |window| {
        let now = answer(window);
        now.is_some_and(|it| before.as_ref().is_none_or(|b| !Arc::ptr_eq(&it, b)))
    });
    window.harness.run();
    answer(window).unwrap().sql.clone()
}

/// The word in the list that stands for the column `name`.
fn offered(window: &Window) -> Option<Rect> {
    let all = window.harness.query_all_by_label_contains(NAME);
    all.into_iter().next().map(|it| it.rect())
}

#[test]
fn enter_breaks_the_line_unless_a_word_was_chosen_by_an_arrow() {
    let mut window = window(ThemeChoice::Dark);
    write(&mut window, "SELECT na");
    assert!(offered(&window).is_some());
    press(&mut window, Key::Enter);
    assert!(offered(&window).is_none());
    assert_eq!(asked(&mut window), "SELECT na\n");
    write(&mut window, "SELECT na");
    press(&mut window, Key::ArrowDown);
    press(&mut window, Key::Enter);
    assert_eq!(asked(&mut window), "SELECT name");
    write(&mut window, "SELECT na");
    press(&mut window, Key::Tab);
    assert_eq!(asked(&mut window), "SELECT name");
    write(&mut window, "SELECT na");
    press(&mut window, Key::Escape);
    assert!(offered(&window).is_none());
    assert_eq!(asked(&mut window), "SELECT na");
}

#[test]
fn a_word_that_is_clicked_is_taken_and_the_caret_stays_in_the_editor() {
    let mut window = window(ThemeChoice::Dark);
    write(&mut window, "SELECT na");
    let all = window.harness.get_all_by_label_contains(NAME);
    all.into_iter().next().unwrap().click();
    window.harness.run();
    window.harness.event(Event::Text(" FROM spans".to_owned()));
    window.harness.run();
    assert_eq!(asked(&mut window), "SELECT name FROM spans");
}

#[test]
fn the_list_of_words_closes_when_the_question_is_asked() {
    let mut window = window(ThemeChoice::Dark);
    write(&mut window, "SELECT na");
    assert!(offered(&window).is_some());
    let harness = &mut window.harness;
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    until(&mut window, |window| answer(window).is_some());
    window.harness.run();
    assert_eq!(answer(&window).unwrap().sql, "SELECT na");
    assert!(offered(&window).is_none());
}

#[test]
fn the_list_of_words_stands_below_the_line_of_the_caret_and_at_its_word() {
    let mut window = window(ThemeChoice::Dark);
    let editor = window.harness.get_by_label("Question in SQL").rect();
    write(&mut window, "SELECT na");
    let first = offered(&window).unwrap();
    write(&mut window, "SELECT id,\n dur, ts, na");
    let second = offered(&window).unwrap();
    assert!(first.top() > editor.top() && first.left() > editor.left());
    let line = second.top() - first.top();
    assert!((10.0..24.0).contains(&line), "{first:?} {second:?}");
    assert!(second.left() > first.left(), "{first:?} {second:?}");
}

#[test]
fn questions_are_filtered_and_say_what_the_capture_lacks() {
    let mut window = window(ThemeChoice::Dark);
    window.harness.get_by_label("Questions").click();
    window.harness.run();
    let lacks = "no rows: the capture has nothing in collectives";
    assert_eq!(window.harness.query_all_by_label(lacks).count(), 2);
    let present = "the capture has nothing in spans";
    let found = window.harness.query_all_by_label_contains(present).count();
    assert_eq!(found, 0);
    window.harness.event(Event::Text("straggler".to_owned()));
    window.harness.run();
    let questions = engine::query::questions();
    let sentence = |name: &str| {
        let found = questions.iter().find(|it| it.name == name);
        found.unwrap().sentence()
    };
    let other = sentence("top-kernels");
    assert!(window.harness.query_by_label(other).is_none());
    // It may be asked all the same.
    let wanted = sentence("stragglers");
    window.harness.get_by_label(wanted).click();
    until(&mut window, |window| answer(window).is_some());
    window.harness.run();
    let sql = answer(&window).unwrap().sql.clone();
    assert!(sql.starts_with(&format!("-- {wanted}")), "{sql}");
}

/// Enter takes the first that fits, and Down leads into the list.
#[test]
fn a_question_is_chosen_by_keys() {
    let questions = engine::query::questions();
    for (keys, place) in [(&[][..], 0), (&[Key::ArrowDown, Key::ArrowDown], 1)] {
        let mut window = window(ThemeChoice::Dark);
        window.harness.get_by_label("Questions").click();
        window.harness.run();
        window.harness.event(Event::Text("busy".to_owned()));
        window.harness.run();
        let fits = |it: &&engine::query::BundledQuestion| {
            window.harness.query_by_label(it.sentence()).is_some()
        };
        let wanted = questions.iter().filter(fits).nth(place).unwrap();
        for key in keys.iter().chain([&Key::Enter]) {
            window.harness.key_press(*key);
            // A question that is being answered is drawn again and again.
            window.harness.run_steps(4);
        }
        until(&mut window, |window| answer(window).is_some());
        assert_eq!(answer(&window).unwrap().sql, wanted.sql.trim_end());
    }
}

#[test]
fn names_of_tables_and_columns_are_written_at_the_caret() {
    let mut window = window(ThemeChoice::Dark);
    write(&mut window, "SELECT * FROM ");
    window.harness.get_by_label("Tables").click();
    window.harness.run();
    window.harness.get_by_label("counters").click();
    window.harness.run();
    assert_eq!(asked(&mut window), "SELECT * FROM counters");
}

#[test]
fn the_guides_are_opened_from_where_nothing_was_asked_yet() {
    let mut window = window(ThemeChoice::Dark);
    let link = "Open the guide SQL, which explains the tables";
    window.harness.get_by_label(link).click();
    window.harness.run();
    let state = &window.harness.state().scene().state;
    assert_eq!(state.window, Some(OverlayWindow::Guides));
}

#[test]
fn the_questions_that_were_asked_are_listed_after_the_next_start() {
    let mut window = window(ThemeChoice::Dark);
    ask(&mut window, "SELECT 1 AS n");
    ask(&mut window, "SELECT 2 AS n");
    let asked = window.harness.state().scene().status.asked.past.clone();
    // What the program writes to its file, and reads from there.
    let kept = window.harness.ctx.memory(|memory| memory.data.clone());
    let kept = serde_json::to_string(&kept).unwrap();
    let mut next = builder(SIZE).build_eframe(move |creation| {
        let kept = serde_json::from_str(&kept).unwrap();
        let context = &creation.egui_ctx;
        context.memory_mut(|memory| memory.data = kept);
        App::new(context, Settings::default(), None).untimed()
    });
    next.run();
    next.state_mut().act(vec![Action::OpenTab("query")], None);
    next.run();
    assert_eq!(next.state().scene().status.asked.past, asked);
    assert_eq!(asked.len(), 2);
    next.get_by_label("History").click();
    next.run();
    next.get_by_label("SELECT 2 AS n");
}
