//! One sentence about the binding cause of a span, with the same numbers as its split.

mod scheduled;
mod untold;

use super::binding_cause::Candidate;
use super::kind::{CauseKind, TimeUse};
use super::point::SpanPoint;
use super::reader::CauseReader;
use super::split::TimePart;
use super::{SpanCause, SpanClass, WalkLimit};
use crate::SentencePiece;
use crate::loss_outcome::{abort, fate, from_outside, problem};
use crate::pace::PacedShare;
use crate::sentence_piece::Sentence;
use capture::PlacedSpan;
use record::time::{Interval, Nanos, TOLERANCE};
use record::{BLOCKED_BECAUSE, Basis, Group, INSERTED_BECAUSE, SpanId, SpanKind, State, Value};

/// A wait that was queued no longer says nothing of that: it is what a start takes.
const SHORT: Nanos = Nanos(10_000);
/// So many records of events in a row are passed over to find the work before them.
const RECORDS: usize = 32;

/// A sentence about a span under way.
struct SentenceText<'a, 'b> {
    reader: &'a CauseReader<'b>,
    sentence: Sentence,
}

impl CauseReader<'_> {
    /// Why an operation began when it did, why a blocking call returned when it did, why a wait ended when it did, or what
    /// took an operation that was lost or cancelled; in one sentence. Nothing for a span that waits for nothing.
    pub fn sentence(&self, span: SpanId) -> Option<Vec<SentencePiece>> {
        let placed = self.capture.span(span)?;
        let mut text = SentenceText {
            reader: self,
            sentence: Sentence::default(),
        };
        if placed.never_ran() || placed.span.state == State::Lost {
            let submitted = placed.span.start - self.queued(&placed);
            let waits = self.is_waiting(span);
            text.sentence = fate(self.capture, &placed, (submitted, waits));
            let has_begun = placed.span.start < placed.span.end;
            if !has_begun && self.binds(span) == Some(CauseKind::Pipeline) {
                text.text("; it waited for its pipeline, which was not ready");
            }
            if waits && !placed.never_ran() {
                text.unmet(span);
            }
            if has_begun {
                text.queued_before(span);
            }
            return Some(text.sentence.0);
        }
        let class = self.causes.class(span);
        if self.is_waiting(span) {
            let cause = self.of_end(span)?;
            text.waited(span, &cause);
            text.because(span);
            text.queued_before(span);
        } else {
            let cause = self.of(span)?;
            text.queued(span, &cause);
            text.submitted_late(span);
            if class.has(SpanClass::MEMBER) {
                text.collective(span);
            }
            if let Some(abort) = abort(self.capture, span) {
                text.text("; ").span(abort).text(" killed it while it ran");
            }
        }
        if placed.span.state == State::Cancelled {
            text.cancelled(&placed);
        }
        Some(text.sentence.0)
    }

    /// The time of a wait: of a span that waits itself from its start to its end, of another operation from its submission
    /// to its start; nothing where its submission is not known.
    pub fn waiting(&self, span: SpanId) -> Option<Interval> {
        let [start, end] = [SpanPoint::start(span), SpanPoint::end(span)].map(|it| self.time(it));
        if self.is_waiting(span) {
            return Some(Interval { start, end });
        }
        let enqueued = self.enqueued(span)?;
        Some(Interval {
            start: enqueued,
            end: start,
        })
    }

    /// What the time of a wait went to, back along binding causes, in order of time. At most `most` steps back.
    pub fn meanwhile(&self, span: SpanId, most: usize) -> Vec<super::ChainSegment> {
        let Some(waiting) = self.waiting(span) else {
            return Vec::new();
        };
        let waits = self.is_waiting(span);
        let point = if waits {
            SpanPoint::end(span)
        } else {
            SpanPoint::start(span)
        };
        self.walk_within(point, waiting.start, &mut WalkLimit::of_segments(most))
    }
}

