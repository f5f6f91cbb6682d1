//! The window that asks whether the files of a link are opened.

use eframe::egui::{Button, RichText, ScrollArea, Ui};

use super::widgets::{card, hint};
use super::{Panel, PanelPosition, Scene};
use crate::action::{Action, Command};
use crate::state::OverlayWindow;
use crate::text;
use crate::theme::GRID;

/// The window that asks whether the files of a link are opened.
pub struct LinkDialog;

/// Height of the list of files at most, in points.
const LIST: f32 = 160.0;

/// What there is to decide.
const ABOUT: &str = "A link can come from anywhere, and these files were not opened here before. Opening a file reads it and \
    nothing else.";

impl Panel for LinkDialog {
    fn id(&self) -> &'static str {
        "link"
    }

    fn title(&self) -> &'static str {
        "Open what a link names?"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Window(OverlayWindow::Link)
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let theme = scene.theme;
        let Some(link) = &scene.state.link else {
            return hint(ui, theme, "No link waits to be opened now.");
        };
        card(ui, theme.hovered, |ui| {
            ui.set_width(ui.available_width());
            let list = ScrollArea::vertical().max_height(LIST);
            list.show(ui, |ui| {
                for file in &link.files {
                    let path = file.display().to_string();
                    // A name of two lines would look like two files.
                    let path = path.replace(char::is_control, "\u{fffd}");
                    ui.label(RichText::new(text::shown(&path)).monospace());
                }
            });
        });
        ui.add_space(GRID);
        ui.label(RichText::new(ABOUT).color(theme.weak));
        ui.add_space(2.0 * GRID);
        ui.horizontal(|ui| {
            if ui.add(Button::new("Open")).clicked() {
                actions.push(Action::AllowLink);
            }
            if ui.add(Button::new("Do not open")).clicked() {
                actions.push(Command::Clear.into());
            }
        });
    }
}
