//! What stands above an answer: how many rows there are, and what can be done with them.

use eframe::egui::{Label, RichText, Ui};
use engine::time::Nanos;

use super::answer::AnsweredQuestion;
use super::chart::AnswerPlot;
use super::draw::DrawMenu;
use super::menus::menu_with_fields;
use super::results::AnswerTable;
use crate::action::Action;
use crate::panel::Scene;
use crate::text;
use crate::theme::GRID;

/// In less room than this, in points, what is used less is in a menu of its own.
const NARROW: f32 = 410.0;

/// What is shown of an answer, which the buttons above it turn to.
#[derive(Default)]
pub struct AnswerView {
    /// Its rows.
    pub table: AnswerTable,
    /// Its numbers.
    pub plot: AnswerPlot,
    draw: DrawMenu,
}

impl AnswerView {
    /// How many rows there are, and what can be done with them.
    pub fn head(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        (answer, actions): (&AnsweredQuestion, &mut Vec<Action>),
    ) {
        let is_narrow = ui.available_width() < NARROW;
        if is_narrow {
            ui.horizontal(|ui| {
                if !answer.rows.is_empty() {
                    menu_with_fields(ui, "More", |ui| {
                        self.copies(ui, (answer, actions));
                        self.pictures(ui, scene, (answer, actions));
                    });
                }
                counts(ui, scene, answer);
            });
        } else {
            ui.horizontal_wrapped(|ui| {
                counts(ui, scene, answer);
                if !answer.rows.is_empty() {
                    self.copies(ui, (answer, actions));
                    self.pictures(ui, scene, (answer, actions));
                }
            });
        }
        ui.add_space(GRID);
    }

    fn copies(&self, ui: &mut Ui, (answer, actions): (&AnsweredQuestion, &mut Vec<Action>)) {
        let copy = ui.button("Copy");
        let copy = copy.on_hover_text("Copy all rows, with tabs between their values");
        if copy.clicked() {
            actions.push(Action::Copy(self.table.tabbed(answer)));
            ui.close();
        }
        let csv = ui.button("Copy CSV");
        let csv = csv.on_hover_text("Copy all rows as comma-separated values");
        if csv.clicked() {
            actions.push(Action::Copy(self.table.csv(answer)));
            ui.close();
        }
    }

    fn pictures(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        (answer, actions): (&AnsweredQuestion, &mut Vec<Action>),
    ) {
        let drawn = &scene.state.drawn;
        self.draw.ui(ui, (answer, drawn), actions);
        if !self.plot.is_possible(answer) {
            self.plot.is_shown = false;
            return;
        }
        let help = "Draw columns of numbers over another one, or over the rows";
        let plot = ui.toggle_value(&mut self.plot.is_shown, "Plot");
        if plot.on_hover_text(help).clicked() {
            ui.close();
        }
    }
}

/// How many rows there are, how long it took, and what was cut off.
fn counts(ui: &mut Ui, scene: &Scene<'_>, answer: &AnsweredQuestion) {
    ui.label(text::counted(answer.rows.len() as u64, "row"));
    if !answer.time.is_zero() {
        let time = text::duration(Nanos::from_duration(answer.time));
        ui.label(RichText::new(time).color(scene.theme.weak));
    }
    if let Some(cut) = answer.cut_words() {
        let words = RichText::new(&cut).color(scene.theme.warning);
        ui.add(Label::new(words).truncate()).on_hover_text(cut);
    }
}