impl SentenceText<'_, '_> {
    fn text(&mut self, text: impl Into<String>) -> &mut Self {
        self.sentence.text(text);
        self
    }

    fn time(&mut self, time: Nanos) -> &mut Self {
        self.sentence.time(time);
        self
    }

    fn span(&mut self, span: SpanId) -> &mut Self {
        self.sentence.span(self.reader.capture, span);
        self
    }

    /// Why an operation sat in its queue.
    fn queued(&mut self, span: SpanId, cause: &SpanCause) {
        let Some(binding) = cause.binding else {
            if !self.late_call(span) {
                self.text("The capture holds nothing that it had to come after, so why it began then is unknown");
            }
            return;
        };
        if binding.kind == CauseKind::Limit {
            self.sentence = from_outside(self.reader.capture, span);
            return;
        }
        let split = self.reader.split(span);
        if split.is_empty() && self.reader.enqueued(span).is_some() {
            self.text("It began the moment it was submitted");
            return;
        }
        if split.is_empty() {
            self.without_submission(span);
            if cause.lag > Nanos::ZERO {
                self.time(cause.lag).text(" after ");
            } else {
                self.text("as soon as ");
            }
            self.complete(span, &binding);
            self.inferred(cause);
            if cause.is_unknown {
                let held = match self.reader.late_call(span) {
                    Some(_) => "it may have been its submission that it had to come after",
                    None => self.untold(span),
                };
                self.text(format!(", which is longer than a start takes: {held}"));
            }
            return;
        }
        self.text("It was queued for ").time(sum(&split));
        let rest = split.iter().find(|it| it.what != TimeUse::Blocked);
        if let (CauseKind::Launch, [part]) = (binding.kind, &split[..]) {
            self.text(" after ").span(binding.span());
            if part.what == TimeUse::Unknown {
                let why = self.unknown_start(span, cause);
                self.text(format!(" submitted it; why is unknown: {why}"));
                return;
            }
            self.text(if self.reader.is_operation(binding.span()) {
                " had its thread call it: all of that is latency of its start"
            } else {
                " submitted it: all of that is latency of its start"
            });
            return;
        }
        let blocked = split.iter().find(|it| it.what == TimeUse::Blocked);
        if blocked.is_none() {
            // What held it ended just as it was submitted.
            self.text(" after ");
            self.complete(span, &binding);
            self.inferred(cause);
        }
        self.text(": ");
        if let Some(blocked) = blocked {
            self.time(blocked.interval.length());
            self.text(format!(" {} ", held_by(binding.kind)));
            self.span(binding.span());
            if binding.kind == CauseKind::Engine {
                self.engine(span);
            }
            self.inferred(cause);
            if rest.is_some() {
                self.text(", then ");
            }
        }
        if let Some(rest) = rest {
            self.time(rest.interval.length());
            if rest.what == TimeUse::Unknown {
                let why = self.unknown_start(span, cause);
                self.text(format!(" unknown: {why}"));
            } else {
                self.text(" latency of its start");
            }
        }
        let alone = self.reader.alone(span);
        if alone > Nanos::ZERO && binding.kind != CauseKind::Stream {
            self.text("; without that wait it could have begun at most ")
                .time(alone)
                .text(" earlier");
        }
    }

    /// How long a wait of a stream was queued before it began, and what held it there.
    fn queued_before(&mut self, span: SpanId) {
        let split = self.reader.split(span);
        let cause = self
            .reader
            .of(span)
            .filter(|_| !self.reader.is_blocking(span));
        let Some(cause) = cause else { return };
        let Some(binding) = cause.binding else { return };
        if sum(&split) <= SHORT {
            return;
        }
        self.text("; it had been queued for ").time(sum(&split));
        let unknown = split.iter().find(|it| it.what == TimeUse::Unknown);
        match unknown {
            Some(part) if split.len() > 1 => {
                self.text(", of which ").time(part.interval.length());
                self.text(format!(" are unknown: {}", self.untold(span)));
            }
            Some(_) => {
                self.text(format!(", and {}", self.untold(span)));
            }
            None if binding.kind == CauseKind::Launch => {}
            None => {
                self.text(format!(", {} ", held_by(binding.kind)));
                self.span(binding.span());
                self.inferred(&cause);
            }
        }
    }

