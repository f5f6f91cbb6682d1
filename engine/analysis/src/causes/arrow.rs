//! Where a dependency's arrow leaves and lands, and how much of the time around it is due to its cause: the numbers of the
//! sentence, for one dependency.

use super::SpanClass;
use super::kind::CauseKind;
use super::point::SpanPoint;
use super::reader::CauseReader;
use capture::{Capture, PlacedSpan};
use record::time::Nanos;
use record::{Dependency, DependencyKind, Group, SpanId};

/// When a dependency's cause was complete for its effect, and when that was noticed there. The first is never after the
/// second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DependencyTimes {
    /// When the cause was complete; where clocks or a deadline let the effect go before, when that was.
    pub complete: Nanos,
    /// When the effect could go on for it: within a wait, otherwise at its start.
    pub reached: Nanos,
    /// How long a span that waits itself had waited by then; nothing for one that was queued.
    pub waited: Option<Nanos>,
    /// From then to when it went on: to the end of a wait, or from the cause to the effect's start.
    pub rest: Nanos,
}

/// What one dependency was among all that its effect had to come after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DependencyRole {
    /// It was complete last: the effect began, or went on, because of it.
    Binding,
    /// It was complete at the same instant as the one that is named.
    Tied,
    /// Another was complete so much later.
    Earlier(Nanos, SpanId),
    /// It holds nothing back, or its times say that it did not.
    NoCause,
}

impl DependencyTimes {
    /// The times of a dependency both of whose spans have arrived.
    pub fn of(capture: &Capture, found: &Dependency) -> Option<Self> {
        let cause = capture.span(found.cause)?;
        let effect = capture.span(found.effect)?;
        Some(Self::between(capture, found.kind, (&cause, &effect)))
    }

    /// The times of a dependency of this kind between two spans of the capture.
    pub fn between(
        capture: &Capture,
        kind: DependencyKind,
        (cause, effect): (&PlacedSpan, &PlacedSpan),
    ) -> Self {
        let is_call = |placed: &PlacedSpan| {
            let lane = capture.lane(placed.span.lane);
            lane.is_some_and(|lane| lane.group == Group::Host)
        };
        let from_start = match kind {
            DependencyKind::Submission | DependencyKind::Collective => true,
            DependencyKind::Signal | DependencyKind::Step | DependencyKind::Abort => is_call(cause),
            _ => false,
        };
        let waits = effect.span.kind.is_waiting()
            || kind == DependencyKind::Collective
            || is_call(effect) && CauseKind::of(kind).is_some();
        let waits = waits && kind != DependencyKind::Submission;
        let complete = if from_start {
            cause.span.start
        } else {
            cause.span.end
        };
        let (start, end) = (effect.span.start, effect.span.end.max(effect.span.start));
        let reached = if waits {
            complete.clamp(start, end)
        } else {
            start
        };
        let complete = complete.min(reached);
        Self {
            complete,
            reached,
            waited: waits.then(|| reached - start),
            rest: if waits {
                end - reached
            } else {
                start - complete
            },
        }
    }

    /// Its times with what each is, to be listed.
    pub fn lines(&self) -> Vec<(&'static str, Nanos)> {
        match self.waited {
            Some(waited) => vec![("waited for it", waited), ("then to its end", self.rest)],
            None => vec![("complete before it began", self.rest)],
        }
    }
}

impl CauseReader<'_> {
    /// What a dependency was to its effect.
    pub fn role(&self, found: &Dependency) -> DependencyRole {
        let class = self.causes.class(found.effect);
        let at_end = class.is_call()
            || class.is_wait() && found.kind != DependencyKind::Submission
            || found.kind == DependencyKind::Collective && class.has(SpanClass::MEMBER);
        let point = if at_end {
            SpanPoint::end(found.effect)
        } else {
            SpanPoint::start(found.effect)
        };
        let Some(binding) = self.binding(point) else {
            return DependencyRole::NoCause;
        };
        let mut own = None;
        self.candidates(point, |it| {
            if it.span() == found.cause && it.kind != CauseKind::Own {
                own = own.max(Some(it.at));
            }
        });
        match own {
            None => DependencyRole::NoCause,
            Some(_) if binding.span() == found.cause => DependencyRole::Binding,
            Some(at) if at == binding.at => DependencyRole::Tied,
            Some(at) => DependencyRole::Earlier(binding.at - at, binding.span()),
        }
    }
}
