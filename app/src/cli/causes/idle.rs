//! Where the time of each stream, engine and host thread went, which streams overlapped, and which rank came last.

use std::collections::BTreeMap;

use engine::analysis::causes::{
    COMPARED, CauseReader, CollectiveArrivals, CollectiveMember, IdleUse, LaneIdle, LastArriver,
};
use engine::analysis::{IterationTable, Iterations};
use engine::record::LaneId;
use engine::time::Nanos;
use serde_json::{Value, json};

use super::json::{JsonObject, put_lane};
use super::scope::{CauseOptions, CauseScope};
use crate::cli::arguments::OutputFormat;
use crate::cli::table::TextTable;
use crate::cli::{CliFailure, FINE, OutputStreams};
use crate::text::words;

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
pub(in crate::cli) fn idle(
    options: &CauseOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let scope = CauseScope::open(&options.part, streams)?;
    let reader = scope.reader();
    match options.format {
        OutputFormat::Json => {
            write_rows(&scope, &reader, streams)?;
            for line in steps(&table(&scope, &reader, options)) {
                writeln!(streams.out, "{line}")?;
            }
        }
        OutputFormat::Text => {
            write_text(&scope, &reader, streams)?;
            if options.part.lane.is_none() {
                write_steps(&table(&scope, &reader, options), streams)?;
            }
        }
    }
    Ok(FINE)
}

/// The iterations of the whole capture; none where a part of it is asked about.
fn table(scope: &CauseScope, reader: &CauseReader<'_>, options: &CauseOptions) -> IterationTable {
    if !scope.is_whole {
        return IterationTable::default();
    }
    IterationTable::new(reader, &Iterations::find(reader, options.part.rank))
}

/// An object for each iteration.
fn steps(table: &IterationTable) -> impl Iterator<Item = Value> + '_ {
    table.rows.iter().map(|row| {
        let mut object = JsonObject::new();
        object.insert("type".to_owned(), json!("iteration"));
        object.insert("number".to_owned(), json!(row.iteration.number));
        object.insert("name".to_owned(), json!(&*row.iteration.name));
        object.insert("by".to_owned(), json!(table.source.label()));
        if let Some(rank) = table.rank {
            object.insert("rank".to_owned(), json!(rank));
        }
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
        if row.is_cut_off {
            object.insert("cut_off".to_owned(), json!(true));
        }
        Value::Object(object)
    })
}

/// So many iterations are listed for people.
const MOST_STEPS: usize = 40;

fn write_steps(table: &IterationTable, streams: &mut OutputStreams<'_>) -> Result<(), CliFailure> {
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
    let mut found = TextTable::new(&heads);
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
        cells.push(row.remark().to_owned());
        found.row(cells);
    }
    writeln!(streams.out)?;
    writeln!(
        streams.out,
        "iterations by {}, {}{}:",
        table.label(),
        match table.streams {
            0 => "without idle time, since the capture has no streams".to_owned(),
            1 => "idle time of their stream".to_owned(),
            count => format!("idle time of their {count} streams together"),
        },
        match table.rows.len() {
            1 => String::new(),
            _ => format!(
                "; half {}take at most {}",
                table.which(),
                words::length(table.median)
            ),
        }
    )?;
    found.write(streams.out)?;
    let rest = (table.rows.len() + table.left_out).saturating_sub(MOST_STEPS);
    if rest > 0 {
        writeln!(streams.out, "… and {rest} more; --format json shows them")?;
    }
    Ok(())
}

/// A sort of lanes that has a table of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IdleTable {
    Streams,
    Engines,
    Threads,
}

impl IdleTable {
    const ALL: [Self; 3] = [Self::Streams, Self::Engines, Self::Threads];

    /// What its rows are called in JSON, and the head of its first column for people.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Streams => ("idle", "stream"),
            Self::Engines => ("idle-engine", "engine"),
            Self::Threads => ("idle-thread", "host thread"),
        }
    }

    /// Its lanes, of those that are asked about.
    fn lanes(self, scope: &CauseScope) -> Vec<LaneId> {
        match self {
            Self::Streams => scope.streams(),
            Self::Engines => scope.engines(),
            Self::Threads => scope.threads(),
        }
    }

    /// What a use is called of its lanes; nothing for what they have none of.
    const fn label(self, what: IdleUse) -> Option<&'static str> {
        match self {
            Self::Threads => what.thread_label(),
            Self::Streams | Self::Engines => Some(what.label()),
        }
    }

    /// What one of its lanes did.
    fn idle(self, scope: &CauseScope, reader: &CauseReader<'_>, lane: LaneId) -> LaneIdle {
        match self {
            Self::Threads => reader.thread_idle(lane, scope.within),
            Self::Streams | Self::Engines => reader.lane_idle(lane, scope.within),
        }
    }
}

