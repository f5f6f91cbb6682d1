//! Sentences about operations that a loss or a failure took.

use std::borrow::Cow;

use super::sentence_piece::Sentence;
use capture::{Capture, PlacedSpan};
use record::time::Nanos;
use record::{DependencyKind, Group, LaneId, Loss, SpanId, SpanKind, State};

/// What became of an operation that was submitted at an instant and lost or cancelled: the loss that took it, or the problem that
/// tells of it, or that the capture does not tell. One that `waits` computes nothing.
pub(super) fn fate(
    capture: &Capture,
    placed: &PlacedSpan,
    (submitted, waits): (Nanos, bool),
) -> Sentence {
    let mut sentence = Sentence::default();
    let span = placed.span.id;
    if let Some(abort) = abort(capture, span) {
        sentence
            .text("It never ran: ")
            .span(capture, abort)
            .text(" dropped it with all that its stream held, ")
            .time(placed.span.start - submitted)
            .text(" after it was submitted");
    } else if let Some(loss) = loss(capture, placed) {
        taken(capture, placed, (submitted, waits), loss, &mut sentence);
    } else if let Some(problem) = problem(capture, placed.span.id) {
        sentence.text("It was cancelled: ").text(problem);
    } else {
        sentence.text(if placed.span.state == State::Lost {
            "It was lost with its device, and the capture does not tell when or why that was lost"
        } else {
            "It was cancelled and never ran: something before it failed, or the run was stopped; the capture does not tell \
             which"
        });
    }
    sentence
}

/// The call that aborted the stream of an operation and dropped or killed it.
pub(super) fn abort(capture: &Capture, span: SpanId) -> Option<SpanId> {
    let mut ties = capture.causes(span).filter_map(|id| capture.dependency(id));
    ties.find(|it| it.kind == DependencyKind::Abort)
        .map(|it| it.cause)
}

/// What the capture says is wrong with a span.
pub(super) fn problem(capture: &Capture, span: SpanId) -> Option<&str> {
    let mut problems = capture.problems().iter();
    let found = problems.find(|it| it.span == span)?;
    Some(&found.text)
}

fn taken(
    capture: &Capture,
    placed: &PlacedSpan,
    (submitted, waits): (Nanos, bool),
    loss: &Loss,
    sentence: &mut Sentence,
) {
    let span = &placed.span;
    let ran = loss.time - span.start;
    if span.state == State::Lost && span.end < loss.time {
        sentence
            .text("It was complete ")
            .time(loss.time - span.end)
            .text(" before the device was lost, and what it had begun is lost with that");
    } else if span.state == State::Lost && ran > Nanos::ZERO {
        let (did, then) = if waits {
            ("It had waited for ", " when the device was lost")
        } else {
            (
                "It had run for ",
                " when the device was lost: what it computed is lost with it",
            )
        };
        sentence.text(did).time(ran).text(then);
    } else if is_call(capture, placed) {
        let length = placed.interval().length();
        if length == Nanos::ZERO {
            sentence.text("It returned at once");
        } else {
            sentence.text("It returned after ").time(length);
        }
        sentence
            .text(": the device had been lost for ")
            .time((submitted - loss.time).max(Nanos::ZERO))
            .text(" when it was called");
    } else if span.start < span.end && span.state == State::Lost {
        sentence
            .text("It ran in vain: the device had been lost for ")
            .time(span.start - loss.time)
            .text(" when it began");
    } else if submitted <= loss.time {
        let place = lost_place(capture, span.lane);
        sentence
            .text(format!("It never started: {place} was lost "))
            .time(loss.time - submitted)
            .text(" after it was submitted");
    } else {
        sentence
            .text("It never started: the device had been lost for ")
            .time(submitted - loss.time)
            .text(" when it was submitted");
    }
    sentence.text(format!(" ({})", reason(loss)));
}

/// Why a device was lost, and which.
fn reason(loss: &Loss) -> String {
    let why = if loss.reason.is_empty() {
        loss.kind.label()
    } else {
        &loss.reason
    };
    format!("{why}, generation {}", loss.generation)
}

