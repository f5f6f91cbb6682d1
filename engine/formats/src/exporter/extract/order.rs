//! The order in which a host would call what streams did: each stream's own, and a record before every wait for it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::ExtractedWait;
use capture::PlacedSpan;
use record::time::Nanos;
use record::{LaneId, SpanId, SpanKind};

/// One call of the host.
#[derive(Clone, Copy, Debug)]
pub(super) enum HostStep {
    /// Submit an operation, at this instant of the capture at the earliest.
    Run(PlacedSpan, Nanos),
    /// Record the event of this number on a lane.
    Record(u32, LaneId),
    /// Make a lane wait for the event of this number.
    Wait(u32, LaneId),
}

impl HostStep {
    /// The lane that it is about.
    pub const fn lane(&self) -> LaneId {
        match self {
            Self::Run(placed, _) => placed.span.lane,
            Self::Record(_, lane) | Self::Wait(_, lane) => *lane,
        }
    }
}

/// The calls in order.
pub(super) struct HostOrder {
    pub steps: Vec<HostStep>,
    /// The span after which each event is recorded.
    pub events: Vec<SpanId>,
    /// Waits for what lies before the range, or is not known.
    pub waits_outside: usize,
    /// Waits that no order of calls allows.
    pub waits_in_circles: usize,
}

/// What stands before and after an operation on its stream.
struct OrderedOperation {
    placed: PlacedSpan,
    at: Nanos,
    waits: Vec<u32>,
    records: Option<u32>,
}

impl HostOrder {
    /// Orders spans, which come by start, and the ties between them.
    pub fn new(spans: &[PlacedSpan], ties: &[ExtractedWait]) -> Self {
        let known: BTreeSet<SpanId> = spans.iter().map(|it| it.span.id).collect();
        let mut numbers: BTreeMap<SpanId, u32> = BTreeMap::new();
        let mut waits: BTreeMap<SpanId, Vec<u32>> = BTreeMap::new();
        let mut events = Vec::new();
        let causes: BTreeSet<SpanId> = ties.iter().map(|tie| tie.cause).collect();
        // An event for each record in the order of the records.
        for placed in spans {
            let is_cause = causes.contains(&placed.span.id);
            if placed.span.kind == SpanKind::EventRecord || is_cause {
                numbers.insert(placed.span.id, events.len() as u32);
                events.push(placed.span.id);
            }
        }
        let mut waiting = BTreeSet::new();
        for tie in ties {
            if let Some(number) = numbers.get(&tie.cause) {
                waits.entry(tie.effect).or_default().push(*number);
                waiting.insert(tie.effect);
            }
        }
        let is_wait = |it: &&PlacedSpan| it.span.kind == SpanKind::EventWait;
        let lost = spans.iter().filter(is_wait);
        let lost = lost.filter(|it| !waiting.contains(&it.span.id)).count();
        let outside = ties.iter().filter(|tie| !known.contains(&tie.cause));
        let unmatched = outside.filter(|tie| !waiting.contains(&tie.effect));
        let waits_outside = lost.max(unmatched.count());
        let mut order = Self {
            steps: Vec::new(),
            events,
            waits_outside,
            waits_in_circles: 0,
        };
        order.merge(queues(spans, &numbers, &mut waits));
        order
    }

    /// Takes the earliest operation whose events are recorded, until none is left.
    fn merge(&mut self, mut lanes: BTreeMap<LaneId, VecDeque<OrderedOperation>>) {
        let mut recorded = BTreeSet::new();
        loop {
            let heads = lanes
                .iter()
                .filter_map(|(lane, queue)| Some((*lane, queue.front()?)));
            let ready =
                |it: &OrderedOperation| it.waits.iter().all(|event| recorded.contains(event));
            let first = |heads: &mut dyn Iterator<Item = (LaneId, &OrderedOperation)>| {
                heads
                    .min_by_key(|(_, it)| (it.at, it.placed.span.start, it.placed.span.id))
                    .map(|(lane, _)| lane)
            };
            let next = first(&mut heads.clone().filter(|(_, it)| ready(it)));
            let Some(lane) = next.or_else(|| first(&mut heads.clone())) else {
                return;
            };
            let Some(queued) = lanes.get_mut(&lane).and_then(VecDeque::pop_front) else {
                return;
            };
            self.emit(queued, lane, &mut recorded);
        }
    }

    fn emit(&mut self, queued: OrderedOperation, lane: LaneId, recorded: &mut BTreeSet<u32>) {
        for event in queued.waits {
            if recorded.contains(&event) {
                self.steps.push(HostStep::Wait(event, lane));
            } else {
                self.waits_in_circles += 1;
            }
        }
        let kind = queued.placed.span.kind;
        if !matches!(kind, SpanKind::EventRecord | SpanKind::EventWait) {
            self.steps.push(HostStep::Run(queued.placed, queued.at));
        }
        if let Some(event) = queued.records {
            self.steps.push(HostStep::Record(event, lane));
            recorded.insert(event);
        }
    }
}

/// The operations of each stream in its order, each submitted when it was, and no earlier than the one before it.
fn queues(
    spans: &[PlacedSpan],
    numbers: &BTreeMap<SpanId, u32>,
    waits: &mut BTreeMap<SpanId, Vec<u32>>,
) -> BTreeMap<LaneId, VecDeque<OrderedOperation>> {
    let mut queues: BTreeMap<LaneId, VecDeque<OrderedOperation>> = BTreeMap::new();
    for placed in spans {
        let queue = queues.entry(placed.span.lane).or_default();
        let before = queue.back().map_or(Nanos::MIN, |it| it.at);
        let mut waits = waits.remove(&placed.span.id).unwrap_or_default();
        waits.sort_unstable();
        waits.dedup();
        queue.push_back(OrderedOperation {
            placed: *placed,
            at: placed.span.enqueued.max(before),
            waits,
            records: numbers.get(&placed.span.id).copied(),
        });
    }
    queues
}
