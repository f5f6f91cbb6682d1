//! Who orders uses of a buffer on several streams: shown for workloads that say something of it.

use eframe::egui::{ComboBox, Ui};
use engine::workload::Synchronization;

use crate::action::Action;
use crate::panel::Scene;

/// The ways, each with what it means.
const WAYS: &[(Option<Synchronization>, &str, &str)] = &[
    (None, "sync: as written", "As the workload says"),
    (
        Some(Synchronization::Manual),
        "sync: manual",
        "The workload's own waits alone",
    ),
    (
        Some(Synchronization::Automatic),
        "sync: automatic",
        "A buffer remembers its last stream; a use on another one waits for it, reads too",
    ),
    (
        Some(Synchronization::Least),
        "sync: least",
        "Waits where two uses conflict and nothing orders them",
    ),
    (
        Some(Synchronization::Compared),
        "sync: compared",
        "The least first, then automatic, with a finding on what that cost",
    ),
];

/// The way in use, and the others to choose from.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let Some(text) = scene.state.documents.text() else {
        return;
    };
    let settings = &scene.state.settings;
    let says = |line: &str| line.trim_start().starts_with("synchronization ");
    if !text.source.lines().any(says) {
        return;
    }
    let chosen = settings.of_run(&text.source);
    let shown = WAYS.iter().find(|(way, _, _)| *way == chosen);
    let combo = ComboBox::from_id_salt("synchronization")
        .selected_text(shown.map_or("", |(_, name, _)| name))
        .width(120.0);
    let response = combo.show_ui(ui, |ui| {
        for (way, name, about) in WAYS {
            let entry = ui.selectable_label(*way == chosen, *name);
            if entry.on_hover_text(*about).clicked() {
                actions.push(Action::SetSynchronization(*way));
            }
        }
    });
    response.response.on_hover_text(
        "Who orders uses of a buffer on several streams; takes effect with the next run",
    );
}
