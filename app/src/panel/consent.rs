//! The window that asks whether a workload may connect to the machines that its text names.

use eframe::egui::{Button, RichText, Ui};

use super::widgets::{card, hint, section};
use super::{Panel, PanelPosition, Scene};
use crate::action::{Action, Command};
use crate::state::OverlayWindow;
use crate::theme::GRID;

/// The window that asks whether a workload may connect to the machines that its text names.
pub struct ConsentDialog;

/// What there is to decide.
const ABOUT: &str = "A file does not decide by itself where to connect. The commands above are what would be run; each \
    machine that is connected to gets the workload, and sends back what ran. Allow it if you know the machines and want \
    them to run this.";

impl Panel for ConsentDialog {
    fn id(&self) -> &'static str {
        "consent"
    }

    fn title(&self) -> &'static str {
        "Connect to other machines?"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Window(OverlayWindow::Consent)
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let theme = scene.theme;
        let Some(consent) = &scene.state.consent else {
            return hint(
                ui,
                theme,
                "No workload wants to connect to another machine now.",
            );
        };
        section(ui, theme, &consent.workload);
        for machine in &consent.machines {
            card(ui, theme.hovered, |ui| {
                ui.set_width(ui.available_width());
                let (name, line) = (&machine.name, machine.line);
                ui.label(format!("line {line}: the machine “{name}” is"));
                ui.label(RichText::new(&machine.address).monospace().strong());
                ui.label(
                    RichText::new(&machine.command)
                        .monospace()
                        .color(theme.weak),
                );
            });
            ui.add_space(GRID);
        }
        ui.label(RichText::new(ABOUT).color(theme.weak));
        let kept = match &consent.file {
            Some(file) => format!(
                "Allowed for {} from now on; other addresses in it are asked for again.",
                file.display()
            ),
            None => "It is in no file: you are asked each time.".to_owned(),
        };
        ui.label(RichText::new(kept).color(theme.weak));
        ui.add_space(2.0 * GRID);
        ui.horizontal(|ui| {
            if ui.add(Button::new("Allow and run")).clicked() {
                actions.push(Action::AllowRemote);
            }
            if ui.add(Button::new("Do not connect")).clicked() {
                actions.push(Command::Clear.into());
            }
        });
    }
}
