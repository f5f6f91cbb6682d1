//! A dataset at a glance: how long steps took, who kept the others waiting, which steps took a rank much longer.

use std::io::{self, Write};

use engine::fleet::{FleetMeasure, FleetPicture, median};
use engine::record::time::Nanos;
use serde_json::{Map, Value, json};

use crate::cli::query::RowFormat;
use crate::cli::table::TextTable;
use crate::text;

/// Rows of a list for people.
const MOST: usize = 20;

/// Writes what was found of a run.
pub(super) fn write(
    picture: &FleetPicture,
    format: RowFormat,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        RowFormat::Table => write_text(picture, out),
        RowFormat::Csv => write_cells(picture, out),
        RowFormat::Json => write_json(picture, out),
        RowFormat::Parquet => Err(io::Error::other("an overview is no single table")),
    }
}

/// The name of a measure, as a column.
fn column(measure: &FleetMeasure) -> String {
    match measure {
        FleetMeasure::StepTime => "step_ns".to_owned(),
        FleetMeasure::Idle => "idle_ns".to_owned(),
        FleetMeasure::IdleFor(reason) => format!("idle_{reason}_ns"),
        FleetMeasure::CollectiveWait => "collective_wait_ns".to_owned(),
    }
}

fn time(nanos: i64) -> String {
    text::duration(Nanos(nanos)).replace(text::THIN, " ")
}

fn write_text(picture: &FleetPicture, out: &mut dyn Write) -> io::Result<()> {
    if picture.steps.is_empty() {
        writeln!(
            out,
            "run {}: no capture has steps, so there is nothing to lay side by side; mark them (`ProfilerStep#N`, frames or \
             ranges), or ask a question",
            picture.run
        )?;
        writeln!(out)?;
        return write_stragglers(picture, out);
    }
    writeln!(out, "run {}", picture.run)?;
    let mut table = TextTable::new(&[
        "of a rank in a step",
        "least",
        "median",
        "most",
        "rank",
        "step",
    ]);
    for grid in &picture.measures {
        let cells = grid.values.iter().enumerate();
        let mut cells: Vec<(i64, usize)> = cells
            .filter_map(|(at, value)| Some(((*value)?, at)))
            .collect();
        cells.sort_unstable();
        let (Some(first), Some(last)) = (cells.first(), cells.last()) else {
            continue;
        };
        let middle = median(cells.iter().map(|it| it.0).collect());
        let (rank, step) = place(picture, last.1).unwrap_or_default();
        table.row([
            text::measure_words(&grid.measure),
            time(first.0),
            time(middle),
            time(last.0),
            rank.to_string(),
            step.to_string(),
        ]);
    }
    table.write(out)?;
    writeln!(out)?;
    write_stragglers(picture, out)?;
    writeln!(out)?;
    write_outliers(picture, out)
}

fn write_stragglers(picture: &FleetPicture, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "stragglers")?;
    let clocks = text::clock_words(picture).replace(text::THIN, " ");
    let none = if picture.stragglers.is_empty() {
        text::no_straggler(picture)
    } else {
        ""
    };
    for words in [clocks.as_str(), none] {
        if !words.is_empty() {
            writeln!(out, "{words}")?;
        }
    }
    if picture.stragglers.is_empty() {
        return Ok(());
    }
    let mut table = TextTable::new(&["rank", "times last", "others waited", "longest", "in step"]);
    for it in picture.stragglers.iter().take(MOST) {
        table.row([
            it.rank.to_string(),
            it.times_last.to_string(),
            time(it.lost_by_others),
            time(it.worst),
            it.worst_step
                .map_or_else(|| "-".to_owned(), |it| it.to_string()),
        ]);
    }
    table.write(out)?;
    more(picture.stragglers.len(), out)
}

