//! The bundled questions, and those that were asked before.

use std::collections::BTreeSet;

use eframe::egui::containers::menu::{MenuButton, MenuConfig, SubMenuButton, is_in_menu};
use eframe::egui::{
    Align2, Button, Key, Margin, PopupCloseBehavior, Response, RichText, ScrollArea, TextEdit, Ui,
};
use engine::capture::Capture;
use engine::query::{BundledQuestion, is_collective_name, questions as bundled_questions};
use engine::record::{NameId, SpanKind};
use engine::time::Nanos;

use crate::panel::Scene;
use crate::text;
use crate::theme::GRID;

/// How high a list may become, as a part of the window.
const HEIGHT: f32 = 0.7;
/// How wide a list is, in points, where the window is that wide.
pub const WIDTH: f32 = 460.0;
/// Letters of a question that was asked.
const LETTERS: usize = 64;
/// What is written where a list is filtered.
const FILTER: &str = "Filter questions";

/// A button with a menu that stays open while its fields are used; in another menu one that opens beside it.
pub fn menu_with_fields(ui: &mut Ui, title: &str, contents: impl FnOnce(&mut Ui)) -> Response {
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    if is_in_menu(ui) {
        let button = SubMenuButton::new(title).config(config);
        button.ui(ui, contents).0
    } else {
        MenuButton::new(title).config(config).ui(ui, contents).0
    }
}

/// A field for a line of text as wide as the menu, which makes no room for itself as it does elsewhere.
pub fn field_in_menu(text: &mut String) -> TextEdit<'_> {
    TextEdit::singleline(text)
        .desired_width(f32::INFINITY)
        .margin(Margin::symmetric(6, 4))
        .align(Align2::LEFT_CENTER)
}

/// How high a list of a menu may become, in points.
pub fn list_height(ui: &Ui) -> f32 {
    ui.ctx().content_rect().height() * HEIGHT
}

/// The menu of the bundled questions.
#[derive(Default)]
pub struct QuestionMenu {
    filter: String,
    /// Tables without rows in a capture, and which capture that was at which of its changes.
    empty: ((u64, u64), BTreeSet<&'static str>),
}

impl QuestionMenu {
    /// Shows it; answers with the text of the question that was chosen.
    pub fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>) -> Option<String> {
        let mut chosen = None;
        let button = menu_with_fields(ui, "Questions", |ui| {
            ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 8.0 * GRID));
            self.look_at(scene);
            let field = field_in_menu(&mut self.filter).hint_text(FILTER);
            let field = ui.add(field);
            let key = |key| ui.input(|it| it.key_pressed(key));
            let is_next = field.has_focus() && key(Key::ArrowDown);
            let is_taken = field.lost_focus() && key(Key::Enter);
            // Whoever opens it can type at once.
            if ui.memory(|memory| memory.focused().is_none()) {
                field.request_focus();
            }
            ui.add_space(GRID);
            let area = ScrollArea::vertical().max_height(list_height(ui));
            area.auto_shrink([false, true])
                .show(ui, |ui| chosen = self.list(ui, scene, is_next));
            if is_taken && !self.filter.is_empty() {
                chosen = chosen.take().or(self.first());
            }
            if chosen.is_some() {
                ui.close();
            }
        });
        button.on_hover_text("Questions that come with Syncline");
        chosen
    }

    /// The questions that fit.
    fn fitting(&self) -> impl Iterator<Item = &'static BundledQuestion> {
        let wanted = self.filter.to_lowercase();
        bundled_questions()
            .iter()
            .filter(move |it| matches(it, &wanted))
    }

    /// The text of the first question that fits.
    fn first(&self) -> Option<String> {
        let first = self.fitting().next();
        first.map(|it| it.sql.trim_end().to_owned())
    }

    /// Shows the questions that fit; `is_next` puts the focus on the first.
    fn list(&self, ui: &mut Ui, scene: &Scene<'_>, is_next: bool) -> Option<String> {
        let mut chosen = None;
        let mut is_empty = true;
        for question in self.fitting() {
            let entry = self.entry(ui, scene, question);
            if is_next && is_empty {
                entry.request_focus();
            }
            is_empty = false;
            if entry.clicked() {
                chosen = Some(question.sql.trim_end().to_owned());
            }
        }
        if is_empty {
            ui.label(RichText::new("No question has these words").color(scene.theme.weak));
        }
        chosen
    }

    /// Shows a question, dimmed with the reason where the capture has no answer to it.
    fn entry(&self, ui: &mut Ui, scene: &Scene<'_>, question: &BundledQuestion) -> Response {
        let needs = question.needs().into_iter();
        let missing: Vec<&str> = needs.filter(|it| self.empty.1.contains(it)).collect();
        let mut words = RichText::new(question.sentence());
        if !missing.is_empty() {
            words = words.color(scene.theme.weak);
        }
        let entry = ui.add(Button::new(words).wrap().frame_when_inactive(false));
        if !missing.is_empty() {
            let reason = format!(
                "no rows: the capture has nothing in {}",
                missing.join(" and ")
            );
            ui.label(RichText::new(reason).small().color(scene.theme.weak));
        }
        let columns = question.columns().join(", ");
        entry.on_hover_text(format!("{}: answers with {columns}", question.name))
    }

    /// Finds out which tables are empty, once for each state of a capture.
    fn look_at(&mut self, scene: &Scene<'_>) {
        let capture = scene.capture;
        let state = (capture.instance(), capture.revision());
        if self.empty.0 == state && !self.empty.1.is_empty() {
            return;
        }
        self.empty = (state, empty_tables(scene, capture));
    }
}

