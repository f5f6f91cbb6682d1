//! Arrows of Perfetto: where the flow of each dependency leaves its cause and reaches its effect, so that it is drawn once and
//! forwards.
//!
//! Perfetto draws a flow from the end of one slice, or from its start where that is not before the other's, to the start of
//! another, and takes the event with the earlier timestamp for its beginning; of equal ones that which the file has first. A wait
//! begins before what it waits for, and a kernel may begin before the call that launched it returns. So a flow may leave and
//! reach a mark, which is an instant inside the slice: at the start of its cause, or at the end of its effect.

mod endpoints;

use std::collections::HashMap;

use super::packet;
use crate::perfetto::dialect::{Track, key, timestamp_of};
use crate::perfetto::proto::event_type;
pub(super) use endpoints::{FlowArrival, FlowMeeting};
use record::time::{Interval, Nanos};
use record::{Dependency, LaneId, Span, SpanId, SpanSet};

/// What a mark is called where a flow leaves it, and where a flow reaches it.
const LEAVES: &str = "arrow starts";
const ARRIVES: &str = "arrow ends";

/// The arrows that wait for their spans, and the spans that are written.
#[derive(Debug, Default)]
pub(super) struct FlowWriter {
    count: u64,
    waiting: HashMap<SpanId, SpanFlows>,
    /// Spans that were written.
    written: SpanSet,
    /// Dependencies whose spans are not written together, by each of the two.
    apart: HashMap<SpanId, Vec<Dependency>>,
    /// Those of these spans that are written, and how many of their dependencies have not met.
    met: HashMap<SpanId, (WrittenSlice, usize)>,
    /// The first instant from each on at which the list of dependencies has nothing.
    listed: HashMap<i64, i64>,
}

/// The arrows of one span.
#[derive(Debug, Default)]
pub(super) struct SpanFlows {
    /// Arrows that leave the slice.
    pub out: Vec<u64>,
    /// Arrows that leave a mark at its start.
    pub out_mark: Vec<u64>,
    /// Arrows that reach the slice, with the event of its start.
    pub start: Vec<u64>,
    /// Arrows that reach the slice, with the event of its end.
    pub end: Vec<u64>,
    /// Arrows that reach a mark at its end.
    pub end_mark: Vec<u64>,
    /// Arrows that leave their cause in the same instant.
    tied: Vec<InstantFlow>,
}

/// An arrow that leaves its cause in the instant in which it reaches its effect, so that the order in the file counts.
#[derive(Debug)]
struct InstantFlow {
    flow: u64,
    cause: SpanId,
    lane: LaneId,
    time: Nanos,
    is_at_end: bool,
}

/// A span as Perfetto shows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenSlice {
    pub track: Track,
    pub span: Span,
}

impl WrittenSlice {
    /// From when to when.
    pub fn interval(span: &Span) -> Interval {
        Interval {
            start: span.start,
            end: span.end.max(span.start),
        }
    }
}

impl FlowWriter {
    /// Gives a dependency between two spans its arrow, and says when that arrives. Neither is written yet.
    pub fn add_dependency(&mut self, cause: &Span, effect: &Span) -> Nanos {
        let meeting = FlowMeeting::of(
            WrittenSlice::interval(cause),
            WrittenSlice::interval(effect),
            effect.kind,
        );
        self.count += 1;
        let flow = self.count;
        if meeting.is_tied {
            let ends = self.waiting.entry(effect.id).or_default();
            ends.tied.push(InstantFlow {
                flow,
                cause: cause.id,
                lane: cause.lane,
                time: cause.start,
                is_at_end: meeting.arrival == FlowArrival::EndMark,
            });
        }
        let from = self.waiting.entry(cause.id).or_default();
        if meeting.leaves_mark {
            from.out_mark.push(flow);
        } else {
            from.out.push(flow);
        }
        if !meeting.is_tied {
            let to = self.waiting.entry(effect.id).or_default();
            match meeting.arrival {
                FlowArrival::Start => to.start.push(flow),
                FlowArrival::End => to.end.push(flow),
                FlowArrival::EndMark => to.end_mark.push(flow),
            }
        }
        meeting.time
    }