/// Writes an object for each lane, overlap and straggler. A capture may have a million lanes, so none is kept.
fn write_rows(
    scope: &CauseScope,
    reader: &CauseReader<'_>,
    streams: &mut OutputStreams<'_>,
) -> Result<(), CliFailure> {
    for table in IdleTable::ALL {
        for lane in table.lanes(scope) {
            let idle = table.idle(scope, reader, lane);
            writeln!(streams.out, "{}", row(reader, table, &idle))?;
        }
    }
    let lanes = scope.streams();
    let title = |lane| reader.capture().lane_title(lane).into_owned();
    for overlap in reader.overlaps(&lanes, scope.within) {
        let object = json!({
            "type": "overlap",
            "first": title(overlap.first),
            "second": title(overlap.second),
            "rank": reader.rank(overlap.first),
            "both_ns": overlap.both.0,
        });
        writeln!(streams.out, "{object}")?;
    }
    for line in stragglers(reader, &reader.arrivals(scope.within)) {
        writeln!(streams.out, "{line}")?;
    }
    Ok(())
}

/// How often each rank came last, and how long others waited for it.
fn sums_of_ranks(
    arrivals: &CollectiveArrivals,
    rank: impl Fn(CollectiveMember) -> u32,
) -> BTreeMap<u32, (u64, Nanos)> {
    let mut ranks: BTreeMap<u32, (u64, Nanos)> = BTreeMap::new();
    for straggler in &arrivals.last {
        let (last, cost) = ranks.entry(rank(straggler.member)).or_default();
        *last += straggler.last;
        *cost += straggler.cost;
    }
    ranks
}

/// An object for each rank that ever came last to a collective operation, and where a rank has several devices or threads that
/// take part, one for each of those as well.
fn stragglers(reader: &CauseReader<'_>, arrivals: &CollectiveArrivals) -> Vec<Value> {
    let rank = |member: CollectiveMember| member.rank.unwrap_or(0);
    let line = |what: &str, lane: String, rank: u32, (last, cost): (u64, Nanos)| json!({ "type": what, "lane": lane, "rank": rank, "last": last, "cost_ns": cost.0 });
    let sums = sums_of_ranks(arrivals, rank).into_iter();
    let ranks = sums.map(|(rank, sum)| line("straggler", format!("rank {rank}"), rank, sum));
    let is_one_of_several = |it: &&LastArriver| {
        let members = arrivals.members.iter();
        let own = members.filter(|other| rank(**other) == rank(it.member));
        own.count() > 1
    };
    let several = arrivals.last.iter().filter(is_one_of_several);
    let members = several.map(|it| {
        let title = it.member.title(reader.capture(), &arrivals.members);
        let sum = (it.last, it.cost);
        line("straggler-member", title, rank(it.member), sum)
    });
    ranks.chain(members).collect()
}

/// The object of a lane.
fn row(reader: &CauseReader<'_>, table: IdleTable, idle: &LaneIdle) -> Value {
    let mut object = JsonObject::new();
    object.insert("type".to_owned(), json!(table.words().0));
    put_lane(reader, idle.lane, &mut object);
    for what in IdleUse::ALL {
        object.insert(key(what).to_owned(), json!(what.of(&idle.time).0));
    }
    for (sum, name) in [
        (IdleUse::Dependency, "dependency_by"),
        (IdleUse::Latency, "latency_by"),
    ] {
        let parts = idle.reasons.some().filter(|it| it.0.sum() == sum);
        let parts = parts.map(|(reason, time)| (reason.label().to_owned(), json!(time.0)));
        object.insert(name.to_owned(), Value::Object(parts.collect()));
    }
    let all: Vec<CollectiveMember> = idle.ranks.iter().map(|it| it.0).collect();
    let ranks = idle.ranks.iter();
    let ranks = ranks.map(|(member, time)| (member.title(reader.capture(), &all), json!(time.0)));
    object.insert("rank_wait_by".to_owned(), Value::Object(ranks.collect()));
    Value::Object(object)
}

