//! Which streams never ran at the same time, although nothing ordered them?

use std::collections::BTreeMap;

use super::words::{counted, finding, lane, length, span};
use super::{Analysis, Answer};
use crate::capture::{Capture, PlacedSpan};
use crate::record::{Finding, Group, LaneId, Role, Severity, SpanId, SpanKind};
use crate::time::{Interval, Nanos, shared, union};

const CODE: &str = "never-together";
/// Streams whose pairs are compared: those with the most operations.
const COMPARED: usize = 12;
/// Operations that are compared, at most: more would hold up whoever asks.
const MOST: usize = 1_000_000;

/// An operation, and since when nothing but the device itself held it back.
#[derive(Clone, Copy, Debug)]
struct Work {
    ready: Nanos,
    ran: Interval,
    id: SpanId,
}

/// Which streams never ran at the same time, although nothing ordered them?
#[derive(Default)]
pub(super) struct NeverTogether {
    streams: BTreeMap<LaneId, Vec<Work>>,
    count: usize,
}

/// An operation that was ready, and one of another stream that ran meanwhile.
#[derive(Clone, Copy, Debug)]
struct Held {
    first: SpanId,
    second: SpanId,
    /// How long it was ready before it began.
    stood: Nanos,
}

impl Analysis for NeverTogether {
    fn code(&self) -> &'static str {
        CODE
    }

    fn name(&self) -> &'static str {
        "Streams that never overlapped"
    }

    fn about(&self) -> &'static str {
        "Operations of two streams of one device never ran at the same time, and some were ready, with no wait and \
         nothing of their own stream before them, while the other stream ran: the device or its driver did not run \
         them together"
    }

    fn look(&mut self, capture: &Capture, placed: &PlacedSpan) {
        let known = capture.lane(placed.span.lane);
        let is_stream =
            known.is_some_and(|it| it.group == Group::Streams && it.role != Role::Queue);
        let kind = placed.span.kind;
        let is_work =
            !kind.is_waiting() && kind != SpanKind::EventRecord && kind != SpanKind::Scope;
        if !is_stream || !is_work || placed.interval().length() <= Nanos::ZERO {
            return;
        }
        self.count += 1;
        if self.count > MOST {
            self.streams.clear();
            return;
        }
        // A wait before it on its stream has ended by then, so that what it waited for holds it back no more.
        let before = capture
            .previous_span(placed.span.id)
            .and_then(|id| capture.span(id));
        let free = before.map_or(Nanos::MIN, |before| before.span.end);
        let work = Work {
            ready: placed.span.enqueued.max(free),
            ran: placed.interval(),
            id: placed.span.id,
        };
        self.streams.entry(placed.span.lane).or_default().push(work);
    }

    fn conclude(&mut self, capture: &Capture) -> Answer {
        if self.count > MOST {
            let looked = format!("not looked for: there are more than {MOST} operations");
            let findings = Vec::new();
            return Answer { findings, looked };
        }
        let mut streams: Vec<(LaneId, Vec<Work>)> =
            std::mem::take(&mut self.streams).into_iter().collect();
        streams.sort_by_key(|(_, works)| std::cmp::Reverse(works.len()));
        let all = streams.len();
        streams.truncate(COMPARED);
        for (_, works) in &mut streams {
            works.sort_unstable_by_key(|work| (work.ran.start, work.id));
        }
        let device = |lane| capture.lane(lane).and_then(|lane| lane.device);
        let mut findings = Vec::new();
        let mut pairs = 0;
        for (place, (first, works)) in streams.iter().enumerate() {
            for (second, others) in streams.iter().skip(place + 1) {
                if device(*first) == device(*second) {
                    pairs += 1;
                    findings.extend(apart(capture, (*first, works), (*second, others)));
                }
            }
        }
        let what = if findings.is_empty() {
            "no two"
        } else {
            "some"
        };
        let rest = if all > COMPARED {
            format!(
                ", {} streams with fewer operations left out",
                all - COMPARED
            )
        } else {
            String::new()
        };
        let looked = format!(
            "{what} streams that never overlapped though nothing held them, {} and {} looked at{rest}",
            counted(pairs, "pair"),
            counted(self.count, "operation")
        );
        Answer { findings, looked }
    }
}

fn apart(
    capture: &Capture,
    (first, works): (LaneId, &[Work]),
    (second, others): (LaneId, &[Work]),
) -> Option<Finding> {
    let busy = |works: &[Work]| union(works.iter().map(|work| work.ran).collect());
    if shared(&busy(works), &busy(others)) > Nanos::ZERO {
        return None;
    }
    let (mut held, mut count, mut stood) = (None::<Held>, 0_u64, Nanos::ZERO);
    for case in held_back(works, others).chain(held_back(others, works)) {
        count += 1;
        stood += case.stood;
        if held.is_none_or(|known| case.stood > known.stood) {
            held = Some(case);
        }
    }
    let held = held?;
    let (ran, waited) = (capture.span(held.first)?, capture.span(held.second)?);
    let text = format!(
        "{} and {} never ran at the same time, although nothing ordered them: {} was ready for {} while {} ran, the \
         longest of {} that stood for {} in all; the device or its driver ran them one after the other",
        lane(capture, first),
        lane(capture, second),
        span(capture, &waited),
        length(held.stood),
        span(capture, &ran),
        counted(count as usize, "operation"),
        length(stood),
    );
    let spans = [held.second, held.first];
    let mut found = finding(capture, CODE, Severity::Warning, text, &spans);
    found.count = count;
    Some(found)
}

/// Each of `works` that was ready before the last of `others` that ended before it began, and began right after.
fn held_back<'a>(works: &'a [Work], others: &'a [Work]) -> impl Iterator<Item = Held> + 'a {
    works.iter().filter_map(move |work| {
        let before = others.partition_point(|other| other.ran.end <= work.ran.start);
        let other = others.get(before.checked_sub(1)?)?;
        let stood = other.ran.end - work.ready.max(other.ran.start);
        (stood > Nanos::ZERO).then_some(Held {
            first: other.id,
            second: work.id,
            stood,
        })
    })
}
