//! What nothing of the run brought about: the end of a wait whose time ran out, or that was cancelled or lost, and steps that
//! follow from the loss of a device.

use std::collections::BTreeSet;

use super::CEILING;
use super::kind::CauseKind;
use super::point::SpanPoint;
use super::queue::NONE;
use super::span_class::{LaneClass, SpanClass};
use super::timetable::{SpanTimes as _, Timetable};
use capture::{Capture, PlacedSpan};
use record::time::{Interval, Nanos, TOLERANCE};
use record::{SpanId, SpanKind, State, TIME_LIMIT, Value};

/// An effect, its cause, and what ties them.
pub(super) type CauseEdge = (SpanPoint, SpanPoint, CauseKind);

/// Such waits and steps, as they are read.
#[derive(Debug, Default)]
pub(super) struct UnpromptedSpans {
    /// When devices were lost, in order.
    losses: Vec<Nanos>,
    /// Waits whose time ran out, or that were cancelled.
    limited: Vec<SpanId>,
    /// Waits that were lost with their device.
    lost: Vec<SpanId>,
    /// Steps of a device timeline in a run that lost a device.
    steps: Vec<SpanId>,
}

impl UnpromptedSpans {
    pub fn new(capture: &Capture) -> Self {
        let mut losses: Vec<Nanos> = capture.losses().iter().map(|it| it.time).collect();
        losses.sort_unstable();
        Self {
            losses,
            ..Self::default()
        }
    }

    /// Takes note of a span; they come by number.
    pub fn note(
        &mut self,
        capture: &Capture,
        placed: &PlacedSpan,
        (lane, class): (LaneClass, SpanClass),
    ) {
        let id = placed.span.id;
        if placed.span.kind == SpanKind::Step
            && lane == LaneClass::Engine
            && !self.losses.is_empty()
        {
            self.steps.push(id);
        }
        if !(class.is_wait() || class.has(SpanClass::BLOCKING)) {
            return;
        }
        match placed.span.state {
            State::Failed if has_run_out(capture, placed) => self.limited.push(id),
            State::Cancelled => self.limited.push(id),
            State::Lost if self.loss_in(placed.interval()).is_some() => self.lost.push(id),
            State::Failed | State::Lost | State::Done => {}
        }
    }

    /// When a device was lost while something lasted, rather than before it.
    fn loss_in(&self, interval: Interval) -> Option<Nanos> {
        let next = self.losses.partition_point(|it| *it <= interval.start);
        let next = self.losses.get(next).copied();
        next.filter(|it| *it <= interval.end + TOLERANCE)
    }

    /// Puts the causes of them in place of what did not let them go. `columns` are the classes of all spans, what submitted
    /// each, and what was before each.
    pub fn add_to(
        &mut self,
        edges: &mut Vec<CauseEdge>,
        times: &Timetable,
        columns: (&[SpanClass], &[u32], &[u32]),
    ) {
        self.add_waits(edges, times);
        self.add_steps(edges, times, columns);
    }

    /// What a wait whose time ran out, or that was cancelled, was to wait for did not let it go. An abort that dropped either
    /// did.
    fn add_waits(&mut self, edges: &mut Vec<CauseEdge>, times: &Timetable) {
        let unmet = self.unmet(edges, times);
        self.limited.extend(unmet);
        self.limited.sort_unstable();
        if self.limited.is_empty() {
            return;
        }
        let aborted = edges.iter().filter(|it| it.2 == CauseKind::Abort);
        let aborted: BTreeSet<SpanPoint> = aborted.map(|it| it.0).collect();
        self.limited
            .retain(|it| !aborted.contains(&SpanPoint::end(*it)));
        let limited = &self.limited;
        let is_limited =
            |point: SpanPoint| point.is_end() && limited.binary_search(&point.span()).is_ok();
        edges.retain(|it| !is_limited(it.0));
        let own = limited
            .iter()
            .map(|it| (SpanPoint::end(*it), SpanPoint::start(*it), CauseKind::Limit));
        edges.extend(own);
    }

    /// Of the waits that were lost with their device those that nothing let go before that: a call of the host that came after
    /// the loss did not.
    fn unmet(&mut self, edges: &[CauseEdge], times: &Timetable) -> Vec<SpanId> {
        let mut lost = std::mem::take(&mut self.lost);
        let mut met = BTreeSet::new();
        for (effect, cause, _) in edges {
            let span = effect.span();
            let at = times.time(*cause);
            let lag = times.time(*effect) - at;
            let may_be = (Nanos(-TOLERANCE.0)..=CEILING).contains(&lag);
            if may_be && lost.binary_search(&span).is_ok() {
                let cut = self.loss_in(times.interval(span));
                let is_late = !cause.is_end() && cut.is_some_and(|it| at > it);
                met.extend((!is_late).then_some(span));
            }
        }
        lost.retain(|it| !met.contains(it));
        lost
    }

    /// A run tells of each step what it came after. One of which it does not was brought about from outside: by the loss of
    /// the device, or by what recovered it. It came after whatever its timeline did before.
    fn add_steps(
        &mut self,
        edges: &mut Vec<CauseEdge>,
        times: &Timetable,
        (classes, launches, before): (&[SpanClass], &[u32], &[u32]),
    ) {
        let is_free = |step: &SpanId| launches.get(step.index()) == Some(&NONE);
        self.steps.retain(is_free);
        if self.steps.is_empty() {
            return;
        }
        let steps = &self.steps;
        let tied = edges.iter().map(|it| it.0.span());
        let tied: BTreeSet<SpanId> = tied.filter(|it| steps.binary_search(it).is_ok()).collect();
        let counted = classes.iter().zip(0_u32..).filter(|it| it.0.counts());
        let starts = counted.map(|(_, span)| SpanPoint::start(SpanId(span)));
        let zero = starts.min_by_key(|it| times.time(*it));
        let after = |step: SpanId| {
            let last = before.get(step.index()).filter(|it| **it != NONE);
            let last = last.map(|it| SpanPoint::end(SpanId(*it)));
            Some((SpanPoint::start(step), last.or(zero)?, CauseKind::Limit))
        };
        let free = steps.iter().filter(|it| !tied.contains(it));
        edges.extend(free.filter_map(|it| after(*it)));
    }
}

/// Whether a wait that failed had taken as long as it was given.
fn has_run_out(capture: &Capture, placed: &PlacedSpan) -> bool {
    let limit = time_limit(capture, placed.span.id);
    limit.is_some_and(|limit| placed.interval().length().0.saturating_add(TOLERANCE.0) >= limit)
}

/// How many nanoseconds a wait was given; nothing where it had no limit.
pub(super) fn time_limit(capture: &Capture, wait: SpanId) -> Option<i64> {
    let mut fields = capture.arguments(wait);
    fields.find_map(|(name, value)| match value {
        Value::Integer(limit) if name == TIME_LIMIT => Some(limit),
        _ => None,
    })
}
