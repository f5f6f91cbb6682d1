//! Sentences about operations that a loss or a failure took.

use super::explain::{Sentence, lane};
use crate::capture::{Capture, PlacedSpan};
use crate::record::{Loss, State};
use crate::time::Nanos;

/// What became of an operation that did not run to its end; nothing where no loss explains it.
pub(super) fn fate(capture: &Capture, placed: &PlacedSpan) -> Option<Sentence> {
    let loss = loss(capture, placed)?;
    let span = &placed.span;
    let ran = loss.time - span.start;
    let why = if loss.reason.is_empty() {
        loss.kind.label()
    } else {
        &loss.reason
    };
    let sentence = if span.state == State::Lost && ran > Nanos::ZERO {
        Sentence::default()
            .text("It had run for ")
            .time(ran)
            .text(" when the device was lost: what it computed is lost with it")
    } else if span.enqueued <= loss.time {
        Sentence::default()
            .text(format!(
                "It never started: {} was lost ",
                lane(capture, placed)
            ))
            .time(loss.time - span.enqueued)
            .text(" after it was enqueued")
    } else {
        Sentence::default()
            .text("It never started: the device had been lost for ")
            .time(span.enqueued - loss.time)
            .text(" when it was enqueued")
    };
    Some(sentence.text(format!(" ({why}, generation {})", loss.generation)))
}

/// The latest loss of the span's device that can have taken it.
fn loss<'a>(capture: &'a Capture, placed: &PlacedSpan) -> Option<&'a Loss> {
    let device = capture.lane(placed.span.lane)?.device;
    let known = |loss: &&Loss| device.is_none_or(|device| device == loss.device);
    let before = |loss: &&Loss| loss.time <= placed.span.end.max(placed.span.enqueued);
    let losses = capture.losses().iter();
    losses
        .filter(known)
        .filter(before)
        .max_by_key(|loss| loss.time)
}

#[cfg(test)]
mod tests {
    use crate::analysis::{Piece, explain};
    use crate::capture::Capture;
    use crate::record::{
        CallId, DeviceId, Group, Lane, LaneId, Loss, LossKind, NameId, Record, Role, Span, SpanId,
        SpanKind, State,
    };
    use crate::time::Nanos;

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
                process: String::new(),
                thread: String::new(),
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
        let pieces = explain(&capture, SpanId(0)).unwrap();
        let words = pieces.into_iter().map(|piece| match piece {
            Piece::Text(words) | Piece::Span(_, words) => words,
            Piece::Time(time) => time.to_string(),
        });
        words.collect()
    }

    #[test]
    fn a_loss_takes_what_ran_and_what_did_not() {
        let ran = words(State::Lost, (10, 60, 100));
        assert!(ran.starts_with("It had run for 40 ns"), "{ran}");
        let queued = words(State::Cancelled, (80, 100, 100));
        assert!(
            queued.starts_with("It never started: compute was lost 20 ns after it was enqueued"),
            "{queued}"
        );
        let late = words(State::Cancelled, (130, 130, 130));
        assert!(late.contains("had been lost for 30 ns"), "{late}");
        assert!(late.ends_with("(injected, generation 1)"), "{late}");
    }
}
