//! Which streams never ran at the same time, although nothing ordered them?

use std::collections::BTreeMap;

use super::causes::{CauseReader, TimeUse};
use super::words::{counted, finding, has_untold_waits, lane, length, span};
use super::{Analysis, Answer, WeighedAnswer};
use capture::{Capture, PlacedSpan};
use record::time::{Interval, Nanos, shared, union};
use record::{Finding, Group, LaneId, Role, Severity, SpanId, SpanKind};

const CODE: &str = "never-together";
/// Streams whose pairs are compared: those with the most operations.
const COMPARED: usize = 12;
/// Operations that are compared, at most: more would hold up whoever asks.
const MOST: usize = 1_000_000;
/// An operation that was free to start for no longer than this took what a start takes.
const START: Nanos = Nanos(20_000);
/// Less than this part of the whole time, in all, is no finding.
const LITTLE: i64 = 100;

/// An operation, and since when nothing that the capture tells of held it back.
#[derive(Clone, Copy, Debug)]
struct ReadyOperation {
    ready: Nanos,
    ran: Interval,
    id: SpanId,
    /// The direction, of a copy between host and device.
    way: Option<SpanKind>,
}

/// Which streams never ran at the same time, although nothing ordered them?
#[derive(Default)]
pub(super) struct NeverOverlapped {
    streams: BTreeMap<LaneId, Vec<SpanId>>,
    count: usize,
}

/// An operation that was ready, and one of another stream that ran meanwhile.
#[derive(Clone, Copy, Debug)]
struct MissedOverlap {
    first: SpanId,
    second: SpanId,
    /// How long it was ready before it began.
    stood: Nanos,
}

impl Analysis for NeverOverlapped {
    fn code(&self) -> &'static str {
        CODE
    }

    fn name(&self) -> &'static str {
        "Streams that never overlapped"
    }

    fn about(&self) -> &'static str {
        "Operations of two streams of one device never ran at the same time, and some were free to start, by the graph of \
         causes, while the other stream ran: the device or its driver ran them one after the other. What a start takes, \
         copies in one direction, and what is less than a hundredth of the whole time, do not count"
    }

    fn look(&mut self, capture: &Capture, placed: &PlacedSpan) {
        let known = capture.lane(placed.span.lane);
        let is_stream =
            known.is_some_and(|it| it.group == Group::Streams && it.role != Role::Queue);
        let kind = placed.span.kind;
        let is_work =
            !kind.is_waiting() && kind != SpanKind::EventRecord && kind != SpanKind::Scope;
        let is_work = is_work && !capture.has_nodes(placed.span.id);
        if !is_stream || !is_work || placed.interval().length() <= Nanos::ZERO {
            return;
        }
        self.count += 1;
        if self.count > MOST {
            self.streams.clear();
            return;
        }
        let works = self.streams.entry(placed.span.lane).or_default();
        works.push(placed.span.id);
    }

    fn weigh(&mut self, reader: &CauseReader<'_>) -> WeighedAnswer {
        if self.count > MOST {
            let looked = format!("not looked for: there are more than {MOST} operations");
            let answer = Answer::skipped(looked);
            return WeighedAnswer {
                answer,
                ..WeighedAnswer::default()
            };
        }
        let mut streams: Vec<(LaneId, Vec<SpanId>)> =
            std::mem::take(&mut self.streams).into_iter().collect();
        streams.sort_by_key(|(_, works)| std::cmp::Reverse(works.len()));
        let all = streams.len();
        streams.truncate(COMPARED);
        let streams: Vec<(LaneId, Vec<ReadyOperation>)> = streams
            .into_iter()
            .map(|(lane, works)| (lane, ready(reader, &works)))
            .collect();
        let capture = reader.capture();
        let device = |lane| capture.lane(lane).and_then(|lane| lane.device);
        let (mut findings, mut savings) = (Vec::new(), Vec::new());
        let mut pairs = 0;
        for (place, (first, works)) in streams.iter().enumerate() {
            for (second, others) in streams.iter().skip(place + 1) {
                if device(*first) != device(*second) {
                    continue;
                }
                pairs += 1;
                if let Some((found, saved)) = apart(reader, (*first, works), (*second, others)) {
                    findings.push(found);
                    savings.push(saved);
                }
            }
        }
        let rest = if all > COMPARED {
            format!(
                ", {} streams with fewer operations left out",
                all - COMPARED
            )
        } else {
            String::new()
        };
        let looked = format!(
            "{} of {} of streams never overlapped although they could have, {} looked at{rest}",
            findings.len(),
            counted(pairs, "pair"),
            counted(self.count, "operation")
        );
        WeighedAnswer {
            answer: Answer::new(findings, looked),
            savings,
        }
    }
}

