//! The labels of a heatmap: ranks at the left, steps above, as many as have room.

use eframe::egui::{Align2, Color32, FontId, Ui, pos2};
use engine::fleet::FleetPicture;

use super::grid_axis::{GridAxis, doubled, round_number};
use super::heatmap::{HeatmapPlace, HeatmapScene};
use crate::theme::SMALL;

/// Height of the labels of steps, in points.
pub const HEADER: f32 = 20.0;
/// Between labels and cells, in points.
const GAP: f32 = 6.0;
/// From rank to rank at least, in points.
const LINE: f32 = 14.0;
/// What stands where the two meet.
const CORNER: &str = "rank / step";

fn width_of(ui: &Ui, text: &str) -> f32 {
    let font = FontId::proportional(SMALL);
    let galley = ui
        .painter()
        .layout_no_wrap(text.to_owned(), font, Color32::WHITE);
    galley.size().x
}

/// Width of the labels of ranks, in points.
pub fn width(ui: &Ui, picture: &FleetPicture) -> f32 {
    let last = picture.ranks.last().map(u32::to_string).unwrap_or_default();
    width_of(ui, &last).max(width_of(ui, CORNER)).ceil() + GAP + 2.0
}

/// The labels along an axis, each with its place in points: round numbers, and that of the chosen row, which stands out and
/// takes the room that it needs.
fn labels(
    axis: &GridAxis,
    room: (f32, fn(usize) -> usize),
    (numbers, chosen): (&[i64], Option<usize>),
) -> Vec<(f32, String, bool)> {
    let number = |place: usize| numbers.get(place).copied().unwrap_or_default();
    let middle = |place: usize| Some(f32::midpoint(axis.span(place)?.0, axis.span(place)?.1));
    let label = |place: usize, is_chosen| {
        let at = middle(place)?;
        Some((at, number(place).to_string(), is_chosen))
    };
    let own = chosen.and_then(|it| label(it, true));
    let taken = own.as_ref().map(|it| it.0);
    let others = axis.labelled(room, number).into_iter();
    let others = others.filter_map(|it| label(it, false));
    let others = others.filter(|it| taken.is_none_or(|at| (at - it.0).abs() >= room.0));
    others.chain(own.clone()).collect()
}

/// Writes them.
pub fn paint(
    ui: &Ui,
    shown: &HeatmapScene<'_>,
    place: &HeatmapPlace,
    chosen: Option<(usize, usize)>,
) {
    let theme = shown.scene.theme;
    let write = |at, align: Align2, words: String, is_chosen| {
        let colour = if is_chosen { theme.text } else { theme.weak };
        let font = FontId::proportional(SMALL);
        ui.painter().text(at, align, words, font, colour);
    };
    let left = place.rect.left() - GAP;
    let above = place.rect.top() - 4.0;
    let corner = pos2(left, above);
    write(corner, Align2::RIGHT_BOTTOM, CORNER.to_owned(), false);
    let ranks: Vec<i64> = shown
        .picture
        .ranks
        .iter()
        .map(|it| i64::from(*it))
        .collect();
    let rows = (ranks.as_slice(), chosen.map(|it| it.0));
    for (y, words, is_chosen) in labels(&place.rows, (LINE, doubled), rows) {
        write(pos2(left, y), Align2::RIGHT_CENTER, words, is_chosen);
    }
    let steps = shown.picture.steps.as_slice();
    let last = steps.last().map(i64::to_string).unwrap_or_default();
    let room = width_of(ui, &last) + 2.0 * GAP;
    let columns = (steps, chosen.map(|it| it.1));
    for (x, words, is_chosen) in labels(&place.columns, (room, round_number), columns) {
        write(pos2(x, above), Align2::CENTER_BOTTOM, words, is_chosen);
    }
}
