//! An answer as a plot: the numbers of some columns over another one, or over its rows.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::{ComboBox, RichText, Ui};
use egui_plot::{Bar, BarChart, GridMark, HoverPosition, Legend, Line, Plot, PlotPoints};
use engine::record::{Role, Value};

use super::answer::AnsweredQuestion;
use super::axes::AxisNumbers;
use super::cells::is_time;
use crate::panel::Scene;
use crate::text;
use crate::theme::GRID;

/// Colours of the columns that are drawn; no more columns than these are drawn at once.
const ROLES: &[Role] = &[
    Role::Compute,
    Role::HostToDevice,
    Role::DeviceToHost,
    Role::Collective,
    Role::Barrier,
    Role::DeviceToDevice,
];
/// Room for the marks beside the plot, in points.
const MARKS: f32 = 64.0;
/// Room for the half of the last mark below the plot, in points.
const HALF: f32 = 24.0;
/// How wide a bar is, of the room that a row has.
const BAR: f64 = 0.8;

/// The number in a cell.
fn number(value: Option<&Option<Value>>) -> Option<f64> {
    match value? {
        Some(Value::Integer(value)) => Some(*value as f64),
        Some(Value::Number(value)) if value.is_finite() => Some(*value),
        _ => None,
    }
}

/// Whether a column says where or which, and not how much.
fn is_place(name: &str) -> bool {
    ["id", "rank", "last_rank"].contains(&name) || name.ends_with("_id")
}

/// The columns that have numbers, places left out.
pub fn number_columns(answer: &AnsweredQuestion) -> Vec<usize> {
    let has = |at: &usize| {
        let mut cells = answer.rows.iter().map(|row| number(row.get(*at)));
        !is_place(name(answer, *at)) && cells.any(|it| it.is_some())
    };
    (0..answer.columns.len()).filter(has).collect()
}

fn name(answer: &AnsweredQuestion, column: usize) -> &str {
    answer.columns.get(column).map_or("", String::as_str)
}

fn numbers(answer: &AnsweredQuestion, column: Option<usize>) -> AxisNumbers {
    match column {
        None => AxisNumbers::Rows,
        Some(column) if is_time(name(answer, column)) => AxisNumbers::Times,
        Some(_) => AxisNumbers::Plain,
    }
}

/// The column that the others are drawn over without anybody's word: `ts`, `step`, or the first where there are only numbers.
fn first_x(answer: &AnsweredQuestion, all: &[usize]) -> Option<usize> {
    let named = |name: &str| answer.column(name).filter(|it| all.contains(it));
    let is_text = |it: &Option<Value>| matches!(it, Some(Value::Text(_)));
    let has_text = answer.rows.iter().flatten().any(is_text);
    let first = named("ts").or_else(|| named("step"));
    first
        .or_else(|| all.first().copied().filter(|_| !has_text))
        .filter(|_| all.len() > 1)
}

/// Which columns of an answer are drawn, and over which.
#[derive(Default)]
pub struct AnswerPlot {
    /// Whether the plot is shown in the place of the rows.
    pub is_shown: bool,
    /// The answer that the rest is about.
    of: Option<Arc<AnsweredQuestion>>,
    /// The columns that have numbers.
    all: Vec<usize>,
    /// Those that are drawn.
    drawn: BTreeSet<usize>,
    /// The one that they are drawn over; nothing for the rows.
    x: Option<usize>,
}

impl AnswerPlot {
    /// Turns to an answer, where it is another one. The first column of numbers is drawn: others may be of another size.
    pub fn show(&mut self, answer: &Arc<AnsweredQuestion>) {
        if self.of.as_ref().is_some_and(|it| Arc::ptr_eq(it, answer)) {
            return;
        }
        let all = number_columns(answer);
        let x = first_x(answer, &all);
        let drawn = all.iter().copied().find(|it| Some(*it) != x);
        *self = Self {
            is_shown: self.is_shown,
            of: Some(Arc::clone(answer)),
            drawn: drawn.into_iter().collect(),
            x,
            all,
        };
    }

    /// Whether there are numbers to draw: of a single row a plot says nothing.
    pub fn is_possible(&self, answer: &AnsweredQuestion) -> bool {
        answer.rows.len() > 1 && !self.all.is_empty()
    }

