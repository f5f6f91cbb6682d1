//! An answer drawn on the timeline: a lane, a lane for each value of a column, or the values of a column.

use std::collections::BTreeMap;
use std::sync::Arc;

use eframe::egui::{TextEdit, Ui};
use engine::query::questions;
use engine::record::{SpanId, Value};
use engine::time::{Interval, Nanos};

use super::answer::AnsweredQuestion;
use super::chart::number_columns;
use crate::action::Action;
use crate::state::{DrawnAnswer, DrawnBar, DrawnBars, DrawnContent, DrawnRow};

/// So many lanes may come of one answer.
const MOST_LANES: usize = 64;
/// Columns that place a row and are no reason for a lane of its own.
const PLACES: &[&str] = &["ts", "dur", "id", "span_id", "for_id", "call_id"];

/// The button that draws an answer, with what can be drawn of it below.
#[derive(Default)]
pub struct DrawMenu {
    /// What the lanes are to be called; as the question is, where nothing was written.
    name: Option<String>,
}

impl DrawMenu {
    /// Shows it, where the answer says when its rows were.
    pub fn ui(&mut self, ui: &mut Ui, answer: &AnsweredQuestion, actions: &mut Vec<Action>) {
        if answer.column("ts").is_none() {
            return;
        }
        let menu = ui.menu_button("Draw as lane", |ui| {
            ui.set_width(240.0);
            let mut name = self.name.clone().unwrap_or_else(|| title(answer));
            let field = TextEdit::singleline(&mut name).desired_width(f32::INFINITY);
            if ui
                .add(field)
                .on_hover_text("What the lane is called")
                .changed()
            {
                self.name = Some(name.clone());
            }
            let mut wanted = None;
            if ui.button("One lane").clicked() {
                wanted = Some(lanes(answer, &name, None));
            }
            for column in split_columns(answer) {
                let words = format!("A lane for each {}", head(answer, column));
                if ui.button(words).clicked() {
                    wanted = Some(lanes(answer, &name, Some(column)));
                }
            }
            for column in value_columns(answer) {
                let words = format!("The values of {}", head(answer, column));
                if ui.button(words).clicked() {
                    wanted = Some(vec![values(answer, &name, column)]);
                }
            }
            if let Some(rows) = wanted {
                actions.push(Action::Draw(DrawnAnswer::from(rows)));
                self.name = None;
                ui.close();
            }
        });
        menu.response
            .on_hover_text("Draw the rows below the lanes of the timeline, by their ts and dur");
    }
}

/// What the question is called: a bundled one by its name.
fn title(answer: &AnsweredQuestion) -> String {
    let asked = answer.sql.trim();
    let mut all = questions().iter();
    let found = all.find(|it| it.sql.trim() == asked);
    found.map_or_else(|| "answer".to_owned(), |it| it.name.to_owned())
}

fn head(answer: &AnsweredQuestion, column: usize) -> &str {
    answer.columns.get(column).map_or("", String::as_str)
}

fn cell(row: &[Option<Value>], column: Option<usize>) -> Option<&Value> {
    row.get(column?)?.as_ref()
}

fn nanos(row: &[Option<Value>], column: Option<usize>) -> Option<Nanos> {
    match cell(row, column)? {
        Value::Integer(value) => Some(Nanos(*value)),
        Value::Number(value) => Some(Nanos(*value as i64)),
        Value::Text(_) => None,
    }
}

