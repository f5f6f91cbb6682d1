//! One sentence about the binding cause of a span, with the same numbers as its split.

use super::candidates::Candidate;
use super::kind::{CauseKind, TimeUse};
use super::reader::CauseReader;
use super::split::TimePart;
use super::{SpanCause, SpanClass};
use crate::analysis::Piece;
use crate::record::SpanId;
use crate::time::Nanos;

/// A sentence under way.
struct SentenceText<'a, 'b> {
    reader: &'a CauseReader<'b>,
    pieces: Vec<Piece>,
}

impl CauseReader<'_> {
    /// Why an operation began when it did, why a blocking call returned when it did, or why a wait ended when it did; in
    /// one sentence. Nothing for a span that waits for nothing.
    pub fn sentence(&self, span: SpanId) -> Option<Vec<Piece>> {
        let class = self.causes.class(span);
        let mut text = SentenceText {
            reader: self,
            pieces: Vec::new(),
        };
        if class.is_wait() || self.is_blocking(span) {
            text.waited(span, &self.of_end(span)?);
        } else {
            text.queued(span, &self.of(span)?);
            if class.has(SpanClass::MEMBER) {
                text.collective(span);
            }
        }
        Some(text.pieces)
    }
}

impl SentenceText<'_, '_> {
    fn text(&mut self, text: impl Into<String>) -> &mut Self {
        self.pieces.push(Piece::Text(text.into()));
        self
    }

    fn time(&mut self, time: Nanos) -> &mut Self {
        self.pieces.push(Piece::Time(time));
        self
    }

    /// A span with its lane.
    fn span(&mut self, span: SpanId) -> &mut Self {
        let capture = self.reader.capture;
        let Some(placed) = capture.span(span) else {
            return self.text("a span that is not there");
        };
        let name = capture.name(placed.span.name).to_owned();
        self.pieces.push(Piece::Span(span, name));
        let lane = capture.lane_title(placed.span.lane).into_owned();
        self.text(format!(" on {lane}"))
    }

    /// Why an operation sat in its queue.
    fn queued(&mut self, span: SpanId, cause: &SpanCause) {
        let Some(binding) = cause.binding else {
            self.text("The capture holds nothing that it had to come after, so why it began then is unknown");
            return;
        };
        let split = self.reader.split(span);
        if split.is_empty() {
            self.text("Its submission is not in the capture; it began ")
                .time(cause.lag)
                .text(" after ");
            self.complete(&binding);
            if cause.is_unknown {
                self.text(", which is longer than a start takes: what held it is not told");
            }
            return;
        }
        self.text("It was queued for ").time(sum(&split));
        self.text(": ");
        let rest = split.iter().find(|it| it.what != TimeUse::Blocked);
        if let Some(blocked) = split.iter().find(|it| it.what == TimeUse::Blocked) {
            self.time(blocked.interval.length());
            self.text(format!(" {} ", held_by(binding.kind)));
            self.span(binding.span());
            if rest.is_some() {
                self.text(", then ");
            }
        }
        if let Some(rest) = rest {
            self.time(rest.interval.length());
            self.text(match (rest.what, cause.is_branch) {
                (TimeUse::Unknown, true) => {
                    " unknown: branches of its graph overlap, and the capture does not tell what orders them"
                }
                (TimeUse::Unknown, _) => " unknown: that is longer than a start takes, and the capture does not tell what held it",
                _ => " latency of its start",
            });
        }
        let alone = self.reader.alone(span);
        if alone > Nanos::ZERO && binding.kind != CauseKind::Stream {
            self.text("; without that wait it could have begun at most ")
                .time(alone)
                .text(" earlier");
        }
    }

    /// Why a blocking call returned, or a wait of a stream ended.
    fn waited(&mut self, span: SpanId, cause: &SpanCause) {
        let inside = self.reader.inside(span);
        let is_call = self.reader.is_blocking(span);
        let blocked = inside.iter().find(|it| it.what == TimeUse::Blocked);
        let rest = inside.iter().find(|it| it.what != TimeUse::Blocked);
        match (blocked, cause.binding) {
            (Some(blocked), Some(binding)) => {
                self.text("It was blocked for ")
                    .time(blocked.interval.length())
                    .text(" until ");
                self.complete(&binding);
            }
            (None, Some(binding)) if binding.kind.is_dependency() => {
                self.text("What it waited for was complete before it began: ");
                self.complete(&binding);
            }
            _ => {
                self.text("The capture tells of nothing that it had to wait for");
            }
        }
        if let Some(rest) = rest {
            self.text("; ").time(rest.interval.length());
            self.text(match (rest.what, is_call) {
                (TimeUse::Unknown, _) => {
                    " is unknown: longer than a wake-up takes, and the capture does not tell why"
                }
                (_, true) => " is the call itself",
                _ => " is latency until the stream went on",
            });
        }
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

    /// What of a cause was complete.
    fn complete(&mut self, binding: &Candidate) {
        self.span(binding.span());
        self.text(match (binding.point.is_end(), binding.kind) {
            (false, CauseKind::Launch) => " was called",
            (false, _) => " began",
            (true, _) => " was complete",
        });
    }
}

/// How a cause of this sort holds an operation.
const fn held_by(kind: CauseKind) -> &'static str {
    match kind {
        CauseKind::Own | CauseKind::Program | CauseKind::Stream => "behind",
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
    }
}

fn sum(parts: &[TimePart]) -> Nanos {
    let lengths = parts.iter().map(|it| it.interval.length());
    lengths.fold(Nanos::ZERO, |sum, it| sum + it)
}