    /// Why nothing is known of the time in its queue.
    fn without_submission(&mut self, span: SpanId) {
        let on = self.reader.capture.lane(self.reader.lane(span));
        let is_stream = on.is_some_and(|it| it.group == Group::Streams);
        if self.late_call(span) {
            self.text(". It began ");
        } else if is_stream {
            self.text("Its submission is not in the capture; it began ");
        } else {
            self.text("It began ");
        }
    }

    /// Says so where the call that submitted it began after it by the capture.
    fn late_call(&mut self, span: SpanId) -> bool {
        let Some(call) = self.reader.late_call(span) else {
            return false;
        };
        let called = self.reader.time(SpanPoint::start(call));
        let early = called - self.reader.time(SpanPoint::start(span));
        self.text("By the capture it began ").time(early);
        self.text(" before ").span(call);
        self.text(
            ", the call that submitted it: the clocks of host and device differ by that or more",
        );
        true
    }

    /// Which engine of a paced device the binding cause had, and how long an operation waited for it once all else had let
    /// it go.
    fn engine(&mut self, span: SpanId) {
        let capture = self.reader.capture;
        let placed = capture.span(span);
        let Some(share) = placed.and_then(|it| PacedShare::of(capture, &it)) else {
            return;
        };
        self.text(format!(", which had {} (it waited ", share.engine))
            .time(share.waited)
            .text(" for that engine)");
    }

    /// Why a blocking call returned, or a wait of a stream ended.
    fn waited(&mut self, span: SpanId, cause: &SpanCause) {
        let inside = self.reader.inside(span);
        let is_call = self.reader.is_blocking(span);
        let blocked = inside.iter().find(|it| it.what == TimeUse::Blocked);
        let rest = inside.iter().find(|it| it.what != TimeUse::Blocked);
        match (blocked, cause.binding) {
            (Some(blocked), Some(binding)) if binding.kind == CauseKind::Limit => {
                let until = if self.reader.is_cut_off(span) {
                    ", until it was cancelled"
                } else {
                    ", until the time that it was given ran out"
                };
                let time = blocked.interval.length();
                self.text("It was blocked for ").time(time).text(until);
                self.awaited(span);
            }
            (Some(blocked), Some(binding)) => {
                self.text("It was blocked for ")
                    .time(blocked.interval.length())
                    .text(" until ");
                self.complete(span, &binding);
                self.inferred(cause);
                self.behind(span, &binding);
                self.never_ran(span);
            }
            (None, Some(binding)) if binding.kind.is_dependency() => {
                let begun = self.reader.time(SpanPoint::start(span));
                self.text(if binding.at <= begun + TOLERANCE {
                    "What it waited for was complete before it began: "
                } else {
                    "What it waited for was complete while it ran: "
                });
                self.complete(span, &binding);
                self.inferred(cause);
            }
            _ => self.held_by_nothing(span),
        }
        if let Some(rest) = rest {
            self.text("; ").time(rest.interval.length());
            match (rest.what, is_call) {
                (TimeUse::Unknown, _) => {
                    let why = self.untold(span);
                    self.text(format!(
                        " is unknown: longer than a wake-up takes, and {why}"
                    ))
                }
                (_, true) => self.text(" is the call itself"),
                _ => self.text(" is latency until the stream went on"),
            };
            self.without_core(span, rest);
        }
    }

