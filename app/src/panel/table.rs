//! A table that sorts by its columns and draws only the rows in view.

mod chips;
mod filtered;
mod order;
mod row;

pub use filtered::{ChipState, FilteredTable, TableLine, TableRevision};
pub use order::{SortOrder, sorted};

use eframe::egui::{
    Align2, FontId, Rect, Role as WidgetRole, ScrollArea, Sense, Ui, Vec2, WidgetInfo, pos2,
};

use super::Scene;
use super::widgets::Sign;
use crate::theme::{GRID, SMALL};

/// The least width of a column that takes what the others leave, in points.
const LEAST: f32 = 110.0;

/// Height of a row, in points.
const ROW: f32 = 22.0;

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct TableColumn {
    /// What stands above it.
    pub title: &'static str,
    /// What it tells, for the pointer.
    pub help: &'static str,
    /// Its width in points, or the least where it takes what the others leave.
    pub width: f32,
    /// Whether it takes what the others leave.
    pub takes_rest: bool,
    /// Whether its values are numbers, written to the right.
    pub is_number: bool,
    /// Where there is no room for all columns the greatest of these goes first; 0 stays.
    pub spare: u8,
}

impl TableColumn {
    /// A column of text.
    pub const fn text(title: &'static str, help: &'static str, width: f32, spare: u8) -> Self {
        Self {
            title,
            help,
            width,
            takes_rest: false,
            is_number: false,
            spare,
        }
    }

    /// A column of text that takes what the others leave.
    pub const fn wide(title: &'static str, help: &'static str) -> Self {
        Self {
            takes_rest: true,
            ..Self::text(title, help, LEAST, 0)
        }
    }

    /// A column of numbers.
    pub const fn number(title: &'static str, help: &'static str, width: f32, spare: u8) -> Self {
        Self {
            is_number: true,
            ..Self::text(title, help, width, spare)
        }
    }
}

/// How important a cell is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CellEmphasis {
    /// As other text.
    #[default]
    Plain,
    /// Of less interest.
    Weak,
    /// It can be followed.
    Link,
    /// It went wrong.
    Bad,
}

/// A cell.
#[derive(Clone, Debug, Default)]
pub struct TableCell {
    /// What it says.
    pub text: String,
    /// What it is sorted by before its text; cells without come last.
    pub rank: Option<i64>,
    /// How important it is.
    pub ink: CellEmphasis,
    /// A sign in front of it, and its colour.
    pub sign: Option<(Sign, eframe::egui::Color32)>,
}

impl TableCell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// A quiet text.
    pub fn weak(text: impl Into<String>) -> Self {
        Self {
            ink: CellEmphasis::Weak,
            ..Self::text(text)
        }
    }

    /// A number as it is written; nothing where there is none.
    pub fn number(value: Option<i64>, write: impl Fn(i64) -> String) -> Self {
        Self {
            rank: value,
            ..Self::text(value.map_or_else(String::new, write))
        }
    }
}

/// Which row, and which column of it, was clicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableClick {
    /// The position of the row among those that were given.
    pub row: usize,
    /// The position of the column.
    pub column: usize,
}

/// Shows the titles and the rows `shown` of `lines`; a click on a title changes `order`.
pub fn show(
    ui: &mut Ui,
    scene: &Scene<'_>,
    columns: &[TableColumn],
    order: &mut SortOrder,
    (lines, shown, chosen): (&[Vec<TableCell>], &[usize], Option<usize>),
) -> Option<TableClick> {
    let places = places(columns, lines, ui.available_width() - 12.0);
    titles(ui, scene, columns, &places, order);
    let mut click = None;
    ui.spacing_mut().item_spacing.y = 0.0;
    let area = ScrollArea::vertical().auto_shrink(false);
    area.show_rows(ui, ROW, shown.len(), |ui, range| {
        for &line in shown.get(range).unwrap_or_default() {
            let Some(cells) = lines.get(line) else {
                continue;
            };
            let is_chosen = chosen == Some(line);
            let found = row::show(ui, scene, (columns, &places), cells, is_chosen);
            click = found
                .map(|column| TableClick { row: line, column })
                .or(click);
        }
    });
    click
}

/// Where each column begins and how wide it is, in points. Columns that say nothing have no width, nor have those
/// that can be spared where there is no room.
fn places(columns: &[TableColumn], lines: &[Vec<TableCell>], width: f32) -> Vec<(f32, f32)> {
    let says = |at: usize| {
        let mut cells = lines.iter().filter_map(|cells| cells.get(at));
        cells.any(|cell| !cell.text.is_empty())
    };
    let mut kept: Vec<bool> = (0..columns.len()).map(says).collect();
    let wide = |kept: &[bool]| -> f32 {
        let shown = columns.iter().zip(kept).filter(|(_, kept)| **kept);
        shown.map(|(column, _)| column.width).sum()
    };
    while wide(&kept) > width {
        let shown = columns.iter().zip(&mut kept);
        let spare = shown.filter(|(column, kept)| **kept && column.spare > 0);
        let Some((_, first)) = spare.max_by_key(|(column, _)| column.spare) else {
            break;
        };
        *first = false;
    }
    let open = columns
        .iter()
        .zip(&kept)
        .filter(|(column, kept)| **kept && column.takes_rest);
    let rest = (width - wide(&kept)).max(0.0) / open.count().max(1) as f32;
    let mut left = 0.0;
    let place = |(column, kept): (&TableColumn, &bool)| {
        let more = if column.takes_rest { rest } else { 0.0 };
        let own = if *kept { column.width + more } else { 0.0 };
        left += own;
        (left - own, own)
    };
    columns.iter().zip(&kept).map(place).collect()
}

fn titles(
    ui: &mut Ui,
    scene: &Scene<'_>,
    columns: &[TableColumn],
    places: &[(f32, f32)],
    order: &mut SortOrder,
) {
    let theme = scene.theme;
    let size = Vec2::new(ui.available_width(), 20.0);
    let (whole, _) = ui.allocate_exact_size(size, Sense::hover());
    for (at, (column, (left, width))) in columns.iter().zip(places).enumerate() {
        if *width == 0.0 {
            continue;
        }
        let from = pos2(whole.left() + left, whole.top());
        let rect = Rect::from_min_size(from, Vec2::new(*width, whole.height()));
        let id = ui.scope_id().with(("title", column.title));
        let response = ui.interact(rect.intersect(whole), id, Sense::click());
        response.widget_info(|| WidgetInfo::labeled(WidgetRole::Button, true, column.title));
        let is_sorted = order.column == at;
        let colour = if is_sorted || response.hovered() {
            theme.text
        } else {
            theme.weak
        };
        let sign = match (is_sorted, order.is_descending) {
            (true, true) => " ▼",
            (true, false) => " ▲",
            (false, _) => "",
        };
        let (at_x, align) = if column.is_number {
            (rect.right() - 3.0 * GRID, Align2::RIGHT_CENTER)
        } else {
            (rect.left() + 2.0 * GRID, Align2::LEFT_CENTER)
        };
        let font = FontId::proportional(SMALL);
        let words = format!("{}{sign}", column.title);
        let painter = ui.painter_at(rect.intersect(whole));
        painter.text(pos2(at_x, rect.center().y), align, words, font, colour);
        if response.clicked() {
            order.turn(at);
        }
        response.on_hover_text(column.help);
    }
    let line = eframe::egui::Stroke::new(1.0, theme.line);
    ui.painter().hline(whole.x_range(), whole.bottom(), line);
}
