//! The rows of an answer as a table: sorted, copied, and followed to where they are about.

use std::cmp::Ordering;
use std::sync::Arc;

use eframe::egui::{
    Align2, CursorIcon, FontId, Rect, Role as WidgetRole, ScrollArea, Sense, Ui, Vec2, WidgetInfo,
    pos2,
};
use engine::exporter::csv::quoted;
use engine::record::{SpanId, Value};
use engine::time::{Interval, Nanos};

use super::answer::AnsweredQuestion;
use crate::action::Action;
use crate::panel::Scene;
use crate::theme::{GRID, MONO, SMALL};

/// Height of a row, in points.
const ROW: f32 = 20.0;
/// Rows that decide how wide a column is.
const LOOKED: usize = 300;
/// The fewest and the most letters of a column.
const LETTERS: (usize, usize) = (5, 48);

/// The rows of an answer, in an order.
#[derive(Default)]
pub struct AnswerTable {
    /// The answer that the rest is about.
    of: Option<Arc<AnsweredQuestion>>,
    /// The rows in order.
    order: Vec<usize>,
    /// The column by which they are sorted, and whether the largest comes first.
    by: Option<(usize, bool)>,
    /// Letters of each column.
    widths: Vec<usize>,
    /// The row that was followed last.
    chosen: Option<usize>,
}

impl AnswerTable {
    /// Turns to an answer, where it is another one.
    pub fn show(&mut self, answer: &Arc<AnsweredQuestion>) {
        if self.of.as_ref().is_some_and(|it| Arc::ptr_eq(it, answer)) {
            return;
        }
        let widths = answer.columns.iter().enumerate().map(|(at, name)| {
            let rows = answer.rows.iter().take(LOOKED);
            let cells = rows.filter_map(|row| row.get(at));
            let letters = cells.map(|it| shown(it.as_ref()).chars().count()).max();
            let most = letters.unwrap_or(0).max(name.chars().count() + 2);
            most.clamp(LETTERS.0, LETTERS.1)
        });
        *self = Self {
            widths: widths.collect(),
            order: (0..answer.rows.len()).collect(),
            of: Some(Arc::clone(answer)),
            ..Self::default()
        };
    }

    fn sort(&mut self, answer: &AnsweredQuestion, column: usize) {
        let down = match self.by {
            Some((by, down)) if by == column => !down,
            // Of numbers the largest are asked about most.
            _ => is_number(answer, column),
        };
        self.by = Some((column, down));
        self.order = (0..answer.rows.len()).collect();
        let cell = |row: &usize| answer.rows.get(*row).and_then(|it| it.get(column)).cloned();
        self.order
            .sort_by_cached_key(|row| SortedCell(cell(row).flatten(), down));
    }