    /// What a wait was to wait for whose time ran out.
    fn awaited(&mut self, span: SpanId) {
        let end = self.reader.time(SpanPoint::end(span));
        let Some((complete, cause)) = self.last_awaited(span) else {
            return;
        };
        self.text("; what it waited for, ").span(cause);
        let placed = self.reader.capture.span(cause);
        let is_lost = placed.is_some_and(|it| it.span.state == State::Lost);
        let became = if is_lost {
            "lost with its device"
        } else {
            "complete"
        };
        if self.is_dropped(cause) {
            self.text(", never ran");
        } else if complete > end {
            self.text(format!(", was {became} "))
                .time(complete - end)
                .text(" later");
        } else {
            self.text(format!(", was {became} at that moment"));
        }
    }

    /// What a wait had yet to wait for that a loss ended.
    fn unmet(&mut self, span: SpanId) {
        if let Some((_, cause)) = self.last_awaited(span) {
            self.text("; it waited for ").span(cause);
            let placed = self.reader.capture.span(cause);
            let is_unbegun = placed.is_some_and(|it| it.interval().length() == Nanos::ZERO);
            if is_unbegun {
                self.text(", which had not begun");
            }
        }
    }

    /// Says of the last that a wait was to wait for that it never ran, where it did not.
    fn never_ran(&mut self, span: SpanId) {
        let last = self.last_awaited(span).map(|it| it.1);
        if let Some(cause) = last.filter(|it| self.is_dropped(*it)) {
            self.text("; ")
                .span(cause)
                .text(", which it waited for, never ran");
        }
    }

    /// Of all that a wait was to wait for the one that was over last, and when.
    fn last_awaited(&self, span: SpanId) -> Option<(Nanos, SpanId)> {
        let capture = self.reader.capture;
        let ties = capture.causes(span).filter_map(|id| capture.dependency(id));
        let causes = ties.filter(|it| CauseKind::of(it.kind).is_some());
        causes
            .map(|it| (self.reader.time(SpanPoint::end(it.cause)), it.cause))
            .max()
    }

    /// Whether it was concluded that a wait was to wait for a span.
    fn is_inferred(&self, span: SpanId, cause: SpanId) -> bool {
        let capture = self.reader.capture;
        let mut ties = capture.causes(span).filter_map(|id| capture.dependency(id));
        ties.any(|it| it.cause == cause && it.basis == Basis::Inferred)
    }

    fn is_dropped(&self, span: SpanId) -> bool {
        let placed = self.reader.capture.span(span);
        placed.is_some_and(|it| it.never_ran())
    }

    /// The work before a record of an event: that is what the record itself waited for.
    fn behind(&mut self, span: SpanId, binding: &Candidate) {
        let reader = self.reader;
        let kind = |span: SpanId| reader.capture.span(span).map(|it| it.span.kind);
        let mut at = binding.span();
        for _ in 0..RECORDS {
            if kind(at) != Some(SpanKind::EventRecord) {
                break;
            }
            let before = reader.binding(SpanPoint::start(at));
            let Some(before) = before.filter(|it| it.kind == CauseKind::Stream) else {
                return;
            };
            at = before.span();
        }
        let begun = reader.time(SpanPoint::start(span));
        let ran = reader.time(SpanPoint::end(at)) - reader.time(SpanPoint::start(at)).max(begun);
        if at != binding.span() && ran > Nanos::ZERO {
            self.text(", behind ")
                .span(at)
                .text(", which took ")
                .time(ran)
                .text(" of that");
        }
    }

    /// A wait that nothing in the capture explains, or that ended before what it waited for.
    fn held_by_nothing(&mut self, span: SpanId) {
        let end = self.reader.time(SpanPoint::end(span));
        match self.last_awaited(span) {
            Some((_, cause)) if self.is_dropped(cause) => {
                self.text("What it waited for never ran: ").span(cause);
            }
            Some((complete, cause)) if complete - end > TOLERANCE => {
                self.text("It ended before what it waited for: ")
                    .span(cause)
                    .text(" was complete ")
                    .time(complete - end)
                    .text(" later");
            }
            Some((complete, cause)) => {
                let begun = self.reader.time(SpanPoint::start(span));
                self.text(if complete <= begun + TOLERANCE {
                    "What it waited for was complete before it began: "
                } else {
                    "What it waited for was complete while it ran: "
                })
                .span(cause);
                if self.is_inferred(span, cause) {
                    self.text(" (inferred)");
                }
            }
            None => {
                self.text("The capture tells of nothing that it had to wait for");
            }
        }
    }

