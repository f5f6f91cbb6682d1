//! What a capture comes to, in figures: made once, printed for people or for programs.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use engine::analysis::causes::{CauseReader, CollectiveMember};
use engine::analysis::{Conclusions, LaneUse, RoleOverlap, Statistics, pace};
use engine::capture::Capture;
use engine::record::{Bookmark, Group, Lane, LaneId, PaceLaw, PaceReport, RunOutcome};
use engine::runner::SAVE_FAILED;
use engine::time::{Interval, Nanos};
use serde::{Serialize, Serializer};

use super::events::EventsReport;
use super::findings::FindingsReport;
use super::lane_uses::LaneUses;
use super::launches::LaunchesReport;
use super::plain_text::joined;
use super::promises::{EarlierAttemptReport, OutcomesReport};
use super::table::TextTable;
use crate::text;

/// How many streams are printed for people; the rest is counted.
const STREAMS: usize = 1_000;

/// From here on lanes are very many.
const MANY: usize = 100_000;

/// A capture in figures.
#[derive(Serialize)]
pub(super) struct CaptureReport<'a> {
    /// Name of the workload or the file.
    pub name: String,
    /// The law of a paced device, and how it was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    paced: Option<PacedReport>,
    /// What ran it, or the format it was read from.
    pub backend: String,
    /// `finished`, `stopped`, `failed`, or `unknown` where the capture breaks off.
    pub outcome: &'static str,
    /// Why it failed.
    pub reason: Option<String>,
    /// From the first instant to the last, in nanoseconds.
    pub duration_ns: i64,
    /// The part of it in which anything ran that counts: what shares are of, here as in the overview and the table of idle
    /// time.
    #[serde(skip)]
    counted_ns: i64,
    /// Spans that ran to their end.
    pub spans: usize,
    /// Spans that never ended.
    pub running: usize,
    /// Dependencies.
    pub dependencies: usize,
    /// Records that were given to the recorder and did not arrive; 0 unless something is broken.
    pub lost: u64,
    /// What each lane did; for programs, only what each stream did.
    #[serde(rename = "streams", serialize_with = "write_streams")]
    pub lanes: LaneUses<'a>,
    /// Pairs of streams.
    pub overlaps: Vec<OverlapReport>,
    /// Pairs of roles of streams, for each device.
    role_overlaps: Vec<RoleOverlapReport>,
    /// What the capture comes to, as the window's overview says it.
    pub overview: Vec<OverviewText>,
    /// What promises, pipelines and losses came to.
    #[serde(flatten)]
    pub outcomes: OutcomesReport,
    /// Recorded launches and graphs.
    #[serde(flatten)]
    pub launches: LaunchesReport,
    /// Events.
    pub events: EventsReport,
    /// What the workload expected.
    pub expectations: Vec<ExpectationReport>,
    /// The places that somebody marked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bookmarks: Vec<BookmarkReport>,
    /// What is wrong or missing.
    pub problems: Vec<ProblemReport>,
    /// What analyses found, and what they looked at.
    #[serde(flatten)]
    pub findings: FindingsReport,
    /// The file that the capture was written to, whole.
    pub saved: Option<String>,
    /// Why it was not, where that was wanted.
    pub save_error: Option<String>,
    /// The attempts before the one that counts.
    #[serde(rename = "earlier_attempts", skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<EarlierAttemptReport>,
}

/// The law of a paced device, and how it was kept.
#[derive(Debug, Serialize)]
struct PacedReport {
    #[serde(flatten)]
    law: PaceLaw,
    #[serde(flatten)]
    report: PaceReport,
}

/// A line of the overview.
#[derive(Debug, Serialize)]
pub(super) struct OverviewText {
    topic: &'static str,
    text: String,
}

/// What a stream did.
#[derive(Debug, Serialize)]
struct StreamReport<'a> {
    name: Cow<'a, str>,
    role: &'static str,
    spans: usize,
    busy_ns: i64,
    waiting_ns: i64,
    queued_ns: i64,
}

/// How much two streams ran at the same time.
#[derive(Debug, Serialize)]
pub(super) struct OverlapReport {
    first: String,
    second: String,
    both_ns: i64,
    of_first: f64,
    of_second: f64,
}

/// How much streams of two roles of one device ran at the same time.
#[derive(Debug, Serialize)]
struct RoleOverlapReport {
    device: String,
    #[serde(flatten)]
    pair: OverlapReport,
}

