//! The walk back along binding causes: what happened while something waited, and what the critical path is made of.

use super::SpanClass;
use super::kind::{CauseKind, TimeUse};
use super::point::SpanPoint;
use super::reader::CauseReader;
use record::time::{Interval, Nanos};
use record::{LaneId, SpanId};

/// How many calls are passed over between two looks at how far back they lie.
const STRIDE: usize = 64;

/// So many points in a row that lie later than the way back has come to, each by less than clocks differ, contradict each other.
const AHEAD: usize = 1_024;

/// A stretch of time on the way back along binding causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainSegment {
    /// From when to when.
    pub interval: Interval,
    /// What it was spent on.
    pub what: TimeUse,
    /// What ran, began, or returned; nothing for the host's own time and where nothing is known.
    pub span: Option<SpanId>,
    /// Where; nothing where nothing is known.
    pub lane: Option<LaneId>,
}

/// How far walks may still go, all together.
#[derive(Clone, Copy, Debug)]
pub struct WalkLimit {
    /// How many segments they may still find.
    pub segments: usize,
    /// How many points they may still come to, calls that they pass over among them.
    pub points: usize,
}

impl WalkLimit {
    /// So many segments, whatever they pass over.
    pub(super) const fn of_segments(segments: usize) -> Self {
        Self {
            segments,
            points: usize::MAX,
        }
    }

    /// Whether a walk came to the limit.
    pub const fn is_reached(&self) -> bool {
        self.segments == 0 || self.points == 0
    }

    const fn count_point(&mut self) {
        self.points = self.points.saturating_sub(1);
    }
}

/// The steps of a walk at one instant. Where times contradict each other they may go in a circle, or on and on to points that lie
/// later.
#[derive(Debug, Default)]
struct InstantStay {
    steps: usize,
    /// The point that it came to after 1, 2, 4, 8, … steps, which a circle comes to again.
    seen: Option<SpanPoint>,
    /// How many points in a row lie later than the instant.
    ahead: usize,
}

impl InstantStay {
    /// Takes one more step, and says whether there will be no end of them.
    fn is_endless(&mut self, point: SpanPoint, is_ahead: bool) -> bool {
        self.steps += 1;
        self.ahead = if is_ahead { self.ahead + 1 } else { 0 };
        let is_circle = self.seen == Some(point);
        if self.steps.is_power_of_two() {
            self.seen = Some(point);
        }
        is_circle || self.ahead > AHEAD
    }
}

