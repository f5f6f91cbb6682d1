//! An answer drawn on the timeline: a lane, a lane for each value of a column, or the values of a column.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use eframe::egui::Ui;
use engine::capture::natural_key;
use engine::query::questions;
use engine::record::{SpanId, Value};
use engine::time::{Interval, Nanos};

use super::answer::AnsweredQuestion;
use super::cells::exact;
use super::chart::number_columns;
use super::menus::{field_in_menu, menu_with_fields};
use crate::action::Action;
use crate::state::{DrawnAnswer, DrawnBar, DrawnBars, DrawnContent, DrawnRow, Notice};

/// So many lanes may come of one answer.
const MOST_LANES: usize = 64;
/// So many ways to split values stand in the menu.
const MOST_PAIRS: usize = 12;
/// Columns that place a row and are no reason for a lane of its own.
const PLACES: &[&str] = &["ts", "dur", "id", "span_id", "for_id", "call_id"];
/// How wide the menu is, in points.
const WIDTH: f32 = 240.0;
/// Further down than any lanes reach, in points: the timeline stops at its end.
const FAR_DOWN: f32 = 1e6;

/// The button that draws an answer, with what can be drawn of it below.
#[derive(Default)]
pub struct DrawMenu {
    /// What the lanes are to be called, where that was written.
    name: Option<String>,
}

impl DrawMenu {
    /// Shows it, where the answer says when its rows were.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        (answer, drawn): (&AnsweredQuestion, &DrawnAnswer),
        actions: &mut Vec<Action>,
    ) {
        if answer.column("ts").is_none() {
            return;
        }
        let button = menu_with_fields(ui, "Draw as lane", |ui| {
            ui.set_width(WIDTH);
            let mut name = self.name.clone().unwrap_or_else(|| title(answer, drawn));
            let field = field_in_menu(&mut name);
            let field = ui.add(field).on_hover_text("What the lane is called");
            if field.changed() {
                self.name = Some(name.clone());
            }
            if let Some(rows) = choices(ui, answer, &whole_name(answer, &name)) {
                draw(answer, rows, actions);
                self.name = None;
                ui.close();
            }
        });
        button.on_hover_text("Draw the rows below the lanes of the timeline, by their ts and dur");
    }
}

/// The ways to draw an answer; answers with the rows of the one that was chosen.
fn choices(ui: &mut Ui, answer: &AnsweredQuestion, name: &str) -> Option<Vec<DrawnRow>> {
    let mut wanted = None;
    if ui.button("One lane").clicked() {
        wanted = Some(lanes(answer, name, None));
    }
    for column in split_columns(answer) {
        let words = format!("A lane for each {}", head(answer, column));
        if ui.button(words).clicked() {
            wanted = Some(lanes(answer, name, Some(column)));
        }
    }
    for column in value_columns(answer) {
        let words = format!("The values of {}", head(answer, column));
        if ui.button(words).clicked() {
            wanted = Some(values(answer, name, (column, None)));
        }
    }
    for (column, split) in split_values(answer) {
        let (value, each) = (head(answer, column), head(answer, split));
        if ui
            .button(format!("The values of {value} for each {each}"))
            .clicked()
        {
            wanted = Some(values(answer, name, (column, Some(split))));
        }
    }
    wanted
}

/// Draws rows, goes to where they are, and says so where some of the answer is missing.
fn draw(answer: &AnsweredQuestion, rows: Vec<DrawnRow>, actions: &mut Vec<Action>) {
    actions.push(Action::Draw(DrawnAnswer::from(rows)));
    // They stand below all lanes of the capture.
    actions.push(Action::Scroll(FAR_DOWN));
    if let (Some(part), Some(cut)) = (answer.shown_part(), answer.cut_words()) {
        let text =
            format!("Only the {part} of the answer are drawn; the answer itself is cut: {cut}");
        actions.push(Action::Notify(Some(Notice {
            is_error: false,
            text,
        })));
    }
}

