//! What runs where: the chosen workload, and the adapter that it runs on.

use eframe::egui::{Align, Button, ComboBox, Label, Layout, RichText, Ui};
use engine::runner::Phase;

use crate::action::Action;
use crate::panel::{AdapterChoice, BackendChoice, Scene};
use crate::text;

/// Width of the workload's name, in points.
const NAME: f32 = 96.0;

/// Characters of a device's name that are shown in the bar.
const SHOWN: usize = 24;

/// Width of the rest of the bar in which the backend's name is cut shorter, in points.
const NARROW: f32 = 560.0;

/// The chosen workload, and the backend it runs on.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    if let Some(program) = &scene.status.program {
        ui.label(RichText::new("recording").color(scene.theme.weak));
        ui.label(RichText::new(text::shorten(program, SHOWN)).strong())
            .on_hover_text(program);
        return;
    }
    let documents = &scene.state.documents;
    let runs = scene.status.phase != Phase::Idle;
    if let Some(running) = scene.status.running.as_ref().filter(|_| runs) {
        // What the buttons beside it act on, whatever is chosen meanwhile.
        ui.label(RichText::new(running.trim_end_matches(".kdl")).strong())
            .on_hover_text("The workload that runs");
    } else if let Some(text) = documents.text() {
        let dirty = if text.is_dirty() { " •" } else { "" };
        let name = format!("{}{dirty}", text.name.trim_end_matches(".kdl"));
        // As wide for every name, so that what is beside it stays where it is.
        let size = [NAME, ui.spacing().interact_size.y];
        ui.allocate_ui_with_layout(size.into(), Layout::right_to_left(Align::Center), |ui| {
            ui.set_min_width(NAME);
            ui.add(Label::new(RichText::new(name).strong()).truncate())
                .on_hover_text("The chosen workload");
        });
    }
    ui.label(RichText::new("on").color(scene.theme.weak));
    let settings = &scene.state.settings;
    let backend = scene.status.backend(settings);
    let adapter = scene.status.adapter(settings);
    let shown = adapter.map_or(backend, |adapter| adapter.name.as_str());
    let combo = ComboBox::from_id_salt("backend")
        .selected_text(text::shorten(shown, SHOWN))
        .width(if ui.available_width() < NARROW {
            90.0
        } else {
            140.0
        });
    let response = combo.show_ui(ui, |ui| {
        for choice in &scene.status.backends {
            entries(ui, scene, choice, actions);
        }
    });
    let about = adapter.map_or_else(String::new, AdapterChoice::about);
    let about = format!("What the workload runs on: {shown}\n{about}");
    response.response.on_hover_text(about.trim_end());
}

/// The adapters of a backend, or why it cannot be used.
fn entries(ui: &mut Ui, scene: &Scene<'_>, choice: &BackendChoice, actions: &mut Vec<Action>) {
    if !choice.opens {
        let words = format!("{} · not here", choice.name);
        let entry = ui.add_enabled(false, Button::selectable(false, words));
        entry.on_disabled_hover_text(&choice.detail);
        return;
    }
    let settings = &scene.state.settings;
    let chosen = scene.status.backend(settings) == choice.name;
    let in_use = scene.status.adapter(settings).filter(|_| chosen);
    for adapter in &choice.adapters {
        let is_chosen = in_use.is_some_and(|it| it.name == adapter.name);
        let software = if adapter.caps.software {
            " · software"
        } else {
            ""
        };
        let words = format!("{} · {}{software}", choice.name, adapter.name);
        let entry = ui.add(Button::selectable(is_chosen, words));
        if entry.on_hover_text(adapter.about()).clicked() {
            let action = Action::SetDevice(choice.name.clone(), adapter.name.clone());
            actions.push(action);
        }
    }
}

/// Says that the CPU is used because there is nothing else.
pub fn fallback(ui: &mut Ui, scene: &Scene<'_>) {
    if let Some(reason) = scene.status.why_cpu(&scene.state.settings) {
        let words = RichText::new("no graphics adapter: workloads run on the CPU");
        ui.label(words.color(scene.theme.warning))
            .on_hover_text(reason);
    }
}