impl CauseReader<'_> {
    /// What happened from an operation's submission to its start, in order of time; empty where its submission is not
    /// known.
    pub fn chain(&self, span: SpanId) -> Vec<ChainSegment> {
        self.chain_within(span, &mut WalkLimit::of_segments(usize::MAX))
    }

    /// The same, given up where a limit is reached; what it took is taken from that.
    pub fn chain_within(&self, span: SpanId, limit: &mut WalkLimit) -> Vec<ChainSegment> {
        let enqueued = self.enqueued(span);
        enqueued.map_or_else(Vec::new, |enqueued| {
            self.walk_within(SpanPoint::start(span), enqueued, limit)
        })
    }

    /// What happened from `until` to a point, in order of time: it follows what was complete last, and what that had to
    /// wait for. The segments follow each other without a gap.
    pub(super) fn walk(&self, from: SpanPoint, until: Nanos) -> Vec<ChainSegment> {
        self.walk_within(from, until, &mut WalkLimit::of_segments(usize::MAX))
    }

    /// The same, given up where a limit is reached.
    pub(super) fn walk_within(
        &self,
        from: SpanPoint,
        until: Nanos,
        limit: &mut WalkLimit,
    ) -> Vec<ChainSegment> {
        let (mut point, mut time) = (from, self.time(from));
        let mut segments: Vec<ChainSegment> = Vec::new();
        let mut stay = InstantStay::default();
        while time > until && !limit.is_reached() {
            let (segment, next) = self.step(point, time, until, limit);
            if segment.interval.start < segment.interval.end && push(&mut segments, segment) {
                limit.segments = limit.segments.saturating_sub(1);
            }
            let Some(next_point) = next.0 else { break };
            if next.1 < time {
                stay = InstantStay::default();
            } else if stay.is_endless(next_point, self.time(next_point) > time) {
                push(&mut segments, nothing(until, time));
                break;
            }
            (point, time) = (next_point, next.1);
        }
        segments.reverse();
        segments
    }

    /// One step back: what the time until then was spent on, and where the walk goes on.
    fn step(
        &self,
        point: SpanPoint,
        time: Nanos,
        until: Nanos,
        limit: &mut WalkLimit,
    ) -> (ChainSegment, (Option<SpanPoint>, Nanos)) {
        let span = point.span();
        let class = self.causes.class(span);
        let is_end_of_wait = point.is_end() && class.has(SpanClass::BLOCKED);
        if class.is_call() && !is_end_of_wait {
            return self.host(point, time, until, limit);
        }
        limit.count_point();
        let Some(binding) = self.binding(point) else {
            return (nothing(until, time), (None, until));
        };
        let at = binding.at.min(time);
        let what = match (class.is_call(), point.is_end() && !class.is_wait()) {
            _ if self.is_unknown(point, &binding) => TimeUse::Unknown,
            _ if binding.kind == CauseKind::Limit => TimeUse::Limit,
            (true, _) if binding.kind == CauseKind::Program => TimeUse::Host,
            (true, _) => TimeUse::Return,
            (_, true) => TimeUse::Run,
            _ => TimeUse::Latency,
        };
        let segment = ChainSegment {
            interval: Interval {
                start: at.max(until),
                end: time,
            },
            what,
            span: (what != TimeUse::Host).then_some(span),
            lane: Some(self.lane(span)),
        };
        (segment, (Some(binding.point), at))
    }

    /// Back over a thread's calls, until one that was blocked, or the first.
    fn host(
        &self,
        from: SpanPoint,
        time: Nanos,
        until: Nanos,
        limit: &mut WalkLimit,
    ) -> (ChainSegment, (Option<SpanPoint>, Nanos)) {
        let mut point = from;
        let mut passed = 0;
        while let Some(before) = self.before_on_thread(point) {
            point = before;
            passed += 1;
            limit.count_point();
            let class = self.causes.class(point.span());
            let is_far = passed % STRIDE == 0 && self.time(point) <= until;
            if is_far || point.is_end() && class.has(SpanClass::BLOCKED) {
                break;
            }
        }
        if point == from {
            return (nothing(until, time), (None, until));
        }
        let at = self.time(point).min(time);
        let segment = ChainSegment {
            interval: Interval {
                start: at.max(until),
                end: time,
            },
            what: TimeUse::Host,
            span: None,
            lane: Some(self.lane(from.span())),
        };
        (segment, (Some(point), at))
    }

    /// The point before a call's on its thread.
    fn before_on_thread(&self, point: SpanPoint) -> Option<SpanPoint> {
        let column = if point.is_end() {
            &self.causes.seconds
        } else {
            &self.causes.firsts
        };
        let number = column.get(point.span().index()).copied();
        number.map(SpanPoint::from_number).filter(|it| it.is_some())
    }
}

/// Nothing is known of what a point came after.
const fn nothing(start: Nanos, end: Nanos) -> ChainSegment {
    ChainSegment {
        interval: Interval { start, end },
        what: TimeUse::Unknown,
        span: None,
        lane: None,
    }
}

/// Adds the segment before those that are there, and says whether that is one more: time of one thread is one segment.
fn push(segments: &mut Vec<ChainSegment>, segment: ChainSegment) -> bool {
    if let Some(after) = segments.last_mut()
        && segment.what == TimeUse::Host
        && after.what == TimeUse::Host
        && after.lane == segment.lane
    {
        after.interval.start = segment.interval.start;
        false
    } else {
        segments.push(segment);
        true
    }
}
