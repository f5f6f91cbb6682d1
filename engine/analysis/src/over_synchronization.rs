//! Where was a host thread blocked on more than it needed to go on?

use std::collections::{BTreeMap, BTreeSet};

use super::causes::CauseReader;
use super::used_buffers::UsedBuffers;
use super::words::{counted, finding, lane, length, line, name, span};
use super::{Analysis, Answer, WeighedAnswer};
use capture::{Capture, PlacedSpan};
use record::time::{Interval, Nanos};
use record::{CallId, DependencyKind, Finding, LaneId, NameId, Severity, SpanId, SpanKind};

const CODE: &str = "over-synchronised";
/// Less than this in all is what a call takes anyway.
const LITTLE: Nanos = Nanos(20_000);
/// What calls of a profiled program are called that need nothing to be complete, and submit nothing that a profiler shows.
const HARMLESS: [&str; 10] = [
    "eventrecord",
    "recordevent",
    "waitevent",
    "launch",
    "iscapturing",
    "occupancy",
    "getattribute",
    "getdevice",
    "setdevice",
    "lasterror",
];
/// Spans of a host lane that are looked at after one blocking call.
const AHEAD: usize = 64;

/// Where was a host thread blocked on more than it needed?
#[derive(Default)]
pub(super) struct OverSynchronization {
    looked: usize,
    /// For each call, the worst time of it, how much was too much in all, how often, and what else it waited for.
    found: BTreeMap<(CallId, NameId, LaneId), (OverlongWait, Nanos, u64)>,
    others: BTreeMap<(CallId, NameId, LaneId), Vec<LaneId>>,
    /// Streams that copy to the host, which may need that.
    downloads: BTreeSet<LaneId>,
    /// Lines of the workload on which some host thread of some rank may need all that it waits for.
    needed: BTreeSet<u32>,
}

/// A blocking call that waited longer than the work after it needed.
#[derive(Clone, Copy, Debug)]
struct OverlongWait {
    call: PlacedSpan,
    /// What ended last of all that was waited for.
    last: PlacedSpan,
    /// What ended last on the streams that were given work next.
    needed: PlacedSpan,
    too_much: Nanos,
    /// Whether streams were given work next that it had not waited for.
    has_others: bool,
}

impl Analysis for OverSynchronization {
    fn code(&self) -> &'static str {
        CODE
    }

    fn name(&self) -> &'static str {
        "Blocked on more than needed"
    }

    fn about(&self) -> &'static str {
        "A host thread waited for several streams, and then submitted work only to some that had ended before. Not where \
         something that the others ran may be needed: a copy to the host, or a buffer that another stream uses"
    }

    fn look(&mut self, capture: &Capture, placed: &PlacedSpan) {
        if placed.span.kind == SpanKind::Download {
            self.downloads.insert(placed.span.lane);
        }
        if placed.span.kind != SpanKind::Synchronize {
            return;
        }
        let waited = waited_for(capture, placed.span.id);
        let next = given_next(capture, placed.span.id, &waited);
        if next.is_none() {
            self.needed.extend(line(capture, placed));
        }
        if waited.len() < 2 || placed.interval().length() <= Nanos::ZERO {
            return;
        }
        self.looked += 1;
        let site = (placed.span.call, placed.span.name, placed.span.lane);
        let lanes = waited.iter().map(|it| it.span.lane);
        self.others.entry(site).or_default().extend(lanes);
        let Some(case) = next.and_then(|it| case(placed, &waited, &it)) else {
            return;
        };
        let slot = self.found.entry(site).or_insert((case, Nanos::ZERO, 0));
        if case.too_much > slot.0.too_much {
            slot.0 = case;
        }
        slot.1 += case.too_much;
        slot.2 += 1;
    }

    fn weigh(&mut self, reader: &CauseReader<'_>) -> WeighedAnswer {
        let capture = reader.capture();
        let mut needed = std::mem::take(&mut self.downloads);
        needed.extend(UsedBuffers::of(capture).shared_lanes(capture));
        let (mut findings, mut savings) = (Vec::new(), Vec::new());
        for (site, found) in &self.found {
            let (case, all, _) = found;
            let mut others = self.others.get(site).into_iter().flatten();
            // What removes an order that something needs is no advice, whichever of the streams that is about.
            let is_needed = others.any(|it| *it != case.needed.span.lane && needed.contains(it));
            // A loop and several ranks make one call many times.
            let line = line(capture, &case.call);
            let is_needed = is_needed || line.is_some_and(|it| self.needed.contains(&it));
            if *all > LITTLE && !is_needed && !waits_anyway(capture, case) {
                let saved = (*all).min(reader.beside_busiest());
                findings.push(make_finding(capture, found, saved));
                savings.push(saved);
            }
        }
        let looked = format!(
            "{} that blocked for more than what went on needed, {} for several streams looked at",
            counted(findings.len(), "call"),
            counted(self.looked, "wait")
        );
        WeighedAnswer {
            answer: Answer::new(findings, looked),
            savings,
        }
    }
}