impl RoleOverlapReport {
    fn all(capture: &Capture, found: &[RoleOverlap]) -> Vec<Self> {
        let members: BTreeSet<CollectiveMember> = found.iter().map(|it| it.member).collect();
        let members: Vec<CollectiveMember> = members.into_iter().collect();
        let report = |it: &RoleOverlap| Self {
            device: it.member.title(capture, &members),
            pair: OverlapReport {
                first: it.first.label().to_owned(),
                second: it.second.label().to_owned(),
                both_ns: it.both.0,
                of_first: it.of_first(),
                of_second: it.of_second(),
            },
        };
        found.iter().map(report).collect()
    }
}

/// What the workload expected, and whether it held; nothing where the run could not tell.
#[derive(Debug, Serialize)]
pub(super) struct ExpectationReport {
    text: String,
    pub holds: Option<bool>,
    found: String,
    line: u32,
}

/// A place that somebody marked.
#[derive(Debug, Serialize)]
struct BookmarkReport {
    start_ns: i64,
    end_ns: i64,
    /// The number of the marked span, where it is one.
    span: Option<u32>,
    /// What is marked, in words.
    what: String,
    /// What was noted.
    text: String,
}

/// Something that is wrong or missing.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct ProblemReport {
    severity: &'static str,
    code: String,
    text: String,
}

impl<'a> CaptureReport<'a> {
    /// The figures of a whole capture.
    pub fn new(capture: &'a Capture, lost: u64, saved: Option<&Path>) -> Self {
        let extent = capture.extent().unwrap_or_default();
        // The last instant counts as well, so that an operation without length there is seen.
        let all = Interval::new(extent.start, extent.end + Nanos(1));
        let name = |id: LaneId| capture.lane_title(id).into_owned();
        let (outcome, reason) = outcome(capture);
        let run = capture.run();
        let Concluded {
            made,
            counted,
            queued,
            mut found,
        } = concluded(capture, all);
        let overlaps = std::mem::take(&mut found.overlaps);
        let role_overlaps = RoleOverlapReport::all(capture, &found.roles);
        let save_error = saved.and_then(|_| save_error(capture));
        let saved = saved.filter(|_| save_error.is_none());
        Self {
            name: run.map(|run| run.name.clone()).unwrap_or_default(),
            paced: paced(capture),
            backend: run.map(|run| run.backend.clone()).unwrap_or_default(),
            outcome,
            reason,
            duration_ns: extent.length().0,
            counted_ns: counted.length().0,
            spans: capture.span_count(),
            running: capture.open().count(),
            dependencies: capture.dependency_count(),
            lost,
            lanes: LaneUses::new(capture, found, queued),
            overlaps: overlaps
                .iter()
                .map(|overlap| OverlapReport {
                    first: name(overlap.first),
                    second: name(overlap.second),
                    both_ns: overlap.both.0,
                    of_first: overlap.of_first,
                    of_second: overlap.of_second,
                })
                .collect(),
            role_overlaps,
            outcomes: OutcomesReport::new(capture),
            launches: LaunchesReport::new(capture),
            events: EventsReport::new(capture),
            expectations: expectations(capture),
            bookmarks: bookmarks(capture),
            problems: problems(capture),
            overview: overview(&made),
            findings: FindingsReport::new(made.answers),
            saved: saved.map(|path| path.display().to_string()),
            save_error,
            earlier: Vec::new(),
        }
    }

    /// What was to run, and on which backend.
    pub fn called(&mut self, name: String, backend: String) {
        self.name = name;
        self.backend = backend;
    }

    /// Whether nothing that was expected was missed, the run did not fail, and it was saved where that was wanted.
    pub fn passed(&self) -> bool {
        self.outcome != "failed"
            && self.save_error.is_none()
            && self.expectations.iter().all(|it| it.holds != Some(false))
    }

