//! How long the spans of each name took, and how long of that they spent in themselves.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use capture::PlacedSpan;
use record::time::{Interval, Nanos};
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
    /// Of the range, the time in which one of them was what had begun last on its lane: for calls, the time outside of the
    /// calls that they make. Over all names it is the time in which lanes were not empty.
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

/// Durations in the making. Lanes come one after the other, and the spans of each by start.
pub(super) struct DurationsDraft {
    within: Interval,
    places: BTreeMap<(Group, NameId, SpanKind), usize>,
    named: Vec<NamedSpans>,
    /// What runs on the lane, the last to begin at the end: its place among the names, and when it ends.
    running: Vec<(usize, Nanos)>,
    /// Up to when the lane's time was given away.
    cursor: Nanos,
}

impl DurationsDraft {
    /// Nothing yet of a range.
    pub const fn new(within: Interval) -> Self {
        Self {
            within,
            places: BTreeMap::new(),
            named: Vec::new(),
            running: Vec::new(),
            cursor: within.start,
        }
    }

    /// Takes the next span of a lane.
    pub fn take(&mut self, group: Group, placed: &PlacedSpan) {
        let span = &placed.span;
        self.advance(span.start);
        let length = span.end - span.start;
        let next = self.named.len();
        let key = (group, span.name, span.kind);
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.named.push(NamedSpans {
                lengths: Vec::new(),
                own: Nanos::ZERO,
                longest: (length, span.id),
                lane: span.lane,
                last_lane: span.lane,
                lanes: 1,
            });
        }
        self.running.push((place, span.end));
        let Some(named) = self.named.get_mut(place) else {
            return;
        };
        named.lengths.push(length);
        if length > named.longest.0 {
            named.longest = (length, span.id);
        }
        if named.last_lane != span.lane {
            named.last_lane = span.lane;
            named.lanes += 1;
        }
    }

    /// Ends a lane.
    pub fn close_lane(&mut self) {
        self.advance(self.within.end);
        self.running.clear();
        self.cursor = self.within.start;
    }

    /// Gives the lane's time up to an instant to what had begun last.
    fn advance(&mut self, until: Nanos) {
        let until = until.min(self.within.end);
        while let Some(&(place, end)) = self.running.last()
            && self.cursor < until
        {
            let to = end.min(until);
            if to > self.cursor
                && let Some(named) = self.named.get_mut(place)
            {
                named.own += to - self.cursor;
                self.cursor = to;
            }
            if end <= self.cursor {
                self.running.pop();
            }
        }
        self.cursor = self.cursor.max(until);
    }

    /// The durations, the longest total first.
    pub fn finish(self) -> Vec<Durations> {
        let mut named: Vec<Option<NamedSpans>> = self.named.into_iter().map(Some).collect();
        let found = self.places.into_iter().filter_map(|(key, place)| {
            let own = named.get_mut(place)?.take()?;
            Some(durations(key, own))
        });
        let mut found: Vec<Durations> = found.collect();
        found.sort_by_key(|durations| Reverse(durations.total));
        found
    }
}

fn durations((group, name, kind): (Group, NameId, SpanKind), named: NamedSpans) -> Durations {
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