fn write_outliers(picture: &FleetPicture, out: &mut dyn Write) -> io::Result<()> {
    if picture.outliers.is_empty() {
        return writeln!(out, "{}", text::no_outlier(picture));
    }
    writeln!(out, "steps that took a rank much longer than the others:")?;
    let mut table = TextTable::new(&["rank", "step", "time", "median of ranks"]);
    for it in picture.outliers.iter().take(MOST) {
        table.row([
            it.rank.to_string(),
            it.step.to_string(),
            time(it.time),
            time(it.median),
        ]);
    }
    table.write(out)?;
    more(picture.outliers.len(), out)
}

fn more(count: usize, out: &mut dyn Write) -> io::Result<()> {
    let rest = count.saturating_sub(MOST);
    if rest > 0 {
        writeln!(out, "… and {rest} more; --format json has all")?;
    }
    Ok(())
}

/// The rank and the step of a cell.
fn place(picture: &FleetPicture, cell: usize) -> Option<(u32, i64)> {
    let steps = picture.steps.len();
    let rank = picture.ranks.get(cell.checked_div(steps)?)?;
    Some((*rank, *picture.steps.get(cell % steps)?))
}

/// The cells that have a value: rank, step, start, and each measure in the order of the picture.
fn cells(
    picture: &FleetPicture,
) -> impl Iterator<Item = (u32, i64, Option<i64>, Vec<Option<i64>>)> + '_ {
    let values = |cell: usize| {
        let grids = picture.measures.iter();
        grids.map(move |it| it.values.get(cell).copied().flatten())
    };
    let starts = picture.starts.iter().enumerate();
    starts.filter_map(move |(cell, start)| {
        let values: Vec<Option<i64>> = values(cell).collect();
        let (rank, step) = place(picture, cell)?;
        let has_some = values.iter().any(Option::is_some);
        has_some.then_some((rank, step, *start, values))
    })
}

fn write_cells(picture: &FleetPicture, out: &mut dyn Write) -> io::Result<()> {
    let names = picture.measures.iter().map(|it| column(&it.measure));
    let names: Vec<String> = names.collect();
    writeln!(out, "run,rank,step,ts,{}", names.join(","))?;
    let field = |it: &Option<i64>| it.map(|it| it.to_string()).unwrap_or_default();
    for (rank, step, start, values) in cells(picture) {
        let values: Vec<String> = values.iter().map(field).collect();
        let start = field(&start);
        writeln!(
            out,
            "{},{rank},{step},{start},{}",
            picture.run,
            values.join(",")
        )?;
    }
    Ok(())
}

fn write_json(picture: &FleetPicture, out: &mut dyn Write) -> io::Result<()> {
    let run = &picture.run;
    for (rank, step, start, values) in cells(picture) {
        let mut object = Map::new();
        for (key, value) in [("type", json!("cell")), ("run", json!(run))] {
            object.insert(key.to_owned(), value);
        }
        object.insert("rank".to_owned(), rank.into());
        object.insert("step".to_owned(), step.into());
        object.insert("ts".to_owned(), json!(start));
        for (grid, value) in picture.measures.iter().zip(values) {
            object.insert(column(&grid.measure), json!(value));
        }
        writeln!(out, "{}", Value::Object(object))?;
    }
    for it in &picture.stragglers {
        let line = json!({
            "type": "straggler", "run": run, "rank": it.rank, "times_last": it.times_last,
            "lost_by_others_ns": it.lost_by_others, "worst_ns": it.worst, "step": it.worst_step, "ts": it.worst_ts,
        });
        writeln!(out, "{line}")?;
    }
    for it in &picture.outliers {
        let line = json!({
            "type": "outlier", "run": run, "rank": it.rank, "step": it.step, "time_ns": it.time, "median_ns": it.median,
        });
        writeln!(out, "{line}")?;
    }
    let clocks = json!({
        "type": "clocks", "run": run, "can_be_compared": picture.is_clock_shared,
        "uncertainty_ns": picture.clock_uncertainty,
    });
    writeln!(out, "{clocks}")
}
