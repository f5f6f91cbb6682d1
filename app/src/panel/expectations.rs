//! What the workload expected of its run, and whether it held.

use eframe::egui::{Label, Response, RichText, Sense, Ui};

use super::widgets::{Sign, hint, section};
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
            let response = row(ui, scene, &expectation.text, expectation.holds);
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

/// A sign and the expectation as written, over as many lines as it needs.
fn row(ui: &mut Ui, scene: &Scene<'_>, text: &str, holds: bool) -> Response {
    let (sign, colour) = if holds {
        (Sign::Check, scene.theme.good)
    } else {
        (Sign::Cross, scene.theme.bad)
    };
    ui.horizontal_top(|ui| {
        sign.ui(ui, colour);
        let words = Label::new(RichText::new(text).color(colour)).wrap();
        ui.add(words.selectable(false).sense(Sense::click()))
    })
    .inner
}
