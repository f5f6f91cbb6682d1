//! How long the spans of each name took.

use std::time::Duration;

use engine::analysis::{Durations, StatisticsJob, distinct_names};
use engine::record::Group;
use engine::time::{Interval, Nanos};
use serde_json::json;

use super::scope::{CauseOptions, CauseScope};
use crate::cli::arguments::OutputFormat;
use crate::cli::table::TextTable;
use crate::cli::{CliFailure, FINE, OutputStreams};
use crate::text::words;

/// So many names are listed for people.
const MOST: usize = 40;
/// Letters of them.
const LETTERS: usize = 60;

/// Prints how long the spans of each name took, and how long of that they spent in themselves.
pub(in crate::cli) fn statistics(
    options: &CauseOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let scope = CauseScope::open(&options.part, streams)?;
    let within = if scope.is_whole {
        let all = scope.capture.extent().unwrap_or_default();
        // The last instant counts as well, so that an operation without length there is seen.
        Interval::new(all.start, all.end + Nanos(1))
    } else {
        scope.within
    };
    let mut job = StatisticsJob::of_some(&scope.capture, within, scope.lanes.clone());
    while !job.step(&scope.capture, Duration::MAX) {}
    let found = job.finish().durations;
    match options.format {
        OutputFormat::Json => {
            for of in &found {
                writeln!(streams.out, "{}", object(&scope, of))?;
            }
        }
        OutputFormat::Text => write_text(&scope, &found, streams)?,
    }
    Ok(FINE)
}

fn object(scope: &CauseScope, of: &Durations) -> serde_json::Value {
    json!({
        "type": "operation",
        "name": scope.capture.name(of.name),
        "kind": of.kind.label(),
        "group": of.group.label(),
        "lane": scope.capture.lane_title(of.lane),
        "lanes": of.lanes,
        "count": of.count(),
        "total_ns": of.total.0,
        "self_ns": of.own.0,
        "mean_ns": of.mean().0,
        "median_ns": of.median().0,
        "p95_ns": of.quantile(0.95).0,
        "min_ns": of.quantile(0.0).0,
        "max_ns": of.quantile(1.0).0,
        "longest": of.longest.0,
    })
}

fn write_text(
    scope: &CauseScope,
    found: &[Durations],
    streams: &mut OutputStreams<'_>,
) -> Result<(), CliFailure> {
    if found.is_empty() {
        writeln!(streams.out, "nothing ran on the lanes that are asked about")?;
    }
    // What ran on streams is asked about most.
    for group in Group::ALL.iter().rev() {
        let of_group = found.iter().filter(|it| it.group == *group);
        let all: Vec<&Durations> = of_group.collect();
        let whole = all.iter().fold(Nanos::ZERO, |sum, it| sum + it.own);
        let mut table = TextTable::new(&[
            group.label(),
            "kind",
            ">count",
            ">total",
            ">self",
            ">share",
            ">mean",
            ">median",
            ">p95",
            ">max",
        ]);
        let listed = all.iter().take(MOST);
        let names: Vec<&str> = listed
            .clone()
            .map(|it| scope.capture.name(it.name))
            .collect();
        for (of, name) in listed.zip(distinct_names(&names, LETTERS)) {
            table.row([
                name,
                of.kind.label().to_owned(),
                crate::text::count(of.count() as u64),
                words::length(of.total),
                words::length(of.own),
                words::share(of.own, whole),
                words::length(of.mean()),
                words::length(of.median()),
                words::length(of.quantile(0.95)),
                words::length(of.quantile(1.0)),
            ]);
        }
        table.write_after_a_line(streams.out)?;
        if all.len() > MOST {
            let rest = all.len() - MOST;
            writeln!(streams.out, "… and {rest} more; --format json shows them")?;
        }
    }
    Ok(())
}
