//! Where the time of a wait went: parts that follow each other and leave nothing out.

use super::SpanClass;
use super::binding_cause::Candidate;
use super::kind::{CauseKind, TimeUse};
use super::point::SpanPoint;
use super::reader::CauseReader;
use capture::PlacedSpan;
use record::SpanId;
use record::time::{Interval, Nanos, TOLERANCE};

/// A part of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimePart {
    /// From when to when.
    pub interval: Interval,
    /// What it was spent on.
    pub what: TimeUse,
    /// What had to be complete first, where it was blocked.
    pub by: Option<Candidate>,
}

impl CauseReader<'_> {
    /// When the call that submitted an operation began, or the stream came to a function that it had a thread call; nothing
    /// where the capture does not hold it.
    pub fn enqueued(&self, span: SpanId) -> Option<Nanos> {
        let start = self.time(SpanPoint::start(span));
        self.launched(span, start).map(|it| it.1)
    }

    /// What submitted a span that began at an instant, and when; nothing where that came after it by the capture, as for every
    /// candidate.
    fn launched(&self, span: SpanId, start: Nanos) -> Option<(SpanId, Nanos)> {
        let launch = self.causes.firsts.get(span.index()).copied();
        let launch = launch.filter(|it| *it != u32::MAX).map(SpanId)?;
        // What calls have there is the call before them.
        let at = self.time(SpanPoint::start(launch));
        let is_call = self.causes.class(span).is_call();
        (!is_call && at - start <= TOLERANCE).then_some((launch, at))
    }

    /// How long a span was queued: from the beginning of the call that submitted it, where the capture holds that, else from when
    /// its record says that it was enqueued.
    pub fn queued(&self, placed: &PlacedSpan) -> Nanos {
        let span = &placed.span;
        let queued = self.launched(span.id, span.start);
        let queued = queued.map_or_else(|| placed.queued(), |(_, at)| span.start - at);
        queued.max(Nanos::ZERO)
    }

    /// The call that submitted an operation, as far as the capture holds it.
    pub fn launch(&self, span: SpanId) -> Option<SpanId> {
        let start = self.time(SpanPoint::start(span));
        let launch = self.launched(span, start).map(|it| it.0);
        // A function of the host has its stream in the place of a call.
        launch.filter(|it| !self.is_operation(*it))
    }

    /// The call that submitted an operation, where it began after the operation by the capture, which no candidate may.
    pub(super) fn late_call(&self, span: SpanId) -> Option<SpanId> {
        let class = self.causes.class(span);
        let call = self.causes.firsts.get(span.index()).copied();
        let call = call.filter(|it| *it != u32::MAX && class.is_operation());
        call.map(SpanId).filter(|_| self.launch(span).is_none())
    }

    /// Whether the capture does not tell which call submitted an operation.
    pub fn has_no_call(&self, span: SpanId) -> bool {
        self.enqueued(span).is_none() && self.late_call(span).is_none()
    }

    /// Where the time from an operation's submission to its start went. Empty where its submission is not known.
    pub fn split(&self, span: SpanId) -> Vec<TimePart> {
        let point = SpanPoint::start(span);
        let (Some(enqueued), Some(binding)) = (self.enqueued(span), self.binding(point)) else {
            return Vec::new();
        };
        let start = self.time(point);
        let free = enqueued.max(binding.at);
        let rest = if self.is_unknown(point, &binding) {
            TimeUse::Unknown
        } else {
            TimeUse::Latency
        };
        parts([enqueued, free, start], rest, binding)
    }

    /// Where the time of a span went that itself waits: a wait of a stream, a blocking call, a part of a collective
    /// operation. Empty for any other.
    pub fn inside(&self, span: SpanId) -> Vec<TimePart> {
        let class = self.causes.class(span);
        let is_blocking = class.is_call() && class.has(SpanClass::BLOCKING);
        let (start, end) = (SpanPoint::start(span), SpanPoint::end(span));
        let (from, to) = (self.time(start), self.time(end));
        if !(class.is_wait() || is_blocking || class.has(SpanClass::MEMBER)) {
            return Vec::new();
        }
        let Some(binding) = self.binding(end) else {
            return parts(
                [from, from, to],
                TimeUse::Unknown,
                Candidate {
                    point: start,
                    kind: CauseKind::Own,
                    at: from,
                    back: Nanos::ZERO,
                },
            );
        };
        let is_own = matches!(binding.kind, CauseKind::Own | CauseKind::Program);
        let rest = match (class.is_call(), class.is_wait()) {
            _ if self.is_unknown(end, &binding) => TimeUse::Unknown,
            (true, _) if is_own => TimeUse::Call,
            (true, _) => TimeUse::Return,
            (_, true) => TimeUse::Latency,
            _ => TimeUse::Run,
        };
        let free = match binding.kind {
            _ if is_own => from,
            CauseKind::Limit => to,
            _ => from.max(binding.at),
        };
        parts([from, free, to], rest, binding)
    }

    /// How much of an operation's wait was due to its binding cause and nothing else: the most that removing it saves.
    pub fn alone(&self, span: SpanId) -> Nanos {
        let point = SpanPoint::start(span);
        let (Some(enqueued), Some(binding)) = (self.enqueued(span), self.binding(point)) else {
            return Nanos::ZERO;
        };
        if binding.kind == CauseKind::Launch {
            return Nanos::ZERO;
        }
        let mut others = enqueued;
        self.candidates(point, |it| {
            if it.point != binding.point {
                others = others.max(it.at);
            }
        });
        (binding.at - others).max(Nanos::ZERO)
    }
}

/// Blocked until it was free, and then the rest; what is empty is left out.
fn parts([from, free, to]: [Nanos; 3], rest: TimeUse, by: Candidate) -> Vec<TimePart> {
    let blocked = TimePart {
        interval: Interval {
            start: from,
            end: free,
        },
        what: TimeUse::Blocked,
        by: Some(by),
    };
    let rest = TimePart {
        interval: Interval {
            start: free,
            end: to,
        },
        what: rest,
        by: None,
    };
    let both = [blocked, rest].into_iter();
    both.filter(|it| it.interval.start < it.interval.end)
        .collect()
}
