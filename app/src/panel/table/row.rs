//! One row of a table.

use eframe::egui::text::{LayoutJob, TextFormat, TextWrapping};
use eframe::egui::{
    Align2, CornerRadius, FontId, Painter, Rect, Role as WidgetRole, Sense, Ui, Vec2, WidgetInfo,
    pos2,
};

use super::{CellEmphasis, ROW, TableCell, TableColumn};
use crate::panel::Scene;
use crate::text;
use crate::theme::{BODY, GRID, MONO};

/// Shows a row, and says which of its columns was clicked.
pub fn show(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (columns, places): (&[TableColumn], &[(f32, f32)]),
    cells: &[TableCell],
    is_chosen: bool,
) -> Option<usize> {
    let theme = scene.theme;
    let size = Vec2::new(ui.available_width(), ROW);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let words = || {
        let texts = cells.iter().map(|cell| cell.text.as_str());
        texts.collect::<Vec<_>>().join(" · ")
    };
    response.widget_info(|| WidgetInfo::selected(WidgetRole::Button, true, is_chosen, words()));
    let fill = match (is_chosen, response.hovered()) {
        (true, _) => Some(theme.chosen),
        (false, true) => Some(theme.hovered),
        (false, false) => None,
    };
    if let Some(fill) = fill {
        ui.painter().rect_filled(rect, CornerRadius::same(4), fill);
    }
    let mut pointed = None;
    for (at, ((column, (left, width)), cell)) in columns.iter().zip(places).zip(cells).enumerate() {
        let from = pos2(rect.left() + left, rect.top());
        let place = Rect::from_min_size(from, Vec2::new(*width, ROW)).intersect(rect);
        if place.width() < 3.0 * GRID {
            continue;
        }
        let is_cut = write(&ui.painter_at(place), scene, place, (column, cell));
        let over = response.hover_pos().or(response.interact_pointer_pos());
        if over.is_some_and(|over| place.contains(over)) {
            pointed = Some((at, is_cut));
        }
    }
    let (at, is_cut) = pointed?;
    let cell = cells.get(at)?;
    if cell.ink == CellEmphasis::Link {
        ui.ctx()
            .set_cursor_icon(eframe::egui::CursorIcon::PointingHand);
    }
    let clicked = response.clicked();
    if is_cut {
        response.on_hover_text(&cell.text);
    }
    clicked.then_some(at)
}

/// Writes a cell, and says whether it did not fit.
fn write(
    painter: &Painter,
    scene: &Scene<'_>,
    place: Rect,
    (column, cell): (&TableColumn, &TableCell),
) -> bool {
    let theme = scene.theme;
    let colour = match cell.ink {
        CellEmphasis::Plain => theme.text,
        CellEmphasis::Weak => theme.weak,
        CellEmphasis::Link => theme.accent,
        CellEmphasis::Bad => theme.bad,
    };
    let font = if column.is_number {
        FontId::monospace(MONO)
    } else {
        FontId::proportional(BODY)
    };
    let mut left = place.left() + 2.0 * GRID;
    if let Some((sign, ink)) = cell.sign {
        sign.paint(painter, pos2(left + 6.0, place.center().y), ink);
        left += 5.0 * GRID;
    }
    let line = cell.text.lines().next().unwrap_or_default();
    let line = text::function_name(line);
    let is_short = line.len() < cell.text.len();
    let mut job = LayoutJob::single_section(line.into_owned(), TextFormat::simple(font, colour));
    job.wrap = TextWrapping::truncate_at_width(place.right() - left - GRID);
    let galley = painter.layout_job(job);
    let is_cut = galley.elided || is_short;
    let (at, align) = if column.is_number {
        (place.right() - 3.0 * GRID, Align2::RIGHT_CENTER)
    } else {
        (left, Align2::LEFT_CENTER)
    };
    let rect = align.anchor_size(pos2(at, place.center().y), galley.size());
    painter.galley(rect.min, galley, colour);
    is_cut
}