/// What a step follows from that nothing in the run brought about: the loss of the device, or its recovery since.
pub(super) fn from_outside(capture: &Capture, step: SpanId) -> Sentence {
    let mut sentence = Sentence::default();
    let placed = capture.span(step);
    let found = placed.and_then(|placed| Some((placed, loss(capture, &placed)?)));
    let from = match found {
        Some((placed, loss)) => {
            let mut recoveries = capture.recoveries().iter();
            let is_recovered = recoveries.any(|it| {
                it.device == loss.device && it.lost == loss.time && it.time <= placed.span.start
            });
            let what = if is_recovered { "recovery" } else { "loss" };
            format!("the {what} of the device ({})", reason(loss))
        }
        None => "the loss of a device".to_owned(),
    };
    sentence.text(format!(
        "It follows from {from}: no operation and no call had to come first"
    ));
    sentence
}

/// Whether a host thread made it itself, rather than running it for a stream.
fn is_call(capture: &Capture, placed: &PlacedSpan) -> bool {
    let lane = capture.lane(placed.span.lane);
    let is_function = placed.span.kind == SpanKind::HostFunction;
    lane.is_some_and(|it| it.group == Group::Host) && !is_function
}

/// What was lost where a lane was: a thread that takes callbacks is of no device.
fn lost_place(capture: &Capture, lane: LaneId) -> Cow<'_, str> {
    match capture.lane(lane).and_then(|it| it.device) {
        Some(_) => capture.lane_title(lane),
        None => "the device".into(),
    }
}

/// The loss of the span's device that can have taken it: the latest before its end, or the first after it, which took what an
/// instruction had handed over.
fn loss<'a>(capture: &'a Capture, placed: &PlacedSpan) -> Option<&'a Loss> {
    let device = capture.lane(placed.span.lane)?.device;
    let known = |loss: &&Loss| device.is_none_or(|device| device == loss.device);
    let before = |loss: &&Loss| loss.time <= placed.span.end.max(placed.span.enqueued);
    let losses = || capture.losses().iter().filter(known);
    let latest = losses().filter(before).max_by_key(|loss| loss.time);
    latest.or_else(|| {
        let is_lost = placed.span.state == State::Lost;
        let first = losses().min_by_key(|loss| loss.time);
        first.filter(|_| is_lost)
    })
}

#[cfg(test)]
mod tests {
    use super::super::sentence_piece::plain;
    use crate::causes::Causes;
    use capture::Capture;
    use record::time::Nanos;
    use record::{
        CallId, DeviceId, Group, Lane, LaneId, Loss, LossKind, NameId, Record, Role, Span, SpanId,
        SpanKind, State,
    };

    fn words(state: State, times: (i64, i64, i64)) -> String {
        let mut capture = Capture::new();
        capture.apply([
            Record::Lane(Box::new(Lane {
                id: LaneId(0),
                group: Group::Streams,
                device: Some(DeviceId(0)),
                role: Role::Compute,
                name: "compute".into(),
                order: 0,
                process: "".into(),
                thread: "".into(),
            })),
            Record::Loss(Box::new(Loss {
                device: DeviceId(0),
                time: Nanos(100),
                reason: "injected".into(),
                kind: LossKind::Unknown,
                generation: 1,
            })),
            Record::Span(Span {
                id: SpanId(0),
                lane: LaneId(0),
                name: NameId(0),
                call: CallId::NONE,
                kind: SpanKind::Kernel,
                state,
                enqueued: Nanos(times.0),
                start: Nanos(times.1),
                end: Nanos(times.2),
            }),
        ]);
        let causes = Causes::build(&capture);
        let pieces = causes.read(&capture).sentence(SpanId(0)).unwrap();
        plain(&pieces)
    }

    #[test]
    fn a_loss_takes_what_ran_and_what_did_not() {
        let ran = words(State::Lost, (10, 60, 100));
        assert!(ran.starts_with("It had run for 40 ns"), "{ran}");
        let queued = words(State::Cancelled, (80, 100, 100));
        assert!(
            queued.starts_with("It never started: compute was lost 20 ns after it was submitted"),
            "{queued}"
        );
        let done = words(State::Lost, (10, 20, 60));
        assert!(
            done.starts_with("It was complete 40 ns before the device was lost"),
            "{done}"
        );
        let late = words(State::Cancelled, (130, 130, 130));
        assert!(late.contains("had been lost for 30 ns"), "{late}");
        assert!(late.ends_with("(injected, generation 1)"), "{late}");
    }
}
