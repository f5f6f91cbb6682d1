//! The inspector of a dependency.

use eframe::egui::Ui;
use engine::analysis::causes::DependencyTimes;
use engine::record::{Basis, DependencyId};

use super::{lane_of, name_of, title};
use crate::action::Action;
use crate::panel::Scene;
use crate::panel::widgets::{field, hint, link, section};
use crate::text;
use crate::timeline::role;

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
        Basis::Observed => "observed: it happened in this order in this run",
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
    let times = DependencyTimes::of(capture, &tie);
    if let Some(times) = times {
        section(ui, theme, "Times");
        for (label, length) in times.lines() {
            field(ui, theme, label, &text::duration(length));
        }
    }
    if let Some(words) = role(scene.reader(), &tie) {
        hint(ui, theme, &words);
    }
}
