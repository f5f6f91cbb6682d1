//! The rows of an answer as a table: sorted, copied, and followed to where they are about.

use std::sync::Arc;

use eframe::egui::Ui;
use engine::exporter::csv::quoted;
use engine::record::Value;
use engine::time::Interval;

use super::answer::AnsweredQuestion;
use super::cells::{SortedCell, exact, is_number};
use super::columns::ColumnWidths;
use super::follow::RowTarget;
use super::rows::AnswerGrid;
use crate::action::Action;
use crate::panel::Scene;

/// The rows of an answer, in an order.
#[derive(Default)]
pub struct AnswerTable {
    /// The answer that the rest is about.
    of: Option<Arc<AnsweredQuestion>>,
    /// The rows in order.
    pub order: Vec<usize>,
    /// The column by which they are sorted, and whether the largest comes first.
    pub by: Option<(usize, bool)>,
    /// Which columns have numbers alone.
    pub numbers: Vec<bool>,
    /// How wide the columns are.
    widths: ColumnWidths,
    /// The row that was followed last.
    pub chosen: Option<usize>,
    /// The range that it made the chosen one.
    marked: Option<Interval>,
}

impl AnswerTable {
    /// Turns to an answer, where it is another one.
    pub fn show(&mut self, answer: &Arc<AnsweredQuestion>) {
        if self.of.as_ref().is_some_and(|it| Arc::ptr_eq(it, answer)) {
            return;
        }
        let columns = 0..answer.columns.len();
        self.widths.turn_to(answer);
        *self = Self {
            numbers: columns.map(|it| is_number(answer, it)).collect(),
            order: (0..answer.rows.len()).collect(),
            of: Some(Arc::clone(answer)),
            widths: std::mem::take(&mut self.widths),
            marked: self.marked,
            ..Self::default()
        };
    }

    /// Whether a column has numbers alone.
    pub fn is_number(&self, column: usize) -> bool {
        self.numbers.get(column).copied().unwrap_or(false)
    }

    fn sort(&mut self, answer: &AnsweredQuestion, column: usize) {
        let is_descending = match self.by {
            Some((by, down)) if by == column => !down,
            // Of numbers the largest are asked about most.
            _ => self.is_number(column),
        };
        self.by = Some((column, is_descending));
        self.order = (0..answer.rows.len()).collect();
        let cell = |row: &usize| answer.rows.get(*row).and_then(|it| it.get(column)).cloned();
        self.order.sort_by_cached_key(|row| SortedCell {
            value: cell(row).flatten(),
            is_descending,
        });
    }

    /// Draws it.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        answer: &Arc<AnsweredQuestion>,
        actions: &mut Vec<Action>,
    ) {
        // Widths are kept by the id of what the table is shown in.
        let clicked = ui.scope(|ui| {
            let table = self.widths.fit(ui, answer);
            let rows = AnswerGrid::new(ui, scene.theme, (answer, self));
            rows.show(ui, table)
        });
        let clicked = clicked.inner;
        if let Some(column) = clicked.head {
            self.sort(answer, column);
            // What is on screen is still in the order before.
            ui.ctx().request_repaint();
        }
        if let Some((row, column)) = clicked.cell {
            self.chosen = Some(row);
            let target = RowTarget::of(answer, row, column);
            // A range that somebody chose by hand since then stays.
            let range = scene.state.selection.range;
            let left = self.marked.take().filter(|it| Some(*it) == range);
            actions.extend(target.actions(left));
            self.marked = target.range;
        }
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
