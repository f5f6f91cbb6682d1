//! The sections of a report, by the same functions as the window's panels and the commands.

use std::collections::BTreeMap;

use engine::analysis::causes::{CauseReader, CausesTotals, IdleUse};
use engine::analysis::{Conclusions, Statistics};
use engine::capture::Capture;
use engine::importer::MergedFile;
use engine::record::{Finding, Group};
use engine::time::{Interval, Nanos};

use super::pictures;
use super::report_document::{ReportBlock, ReportCell, ReportTable};
use crate::text::{self, words};

/// What is said of a capture in which nothing ran.
pub(super) const EMPTY: &str = "Nothing ran in this capture, so there is nothing to report but what its file held: record while the \
    program works, or name another file";
/// So many rows a table has at most; what is left out is counted below it.
pub(super) const MOST_ROWS: usize = 40;
/// So many operations and kernels are named.
const MOST_NAMES: usize = 20;
/// So many findings have a picture: each takes a moment to draw, and some hundred kilobytes.
const MOST_PICTURES: usize = 12;

fn plain(text: &str) -> String {
    text.replace(text::THIN, " ")
}

pub(super) fn heading(words: &str) -> ReportBlock {
    ReportBlock::Heading(words.to_owned())
}

/// A table, and below it how many rows are not in it.
pub(super) fn table(
    name: &'static str,
    heads: &[&'static str],
    mut rows: Vec<Vec<ReportCell>>,
    most: usize,
) -> Vec<ReportBlock> {
    let rest = rows.len().saturating_sub(most);
    rows.truncate(most);
    let heads = heads.to_vec();
    let mut blocks = vec![ReportBlock::Table(ReportTable { name, heads, rows })];
    if rest > 0 {
        let words = format!("… and {rest} more, which the command line lists.");
        blocks.push(ReportBlock::Paragraph(words));
    }
    blocks
}

/// What the report is about, in a few words.
pub(super) fn title(capture: &Capture, parts: &[MergedFile]) -> String {
    let run = capture.run().map(|it| it.name.clone());
    let label = parts.first().map(|it| it.label.clone());
    let name = run.filter(|it| !it.is_empty()).or(label);
    name.filter(|it| !it.is_empty())
        .unwrap_or_else(|| "capture".to_owned())
}

/// What was run, on what, and how much of it there is.
pub(super) fn what(capture: &Capture, parts: &[MergedFile]) -> Vec<ReportBlock> {
    let extent = capture.extent().unwrap_or_default();
    let mut rows: Vec<(&str, ReportCell)> = Vec::new();
    let files: Vec<String> = parts
        .iter()
        .map(|it| it.path.display().to_string())
        .collect();
    rows.push(("files", ReportCell::text(files.join(", "))));
    if let Some(run) = capture.run() {
        rows.push(("by", ReportCell::text(&run.backend)));
        rows.push(("machine", ReportCell::text(&run.machine)));
    }
    let devices: Vec<&str> = capture
        .devices()
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    rows.push(("devices", ReportCell::text(devices.join(", "))));
    rows.push(("time", ReportCell::time(extent.length())));
    rows.push(("spans", ReportCell::count(capture.span_count())));
    rows.push((
        "dependencies",
        ReportCell::count(capture.dependency_count()),
    ));
    rows.push(("lanes", ReportCell::count(capture.lanes().len())));
    let rows = rows.into_iter().filter(|(_, cell)| !cell.text.is_empty());
    let rows = rows
        .map(|(head, cell)| vec![ReportCell::text(head), cell])
        .collect();
    let mut blocks = vec![heading("What and where")];
    blocks.extend(table("capture", &["", ""], rows, MOST_ROWS));
    blocks
}

/// What the capture comes to, as the window's overview says it; nothing where that says nothing.
pub(super) fn overview(made: &Conclusions) -> Vec<ReportBlock> {
    let lines = made.overview.lines.iter().map(|line| {
        let says: String = line.says.iter().map(text::piece).collect();
        (line.topic.label().to_owned(), plain(&says))
    });
    let lines: Vec<(String, String)> = lines.collect();
    if lines.is_empty() {
        return Vec::new();
    }
    vec![heading("In short"), ReportBlock::List(lines)]
}

/// Steps and frames, and what each comes to; without operations of devices only where there are some.
pub(super) fn iterations(made: &Conclusions, has_operations: bool) -> Vec<ReportBlock> {
    let found = &made.iterations;
    if found.rows.is_empty() && !has_operations {
        return Vec::new();
    }
    let mut blocks = vec![heading("Iterations")];
    if found.rows.is_empty() {
        let words = "Nothing marks steps or frames, and nothing repeats itself.";
        blocks.push(ReportBlock::Paragraph(words.to_owned()));
        return blocks;
    }
    let number = plain(&text::counted(found.rows.len() as u64, "iteration"));
    let by = found.label();
    let median = words::length(found.median);
    let length = if found.rows.len() == 1 {
        format!("{number} by {by}, which took {median}.")
    } else {
        format!("{number} by {by}; half of them take at most {median}.")
    };
    blocks.push(ReportBlock::Paragraph(length));
    let rows = found.rows.iter().map(|row| {
        let within = row.iteration.interval;
        let critical = row.critical.map(|(what, time)| {
            let share = words::share(time, within.length());
            format!("{} {share}", what.label())
        });
        let number = i64::from(row.iteration.number);
        vec![
            ReportCell::new(number.to_string(), Some(number)),
            ReportCell::name(&row.iteration.name),
            ReportCell::time(within.start),
            ReportCell::time(within.length()),
            ReportCell::text(critical.unwrap_or_default()),
            ReportCell::text(row.remark()),
        ]
    });
    let heads = [">iteration", "name", ">from", ">took", "critical", "remark"];
    blocks.extend(table("iterations", &heads, rows.collect(), MOST_ROWS));
    blocks
}

/// Where the time of each stream went, and what each cause means; nothing without streams.
pub(super) fn idle(reader: &CauseReader<'_>) -> Vec<ReportBlock> {
    let within = reader.causes().extent();
    let whole = within.length();
    let lanes = reader.streams();
    if lanes.is_empty() {
        return Vec::new();
    }
    let rows = lanes.iter().take(MOST_ROWS + 1).map(|lane| {
        let idle = reader.lane_idle(*lane, within);
        let title = reader.capture().lane_title(*lane).into_owned();
        let uses = IdleUse::ALL.into_iter();
        let cells = uses.map(|what| ReportCell::share(what.of(&idle.time), whole));
        std::iter::once(ReportCell::text(title))
            .chain(cells)
            .collect()
    });
    let rows: Vec<Vec<ReportCell>> = rows.collect();
    let mut heads = vec!["stream"];
    heads.extend(IdleUse::ALL.map(IdleUse::label));
    let mut blocks = vec![heading("Idle time by cause")];
    blocks.push(ReportBlock::Paragraph(format!(
        "Of {}:",
        words::length(whole)
    )));
    blocks.extend(table("idle", &heads, rows, MOST_ROWS));
    let meanings = IdleUse::ALL.into_iter();
    let meanings = meanings.map(|it| (it.label().to_owned(), it.help().to_owned() + "."));
    blocks.push(ReportBlock::List(meanings.collect()));
    blocks
}

/// What the time was made of, from end to start; nothing where nothing of it is known.
pub(super) fn path(reader: &CauseReader<'_>) -> Vec<ReportBlock> {
    let within = reader.causes().extent();
    let whole = within.length();
    let path = reader.path_within(within);
    if path.is_empty() {
        return Vec::new();
    }
    let totals = CausesTotals::new(reader, within, &path);
    let uses = totals.uses.iter().map(|used| {
        vec![
            ReportCell::text(used.what.label()),
            ReportCell::time(used.time),
            ReportCell::text(words::share(used.time, whole)),
        ]
    });
    let mut blocks = vec![heading("Critical path")];
    blocks.push(ReportBlock::Paragraph(format!(
        "The critical path takes {}, in {}.",
        words::length(whole),
        plain(&text::counted(path.len() as u64, "segment"))
    )));
    let heads = ["made of", ">time", ">share"];
    blocks.extend(table("path", &heads, uses.collect(), MOST_ROWS));
    let meanings = totals.uses.iter();
    let meanings = meanings.map(|it| (it.what.label().to_owned(), it.what.help().to_owned() + "."));
    blocks.push(ReportBlock::List(meanings.collect()));
    if totals.operations.is_empty() {
        return blocks;
    }
    let names = totals.operations.iter();
    let names = ReportCell::names(names.map(|it| reader.capture().name(it.name)));
    let operations = totals.operations.iter().zip(names).map(|(of, name)| {
        vec![
            name,
            ReportCell::count(of.count as usize),
            ReportCell::time(of.time),
            ReportCell::text(words::share(of.time, whole)),
        ]
    });
    let heads = ["operation on it", ">count", ">time", ">share"];
    blocks.extend(table(
        "path-operations",
        &heads,
        operations.collect(),
        MOST_NAMES,
    ));
    blocks
}

/// What analyses found, the worst first, with the timeline around it; without operations of devices, of which nearly all analyses
/// are, only where they found something.
pub(super) fn findings(
    capture: &Capture,
    made: &Conclusions,
    (has_pictures, has_operations): (bool, bool),
) -> Vec<ReportBlock> {
    let answers = made.answers.iter();
    let mut found: Vec<&Finding> = answers.flat_map(|it| &it.answer.findings).collect();
    found.sort_by_key(|it| std::cmp::Reverse(it.severity));
    if found.is_empty() && !has_operations {
        return Vec::new();
    }
    let mut blocks = vec![heading("Findings")];
    if found.is_empty() {
        let words = "The analyses found nothing. What they looked for:";
        blocks.push(ReportBlock::Paragraph(words.to_owned()));
        let looked = made.answers.iter();
        let looked = looked.map(|it| (it.name.to_owned(), plain(&it.answer.looked)));
        blocks.push(ReportBlock::List(looked.collect()));
    }
    for (place, finding) in found.into_iter().enumerate() {
        let head = format!("{} {}", finding.severity.label(), finding.code);
        blocks.push(ReportBlock::Subheading(head));
        let times = match finding.count {
            0 | 1 => String::new(),
            count => format!(" ({count} times)"),
        };
        blocks.push(ReportBlock::Paragraph(plain(&finding.text) + &times));
        if has_pictures && place < MOST_PICTURES {
            blocks.extend(pictures::around(capture, finding));
        }
    }
    blocks
}

/// The operations of streams that took longest; nothing where there are none.
pub(super) fn operations(capture: &Capture) -> Vec<ReportBlock> {
    let all = capture.extent().unwrap_or_default();
    // The last instant counts as well, so that an operation without length there is seen.
    let within = Interval::new(all.start, all.end + Nanos(1));
    let found = Statistics::of(capture, within).durations;
    let of_streams: Vec<_> = found
        .iter()
        .filter(|it| it.group == Group::Streams)
        .collect();
    let whole = of_streams.iter().fold(Nanos::ZERO, |sum, it| sum + it.own);
    if of_streams.is_empty() {
        return Vec::new();
    }
    let names = of_streams.iter();
    let names = ReportCell::names(names.map(|it| capture.name(it.name)));
    let rows = of_streams.iter().zip(names).map(|(of, name)| {
        vec![
            name,
            ReportCell::text(of.kind.label()),
            ReportCell::count(of.count()),
            ReportCell::time(of.total),
            ReportCell::text(words::share(of.own, whole)),
            ReportCell::time(of.median()),
            ReportCell::time(of.quantile(0.95)),
            ReportCell::time(of.quantile(1.0)),
        ]
    });
    let heads = [
        "operation",
        "kind",
        ">count",
        ">total",
        ">share",
        ">median",
        ">p95",
        ">longest",
    ];
    let mut blocks = vec![heading("Operations that took longest")];
    blocks.extend(table("operations", &heads, rows.collect(), MOST_NAMES));
    blocks
}

/// What became of all that the files held, and what is known to be wrong with it; nothing where there is neither.
pub(super) fn receipt(capture: &Capture, parts: &[MergedFile]) -> Vec<ReportBlock> {
    let mut lines = Vec::new();
    for part in parts {
        let receipt = &part.receipt;
        let read = format!(
            "{} {} read, {} repaired, {} inferred, {} dropped",
            text::count(receipt.events),
            receipt.unit.label(receipt.events),
            text::count(receipt.repaired),
            text::count(receipt.inferred),
            receipt.dropped
        );
        lines.push((part.path.display().to_string(), plain(&read)));
        let repairs = receipt.repairs.iter();
        lines.extend(repairs.map(|(cause, count)| {
            (
                "repaired".to_owned(),
                plain(&format!("{cause}: {}", text::count(*count))),
            )
        }));
        let notes = receipt.notes.iter();
        lines.extend(notes.map(|note| ("note".to_owned(), plain(note))));
    }
    let mut problems: BTreeMap<(&str, &str, &str), u64> = BTreeMap::new();
    for problem in capture.problems() {
        let key = (
            problem.severity.label(),
            problem.code.as_str(),
            problem.text.as_str(),
        );
        *problems.entry(key).or_default() += 1;
    }
    let problems = problems.into_keys().take(MOST_ROWS);
    lines.extend(
        problems.map(|(severity, code, words)| (format!("{severity} {code}"), plain(words))),
    );
    if lines.is_empty() {
        return Vec::new();
    }
    vec![heading("Receipt"), ReportBlock::List(lines)]
}