/// Since when each operation could have begun: what is left of its wait once its binding cause was complete.
fn ready(reader: &CauseReader<'_>, works: &[SpanId]) -> Vec<ReadyOperation> {
    let work = |id: &SpanId| {
        let placed = reader.capture().span(*id)?;
        let parts = reader.split(*id);
        // What held it for longer than a start takes, and is not told, may have been the other.
        let rest = parts.iter().find(|it| it.what == TimeUse::Latency);
        // Branches of one launch are in an order that the capture does not tell.
        let is_branch = reader.of(*id).is_some_and(|cause| cause.is_branch);
        let ready = rest.filter(|_| !is_branch).map(|it| it.interval.start);
        Some(ReadyOperation {
            ready: ready.unwrap_or(placed.span.start),
            ran: placed.interval(),
            id: *id,
            way: way(placed.span.kind),
        })
    };
    let mut works: Vec<ReadyOperation> = works.iter().filter_map(work).collect();
    works.sort_unstable_by_key(|work| (work.ran.start, work.id));
    works
}

/// Copies of one direction share the way between host and device: side by side each would take as much longer.
fn way(kind: SpanKind) -> Option<SpanKind> {
    matches!(kind, SpanKind::Upload | SpanKind::Download).then_some(kind)
}

fn apart(
    reader: &CauseReader<'_>,
    (first, works): (LaneId, &[ReadyOperation]),
    (second, others): (LaneId, &[ReadyOperation]),
) -> Option<(Finding, Nanos)> {
    let capture = reader.capture();
    let busy = |works: &[ReadyOperation]| union(works.iter().map(|work| work.ran).collect());
    if shared(&busy(works), &busy(others)) > Nanos::ZERO {
        return None;
    }
    let (mut held, mut count, mut stood) = (None::<MissedOverlap>, 0_u64, Nanos::ZERO);
    for case in held_back(works, others).chain(held_back(others, works)) {
        count += 1;
        stood += case.stood;
        if held.is_none_or(|known| case.stood > known.stood) {
            held = Some(case);
        }
    }
    let held = held?;
    if stood.0 < reader.causes().extent().length().0 / LITTLE {
        return None;
    }
    let (ran, waited) = (capture.span(held.first)?, capture.span(held.second)?);
    // Where a wait that is not told may order them it is worth a look, and no promise.
    let is_untold = has_untold_waits(capture);
    let (severity, saved) = if is_untold {
        (Severity::Info, Nanos::ZERO)
    } else {
        (Severity::Warning, stood)
    };
    let (first, second) = (lane(capture, first), lane(capture, second));
    let (waited, ran) = (span(capture, &waited), span(capture, &ran));
    let (longest, stood) = (length(held.stood), length(stood));
    let count_of = counted(count as usize, "operation");
    let text = if is_untold {
        format!(
            "{first} and {second} never ran at the same time, and the capture does not tell why: some of its waits do not say \
             what they are for. By what it tells {waited} had nothing to wait for in {longest} while {ran} ran, the longest of \
             {count_of} with {stood} in all"
        )
    } else {
        format!(
            "{first} and {second} never ran at the same time, although nothing in the capture orders these operations: {waited} \
             was free to start for {longest} while {ran} ran, the longest of {count_of} that were for {stood} in all; the device \
             or its driver ran them one after the other, and running together would save at most that"
        )
    };
    let spans = [held.second, held.first];
    let mut found = finding(capture, CODE, severity, text, &spans);
    found.count = count;
    Some((found, saved))
}

/// Each of `works` that was ready before the last of `others` that ended before it began, and began right after.
fn held_back<'a>(
    works: &'a [ReadyOperation],
    others: &'a [ReadyOperation],
) -> impl Iterator<Item = MissedOverlap> + 'a {
    works.iter().filter_map(move |work| {
        let before = others.partition_point(|other| other.ran.end <= work.ran.start);
        let other = others.get(before.checked_sub(1)?)?;
        let stood = other.ran.end - work.ready.max(other.ran.start);
        let has_room = work.way.is_none() || work.way != other.way;
        (stood > START && has_room).then_some(MissedOverlap {
            first: other.id,
            second: work.id,
            stood,
        })
    })
}
