//! What a cell says: its rank and step, its value, the median over ranks, and how far it lies from that.

use eframe::egui::{Button, Id, PopupAnchor, RichText, Tooltip, Ui};

use super::fleet_words::{beyond, cell_at, no_value, step_interval, time};
use super::heatmap::{HeatmapPlace, HeatmapScene};
use super::level_grid::median_of_step;
use crate::action::{Action, FleetAction};
use crate::panel::widgets::field;
use crate::state::FleetCell;
use crate::text::{self, measure_words};

/// The action that opens the capture of the cell at these places, at its step.
pub fn open_action(shown: &HeatmapScene<'_>, at: (usize, usize)) -> Option<Action> {
    let cell = cell_at(shown.picture, at).filter(|it| is_there(shown, *it))?;
    let interval = step_interval(shown.picture, cell);
    Some(Action::Fleet(FleetAction::OpenCapture(cell.rank, interval)))
}

/// Whether the rank of a cell has a capture that can be opened.
fn is_there(shown: &HeatmapScene<'_>, cell: FleetCell) -> bool {
    let run = shown.scene.status.fleet.run(&shown.scene.state.fleet);
    run.is_none_or(|it| it.complete.contains(&cell.rank))
}

/// Why a cell has no value.
fn empty_words(shown: &HeatmapScene<'_>, cell: FleetCell) -> &'static str {
    let scene = shown.scene;
    no_value(scene.status.fleet.run(&scene.state.fleet), cell.rank)
}

/// A card at the pointer about the cell at these places.
pub fn show(ui: &Ui, shown: &HeatmapScene<'_>, at: (usize, usize), place: &HeatmapPlace) {
    let Some(cell) = cell_at(shown.picture, at) else {
        return;
    };
    let theme = shown.scene.theme;
    let layer = ui.layer_id();
    let card = Tooltip::always_open(
        ui.ctx().clone(),
        layer,
        Id::unique("fleet cell"),
        PopupAnchor::Pointer,
    );
    card.gap(12.0).show(|ui| {
        ui.set_width(250.0);
        ui.label(RichText::new(format!("Rank {}, step {}", cell.rank, cell.step)).strong());
        let name = measure_words(&shown.grid.measure);
        let value = shown.value(at);
        match value {
            Some(value) => {
                field(ui, theme, &name, &time(value));
            }
            None => {
                ui.label(empty_words(shown, cell));
            }
        }
        let median = median_of_step(shown.picture, &shown.grid.values, at.1);
        if let (Some(value), Some(median)) = (value, median) {
            field(ui, theme, "Median of the step", &time(median));
            field(ui, theme, "From the median", &beyond(value, median));
        }
        let (rows, columns) = place.shared();
        if rows * columns > 1 {
            let words = "The highest of the cells that share this pixel";
            ui.label(RichText::new(words).small().color(theme.weak));
        }
    });
}

/// A line about the chosen cell, with the button that opens its capture.
pub fn chosen_line(
    ui: &mut Ui,
    shown: &HeatmapScene<'_>,
    at: Option<(usize, usize)>,
    actions: &mut Vec<Action>,
) {
    let theme = shown.scene.theme;
    let chosen = at.and_then(|at| Some((at, cell_at(shown.picture, at)?)));
    let Some((at, cell)) = chosen else {
        let words = "Click a cell, or move with the arrow keys; Enter or a double click opens the rank's capture at that step";
        ui.label(RichText::new(words).color(theme.weak));
        return;
    };
    ui.label(RichText::new(format!("Rank {}, step {}", cell.rank, cell.step)).strong());
    if let Some(value) = shown.value(at) {
        let name = measure_words(&shown.grid.measure).to_lowercase();
        ui.label(format!("{name} {}", time(value)));
        if let Some(median) = median_of_step(shown.picture, &shown.grid.values, at.1) {
            let words = format!(
                "median of ranks {}; {}",
                time(median),
                beyond(value, median)
            );
            ui.label(RichText::new(words).color(theme.weak));
        }
    } else {
        ui.label(RichText::new(empty_words(shown, cell)).color(theme.weak));
    }
    if !is_there(shown, cell) {
        return;
    }
    let open = ui.add(Button::new("Open this rank's capture"));
    let help = format!(
        "Open the file that rank {} was converted from, at this step (Enter)",
        text::count(u64::from(cell.rank))
    );
    if open.on_hover_text(help).clicked() {
        actions.extend(open_action(shown, at));
    }
}
