//! Whether buffers need the order that a wait makes.

use std::collections::{BTreeSet, VecDeque};

use super::causes::CauseReader;
use super::used_buffers::UsedBuffers;
use capture::{Capture, PlacedSpan};
use record::time::{Interval, Nanos};
use record::{DependencyKind, SpanId};

/// Operations of a stream, and calls of a thread, that are looked at on either side of a wait.
const NEAR: usize = 64;

/// What lies around a wait, as far as nothing else of the capture orders it.
struct WaitSurroundings<'a, 'c> {
    reader: &'a CauseReader<'c>,
    /// The call that waits, or submitted the wait.
    call: SpanId,
    /// The last call before it that blocked its thread, as far as there is one.
    returned: Option<Interval>,
    /// When the next one after it begins.
    blocked: Nanos,
}

/// Of what a wait came after and what came after the wait the first two operations, on different streams, that use one buffer
/// which one of them writes, and that nothing else of the capture may order: without the wait there would be a race. Nothing where
/// none near it do, and where several host threads may order them.
pub(super) fn tied(
    reader: &CauseReader<'_>,
    buffers: &UsedBuffers,
    wait: &PlacedSpan,
) -> Option<(PlacedSpan, PlacedSpan)> {
    let around = WaitSurroundings::of(reader, wait)?;
    let before = around.before(wait);
    around.after(wait).into_iter().find_map(|later| {
        let since = around.ordered_before(&later, wait);
        let is_open = |it: &&PlacedSpan| {
            it.span.lane != later.span.lane && around.submitted(it.span.id) > since
        };
        let tied = before
            .iter()
            .filter(is_open)
            .find(|it| buffers.share_a_write(it.span.call, later.span.call))?;
        Some((*tied, later))
    })
}

impl<'a, 'c> WaitSurroundings<'a, 'c> {
    fn of(reader: &'a CauseReader<'c>, wait: &PlacedSpan) -> Option<Self> {
        let id = wait.span.id;
        let call = if reader.is_operation(id) {
            reader.launch(id)?
        } else {
            id
        };
        if reader.threads().len() > 1 {
            return None;
        }
        let capture = reader.capture();
        let call_at = |id: SpanId| capture.span(id);
        let is_last = |at: usize, it: &PlacedSpan| at == NEAR || reader.is_blocking(it.span.id);
        let before =
            std::iter::successors(capture.previous_span(call), |it| capture.previous_span(*it));
        let mut before = before.filter_map(call_at).enumerate();
        let returned = before.find(|(at, it)| is_last(*at, it));
        let after = std::iter::successors(capture.next_span(call), |it| capture.next_span(*it));
        let mut after = after.filter_map(call_at).enumerate();
        let blocked = after.find(|(at, it)| is_last(*at, it));
        Some(Self {
            reader,
            call,
            returned: returned.map(|it| it.1.interval()),
            blocked: blocked.map_or(Nanos::MAX, |it| it.1.span.start),
        })
    }

    fn capture(&self) -> &'c Capture {
        self.reader.capture()
    }

    /// When an operation was submitted; before all time where that is not known.
    fn submitted(&self, operation: SpanId) -> Nanos {
        let enqueued = self.reader.enqueued(operation);
        enqueued.unwrap_or(Nanos::MIN)
    }

    /// Whether the thread may have waited for an operation before: that was submitted before a call that blocked it returned.
    fn was_waited_for(&self, operation: SpanId) -> bool {
        let submitted = self.submitted(operation);
        let is_before = |it: Interval| submitted <= it.start || submitted < it.end;
        self.returned.map_or(submitted == Nanos::MIN, is_before)
    }

    /// Whether an operation came after anything but the call that submitted it and the one before it on its stream.
    fn is_ordered(&self, operation: SpanId) -> bool {
        let capture = self.capture();
        let mut ties = capture
            .causes(operation)
            .filter_map(|id| capture.dependency(id));
        ties.any(|it| it.kind != DependencyKind::Submission)
    }

    /// The operations that a span is known to have come after, its own stream's apart.
    fn waited_for(&self, span: SpanId) -> impl Iterator<Item = SpanId> {
        let capture = self.capture();
        let ties = capture.causes(span).filter_map(|id| capture.dependency(id));
        let given = ties.filter(|it| it.kind != DependencyKind::Submission);
        let causes = given.map(|it| it.cause);
        causes.filter(|it| self.reader.is_operation(*it)).take(NEAR)
    }

    /// When the last operation before one on its stream was submitted that came after something else, the wait apart: up to there
    /// the stream may know of all that was submitted.
    fn ordered_before(&self, operation: &PlacedSpan, wait: &PlacedSpan) -> Nanos {
        let previous = |it: &SpanId| self.reader.before_on_stream(*it);
        let before = std::iter::successors(previous(&operation.span.id), previous).take(NEAR);
        let is_last =
            |at: usize, it: SpanId| at + 1 == NEAR || it != wait.span.id && self.is_ordered(it);
        let mut before = before.enumerate();
        let found = before.find(|(at, it)| is_last(*at, *it));
        found.map_or(Nanos::MIN, |it| self.submitted(it.1))
    }

    /// The operations that the wait came after and that its thread had not waited for before.
    fn before(&self, wait: &PlacedSpan) -> Vec<PlacedSpan> {
        let capture = self.capture();
        let mut open: VecDeque<SpanId> = self.waited_for(wait.span.id).collect();
        let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
        while let Some(operation) = open.pop_front()
            && found.len() < NEAR * 4
        {
            if self.was_waited_for(operation) || !seen.insert(operation) {
                continue;
            }
            found.extend(capture.span(operation));
            // What a stream came after passes on what that had come after.
            open.extend(self.reader.before_on_stream(operation));
            open.extend(self.waited_for(operation));
        }
        found
    }

    /// The operations after the wait, of its stream, or of all that its thread gave work to, until something else orders them.
    fn after(&self, wait: &PlacedSpan) -> Vec<PlacedSpan> {
        let capture = self.capture();
        let own = self
            .reader
            .is_operation(wait.span.id)
            .then_some(wait.span.lane);
        let next = |it: &SpanId| capture.next_span(*it);
        let calls = std::iter::successors(next(&self.call), next).take(NEAR);
        let given = calls.flat_map(|call| {
            let ties = capture
                .effects(call)
                .filter_map(|id| capture.dependency(id));
            let given = ties.filter(|it| it.kind == DependencyKind::Submission);
            given.map(|it| it.effect).take(NEAR)
        });
        let mut ordered = BTreeSet::new();
        let mut found = Vec::new();
        for operation in given.filter_map(|it| capture.span(it)) {
            let (id, lane) = (operation.span.id, operation.span.lane);
            if self.submitted(id) >= self.blocked {
                break;
            }
            if self.is_ordered(id) {
                ordered.insert(lane);
            }
            if own.is_none_or(|own| own == lane) && !ordered.contains(&lane) {
                found.push(operation);
            }
        }
        found
    }
}