    /// Writes them for programs: one object, indented.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        writeln!(out)
    }

    /// Writes them for people.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let length = plain(&text::duration(Nanos(self.duration_ns)));
        let reason = self
            .reason
            .as_ref()
            .map_or_else(String::new, |it| format!(": {}", joined(it)));
        writeln!(
            out,
            "{} on {}, {} after {length}{reason}",
            self.name, self.backend, self.outcome
        )?;
        if let Some(PacedReport { law, report }) = &self.paced {
            let late = |nanos| text::duration(Nanos(nanos));
            let line = format!(
                "paced: {law}; {} ended late by {} at the median and {} at most{}",
                text::counted(report.operations, "operation"),
                late(report.late_median_ns),
                late(report.late_most_ns),
                if report.kept {
                    ""
                } else {
                    ": THE PACE WAS NOT KEPT"
                },
            );
            writeln!(out, "{}", plain(&line))?;
        }
        let mut counts = vec![
            text::counted(self.spans as u64, "span"),
            text::counted(self.dependencies as u64, "dependency"),
            format!("{} dropped", text::counted(self.lost, "record")),
        ];
        if self.running > 0 {
            counts.push(format!("{} never ended", text::count(self.running as u64)));
        }
        writeln!(out, "{}", plain(&counts.join(", ")))?;
        let mut table = TextTable::new(&["overview", ""]);
        for line in &self.overview {
            table.row([line.topic.to_owned(), plain(&line.text)]);
        }
        table.write_after_a_line(out)?;
        self.write_streams(out)?;
        self.write_overlaps(out)?;
        for (attempt, earlier) in self.earlier.iter().enumerate() {
            earlier.write(attempt + 1, out)?;
        }
        self.outcomes.write(out)?;
        self.launches.write(out)?;
        self.write_verdicts(out)?;
        if let Some(path) = &self.saved {
            writeln!(out)?;
            writeln!(out, "saved to {path}")?;
        }
        if let Some(why) = &self.save_error {
            writeln!(out)?;
            writeln!(out, "NOT SAVED: {}", joined(why))?;
        }
        Ok(())
    }

    fn write_streams(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut table = TextTable::new(&[
            "stream",
            "role",
            ">spans",
            ">busy",
            ">of the time",
            ">waiting",
            ">queued",
        ]);
        let mut streams = streams(&self.lanes);
        for stream in streams.by_ref().take(STREAMS) {
            let share = stream.busy_ns as f64 / self.counted_ns.max(1) as f64;
            table.row([
                stream.name.into_owned(),
                stream.role.to_owned(),
                text::count(stream.spans as u64),
                text::duration(Nanos(stream.busy_ns)),
                text::percent(share),
                text::duration(Nanos(stream.waiting_ns)),
                text::duration(Nanos(stream.queued_ns)),
            ]);
        }
        table.write_after_a_line(out)?;
        match streams.count() {
            0 => Ok(()),
            more => writeln!(out, "and {more} more streams; --format json has all"),
        }
    }

    fn write_overlaps(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = [
            "busy by role",
            "",
            "",
            ">time",
            ">of the first",
            ">of the second",
        ];
        let mut roles = TextTable::new(&columns);
        for RoleOverlapReport { device, pair } in &self.role_overlaps {
            roles.row([
                device.clone(),
                pair.first.clone(),
                pair.second.clone(),
                text::duration(Nanos(pair.both_ns)),
                text::percent(pair.of_first),
                text::percent(pair.of_second),
            ]);
        }
        roles.write_after_a_line(out)?;
        let mut table =
            TextTable::new(&["both busy", "", ">time", ">of the first", ">of the second"]);
        for overlap in &self.overlaps {
            table.row([
                overlap.first.clone(),
                overlap.second.clone(),
                text::duration(Nanos(overlap.both_ns)),
                text::percent(overlap.of_first),
                text::percent(overlap.of_second),
            ]);
        }
        table.write_after_a_line(out)
    }

    fn write_bookmarks(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut table = TextTable::new(&["bookmark at", "", "note"]);
        for bookmark in &self.bookmarks {
            table.row([
                Nanos(bookmark.start_ns).to_string(),
                joined(&bookmark.what),
                joined(&bookmark.text),
            ]);
        }
        table.write_after_a_line(out)
    }

    fn write_verdicts(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut table = TextTable::new(&["expected", "", "found"]);
        for expectation in &self.expectations {
            let verdict = match expectation.holds {
                Some(true) => "passed",
                Some(false) => "FAILED",
                None => "not judged",
            };
            table.row([
                verdict.to_owned(),
                expectation.text.clone(),
                joined(&expectation.found),
            ]);
        }
        table.write_after_a_line(out)?;
        self.write_bookmarks(out)?;
        if !self.problems.is_empty() {
            writeln!(out)?;
            writeln!(out, "problems")?;
        }
        // Each attempt of a workload that is replayed tells its own.
        let mut counts: BTreeMap<&ProblemReport, usize> = BTreeMap::new();
        for problem in &self.problems {
            *counts.entry(problem).or_default() += 1;
        }
        for problem in &self.problems {
            let Some(count) = counts.remove(problem) else {
                continue;
            };
            let times = if count > 1 {
                format!(" ({count} times)")
            } else {
                String::new()
            };
            writeln!(
                out,
                "{} {}: {}{times}",
                problem.severity,
                problem.code,
                joined(&problem.text)
            )?;
        }
        Ok(())
    }
}

fn bookmarks(capture: &Capture) -> Vec<BookmarkReport> {
    let report = |it: &Bookmark| BookmarkReport {
        start_ns: it.at.start.0,
        end_ns: it.at.end.0,
        span: capture.span(it.span).map(|placed| placed.span.id.0),
        what: plain(&text::of_bookmark(capture, it)),
        text: it.text.clone(),
    };
    capture.bookmarks().iter().map(report).collect()
}

