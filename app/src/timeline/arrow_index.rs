//! Every dependency of a capture by the two lanes that it ties, in order of time: which of them are in view is known without a
//! look at the others.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use engine::analysis::causes::DependencyTimes;
use engine::capture::Capture;
use engine::record::{DependencyId, LaneId};
use engine::time::{Interval, Nanos};

/// Time of a frame that reading dependencies may take.
const BUDGET: Duration = Duration::from_millis(3);

/// How many are read between two looks at the clock.
const STRIDE: usize = 500;

/// How many that began before the view are looked at for whether they end in it.
const LOOKED_AT: usize = 20_000;

/// A dependency and its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexedArrow {
    /// When its cause was complete: where its arrow leaves.
    pub complete: Nanos,
    /// When its effect could go on: where the arrow arrives.
    pub reached: Nanos,
    /// Its number.
    pub id: DependencyId,
}

/// The dependencies from one lane to another.
#[derive(Default)]
pub struct LanePair {
    /// By when they leave.
    arrows: Vec<IndexedArrow>,
    /// Time that the longest takes.
    longest: Nanos,
}

impl LanePair {
    /// One with arrows that leave and arrive at these times.
    #[cfg(test)]
    pub fn of(times: impl Iterator<Item = (Nanos, Nanos)>) -> Self {
        let mut pair = Self::default();
        for (at, (complete, reached)) in times.enumerate() {
            pair.longest = pair.longest.max(reached - complete);
            let id = DependencyId(at as u32);
            pair.arrows.push(IndexedArrow {
                complete,
                reached,
                id,
            });
        }
        pair
    }

    /// Those that leave or arrive within `view`, or pass over it: first those that left before.
    pub fn within(&self, view: Interval) -> (Vec<IndexedArrow>, &[IndexedArrow]) {
        let before = |time: Nanos| self.arrows.partition_point(|it| it.complete < time);
        let first = before(view.start);
        let last = self.arrows.partition_point(|it| it.complete <= view.end);
        let oldest = before(view.start - self.longest).max(first.saturating_sub(LOOKED_AT));
        let earlier = self.arrows.get(oldest..first).unwrap_or_default().iter();
        let entering = earlier.filter(|it| it.reached >= view.start).copied();
        let rest = self.arrows.get(first..last.max(first)).unwrap_or_default();
        (entering.collect(), rest)
    }
}

/// What is known of the dependencies of one capture, and kept up with it.
#[derive(Default)]
pub struct ArrowIndex {
    instance: u64,
    revision: u64,
    /// So many were looked at.
    read: usize,
    pairs: BTreeMap<(LaneId, LaneId), LanePair>,
    /// Those of which a span has not arrived.
    open: Vec<DependencyId>,
}

impl ArrowIndex {
    /// Reads on; says whether there is more to read.
    pub fn read_on(&mut self, capture: &Capture) -> bool {
        let end = Instant::now() + BUDGET;
        let mut mixed = BTreeSet::new();
        let mut more = true;
        while more && Instant::now() < end {
            more = self.read_some(capture, &mut mixed);
        }
        for lanes in mixed {
            if let Some(pair) = self.pairs.get_mut(&lanes) {
                pair.arrows.sort_by_key(|it| it.complete);
            }
        }
        more
    }

    /// Reads some, and notes the lanes between which that leaves them out of order.
    fn read_some(&mut self, capture: &Capture, mixed: &mut BTreeSet<(LaneId, LaneId)>) -> bool {
        let count = capture.dependency_count();
        if self.instance != capture.instance() || self.read > count {
            *self = Self {
                instance: capture.instance(),
                ..Self::default()
            };
        }
        let end = count.min(self.read + STRIDE);
        let fresh = (self.read..end).map(|id| DependencyId(id as u32));
        let mut unknown: Vec<DependencyId> = fresh.collect();
        if self.revision != capture.revision() {
            self.revision = capture.revision();
            unknown.append(&mut self.open);
        }
        self.read = end;
        for id in unknown {
            mixed.extend(self.take(capture, id));
        }
        end < count
    }

    /// How many are still to be read.
    pub fn unread(&self, capture: &Capture) -> usize {
        capture.dependency_count().saturating_sub(self.read)
    }

    /// Those of which a span has not arrived.
    pub fn open(&self) -> &[DependencyId] {
        &self.open
    }

    /// The lanes that are tied, and how.
    pub fn pairs(&self) -> impl Iterator<Item = ((LaneId, LaneId), &LanePair)> {
        self.pairs.iter().map(|(lanes, pair)| (*lanes, pair))
    }

    /// Takes one, and gives back its lanes where that leaves them out of order.
    fn take(&mut self, capture: &Capture, id: DependencyId) -> Option<(LaneId, LaneId)> {
        let found = capture.dependency(id)?;
        let (Some(cause), Some(effect)) = (capture.span(found.cause), capture.span(found.effect))
        else {
            self.open.push(id);
            return None;
        };
        let times = DependencyTimes::between(capture, found.kind, (&cause, &effect));
        let lanes = (cause.span.lane, effect.span.lane);
        let pair = self.pairs.entry(lanes).or_default();
        let arrow = IndexedArrow {
            complete: times.complete,
            reached: times.reached,
            id,
        };
        pair.longest = pair.longest.max(arrow.reached - arrow.complete);
        let latest = pair.arrows.last().map(|it| it.complete);
        pair.arrows.push(arrow);
        (latest > Some(arrow.complete)).then_some(lanes)
    }
}
