//! Which streams of a device were busy at once, and which rank came last to collective operations.

use std::collections::BTreeMap;

use super::reader::CauseReader;
use crate::record::{LaneId, SpanId};
use crate::time::{Interval, Nanos, shared, union};

/// For how long two streams of a device were busy at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneOverlap {
    /// One stream.
    pub first: LaneId,
    /// The other.
    pub second: LaneId,
    /// How long both were busy.
    pub both: Nanos,
}

/// How often a rank came last to what several ranks did together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StragglerRank {
    /// The rank.
    pub rank: u32,
    /// To how many collective operations it came last.
    pub last: u64,
    /// How long the others had waited for it, all together.
    pub cost: Nanos,
}

impl CauseReader<'_> {
    /// When a stream was busy: the union of its operations, waits left out.
    pub fn busy(&self, lane: LaneId, within: Interval) -> Vec<Interval> {
        let spans = self.capture.spans_in(lane, within);
        let works = spans.filter(|it| {
            let class = self.causes.class(it.span.id);
            class.is_operation() && !class.is_wait()
        });
        let busy = works.filter_map(|it| it.interval().intersection(within));
        union(busy.collect())
    }

    /// For each two of these streams that are on one device, for how long of a stretch both were busy.
    pub fn overlaps(&self, lanes: &[LaneId], within: Interval) -> Vec<LaneOverlap> {
        let busy: Vec<(LaneId, Vec<Interval>)> = lanes
            .iter()
            .map(|lane| (*lane, self.busy(*lane, within)))
            .collect();
        let device = |lane: LaneId| {
            let lane = self.capture.lane(lane);
            lane.map(|it| it.device)
        };
        let mut found = Vec::new();
        for (at, (first, one)) in busy.iter().enumerate() {
            for (second, other) in busy.iter().skip(at + 1) {
                if device(*first) == device(*second) && self.rank(*first) == self.rank(*second) {
                    found.push(LaneOverlap {
                        first: *first,
                        second: *second,
                        both: shared(one, other),
                    });
                }
            }
        }
        found
    }

    /// Which ranks ever came last to a collective operation that began in a stretch, by rank.
    pub fn stragglers(&self, within: Interval) -> Vec<StragglerRank> {
        let mut found: BTreeMap<u32, StragglerRank> = BTreeMap::new();
        for group in self.causes.collectives.all() {
            let parts = group
                .parts
                .iter()
                .filter_map(|it| self.capture.span(SpanId(*it)));
            let parts: Vec<(Nanos, u32)> = parts
                .map(|it| (it.span.start, self.rank(it.span.lane)))
                .collect();
            let Some(&(start, rank)) = parts.iter().max() else {
                continue;
            };
            let cost = parts.iter().map(|it| (start - it.0).0).sum::<i64>();
            if cost == 0 || start < within.start || start >= within.end {
                continue;
            }
            let row = found.entry(rank).or_default();
            row.rank = rank;
            row.last += 1;
            row.cost += Nanos(cost);
        }
        found.into_values().collect()
    }
}
