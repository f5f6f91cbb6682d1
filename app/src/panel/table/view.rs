//! A table on screen: its titles, and the rows in view.

use std::sync::Arc;

use eframe::egui::text::{LayoutJob, TextFormat, TextWrapping};
use eframe::egui::{
    Align2, Color32, CornerRadius, FontId, Galley, Id, Rect, Response, Role as WidgetRole, Sense,
    Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2,
};
use egui_table::{CellInfo, Column, HeaderCellInfo, HeaderRow, Table, TableDelegate, TableState};

use super::{CellEmphasis, SortOrder, TableCell, TableClick, TableColumn};
use crate::panel::Scene;
use crate::panel::widgets::shortened;
use crate::text;
use crate::theme::{BODY, GRID, MONO, SMALL};

/// Height of a row, in points.
const ROW: f32 = 22.0;
/// Height of the titles, in points.
const TITLES: f32 = 25.0;
/// How far under their top the line below the titles is, in points.
const UNDER: f32 = 22.0;
/// What the bar takes that scrolls the rows, in points.
const BAR: f32 = 12.0;
/// No column is made narrower, in points.
const NARROWEST: f32 = 36.0;
/// The first column takes no more than this for its texts where the others leave nothing, in points.
const WIDEST: f32 = 220.0;
/// So many of its texts are measured.
const MEASURED: usize = 100;

/// Shows the titles and the rows `shown` of `lines`; a click on a title changes `order`. The first column stays where the
/// others are scrolled.
pub fn show(
    ui: &mut Ui,
    scene: &Scene<'_>,
    columns: &[TableColumn],
    order: &mut SortOrder,
    (lines, shown, chosen): (&[Vec<TableCell>], &[usize], Option<usize>),
) -> Option<TableClick> {
    // A line below titles of which there are none would say nothing.
    if lines.is_empty() {
        return None;
    }
    let mut view = TableView {
        scene,
        columns,
        kept: telling(columns, lines),
        order,
        rows: (lines, shown, chosen),
        whole: ui.available_rect_before_wrap(),
        row: None,
        focused: None,
        last: (None, false),
        click: None,
    };
    ui.scope(|ui| view.show(ui));
    view.click
}

/// Around what has the focus.
fn ring(ui: &Ui, rect: Rect, scene: &Scene<'_>) {
    let line = Stroke::new(1.0, scene.theme.accent);
    ui.painter()
        .rect_stroke(rect, CornerRadius::same(4), line, StrokeKind::Inside);
}

/// A table with the columns that are shown.
fn framed(ui: &Ui, (columns, kept): (&[TableColumn], &[usize]), lines: &[Vec<TableCell>]) -> Table {
    let titles: Vec<&str> = columns.iter().map(|it| it.title).collect();
    let table = Table::new().id_salt(titles);
    fit(ui, table.get_id(ui), (columns, kept), lines);
    let of = |at: &usize| columns.get(*at).map(column);
    table
        .columns(kept.iter().filter_map(of).collect::<Vec<_>>())
        .headers([HeaderRow::new(TITLES)])
        .num_sticky_cols(usize::from(kept.len() > 2))
}

/// The positions of the columns in which some row says anything.
fn telling(columns: &[TableColumn], lines: &[Vec<TableCell>]) -> Vec<usize> {
    let says = |at: &usize| {
        let mut cells = lines.iter().filter_map(|cells| cells.get(*at));
        cells.any(|cell| !cell.text.is_empty())
    };
    (0..columns.len()).filter(says).collect()
}

fn id(column: &TableColumn) -> Id {
    Id::unique(column.title)
}

fn column(of: &TableColumn) -> Column {
    Column::new(of.width)
        .range(NARROWEST..=f32::INFINITY)
        .id(id(of))
}

