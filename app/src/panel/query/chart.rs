//! An answer as a plot: its numbers over the first column of numbers, or over its rows.

use eframe::egui::Ui;
use egui_plot::{Bar, BarChart, Legend, Line, Plot, PlotPoints};
use engine::record::{Role, Value};

use super::answer::AnsweredQuestion;
use crate::panel::Scene;

/// So many columns are drawn.
const COLUMNS: usize = 4;
/// Colours of the columns.
const ROLES: [Role; COLUMNS] = [
    Role::Compute,
    Role::HostToDevice,
    Role::DeviceToHost,
    Role::Collective,
];
/// Columns that say where or which, and not how much.
const PLACES: &[&str] = &[
    "rank",
    "id",
    "span_id",
    "for_id",
    "lane_id",
    "call_id",
    "last_rank",
];

/// The number in a cell.
fn number(value: Option<&Option<Value>>) -> Option<f64> {
    match value? {
        Some(Value::Integer(value)) => Some(*value as f64),
        Some(Value::Number(value)) if value.is_finite() => Some(*value),
        _ => None,
    }
}

/// The columns that have numbers, places left out.
pub fn number_columns(answer: &AnsweredQuestion) -> Vec<usize> {
    let has = |at: &usize| {
        let name = answer.columns.get(*at).map_or("", String::as_str);
        let mut cells = answer.rows.iter().map(|row| number(row.get(*at)));
        !PLACES.contains(&name) && cells.any(|it| it.is_some())
    };
    (0..answer.columns.len()).filter(has).collect()
}

/// Whether there are numbers to draw.
pub fn can_plot(answer: &AnsweredQuestion) -> bool {
    !number_columns(answer).is_empty()
}

/// Draws it: lines over `ts`, `step` or another first column of numbers where there are two, else bars over the rows.
pub fn plot(ui: &mut Ui, scene: &Scene<'_>, answer: &AnsweredQuestion) {
    let all = number_columns(answer);
    let named = |name: &str| answer.column(name).filter(|it| all.contains(it));
    let texts = answer
        .rows
        .iter()
        .flatten()
        .any(|it| matches!(it, Some(Value::Text(_))));
    let first = named("ts").or_else(|| named("step"));
    let first = first.or_else(|| all.first().copied().filter(|_| all.len() > 1 && !texts));
    let drawn = all
        .iter()
        .copied()
        .filter(|it| Some(*it) != first)
        .take(COLUMNS);
    let drawn: Vec<usize> = drawn.collect();
    let plot = Plot::new("answer")
        .height(ui.available_height())
        .show_background(false)
        .legend(Legend::default());
    plot.show(ui, |plot| {
        for (at, role) in drawn.iter().zip(ROLES) {
            let name = answer.columns.get(*at).map_or("", String::as_str);
            let colour = scene.theme.role(role);
            let values = answer.rows.iter().enumerate().filter_map(|(place, row)| {
                let x = match first {
                    Some(first) => number(row.get(first))?,
                    None => place as f64,
                };
                Some((x, number(row.get(*at))?))
            });
            let mut values: Vec<(f64, f64)> = values.collect();
            if first.is_some() {
                values.sort_by(|a, b| a.0.total_cmp(&b.0));
                let points = values.into_iter().map(|(x, y)| [x, y]);
                let points: PlotPoints<'_> = points.collect();
                plot.line(Line::new(name, points).color(colour));
            } else {
                let bars = values.into_iter().map(|(x, y)| Bar::new(x, y).width(0.8));
                plot.bar_chart(BarChart::new(name, bars.collect()).color(colour));
            }
        }
    });
}
