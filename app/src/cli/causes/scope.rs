//! Which part of a capture is asked about: a range of time, a rank, a lane.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use engine::analysis::Iterations;
use engine::analysis::causes::{CauseReader, Causes};
use engine::capture::Capture;
use engine::record::{LaneId, SpanId};
use engine::time::{Interval, Nanos};
use engine::workload::nearest;

use crate::cli::arguments::OutputFormat;
use crate::cli::range::TimeRange;
use crate::cli::{CliFailure, OutputStreams, open_files};

/// The files, which part of them is asked about, and how to print.
#[derive(Debug, Args)]
pub struct CauseOptions {
    /// The files, and which part of them
    #[command(flatten)]
    pub part: CapturePart,
    /// How to print; `json` prints one object a line
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
}

/// The files, and which part of them is asked about.
#[derive(Debug, Args)]
pub struct CapturePart {
    /// The captures; several are the ranks of one
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// From when to when, such as 10ms..12.5ms or 300us..; all of it where it is left out
    #[arg(long, value_name = "START..END", allow_hyphen_values = true, value_parser = crate::cli::range::parse)]
    pub range: Option<TimeRange>,
    /// Only this step or frame, counted from 1 as `syncline idle` lists them
    #[arg(long, value_name = "NUMBER", conflicts_with = "range")]
    pub iteration: Option<u32>,
    /// Only lanes of this rank
    #[arg(long, value_name = "NUMBER")]
    pub rank: Option<u32>,
    /// Only the lane of this name, or lanes whose name holds it
    #[arg(long, value_name = "NAME")]
    pub lane: Option<String>,
}

/// A capture without its causes, and which part of it is asked about.
pub struct OpenedPart {
    pub capture: Capture,
    /// The stretch of time; none where it is all.
    pub within: Option<Interval>,
    /// The lanes, in the order on screen; none where they are all.
    pub lanes: Option<Vec<LaneId>>,
}

impl OpenedPart {
    /// Opens the files, and finds what is asked about.
    pub(super) fn open(
        part: &CapturePart,
        streams: &mut OutputStreams<'_>,
    ) -> Result<Self, CliFailure> {
        let (capture, files) = open_files::open(&part.files, streams)?;
        open_files::tell_missing(capture.has_data_loss(), &files, streams)?;
        let lanes = lanes(&capture, part)?;
        let all = capture.extent().unwrap_or_default();
        let within = match (part.iteration, part.range) {
            (Some(number), _) => {
                let causes = Causes::build(&capture);
                let found = iteration(&causes.read(&capture), number, part.rank)?;
                Some(found)
            }
            (None, range) => range.map(|range| range.within(all)).transpose()?,
        };
        let is_of_lanes = lanes.len() < capture.lanes().len();
        Ok(Self {
            within,
            lanes: is_of_lanes.then_some(lanes),
            capture,
        })
    }
}

/// A capture with its causes, and which part of it is asked about.
pub struct CauseScope {
    pub capture: Capture,
    pub causes: Causes,
    /// The stretch of time.
    pub within: Interval,
    /// The lanes, in the order on screen.
    pub lanes: Vec<LaneId>,
    /// Whether all the time of the capture is asked about.
    pub is_whole: bool,
    /// Whether only some of its lanes are.
    pub is_of_lanes: bool,
}

impl CauseScope {
    /// Opens the files, and finds what is asked about.
    pub(super) fn open(
        options: &CapturePart,
        streams: &mut OutputStreams<'_>,
    ) -> Result<Self, CliFailure> {
        let (capture, parts) = open_files::open(&options.files, streams)?;
        open_files::tell_missing(capture.has_data_loss(), &parts, streams)?;
        let causes = Causes::build(&capture);
        let all = causes.extent();
        let lanes = lanes(&capture, options)?;
        let within = match options.iteration {
            Some(number) => iteration(&causes.read(&capture), number, options.rank)?,
            None => options.range.map_or(Ok(all), |range| range.within(all))?,
        };
        Ok(Self {
            within,
            is_whole: within == all,
            is_of_lanes: lanes.len() < capture.lane_order().len(),
            lanes,
            capture,
            causes,
        })
    }