/// So many lanes of each sort are listed for people.
const MOST_LANES: usize = 1_000;

fn write_text(
    scope: &CauseScope,
    reader: &CauseReader<'_>,
    streams: &mut OutputStreams<'_>,
) -> Result<(), CliFailure> {
    let lanes = scope.streams();
    let whole = scope.within.length();
    writeln!(streams.out, "of {}:", words::length(whole))?;
    let mut all: Vec<(IdleTable, LaneIdle)> = Vec::new();
    for sort in IdleTable::ALL {
        let own = sort.lanes(scope);
        let listed = own.iter().take(MOST_LANES);
        let rows: Vec<LaneIdle> = listed.map(|it| sort.idle(scope, reader, *it)).collect();
        write_sums(reader, sort, &rows, (whole, streams))?;
        if own.len() > MOST_LANES {
            let rest = own.len() - MOST_LANES;
            let how = "--lane chooses by name, and --format json shows them";
            writeln!(streams.out, "… and {rest} more; {how}")?;
        }
        all.extend(rows.into_iter().map(|row| (sort, row)));
    }
    if all.is_empty() {
        let words = "nothing that counts ran on the lanes that are asked about";
        writeln!(streams.out, "{words}")?;
    }
    write_reasons(reader, &all, (whole, streams))?;
    let mut table = TextTable::new(&["overlap of", "and", ">both busy"]);
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
    if lanes.len() > COMPARED {
        let words = "the busiest of them are compared with each other";
        writeln!(
            streams.out,
            "of a device with more than {COMPARED} streams {words}"
        )?;
    }
    let mut table = TextTable::new(&["straggler", ">came last", ">others waited"]);
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

/// The sums of lanes of one sort.
fn write_sums(
    reader: &CauseReader<'_>,
    sort: IdleTable,
    rows: &[LaneIdle],
    (whole, streams): (Nanos, &mut OutputStreams<'_>),
) -> Result<(), CliFailure> {
    let shown = IdleUse::ALL.into_iter();
    let shown: Vec<IdleUse> = shown.filter(|it| sort.label(*it).is_some()).collect();
    let heads = shown.iter().filter_map(|it| sort.label(*it));
    let mut table = TextTable::of_numbers(sort.words().1, heads);
    for idle in rows {
        let sums = shown.iter().map(|what| timed(what.of(&idle.time), whole));
        let title = reader.capture().lane_title(idle.lane).into_owned();
        table.row(std::iter::once(title).chain(sums));
    }
    if sort == IdleTable::Streams {
        table.write(streams.out)?;
    } else {
        table.write_after_a_line(streams.out)?;
    }
    Ok(())
}

/// What each lane waited for, in finer words than the sums.
fn write_reasons(
    reader: &CauseReader<'_>,
    all: &[(IdleTable, LaneIdle)],
    (whole, streams): (Nanos, &mut OutputStreams<'_>),
) -> Result<(), CliFailure> {
    let mut table = TextTable::new(&["lane", "of its", "by", ">time", "longest at"]);
    for (sort, idle) in all {
        let title = reader.capture().lane_title(idle.lane);
        for (reason, time) in idle.reasons.some() {
            let at = idle.reasons.longest_of(reason);
            let at = at.map(|it| words::span(reader, it)).unwrap_or_default();
            let sum = sort.label(reason.sum()).unwrap_or_default();
            let cells = [title.as_ref(), sum, reason.label()];
            let mut cells = cells.map(str::to_owned).to_vec();
            cells.extend([timed(time, whole), at]);
            table.row(cells);
        }
        let members: Vec<CollectiveMember> = idle.ranks.iter().map(|it| it.0).collect();
        for (member, time) in &idle.ranks {
            let by = member.title(reader.capture(), &members);
            let mut cells = vec![title.to_string(), IdleUse::OtherRanks.label().to_owned()];
            cells.extend([by, timed(*time, whole), String::new()]);
            table.row(cells);
        }
    }
    table.write_after_a_line(streams.out)?;
    Ok(())
}

/// A time and its share of the whole; nothing for none.
fn timed(time: Nanos, whole: Nanos) -> String {
    if time == Nanos::ZERO {
        String::new()
    } else {
        format!("{} {}", words::length(time), words::share(time, whole))
    }
}
