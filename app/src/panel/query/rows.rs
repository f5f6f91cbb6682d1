//! An answer on screen: the heads of its columns, and the rows in view.

use std::sync::Arc;

use eframe::egui::text::{LayoutJob, TextFormat, TextWrapping};
use eframe::egui::{
    Align2, Color32, CornerRadius, CursorIcon, FontId, Galley, Rect, Response, Role as WidgetRole,
    Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2,
};
use egui_table::{CellInfo, HeaderCellInfo, Table, TableDelegate};
use engine::record::Value;

use super::answer::AnsweredQuestion;
use super::cells::{duration_words, shown};
use super::columns::TITLES;
use super::follow::{RowTarget, is_link};
use super::results::AnswerTable;
use crate::text;
use crate::theme::{GRID, MONO, SMALL, Theme};

/// Height of a row, in points.
const ROW: f32 = 20.0;
/// The most letters of a value in its hover card.
const CARD: usize = 2_000;

/// What was clicked in an answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnswerClick {
    /// The head of a column.
    pub head: Option<usize>,
    /// A row, and the column of it where the pointer was on one.
    pub cell: Option<(usize, Option<usize>)>,
}

/// An answer that is being shown.
pub struct AnswerGrid<'a> {
    theme: &'a Theme,
    answer: &'a AnsweredQuestion,
    table: &'a AnswerTable,
    /// How wide a letter is, in points.
    letter: f32,
    /// The place of the whole table.
    whole: Rect,
    /// The row that is being shown, by its place among all.
    row: Option<(usize, Response)>,
    /// The last row, by its place in the order.
    last: Option<u64>,
    clicked: AnswerClick,
}

impl<'a> AnswerGrid<'a> {
    /// The rows of an answer in the order of the table.
    pub fn new(
        ui: &Ui,
        theme: &'a Theme,
        (answer, table): (&'a AnsweredQuestion, &'a AnswerTable),
    ) -> Self {
        Self {
            theme,
            answer,
            table,
            letter: ui.fonts_mut(|fonts| fonts.glyph_width(&FontId::monospace(MONO), '0')),
            whole: ui.available_rect_before_wrap(),
            row: None,
            last: None,
            clicked: AnswerClick::default(),
        }
    }

    /// Draws them; says what was clicked.
    pub fn show(mut self, ui: &mut Ui, table: Table) -> AnswerClick {
        // The edge of a column shows where the pointer can move it.
        ui.visuals_mut().widgets.noninteractive.bg_stroke = Stroke::NONE;
        let rows = self.table.order.len() as u64;
        table.num_rows(rows).show(ui, &mut self);
        let line = Stroke::new(1.0, self.theme.line);
        let under = self.whole.top() + TITLES - 1.0;
        ui.painter().hline(self.whole.x_range(), under, line);
        self.clicked
    }

    fn head(&self, column: usize) -> &'a str {
        self.answer.columns.get(column).map_or("", String::as_str)
    }

    /// What stands behind the name of the column that rows are sorted by.
    fn sign(&self, column: usize) -> &'static str {
        match self.table.by {
            Some((by, true)) if by == column => " ▼",
            Some((by, false)) if by == column => " ▲",
            _ => "",
        }
    }

    /// Writes a text into a cell, numbers to the right.
    fn write(&self, ui: &mut Ui, column: usize, galley: Arc<Galley>) {
        let place = ui.max_rect().shrink2([GRID, 0.0].into());
        if ui.is_sizing_pass() {
            ui.allocate_space(galley.size() + [2.0 * GRID, 0.0].into());
            return;
        }
        let (at, align) = if self.table.is_number(column) {
            (place.right(), Align2::RIGHT_CENTER)
        } else {
            (place.left(), Align2::LEFT_CENTER)
        };
        let rect = align.anchor_size(pos2(at, place.center().y), galley.size());
        ui.painter().galley(rect.min, galley, self.theme.text);
    }

    /// What the pointer is told about a cell: its value where that was cut, and how long a time is.
    fn card(&self, column: usize, value: &Value, is_cut: bool) -> Option<String> {
        let time = duration_words(self.head(column), value);
        let whole = is_cut.then(|| match value {
            Value::Text(text) => text.chars().take(CARD).collect(),
            other => shown(Some(other)),
        });
        match (whole, time) {
            (Some(whole), Some(time)) => Some(format!("{whole} = {time}")),
            (whole, time) => whole.or(time),
        }
    }

    /// A value in one line that has room, without its middle where it is longer: the names of kernels differ at their ends.
    fn words(&self, ui: &Ui, value: Option<&Value>) -> (String, bool) {
        let words = shown(value);
        let room = (ui.max_rect().width() - 2.0 * GRID) / self.letter;
        let room = room.floor().max(1.0) as usize;
        let is_text = matches!(value, Some(Value::Text(_)));
        if !is_text || ui.is_sizing_pass() || words.chars().count() <= room {
            return (words, false);
        }
        (text::shorten(&words, room), true)
    }
}

