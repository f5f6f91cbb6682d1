//! What the workload expected of its run, and whether it held.

use eframe::egui::{RichText, Ui};

use super::widgets::{hint, section};
use super::{Panel, Place, Scene};
use crate::action::Action;

/// What the workload expected of its run, and whether it held.
pub struct Expectations;

impl Panel for Expectations {
    fn id(&self) -> &'static str {
        "expectations"
    }

    fn title(&self) -> &'static str {
        "Expectations"
    }

    fn place(&self) -> Place {
        Place::Left
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        section(ui, scene.theme, "Expectations");
        let found = scene.capture.expectations();
        if found.is_empty() {
            hint(
                ui,
                scene.theme,
                "What a workload expects is checked when its run has ended",
            );
        }
        for expectation in found {
            let (sign, colour) = if expectation.holds {
                ("✔", scene.theme.good)
            } else {
                ("✖", scene.theme.bad)
            };
            let words = RichText::new(format!("{sign} {}", expectation.text)).color(colour);
            let response = ui.selectable_label(false, words);
            let detail = format!(
                "Found {}\nLine {} of the workload",
                expectation.found, expectation.line
            );
            if response.on_hover_text(detail).clicked() {
                actions.push(Action::OpenTab("source"));
            }
        }
    }
}
