//! Where the time of each stream went, which streams overlapped, and which rank came last.

use engine::analysis::causes::{CauseReader, IdleTime};
use engine::time::Nanos;
use serde_json::{Value, json};

use super::json::{Object, put_lane};
use super::scope::{CauseOptions, Scope};
use super::words;
use crate::cli::arguments::Format;
use crate::cli::table::Table;
use crate::cli::{FINE, Stop, Streams};

/// The name of each sum, for programs and for people, and how to take it. The last is part of the first.
const SUMS: [(&str, &str, fn(&IdleTime) -> Nanos); 8] = [
    ("busy_ns", ">busy", |it| it.busy),
    ("host_ns", ">host late", |it| it.host),
    ("host_sync_ns", ">host blocked", |it| it.host_sync),
    ("dependency_ns", ">dependency", |it| it.dependency),
    ("latency_ns", ">latency", |it| it.latency),
    ("unknown_ns", ">unknown", |it| it.unknown),
    ("after_ns", ">after", |it| it.after),
    ("rank_wait_ns", ">other ranks", |it| it.rank_wait),
];

/// Prints where the time of each stream went.
pub(in crate::cli) fn idle(options: &CauseOptions, streams: &mut Streams<'_>) -> Result<u8, Stop> {
    let scope = Scope::open(options, streams)?;
    let reader = scope.reader();
    match options.format {
        Format::Json => {
            for line in lines(&scope, &reader) {
                writeln!(streams.out, "{line}")?;
            }
        }
        Format::Text => write_text(&scope, &reader, streams)?,
    }
    Ok(FINE)
}

fn lines(scope: &Scope, reader: &CauseReader<'_>) -> Vec<Value> {
    let lanes = scope.streams();
    let mut lines = Vec::new();
    for lane in &lanes {
        let idle = reader.idle(*lane, scope.within);
        let mut object = Object::new();
        object.insert("type".to_owned(), json!("idle"));
        put_lane(reader, *lane, &mut object);
        for (name, _, sum) in SUMS {
            object.insert(name.to_owned(), json!(sum(&idle).0));
        }
        lines.push(Value::Object(object));
    }
    let title = |lane| reader.capture().lane_title(lane).into_owned();
    for overlap in reader.overlaps(&lanes, scope.within) {
        lines.push(json!({
            "type": "overlap",
            "first": title(overlap.first),
            "second": title(overlap.second),
            "both_ns": overlap.both.0,
        }));
    }
    for straggler in reader.stragglers(scope.within) {
        lines.push(json!({
            "type": "straggler",
            "lane": format!("rank {}", straggler.rank),
            "last": straggler.last,
            "cost_ns": straggler.cost.0,
        }));
    }
    lines
}

fn write_text(
    scope: &Scope,
    reader: &CauseReader<'_>,
    streams: &mut Streams<'_>,
) -> Result<(), Stop> {
    let lanes = scope.streams();
    let whole = scope.within.length();
    writeln!(streams.out, "of {}:", words::length(whole))?;
    let mut heads = vec!["stream"];
    heads.extend(SUMS.iter().map(|it| it.1));
    let mut table = Table::new(&heads);
    for lane in &lanes {
        let idle = reader.idle(*lane, scope.within);
        let sums = SUMS.iter().map(|(_, _, sum)| {
            let time = sum(&idle);
            if time == Nanos::ZERO {
                String::new()
            } else {
                format!("{} {}", words::length(time), words::share(time, whole))
            }
        });
        let title = reader.capture().lane_title(*lane).into_owned();
        table.row(std::iter::once(title).chain(sums));
    }
    table.write(streams.out)?;
    let mut table = Table::new(&["at the same time", "and", ">both busy"]);
    let overlaps = reader.overlaps(&lanes, scope.within);
    for overlap in overlaps.iter().filter(|it| it.both > Nanos::ZERO) {
        let title = |lane| reader.capture().lane_title(lane).into_owned();
        table.row([
            title(overlap.first),
            title(overlap.second),
            words::length(overlap.both),
        ]);
    }
    table.write_after_a_line(streams.out)?;
    let mut table = Table::new(&["straggler", ">came last", ">others waited"]);
    for straggler in reader.stragglers(scope.within) {
        table.row([
            format!("rank {}", straggler.rank),
            straggler.last.to_string(),
            words::length(straggler.cost),
        ]);
    }
    table.write_after_a_line(streams.out)?;
    Ok(())
}
