//! How long the spans of each name took, and how long of that they spent in themselves.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use capture::{Capture, PlacedSpan};
use record::time::{Interval, Nanos};
use record::{Group, LaneId, NameId, Role, SmallList, SpanId, SpanKind};

/// What the spans of one [`Durations`] have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OperationKey {
    /// What their lanes are: streams, other lanes of a device, or host threads.
    pub group: Group,
    /// Their name.
    pub name: NameId,
    /// What sort of operation they are.
    pub kind: SpanKind,
}

impl OperationKey {
    /// Its spans that overlap `within`, lane by lane in the order on screen: those that [`super::Statistics`] counts.
    pub fn spans(self, capture: &Capture, within: Interval) -> impl Iterator<Item = SpanId> {
        let lanes = capture.lane_order().into_iter();
        let counted = lanes.filter(move |lane| {
            let known = capture.lane(*lane);
            known.is_some_and(|it| it.role != Role::Queue && it.group == self.group)
        });
        let spans = counted.flat_map(move |lane| capture.spans_in(lane, within));
        let own = spans.filter(move |it| it.span.name == self.name && it.span.kind == self.kind);
        own.map(|it| it.span.id)
    }
}

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
    pub sorted: SmallList<Nanos>,
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
        self.sorted.all().len()
    }

    /// What tells them from others.
    pub const fn key(&self) -> OperationKey {
        OperationKey {
            group: self.group,
            name: self.name,
            kind: self.kind,
        }
    }

    /// The middle one of their lengths; of an even number of them, halfway between the two in the middle.
    pub fn median(&self) -> Nanos {
        let lengths = self.sorted.all();
        let upper = lengths.len() / 2;
        let lower = lengths.len().saturating_sub(1) / 2;
        let at = |place: usize| lengths.get(place).copied().unwrap_or_default();
        at(lower) + Nanos((at(upper) - at(lower)).0 / 2)
    }

    /// The arithmetic mean.
    pub fn mean(&self) -> Nanos {
        Nanos(self.total.0 / (self.count().max(1) as i64))
    }

    /// The smallest length that at least `part` (0 to 1) of the spans do not exceed.
    pub fn quantile(&self, part: f64) -> Nanos {
        let rank = (part.clamp(0.0, 1.0) * self.count() as f64).ceil() as usize;
        self.sorted
            .all()
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
    /// Their lengths are in order, and added up, once all are there.
    found: Durations,
    longest: Nanos,
    last_lane: LaneId,
}

/// Durations in the making. Lanes come one after the other, and the spans of each by start.
pub(super) struct DurationsDraft {
    within: Interval,
    places: BTreeMap<OperationKey, usize>,
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
        let key = OperationKey {
            group,
            name: span.name,
            kind: span.kind,
        };
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            if self.named.len() == self.named.capacity() {
                // There may be as many names as spans: room for twice as many is not made.
                self.named.reserve_exact((place / 8).max(16));
            }
            self.named.push(NamedSpans {
                found: Durations {
                    name: span.name,
                    kind: span.kind,
                    group,
                    sorted: SmallList::None,
                    total: Nanos::ZERO,
                    own: Nanos::ZERO,
                    longest: span.id,
                    lane: span.lane,
                    lanes: 1,
                },
                longest: length,
                last_lane: span.lane,
            });
        }
        self.running.push((place, span.end));
        let Some(named) = self.named.get_mut(place) else {
            return;
        };
        named.found.sorted.push(length);
        if length > named.longest {
            (named.longest, named.found.longest) = (length, span.id);
        }
        if named.last_lane != span.lane {
            named.last_lane = span.lane;
            named.found.lanes += 1;
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
                named.found.own += to - self.cursor;
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
        drop(self.places);
        let named = self.named.into_iter();
        let mut found: Vec<Durations> = named.map(|it| it.found).collect();
        for durations in &mut found {
            let lengths = durations.sorted.all_mut();
            lengths.sort_unstable();
            durations.total = lengths.iter().copied().sum();
        }
        found.sort_unstable_by_key(|it| (Reverse(it.total), it.group, it.name, it.kind));
        found
    }
}
