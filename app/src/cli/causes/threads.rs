//! How host threads were scheduled: when each ran and on which core, was ready and had none, or was blocked.

use std::collections::BTreeSet;

use clap::Args;
use engine::analysis::ThreadTotals;
use engine::record::{LaneId, ThreadInterval, ThreadState, Value};
use engine::time::{Interval, Nanos};

use super::row_list::{ListFormat, count, integer, text, time, write_rows};
use super::scope::{CapturePart, OpenedPart};
use crate::cli::table::TextTable;
use crate::cli::{CliFailure, FINE, OutputStreams};
use crate::text::words;

/// So many rows are listed for people.
const MOST: usize = 60;

/// Which threads are asked about, and how to print.
#[derive(Debug, Args)]
#[command(after_help = FIELDS)]
pub struct ThreadsOptions {
    /// The files, and which part of them
    #[command(flatten)]
    pub part: CapturePart,
    /// A row for each stretch of time in which a thread was in one state, instead of sums
    #[arg(long)]
    pub intervals: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
}

const FIELDS: &str = "A row for each thread of which it is known how it was scheduled, in the order of the lanes: lane; rank; thread, \
    its number; known_ns, from the first instant to the last that it is known of; running_ns; runnable_ns, ready to run and without \
    a core; blocked_ns; uninterruptible_ns, blocked so that no signal ends it; off_cpu_ns, without a core where it is not told \
    whether it was ready; switches, how often it left a core; preemptions, how often it did and could have run on; \
    longest_runnable_ns and longest_runnable_start_ns; cores, those that it ran on. With --intervals a row for each state, by lane \
    and time: lane, rank, thread, start_ns, duration_ns, state (running, runnable, blocked, uninterruptible or off-cpu), core, waker \
    (what made it ready: a thread by name and number, or interrupt). What a stretch of time cuts counts with the part in it.";

/// The columns of sums.
const SUM_COLUMNS: [&str; 14] = [
    "lane",
    "rank",
    "thread",
    "known_ns",
    "running_ns",
    "runnable_ns",
    "blocked_ns",
    "uninterruptible_ns",
    "off_cpu_ns",
    "switches",
    "preemptions",
    "longest_runnable_ns",
    "longest_runnable_start_ns",
    "cores",
];

/// The columns of states.
const STATE_COLUMNS: [&str; 8] = [
    "lane",
    "rank",
    "thread",
    "start_ns",
    "duration_ns",
    "state",
    "core",
    "waker",
];

/// Prints how threads were scheduled.
pub(in crate::cli) fn threads(
    options: &ThreadsOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let scope = OpenedPart::open(&options.part, streams)?;
    let known: BTreeSet<LaneId> = scope.capture.scheduled_lanes().collect();
    let mut lanes = match &scope.lanes {
        Some(lanes) => lanes.clone(),
        None => scope.capture.lane_order(),
    };
    lanes.retain(|it| known.contains(it));
    let is_text = options.format == ListFormat::Text;
    if lanes.is_empty() && is_text {
        let words = if known.is_empty() {
            "the capture does not tell how threads were scheduled: files of Perfetto with ftrace's scheduler events do, and runs \
             of Syncline's own where the kernel allows it"
        } else {
            "it is not known how the threads of these lanes were scheduled"
        };
        writeln!(streams.out, "{words}")?;
        return Ok(FINE);
    }
    match (options.intervals, is_text) {
        (true, true) => write_states(&scope, &lanes, streams),
        (false, true) => write_sums(&scope, &lanes, streams),
        (true, false) => {
            let rows = lanes
                .iter()
                .flat_map(|lane| states(&scope, *lane).map(|it| state_row(&scope, *lane, &it)));
            write_rows(&STATE_COLUMNS, rows, options.format, streams)
        }
        (false, false) => {
            let rows = lanes.iter().filter_map(|lane| sum_row(&scope, *lane));
            write_rows(&SUM_COLUMNS, rows, options.format, streams)
        }
    }
}

/// The states of a lane's thread, cut to what is asked about.
fn states(scope: &OpenedPart, lane: LaneId) -> impl Iterator<Item = ThreadInterval> {
    let within = scope.within;
    let all = match within {
        Some(within) => scope.capture.thread_states_in(lane, within),
        None => scope.capture.thread_states(lane),
    };
    all.iter().filter_map(move |it| {
        let is_instant = it.interval.length() == Nanos::ZERO;
        let interval = match within {
            None => Some(it.interval),
            Some(within) if is_instant && within.contains(it.interval.start) => Some(it.interval),
            Some(within) => it.interval.intersection(within),
        };
        Some(ThreadInterval {
            interval: interval?,
            ..*it
        })
    })
}