/// What the lanes are called without anybody's word: as the bundled question, or `answer`, with a number where that is drawn.
fn title(answer: &AnsweredQuestion, drawn: &DrawnAnswer) -> String {
    if let Some(question) = bundled(&answer.sql) {
        return question.to_owned();
    }
    let is_taken = |name: &str| {
        let rest = |row: &DrawnRow| row.name.strip_prefix(name).map(str::to_owned);
        let mut rests = drawn.rows().iter().filter_map(rest);
        rests.any(|it| it.is_empty() || it.starts_with(" · ") || it.starts_with(", "))
    };
    let numbered = (2..).map(|number| format!("answer {number}"));
    let mut names = std::iter::once("answer".to_owned()).chain(numbered);
    names.find(|it| !is_taken(it)).unwrap_or_default()
}

/// The name of the bundled question that this one is, whatever the values at its head.
fn bundled(sql: &str) -> Option<&'static str> {
    let sentence = |sql: &str| {
        let first = sql.trim().lines().next().unwrap_or_default();
        first.strip_prefix("--").map(|it| it.trim().to_owned())
    };
    let asked = sentence(sql)?;
    let found = questions()
        .iter()
        .find(|it| sentence(it.sql).is_some_and(|it| it == asked));
    found.map(|it| it.name)
}

