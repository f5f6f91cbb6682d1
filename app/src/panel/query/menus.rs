//! The bundled questions, and those that were asked before.

use eframe::egui::{Button, RichText, ScrollArea, Ui};
use engine::query::questions as bundled_questions;
use engine::time::Nanos;

use crate::panel::Scene;
use crate::text;

/// How high a list may become, and how wide it is.
const HEIGHT: f32 = 420.0;
const WIDTH: f32 = 460.0;
/// Letters of a question that was asked.
const LETTERS: usize = 64;

/// The bundled questions; answers with the text of the one that was chosen.
pub fn questions(ui: &mut Ui, scene: &Scene<'_>) -> Option<String> {
    let mut chosen = None;
    ui.menu_button("Questions", |ui| {
        ui.set_width(WIDTH);
        ScrollArea::vertical().max_height(HEIGHT).show(ui, |ui| {
            for question in bundled_questions() {
                let entry = ui.add(Button::new(question.sentence()).wrap().frame(false));
                let needs = format!("{} · needs {}", question.name, question.needs().join(", "));
                ui.label(RichText::new(&needs).small().color(scene.theme.weak));
                let columns = question.columns().join(", ");
                if entry
                    .on_hover_text(format!("Answers with {columns}"))
                    .clicked()
                {
                    chosen = Some(question.sql.trim_end().to_owned());
                    ui.close();
                }
            }
        });
    });
    chosen
}

/// The questions that were asked; answers with the text of the one that was chosen.
pub fn past(ui: &mut Ui, scene: &Scene<'_>) -> Option<String> {
    let mut chosen = None;
    ui.menu_button("History", |ui| {
        ui.set_width(WIDTH);
        let past = &scene.status.asked.past;
        if past.is_empty() {
            ui.label(RichText::new("Nothing was asked yet").color(scene.theme.weak));
        }
        ScrollArea::vertical().max_height(HEIGHT).show(ui, |ui| {
            for question in past {
                let line = one_line(&question.sql);
                let entry = Button::new(text::shorten(&line, LETTERS)).frame(false);
                let entry = ui.add(entry).on_hover_text(&question.sql);
                let rows = match question.rows {
                    Some(rows) => text::counted(rows, "row"),
                    None => "no answer".to_owned(),
                };
                let time = if question.time.is_zero() {
                    String::new()
                } else {
                    let time = Nanos::from_duration(question.time);
                    format!(", {}", text::duration(time))
                };
                let words = RichText::new(format!("{rows}{time}"));
                ui.label(words.small().color(scene.theme.weak));
                if entry.clicked() {
                    chosen = Some(question.sql.clone());
                    ui.close();
                }
            }
        });
    });
    chosen
}

/// A question in one line: its sentence where it has one, else its words.
fn one_line(sql: &str) -> String {
    let first = sql.lines().next().unwrap_or_default();
    match first.strip_prefix("--") {
        Some(sentence) => sentence.trim().to_owned(),
        None => sql.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}