fn words(value: &Value) -> String {
    match value {
        Value::Integer(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::Text(text) => text.to_string(),
    }
}

/// The columns by which the rows can be told apart: those with more than one value, and not with very many.
fn split_columns(answer: &AnsweredQuestion) -> Vec<usize> {
    let tells_apart = |column: &usize| {
        let mut seen = std::collections::BTreeSet::new();
        for row in &answer.rows {
            match cell(row, Some(*column)) {
                Some(Value::Number(_)) => return false,
                Some(value) => seen.insert(words(value)),
                None => continue,
            };
            if seen.len() > MOST_LANES {
                return false;
            }
        }
        seen.len() > 1
    };
    let all = 0..answer.columns.len();
    all.filter(|column| !PLACES.contains(&head(answer, *column)))
        .filter(tells_apart)
        .collect()
}

/// The columns whose values can be drawn over time.
fn value_columns(answer: &AnsweredQuestion) -> Vec<usize> {
    let all = number_columns(answer).into_iter();
    all.filter(|column| !PLACES.contains(&head(answer, *column)))
        .collect()
}

/// The rows as bars: on one lane, or on one for each value of a column.
fn lanes(answer: &AnsweredQuestion, name: &str, split: Option<usize>) -> Vec<DrawnRow> {
    let (ts, dur) = (answer.column("ts"), answer.column("dur"));
    let span = answer.column("span_id").or_else(|| answer.column("id"));
    let is_text = |column: &usize| {
        let mut cells = answer.rows.iter().map(|row| cell(row, Some(*column)));
        cells.any(|it| matches!(it, Some(Value::Text(_))))
    };
    let mut all = 0..answer.columns.len();
    let label = answer.column("name").or_else(|| all.find(is_text));
    let mut lanes: BTreeMap<String, Vec<DrawnBar>> = BTreeMap::new();
    for row in &answer.rows {
        let Some(start) = nanos(row, ts) else {
            continue;
        };
        let length = nanos(row, dur).unwrap_or_default().max(Nanos::ZERO);
        let lane = match split.map(|column| cell(row, Some(column))) {
            None => name.to_owned(),
            Some(value) => format!("{name} · {}", value.map_or("NULL".into(), words)),
        };
        let id = nanos(row, span).and_then(|it| u32::try_from(it.0).ok());
        lanes.entry(lane).or_default().push(DrawnBar {
            interval: Interval::new(start, Nanos(start.0.saturating_add(length.0))),
            name: cell(row, label).map_or_else(|| Arc::from(name), |it| words(it).into()),
            span: id.map(SpanId),
        });
    }
    let lanes = lanes.into_iter();
    lanes
        .map(|(name, bars)| DrawnRow {
            name,
            content: DrawnContent::Bars(DrawnBars::new(bars)),
        })
        .collect()
}

/// The values of a column, each from its row's time on.
fn values(answer: &AnsweredQuestion, name: &str, column: usize) -> DrawnRow {
    let ts = answer.column("ts");
    let sample = |row: &Vec<Option<Value>>| {
        let value = match cell(row, Some(column))? {
            Value::Integer(value) => *value as f64,
            Value::Number(value) if value.is_finite() => *value,
            _ => return None,
        };
        Some((nanos(row, ts)?, value))
    };
    DrawnRow {
        name: format!("{name} · {}", head(answer, column)),
        content: DrawnContent::Values(answer.rows.iter().filter_map(sample).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> AnsweredQuestion {
        let row = |ts, lane: &str, load: Option<f64>| {
            vec![
                Some(Value::Integer(ts)),
                Some(Value::Integer(10)),
                Some(Value::Text(lane.into())),
                load.map(Value::Number),
            ]
        };
        AnsweredQuestion {
            sql: "SELECT 1".to_owned(),
            columns: ["ts", "dur", "lane", "load"].map(str::to_owned).to_vec(),
            rows: vec![
                row(20, "b", Some(0.5)),
                row(0, "a", Some(1.5)),
                row(5, "b", None),
            ],
            ..AnsweredQuestion::default()
        }
    }

    #[test]
    fn rows_are_bars_of_one_lane_or_of_one_for_each_value() {
        let answer = answer();
        assert_eq!(split_columns(&answer), [2]);
        let all = lanes(&answer, "x", None);
        assert_eq!((all.len(), all[0].name.as_str()), (1, "x"));
        let DrawnContent::Bars(bars) = &all[0].content else {
            panic!("no bars")
        };
        assert_eq!((bars.len(), bars.depths()), (3, 2));
        let each = lanes(&answer, "x", Some(2));
        let names: Vec<&str> = each.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["x · a", "x · b"]);
    }

    #[test]
    fn values_are_in_order_of_time_and_what_is_nothing_is_left_out() {
        let answer = answer();
        assert_eq!(value_columns(&answer), [3]);
        let row = values(&answer, "x", 3);
        assert_eq!(row.name, "x · load");
        let DrawnContent::Values(samples) = &row.content else {
            panic!("no values")
        };
        assert_eq!(samples.times(), [Nanos(0), Nanos(20)]);
        assert_eq!(samples.values(), [1.5, 0.5]);
    }
}