/// The lane, its rank and the number of its thread.
fn who(scope: &OpenedPart, lane: LaneId) -> [Option<Value>; 3] {
    let origin = scope.capture.lane_origin(lane);
    let rank = origin.and_then(|it| it.rank);
    let number = origin.and_then(|it| it.number);
    [
        Some(text(&scope.capture.lane_title(lane))),
        rank.map(|it| integer(i64::from(it))),
        number.map(integer),
    ]
}

fn sum_row(scope: &OpenedPart, lane: LaneId) -> Option<Vec<Option<Value>>> {
    let totals = ThreadTotals::of(&scope.capture, lane, scope.within)?;
    let longest = totals.longest_runnable;
    let mut row = Vec::from(who(scope, lane));
    row.extend([
        Some(time(totals.known.length())),
        Some(time(totals.running)),
        Some(time(totals.runnable)),
        Some(time(totals.blocked)),
        Some(time(totals.uninterruptible)),
        Some(time(totals.off_cpu)),
        Some(count(totals.switches)),
        Some(count(totals.preemptions)),
        longest.map(|it| time(it.length())),
        longest.map(|it| time(it.start)),
        Some(text(&cores(&totals))),
    ]);
    Some(row)
}

/// The cores of a thread, such as `0 3`.
fn cores(totals: &ThreadTotals) -> String {
    let cores: Vec<String> = totals.cores.iter().map(u32::to_string).collect();
    cores.join(" ")
}

fn state_row(scope: &OpenedPart, lane: LaneId, state: &ThreadInterval) -> Vec<Option<Value>> {
    let mut row = Vec::from(who(scope, lane));
    let waker = state
        .waker
        .is_some()
        .then(|| scope.capture.name(state.waker));
    row.extend([
        Some(time(state.interval.start)),
        Some(time(state.interval.length())),
        Some(text(state.state.label())),
        state.core.map(|it| integer(i64::from(it))),
        waker.map(text),
    ]);
    row
}

/// Writes sums for people.
fn write_sums(
    scope: &OpenedPart,
    lanes: &[LaneId],
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let totals = lanes.iter().filter_map(|lane| {
        let totals = ThreadTotals::of(&scope.capture, *lane, scope.within)?;
        Some((*lane, totals))
    });
    let totals: Vec<(LaneId, ThreadTotals)> = totals.collect();
    let is_off_cpu = totals.iter().any(|it| it.1.off_cpu > Nanos::ZERO);
    let mut heads = vec![
        "thread",
        ">known",
        ">running",
        ">runnable",
        ">blocked",
        ">uninterruptible",
    ];
    heads.extend(is_off_cpu.then_some(">off core"));
    heads.extend([">switches", ">preempted", ">longest runnable", "cores"]);
    let mut table = TextTable::new(&heads);
    for (lane, totals) in totals.iter().take(MOST) {
        let longest = totals
            .longest_runnable
            .map_or(Nanos::ZERO, Interval::length);
        let mut cells = vec![
            scope.capture.lane_title(*lane).into_owned(),
            words::length(totals.known.length()),
            words::length(totals.running),
            words::length(totals.runnable),
            words::length(totals.blocked),
            words::length(totals.uninterruptible),
        ];
        cells.extend(is_off_cpu.then(|| words::length(totals.off_cpu)));
        cells.extend([
            crate::text::count(totals.switches),
            crate::text::count(totals.preemptions),
            words::length(longest),
            cores(totals),
        ]);
        table.row(cells);
    }
    table.write(streams.out)?;
    more(totals.len(), streams)
}

/// Writes states for people.
fn write_states(
    scope: &OpenedPart,
    lanes: &[LaneId],
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let mut table = TextTable::new(&["thread", ">from", ">for", "state", ">core", "woken by"]);
    let mut all = 0;
    for lane in lanes {
        for state in states(scope, *lane) {
            all += 1;
            if all > MOST {
                continue;
            }
            let waker = state
                .waker
                .is_some()
                .then(|| scope.capture.name(state.waker));
            table.row([
                scope.capture.lane_title(*lane).into_owned(),
                words::exact(state.interval.start),
                words::length(state.interval.length()),
                said(state.state).to_owned(),
                state.core.map(|it| it.to_string()).unwrap_or_default(),
                waker.unwrap_or_default().to_owned(),
            ]);
        }
    }
    table.write(streams.out)?;
    more(all, streams)
}

/// A state for people.
const fn said(state: ThreadState) -> &'static str {
    match state {
        ThreadState::OffCpu => "off core",
        told => told.label(),
    }
}

/// Says how many rows are not listed for people.
fn more(all: usize, streams: &mut OutputStreams<'_>) -> Result<u8, CliFailure> {
    if all > MOST {
        let rest = all - MOST;
        writeln!(
            streams.out,
            "… and {rest} more; --format csv or json shows them"
        )?;
    }
    Ok(FINE)
}
