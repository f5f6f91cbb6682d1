//! Who orders uses of a buffer on several streams: shown for every workload that has several.

use eframe::egui::{ComboBox, Ui};
use engine::workload::Synchronization;

use crate::action::Action;
use crate::panel::Scene;
use crate::state::can_synchronize;

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

/// Width that the rest of the bar needs, in points.
const REST: f32 = 380.0;

/// The way in use, and the others to choose from. A narrow bar has it only where it was chosen or the workload says
/// something of it; the menu has it always.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let Some(text) = scene.state.documents.text() else {
        return;
    };
    if !can_synchronize(&text.source) {
        return;
    }
    let settings = &scene.state.settings;
    let chosen = settings.of_run(&text.source);
    let is_said = text.source.contains("\nsynchronization ");
    if ui.available_width() < REST && chosen.is_none() && !is_said {
        return;
    }
    let shown = WAYS.iter().find(|(way, _, _)| *way == chosen);
    let combo = ComboBox::from_id_salt("synchronization")
        .selected_text(shown.map_or("", |(_, name, _)| name))
        .width(120.0);
    let response = combo.show_ui(ui, |ui| ways(ui, chosen, actions));
    response.response.on_hover_text(
        "Who orders uses of a buffer on several streams; takes effect with the next run",
    );
}

/// The ways as a menu of their own, grey for a workload that has nothing to order.
pub fn menu(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let source = scene
        .state
        .documents
        .text()
        .map(|text| text.source.as_str());
    let source = source.unwrap_or_default();
    let chosen = scene.state.settings.of_run(source);
    ui.add_enabled_ui(can_synchronize(source), |ui| {
        ui.menu_button("Synchronisation", |ui| ways(ui, chosen, actions));
    });
}

fn ways(ui: &mut Ui, chosen: Option<Synchronization>, actions: &mut Vec<Action>) {
    for (way, name, about) in WAYS {
        let entry = ui.selectable_label(*way == chosen, *name);
        if entry.on_hover_text(*about).clicked() {
            actions.push(Action::SetSynchronization(*way));
        }
    }
}