    /// What the run itself says of a wait.
    fn because(&mut self, span: SpanId) {
        let capture = self.reader.capture;
        let because = |it: &(&str, Value)| matches!(it.0, INSERTED_BECAUSE | BLOCKED_BECAUSE);
        if let Some((_, Value::Text(text))) = capture.arguments(span).find(because) {
            self.text(format!("; {text}"));
        }
        if let Some(text) = problem(capture, span) {
            self.text(format!("; {text}"));
        }
    }

    /// What ended a span before its time.
    fn cancelled(&mut self, placed: &PlacedSpan) {
        let capture = self.reader.capture;
        self.text("; it was cancelled after ")
            .time(placed.interval().length());
        match abort(capture, placed.span.id) {
            Some(abort) => self.text(" by ").span(abort),
            None => match problem(capture, placed.span.id) {
                // Of a wait it is said already.
                Some(text) if !self.reader.is_waiting(placed.span.id) => self.text(format!(": {text}")),
                Some(_) => self,
                None => self.text(
                    ": something before it failed, or the run was stopped; the capture does not tell which",
                ),
            },
        };
    }

    /// How long a part of a collective operation waited for the last one.
    fn collective(&mut self, span: SpanId) {
        let inside = self.reader.inside(span);
        let Some(part) = inside.iter().find(|it| it.what == TimeUse::Blocked) else {
            return;
        };
        if let Some(by) = part.by {
            self.text("; having begun, it waited ")
                .time(part.interval.length())
                .text(" for ")
                .span(by.span())
                .text(", the part that began last");
        }
    }

    /// What of a cause of a span was complete.
    fn complete(&mut self, span: SpanId, binding: &Candidate) {
        self.span(binding.span());
        let placed = self.reader.capture.span(binding.span());
        let state = placed.map(|it| it.span.state).unwrap_or_default();
        self.text(match (binding.point.is_end(), binding.kind, state) {
            (false, CauseKind::Launch, _) => " was called",
            (false, CauseKind::Abort, _)
                if abort(self.reader.capture, span) == Some(binding.span()) =>
            {
                " dropped it"
            }
            (false, CauseKind::Abort, _) => " dropped what it waited for",
            (false, ..) => " began",
            (true, _, State::Failed) => " failed",
            (true, _, State::Lost) => " was lost",
            (true, ..) => " was complete",
        });
    }
}

/// How a cause of this sort holds an operation.
const fn held_by(kind: CauseKind) -> &'static str {
    match kind {
        CauseKind::Own | CauseKind::Program | CauseKind::Stream | CauseKind::Engine => "behind",
        CauseKind::Launch => "until the call of",
        CauseKind::Event => "blocked by an event, for",
        CauseKind::Legacy => "blocked by the legacy default stream, for",
        CauseKind::Join => "blocked by a join, for",
        CauseKind::Sync => "blocked by a synchronization, for",
        CauseKind::Collective => "blocked by",
        CauseKind::Automatic => "blocked by an inserted wait, for",
        CauseKind::Barrier => "blocked by a barrier, for",
        CauseKind::Signal => "blocked by a signal, for",
        CauseKind::Pipeline => "blocked until its pipeline was ready, by",
        CauseKind::Edge => "blocked by an edge of its graph, for",
        CauseKind::Step => "blocked by the step before,",
        CauseKind::Limit => "blocked by its own time limit,",
        CauseKind::Abort => "blocked until the abort by",
    }
}

fn sum(parts: &[TimePart]) -> Nanos {
    let lengths = parts.iter().map(|it| it.interval.length());
    lengths.fold(Nanos::ZERO, |sum, it| sum + it)
}
