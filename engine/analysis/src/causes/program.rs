//! The order of a host thread: its calls and calls within them begin and end one after the other.

use super::point::SpanPoint;
use super::timetable::Timetable;
use record::SpanId;
use record::time::TOLERANCE;

/// Points of a thread before the last that may be gone back to; calls that overlap more are of no order.
const REMEMBERED: usize = 1_024;

/// Tells of each point of a thread's calls which was before it, or [`SpanPoint::NONE`]. The calls need not be in order.
pub(super) fn points(
    calls: &mut [u32],
    times: &Timetable,
    emit: &mut impl FnMut(SpanPoint, SpanPoint),
) {
    calls.sort_by_key(|it| (times.start(*it), std::cmp::Reverse(times.end(*it)), *it));
    let time = |point: SpanPoint| {
        let span = point.span().0;
        if point.is_end() {
            times.end(span)
        } else {
            times.start(span)
        }
    };
    let mut line: Vec<SpanPoint> = Vec::new();
    let mut put = |point: SpanPoint| {
        // Where calls overlap without one being within the other, a point follows the last that was not after it.
        let latest = time(point).saturating_add(TOLERANCE.0);
        while line.pop_if(|it| time(*it) > latest).is_some() {}
        emit(point, line.last().copied().unwrap_or(SpanPoint::NONE));
        if line.len() >= 2 * REMEMBERED {
            line.drain(..REMEMBERED);
        }
        line.push(point);
    };
    let mut open: Vec<u32> = Vec::new();
    for call in calls {
        while let Some(inner) = open.pop_if(|it| times.end(*it) <= times.start(*call)) {
            put(SpanPoint::end(SpanId(inner)));
        }
        put(SpanPoint::start(SpanId(*call)));
        open.push(*call);
    }
    while let Some(inner) = open.pop() {
        put(SpanPoint::end(SpanId(inner)));
    }
}
