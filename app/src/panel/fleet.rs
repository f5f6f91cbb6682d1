//! A dataset as a picture: a heatmap of all ranks and steps, and lists of stragglers and outliers.

mod cell_card;
mod colour_scale;
mod engine_choice;
mod fleet_status;
mod fleet_words;
mod grid_axis;
mod heatmap;
mod heatmap_axes;
mod heatmap_input;
mod legend;
mod level_grid;
mod rank_lists;
mod run_head;

pub use engine_choice::engine_to_ask;
pub use fleet_status::{FleetStage, FleetStatus, LostCapture, RunningFleetJob};

use std::sync::Arc;

use eframe::egui::{
    Align, Frame, Label, Layout, Margin, Rect, RichText, ScrollArea, Stroke, Ui, UiBuilder, Vec2,
    vec2,
};
use engine::fleet::{FleetPicture, MeasureGrid};

use super::Scene;
use super::widgets::hint;
use crate::action::{Action, FleetAction};
use crate::theme::GRID;
use engine_choice::EngineChoice;
use fleet_words::places;
use heatmap::{FleetHeatmap, HeatmapScene};
use rank_lists::RankLists;

/// Width of a window from which the lists stand beside the heatmap, in points.
const BESIDE: f32 = 980.0;
/// Width of the lists there, in points.
const LISTS: f32 = 392.0;
/// The part of the height that the lists have below the heatmap.
const BELOW: f32 = 0.4;
/// Height of the line about the chosen cell, in points.
const CHOSEN: f32 = 26.0;

/// The dataset on screen.
#[derive(Default)]
pub struct FleetPanel {
    heatmap: FleetHeatmap,
    lists: RankLists,
    engines: EngineChoice,
}

impl FleetPanel {
    /// Shows it in all the room that is left.
    pub fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let frame = Frame::new().inner_margin(Margin::symmetric(12, 8));
        frame.show(ui, |ui| {
            ui.set_min_size(ui.available_size());
            ui.spacing_mut().item_spacing.x = 2.0 * GRID;
            run_head::show(ui, scene, &mut self.engines, actions);
            lost_capture(ui, scene, actions);
            ui.add_space(GRID);
            let status = &scene.status.fleet;
            if let Some(error) = &status.error {
                return failure(ui, scene, error);
            }
            match &status.picture {
                Some(picture) => self.picture(ui, scene, picture, actions),
                None if status.running.is_some() => {
                    hint(ui, scene.theme, "Steps, stragglers and outliers of all ranks stand here once they are answered");
                }
                None => hint(ui, scene.theme, "Nothing was asked; Read again asks the dataset"),
            }
        });
    }

    fn picture(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        picture: &Arc<FleetPicture>,
        actions: &mut Vec<Action>,
    ) {
        let room = ui.available_rect_before_wrap();
        let is_beside = room.width() >= BESIDE;
        let (left, right) = if is_beside {
            room.split_left_right_at_x(room.right() - LISTS)
        } else {
            room.split_top_bottom_at_y(room.bottom() - room.height() * BELOW)
        };
        let gap = if is_beside {
            vec2(16.0, 0.0)
        } else {
            Vec2::ZERO
        };
        part(ui, Rect::from_min_max(left.min, left.max - gap), |ui| {
            let chosen = &scene.state.fleet.measure;
            let grid = picture.measures.iter().find(|it| it.measure == *chosen);
            match grid.or(picture.measures.first()) {
                Some(grid) if !picture.steps.is_empty() => {
                    self.grid(ui, scene, (picture, grid), actions);
                }
                _ => hint(ui, scene.theme, NO_STEPS),
            }
        });
        part(ui, right, |ui| {
            self.lists.ui(ui, scene, (picture, !is_beside), actions);
        });
        ui.advance_cursor_after_rect(room);
    }

    fn grid(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        (picture, grid): (&Arc<FleetPicture>, &MeasureGrid),
        actions: &mut Vec<Action>,
    ) {
        run_head::measure_choice(ui, scene, actions);
        let Some(scale) = self.heatmap.scale(picture, grid) else {
            return hint(ui, scene.theme, NO_STEPS);
        };
        let shown = HeatmapScene {
            scene,
            picture,
            grid,
            scale,
        };
        let room = ui.available_rect_before_wrap();
        let room = room.with_max_y(room.bottom() - legend::HEIGHT - CHOSEN - 3.0 * GRID);
        let place = self.heatmap.ui(ui, &shown, room, actions);
        ui.advance_cursor_after_rect(Rect::from_min_max(room.min, place.rect.max));
        legend::show(ui, &shown, &place);
        let at = scene.state.fleet.cell.and_then(|it| places(picture, it));
        ui.horizontal(|ui| cell_card::chosen_line(ui, &shown, at, actions));
    }
}

const NO_STEPS: &str = "No capture of this run has steps, so there is nothing to lay side by side: mark them in the program \
    (`ProfilerStep#N`, frames or ranges), or ask a question with `syncline fleet`";

/// Shows contents in a part of the room, and nothing of them outside.
fn part(ui: &mut Ui, room: Rect, contents: impl FnOnce(&mut Ui)) {
    let layout = Layout::top_down(Align::Min);
    let mut inner = ui.new_child(UiBuilder::new().max_rect(room).layout(layout));
    inner.shrink_clip_rect(room.expand(4.0));
    contents(&mut inner);
}

/// Why there is no answer. What engines say may have many lines.
fn failure(ui: &mut Ui, scene: &Scene<'_>, error: &str) {
    let words = RichText::new(error).color(scene.theme.bad);
    let words = if error.contains('\n') {
        words.monospace()
    } else {
        words
    };
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.add(Label::new(words).wrap());
        hint(
            ui,
            scene.theme,
            "Read again asks once more; another engine is chosen above",
        );
    });
}

/// A capture that was not found, and the way to name the folder that it is in.
fn lost_capture(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let Some(lost) = &scene.status.fleet.lost_capture else {
        return;
    };
    let frame = Frame::new()
        .fill(scene.theme.well)
        .stroke(Stroke::new(1.0, scene.theme.line))
        .inner_margin(Margin::symmetric(8, 6));
    frame.show(ui, |ui| {
        let words = format!(
            "× The capture of rank {} was not opened: {}",
            lost.rank, lost.text
        );
        ui.add(Label::new(RichText::new(words).color(scene.theme.bad)).wrap());
        ui.horizontal(|ui| {
            if lost.is_moved && ui.button("Choose the folder…").clicked() {
                actions.push(Action::Fleet(FleetAction::ChooseCaptureFolder));
            }
            if ui.button("Dismiss").clicked() {
                actions.push(Action::Fleet(FleetAction::Stop));
            }
        });
    });
}
