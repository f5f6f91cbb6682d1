//! The inspector of a loss: when, why, how it was recovered from, and what everything that was pending came to.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use eframe::egui::{Align, Label, Layout, RichText, Ui};
use engine::analysis::LossAftermath;
use engine::capture::PlacedSpan;
use engine::record::{Loss, LossKind, State};

use super::promise::outcome;
use super::title;
use crate::action::Action;
use crate::panel::Scene;
use crate::panel::widgets::{Sign, field, hint, link, section};
use crate::state::Topic;
use crate::text;

/// Lines of one sort that are shown; the rest is counted.
const SHOWN: usize = 60;

/// What a loss came to, kept while the capture stays as it is.
#[derive(Default)]
pub struct CachedLoss {
    key: u64,
    found: LossAftermath,
}

impl CachedLoss {
    fn of(&mut self, scene: &Scene<'_>, loss: &Loss) -> &LossAftermath {
        let mut hasher = DefaultHasher::new();
        let capture = scene.capture;
        (capture.revision(), capture.span_count(), loss.time).hash(&mut hasher);
        (loss.device, loss.generation).hash(&mut hasher);
        let key = hasher.finish() | 1;
        if self.key != key {
            self.key = key;
            self.found = LossAftermath::of(capture, loss);
        }
        &self.found
    }
}

/// The loss at position `place` of the capture's losses.
pub fn show(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (place, cached): (usize, &mut CachedLoss),
    actions: &mut Vec<Action>,
) {
    let capture = scene.capture;
    let Some(loss) = capture.losses().get(place) else {
        hint(ui, scene.theme, "This loss has not arrived yet");
        return;
    };
    let device = capture.devices().get(loss.device.index());
    let name = device.map_or("device", |device| device.short_name());
    title(
        ui,
        scene,
        if loss.kind == LossKind::Link {
            "Link dropped"
        } else {
            "Device lost"
        },
        &format!("{name} · generation {}", loss.generation),
    );
    let how = match loss.kind {
        LossKind::Unknown => "the driver reported it",
        LossKind::Destroyed => "destroyed by a call",
        LossKind::Failed => "an operation failed",
        LossKind::Process => "the process that drove it is gone",
        LossKind::Trap => "a kernel trapped, and the context went with it",
        LossKind::Address => {
            "a kernel used an address that is not its own, and the context went with it"
        }
        LossKind::Assertion => {
            "an assertion of a kernel did not hold, and the context went with it"
        }
        LossKind::Hang => "a kernel never ended, and nothing but the end of its process ends it",
        LossKind::Link => "nothing is lost: what happened meanwhile came when the link was back",
    };
    ui.label(RichText::new(format!("{how}: {}", loss.reason)).color(scene.theme.bad));
    let found = cached.of(scene, loss);
    field(ui, scene.theme, "lost at", &loss.time.to_string());
    recovered(ui, scene, (loss, found), actions);
    promises(ui, scene, found, actions);
    pipelines(ui, scene, found, actions);
    operations(ui, scene, found, actions);
    if found.promises.is_empty() && found.pipelines.is_empty() && found.spans.is_empty() {
        hint(ui, scene.theme, "Nothing was pending when it was lost");
    }
}

fn recovered(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (loss, found): (&Loss, &LossAftermath),
    actions: &mut Vec<Action>,
) {
    let theme = scene.theme;
    let Some(recovery) = found.recovery else {
        field(ui, theme, "recovered", "no");
        return;
    };
    section(ui, theme, "Recovery");
    field(ui, theme, "generation", &recovery.generation.to_string());
    field(
        ui,
        theme,
        "accepted work again at",
        &recovery.time.to_string(),
    );
    field(
        ui,
        theme,
        "loss to new device",
        &text::duration(recovery.time - loss.time),
    );
    if let Some((span, end)) = found.first_result {
        field(
            ui,
            theme,
            "loss to first result",
            &text::duration(end - loss.time),
        );
        if link(ui, "▶ the first result", theme.effect).clicked() {
            actions.push(Action::Reveal(span));
        }
    }
}

fn heading(ui: &mut Ui, scene: &Scene<'_>, count: usize, noun: &str) {
    section(ui, scene.theme, &text::counted(count as u64, noun));
}

fn more(ui: &mut Ui, scene: &Scene<'_>, count: usize) {
    if count > SHOWN {
        let words = format!("and {} more", text::count((count - SHOWN) as u64));
        hint(ui, scene.theme, &words);
    }
}

/// A line: a sign, what it was, and what it came to.
fn line(
    ui: &mut Ui,
    (sign, colour): (Sign, eframe::egui::Color32),
    (name, came_to): (&str, &str),
    scene: &Scene<'_>,
) -> bool {
    let row = ui.horizontal(|ui| {
        sign.ui(ui, colour);
        // The name comes first: what it came to has the room that is left, and is whole in its own inspector.
        let is_clicked = link(ui, name, scene.theme.text).clicked();
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let words = RichText::new(came_to).small().color(scene.theme.weak);
            ui.add(Label::new(words).truncate());
        });
        is_clicked
    });
    row.inner
}

fn promises(ui: &mut Ui, scene: &Scene<'_>, found: &LossAftermath, actions: &mut Vec<Action>) {
    if found.promises.is_empty() {
        return;
    }
    heading(ui, scene, found.promises.len(), "promise");
    for id in found.promises.iter().take(SHOWN) {
        let Some(pledge) = scene.capture.promises().get(id.index()) else {
            continue;
        };
        let verdict = pledge
            .settlement
            .as_ref()
            .map(|settlement| settlement.verdict);
        let promise = &pledge.promise;
        let name = format!("{} {}", promise.name, promise.api);
        let sign = Sign::of_verdict(verdict, scene.theme);
        if line(ui, sign, (&name, &outcome(pledge)), scene) {
            actions.push(Action::SelectTopic(Topic::Promise(*id)));
        }
    }
    more(ui, scene, found.promises.len());
}

fn pipelines(ui: &mut Ui, scene: &Scene<'_>, found: &LossAftermath, actions: &mut Vec<Action>) {
    if found.pipelines.is_empty() {
        return;
    }
    heading(ui, scene, found.pipelines.len(), "pipeline");
    for id in found.pipelines.iter().take(SHOWN) {
        let Some(stages) = scene.capture.pipelines().get(id.index()) else {
            continue;
        };
        let state = stages.state();
        let sign = Sign::of_state(state, scene.theme);
        if line(ui, sign, (&stages.pipeline.name, state.label()), scene) {
            actions.push(Action::SelectTopic(Topic::Pipeline(*id)));
        }
    }
    more(ui, scene, found.pipelines.len());
}

fn operations(ui: &mut Ui, scene: &Scene<'_>, found: &LossAftermath, actions: &mut Vec<Action>) {
    if found.spans.is_empty() {
        return;
    }
    let count = found.operations as usize;
    heading(ui, scene, count, "operation");
    let spans = found.spans.iter().take(SHOWN);
    for placed in spans.filter_map(|id| scene.capture.span(*id)) {
        let sign = (Sign::Bolt, scene.theme.bad);
        let name = scene.capture.name(placed.span.name);
        if line(ui, sign, (name, came_to(&placed)), scene) {
            actions.push(Action::Reveal(placed.span.id));
        }
    }
    more(ui, scene, count);
}

const fn came_to(placed: &PlacedSpan) -> &'static str {
    let span = &placed.span;
    match span.state {
        State::Lost if span.end.0 > span.start.0 => "result lost",
        _ => "never started",
    }
}
