//! Questions in SQL: an editor, the bundled questions, those that were asked, and the rows of the answer.

mod answer;
mod chart;
mod draw;
mod editor;
mod menus;
mod results;

pub use answer::{
    AnsweredQuestion, AskedQuestions, MOST_ROWS, PAST, PastQuestion, RunningQuestion,
};

use std::sync::Arc;

use eframe::egui::{
    Button, Key, Layout, Modifiers, RichText, ScrollArea, Spinner, TextEdit, Ui, Vec2,
};
use engine::query::{parameters, with_parameter};

use super::widgets::hint;
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::text;
use crate::theme::GRID;
use draw::DrawMenu;
use results::AnswerTable;

/// What stands in the editor first.
const FIRST: &str = "SELECT name, count(*) AS times,\n       sum(dur) AS total_ns\nFROM spans\nWHERE kind = 'kernel'\nGROUP BY name\nORDER BY total_ns DESC\nLIMIT 20";
/// The part of the tab that is the editor's.
const EDITOR: f32 = 0.4;

/// Questions in SQL, and their answers.
pub struct QueryTab {
    sql: String,
    table: AnswerTable,
    draw: DrawMenu,
    /// Whether the answer is drawn as a plot.
    is_plot: bool,
}

impl Default for QueryTab {
    fn default() -> Self {
        Self {
            sql: FIRST.to_owned(),
            table: AnswerTable::default(),
            draw: DrawMenu::default(),
            is_plot: false,
        }
    }
}

impl Panel for QueryTab {
    fn id(&self) -> &'static str {
        "query"
    }

    fn title(&self) -> &'static str {
        "Query"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let size = ui.available_size();
        let left = Vec2::new((size.x * EDITOR).max(240.0), size.y);
        ui.horizontal_top(|ui| {
            ui.allocate_ui_with_layout(left, Layout::top_down(eframe::egui::Align::Min), |ui| {
                ui.set_min_size(left);
                self.toolbar(ui, scene, actions);
                self.values(ui);
                ScrollArea::both()
                    .id_salt("question")
                    .auto_shrink(false)
                    .show(ui, |ui| {
                        let error = scene.status.asked.answer.as_ref();
                        let error = error.filter(|it| it.sql == self.sql);
                        let error = error.and_then(|it| it.error.as_ref());
                        if editor::editor(ui, scene.theme, &mut self.sql, error) {
                            self.ask(scene, actions);
                        }
                    });
            });
            ui.add_space(2.0 * GRID);
            ui.vertical(|ui| self.answer(ui, scene, actions));
        });
    }
}

impl QueryTab {
    fn toolbar(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        ui.horizontal(|ui| {
            if scene.status.asked.running.is_some() {
                let stop = ui.button("■ Stop").on_hover_text("End the question");
                if stop.clicked() {
                    actions.push(Action::StopAsking);
                }
            } else {
                let is_ready = why_not(scene).is_none();
                let ask = ui.add_enabled(is_ready, Button::new("▶ Ask"));
                let ask = ask.on_hover_text("Ctrl+Enter while the cursor is in the question");
                if ask.clicked() {
                    self.ask(scene, actions);
                }
            }
            let chosen = menus::questions(ui, scene).or_else(|| menus::past(ui, scene));
            if let Some(chosen) = chosen {
                self.sql = chosen;
                self.ask(scene, actions);
            }
        });
        ui.add_space(GRID);
    }

    /// A field for each value at the head of the question.
    fn values(&mut self, ui: &mut Ui) {
        let all = parameters(&self.sql);
        if all.is_empty() {
            return;
        }
        ui.horizontal_wrapped(|ui| {
            for parameter in all {
                ui.label(&parameter.name);
                let mut value = parameter.value.clone();
                let field = TextEdit::singleline(&mut value).desired_width(80.0);
                let field = ui.add(field);
                let changed = with_parameter(&self.sql, &parameter.name, &value);
                if let (true, Ok(changed)) = (field.changed(), changed) {
                    self.sql = changed;
                }
            }
        });
        ui.add_space(GRID);
    }

    fn ask(&mut self, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        if why_not(scene).is_none() {
            actions.push(Action::Ask(self.sql.clone()));
        }
    }

    fn answer(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let asked = &scene.status.asked;
        if let Some(running) = &asked.running {
            ui.horizontal(|ui| {
                ui.add(Spinner::new().size(12.0));
                ui.label(running.words());
            });
            return;
        }
        let Some(answer) = &asked.answer else {
            let words = why_not(scene).unwrap_or(
                "Ask the capture in SQL: write a question, or choose one under Questions. The guide SQL explains the tables",
            );
            return hint(ui, scene.theme, words);
        };
        if let Some(error) = &answer.error {
            ui.add_space(GRID);
            ui.label(RichText::new(error.to_string()).color(scene.theme.bad));
            return;
        }
        self.table.show(answer);
        self.head(ui, scene, (answer, actions));
        if answer.rows.is_empty() {
            hint(ui, scene.theme, "No rows");
        } else if self.is_plot {
            chart::plot(ui, scene, answer);
        } else {
            self.table.ui(ui, scene, answer, actions);
        }
    }

    /// How many rows there are, and what can be done with them.
    fn head(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        (answer, actions): (&Arc<AnsweredQuestion>, &mut Vec<Action>),
    ) {
        ui.horizontal_wrapped(|ui| {
            ui.label(text::counted(answer.rows.len() as u64, "row"));
            if !answer.time.is_zero() {
                let time = text::duration(engine::time::Nanos::from_duration(answer.time));
                ui.label(RichText::new(time).color(scene.theme.weak));
            }
            if let Some(cut) = answer.cut_words() {
                ui.label(RichText::new(cut).color(scene.theme.warning));
            }
            if answer.rows.is_empty() {
                return;
            }
            if ui
                .button("Copy")
                .on_hover_text("Copy all rows, with tabs between their values")
                .clicked()
            {
                actions.push(Action::Copy(self.table.tabbed(answer)));
            }
            if ui
                .button("Copy CSV")
                .on_hover_text("Copy all rows as comma-separated values")
                .clicked()
            {
                actions.push(Action::Copy(self.table.csv(answer)));
            }
            self.draw.ui(ui, answer, actions);
            if chart::can_plot(answer) {
                let help = "Draw the numbers over the first column of numbers, or over the rows";
                ui.toggle_value(&mut self.is_plot, "Plot")
                    .on_hover_text(help);
            } else {
                self.is_plot = false;
            }
        });
        ui.add_space(GRID);
    }
}

/// Why nothing can be asked now.
fn why_not(scene: &Scene<'_>) -> Option<&'static str> {
    if scene.status.grows() {
        Some("The capture grows; it can be asked once the run is over or pauses")
    } else {
        None
    }
}

/// Whether Ctrl+Enter was pressed, which is taken from the editor.
fn is_asked_by_key(ui: &Ui) -> bool {
    ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Enter))
}