    /// Draws it.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        answer: &Arc<AnsweredQuestion>,
        actions: &mut Vec<Action>,
    ) {
        let letter = ui.fonts_mut(|fonts| fonts.glyph_width(&FontId::monospace(MONO), '0'));
        let widths: Vec<f32> = self
            .widths
            .iter()
            .map(|it| (*it as f32 + 1.0) * letter + 2.0 * GRID)
            .collect();
        let whole: f32 = widths.iter().sum();
        ScrollArea::horizontal()
            .id_salt("columns of the answer")
            .auto_shrink(false)
            .show(ui, |ui| {
                ui.spacing_mut().item_spacing = Vec2::ZERO;
                self.heads(ui, scene, answer, &widths);
                ScrollArea::vertical()
                    .id_salt("rows of the answer")
                    .auto_shrink(false)
                    .show_rows(ui, ROW, answer.rows.len(), |ui, range| {
                        for place in range {
                            let Some(row) = self.order.get(place).copied() else {
                                continue;
                            };
                            let size = Vec2::new(whole.max(ui.available_width()), ROW);
                            if self.row(ui, scene, (answer, row), (size, &widths)) {
                                self.chosen = Some(row);
                                actions.extend(follow(answer, row));
                            }
                        }
                    });
            });
    }

    fn heads(&mut self, ui: &mut Ui, scene: &Scene<'_>, answer: &AnsweredQuestion, widths: &[f32]) {
        let mut sorted = None;
        ui.horizontal(|ui| {
            for (at, (name, width)) in answer.columns.iter().zip(widths).enumerate() {
                let (rect, response) =
                    ui.allocate_exact_size(Vec2::new(*width, ROW), Sense::click());
                let mark = match self.by {
                    Some((by, true)) if by == at => " ▼",
                    Some((by, false)) if by == at => " ▲",
                    _ => "",
                };
                let words = format!("{name}{mark}");
                let label = format!("Sort by {name}");
                response.widget_info(|| WidgetInfo::labeled(WidgetRole::Button, true, &label));
                let font = FontId::proportional(SMALL + 1.0);
                let words = (words.as_str(), is_number(answer, at));
                cell(ui, rect, words, font, scene.theme.weak);
                if response.on_hover_cursor(CursorIcon::PointingHand).clicked() {
                    sorted = Some(at);
                }
            }
        });
        if let Some(column) = sorted {
            self.sort(answer, column);
        }
    }

    /// Draws a row; says whether it was clicked.
    fn row(
        &self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        (answer, row): (&AnsweredQuestion, usize),
        (size, widths): (Vec2, &[f32]),
    ) -> bool {
        let theme = scene.theme;
        let Some(values) = answer.rows.get(row) else {
            return false;
        };
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let is_led = !follow(answer, row).is_empty();
        if self.chosen == Some(row) {
            ui.painter().rect_filled(rect, 2, theme.chosen);
        } else if response.hovered() {
            ui.painter().rect_filled(rect, 2, theme.hovered);
        }
        let mut left = rect.left();
        for (at, (value, width)) in values.iter().zip(widths).enumerate() {
            let area = Rect::from_min_size(pos2(left, rect.top()), Vec2::new(*width, ROW));
            let colour = match value {
                None => theme.weak,
                Some(_) if is_led && leads(answer.columns.get(at)) => theme.accent,
                Some(_) => theme.text,
            };
            let words = shown(value.as_ref());
            let font = FontId::monospace(MONO);
            cell(ui, area, (&words, is_number(answer, at)), font, colour);
            left += width;
        }
        response.widget_info(|| {
            let words: Vec<String> = values.iter().map(|it| shown(it.as_ref())).collect();
            WidgetInfo::labeled(WidgetRole::Button, true, words.join(" "))
        });
        let cursor = if is_led {
            CursorIcon::PointingHand
        } else {
            CursorIcon::Default
        };
        response.on_hover_cursor(cursor).clicked()
    }

    /// All rows in their order, with tabs between their values.
    pub fn tabbed(&self, answer: &AnsweredQuestion) -> String {
        let plain = |text: &str| text.replace(['\t', '\n', '\r'], " ");
        self.lines(answer, "\t", |value| plain(&exact(value)))
    }

    /// All rows in their order as comma-separated values.
    pub fn csv(&self, answer: &AnsweredQuestion) -> String {
        self.lines(answer, ",", |value| match value {
            Some(Value::Text(text)) => quoted(text),
            other => exact(other),
        })
    }

    fn lines(
        &self,
        answer: &AnsweredQuestion,
        between: &str,
        write: impl Fn(Option<&Value>) -> String,
    ) -> String {
        let heads = answer.columns.iter();
        let heads: Vec<String> = heads
            .map(|it| write(Some(&Value::Text(it.as_str().into()))))
            .collect();
        let mut text = heads.join(between);
        text.push('\n');
        for row in self.order.iter().filter_map(|it| answer.rows.get(*it)) {
            let values: Vec<String> = row.iter().map(|it| write(it.as_ref())).collect();
            text.push_str(&values.join(between));
            text.push('\n');
        }
        text
    }
}

/// A value in an order: numbers before texts, and what is nothing last.
struct SortedCell(Option<Value>, bool);

