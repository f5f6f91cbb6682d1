//! What the workload expected of its run, and whether it held.

use eframe::egui::{Color32, Label, Response, RichText, Sense, Ui};

use engine::record::RunOutcome;

use super::widgets::{Sign, hint, section};
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;

/// What the workload expected of its run, and whether it held.
pub struct ExpectationsPanel;

impl Panel for ExpectationsPanel {
    fn id(&self) -> &'static str {
        "expectations"
    }

    fn title(&self) -> &'static str {
        "Expectations"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::PartOf("about")
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        section(ui, scene.theme, "Expectations");
        let found = scene.capture.expectations();
        if scene.is_of_chosen() && !found.is_empty() {
            return results(ui, scene, actions);
        }
        let expected = &scene.status.checked.expectations;
        if expected.is_empty() {
            let is_read = scene.workload().is_some() && scene.status.checked.errors.is_empty();
            let words = if is_read {
                "This workload states no expectations"
            } else {
                "What a workload expects is checked when its run has ended"
            };
            return hint(ui, scene.theme, words);
        }
        for text in expected {
            let mark = (Sign::Ring, scene.theme.weak);
            row(ui, text, mark).on_hover_text("It is checked when a run has ended");
        }
    }
}

/// What came of each in the run on screen.
fn results(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let found = scene.capture.expectations();
    let ended = scene.capture.end().map(|end| &end.outcome);
    if ended.is_some_and(|outcome| *outcome != RunOutcome::Finished) {
        hint(ui, scene.theme, "Not checked, because the run ended early");
    }
    let was_ended = ended.is_none_or(|outcome| *outcome == RunOutcome::Finished);
    for expectation in found {
        let mark = match expectation.holds {
            None => (Sign::Dash, scene.theme.weak),
            // Of a run that ended early nothing is known.
            Some(_) if !was_ended => (Sign::Dash, scene.theme.weak),
            Some(true) => (Sign::Check, scene.theme.good),
            Some(false) => (Sign::Cross, scene.theme.bad),
        };
        let response = row(ui, &expectation.text, mark);
        let detail = format!(
            "Found {}\nLine {} of the workload",
            expectation.found, expectation.line
        );
        if response.on_hover_text(detail).clicked() {
            actions.push(Action::OpenTab("source"));
        }
        if was_ended && expectation.holds.is_none() {
            hint(ui, scene.theme, &expectation.found);
        }
    }
}

/// A sign and the expectation as written, over as many lines as it needs.
fn row(ui: &mut Ui, text: &str, (sign, colour): (Sign, Color32)) -> Response {
    ui.horizontal_top(|ui| {
        sign.ui(ui, colour);
        let words = Label::new(RichText::new(text).color(colour)).wrap();
        ui.add(words.selectable(false).sense(Sense::click()))
    })
    .inner
}
