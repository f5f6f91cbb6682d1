//! Where the time of each stream went, which streams overlapped, and which rank came last.

use engine::analysis::causes::{CauseReader, IdleUse};
use engine::time::Nanos;
use serde_json::{Value, json};

use super::json::{Object, put_lane};
use super::scope::{CauseOptions, Scope};
use super::words;
use crate::cli::arguments::Format;
use crate::cli::table::Table;
use crate::cli::{FINE, Stop, Streams};

/// The name of each sum for programs.
const fn key(what: IdleUse) -> &'static str {
    match what {
        IdleUse::Busy => "busy_ns",
        IdleUse::HostLate => "host_ns",
        IdleUse::HostBlocked => "host_sync_ns",
        IdleUse::Dependency => "dependency_ns",
        IdleUse::Latency => "latency_ns",
        IdleUse::Unknown => "unknown_ns",
        IdleUse::After => "after_ns",
        IdleUse::OtherRanks => "rank_wait_ns",
    }
}

/// Prints where the time of each stream went.
pub(in crate::cli) fn idle(options: &CauseOptions, streams: &mut Streams<'_>) -> Result<u8, Stop> {
    let scope = Scope::open(options, streams)?;
    let reader = scope.reader();
    match options.format {
        Format::Json => {
            for line in rows(&scope, &reader) {
                writeln!(streams.out, "{line}")?;
            }
        }
        Format::Text => write_text(&scope, &reader, streams)?,
    }
    Ok(FINE)
}

fn rows(scope: &Scope, reader: &CauseReader<'_>) -> Vec<Value> {
    let lanes = scope.streams();
    let mut rows = Vec::new();
    for lane in &lanes {
        let idle = reader.idle(*lane, scope.within);
        let mut object = Object::new();
        object.insert("type".to_owned(), json!("idle"));
        put_lane(reader, *lane, &mut object);
        for what in IdleUse::ALL {
            object.insert(key(what).to_owned(), json!(what.of(&idle).0));
        }
        rows.push(Value::Object(object));
    }
    let title = |lane| reader.capture().lane_title(lane).into_owned();
    for overlap in reader.overlaps(&lanes, scope.within) {
        rows.push(json!({
            "type": "overlap",
            "first": title(overlap.first),
            "second": title(overlap.second),
            "both_ns": overlap.both.0,
        }));
    }
    for straggler in reader.stragglers(scope.within) {
        rows.push(json!({
            "type": "straggler",
            "lane": format!("rank {}", straggler.rank),
            "last": straggler.last,
            "cost_ns": straggler.cost.0,
        }));
    }
    rows
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
    heads.extend([">busy", ">host late", ">host blocked", ">dependency"]);
    heads.extend([">latency", ">unknown", ">after", ">other ranks"]);
    let mut table = Table::new(&heads);
    for lane in &lanes {
        let idle = reader.idle(*lane, scope.within);
        let sums = IdleUse::ALL.into_iter().map(|what| {
            let time = what.of(&idle);
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
