//! Which streams of a device were busy at once.

use super::reader::CauseReader;
use record::LaneId;
use record::time::{Interval, Nanos, shared, union};

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
}
