//! One sentence about why a span began when it did.

mod join;

use super::fate::fate;
use crate::capture::{Capture, PlacedSpan};
use crate::record::{DependencyKind, SpanId, SpanKind, State};
use crate::time::Nanos;

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Plain words.
    Text(String),
    /// A length of time.
    Time(Nanos),
    /// A span, by what it is called; following it goes there.
    Span(SpanId, String),
}

/// Builds a sentence piece by piece.
#[derive(Default)]
pub(super) struct Sentence(Vec<Piece>);

impl Sentence {
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.0.push(Piece::Text(text.into()));
        self
    }

    pub fn time(mut self, time: Nanos) -> Self {
        self.0.push(Piece::Time(time));
        self
    }

    fn span(mut self, capture: &Capture, placed: &PlacedSpan) -> Self {
        self.0.push(Piece::Span(
            placed.span.id,
            capture.name(placed.span.name).to_owned(),
        ));
        self
    }
}

/// Why the span began when it did, as far as the capture shows it; nothing where it shows nothing.
pub fn explain(capture: &Capture, id: SpanId) -> Option<Vec<Piece>> {
    let placed = capture.span(id)?;
    if matches!(placed.span.state, State::Cancelled | State::Lost) {
        return fate(capture, &placed).map(|sentence| sentence.0);
    }
    let sentence = match placed.span.kind {
        SpanKind::EventWait => wait(capture, &placed),
        SpanKind::Synchronize => synchronize(capture, &placed)?,
        SpanKind::Hold => hold(capture, &placed)?,
        SpanKind::Join => join::join(capture, &placed),
        SpanKind::Stall => stall(capture, &placed),
        SpanKind::Call | SpanKind::HostWork | SpanKind::Scope | SpanKind::Step => return None,
        _ => queued(capture, &placed)?,
    };
    Some(sentence.0)
}

fn cause(capture: &Capture, effect: SpanId, kind: DependencyKind) -> Option<(PlacedSpan, u32)> {
    let ties = capture
        .causes(effect)
        .filter_map(|id| capture.dependency(id));
    let ties = ties.filter(|tie| tie.kind == kind);
    ties.filter_map(|tie| Some((capture.span(tie.cause)?, tie.generation)))
        .max_by_key(|(placed, _)| placed.span.end)
}

/// The name of a span's lane, to begin a sentence with.
pub(super) fn lane(capture: &Capture, placed: &PlacedSpan) -> String {
    capture
        .lane(placed.span.lane)
        .map_or_else(|| "its lane".to_owned(), |lane| lane.name.clone())
}

/// The last span before `placed` on its lane that did some work.
fn work_before(capture: &Capture, placed: &PlacedSpan) -> Option<PlacedSpan> {
    let mut before = std::iter::successors(capture.previous_span(placed.span.id), |&id| {
        capture.previous_span(id)
    });
    let works = |placed: &PlacedSpan| {
        !placed.span.kind.is_waiting() && placed.span.kind != SpanKind::EventRecord
    };
    // Records and waits stand in short runs; a longer search would say little and cost a frame.
    before
        .by_ref()
        .take(32)
        .filter_map(|id| capture.span(id))
        .find(works)
}

fn wait(capture: &Capture, placed: &PlacedSpan) -> Sentence {
    let stream = lane(capture, placed);
    let length = placed.interval().length();
    let Some((record, generation)) = cause(capture, placed.span.id, DependencyKind::Event) else {
        return Sentence::default().text(format!(
            "{stream} passed at once: the event had never been recorded when the wait was called, so there was \
             nothing to wait for"
        ));
    };
    let mut sentence = Sentence::default().text(stream);
    sentence = if record.span.end <= placed.span.start {
        sentence.text(" passed at once: ")
    } else {
        sentence
            .text(" stood still for ")
            .time(length)
            .text(": it waited for ")
    };
    sentence = sentence.span(capture, &record);
    sentence = sentence.text(format!(
        " (generation {generation}) on {}",
        lane(capture, &record)
    ));
    if record.span.end <= placed.span.start {
        return sentence
            .text(" had been reached ")
            .time(placed.span.start - record.span.end)
            .text(" before");
    }
    match work_before(capture, &record) {
        Some(work) => {
            let late = work.span.start.max(placed.span.start);
            let sentence = sentence
                .text(", which comes after ")
                .span(capture, &work)
                .text(", which ");
            if late > placed.span.start {
                sentence
                    .text("started ")
                    .time(work.span.start - placed.span.start)
                    .text(" into the wait")
            } else {
                sentence
                    .text("was still running for ")
                    .time(work.span.end - placed.span.start)
            }
        }
        None => sentence,
    }
}

fn synchronize(capture: &Capture, placed: &PlacedSpan) -> Option<Sentence> {
    let (last, _) = cause(capture, placed.span.id, DependencyKind::Synchronization)?;
    let sentence = Sentence::default().text(lane(capture, placed));
    let sentence = if last.span.end <= placed.span.start {
        sentence.text(" returned at once: ")
    } else {
        sentence
            .text(" was blocked for ")
            .time(placed.interval().length())
            .text(" until ")
    };
    let sentence = sentence
        .span(capture, &last)
        .text(format!(" on {}", lane(capture, &last)));
    Some(if last.span.end <= placed.span.start {
        sentence.text(" had ended")
    } else {
        sentence.text(" ended")
    })
}

fn hold(capture: &Capture, placed: &PlacedSpan) -> Option<Sentence> {
    let (signal, _) = cause(capture, placed.span.id, DependencyKind::Signal)?;
    let sentence = Sentence::default()
        .text(lane(capture, placed))
        .text(" was held for ");
    let sentence = sentence
        .time(placed.interval().length())
        .text(" until ")
        .span(capture, &signal);
    Some(sentence.text(format!(" on {}", lane(capture, &signal))))
}

fn stall(capture: &Capture, placed: &PlacedSpan) -> Sentence {
    let sentence = Sentence::default()
        .text(lane(capture, placed))
        .text(" stood still for ")
        .time(placed.interval().length());
    let Some((ready, _)) = cause(capture, placed.span.id, DependencyKind::Pipeline) else {
        return sentence.text(": the pipeline that the next launch needs was not ready");
    };
    let sentence = sentence
        .text(": the pipeline of the next launch was not ready before ")
        .span(capture, &ready)
        .text(format!(" on {}", lane(capture, &ready)));
    if ready.span.kind == SpanKind::Compile {
        return sentence
            .text(", which took ")
            .time(ready.interval().length());
    }
    sentence
}

/// Why an operation sat in its queue: because of the one before it on its stream.
fn queued(capture: &Capture, placed: &PlacedSpan) -> Option<Sentence> {
    if placed.queued() <= Nanos::ZERO {
        return None;
    }
    let before = capture
        .previous_span(placed.span.id)
        .and_then(|id| capture.span(id))?;
    let sentence = Sentence::default()
        .text("It was queued for ")
        .time(placed.queued());
    if before.span.end <= placed.span.enqueued {
        return Some(sentence.text(format!(
            ": {} was idle, so this is the cost of starting it",
            lane(capture, placed)
        )));
    }
    let sentence = sentence.text(format!("; {} runs in order, and", lane(capture, placed)));
    let sentence = sentence.text(if before.span.kind.is_waiting() {
        " it was held by "
    } else {
        " it came after "
    });
    let sentence = sentence.span(capture, &before);
    Some(
        sentence
            .text(", which ended ")
            .time(placed.span.start - before.span.end)
            .text(" before it began"),
    )
}