/// The width at which the first column shows its texts whole, in points, unless they are long. It says what each row is about.
fn of_texts(ui: &Ui, at: usize, lines: &[Vec<TableCell>]) -> f32 {
    let texts = lines.iter().take(MEASURED).filter_map(|it| it.get(at));
    let width = |cell: &TableCell| {
        let font = FontId::proportional(BODY);
        let text = ui
            .painter()
            .layout_no_wrap(cell.text.clone(), font, Color32::WHITE);
        text.size().x
    };
    let widest = texts.map(width).fold(0.0, f32::max) + 6.0 * GRID;
    widest.min(WIDEST).ceil()
}

/// Gives columns that are new their width. Where that of the table has changed, some columns share again what the others
/// leave.
fn fit(ui: &Ui, table: Id, (columns, kept): (&[TableColumn], &[usize]), lines: &[Vec<TableCell>]) {
    let whole = ui.available_width();
    let mut state = TableState::load(ui.ctx(), table).unwrap_or_default();
    let first = kept.first().copied().unwrap_or_default();
    let kept = || kept.iter().filter_map(|at| Some((*at, columns.get(*at)?)));
    let is_new = |(_, it): (usize, &TableColumn)| !state.col_widths.contains_key(&id(it));
    if state.parent_width == Some(whole) && !kept().any(is_new) {
        return;
    }
    let texts = of_texts(ui, first, lines);
    let least = |at: usize, own: &TableColumn| {
        if at == first && own.takes_rest {
            own.width.max(texts)
        } else {
            own.width
        }
    };
    for (at, own) in kept() {
        let width = state.col_widths.entry(id(own)).or_insert(own.width);
        if own.takes_rest {
            *width = least(at, own);
        }
    }
    let widths = || kept().filter_map(|(_, it)| state.col_widths.get(&id(it)));
    let used: f32 = widths().sum();
    let open = kept().filter(|(_, it)| it.takes_rest).count().max(1);
    let more = ((whole - BAR - used) / open as f32).max(0.0).floor();
    for (at, own) in kept().filter(|(_, it)| it.takes_rest) {
        state.col_widths.insert(id(own), least(at, own) + more);
    }
    state.parent_width = Some(whole);
    state.store(ui.ctx(), table);
}

/// A table that is being shown.
struct TableView<'a> {
    scene: &'a Scene<'a>,
    columns: &'a [TableColumn],
    /// The positions of the columns that are shown.
    kept: Vec<usize>,
    order: &'a mut SortOrder,
    rows: (&'a [Vec<TableCell>], &'a [usize], Option<usize>),
    /// The place of the whole table.
    whole: Rect,
    /// The row that is shown, where the pointer is on it.
    row: Option<Response>,
    /// The row that has the focus.
    focused: Option<u64>,
    /// The last row, and whether rows are shown a second time, for the column that stays.
    last: (Option<u64>, bool),
    click: Option<TableClick>,
}

impl<'a> TableView<'a> {
    /// Shows the table, a line below its titles, and one beside the column that stays.
    fn show(&mut self, ui: &mut Ui) {
        // The edge of a column shows where the pointer can move it.
        ui.visuals_mut().widgets.noninteractive.bg_stroke = Stroke::NONE;
        let table =
            framed(ui, (self.columns, &self.kept), self.rows.0).num_rows(self.rows.1.len() as u64);
        let state = table.get_id(ui);
        table.show(ui, self);
        let (whole, line) = (self.whole, Stroke::new(1.0, self.scene.theme.line));
        let under = whole.top() + UNDER;
        ui.painter().hline(whole.x_range(), under, line);
        let state = TableState::load(ui.ctx(), state).unwrap_or_default();
        let widths = || self.kept.iter().filter_map(|at| self.columns.get(*at));
        let width = |it: &TableColumn| state.col_widths.get(&id(it)).copied();
        let used: f32 = widths().filter_map(width).sum();
        if let Some(first) = widths().next().and_then(width)
            && used > whole.width()
        {
            ui.painter()
                .vline(whole.left() + first, whole.y_range(), line);
        }
    }

