//! The order of a host thread: its calls and calls within them begin and end one after the other.

use super::TOLERANCE;
use super::point::SpanPoint;
use super::timetable::Timetable;
use record::SpanId;

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
    let mut before = SpanPoint::NONE;
    let mut put = |point: SpanPoint| {
        // Calls that overlap without one being within the other are of no order.
        let is_known = before.is_some() && time(before) <= time(point).saturating_add(TOLERANCE.0);
        emit(point, if is_known { before } else { SpanPoint::NONE });
        before = point;
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