/// Whether a question has all of these words, in lower case, in its name, its sentence or its columns.
fn matches(question: &BundledQuestion, wanted: &str) -> bool {
    let columns = question.columns().join(" ");
    let text = format!("{} {} {columns}", question.name, question.sentence());
    let text = text.to_lowercase();
    wanted.split_whitespace().all(|it| text.contains(it))
}

/// The tables of which it is certain that they have no rows.
fn empty_tables(scene: &Scene<'_>, capture: &Capture) -> BTreeSet<&'static str> {
    let conclusions = scene.status.why.conclusions.as_ref();
    let is_without_spans = capture.span_count() == 0;
    let has_steps = conclusions.is_none_or(|it| !it.iterations.rows.is_empty());
    let all = [
        ("spans", is_without_spans),
        ("gaps", is_without_spans),
        ("waits", is_without_spans),
        ("critical_path", is_without_spans),
        ("lane_overlap", is_without_spans),
        ("findings", is_without_spans),
        ("lanes", capture.lanes().is_empty()),
        ("counters", capture.counters().is_empty()),
        ("dependencies", capture.dependency_count() == 0),
        ("steps", is_without_spans || !has_steps),
        ("collectives", !may_have_collectives(capture)),
    ];
    let empty = all.into_iter().filter(|(_, is_empty)| *is_empty);
    empty.map(|(table, _)| table).collect()
}

/// Whether there may be collective operations: spans of that kind, or names that libraries give them.
fn may_have_collectives(capture: &Capture) -> bool {
    let mut names = (0..capture.name_count() as u32).map(NameId);
    let mut spans = capture.spans();
    names.any(|it| is_collective_name(capture.name(it)))
        || spans.any(|it| it.span.kind == SpanKind::Collective)
}

/// The questions that were asked; answers with the text of the one that was chosen.
pub fn past(ui: &mut Ui, scene: &Scene<'_>) -> Option<String> {
    let mut chosen = None;
    ui.menu_button("History", |ui| {
        ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 8.0 * GRID));
        let past = &scene.status.asked.past;
        if past.is_empty() {
            ui.label(RichText::new("Nothing was asked yet").color(scene.theme.weak));
        }
        let area = ScrollArea::vertical().max_height(list_height(ui));
        area.show(ui, |ui| {
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
