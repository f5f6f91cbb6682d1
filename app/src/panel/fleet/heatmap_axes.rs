//! The labels of a heatmap: ranks at the left, steps above, as many as have room.

use eframe::egui::{Align2, Color32, FontId, Ui, pos2};
use engine::fleet::FleetPicture;

use super::grid_axis::{doubled, round_number};
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

/// Writes them; those of the chosen cell stand out.
pub fn paint(
    ui: &Ui,
    shown: &HeatmapScene<'_>,
    place: &HeatmapPlace,
    chosen: Option<(usize, usize)>,
) {
    let theme = shown.scene.theme;
    let write = |at, align: Align2, words: String, colour| {
        let font = FontId::proportional(SMALL);
        ui.painter().text(at, align, words, font, colour);
    };
    let left = place.rect.left() - GAP;
    let above = place.rect.top() - 4.0;
    write(
        pos2(left, above),
        Align2::RIGHT_BOTTOM,
        CORNER.to_owned(),
        theme.weak,
    );

    let rank = |row: usize| shown.picture.ranks.get(row).map(u32::to_string);
    let middle = |span: Option<(f32, f32)>| span.map(|(start, end)| f32::midpoint(start, end));
    let chosen_y = chosen.and_then(|it| middle(place.rows.span(it.0)));
    for row in place.rows.labelled(LINE, doubled) {
        let (Some(y), Some(words)) = (middle(place.rows.span(row)), rank(row)) else {
            continue;
        };
        // The chosen one's own label needs the room.
        if chosen_y.is_none_or(|it| (it - y).abs() >= LINE) {
            write(pos2(left, y), Align2::RIGHT_CENTER, words, theme.weak);
        }
    }
    if let (Some(y), Some(words)) = (chosen_y, chosen.and_then(|it| rank(it.0))) {
        write(pos2(left, y), Align2::RIGHT_CENTER, words, theme.text);
    }

    let step = |column: usize| shown.picture.steps.get(column).map(i64::to_string);
    let last = shown
        .picture
        .steps
        .last()
        .map(i64::to_string)
        .unwrap_or_default();
    let room = width_of(ui, &last) + 2.0 * GAP;
    let chosen_x = chosen.and_then(|it| middle(place.columns.span(it.1)));
    for column in place.columns.labelled(room, round_number) {
        let (Some(x), Some(words)) = (middle(place.columns.span(column)), step(column)) else {
            continue;
        };
        if chosen_x.is_none_or(|it| (it - x).abs() >= room) {
            write(pos2(x, above), Align2::CENTER_BOTTOM, words, theme.weak);
        }
    }
    if let (Some(x), Some(words)) = (chosen_x, chosen.and_then(|it| step(it.1))) {
        write(pos2(x, above), Align2::CENTER_BOTTOM, words, theme.text);
    }
}