    /// Gives a dependency its arrow once both of its spans are written, which is not at once.
    pub fn tie_apart(&mut self, dependency: &Dependency) {
        for span in [dependency.cause, dependency.effect] {
            self.apart.entry(span).or_default().push(*dependency);
        }
    }

    /// The arrows of a span that is being written. Those that leave their cause in the same instant and before it is written
    /// leave a mark on its lane.
    pub fn take(&mut self, buffer: &mut Vec<u8>, span: SpanId) -> SpanFlows {
        self.written.insert(span);
        let mut ends = self.waiting.remove(&span).unwrap_or_default();
        for tied in std::mem::take(&mut ends.tied) {
            if !self.is_written(tied.cause)
                && let Some(cause) = self.waiting.get_mut(&tied.cause)
            {
                cause.out.retain(|flow| *flow != tied.flow);
                let track = Track::Lane(tied.lane, 0);
                mark(buffer, (track, tied.cause), tied.time, (&[tied.flow], &[]));
            }
            if tied.is_at_end {
                ends.end_mark.push(tied.flow);
            } else {
                ends.start.push(tied.flow);
            }
        }
        ends
    }

    /// Writes the arrows between a span that was just written and those that were before.
    pub fn meet(&mut self, buffer: &mut Vec<u8>, shown: WrittenSlice) {
        let Some(all) = self.apart.remove(&shown.span.id) else {
            return;
        };
        let mut left = 0;
        for dependency in all {
            let is_cause = dependency.cause == shown.span.id;
            let other = if is_cause {
                dependency.effect
            } else {
                dependency.cause
            };
            let Some((known, open)) = self.met.get_mut(&other) else {
                left += 1;
                continue;
            };
            let (cause, effect) = if is_cause {
                (shown, *known)
            } else {
                (*known, shown)
            };
            *open -= 1;
            if *open == 0 {
                self.met.remove(&other);
            }
            self.count += 1;
            let arrival = FlowMeeting::of(
                WrittenSlice::interval(&cause.span),
                WrittenSlice::interval(&effect.span),
                effect.span.kind,
            );
            let leaves = cause.span.start.max(cause.span.end.min(arrival.time));
            mark(
                buffer,
                (cause.track, cause.span.id),
                leaves,
                (&[self.count], &[]),
            );
            mark(
                buffer,
                (effect.track, effect.span.id),
                arrival.time,
                (&[], &[self.count]),
            );
        }
        if left > 0 {
            self.met.insert(shown.span.id, (shown, left));
        }
    }

    /// The instant from `time` on at which the list of dependencies shows the next one: no two lie in one instant.
    pub fn list(&mut self, time: Nanos) -> Nanos {
        let mut free = time.0;
        while let Some(next) = self.listed.get(&free) {
            free = *next;
        }
        let next = free.saturating_add(1);
        self.listed.insert(free, next);
        self.listed.insert(time.0, next);
        Nanos(free)
    }

    /// Whether a span was written.
    pub fn is_written(&self, span: SpanId) -> bool {
        self.written.contains(span)
    }
}

/// Appends an instant that arrows leave or reach, in place of a span.
pub(super) fn mark(
    buffer: &mut Vec<u8>,
    (track, span): (Track, SpanId),
    time: Nanos,
    (out, into): (&[u64], &[u64]),
) {
    if out.is_empty() && into.is_empty() {
        return;
    }
    let mut event = packet::event(event_type::INSTANT, track);
    let name = if into.is_empty() { LEAVES } else { ARRIVES };
    event.name = Some(name.to_owned());
    event.debug_annotations = vec![packet::uint(key::SPAN, u64::from(span.0))];
    event.flow_ids = out.to_vec();
    event.terminating_flow_ids = into.to_vec();
    packet::append(buffer, &packet::at(timestamp_of(time), event));
}