/// A text in the room of a cell, cut with an ellipsis where it is longer.
fn fitted(ui: &Ui, words: String, (font, colour): (FontId, Color32)) -> Arc<Galley> {
    let mut job = LayoutJob::single_section(words, TextFormat::simple(font, colour));
    if !ui.is_sizing_pass() {
        let room = ui.max_rect().width() - 2.0 * GRID;
        job.wrap = TextWrapping::truncate_at_width(room.max(1.0));
    }
    ui.painter().layout_job(job)
}

impl TableDelegate for AnswerGrid<'_> {
    fn default_row_height(&self) -> f32 {
        ROW
    }

    fn header_cell_ui(&mut self, ui: &mut Ui, cell: &HeaderCellInfo) {
        let column = cell.col_range.start;
        let name = self.head(column);
        let response = ui.interact(ui.max_rect(), ui.scope_id().with("head"), Sense::click());
        let label = format!("Sort by {name}");
        response.widget_info(|| WidgetInfo::labeled(WidgetRole::Button, true, &label));
        let is_lit = response.hovered() || !self.sign(column).is_empty();
        let colour = if is_lit {
            self.theme.text
        } else {
            self.theme.weak
        };
        let words = format!("{name}{}", self.sign(column));
        let font = FontId::proportional(SMALL + 1.0);
        let galley = fitted(ui, words, (font, colour));
        let is_cut = galley.elided;
        self.write(ui, column, galley);
        let mut response = response.on_hover_cursor(CursorIcon::PointingHand);
        if is_cut {
            response = response.on_hover_text(name);
        }
        if response.clicked() {
            self.clicked.head = Some(column);
        }
    }

    fn row_ui(&mut self, ui: &mut Ui, place: u64) {
        let order = usize::try_from(place).ok();
        let Some(row) = order.and_then(|it| self.table.order.get(it)).copied() else {
            return;
        };
        let rect = Rect::from_x_y_ranges(self.whole.x_range(), ui.max_rect().y_range());
        let rect = rect.intersect(ui.clip_rect());
        let is_chosen = self.table.chosen == Some(row);
        // Rows are shown a second time for columns that stay, of which there are none here.
        if self.last.is_some_and(|last| place <= last) {
            self.row = None;
            return;
        }
        self.last = Some(place);
        let response = ui.interact(rect, ui.scope_id().with("row"), Sense::click());
        let values = self.answer.rows.get(row);
        response.widget_info(|| {
            let values = values.into_iter().flatten();
            let words: Vec<String> = values.map(|it| text::sql_value(it.as_ref())).collect();
            WidgetInfo::selected(WidgetRole::Button, true, is_chosen, words.join(" "))
        });
        let corners = CornerRadius::same(2);
        if is_chosen {
            ui.painter().rect_filled(rect, corners, self.theme.chosen);
        } else if response.hovered() {
            ui.painter().rect_filled(rect, corners, self.theme.hovered);
        }
        if response.has_focus() {
            let line = Stroke::new(1.0, self.theme.accent);
            ui.painter()
                .rect_stroke(rect, corners, line, StrokeKind::Inside);
        }
        if response.hovered() && RowTarget::of(self.answer, row, None).is_some() {
            ui.ctx().set_cursor_icon(CursorIcon::PointingHand);
        }
        if response.clicked() {
            self.clicked.cell = Some((row, None));
        }
        self.row = Some((row, response));
    }

    fn cell_ui(&mut self, ui: &mut Ui, cell: &CellInfo) {
        let Some((row, response)) = self.row.clone() else {
            return;
        };
        let column = cell.col_nr;
        let value = self.answer.rows.get(row).and_then(|it| it.get(column));
        let value = value.and_then(Option::as_ref);
        let colour = match value {
            None => self.theme.weak,
            Some(_) if is_link(self.answer, row, column) => self.theme.accent,
            Some(_) => self.theme.text,
        };
        let (words, is_short) = self.words(ui, value);
        let galley = fitted(ui, words, (FontId::monospace(MONO), colour));
        let is_cut = is_short || galley.elided;
        self.write(ui, column, galley);
        let pointer = response.hover_pos().or(response.interact_pointer_pos());
        if !pointer.is_some_and(|it| ui.clip_rect().contains(it)) {
            return;
        }
        if response.clicked() {
            self.clicked.cell = Some((row, Some(column)));
        }
        if let Some(card) = value.and_then(|it| self.card(column, it, is_cut)) {
            response.on_hover_text_at_pointer(card);
        }
    }
}
