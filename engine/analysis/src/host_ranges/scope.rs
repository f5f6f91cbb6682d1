//! Which part of the host is asked about: levels, lanes, a stretch of time, a selection.

use std::collections::BTreeSet;

use capture::Capture;
use record::time::{Interval, Nanos};
use record::{Group, LaneId, SpanId};

use super::{HostLevel, HostRange, ThreadNumbers};

/// Which ranges are read, and which operations.
#[derive(Clone, Debug, Default)]
pub struct HostScope {
    /// Those of these levels; of all where there is none.
    levels: Vec<HostLevel>,
    /// Those of these lanes; of all where there is none.
    hosts: Option<BTreeSet<LaneId>>,
    /// What ran on these lanes; on all where there is none.
    streams: Option<BTreeSet<LaneId>>,
}

impl HostScope {
    /// Ranges of one level.
    #[must_use]
    pub fn of_level(mut self, level: HostLevel) -> Self {
        self.levels.push(level);
        self
    }

    /// Only ranges of those of the lanes that are of the host, and only operations of those that are not: where there is none
    /// of one sort, all of that.
    #[must_use]
    pub fn of_lanes(mut self, capture: &Capture, lanes: &[LaneId]) -> Self {
        let group = |lane: &LaneId| capture.lane(*lane).map(|it| it.group);
        let is_host = |lane: &&LaneId| group(lane) == Some(Group::Host);
        let hosts: BTreeSet<LaneId> = lanes.iter().filter(is_host).copied().collect();
        let others = lanes.iter().filter(|it| !is_host(it));
        let streams: BTreeSet<LaneId> = others.copied().collect();
        self.hosts = Some(hosts).filter(|it| !it.is_empty());
        self.streams = Some(streams).filter(|it| !it.is_empty());
        self
    }

    pub(super) fn has_level(&self, level: HostLevel) -> bool {
        self.levels.is_empty() || self.levels.contains(&level)
    }

    pub(super) fn has_ranges_of(&self, lane: LaneId) -> bool {
        self.hosts.as_ref().is_none_or(|it| it.contains(&lane))
    }

    pub(super) fn has_operations_of(&self, lane: LaneId) -> bool {
        self.streams.as_ref().is_none_or(|it| it.contains(&lane))
    }
}

/// What a call tree is of.
#[derive(Clone, Debug, Default)]
pub struct TreeScope {
    /// A stretch of time: ranges count with what lies inside.
    pub within: Option<Interval>,
    /// Spans: where ranges of the host are among them, what lies in those; else the ranges that the operations among them were
    /// launched in, with these operations alone.
    pub spans: BTreeSet<SpanId>,
}

impl TreeScope {
    /// What of a range counts; none where nothing does. One without length counts where it lies inside.
    pub(super) fn clip(&self, range: HostRange) -> Option<HostRange> {
        let Some(within) = self.within else {
            return Some(range);
        };
        let Interval { start, end } = range.interval;
        let is_inside = if start == end {
            within.contains(start)
        } else {
            start < within.end && end > within.start
        };
        is_inside.then(|| HostRange {
            interval: Interval {
                start: start.max(within.start),
                end: end.min(within.end),
            },
            ..range
        })
    }
}

/// Ranges of one thread that were chosen, by start, each with the latest end of those up to it.
#[derive(Clone, Debug, Default)]
pub(super) struct ChosenRanges(Vec<(Nanos, Nanos)>);

impl ChosenRanges {
    /// Those of each thread among the spans; none where there is none.
    pub fn of(
        capture: &Capture,
        threads: &ThreadNumbers,
        spans: &BTreeSet<SpanId>,
    ) -> Option<Vec<Self>> {
        let mut found = vec![Self::default(); threads.count];
        let mut is_any = false;
        for placed in spans.iter().filter_map(|it| capture.span(*it)) {
            let thread = threads.of(placed.span.lane);
            if let Some(chosen) = thread.and_then(|it| found.get_mut(it)) {
                let Interval { start, end } = placed.interval();
                chosen.0.push((start, end));
                is_any = true;
            }
        }
        for chosen in &mut found {
            chosen.0.sort_unstable();
            let mut latest = Nanos::MIN;
            for (_, end) in &mut chosen.0 {
                latest = latest.max(*end);
                *end = latest;
            }
        }
        is_any.then_some(found)
    }

    /// Whether a range lies in one of them.
    pub fn hold(&self, range: &HostRange) -> bool {
        let before = self.0.partition_point(|it| it.0 <= range.interval.start);
        let last = before.checked_sub(1).and_then(|it| self.0.get(it));
        last.is_some_and(|it| it.1 >= range.interval.end)
    }
}
