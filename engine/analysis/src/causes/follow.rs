//! The way from a span to its binding cause, and to what it bound.

use super::point::SpanPoint;
use super::reader::CauseReader;
use crate::steps;
use record::SpanId;
use record::time::{Interval, Nanos};

/// Spans after one on its lane that are asked whether it bound them: a stream is not always in the order of starts.
const NEXT: usize = 1_024;
/// Dependencies from one span that are looked at; a host call may have submitted a graph of very many operations.
const MOST: usize = 4_096;

impl CauseReader<'_> {
    /// The span that was the binding cause of a span: of the end of a wait or a blocking call, where something held it, and
    /// of the start of anything else.
    pub fn cause_of(&self, span: SpanId) -> Option<SpanId> {
        if let Some(step) = self.step_beside(span, false) {
            return Some(step);
        }
        let class = self.causes.class(span);
        let waits = class.is_wait() || self.is_blocking(span);
        let of_end = self.binding(SpanPoint::end(span)).filter(|_| waits);
        let of_end = of_end.filter(|it| it.span() != span && it.kind.is_dependency());
        let found = of_end.or_else(|| self.binding(SpanPoint::start(span)));
        found.map(|it| it.span()).filter(|it| *it != span)
    }

    /// The span that a span was the binding cause of; of several the one that could go on first. Where it bound none, the
    /// first that depends on it.
    pub fn effect_of(&self, span: SpanId) -> Option<SpanId> {
        if let Some(step) = self.step_beside(span, true) {
            return Some(step);
        }
        let capture = self.capture;
        let known = capture.effects(span).take(MOST);
        let known = known.filter_map(|id| capture.dependency(id));
        let tied: Vec<SpanId> = known.map(|it| it.effect).collect();
        let candidates = tied.iter().copied().chain(self.next_on_lane(span));
        let bound = candidates.filter(|it| self.cause_of(*it) == Some(span));
        let first = bound.min_by_key(|it| (self.went_on(*it), *it));
        first.or_else(|| {
            let known = tied.iter().filter(|it| capture.span(**it).is_some());
            known.copied().min_by_key(|it| (self.went_on(*it), *it))
        })
    }

    /// The spans of a lane that begin after one, on whatever sub-lane: those that overlap lie on several.
    fn next_on_lane(&self, span: SpanId) -> impl Iterator<Item = SpanId> {
        let capture = self.capture;
        let placed = capture.span(span).into_iter();
        let later = placed.flat_map(move |placed| {
            let start = placed.span.start;
            let rest = Interval {
                start,
                end: Nanos::MAX,
            };
            let all = capture.spans_by_start(placed.span.lane, rest);
            all.filter(move |it| it.span.start >= start && it.span.id != span)
        });
        later.map(|it| it.span.id).take(NEXT)
    }

    /// The step before a span, or after it, where it is one of an asynchronous API: those have an order of their own.
    fn step_beside(&self, span: SpanId, forward: bool) -> Option<SpanId> {
        let ties = steps(self.capture, span, forward).take(MOST);
        let others = ties.map(|(_, tie)| if forward { tie.effect } else { tie.cause });
        let placed = others.filter_map(|other| self.capture.span(other));
        let found = if forward {
            placed.min_by_key(|it| it.span.start)
        } else {
            placed.max_by_key(|it| it.span.end)
        };
        found.map(|it| it.span.id)
    }

    /// When a span could go on: the end of a wait, the start of anything else.
    fn went_on(&self, span: SpanId) -> Nanos {
        let class = self.causes.class(span);
        let waits = class.is_wait() || self.is_blocking(span);
        self.time(if waits {
            SpanPoint::end(span)
        } else {
            SpanPoint::start(span)
        })
    }
}
