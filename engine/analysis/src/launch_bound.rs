//! Where did a stream run one short operation after another, each only just submitted?

use super::causes::{CauseKind, CauseReader};
use super::words::{counted, finding, lane, length, span};
use super::{Analysis, Answer, WeighedAnswer};
use capture::{Capture, PlacedSpan};
use record::time::Nanos;
use record::{Finding, LaneId, Severity, SpanId, SpanKind};

const CODE: &str = "launch-bound";
/// Fewer operations in a row are no stretch.
const LEAST: usize = 16;
/// A longer gap is the host's work between two launches.
const GAP: Nanos = Nanos(50_000);
/// Less than this part of the whole time, in all, is no finding.
const LITTLE: i64 = 100;

/// Where did a stream run one short operation after another, each only just submitted?
pub(super) struct LaunchBound;

/// Operations in a row on one stream, each bound by its own launch.
#[derive(Clone, Copy, Debug)]
struct LaunchRow {
    first: SpanId,
    last: SpanId,
    count: usize,
    /// How long they ran, and how long nothing did between them.
    ran: Nanos,
    idle: Nanos,
    /// The longest time in which nothing did, and the operation after it.
    longest: Option<(Nanos, SpanId)>,
}

impl LaunchRow {
    const fn from(first: SpanId) -> Self {
        Self {
            first,
            last: first,
            count: 0,
            ran: Nanos::ZERO,
            idle: Nanos::ZERO,
            longest: None,
        }
    }

    /// Whether starting them took more than running them.
    fn is_bound(&self) -> bool {
        self.count >= LEAST && self.idle > self.ran
    }
}

impl Analysis for LaunchBound {
    fn code(&self) -> &'static str {
        CODE
    }

    fn name(&self) -> &'static str {
        "Bound by launches"
    }

    fn about(&self) -> &'static str {
        "At least 16 operations in a row on a stream began as soon as they had been submitted, less than 50 µs after each \
         other, and running them took less than what lay between them. Less than a hundredth of the whole time does not count"
    }

    fn look(&mut self, _: &Capture, _: &PlacedSpan) {}

    fn weigh(&mut self, reader: &CauseReader<'_>) -> WeighedAnswer {
        let least = Nanos(reader.causes().extent().length().0 / LITTLE);
        let (mut findings, mut savings, mut all) = (Vec::new(), Vec::new(), Nanos::ZERO);
        let streams = reader.streams();
        for stream in &streams {
            let rows = rows(reader, *stream);
            let idle = rows.iter().fold(Nanos::ZERO, |sum, it| sum + it.idle);
            all += idle;
            if idle > least
                && let Some(found) = make_finding(reader, *stream, &rows)
            {
                findings.push(found);
                savings.push(idle.min(reader.beside_busiest()));
            }
        }
        let looked = format!(
            "{} between short operations that were only just submitted, on {} looked at",
            length(all),
            counted(streams.len(), "stream")
        );
        WeighedAnswer {
            answer: Answer::new(findings, looked),
            savings,
        }
    }
}

/// The stretches of a stream that are bound by launches.
fn rows(reader: &CauseReader<'_>, stream: LaneId) -> Vec<LaunchRow> {
    let works = reader.capture().spans_in(stream, reader.causes().extent());
    let works =
        works.filter(|it| reader.is_work(it.span.id) && it.span.kind != SpanKind::EventRecord);
    let mut works: Vec<PlacedSpan> = works.collect();
    works.sort_by_key(|it| (it.span.start, it.span.id));
    let mut found = Vec::new();
    let mut row: Option<LaunchRow> = None;
    for (before, work) in works.iter().zip(works.iter().skip(1)) {
        let gap = work.span.start - before.span.end;
        let is_launched =
            gap > Nanos::ZERO && gap < GAP && reader.binds(work.span.id) == Some(CauseKind::Launch);
        if is_launched {
            let of = row.get_or_insert(LaunchRow::from(before.span.id));
            of.last = work.span.id;
            of.count += 1;
            of.ran += work.interval().length();
            of.idle += gap;
            if of.longest.is_none_or(|it| gap > it.0) {
                of.longest = Some((gap, work.span.id));
            }
        } else {
            found.extend(row.take().filter(LaunchRow::is_bound));
        }
    }
    found.extend(row.filter(LaunchRow::is_bound));
    found
}

fn make_finding(reader: &CauseReader<'_>, stream: LaneId, rows: &[LaunchRow]) -> Option<Finding> {
    let capture = reader.capture();
    let count: usize = rows.iter().map(|it| it.count).sum();
    let sum = |of: fn(&LaunchRow) -> Nanos| rows.iter().fold(Nanos::ZERO, |sum, it| sum + of(it));
    let (ran, idle) = (sum(|it| it.ran), sum(|it| it.idle));
    let worst = rows.iter().max_by_key(|it| it.idle)?;
    let first = capture.span(worst.first)?;
    let (gap, next) = worst.longest?;
    let call = reader.launch(next)?;
    let text = format!(
        "{} in {} on {} ran for {} and left it idle for {} between them: each began as soon as it had been submitted, so submitting \
         them is what took the time. The row that left it idle longest, of {}, begins with {}; its longest gap, {}, was before {}, which {} submitted. One launch of a graph of them, or fewer and \
         larger operations, would save at most {}",
        counted(count, "operation"),
        counted(rows.len(), "row"),
        lane(capture, stream),
        length(ran),
        length(idle),
        worst.count,
        span(capture, &first),
        length(gap),
        span(capture, &capture.span(next)?),
        span(capture, &capture.span(call)?),
        length(idle.min(reader.beside_busiest())),
    );
    let spans = [worst.first, worst.last, next, call];
    let mut found = finding(capture, CODE, Severity::Warning, text, &spans);
    found.count = rows.len() as u64;
    Some(found)
}
