//! The critical path, slack of every operation, and what would come onto the path next.

use std::collections::BTreeMap;

use engine::analysis::causes::{CauseReader, ChainSegment, TimeUse};
use engine::analysis::distinct_names;
use engine::record::SpanId;
use engine::time::Nanos;
use serde_json::{Value, json};

use super::json::{JsonObject, put_span, segment};
use super::scope::{CauseOptions, CauseScope};
use crate::cli::arguments::OutputFormat;
use crate::cli::table::TextTable;
use crate::cli::{CliFailure, FINE, OutputStreams};
use crate::text::words;

/// So many segments are listed for people.
const MOST: usize = 40;
/// Letters of their names.
const LETTERS: usize = 60;
/// So many operations that the path is made of.
const MOST_NAMES: usize = 12;

/// Prints the critical path.
pub(in crate::cli) fn critical_path(
    options: &CauseOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let scope = CauseScope::open(&options.part, streams)?;
    let reader = scope.reader();
    let path = if scope.is_of_lanes {
        reader.path_to(&scope.lanes, scope.within)
    } else {
        reader.path_within(scope.within)
    };
    match options.format {
        OutputFormat::Json => write_json(&scope, &reader, &path, streams)?,
        OutputFormat::Text => write_text(&scope, &reader, &path, streams)?,
    }
    Ok(FINE)
}

fn write_json(
    scope: &CauseScope,
    reader: &CauseReader<'_>,
    path: &[ChainSegment],
    streams: &mut OutputStreams<'_>,
) -> Result<(), CliFailure> {
    let typed = |what: &str, mut object: JsonObject| {
        object.insert("type".to_owned(), json!(what));
        Value::Object(object)
    };
    for it in path {
        writeln!(streams.out, "{}", typed("path", segment(reader, it)))?;
    }
    let makespan = makespan(scope, path);
    writeln!(
        streams.out,
        "{}",
        json!({ "type": "makespan", "ns": makespan.0 })
    )?;
    let slack = |what, span, slack: Nanos| {
        let mut object = JsonObject::new();
        put_span(reader, span, &mut object);
        object.insert("slack_ns".to_owned(), json!(slack.0));
        typed(what, object)
    };
    for span in scope.spans() {
        if let Some(found) = reader.slack(span) {
            writeln!(streams.out, "{}", slack("slack", span, found))?;
        }
    }
    // Slack is that of the whole capture, and so is what would come next.
    if scope.is_whole
        && !scope.is_of_lanes
        && let Some((span, found)) = reader.second(path)
    {
        writeln!(streams.out, "{}", slack("second", span, found))?;
    }
    Ok(())
}

fn write_text(
    scope: &CauseScope,
    reader: &CauseReader<'_>,
    path: &[ChainSegment],
    streams: &mut OutputStreams<'_>,
) -> Result<(), CliFailure> {
    let whole = makespan(scope, path);
    let until = match &scope.lanes[..] {
        _ if !scope.is_of_lanes => String::new(),
        [lane] => format!(
            ", until the end of the last on {}",
            scope.capture.lane_title(*lane)
        ),
        lanes => format!(", until the end of the last on {} lanes", lanes.len()),
    };
    writeln!(
        streams.out,
        "critical path of {}{until}",
        words::length(whole)
    )?;
    let mut uses: BTreeMap<TimeUse, Nanos> = BTreeMap::new();
    // By their whole names: those of kernels may differ only where they are shortened.
    let mut names: BTreeMap<&str, (Nanos, u64)> = BTreeMap::new();
    for it in path {
        *uses.entry(it.what).or_default() += it.interval.length();
        if it.what == TimeUse::Run {
            let sum = names.entry(name(reader, it.span)).or_default();
            sum.0 += it.interval.length();
            sum.1 += 1;
        }
    }
    write_ranked(
        "made of",
        uses.iter()
            .map(|(what, time)| (what.label().to_owned(), *time)),
        whole,
        streams,
    )?;
    let all: Vec<&str> = names.keys().copied().collect();
    let shown = distinct_names(&all, LETTERS).into_iter();
    let operations = shown
        .zip(names.values())
        .map(|(name, (time, count))| (format!("{name} ({count})"), *time));
    write_ranked("operations", operations, whole, streams)?;
    write_segments(reader, path, streams)?;
    if scope.is_whole
        && !scope.is_of_lanes
        && let Some((span, slack)) = reader.next_path(path)
    {
        let name = words::span(reader, span);
        writeln!(streams.out)?;
        if slack == Nanos::ZERO {
            writeln!(streams.out, "next: {name} is on a path as long as this one")?;
        } else {
            writeln!(
                streams.out,
                "next: {name} comes onto the path once this one is {} shorter",
                words::length(slack)
            )?;
        }
    }
    Ok(())
}

/// The first segments of the path, names that differ told apart.
fn write_segments(
    reader: &CauseReader<'_>,
    path: &[ChainSegment],
    streams: &mut OutputStreams<'_>,
) -> Result<(), CliFailure> {
    let listed = || path.iter().take(MOST);
    let all: Vec<&str> = listed().map(|it| name(reader, it.span)).collect();
    let names = distinct_names(&all, LETTERS);
    let mut table = TextTable::new(&["segment", ">from", ">time", "of"]);
    for (it, name) in listed().zip(names) {
        let placed = it.span.and_then(|span| reader.capture().span(span));
        let of = placed.map_or_else(
            || words::segment(reader, it),
            |placed| {
                format!(
                    "{name} on {}",
                    reader.capture().lane_title(placed.span.lane)
                )
            },
        );
        table.row([
            it.what.label().to_owned(),
            words::exact(it.interval.start),
            words::length(it.interval.length()),
            of,
        ]);
    }
    table.write_after_a_line(streams.out)?;
    if path.len() > MOST {
        writeln!(
            streams.out,
            "… and {} more; --range and --format json show them",
            path.len() - MOST
        )?;
    }
    Ok(())
}

/// How much time the path is of: to the end of all, or to the last end on the lanes that are asked about.
fn makespan(scope: &CauseScope, path: &[ChainSegment]) -> Nanos {
    if !scope.is_of_lanes {
        return scope.within.length();
    }
    let sum = path.iter().map(|it| it.interval.length()).sum::<Nanos>().0;
    Nanos(sum)
}

fn name<'a>(reader: &CauseReader<'a>, span: Option<SpanId>) -> &'a str {
    let placed = span.and_then(|span| reader.capture().span(span));
    placed.map_or("?", |it| reader.capture().name(it.span.name))
}

/// A table of times with their shares, the longest first.
fn write_ranked(
    head: &'static str,
    rows: impl Iterator<Item = (String, Nanos)>,
    whole: Nanos,
    streams: &mut OutputStreams<'_>,
) -> Result<(), CliFailure> {
    let mut rows: Vec<(String, Nanos)> = rows.collect();
    rows.sort_by_key(|it| std::cmp::Reverse(it.1));
    let mut table = TextTable::new(&[head, ">time", ">share"]);
    for (name, time) in rows.into_iter().take(MOST_NAMES) {
        table.row([name, words::length(time), words::share(time, whole)]);
    }
    table.write_after_a_line(streams.out)?;
    Ok(())
}