    /// What can be asked.
    pub fn reader(&self) -> CauseReader<'_> {
        self.causes.read(&self.capture)
    }

    /// The streams among the lanes.
    pub fn streams(&self) -> Vec<LaneId> {
        among(self.reader().streams(), &self.lanes)
    }

    /// The compile workers and device timelines among the lanes.
    pub fn engines(&self) -> Vec<LaneId> {
        among(self.reader().engines(), &self.lanes)
    }

    /// The host threads among the lanes.
    pub fn threads(&self) -> Vec<LaneId> {
        among(self.reader().threads(), &self.lanes)
    }

    /// The spans of the lanes in the stretch, by start.
    pub fn spans(&self) -> Vec<SpanId> {
        // A span at its very end without any length lies in it too.
        let within = Interval {
            start: self.within.start,
            end: self.within.end + Nanos(i64::from(self.is_whole)),
        };
        let spans = self.lanes.iter();
        let spans = spans.flat_map(|lane| self.capture.spans_in(*lane, within));
        let mut spans: Vec<(Nanos, SpanId)> = spans.map(|it| (it.span.start, it.span.id)).collect();
        spans.sort_unstable();
        spans.into_iter().map(|it| it.1).collect()
    }
}

/// Those of `some` that are asked about.
fn among<T: Copy + Ord>(mut some: Vec<T>, asked: &[T]) -> Vec<T> {
    let asked: BTreeSet<T> = asked.iter().copied().collect();
    some.retain(|it| asked.contains(it));
    some
}

/// The stretch of the iteration with a number.
fn iteration(
    reader: &CauseReader<'_>,
    number: u32,
    rank: Option<u32>,
) -> Result<Interval, CliFailure> {
    let found = Iterations::find(reader, rank);
    let count = found.all.len();
    // A step may be marked around more than anything that counts.
    let counted = |it: Interval| it.intersection(reader.causes().extent()).unwrap_or(it);
    let known = found.get(number).map(|it| counted(it.interval));
    known.ok_or_else(|| {
        CliFailure::Wrong(if count == 0 {
            "the capture has no iterations: nothing in it marks steps or frames, and nothing repeats itself; --range \
             chooses a part of the time"
                .to_owned()
        } else {
            format!(
                "the capture has no iteration {number}; it has {count}, by {}, and `syncline idle` lists them",
                found.label()
            )
        })
    })
}

/// The lanes that are asked about.
fn lanes(capture: &Capture, options: &CapturePart) -> Result<Vec<LaneId>, CliFailure> {
    let mut lanes = capture.lane_order();
    if let Some(rank) = options.rank {
        let rank_of = |lane: &LaneId| capture.lane_origin(*lane).and_then(|it| it.rank);
        lanes.retain(|lane| rank_of(lane).unwrap_or(0) == rank);
        if lanes.is_empty() {
            return Err(CliFailure::Wrong(format!(
                "the capture has no rank {rank}; `syncline info` lists its lanes with their ranks"
            )));
        }
    }
    let Some(name) = &options.lane else {
        return Ok(lanes);
    };
    let title = |lane: &LaneId| capture.lane_title(*lane).into_owned();
    let is_exact = |lane: &LaneId| {
        let plain = capture.lane(*lane).is_some_and(|it| it.name == *name);
        plain || title(lane) == *name
    };
    let exact: Vec<LaneId> = lanes.iter().copied().filter(is_exact).collect();
    if !exact.is_empty() {
        return Ok(exact);
    }
    let wanted = name.to_lowercase();
    let holds = |lane: &LaneId| title(lane).to_lowercase().contains(&wanted);
    let found: Vec<LaneId> = lanes.iter().copied().filter(holds).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let titles: Vec<String> = lanes.iter().map(title).collect();
    let hint = nearest(name, titles.iter().map(String::as_str));
    let hint = hint.map_or_else(String::new, |hint| format!("{hint} "));
    Err(CliFailure::Wrong(format!(
        "no lane is called “{name}”; {hint}`syncline info` lists the lanes"
    )))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::cmp::Ordering;

    use super::*;

    thread_local! {
        static COMPARED: Cell<u64> = const { Cell::new(0) };
    }

    /// A number that counts how often one is compared with another.
    #[derive(Clone, Copy, Debug, Eq)]
    struct ComparisonCounter(u64);

    impl PartialEq for ComparisonCounter {
        fn eq(&self, other: &Self) -> bool {
            self.cmp(other).is_eq()
        }
    }

    impl PartialOrd for ComparisonCounter {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    impl Ord for ComparisonCounter {
        fn cmp(&self, other: &Self) -> Ordering {
            COMPARED.set(COMPARED.get() + 1);
            self.0.cmp(&other.0)
        }
    }

    #[test]
    fn very_many_lanes_are_not_looked_through_for_each() {
        let lanes = |count: u64| (0..count).map(ComparisonCounter).collect::<Vec<_>>();
        let (some, asked) = (lanes(20_000), lanes(10_000));
        COMPARED.set(0);
        let found = among(some, &asked);
        assert!(COMPARED.get() < 20_000 * 64, "{} looks", COMPARED.get());
        assert_eq!(found, asked);
    }
}
