//! Questions in SQL: an editor, the bundled questions, those that were asked, and the rows of the answer.

mod answer;
mod axes;
mod cells;
mod chart;
mod columns;
mod draw;
mod editor;
mod follow;
mod head;
mod highlight;
mod menus;
mod results;
mod rows;
mod tables;

pub use answer::{
    AnsweredQuestion, AskedQuestions, MOST_ROWS, PAST, PastQuestion, RunningQuestion,
};

use eframe::egui::{
    Align, Button, InputState, Key, Layout, Modifiers, RichText, Spinner, TextEdit, Ui, Vec2,
};
use engine::query::{parameters, with_parameter};

use super::widgets::hint;
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::theme::GRID;
use editor::QuestionEditor;
use head::AnswerView;
use menus::QuestionMenu;

/// What stands in the editor first.
const FIRST: &str = "SELECT name, count(*) AS times,\n       sum(dur) AS total_ns\nFROM spans\nWHERE kind = 'kernel'\nGROUP BY name\nORDER BY total_ns DESC\nLIMIT 20";
/// The part of the tab that is the editor's where it stands beside the answer, and where it stands above that.
const BESIDE: f32 = 0.4;
const ABOVE: f32 = 0.42;
/// In less room than this, in points, the answer stands below the editor.
const NARROW: f32 = 700.0;

/// Questions in SQL, and their answers.
pub struct QueryTab {
    editor: QuestionEditor,
    questions: QuestionMenu,
    view: AnswerView,
    /// What was last written into the field of a value, where it cannot be that.
    wrong: Option<WrongParameter>,
}

/// What a value at the head of a question cannot be.
struct WrongParameter {
    name: String,
    value: String,
    why: String,
}

impl Default for QueryTab {
    fn default() -> Self {
        Self {
            editor: QuestionEditor::new(FIRST),
            questions: QuestionMenu::default(),
            view: AnswerView::default(),
            wrong: None,
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
        if size.x < NARROW {
            let above = Vec2::new(size.x, size.y * ABOVE);
            self.question(ui, scene, (above, actions));
            ui.add_space(GRID);
            return self.answer(ui, scene, actions);
        }
        ui.horizontal_top(|ui| {
            let left = Vec2::new(size.x * BESIDE, size.y);
            self.question(ui, scene, (left, actions));
            ui.add_space(2.0 * GRID);
            ui.vertical(|ui| self.answer(ui, scene, actions));
        });
    }
}

impl QueryTab {
    /// The question, in so much room.
    fn question(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        (size, actions): (Vec2, &mut Vec<Action>),
    ) {
        ui.allocate_ui_with_layout(size, Layout::top_down(Align::Min), |ui| {
            ui.set_min_size(size);
            ui.set_max_size(size);
            self.toolbar(ui, scene, actions);
            self.values(ui, scene, actions);
            let answer = scene.status.asked.answer.as_ref();
            let answer = answer.filter(|it| it.sql == self.editor.sql);
            let error = answer.and_then(|it| it.error.as_ref());
            if self.editor.ui(ui, scene.theme, error) {
                self.ask(scene, actions);
            }
        });
    }

    fn toolbar(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        ui.horizontal_wrapped(|ui| {
            if scene.status.asked.running.is_some() {
                let stop = ui.button("■ Stop").on_hover_text("End the question");
                if stop.clicked() {
                    actions.push(Action::StopAsking);
                }
            } else {
                let is_ready = why_not(scene).is_none() && self.wrong.is_none();
                let ask = ui.add_enabled(is_ready, Button::new("▶ Ask"));
                let ask = ask.on_hover_text("Ctrl+Enter while the cursor is in the question");
                if ask.clicked() {
                    self.ask(scene, actions);
                }
            }
            let chosen = self.questions.ui(ui, scene);
            if let Some(chosen) = chosen.or(menus::past(ui, scene)) {
                self.editor.replace(chosen);
                self.ask(scene, actions);
            }
            if let Some(name) = tables::tables(ui, scene, actions) {
                self.editor.insert(ui.ctx(), name);
            }
        });
        ui.add_space(GRID);
    }

    /// A field for each value at the head of the question. Enter asks, and what a value cannot be is said and not asked.
    fn values(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let all = parameters(&self.editor.sql);
        self.wrong = self.wrong.take().filter(|wrong| {
            let mut names = all.iter().map(|it| &it.name);
            names.any(|it| *it == wrong.name)
        });
        if all.is_empty() {
            return;
        }
        let mut is_asked = false;
        ui.horizontal_wrapped(|ui| {
            for parameter in all {
                ui.label(&parameter.name);
                let wrong = self.wrong.as_ref().filter(|it| it.name == parameter.name);
                let mut value =
                    wrong.map_or_else(|| parameter.value.clone(), |it| it.value.clone());
                let field = TextEdit::singleline(&mut value).desired_width(80.0);
                let field = ui.add(field);
                if field.changed() {
                    self.set(&parameter.name, value);
                }
                is_asked |= field.lost_focus() && ui.input(|it| it.key_pressed(Key::Enter));
                let both = |it: &mut InputState| it.consume_key(Modifiers::COMMAND, Key::Enter);
                is_asked |= field.has_focus() && ui.input_mut(both);
            }
        });
        if let Some(wrong) = &self.wrong {
            ui.label(RichText::new(&wrong.why).color(scene.theme.bad));
        } else if is_asked {
            self.ask(scene, actions);
        }
        ui.add_space(GRID);
    }

    /// Takes what was written into the field of a value.
    fn set(&mut self, name: &str, value: String) {
        self.wrong = match with_parameter(&self.editor.sql, name, &value) {
            Ok(changed) => {
                self.editor.replace(changed);
                None
            }
            Err(why) => Some(WrongParameter {
                name: name.to_owned(),
                value,
                why,
            }),
        };
    }

    fn ask(&self, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        if why_not(scene).is_none() && self.wrong.is_none() {
            actions.push(Action::Ask(self.editor.sql.clone()));
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
            return invitation(ui, scene, actions);
        };
        if let Some(error) = &answer.error {
            ui.add_space(GRID);
            ui.label(RichText::new(error.to_string()).color(scene.theme.bad));
            return;
        }
        self.view.table.show(answer);
        self.view.plot.show(answer);
        if answer.sql != self.editor.sql {
            let words =
                "These rows answer the question before: ask to have those of the one beside";
            hint(ui, scene.theme, words);
        }
        self.view.head(ui, scene, (answer, actions));
        if answer.rows.is_empty() {
            hint(ui, scene.theme, "No rows");
        } else if self.view.plot.is_shown {
            self.view.plot.ui(ui, scene, answer);
        } else {
            self.view.table.ui(ui, scene, answer, actions);
        }
    }
}

/// What stands where nothing was asked yet: why nothing can be, or how to begin.
fn invitation(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    if let Some(reason) = why_not(scene) {
        return hint(ui, scene.theme, reason);
    }
    let words = "Ask the capture in SQL: write a question, or choose one under Questions";
    hint(ui, scene.theme, words);
    if ui
        .link("Open the guide SQL, which explains the tables")
        .clicked()
    {
        actions.push(Action::OpenGuide("sql"));
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
