//! The graph and the capture together: what can be asked of them.

use super::binding_cause::Candidate;
use super::kind::CauseKind;
use super::point::SpanPoint;
use super::slack::Slack;
use super::timetable::SpanTimes as _;
use super::{Causes, SpanClass};
use capture::Capture;
use record::time::Nanos;
use record::{Basis, LaneId, SpanId, State};

/// Answers from the graph and the capture that it was built from.
#[derive(Clone, Copy)]
pub struct CauseReader<'a> {
    pub(super) capture: &'a Capture,
    pub(super) causes: &'a Causes,
}

/// Why a point was when it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanCause {
    /// The start of an operation, or the end of a blocking call.
    pub point: SpanPoint,
    /// What was complete last of all that had to come first; nothing where the capture holds nothing of it.
    pub binding: Option<Candidate>,
    /// Whether the binding cause does not explain it: what it waited for longer than a start takes is not told.
    pub is_unknown: bool,
    /// Whether it is one of several operations that overlap, of one launch or of none, whose order is not told.
    pub is_branch: bool,
    /// From the binding cause to the point.
    pub lag: Nanos,
    /// Other candidates that were complete at the same instant as the binding one.
    pub also: Vec<Candidate>,
}

impl<'a> CauseReader<'a> {
    pub(super) fn new(capture: &'a Capture, causes: &'a Causes) -> Self {
        Self { capture, causes }
    }