    /// The position of a row among all, and its cells.
    fn line(&self, row: u64) -> Option<(usize, &'a [TableCell])> {
        let (lines, shown, _) = self.rows;
        let line = *shown.get(usize::try_from(row).ok()?)?;
        Some((line, lines.get(line)?))
    }

    /// What stands behind the title of the column that rows are sorted by.
    fn sign(&self, column: usize) -> &'static str {
        match (self.order.column == column, self.order.is_descending) {
            (true, true) => " ▼",
            (true, false) => " ▲",
            (false, _) => "",
        }
    }

    fn column(&self, place: usize) -> Option<(usize, &'a TableColumn)> {
        let at = *self.kept.get(place)?;
        Some((at, self.columns.get(at)?))
    }

    /// Shows that a row is chosen, pointed at, or has the focus.
    fn fill(&mut self, ui: &Ui, rect: Rect, (row, is_chosen): (u64, bool)) {
        let theme = self.scene.theme;
        let is_pointed = ui.ctx().rect_contains_pointer(ui.layer_id(), rect);
        let fill = match (is_chosen, is_pointed) {
            (true, _) => Some(theme.chosen),
            (false, true) => Some(theme.hovered),
            (false, false) => None,
        };
        if let Some(fill) = fill {
            ui.painter().rect_filled(rect, CornerRadius::same(4), fill);
        }
        if self.row.as_ref().is_some_and(Response::has_focus) {
            self.focused = Some(row);
        }
        if self.focused == Some(row) {
            ring(ui, rect, self.scene);
        }
    }

    /// A row as something to click, which the focus and a screen reader come to once.
    fn interact(
        &mut self,
        ui: &Ui,
        row: u64,
        (rect, is_chosen): (Rect, bool),
        cells: &[TableCell],
    ) {
        let is_again = self.last.1 || self.last.0.is_some_and(|last| row <= last);
        self.last = (Some(row), is_again);
        let sense = if is_again {
            Sense::CLICK
        } else {
            Sense::click()
        };
        let response = ui.interact(rect, ui.scope_id().with(("row", is_again)), sense);
        if !is_again {
            let words = || {
                let texts = cells.iter().map(|cell| cell.text.as_str());
                texts.collect::<Vec<_>>().join(" · ")
            };
            response
                .widget_info(|| WidgetInfo::selected(WidgetRole::Button, true, is_chosen, words()));
        }
        self.row = Some(response);
    }
}

impl TableDelegate for TableView<'_> {
    fn default_row_height(&self) -> f32 {
        ROW
    }

    fn header_cell_ui(&mut self, ui: &mut Ui, cell: &HeaderCellInfo) {
        let Some((at, column)) = self.column(cell.col_range.start) else {
            return;
        };
        let theme = self.scene.theme;
        let rect = ui.max_rect();
        let response = ui.interact(rect, ui.scope_id().with("title"), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(WidgetRole::Button, true, column.title));
        let is_sorted = self.order.column == at;
        let colour = if is_sorted || response.hovered() {
            theme.text
        } else {
            theme.weak
        };
        let words = format!("{}{}", column.title, self.sign(at));
        let font = FontId::proportional(SMALL);
        let galley = ui.painter().layout_no_wrap(words, font, colour);
        write(ui, (column, 2.0 * GRID), galley);
        if response.has_focus() {
            ring(ui, rect, self.scene);
        }
        if response.clicked() {
            self.order.turn(at, column.is_number);
        }
        response.on_hover_text(column.help);
    }

    fn row_ui(&mut self, ui: &mut Ui, row: u64) {
        let Some((line, cells)) = self.line(row) else {
            return;
        };
        let rect = Rect::from_x_y_ranges(self.whole.x_range(), ui.max_rect().y_range());
        let is_chosen = self.rows.2 == Some(line);
        self.interact(ui, row, (rect, is_chosen), cells);
        self.fill(ui, rect, (row, is_chosen));
        let is_by_key = |it: &Response| it.clicked() && it.interact_pointer_pos().is_none();
        if self.row.as_ref().is_some_and(is_by_key) {
            // No pointer says on which cell: it is the first that leads anywhere.
            let first = cells.iter().position(|it| it.ink == CellEmphasis::Link);
            self.click = Some(TableClick {
                row: line,
                column: first.unwrap_or(0),
            });
        }
    }

    fn cell_ui(&mut self, ui: &mut Ui, cell: &CellInfo) {
        let Some((line, cells)) = self.line(cell.row_nr) else {
            return;
        };
        let Some((at, column)) = self.column(cell.col_nr) else {
            return;
        };
        let Some(own) = cells.get(at) else { return };
        let is_cut = write_cell(ui, self.scene, (column, own));
        let Some(response) = &self.row else { return };
        let pointer = response.hover_pos().or(response.interact_pointer_pos());
        if !pointer.is_some_and(|it| ui.clip_rect().contains(it)) {
            return;
        }
        if own.ink == CellEmphasis::Link {
            ui.ctx()
                .set_cursor_icon(eframe::egui::CursorIcon::PointingHand);
        }
        if is_cut {
            response.clone().on_hover_text(&own.text);
        }
        if response.clicked() {
            self.click = Some(TableClick {
                row: line,
                column: at,
            });
        }
    }
}

