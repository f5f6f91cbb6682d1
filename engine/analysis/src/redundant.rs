//! Which waits of streams add nothing to what is ordered without them?

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::redundant_dependencies::{self, RedundantDependency};
use super::stream_clocks::KnownOperation;
use super::words::{counted, finding, has_untold_waits, lane, line, name, span};
use super::{Analysis, Answer};
use capture::{Capture, PlacedSpan};
use record::time::Nanos;
use record::{CallId, DependencyKind, Finding, LaneId, NameId, Severity, SpanId, SpanKind};

const CODE: &str = "redundant-wait";

/// A wait for a record of another stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CrossStreamWait {
    lane: LaneId,
    start: Nanos,
    id: SpanId,
    site: (CallId, NameId),
    /// The stream of the record, and where on it the record stands.
    from: LaneId,
    record: (Nanos, SpanId),
}

/// Which waits of streams add nothing?
#[derive(Default)]
pub(super) struct RedundantWaits {
    waits: Vec<CrossStreamWait>,
}

impl Analysis for RedundantWaits {
    fn code(&self) -> &'static str {
        CODE
    }

    fn name(&self) -> &'static str {
        "Redundant waits"
    }

    fn about(&self) -> &'static str {
        "A stream waits for a record that it comes after anyway: by stream order, by an earlier wait, or, in a run, by \
         what its host thread waited for; only calls of which every wait is so are named, since a loop may need one of many. What a run \
         called is looked at in the order of its calls; an opened capture by lane and time, and where it has no spans of \
         waits those are found before which an earlier operation of the stream had waited for the same or later work already"
    }

    fn look(&mut self, capture: &Capture, placed: &PlacedSpan) {
        if placed.span.kind != SpanKind::EventWait {
            return;
        }
        let ties = capture.causes(placed.span.id);
        let ties = ties.filter_map(|id| capture.dependency(id));
        let record = ties.filter(|tie| tie.kind == DependencyKind::Event);
        let Some(record) = record.filter_map(|tie| capture.span(tie.cause)).last() else {
            return;
        };
        self.waits.push(CrossStreamWait {
            lane: placed.span.lane,
            start: placed.span.start,
            id: placed.span.id,
            site: (placed.span.call, placed.span.name),
            from: record.span.lane,
            record: (record.span.start, record.span.id),
        });
    }

    fn conclude(&mut self, capture: &Capture) -> Answer {
        let mut searches = capture.searches().iter().filter(|it| it.code == CODE);
        if let Some(search) = searches.next() {
            let recorded = capture.findings().iter().filter(|it| it.code == CODE);
            let needed = self.needed_by_another_rank(capture);
            let can_go =
                recorded.filter(|it| it.lines.first().is_none_or(|it| !needed.contains(it)));
            return Answer::new(can_go.cloned().collect(), search.text.clone());
        }
        if capture.run().is_some_and(|run| !run.source.is_empty()) {
            return Answer::new(
                Vec::new(),
                "waits are looked at when the run has ended: a later one of a call may be needed"
                    .to_owned(),
            );
        }
        self.waits.sort_unstable();
        let (told, counts) = redundant_dependencies::redundant(capture);
        // A record passes on what its stream had waited for: where one wait is not told, others may be for that as well.
        let untold = (has_untold_waits(capture) || counts.concluded > 0) && counts.told > 0;
        let told = told.into_iter().filter(|_| !untold);
        let concluded = match counts.concluded {
            0 if untold => "; those between operations are not judged, since what some waits are for is not told".to_owned(),
            0 => String::new(),
            count => format!(
                "; none between operations is judged, since {}",
                record::counted(
                    count as u64,
                    "{dependency between them is|dependencies between them are} inferred"
                )
            ),
        };
        let looked = format!(
            "no wait that adds nothing, {} for events looked at{concluded}",
            counted(self.waits.len() + counts.told, "wait")
        );
        let spans = redundant(&self.waits).into_iter();
        let spans = spans.map(|(wait, count)| make_finding(capture, &wait, count));
        let told = told.map(|it| finding_of_dependency(capture, &it));
        let findings: Vec<Finding> = spans.chain(told).collect();
        let looked = if findings.is_empty() {
            looked
        } else {
            looked.replace("no wait that adds", "waits that add")
        };
        Answer::new(findings, looked)
    }
}