    /// The capture.
    pub fn capture(&self) -> &'a Capture {
        self.capture
    }

    /// The graph.
    pub fn causes(&self) -> &'a Causes {
        self.causes
    }

    /// Whether a span is an operation of a stream.
    pub fn is_operation(&self, span: SpanId) -> bool {
        self.causes.class(span).is_operation()
    }

    /// Whether a span stands for one that is not in the capture, which is a piece of another.
    pub fn is_stub(&self, span: SpanId) -> bool {
        self.causes.is_stub(span)
    }

    /// Whether a span is an operation of a stream, or of an engine, and not a graph whose nodes are operations themselves.
    pub(super) fn occupies(&self, span: SpanId) -> bool {
        self.is_operation(span) && !self.capture.has_nodes(span) && !self.is_stub(span)
    }

    /// Whether a stream, or an engine, is busy while a span runs: it occupies it, and is no wait.
    pub(crate) fn is_work(&self, span: SpanId) -> bool {
        self.occupies(span) && !self.causes.class(span).is_wait()
    }

    /// Whether a span is a call that blocks its thread.
    pub fn is_blocking(&self, span: SpanId) -> bool {
        let class = self.causes.class(span);
        class.is_call() && class.has(SpanClass::BLOCKING)
    }

    /// Whether a span is a wait of a stream or a call that blocks its thread.
    pub(crate) fn is_waiting(&self, span: SpanId) -> bool {
        self.causes.class(span).is_wait() || self.is_blocking(span)
    }

    /// Whether a span was cancelled or lost with its device, before it began or while it ran.
    pub(super) fn is_cut_off(&self, span: SpanId) -> bool {
        let placed = self.capture.span(span);
        placed.is_some_and(|it| matches!(it.span.state, State::Cancelled | State::Lost))
    }

    /// Whether an operation was lost with its device before it began.
    pub(super) fn never_began(&self, span: SpanId) -> bool {
        let placed = self.capture.span(span);
        placed.is_some_and(|it| it.span.state == State::Lost && it.span.start == it.span.end)
    }

    /// The operation before one on its stream, as far as the capture tells.
    pub(crate) fn before_on_stream(&self, operation: SpanId) -> Option<SpanId> {
        let before = self.causes.seconds.get(operation.index()).copied();
        let before = before.filter(|it| *it != u32::MAX && self.is_operation(operation));
        before.map(SpanId)
    }

    /// Why an operation began, or a blocking call returned, when it did. Nothing for a span that is neither.
    pub fn of(&self, span: SpanId) -> Option<SpanCause> {
        let class = self.causes.class(span);
        let point = if self.is_stub(span) {
            return None;
        } else if class.is_operation() {
            SpanPoint::start(span)
        } else if self.is_blocking(span) {
            SpanPoint::end(span)
        } else {
            return None;
        };
        Some(self.of_point(point))
    }

    /// What ties an operation's start, or a blocking call's end, to its binding cause; nothing where that is unknown.
    pub fn binds(&self, span: SpanId) -> Option<CauseKind> {
        let end = !self.is_operation(span);
        let point = if end {
            SpanPoint::end(span)
        } else {
            SpanPoint::start(span)
        };
        let binding = self.binding(point)?;
        (!self.is_unknown(point, &binding)).then_some(binding.kind)
    }

    /// Why a wait of a stream or a part of a collective operation ended when it did; nothing for any other span.
    pub fn of_end(&self, span: SpanId) -> Option<SpanCause> {
        let class = self.causes.class(span);
        let waits = class.is_wait() || class.has(SpanClass::MEMBER) || self.is_blocking(span);
        (waits && !self.is_stub(span)).then(|| self.of_point(SpanPoint::end(span)))
    }

    fn of_point(&self, point: SpanPoint) -> SpanCause {
        let binding = self.binding(point);
        let mut also = Vec::new();
        if let Some(binding) = binding {
            self.candidates(point, |it| {
                if it.at == binding.at && it.point != binding.point {
                    also.push(it);
                }
            });
        }
        SpanCause {
            point,
            binding,
            is_unknown: binding.is_none_or(|binding| self.is_unknown(point, &binding)),
            is_branch: self.causes.class(point.span()).has(SpanClass::BRANCH),
            lag: binding.map_or(Nanos::ZERO, |binding| self.time(point) - binding.at),
            also,
        }
    }

    /// How a candidate cause of a point is known: as its dependency is. The order of a stream and of a thread is enforced, but
    /// for nodes of a graph whose edges are not told; and so is a cause that the capture has no dependency of its own for.
    pub fn known(&self, point: SpanPoint, candidate: &Candidate) -> Basis {
        let (span, cause) = (point.span(), candidate.span());
        if matches!(
            candidate.kind,
            CauseKind::Own | CauseKind::Program | CauseKind::Limit | CauseKind::Step
        ) {
            return Basis::Enforced;
        }
        if candidate.kind == CauseKind::Stream {
            let launches = [span, cause].map(|it| self.causes.firsts.get(it.index()).copied());
            let has_none = launches.contains(&Some(u32::MAX));
            let is_alike = has_none || launches[0] == launches[1];
            let is_concluded = self.causes.class(span).has(SpanClass::BRANCH) && is_alike;
            return if is_concluded {
                Basis::Inferred
            } else {
                Basis::Enforced
            };
        }
        // A stream that stands still for a function of the host is tied to its end alone, and called it all the same.
        if candidate.kind == CauseKind::Launch && self.is_operation(cause) {
            return Basis::Enforced;
        }
        let ties = self.capture.causes(span);
        let ties = ties.filter_map(|id| self.capture.dependency(id));
        let bases = ties.filter(|it| it.cause == cause).map(|it| it.basis);
        bases.min().unwrap_or(Basis::Inferred)
    }

    /// Every candidate cause of an operation's start or a call's end, the binding one first.
    pub fn candidates_of(&self, point: SpanPoint) -> Vec<Candidate> {
        let mut all = Vec::new();
        self.candidates(point, |it| all.push(it));
        all.sort_by_key(|it| std::cmp::Reverse(it.at));
        if let Some(binding) = self.binding(point) {
            all.retain(|it| it.point != binding.point);
            all.insert(0, binding);
        }
        all
    }

    /// How much later an operation could begin without anything ending later than the last of all; an upper bound where
    /// a cause is unknown. Nothing for a span that is no operation. The first to ask has that of all operations made.
    pub fn slack(&self, span: SpanId) -> Option<Nanos> {
        if !self.is_operation(span) || self.is_stub(span) {
            return None;
        }
        self.slack_of_all().of(span)
    }

    /// The same of what a wait held: of a wait of a stream how much later that could end, of another operation how much later
    /// it could begin.
    pub(crate) fn slack_of_held(&self, span: SpanId) -> Option<Nanos> {
        if self.causes.class(span).is_wait() {
            return self.slack_of_all().of_end(span);
        }
        self.slack(span)
    }

    fn slack_of_all(&self) -> &Slack {
        let made = || match &self.causes.times {
            Some(times) => Slack::new(self.causes, times),
            None => Slack::new(self.causes, self.capture),
        };
        self.causes.slack.get_or_init(made)
    }

    /// The rank of a lane: that which its file says, or 0.
    pub fn rank(&self, lane: LaneId) -> u32 {
        let origin = self.capture.lane_origin(lane);
        origin.and_then(|it| it.rank).unwrap_or(0)
    }

    /// The number that a lane's file has for it, or -1.
    pub(super) fn number(&self, lane: LaneId) -> i64 {
        let origin = self.capture.lane_origin(lane);
        origin.and_then(|it| it.number).unwrap_or(-1)
    }

    pub(super) fn lane(&self, span: SpanId) -> LaneId {
        match &self.causes.times {
            Some(times) => times.lane_of(span),
            None => self.capture.lane_of(span),
        }
    }

    pub(super) fn time(&self, point: SpanPoint) -> Nanos {
        match &self.causes.times {
            Some(times) => times.time(point),
            None => self.capture.time(point),
        }
    }

    pub(super) fn candidates(&self, point: SpanPoint, mut take: impl FnMut(Candidate)) {
        match &self.causes.times {
            Some(times) => self.causes.candidates(times, point, &mut take),
            None => self.causes.candidates(self.capture, point, &mut take),
        }
    }

    pub(crate) fn binding(&self, point: SpanPoint) -> Option<Candidate> {
        match &self.causes.times {
            Some(times) => self.causes.binding(times, point),
            None => self.causes.binding(self.capture, point),
        }
    }

    /// Whether the time from a binding cause to its effect is no latency.
    pub(super) fn is_unknown(&self, point: SpanPoint, binding: &Candidate) -> bool {
        let lag = self.time(point) - binding.at;
        self.causes.is_unknown(point, binding.kind, lag)
    }

    /// Whether a stream was held by something outside of it.
    pub(super) fn is_dependency(kind: CauseKind) -> bool {
        kind.is_dependency()
    }
}
