//! The chosen workload's text as an editor, its errors at their lines.

mod highlight;

pub use highlight::highlight;

use std::sync::Arc;

use eframe::egui::{
    Align2, EventFilter, FontId, Frame, Galley, Id, Key, Margin, Modifiers, Pos2, RichText,
    ScrollArea, TextBuffer, TextEdit, Ui, text_edit::TextEditOutput,
};

use engine::workload::complete;

use super::completion::{CompletionList, OfferedWord};
use super::widgets::{hint, link};
use super::{Panel, PanelPosition, Scene};
use crate::action::{Action, Command};
use crate::state::text_name;
use crate::theme::{GRID, MONO, SMALL};

/// How much of the text a shade hides.
const SHADE: f32 = 0.55;

/// The chosen workload's text as an editor.
#[derive(Default)]
pub struct SourcePanel {
    /// The text being edited; kept from frame to frame so that typing copies it only when it changed.
    text: String,
    list: CompletionList,
}

impl Panel for SourcePanel {
    fn id(&self) -> &'static str {
        "source"
    }

    fn title(&self) -> &'static str {
        "Source"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn count(&self, scene: &Scene<'_>) -> Option<usize> {
        let errors = scene.status.checked.errors.len();
        (errors > 0).then_some(errors)
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let Some(text) = scene.workload() else {
            hint(
                ui,
                scene.theme,
                "Choose a workload on the left to read and edit its text",
            );
            return;
        };
        if self.text != text.source {
            self.text.clone_from(&text.source);
        }
        toolbar(ui, scene, actions);
        let scroll = ScrollArea::both()
            .id_salt(("source", &text.name))
            .auto_shrink(false);
        scroll.show(ui, |ui| self.editor(ui, scene, actions));
    }
}

fn toolbar(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let Some(text) = scene.workload() else {
        return;
    };
    ui.horizontal(|ui| {
        let errors = &scene.status.checked.errors;
        ui.label(RichText::new(format!("{}.kdl", text.name.trim_end_matches(".kdl"))).strong());
        if text.is_dirty() {
            ui.label(RichText::new("• edited").color(scene.theme.warning));
        }
        if ui
            .add_enabled(
                errors.is_empty(),
                eframe::egui::Button::new("▶ Run this text"),
            )
            .clicked()
        {
            actions.push(Command::Rerun.into());
        }
        if ui
            .button("Save")
            .on_hover_text("Ctrl+S while the cursor is in the text")
            .clicked()
        {
            actions.push(Command::SaveText.into());
        }
        if text.is_dirty()
            && ui
                .button("Revert")
                .on_hover_text("Back to the text as it was saved")
                .clicked()
        {
            actions.push(Action::Edit(text.saved.clone()));
        }
        if let Some(error) = errors.first() {
            let more = if errors.len() > 1 {
                format!(" (and {} more)", errors.len() - 1)
            } else {
                String::new()
            };
            let words = format!("× line {}: {}{more}", error.line, error.message);
            let response = link(ui, &words, scene.theme.bad).on_hover_text(error.to_string());
            if response.clicked() {
                actions.push(Action::Copy(error.to_string()));
            }
        }
    });
    ui.add_space(GRID);
}

