//! The window that asks what becomes of texts that were edited and not saved.

use eframe::egui::{Button, RichText, Ui};

use super::widgets::hint;
use super::{Panel, PanelPosition, Scene};
use crate::action::{Action, Command};
use crate::state::{OverlayWindow, UnsavedRisk, WorkloadText};
use crate::theme::GRID;

/// The window that asks what becomes of texts that were edited and not saved.
pub struct UnsavedDialog;

impl Panel for UnsavedDialog {
    fn id(&self) -> &'static str {
        "unsaved"
    }

    fn title(&self) -> &'static str {
        "Unsaved changes"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Window(OverlayWindow::Unsaved)
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let theme = scene.theme;
        let documents = &scene.state.documents;
        let Some(risk) = &scene.state.unsaved else {
            return hint(ui, theme, "No text that was not saved is at risk now.");
        };
        let (head, go_on, stay) = match risk {
            UnsavedRisk::Closing => (
                "These workloads were edited and not saved. Closing the window loses the changes.",
                "Close without saving",
                "Keep editing",
            ),
            UnsavedRisk::Replacing(_) => (
                "This workload was edited here and not saved. Reading its file again loses the changes.",
                "Read the file",
                "Keep the edited text",
            ),
        };
        ui.label(head);
        ui.add_space(GRID);
        let of_risk = |text: &WorkloadText| match risk {
            UnsavedRisk::Closing => true,
            UnsavedRisk::Replacing(read) => read.name == text.name && read.path == text.path,
        };
        let mut left = 0;
        for (at, text) in documents.unsaved().filter(|(_, text)| of_risk(text)) {
            left += 1;
            ui.horizontal(|ui| {
                ui.label(RichText::new(&text.title).strong());
                let words = match &text.path {
                    Some(path) => format!("Save to {}", path.display()),
                    None => "Save as…".to_owned(),
                };
                if ui.button(words).clicked() {
                    actions.extend([Action::Choose(at), Command::SaveText.into()]);
                }
            });
        }
        if left == 0 {
            ui.label(RichText::new("All of it is saved now.").color(theme.good));
        }
        ui.add_space(2.0 * GRID);
        ui.horizontal(|ui| {
            let go_on = if left == 0 { "Go on" } else { go_on };
            if ui.add(Button::new(stay)).clicked() {
                actions.push(Command::Clear.into());
            }
            let words = if left == 0 {
                RichText::new(go_on)
            } else {
                RichText::new(go_on).color(theme.bad)
            };
            if ui.add(Button::new(words)).clicked() {
                actions.push(Action::DiscardUnsaved);
            }
        });
    }
}
