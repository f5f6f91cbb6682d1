//! Where the time of each stream went, which streams overlapped, and which rank came last.

use engine::analysis::causes::{CauseReader, IdleUse};
use engine::analysis::{IterationTable, Iterations};
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
            for line in steps(&table(&scope, &reader, options)) {
                writeln!(streams.out, "{line}")?;
            }
        }
        Format::Text => {
            write_text(&scope, &reader, streams)?;
            write_steps(&table(&scope, &reader, options), streams)?;
        }
    }
    Ok(FINE)
}

/// The iterations of the whole capture; none where a part of it is asked about.
fn table(scope: &Scope, reader: &CauseReader<'_>, options: &CauseOptions) -> IterationTable {
    if !scope.is_whole {
        return IterationTable::default();
    }
    IterationTable::new(reader, &Iterations::find(reader, options.rank))
}

/// An object for each iteration.
fn steps(table: &IterationTable) -> impl Iterator<Item = Value> + '_ {
    table.rows.iter().map(|row| {
        let mut object = Object::new();
        object.insert("type".to_owned(), json!("iteration"));
        object.insert("number".to_owned(), json!(row.iteration.number));
        object.insert("name".to_owned(), json!(row.iteration.name));
        object.insert("by".to_owned(), json!(table.source.label()));
        let within = row.iteration.interval;
        object.insert("from_ns".to_owned(), json!(within.start.0));
        object.insert("to_ns".to_owned(), json!(within.end.0));
        for what in IdleUse::ALL {
            object.insert(key(what).to_owned(), json!(what.of(&row.time).0));
        }
        if let Some((what, time)) = row.critical {
            object.insert("critical".to_owned(), json!(what.label()));
            object.insert("critical_ns".to_owned(), json!(time.0));
        }
        object.insert("outlier".to_owned(), json!(row.is_outlier));
        Value::Object(object)
    })
}

/// So many iterations are listed for people.
const MOST_STEPS: usize = 40;

fn write_steps(table: &IterationTable, streams: &mut Streams<'_>) -> Result<(), Stop> {
    if table.rows.is_empty() {
        return Ok(());
    }
    let mut heads = vec![">iteration", "name", ">from", ">took"];
    heads.extend([
        ">host late",
        ">host blocked",
        ">dependency",
        ">latency",
        ">unknown",
    ]);
    heads.extend(["critical", "outlier"]);
    let mut found = Table::new(&heads);
    for row in table.rows.iter().take(MOST_STEPS) {
        let within = row.iteration.interval;
        let time = |time: Nanos| match time {
            Nanos::ZERO => String::new(),
            time => words::length(time),
        };
        let critical = row.critical.map(|(what, time)| {
            let share = words::share(time, within.length());
            format!("{} {share}", what.label())
        });
        let mut cells = vec![
            row.iteration.number.to_string(),
            crate::text::shorten(&row.iteration.name, 40),
            words::length(within.start),
            words::length(within.length()),
        ];
        let idle = IdleUse::ALL.into_iter().filter(|it| it.is_idle());
        cells.extend(idle.map(|what| time(what.of(&row.time))));
        cells.push(critical.unwrap_or_default());
        cells.push(if row.is_outlier { "outlier" } else { "" }.to_owned());
        found.row(cells);
    }
    writeln!(
        streams.out,
        "\niterations by {}, idle time of all their streams; half take at most {}:",
        table.source.label(),
        words::length(table.median)
    )?;
    found.write(streams.out)?;
    let rest = (table.rows.len() + table.left_out).saturating_sub(MOST_STEPS);
    if rest > 0 {
        writeln!(streams.out, "… and {rest} more; --format json shows them")?;
    }
    Ok(())
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
    let arrivals = reader.arrivals(scope.within);
    for straggler in &arrivals.last {
        rows.push(json!({
            "type": "straggler",
            "lane": straggler.member.title(reader.capture(), &arrivals.members),
            "rank": straggler.member.rank,
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
    let arrivals = reader.arrivals(scope.within);
    for straggler in &arrivals.last {
        table.row([
            straggler.member.title(reader.capture(), &arrivals.members),
            straggler.last.to_string(),
            words::length(straggler.cost),
        ]);
    }
    table.write_after_a_line(streams.out)?;
    Ok(())
}