impl SourcePanel {
    fn editor(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let theme = scene.theme;
        let errors = &scene.status.checked.errors;
        let mut layouter = |ui: &Ui, text: &dyn TextBuffer, _wrap: f32| -> Arc<Galley> {
            ui.fonts_mut(|fonts| fonts.layout_job(highlight(theme, text.as_str(), errors)))
        };
        let id = Id::unique("source editor");
        // Taken from the editor, which would begin a line.
        let goes_on = ui.memory(|memory| memory.has_focus(id))
            && ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Enter));
        let gutter = 44;
        let keys = self.list.take_keys(ui);
        let output = TextEdit::multiline(&mut self.text)
            .id(id)
            .code_editor()
            // With the list open, Escape closes that and leaves the caret where it is.
            .event_filter(EventFilter {
                tab: true,
                horizontal_arrows: true,
                vertical_arrows: true,
                escape: self.list.is_open(),
            })
            .frame(Frame::new().fill(theme.well).inner_margin(Margin {
                left: gutter,
                right: 8,
                top: 6,
                bottom: 6,
            }))
            .desired_width(f32::INFINITY)
            .desired_rows(8)
            .layouter(&mut layouter)
            .show(ui);
        ui.ctx()
            .accesskit_node_builder(id, |node| node.set_label("Workload text"));
        locked(ui, scene, &output);
        margin(ui, scene, &output);
        let editor = (id, &mut self.text);
        let is_taken = self.list.attend(ui, editor, (&output, keys), offered);
        if output.response.changed() || is_taken {
            actions.push(Action::Edit(self.text.clone()));
        }
        let saves = |input: &eframe::egui::InputState| {
            input.modifiers.command && !input.modifiers.shift && input.key_pressed(Key::S)
        };
        if output.response.has_focus() && ui.input(saves) {
            actions.push(Command::SaveText.into());
        }
        if goes_on {
            actions.push(Command::LessonStep.into());
        }
    }
}

/// The words that may stand at a byte of the text, and where what they complete begins.
fn offered(text: &str, at: usize) -> (usize, Vec<OfferedWord>) {
    let (start, words) = complete(text, at);
    let words = words.into_iter().map(|it| OfferedWord {
        text: it.text,
        about: it.about,
    });
    (start, words.collect())
}

/// A shade over the lines that a lesson keeps as they are.
fn locked(ui: &Ui, scene: &Scene<'_>, output: &TextEditOutput) {
    let (Some(taken), Some(text)) = (&scene.state.lesson, scene.workload()) else {
        return;
    };
    let lesson = taken.lesson().filter(|_| text.name == text_name(&taken.id));
    let Some(lesson) = lesson else { return };
    let locked = lesson.locked_lines(&text.source);
    let clip = ui.clip_rect();
    let shade = scene.theme.panel.gamma_multiply(SHADE);
    let mut line = 1;
    for row in &output.galley.rows {
        let rect = row.rect().translate(output.galley_pos.to_vec2());
        if locked.contains(&line) && rect.bottom() >= clip.top() && rect.top() <= clip.bottom() {
            let shaded = rect.with_min_x(output.response.rect.left());
            let shaded = shaded.with_max_x(output.response.rect.right());
            ui.painter().rect_filled(shaded, 0, shade);
        }
        line += usize::from(row.ends_with_newline);
    }
}

/// Line numbers left of the text, and the message of each error right of its line.
fn margin(ui: &Ui, scene: &Scene<'_>, output: &TextEditOutput) {
    let theme = scene.theme;
    let painter = ui.painter();
    let clip = ui.clip_rect();
    let mut line = 0;
    let mut begins = true;
    for row in &output.galley.rows {
        if begins {
            line += 1;
        }
        let rect = row.rect().translate(output.galley_pos.to_vec2());
        if rect.bottom() >= clip.top() && rect.top() <= clip.bottom() {
            let mut errors = scene.status.checked.errors.iter();
            let error = errors.find(|error| error.line == line);
            if begins {
                let colour = if error.is_some() {
                    theme.bad
                } else {
                    theme.weak
                };
                let place = Pos2::new(output.galley_pos.x - 12.0, rect.center().y);
                painter.text(
                    place,
                    Align2::RIGHT_CENTER,
                    line,
                    FontId::monospace(MONO),
                    colour,
                );
            }
            if let (Some(error), true) = (error, row.ends_with_newline || begins) {
                let place = Pos2::new(rect.right() + 6.0 * GRID, rect.center().y);
                let words = if error.help.is_empty() {
                    format!("× {}", error.message)
                } else {
                    format!("× {} — {}", error.message, error.help)
                };
                painter.text(
                    place,
                    Align2::LEFT_CENTER,
                    words,
                    FontId::proportional(SMALL + 1.0),
                    theme.bad,
                );
            }
        }
        begins = row.ends_with_newline;
    }
}
