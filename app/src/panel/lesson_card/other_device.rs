//! The text of a passed lesson on another device, and why its picture differs.

use eframe::egui::{Button, CollapsingHeader, Label, Ui};
use engine::lesson::Lesson;
use engine::runner::Phase;

use crate::action::Action;
use crate::panel::Scene;
use crate::panel::widgets::section;
use crate::state::text_name;
use crate::theme::GRID;

/// What each backend does with streams, as far as pictures show it.
const DEVICES: &[(&str, &str)] = &[
    (
        "cpu",
        "A thread for each stream runs its operations as fast as the processor can. They take as long as their work does, often \
         a few microseconds, and share the cores: with fewer cores than streams some of them take turns.",
    ),
    (
        "paced",
        "Each operation lasts as long as the pace says, and waits for an engine: one for copies each way, and some compute slots. \
         Operations of several streams therefore overlap on any machine, one core included.",
    ),
    (
        "wgpu",
        "WebGPU has one queue. Operations of all streams run on it one after the other, so that none overlap, though the text \
         would let them.",
    ),
    (
        "cuda",
        "The GPU's scheduler starts what is ready, as long as there is room: a large kernel may fill the GPU, so that the next one \
         waits though nothing in the text says so. Copies have engines of their own.",
    ),
];

/// Offers the other devices that are here, asks why the picture differs, and says it where one asks.
pub(super) fn show(ui: &mut Ui, scene: &Scene<'_>, lesson: &Lesson, actions: &mut Vec<Action>) {
    let backend = scene.status.backend(&scene.state.settings);
    let others: Vec<_> = scene
        .status
        .backends
        .iter()
        .filter(|it| it.opens && it.name != backend)
        .filter(|it| {
            lesson
                .not_on
                .iter()
                .all(|(left_out, _)| *left_out != it.name)
        })
        .collect();
    let name = text_name(&lesson.id);
    let texts = &scene.state.documents.texts;
    let Some(place) = texts.iter().position(|it| it.name == name) else {
        return;
    };
    if others.is_empty() {
        return;
    }
    section(ui, scene.theme, scene.tr("On another device"));
    ui.horizontal_wrapped(|ui| {
        let is_idle = scene.status.phase == Phase::Idle;
        for other in others {
            let button = Button::new(
                scene
                    .tr("Run it on {device}")
                    .replace("{device}", &other.name),
            );
            let button = ui.add_enabled(is_idle, button);
            if button.on_hover_text(&other.detail).clicked() {
                actions.push(Action::SetDevice(other.name.clone(), String::new()));
                actions.push(Action::Run(place));
            }
        }
    });
    ui.add_space(GRID);
    let shown = scene.capture.run();
    ask(ui, scene, shown.map_or(backend, |it| it.backend.as_str()));
}

/// Asks why the picture of a run on this backend is as it is, and says it where one asks.
fn ask(ui: &mut Ui, scene: &Scene<'_>, shown: &str) {
    let question = scene.tr(
        "What waits for what is written in the text, and is the same on every device. Why do the pictures differ?",
    );
    ui.add(Label::new(question).wrap());
    if let Some((_, does)) = DEVICES.iter().find(|(name, _)| *name == shown) {
        let title = scene.tr("What {device} does").replace("{device}", shown);
        CollapsingHeader::new(title).show(ui, |ui| {
            ui.add(Label::new(scene.tr(does)).wrap());
        });
    }
}