impl SortedCell {
    fn compare(&self, other: &Self) -> Ordering {
        let number = |value: &Value| match value {
            Value::Integer(value) => Some(*value as f64),
            Value::Number(value) => Some(*value),
            Value::Text(_) => None,
        };
        let order = match (&self.0, &other.0) {
            (None, None) => return Ordering::Equal,
            (None, _) => return Ordering::Greater,
            (_, None) => return Ordering::Less,
            (Some(Value::Integer(a)), Some(Value::Integer(b))) => a.cmp(b),
            (Some(Value::Text(a)), Some(Value::Text(b))) => a.cmp(b),
            (Some(a), Some(b)) => match (number(a), number(b)) {
                (Some(a), Some(b)) => a.total_cmp(&b),
                (Some(_), None) => Ordering::Less,
                (None, _) => Ordering::Greater,
            },
        };
        if self.1 { order.reverse() } else { order }
    }
}

impl PartialEq for SortedCell {
    fn eq(&self, other: &Self) -> bool {
        self.compare(other) == Ordering::Equal
    }
}

impl Eq for SortedCell {}

impl PartialOrd for SortedCell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SortedCell {
    fn cmp(&self, other: &Self) -> Ordering {
        self.compare(other)
    }
}

/// Writes a text into an area, numbers to the right, cut where there is no room.
fn cell(
    ui: &Ui,
    area: Rect,
    (words, is_number): (&str, bool),
    font: FontId,
    colour: eframe::egui::Color32,
) {
    let inner = area.shrink2(Vec2::new(GRID, 0.0));
    let painter = ui.painter().with_clip_rect(inner.intersect(ui.clip_rect()));
    let (place, align) = if is_number {
        (inner.right_center(), Align2::RIGHT_CENTER)
    } else {
        (inner.left_center(), Align2::LEFT_CENTER)
    };
    painter.text(place, align, words, font, colour);
}

/// Whether a column has numbers alone.
fn is_number(answer: &AnsweredQuestion, column: usize) -> bool {
    let mut rows = answer.rows.iter().take(LOOKED);
    !rows.any(|row| matches!(row.get(column), Some(Some(Value::Text(_)))))
}

/// A value for people.
fn shown(value: Option<&Value>) -> String {
    match value {
        None => "NULL".to_owned(),
        Some(Value::Number(value)) if *value != 0.0 && value.abs() < 0.001 => {
            format!("{value:.3e}")
        }
        Some(Value::Number(value)) => format!("{value:.3}"),
        Some(Value::Integer(value)) => value.to_string(),
        Some(Value::Text(text)) => text.replace(['\n', '\r', '\t'], " "),
    }
}

/// A value with every digit.
fn exact(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::Integer(value)) => value.to_string(),
        Some(Value::Number(value)) => value.to_string(),
        Some(Value::Text(text)) => text.to_string(),
    }
}

/// Whether a column leads to the timeline.
fn leads(name: Option<&String>) -> bool {
    name.is_some_and(|it| ["id", "span_id", "ts"].contains(&it.as_str()))
}

/// Where a row leads: to its span by `id` or `span_id`, and to its range by `ts` and `dur`.
fn follow(answer: &AnsweredQuestion, row: usize) -> Vec<Action> {
    let number = |name: &str| {
        let value = answer.rows.get(row)?.get(answer.column(name)?)?;
        match value {
            Some(Value::Integer(value)) => Some(*value),
            _ => None,
        }
    };
    let span = number("span_id").or_else(|| number("id"));
    let span = span.and_then(|it| u32::try_from(it).ok()).map(SpanId);
    let range = number("ts").map(|start| {
        let end = start.saturating_add(number("dur").unwrap_or(0).max(0));
        Interval::new(Nanos(start), Nanos(end))
    });
    match (span, range) {
        (Some(span), None) => vec![Action::Reveal(span)],
        (Some(span), Some(range)) => vec![Action::SelectRange(Some(range)), Action::Reveal(span)],
        (None, Some(range)) => Action::visit(range),
        (None, None) => Vec::new(),
    }
}