/// Whether what the stream ran next had to wait for the last operation all the same, by an event.
fn waits_anyway(capture: &Capture, case: &OverlongWait) -> bool {
    let end = capture.extent().map_or(Nanos::ZERO, |it| it.end);
    let after = Interval::new(case.call.span.end, end.max(case.call.span.end));
    let mut works = capture.spans_in(case.needed.span.lane, after);
    let next = works.find(|it| it.span.start >= after.start && it.span.kind.is_result());
    let last = case.last.span.lane;
    let is_of_last = |tie: record::Dependency| {
        let of = capture.span(tie.cause).map(|it| it.span.lane);
        tie.kind == DependencyKind::Event && of == Some(last)
    };
    next.is_some_and(|next| {
        let ties = capture.causes(next.span.id);
        ties.filter_map(|id| capture.dependency(id)).any(is_of_last)
    })
}

/// What a blocking call waited for: the last operation of each lane.
fn waited_for(capture: &Capture, call: SpanId) -> Vec<PlacedSpan> {
    let ties = capture.causes(call);
    let ties = ties.filter_map(|id| capture.dependency(id));
    let ties = ties.filter(|tie| tie.kind == DependencyKind::Synchronization);
    ties.filter_map(|tie| capture.span(tie.cause)).collect()
}

fn case(call: &PlacedSpan, waited: &[PlacedSpan], next: &[LaneId]) -> Option<OverlongWait> {
    let end = |placed: &&PlacedSpan| placed.span.end;
    let last = waited.iter().max_by_key(end)?;
    let needed = waited.iter().filter(|it| next.contains(&it.span.lane));
    let needed = needed.max_by_key(end)?;
    let from = needed.span.end.max(call.span.start);
    let too_much = last.span.end.min(call.span.end) - from;
    let is_waited = |lane: &LaneId| waited.iter().any(|it| it.span.lane == *lane);
    (too_much > Nanos::ZERO).then_some(OverlongWait {
        has_others: !next.iter().all(is_waited),
        call: *call,
        last: *last,
        needed: *needed,
        too_much,
    })
}

/// The streams that the host thread gives work to until it has waited for all of the same lanes again, or makes no more calls.
/// Nothing where something else may be what it waited for: a call that submits nothing, unless it only asks or sets what no
/// work is needed for, or what comes after more calls than are looked at.
fn given_next(capture: &Capture, call: SpanId, waited: &[PlacedSpan]) -> Option<Vec<LaneId>> {
    let following = std::iter::successors(capture.next_span(call), |&id| capture.next_span(id));
    let mut lanes = Vec::new();
    for (place, placed) in following.filter_map(|id| capture.span(id)).enumerate() {
        match placed.span.kind {
            SpanKind::Call if place < AHEAD => {}
            SpanKind::Synchronize if place < AHEAD => {
                let again = waited_for(capture, placed.span.id);
                let is_again =
                    |it: &PlacedSpan| again.iter().any(|its| its.span.lane == it.span.lane);
                if waited.iter().all(is_again) {
                    break;
                }
                // What aborts a stream blocks as well, and needs what it aborts.
                if name(capture, placed.span.name).contains("abort") {
                    return None;
                }
                continue;
            }
            _ => return None,
        }
        let count = lanes.len();
        lanes.extend(submitted_to(capture, placed.span.id));
        if lanes.len() == count && !is_harmless(capture, &placed) {
            return None;
        }
    }
    Some(lanes)
}

/// The streams that a call gave work to.
fn submitted_to(capture: &Capture, call: SpanId) -> impl Iterator<Item = LaneId> {
    let ties = capture.effects(call);
    let ties = ties.filter_map(|id| capture.dependency(id));
    let given = ties.filter(|tie| tie.kind == DependencyKind::Submission);
    let given = given.filter_map(|tie| capture.span(tie.effect));
    given.map(|operation| operation.span.lane)
}

/// Whether a call needs nothing to be complete, and submits nothing. What a workload calls its calls says nothing.
fn is_harmless(capture: &Capture, call: &PlacedSpan) -> bool {
    let name = name(capture, call.span.name).to_lowercase();
    call.span.call == CallId::NONE && HARMLESS.iter().any(|it| name.contains(it))
}

fn make_finding(
    capture: &Capture,
    (case, all, count): &(OverlongWait, Nanos, u64),
    saved: Nanos,
) -> Finding {
    let text = format!(
        "{} blocked {} longer than the work after it waited for: that went to {}{}, where {} had ended, and it went on \
         for {}. Where nothing on the host and no buffer needs that, waiting for {} alone would save at most {}",
        span(capture, &case.call),
        length(*all),
        lane(capture, case.needed.span.lane),
        if case.has_others {
            " and to streams that it had not waited for"
        } else {
            " alone"
        },
        name(capture, case.needed.span.name),
        span(capture, &case.last),
        lane(capture, case.needed.span.lane),
        length(saved),
    );
    let spans = [case.call.span.id, case.last.span.id, case.needed.span.id];
    let mut found = finding(capture, CODE, Severity::Warning, text, &spans);
    found.count = *count;
    found
}
