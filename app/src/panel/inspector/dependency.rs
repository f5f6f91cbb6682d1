//! The inspector of a dependency.

use eframe::egui::Ui;
use engine::record::{Basis, DependencyId};

use super::{lane_of, name_of, title};
use crate::action::Action;
use crate::panel::Scene;
use crate::panel::widgets::{field, hint, link, section};

/// Every field of the dependency, and its two ends as links.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, id: DependencyId, actions: &mut Vec<Action>) {
    let capture = scene.capture;
    let theme = scene.theme;
    let Some(tie) = capture.dependency(id) else {
        hint(ui, theme, "This dependency has not arrived yet");
        return;
    };
    let basis = match tie.basis {
        Basis::Enforced => "enforced: order, waits and blocking calls guarantee it",
        Basis::Declared => "declared: the workload says that it needs it",
        Basis::Observed => "observed: it merely happened in this order",
        Basis::Inferred => "inferred: concluded by a rule; the file does not say it itself",
    };
    title(
        ui,
        scene,
        &format!("{} dependency", tie.kind.label()),
        basis,
    );
    if let Some(event) = capture.events().iter().find(|event| event.id == tie.event) {
        field(ui, theme, "event", capture.name(event.name));
        field(ui, theme, "generation", &tie.generation.to_string());
    }
    for (heading, span, sign, colour) in [
        ("Cause", tie.cause, "◀", theme.cause),
        ("Effect", tie.effect, "▶", theme.effect),
    ] {
        section(ui, theme, heading);
        if link(ui, &format!("{sign} {}", name_of(capture, span)), colour).clicked() {
            actions.push(Action::Reveal(span));
        }
        field(ui, theme, "lane", lane_of(capture, span));
        if let Some(placed) = capture.span(span) {
            let (moment, at) = if span == tie.cause {
                ("ended", placed.span.end)
            } else {
                ("began", placed.span.start)
            };
            field(ui, theme, moment, &at.to_string());
        }
    }
    if let (Some(cause), Some(effect)) = (capture.span(tie.cause), capture.span(tie.effect)) {
        section(ui, theme, "Between");
        field(
            ui,
            theme,
            "end to start",
            &(effect.span.start - cause.span.end).to_string(),
        );
    }
}
