//! The candidate causes of a point, and the binding one among them.

use std::cmp::Ordering;

use super::kind::CauseKind;
use super::point::SpanPoint;
use super::timetable::SpanTimes;
use super::{CEILING, Causes, SpanClass};
use record::SpanId;
use record::time::{Nanos, TOLERANCE};

/// Something that had to come before a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The point that had to come first.
    pub point: SpanPoint,
    /// What ties the two.
    pub kind: CauseKind,
    /// When it was complete; the effect's own instant where that was after it.
    pub at: Nanos,
    /// How much after its effect it was complete, by the capture: clocks differ by a little.
    pub back: Nanos,
}

impl Candidate {
    /// The span that was the cause.
    pub fn span(&self) -> SpanId {
        self.point.span()
    }
}

impl Causes {
    /// What had to come before a point by the graph alone, whatever the times say; parts of collective operations apart.
    fn sources(&self, point: SpanPoint, take: &mut impl FnMut(SpanPoint, CauseKind)) {
        let span = point.span();
        let class = self.class(span);
        let column = |column: &Vec<u32>| {
            let number = column.get(span.index()).copied();
            number.filter(|it| *it != u32::MAX)
        };
        if class.is_call() {
            let before = if point.is_end() {
                column(&self.seconds)
            } else {
                column(&self.firsts)
            };
            if let Some(before) = before {
                take(SpanPoint::from_number(before), CauseKind::Program);
            }
        } else if point.is_end() {
            take(SpanPoint::start(span), CauseKind::Own);
        } else {
            if let Some(before) = column(&self.seconds) {
                take(SpanPoint::end(SpanId(before)), CauseKind::Stream);
            }
            if let Some(call) = column(&self.firsts) {
                take(SpanPoint::start(SpanId(call)), CauseKind::Launch);
            }
        }
        let flag = if point.is_end() {
            SpanClass::EXTRA_END
        } else {
            SpanClass::EXTRA_START
        };
        if class.has(flag) {
            self.extra.of(point).for_each(|(at, kind)| take(at, kind));
        }
    }

    /// Shows every candidate cause of a point; of other parts of a collective operation those that began last.
    pub(super) fn candidates(
        &self,
        moments: &impl SpanTimes,
        point: SpanPoint,
        take: &mut impl FnMut(Candidate),
    ) {
        let time = moments.time(point);
        self.sources(point, &mut |at, kind| {
            if let Some(candidate) = candidate(moments, (at, kind), time) {
                take(candidate);
            }
        });
        if point.is_end() && self.class(point.span()).has(SpanClass::MEMBER) {
            self.members(moments, point, take);
        }
    }

    /// Shows the other members of a collective operation that may have held its end, the latest first.
    fn members(
        &self,
        moments: &impl SpanTimes,
        point: SpanPoint,
        take: &mut impl FnMut(Candidate),
    ) {
        let Some(group) = self.collectives.of(point.span()) else {
            return;
        };
        let time = moments.time(point);
        let mut latest = None;
        for other in group.others(point.span()) {
            let from = (SpanPoint::start(other), CauseKind::Collective);
            let Some(found) = candidate(moments, from, time) else {
                continue;
            };
            if latest.is_some_and(|latest| found.at < latest) {
                return;
            }
            latest = Some(found.at);
            take(found);
        }
    }

    /// The candidate that was complete last.
    pub(super) fn binding(&self, moments: &impl SpanTimes, point: SpanPoint) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        self.candidates(moments, point, &mut |found| {
            let wins = best.is_none_or(|best| self.precedes(moments, &found, &best));
            if wins {
                best = Some(found);
            }
        });
        best
    }

    /// Whether one of two candidates is the one to name: the later, or at one instant by kind, by start, by stream.
    fn precedes(&self, moments: &impl SpanTimes, one: &Candidate, other: &Candidate) -> bool {
        // What nothing let go has its limit for a cause, whatever came to pass within it.
        let is_limit = |it: &Candidate| it.kind == CauseKind::Limit;
        let order = is_limit(other).cmp(&is_limit(one));
        let order = order.then_with(|| other.at.cmp(&one.at));
        let order = order.then_with(|| one.kind.precedence().cmp(&other.kind.precedence()));
        order.then_with(|| self.compare(moments, one, other)) == Ordering::Less
    }

    fn compare(&self, moments: &impl SpanTimes, one: &Candidate, other: &Candidate) -> Ordering {
        let key = |it: &Candidate| {
            let is_operation = self.class(it.span()).is_operation();
            let began = if is_operation {
                moments.interval(it.span()).start
            } else {
                moments.time(it.point)
            };
            let lane = moments.lane_of(it.span());
            let stream = self.streams.get(lane.index()).copied().unwrap_or(-1);
            (began, if is_operation { stream } else { -1 }, it.point)
        };
        key(one).cmp(&key(other))
    }

    /// Whether so much between the binding cause of a point, of this kind, and the point is no latency.
    pub(super) fn is_unknown(&self, point: SpanPoint, kind: CauseKind, lag: Nanos) -> bool {
        let class = self.class(point.span());
        let can_be = if class.is_call() {
            point.is_end() && class.has(SpanClass::BLOCKING)
        } else {
            !point.is_end() || class.is_wait()
        };
        can_be && kind != CauseKind::Limit && lag > CEILING
    }
}

/// What a point is as a cause of an effect at `time`; nothing where the times contradict it.
fn candidate(
    moments: &impl SpanTimes,
    (point, kind): (SpanPoint, CauseKind),
    time: Nanos,
) -> Option<Candidate> {
    let complete = moments.time(point);
    let back = (complete - time).max(Nanos::ZERO);
    // A stream may let its next operation go before the one before it has ended.
    if back > TOLERANCE && kind != CauseKind::Stream {
        return None;
    }
    Some(Candidate {
        point,
        kind,
        at: complete.min(time),
        back,
    })
}