    /// Shows it, and what can be chosen above it.
    pub fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, answer: &AnsweredQuestion) {
        if let Some(part) = answer.shown_part() {
            let words = format!("Only the {part} of the answer are drawn");
            ui.label(RichText::new(words).color(scene.theme.warning));
        }
        ui.horizontal_wrapped(|ui| self.choice(ui, scene, answer));
        ui.add_space(GRID);
        self.plot(ui, scene, answer);
    }

    /// Which columns are drawn, and over which.
    fn choice(&mut self, ui: &mut Ui, scene: &Scene<'_>, answer: &AnsweredQuestion) {
        let mut wanted = self.x;
        let words = |column: Option<usize>| column.map_or("rows", |it| name(answer, it)).to_owned();
        let over = ui.label(RichText::new("over").color(scene.theme.weak));
        let choice = ComboBox::from_id_salt("over which column")
            .selected_text(words(self.x))
            .show_ui(ui, |ui| {
                ui.selectable_value(&mut wanted, None, words(None));
                for column in &self.all {
                    ui.selectable_value(&mut wanted, Some(*column), words(Some(*column)));
                }
            });
        choice.response.labelled_by(over.id);
        if wanted != self.x {
            self.x = wanted;
            self.drawn.retain(|it| Some(*it) != wanted);
        }
        ui.label(RichText::new("draw").color(scene.theme.weak));
        let others = self.all.iter().filter(|it| Some(**it) != self.x);
        for column in others {
            let mut is_drawn = self.drawn.contains(column);
            let has_room = is_drawn || self.drawn.len() < ROLES.len();
            ui.add_enabled_ui(has_room, |ui| {
                ui.toggle_value(&mut is_drawn, name(answer, *column));
            });
            if is_drawn {
                self.drawn.insert(*column);
            } else {
                self.drawn.remove(column);
            }
        }
    }

    /// The points of a column, in order of what they are drawn over.
    fn points(&self, answer: &AnsweredQuestion, column: usize) -> Vec<[f64; 2]> {
        let rows = answer.rows.iter().enumerate();
        let points = rows.filter_map(|(place, row)| {
            let x = match self.x {
                Some(x) => number(row.get(x))?,
                None => place as f64 + 1.0,
            };
            Some([x, number(row.get(column))?])
        });
        let mut points: Vec<[f64; 2]> = points.collect();
        points.sort_by(|[a, _], [b, _]| a.total_cmp(b));
        points
    }

    fn plot(&self, ui: &mut Ui, scene: &Scene<'_>, answer: &AnsweredQuestion) {
        let x = numbers(answer, self.x);
        let y = self.drawn.iter().map(|it| numbers(answer, Some(*it)));
        // Of times and other numbers on one axis there is no unit.
        let is_time = y.clone().count() > 0 && y.clone().all(|it| it == AxisNumbers::Times);
        let y = if is_time {
            AxisNumbers::Times
        } else {
            AxisNumbers::Plain
        };
        let mark = |of: AxisNumbers| {
            move |mark: GridMark, view: &std::ops::RangeInclusive<f64>| {
                let largest = view.start().abs().max(view.end().abs());
                of.mark(mark.value, mark.step_size, largest)
            }
        };
        let plot = Plot::new(("answer", self.x))
            .height(ui.available_height())
            .width(ui.available_width() - HALF)
            .show_background(false)
            .grid_color(scene.theme.line)
            .y_axis_min_width(MARKS)
            .x_axis_formatter(mark(x))
            .y_axis_formatter(mark(y))
            .label_formatter(|at| self.label(answer, (x, y), at));
        // One column is named above.
        let plot = if self.drawn.len() > 1 {
            plot.legend(Legend::default())
        } else {
            plot
        };
        plot.show(ui, |plot| {
            for (column, role) in self.drawn.iter().zip(ROLES) {
                let name = name(answer, *column);
                let colour = scene.theme.role(*role);
                let points = self.points(answer, *column);
                if self.x.is_some() {
                    let points = PlotPoints::from(points);
                    plot.line(Line::new(name, points).color(colour));
                } else {
                    let bar = |[x, y]: [f64; 2]| Bar::new(x, y).width(BAR);
                    let bars = points.into_iter().map(bar).collect();
                    plot.bar_chart(BarChart::new(name, bars).color(colour));
                }
            }
        });
    }

    /// What the pointer is told about a place of the plot: of a row also its first text.
    fn label(
        &self,
        answer: &AnsweredQuestion,
        (x, y): (AxisNumbers, AxisNumbers),
        at: &HoverPosition<'_>,
    ) -> Option<String> {
        let HoverPosition::NearDataPoint {
            plot_name,
            position,
            ..
        } = at
        else {
            return None;
        };
        let row = (self.x.is_none()).then(|| position.x.round() as usize);
        let row = row.and_then(|it| answer.rows.get(it.checked_sub(1)?));
        let is_text = |it: &&Option<Value>| matches!(it, Some(Value::Text(_)));
        let text = row.and_then(|row| row.iter().find(is_text));
        let place = match text {
            Some(text) => text::sql_value(text.as_ref()),
            None => x.value(position.x),
        };
        Some(format!("{place}\n{plot_name}: {}", y.value(position.y)))
    }
}
