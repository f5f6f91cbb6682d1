//! What each stream did of a stretch of time: busy, or idle for a reason. Every nanosecond is in one of the sums.

use super::SpanClass;
use super::kind::{CauseKind, TimeUse};
use super::point::SpanPoint;
use super::reader::CauseReader;
use crate::record::{LaneId, SpanId};
use crate::time::{Interval, Nanos};

/// What a stream did of a stretch of time. All but the last add up to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdleTime {
    /// An operation ran.
    pub busy: Nanos,
    /// It was empty, and the next operation had not been submitted.
    pub host: Nanos,
    /// The same, while the thread that submitted it was in a blocking call that blocked.
    pub host_sync: Nanos,
    /// The next operation was submitted and waited for another stream.
    pub dependency: Nanos,
    /// The next operation was free to run: what a start takes.
    pub latency: Nanos,
    /// The capture does not tell what held the next operation back.
    pub unknown: Nanos,
    /// It had nothing more to do.
    pub after: Nanos,
    /// Of the busy time: parts of collective operations that had begun and waited for the last one.
    pub rank_wait: Nanos,
}

impl IdleTime {
    /// All of it together, which is the length of the stretch.
    pub fn total(&self) -> Nanos {
        self.busy
            + self.host
            + self.host_sync
            + self.dependency
            + self.latency
            + self.unknown
            + self.after
    }
}

/// A stream's sums under way, within a stretch.
struct IdleSums<'a, 'b> {
    reader: &'a CauseReader<'b>,
    within: Interval,
    sums: IdleTime,
}

impl CauseReader<'_> {
    /// What a stream did from the start of a stretch of time to its end.
    pub fn idle(&self, lane: LaneId, within: Interval) -> IdleTime {
        let mut sums = IdleSums {
            reader: self,
            within,
            sums: IdleTime::default(),
        };
        let mut cursor = within.start;
        for span in self.operations_until(lane, within) {
            let interval = Interval {
                start: self.time(SpanPoint::start(span)),
                end: self.time(SpanPoint::end(span)),
            };
            if interval.start > cursor {
                sums.gap(cursor, span);
            }
            let begins = interval.start.max(cursor);
            if self.causes.class(span).is_wait() {
                sums.wait(begins, span);
            } else {
                sums.sums.busy += sums.inside(begins, interval.end);
                if self.causes.class(span).has(SpanClass::MEMBER) {
                    let inside = self.inside(span);
                    let blocked = inside.iter().filter(|it| it.what == TimeUse::Blocked);
                    for part in blocked {
                        sums.sums.rank_wait += sums.inside(part.interval.start, part.interval.end);
                    }
                }
            }
            cursor = cursor.max(interval.end);
        }
        sums.sums.after += sums.inside(cursor, within.end);
        sums.sums
    }

    /// The operations of a stream in a stretch, by start and end, and the first after it: what comes next is what an idle
    /// stream waits for.
    fn operations_until(&self, lane: LaneId, within: Interval) -> Vec<SpanId> {
        let counts = |span: &SpanId| self.causes.class(*span).is_operation();
        let mut found: Vec<(Nanos, Nanos, SpanId)> = Vec::new();
        for placed in self.capture.spans_in(lane, within) {
            if counts(&placed.span.id) {
                found.push((placed.span.start, placed.span.end, placed.span.id));
            }
        }
        found.sort_unstable();
        let after = Interval {
            start: within.end,
            end: Nanos::MAX,
        };
        let first = |depth: usize| {
            let mut spans = self.capture.spans_of(lane, depth, after);
            spans.find(|it| it.span.start >= within.end && counts(&it.span.id))
        };
        let next = (0..self.capture.depth(lane)).filter_map(first);
        let next = next.min_by_key(|it| (it.span.start, it.span.end, it.span.id));
        let spans = found.into_iter().map(|it| it.2);
        spans.chain(next.map(|it| it.span.id)).collect()
    }

    /// How long a thread was in blocking calls that blocked, of a stretch of time.
    fn blocked(&self, thread: LaneId, from: Nanos, to: Nanos) -> Nanos {
        let calls = self.causes.blocked.iter().find(|it| it.0 == thread);
        let calls = calls.map_or(&[][..], |it| it.1.as_slice());
        let interval = |call: &u32| self.capture.span(SpanId(*call)).map(|it| it.interval());
        let begun = calls.partition_point(|call| interval(call).is_some_and(|it| it.end <= from));
        let (mut sum, mut cursor) = (Nanos::ZERO, from);
        for call in calls.iter().skip(begun).filter_map(interval) {
            if call.start >= to {
                break;
            }
            sum += (call.end.min(to) - call.start.max(cursor)).max(Nanos::ZERO);
            cursor = cursor.max(call.end);
        }
        sum
    }
}

impl IdleSums<'_, '_> {
    /// How much of a stretch lies in the one that is asked for.
    fn inside(&self, from: Nanos, to: Nanos) -> Nanos {
        (to.min(self.within.end) - from.max(self.within.start)).max(Nanos::ZERO)
    }

    fn add(&mut self, what: TimeUse, by: CauseKind, time: Nanos) {
        let sums = &mut self.sums;
        match what {
            // Of its own stream only a wait that is a span can hold an operation while the stream is idle.
            TimeUse::Blocked if CauseReader::is_dependency(by) => sums.dependency += time,
            TimeUse::Unknown => sums.unknown += time,
            _ => sums.latency += time,
        }
    }

    /// The parts of a wait that is a span of the stream: it is no work.
    fn wait(&mut self, from: Nanos, span: SpanId) {
        for part in self.reader.inside(span) {
            let time = self.inside(part.interval.start.max(from), part.interval.end);
            self.add(part.what, CauseKind::Event, time);
        }
    }

    /// From when the stream was idle to the start of its next operation.
    fn gap(&mut self, from: Nanos, span: SpanId) {
        let reader = self.reader;
        let start = reader.time(SpanPoint::start(span));
        let mut launch = None;
        reader.candidates(SpanPoint::start(span), |it| {
            if it.kind == CauseKind::Launch {
                launch = Some(it.point);
            }
        });
        let Some(launch) = launch else {
            return self.gap_without_launch(from, start, span);
        };
        let enqueued = reader.time(launch).max(from).min(start);
        let (begin, end) = (from.max(self.within.start), enqueued.min(self.within.end));
        if begin < end {
            let blocked = reader.blocked(reader.lane(launch.span()), begin, end);
            self.sums.host_sync += blocked;
            self.sums.host += end - begin - blocked;
        }
        for part in reader.split(span) {
            let time = self.inside(part.interval.start.max(enqueued), part.interval.end);
            let by = part.by.map_or(CauseKind::Launch, |it| it.kind);
            self.add(part.what, by, time);
        }
    }

    fn gap_without_launch(&mut self, from: Nanos, start: Nanos, span: SpanId) {
        let point = SpanPoint::start(span);
        let binding = self.reader.binding(point);
        let free = binding.map_or(from, |it| it.at.max(from).min(start));
        let held = self.inside(from, free);
        if binding.is_some_and(|it| CauseReader::is_dependency(it.kind)) {
            self.sums.dependency += held;
        } else {
            self.sums.unknown += held;
        }
        let rest = self.inside(free, start);
        if binding.is_none() || start - free > super::CEILING {
            self.sums.unknown += rest;
        } else {
            self.sums.latency += rest;
        }
    }
}