/// A name that says so where what it names is a part of the answer.
fn whole_name(answer: &AnsweredQuestion, name: &str) -> String {
    match answer.shown_part() {
        Some(part) if !name.ends_with(&part) => format!("{name}, {part}"),
        _ => name.to_owned(),
    }
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
    exact(Some(value))
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

/// Columns of values with those by which they can be told apart: a counter for each of several is none drawn over another.
fn split_values(answer: &AnsweredQuestion) -> Vec<(usize, usize)> {
    let splits = split_columns(answer);
    let pairs = value_columns(answer).into_iter().flat_map(|column| {
        let others = splits.iter().filter(move |it| **it != column);
        others.map(move |split| (column, *split))
    });
    pairs.take(MOST_PAIRS).collect()
}

/// The order of lanes: whole numbers by their size, other values as people count, and what is nothing last.
fn lane_order(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    match (a, b) {
        (Some(Value::Integer(a)), Some(Value::Integer(b))) => a.cmp(b),
        (Some(a), Some(b)) => natural_key(&words(a)).cmp(&natural_key(&words(b))),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

/// The rows as bars: on one lane, or on one for each value of a column.
fn lanes(answer: &AnsweredQuestion, name: &str, split: Option<usize>) -> Vec<DrawnRow> {
    let (ts, dur) = (answer.column("ts"), answer.column("dur"));
    let span = answer.span_columns().first().copied();
    let is_text = |column: &usize| {
        let mut cells = answer.rows.iter().map(|row| cell(row, Some(*column)));
        cells.any(|it| matches!(it, Some(Value::Text(_))))
    };
    let mut all = 0..answer.columns.len();
    let label = answer.column("name").or_else(|| all.find(is_text));
    let mut lanes: BTreeMap<Option<String>, (Option<&Value>, Vec<DrawnBar>)> = BTreeMap::new();
    for row in &answer.rows {
        let Some(start) = nanos(row, ts) else {
            continue;
        };
        let length = nanos(row, dur).unwrap_or_default().max(Nanos::ZERO);
        let value = cell(row, split);
        let id = nanos(row, span).and_then(|it| u32::try_from(it.0).ok());
        let lane = lanes.entry(value.map(words));
        let (_, bars) = lane.or_insert_with(|| (value, Vec::new()));
        bars.push(DrawnBar {
            interval: Interval::new(start, Nanos(start.0.saturating_add(length.0))),
            name: cell(row, label).map_or_else(|| Arc::from(name), |it| words(it).into()),
            span: id.map(SpanId),
        });
    }
    let mut lanes: Vec<(Option<&Value>, Vec<DrawnBar>)> = lanes.into_values().collect();
    lanes.sort_by(|a, b| lane_order(a.0, b.0));
    let row = |(value, bars): (Option<&Value>, Vec<DrawnBar>)| DrawnRow {
        name: match split {
            None => name.to_owned(),
            Some(_) => format!("{name} · {}", value.map_or("NULL".into(), words)),
        },
        content: DrawnContent::Bars(DrawnBars::new(bars)),
    };
    lanes.into_iter().map(row).collect()
}

/// What tells a counter from others, and its samples.
type PartSamples<'a> = (Option<&'a Value>, Vec<(Nanos, f64)>);

/// The values of a column, each from its row's time on: of all rows, or of those of each value of a second column.
fn values(
    answer: &AnsweredQuestion,
    name: &str,
    (column, split): (usize, Option<usize>),
) -> Vec<DrawnRow> {
    let ts = answer.column("ts");
    let mut parts: BTreeMap<Option<String>, PartSamples<'_>> = BTreeMap::new();
    if split.is_none() {
        parts.entry(None).or_default();
    }
    for row in &answer.rows {
        let value = match cell(row, Some(column)) {
            Some(Value::Integer(value)) => *value as f64,
            Some(Value::Number(value)) if value.is_finite() => *value,
            _ => continue,
        };
        let Some(time) = nanos(row, ts) else { continue };
        let part = cell(row, split);
        let (_, samples) = parts.entry(part.map(words)).or_insert((part, Vec::new()));
        samples.push((time, value));
    }
    let mut parts: Vec<_> = parts.into_values().collect();
    parts.sort_by(|a, b| lane_order(a.0, b.0));
    let whole = format!("{name} · {}", head(answer, column));
    let row = |(part, samples): PartSamples<'_>| DrawnRow {
        name: match split {
            None => whole.clone(),
            Some(_) => format!("{whole} · {}", part.map_or("NULL".into(), words)),
        },
        content: DrawnContent::Values(samples.into_iter().collect()),
    };
    parts.into_iter().map(row).collect()
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
    fn lanes_are_in_the_order_of_their_values_and_say_what_is_cut_off() {
        let row = |rank| vec![Some(Value::Integer(0)), Some(Value::Integer(rank)), None];
        let mut answer = AnsweredQuestion {
            columns: ["ts", "rank", "x"].map(str::to_owned).to_vec(),
            rows: [10, 2, -1].map(row).to_vec(),
            ..AnsweredQuestion::default()
        };
        let lanes = lanes(&answer, "x", Some(1));
        let names: Vec<&str> = lanes.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["x · -1", "x · 2", "x · 10"]);
        assert_eq!(whole_name(&answer, "x"), "x");
        answer.cut = Some(engine::query::StopReason::Rows(3));
        assert_eq!(whole_name(&answer, "x"), "x, first 3 rows");
        assert_eq!(whole_name(&answer, "x, first 3 rows"), "x, first 3 rows");
    }

    #[test]
    fn lanes_are_named_after_bundled_questions_or_numbered() {
        let mut answer = answer();
        let row = |name: &str| DrawnRow {
            name: name.to_owned(),
            content: DrawnContent::Bars(DrawnBars::default()),
        };
        let drawn = |names: &[&str]| {
            let rows: Vec<DrawnRow> = names.iter().map(|it| row(it)).collect();
            DrawnAnswer::from(rows)
        };
        assert_eq!(title(&answer, &drawn(&[])), "answer");
        assert_eq!(
            title(&answer, &drawn(&["answer, first 3 rows"])),
            "answer 2"
        );
        let both = drawn(&["answer · a", "answer · b", "answer 2"]);
        assert_eq!(title(&answer, &both), "answer 3");
        let question = questions()[0];
        answer.sql = question.sql.replace("LIMIT", "limit");
        assert_eq!(title(&answer, &drawn(&[])), question.name);
    }

    #[test]
    fn values_are_in_order_of_time_and_what_is_nothing_is_left_out() {
        let answer = answer();
        assert_eq!(value_columns(&answer), [3]);
        let drawn = |split| {
            let rows = values(&answer, "x", (3, split)).into_iter();
            let row = |row: DrawnRow| {
                let DrawnContent::Values(samples) = row.content else {
                    panic!("no values")
                };
                let (times, values) = (samples.times(), samples.values());
                let pairs = times.iter().map(|it| it.0).zip(values.iter().copied());
                (row.name, pairs.collect::<Vec<_>>())
            };
            rows.map(row).collect::<Vec<_>>()
        };
        let all = ("x · load".to_owned(), vec![(0, 1.5), (20, 0.5)]);
        assert_eq!(drawn(None), [all]);
        assert_eq!(split_values(&answer), [(3, 2)]);
        let each = [("x · load · a", (0, 1.5)), ("x · load · b", (20, 0.5))];
        assert_eq!(drawn(Some(2)), each.map(|it| (it.0.to_owned(), vec![it.1])));
    }
}