fn paced(capture: &Capture) -> Option<PacedReport> {
    let law = pace::law(capture)?;
    let report = pace::report(capture)?;
    Some(PacedReport { law, report })
}

/// All that is concluded of a capture.
struct Concluded {
    made: Conclusions,
    /// The time that it is about.
    counted: Interval,
    /// How long the operations of each stream were queued, all together.
    queued: BTreeMap<LaneId, Nanos>,
    /// What its lanes did.
    found: Statistics,
}

/// All that is concluded of a capture, and what its lanes did `within` a range: neither needs the other. Of very many lanes both
/// take much memory, and one is done after the other.
fn concluded(capture: &Capture, within: Interval) -> Concluded {
    let of_lanes = || Statistics::of_lanes(capture, within);
    let conclude = || {
        let made = Conclusions::of(capture);
        let (counted, queued) = (made.causes.extent(), queued(&made.causes.read(capture)));
        (made, counted, queued)
    };
    let ((made, counted, queued), found) = if capture.lanes().len() > MANY {
        let mut all = conclude();
        // Nothing more is asked of them.
        (all.0.causes, all.0.path) = (Arc::default(), Vec::new());
        (all, of_lanes())
    } else {
        thread::scope(|scope| {
            let named = thread::Builder::new().name("statistics".to_owned());
            let beside = named.spawn_scoped(scope, of_lanes);
            let all = conclude();
            let found = match beside {
                Ok(beside) => beside.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // Without another thread it is done on this one.
                Err(_) => of_lanes(),
            };
            (all, found)
        })
    };
    Concluded {
        made,
        counted,
        queued,
        found,
    }
}

/// How long the operations of each stream were queued, all together, as every sentence about them says it.
fn queued(reader: &CauseReader<'_>) -> BTreeMap<LaneId, Nanos> {
    let capture = reader.capture();
    let all = Interval::new(Nanos::MIN, Nanos::MAX);
    let streams = capture
        .lanes()
        .iter()
        .filter(|it| it.group == Group::Streams);
    let of_lane = |lane: &Lane| {
        let spans = capture.spans_in(lane.id, all);
        // What was dropped began never, so nothing says how long it would have been queued.
        let spans = spans.filter(|it| !it.never_ran());
        (lane.id, spans.map(|it| reader.queued(&it)).sum())
    };
    streams.map(of_lane).collect()
}

fn overview(made: &Conclusions) -> Vec<OverviewText> {
    let lines = made.overview.lines.iter();
    lines
        .map(|line| OverviewText {
            topic: line.topic.label(),
            text: plain(&line.says.iter().map(text::piece).collect::<String>()),
        })
        .collect()
}

/// Thin spaces, which few terminals draw well, as plain ones.
fn plain(text: &str) -> String {
    text.replace(text::THIN, " ")
}

fn outcome(capture: &Capture) -> (&'static str, Option<String>) {
    match capture.end().map(|end| &end.outcome) {
        Some(RunOutcome::Finished) => ("finished", None),
        Some(RunOutcome::Stopped) => ("stopped", None),
        Some(RunOutcome::Failed(reason)) => ("failed", Some(reason.clone())),
        None => ("unknown", None),
    }
}

/// What each stream did.
fn streams<'a>(lanes: &'a LaneUses<'_>) -> impl Iterator<Item = StreamReport<'a>> {
    let streams = lanes.iter().filter(|it| it.0.group == Group::Streams);
    streams.map(|(lane, used): (&Lane, Option<&LaneUse>)| StreamReport {
        name: lanes.capture.lane_title(lane.id),
        role: lane.role.label(),
        spans: used.map_or(0, |it| it.spans),
        busy_ns: used.map_or(0, |it| it.busy.0),
        waiting_ns: used.map_or(0, |it| it.waiting.0),
        queued_ns: lanes.queued.get(&lane.id).map_or(0, |it| it.0),
    })
}

fn write_streams<S: Serializer>(lanes: &LaneUses<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(streams(lanes))
}

fn expectations(capture: &Capture) -> Vec<ExpectationReport> {
    let all = capture.expectations().iter();
    all.map(|it| ExpectationReport {
        text: it.text.clone(),
        holds: it.holds,
        found: it.found.clone(),
        line: it.line,
    })
    .collect()
}

/// Why the file is not whole that a run was written to while it ran.
pub(super) fn save_error(capture: &Capture) -> Option<String> {
    let mut problems = capture.problems().iter();
    let found = problems.find(|it| it.code == SAVE_FAILED);
    found.map(|it| it.text.clone())
}

fn problems(capture: &Capture) -> Vec<ProblemReport> {
    let all = capture.problems().iter();
    all.map(|it| ProblemReport {
        severity: it.severity.label(),
        code: it.code.clone(),
        text: it.text.clone(),
    })
    .collect()
}