fn colour(scene: &Scene<'_>, ink: CellEmphasis) -> Color32 {
    let theme = scene.theme;
    match ink {
        CellEmphasis::Plain => theme.text,
        CellEmphasis::Weak => theme.weak,
        CellEmphasis::Link => theme.accent,
        CellEmphasis::Bad => theme.bad,
    }
}

/// Writes a cell, and says whether it did not fit.
fn write_cell(ui: &mut Ui, scene: &Scene<'_>, (column, cell): (&TableColumn, &TableCell)) -> bool {
    let colour = colour(scene, cell.ink);
    let font = if column.is_number {
        FontId::monospace(MONO)
    } else {
        FontId::proportional(BODY)
    };
    let place = ui.max_rect();
    let mut left = 2.0 * GRID;
    if let Some((sign, ink)) = cell.sign {
        let at = pos2(place.left() + left + 6.0, place.center().y);
        sign.paint(ui.painter(), at, ink);
        left += 5.0 * GRID;
    }
    let line = cell.text.lines().next().unwrap_or_default();
    let line = text::function_name(line);
    let room = place.width() - left - GRID;
    // Numbers are in a font of their own, and never long.
    let fitted = !ui.is_sizing_pass() && !column.is_number;
    let fitted = fitted.then(|| shortened(ui, &line, room)).flatten();
    let is_short = line.len() < cell.text.len() || fitted.is_some();
    let line = fitted.unwrap_or_else(|| line.into_owned());
    let mut job = LayoutJob::single_section(line, TextFormat::simple(font, colour));
    if !ui.is_sizing_pass() {
        job.wrap = TextWrapping::truncate_at_width(room);
    }
    let galley = ui.painter().layout_job(job);
    let is_cut = galley.elided || is_short;
    write(ui, (column, left), galley);
    is_cut
}

/// Writes a text into the place of a cell, numbers to the right; one that is fitted takes the room that it needs.
fn write(ui: &mut Ui, (column, left): (&TableColumn, f32), galley: Arc<Galley>) {
    let place = ui.max_rect();
    if ui.is_sizing_pass() {
        let room = Vec2::new(galley.size().x + left + 3.0 * GRID, 0.0);
        ui.allocate_space(room);
        return;
    }
    let (at, align) = if column.is_number {
        (place.right() - 3.0 * GRID, Align2::RIGHT_CENTER)
    } else {
        (place.left() + left, Align2::LEFT_CENTER)
    };
    let rect = align.anchor_size(pos2(at, place.center().y), galley.size());
    let plain = ui.visuals().text_color();
    ui.painter().galley(rect.min, galley, plain);
}
