//! What waits cost: the time that a stream or a host thread would have had for itself without one.

use std::collections::BTreeMap;

use super::SpanClass;
use super::kind::TimeUse;
use super::point::SpanPoint;
use super::reader::CauseReader;
use super::unprompted::time_limit;
use record::time::{Interval, Nanos, union};
use record::{LaneId, SpanId};

/// A wait, and the most that being without it can gain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitCost {
    /// The wait; where a capture does not show waits of streams, the operation that was held.
    pub span: SpanId,
    /// How long it alone held its stream or its thread, what is unknown of it included.
    pub cost: Nanos,
    /// Whether a host thread waited.
    pub is_host: bool,
}

impl CauseReader<'_> {
    /// Every wait that took time: waits of streams, operations that another stream held, blocking calls.
    pub fn waits(&self) -> impl Iterator<Item = WaitCost> {
        let spans = self.causes.classes.iter().enumerate();
        let waiting = spans.filter(|(_, class)| {
            let is_held = class.is_operation() && class.has(SpanClass::EXTRA_START);
            let is_blocking = class.is_call() && class.has(SpanClass::BLOCKING);
            class.is_wait() || is_held || is_blocking
        });
        // What never began was held to no purpose: nothing would have ended sooner.
        let waiting = waiting.filter(|(span, class)| {
            class.is_call() || class.is_wait() || !self.never_began(SpanId(*span as u32))
        });
        let costs = waiting.map(|(span, class)| {
            let span = SpanId(span as u32);
            WaitCost {
                span,
                cost: self.wait_cost(span),
                is_host: class.is_call(),
            }
        });
        costs.filter(|it| it.cost > Nanos::ZERO)
    }

    /// The most that the same operations in another order can save: the time in which the stream that ran longest ran nothing.
    /// Parts of collective operations that waited for others ran nothing meanwhile.
    pub(crate) fn beside_busiest(&self) -> Nanos {
        *self.causes.beside_busiest.get_or_init(|| {
            let ran = self.streams().into_iter().map(|lane| self.ran(lane));
            self.causes.extent.length() - ran.max().unwrap_or_default()
        })
    }

    /// How long a stream ran anything that was not a wait.
    fn ran(&self, lane: LaneId) -> Nanos {
        let spans = self.capture.spans_in(lane, self.causes.extent);
        let works = spans.filter(|it| self.is_work(it.span.id));
        let ran = works.map(|it| {
            let is_member = self.causes.class(it.span.id).has(SpanClass::MEMBER);
            let parts = if is_member {
                self.inside(it.span.id)
            } else {
                Vec::new()
            };
            let held = parts.iter().find(|it| it.what == TimeUse::Blocked);
            Interval {
                start: held.map_or(it.span.start, |it| it.interval.end),
                end: it.span.end,
            }
        });
        union(ran.collect()).iter().map(|it| it.length()).sum()
    }

    /// Whether any wait that was given a time ended at an instant or later.
    pub(crate) fn has_limit_after(&self, instant: Nanos) -> bool {
        let classes = self.causes.classes.iter().zip(0_u32..);
        let waits = classes.filter(|(class, _)| class.is_wait() || class.has(SpanClass::BLOCKING));
        let mut waits = waits.map(|(_, span)| SpanId(span));
        waits.any(|span| {
            self.time(SpanPoint::end(span)) >= instant && time_limit(self.capture, span).is_some()
        })
    }

    /// Whether functions of several streams ended on one thread at an instant or later.
    pub(crate) fn has_shared_thread_after(&self, instant: Nanos) -> bool {
        let mut callers: BTreeMap<LaneId, LaneId> = BTreeMap::new();
        let classes = self.causes.classes.iter().zip(0_u32..);
        let operations = classes.filter(|(class, _)| class.is_operation());
        let mut later = operations
            .map(|(_, span)| SpanId(span))
            .filter(|span| self.time(SpanPoint::end(*span)) >= instant);
        later.any(|span| {
            let caller = self.causes.firsts.get(span.index()).map(|it| SpanId(*it));
            let caller = caller.filter(|it| self.is_operation(*it));
            let Some(stream) = caller.map(|it| self.lane(it)) else {
                return false;
            };
            *callers.entry(self.lane(span)).or_insert(stream) != stream
        })
    }

    /// How long a wait held its stream or its thread.
    fn wait_cost(&self, span: SpanId) -> Nanos {
        let class = self.causes.class(span);
        if class.is_wait() || class.is_call() {
            let parts = self.inside(span).into_iter();
            let held = parts.filter(|it| matches!(it.what, TimeUse::Blocked | TimeUse::Unknown));
            return held.fold(Nanos::ZERO, |sum, it| sum + it.interval.length());
        }
        let binding = self.of(span).and_then(|cause| cause.binding);
        if binding.is_some_and(|it| it.kind.is_dependency()) {
            self.alone(span)
        } else {
            Nanos::ZERO
        }
    }
}
