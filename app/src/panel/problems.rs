//! What is known to be wrong or missing in the data itself.

use eframe::egui::{Color32, RichText, ScrollArea, Ui};
use engine::record::Severity;

use super::widgets::{hint, link};
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::theme::Theme;

/// What is known to be wrong or missing in the data itself.
pub struct ProblemsPanel;

/// Problems shown at once; the rest is counted.
const SHOWN: usize = 500;

impl Panel for ProblemsPanel {
    fn id(&self) -> &'static str {
        "problems"
    }

    fn title(&self) -> &'static str {
        "Problems"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn count(&self, scene: &Scene<'_>) -> Option<usize> {
        Some(scene.capture.problems().len())
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let problems = scene.capture.problems();
        if problems.is_empty() {
            let words = if scene.status.parts.is_empty() {
                "Nothing is known to be wrong with this data: no record is missing, none had to be repaired"
            } else {
                "Nothing is known to be wrong with this data; the receipt says what the file does not hold"
            };
            hint(ui, scene.theme, words);
            return;
        }
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            for problem in problems.iter().take(SHOWN) {
                ui.horizontal_wrapped(|ui| {
                    let (sign, colour) = severity(scene.theme, problem.severity);
                    ui.label(RichText::new(sign).color(colour));
                    ui.label(RichText::new(&problem.code).monospace().color(colour));
                    ui.label(&problem.text);
                    if problem.span.is_some() && link(ui, "show", scene.theme.accent).clicked() {
                        actions.push(Action::Reveal(problem.span));
                    }
                });
            }
            if problems.len() > SHOWN {
                hint(
                    ui,
                    scene.theme,
                    &format!("and {} more", problems.len() - SHOWN),
                );
            }
        });
    }
}

/// The sign and the colour of a severity.
pub fn severity(theme: &Theme, severity: Severity) -> (&'static str, Color32) {
    match severity {
        Severity::Info => ("•", theme.weak),
        Severity::Warning => ("!", theme.warning),
        Severity::Error | Severity::DataLoss => ("×", theme.bad),
    }
}