impl RedundantWaits {
    /// Lines of the workload on which some rank waits and needs to: each rank looks at its own waits alone, and a call is that
    /// of all.
    fn needed_by_another_rank(&self, capture: &Capture) -> BTreeSet<u32> {
        let rank = |span: SpanId| {
            let lane = capture.span(span).map(|it| it.span.lane);
            lane.and_then(|it| capture.lane_origin(it)?.rank)
        };
        let recorded = capture.findings().iter().filter(|it| it.code == CODE);
        let of_rank = |it: &Finding| Some((*it.lines.first()?, rank(*it.spans.first()?)));
        let redundant: BTreeSet<(u32, Option<u32>)> = recorded.filter_map(of_rank).collect();
        let waits = self.waits.iter();
        let waits = waits.filter_map(|it| {
            let line = line(capture, &capture.span(it.id)?)?;
            Some((line, rank(it.id)))
        });
        let needed = waits.filter(|it| !redundant.contains(it));
        needed.map(|it| it.0).collect()
    }
}

/// The first wait of each call of which every wait is redundant, and how many there are.
fn redundant(waits: &[CrossStreamWait]) -> Vec<(CrossStreamWait, u64)> {
    // For each pair of streams, the latest record of the second that the first has waited for.
    let mut known: HashMap<(LaneId, LaneId), (Nanos, SpanId)> = HashMap::new();
    let mut sites: BTreeMap<(CallId, NameId, LaneId), (CrossStreamWait, u64, bool)> =
        BTreeMap::new();
    for wait in waits {
        let known = known
            .entry((wait.lane, wait.from))
            .or_insert((Nanos::MIN, SpanId(0)));
        let adds = wait.lane != wait.from && *known < wait.record;
        *known = wait.record.max(*known);
        let site = (wait.site.0, wait.site.1, wait.lane);
        let slot = sites.entry(site).or_insert((*wait, 0, false));
        slot.1 += 1;
        slot.2 |= adds;
    }
    let idle = sites.into_values().filter(|(_, _, adds)| !adds);
    idle.map(|(wait, count, _)| (wait, count)).collect()
}

fn make_finding(capture: &Capture, wait: &CrossStreamWait, count: u64) -> Finding {
    let placed = capture.span(wait.id);
    let place = placed.and_then(|placed| line(capture, &placed));
    let place = place.map_or_else(String::new, |line| format!(" (line {line})"));
    let (name, stream) = (name(capture, wait.site.1), lane(capture, wait.lane));
    let why = if wait.lane == wait.from {
        "was recorded on the same stream, which runs in order anyway".to_owned()
    } else {
        let from = lane(capture, wait.from);
        format!("stands on {from} before another that {stream} has waited for already")
    };
    let text = format!("{name}{place} adds nothing: its record {why}; remove it");
    let spans = [wait.id, wait.record.1];
    let mut found = finding(capture, CODE, Severity::Info, text, &spans);
    found.count = count;
    found
}

/// What makes an operation come after another without a wait, in words; `name` names a span.
fn why_covered(found: &RedundantDependency, name: impl Fn(SpanId) -> String) -> String {
    let KnownOperation { known, by } = found.coverage;
    let by = name(by);
    let after = if known.1 == found.cause {
        "it"
    } else {
        "later work of the same stream"
    };
    format!("comes after {after} by the wait before {by} anyway")
}

/// Waits that the capture has no spans of: they are named by the operation that each held.
fn finding_of_dependency(capture: &Capture, found: &RedundantDependency) -> Finding {
    let name = |id: SpanId| {
        capture
            .span(id)
            .map_or_else(String::new, |it| span(capture, &it))
    };
    let waits = if found.count > 1 {
        format!(
            "Before operations of this name none of {} adds anything: ",
            counted(found.count as usize, "wait")
        )
    } else {
        String::new()
    };
    let why = why_covered(found, name);
    let text = format!(
        "{waits}the wait before {} for {} can go: the operation {why}",
        name(found.effect),
        name(found.cause),
    );
    let spans = [found.effect, found.cause, found.coverage.by];
    let mut finding = finding(capture, CODE, Severity::Info, text, &spans);
    finding.count = found.count;
    finding
}
