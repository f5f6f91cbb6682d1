//! What the engine said during the run.

use eframe::egui::{Label, RichText, ScrollArea, TextStyle, Ui};

use super::problems::severity;
use super::widgets::hint;
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::text;

/// What the engine said during the run.
pub struct LogLines;

impl Panel for LogLines {
    fn id(&self) -> &'static str {
        "log"
    }

    fn title(&self) -> &'static str {
        "Log"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, _actions: &mut Vec<Action>) {
        let lines = scene.capture.log();
        if lines.is_empty() {
            hint(
                ui,
                scene.theme,
                "The engine writes here what it does besides the calls: devices, checks, failures",
            );
            return;
        }
        let height = ui.text_style_height(&TextStyle::Body);
        ScrollArea::vertical()
            .auto_shrink(false)
            .stick_to_bottom(true)
            .show_rows(ui, height, lines.len(), |ui, rows| {
                for line in lines.get(rows).unwrap_or_default() {
                    ui.horizontal(|ui| {
                        let (sign, colour) = severity(scene.theme, line.severity);
                        let time = RichText::new(format!("{:>9}", text::duration(line.time)));
                        ui.label(time.monospace().color(scene.theme.weak));
                        ui.label(RichText::new(sign).color(colour));
                        // One that is too long ends in …, and the pointer on it shows all of it.
                        ui.add(Label::new(&line.text).truncate());
                    });
                }
            });
    }
}
