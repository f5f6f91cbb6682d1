//! How long the spans of each name took, and how long of that they spent in themselves.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use capture::PlacedSpan;
use record::time::Nanos;
use record::{Group, LaneId, NameId, SpanId, SpanKind};

/// How long the spans of one name took.
#[derive(Clone, Debug, PartialEq)]
pub struct Durations {
    /// The name.
    pub name: NameId,
    /// What sort of operation it is.
    pub kind: SpanKind,
    /// What its lanes are: streams, other lanes of a device, or host threads.
    pub group: Group,
    /// Their lengths, ascending; never empty. A span that reaches out of the range counts with its whole length.
    pub sorted: Vec<Nanos>,
    /// Their lengths added up.
    pub total: Nanos,
    /// The same without what lies directly below them on their lanes: for calls, the time outside of the calls they make.
    pub own: Nanos,
    /// The longest of them, the first among equals.
    pub longest: SpanId,
    /// The first lane that they are on, in the order on screen.
    pub lane: LaneId,
    /// On how many lanes they are.
    pub lanes: usize,
}

impl Durations {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.sorted.len()
    }

    /// The arithmetic mean.
    pub fn mean(&self) -> Nanos {
        Nanos(self.total.0 / (self.sorted.len().max(1) as i64))
    }

    /// The smallest length that at least `part` (0 to 1) of the spans do not exceed.
    pub fn quantile(&self, part: f64) -> Nanos {
        let rank = (part.clamp(0.0, 1.0) * self.sorted.len() as f64).ceil() as usize;
        self.sorted
            .get(rank.saturating_sub(1))
            .copied()
            .unwrap_or_default()
    }

    /// Whether they are work on a stream, and neither waits nor records of events.
    pub fn is_stream_work(&self) -> bool {
        let is_work = !self.kind.is_waiting() && self.kind != SpanKind::EventRecord;
        self.group == Group::Streams && is_work
    }
}

/// The spans of one name so far.
struct NamedSpans {
    lengths: Vec<Nanos>,
    own: Nanos,
    longest: (Nanos, SpanId),
    lane: LaneId,
    last_lane: LaneId,
    lanes: usize,
}

/// Durations in the making. Lanes come one after the other.
#[derive(Default)]
pub(super) struct DurationsDraft(BTreeMap<(Group, NameId, SpanKind), NamedSpans>);

impl DurationsDraft {
    /// Takes a span, and how long something ran directly below it.
    pub fn take(&mut self, group: Group, placed: &PlacedSpan, below: Nanos) {
        let span = &placed.span;
        let length = span.end - span.start;
        let key = (group, span.name, span.kind);
        let named = self.0.entry(key).or_insert_with(|| NamedSpans {
            lengths: Vec::new(),
            own: Nanos::ZERO,
            longest: (length, span.id),
            lane: span.lane,
            last_lane: span.lane,
            lanes: 1,
        });
        named.lengths.push(length);
        named.own += length - below;
        if length > named.longest.0 {
            named.longest = (length, span.id);
        }
        if named.last_lane != span.lane {
            named.last_lane = span.lane;
            named.lanes += 1;
        }
    }

    /// The durations, the longest total first.
    pub fn finish(self) -> Vec<Durations> {
        let mut found: Vec<Durations> = self.0.into_iter().map(durations).collect();
        found.sort_by_key(|durations| Reverse(durations.total));
        found
    }
}

fn durations(((group, name, kind), named): ((Group, NameId, SpanKind), NamedSpans)) -> Durations {
    let mut sorted = named.lengths;
    sorted.sort_unstable();
    let total = sorted
        .iter()
        .fold(Nanos::ZERO, |total, &length| total + length);
    Durations {
        name,
        kind,
        group,
        sorted,
        total,
        own: named.own,
        longest: named.longest.1,
        lane: named.lane,
        lanes: named.lanes,
    }
}
