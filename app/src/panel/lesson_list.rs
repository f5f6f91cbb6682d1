//! The list of lessons on the left, above the workloads: chapters that fold, and which lessons were passed.

use std::collections::BTreeSet;

use eframe::egui::{CollapsingHeader, Label, RichText, Ui};
use engine::lesson::Lesson;

use super::Scene;
use super::workloads::{Badge, heading, row};
use crate::action::{Action, LessonAction};
use crate::state::course;
use crate::theme::{GRID, SMALL};

/// Shows the list of lessons.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let Some(course) = course() else { return };
    let passed = &scene.state.settings.passed_lessons;
    let count = |lessons: &mut dyn Iterator<Item = &Lesson>| {
        lessons.filter(|it| passed.contains(&it.id)).count()
    };
    let all = course.lessons.len();
    let done = count(&mut course.lessons.iter());
    let title = if done > 0 {
        let words = scene.tr("Lessons · {done} of {all} passed");
        words.replace("{done}", &done.to_string())
    } else {
        scene.tr("Lessons · {all}").to_owned()
    };
    let title = title.replace("{all}", &all.to_string());
    let header = heading(scene, "lessons", &title, false);
    let shown = header.show_unindented(ui, |ui| {
        for chapter in &course.chapters {
            let of_it = || course.lessons.iter().filter(|it| it.chapter == chapter.id);
            let members = of_it().count();
            let name = scene.said(&chapter.title);
            let words = format!("{name} · {}/{members}", count(&mut of_it()));
            let words = RichText::new(words).size(SMALL).color(scene.theme.weak);
            let header = CollapsingHeader::new(words).id_salt(&chapter.id);
            // Where one left off is open.
            let next = next(&course.lessons, passed);
            let is_open = next.is_some_and(|it| it.chapter == chapter.id);
            header.default_open(is_open).show_unindented(ui, |ui| {
                for lesson in of_it() {
                    entry(ui, scene, lesson, actions);
                }
            });
        }
        progress(ui, scene, done, actions);
    });
    if shown.fully_closed()
        && let Some(lesson) = taken(scene).or_else(|| next(&course.lessons, passed))
    {
        entry(ui, scene, lesson, actions);
    }
    ui.add_space(GRID);
}

/// The lesson that is taken.
fn taken(scene: &Scene<'_>) -> Option<&'static Lesson> {
    scene.state.lesson.as_ref()?.lesson()
}

/// The first lesson that was not passed.
fn next<'a>(lessons: &'a [Lesson], passed: &BTreeSet<String>) -> Option<&'a Lesson> {
    lessons.iter().find(|it| !passed.contains(&it.id))
}

fn entry(ui: &mut Ui, scene: &Scene<'_>, lesson: &Lesson, actions: &mut Vec<Action>) {
    let is_taken = taken(scene).is_some_and(|it| it.id == lesson.id);
    let is_passed = scene.state.settings.passed_lessons.contains(&lesson.id);
    let badge: Badge = if is_passed {
        (scene.tr("passed").to_owned(), scene.theme.good)
    } else {
        let words = scene.tr("{minutes} min");
        let words = words.replace("{minutes}", &lesson.minutes.to_string());
        (words, scene.theme.weak)
    };
    let title = format!("{} {}", lesson.order, scene.said(&lesson.title));
    let response = row(ui, scene, &title, (is_taken, false), Some(&badge));
    let response = response.on_hover_text(scene.said(&lesson.goal));
    if response.clicked() {
        let take = LessonAction::Take(lesson.id.clone());
        actions.push(Action::Lesson(take));
    }
}

/// A way to begin from the beginning, and back.
fn progress(ui: &mut Ui, scene: &Scene<'_>, done: usize, actions: &mut Vec<Action>) {
    let forgotten = scene.state.forgotten_lessons.len();
    ui.horizontal(|ui| {
        ui.add_space(5.0 * GRID);
        let button = |ui: &mut Ui, words: &str| {
            let words = RichText::new(words).size(SMALL).color(scene.theme.weak);
            ui.button(words).clicked()
        };
        if done > 0 && button(ui, scene.tr("Reset progress")) {
            actions.push(Action::Lesson(LessonAction::Reset));
        }
        if forgotten > 0 {
            let words = scene.tr("{count} forgotten");
            let words = words.replace("{count}", &forgotten.to_string());
            let words = RichText::new(words).size(SMALL);
            ui.add(Label::new(words.color(scene.theme.weak)));
            if button(ui, scene.tr("Undo")) {
                actions.push(Action::Lesson(LessonAction::UndoReset));
            }
        }
    });
}
