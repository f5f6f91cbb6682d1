//! Waits of streams for events that the file tells: with the record, or with the stream alone.

use std::collections::BTreeMap;

use super::order::Order;
use super::{Ties, rests_on};
use crate::importer::Sink;
use crate::importer::chrome::build::Builder;
use crate::importer::chrome::scan::{Token, words};
use crate::importer::chrome::work::Detail;
use crate::record::{Basis, Dependency, DependencyKind, Event, EventId, Record};

/// How no stream is written, besides not at all.
const NO_STREAM: i64 = 0xFFFF_FFFF;

/// The events that waits name, and the records of each.
#[derive(Default)]
struct Events {
    known: BTreeMap<i64, (EventId, Vec<i64>)>,
}

impl Events {
    fn of(builder: &mut Builder, sink: &mut Sink<'_>) -> Self {
        let mut events = Self::default();
        for detail in &builder.work.details {
            let event = detail.wait_event.filter(|it| *it >= 0 && *it != NO_STREAM);
            if let (Some(event), Some(record)) = (event, record(detail)) {
                let next = EventId(events.known.len() as u32);
                let entry = events.known.entry(event);
                entry.or_insert_with(|| (next, Vec::new())).1.push(record);
            }
        }
        for (_, records) in events.known.values_mut() {
            records.sort_unstable();
            records.dedup();
        }
        for (number, (id, _)) in &events.known {
            let text = builder.texts.add(&format!("event {number}"));
            let (id, name) = (*id, builder.texts.name(text, sink));
            let timing = false;
            sink.push(Record::Event(Event { id, name, timing }));
        }
        events
    }

    /// The event that a wait names, and which of its records it was, as far as the file tells.
    fn find(&self, detail: &Detail) -> (EventId, u32) {
        let known = detail.wait_event.and_then(|it| self.known.get(&it));
        let found = known.zip(record(detail)).map(|((id, records), record)| {
            (*id, records.partition_point(|it| *it <= record) as u32)
        });
        found.unwrap_or((EventId::NONE, 0))
    }
}

fn record(detail: &Detail) -> Option<i64> {
    detail.wait_record.filter(|it| *it > 0)
}

pub(super) fn stream(number: Option<i64>) -> Option<Token> {
    number
        .filter(|it| *it >= 0 && *it != NO_STREAM)
        .map(Token::Number)
}

/// Ties the first work after each wait to the last work before the record that it waited for.
pub(super) fn tie(builder: &mut Builder, order: &Order, ties: &mut Ties, sink: &mut Sink<'_>) {
    let events = Events::of(builder, sink);
    let waits: Vec<Detail> = builder
        .work
        .details
        .iter()
        .copied()
        .filter(|it| it.name == words::STREAM_WAIT)
        .collect();
    for wait in waits {
        ties.waits += 1;
        let text = tie_one(builder, order, &events, &wait, ties, sink);
        rests_on(builder, wait.span, text, sink);
    }
}

fn tie_one(
    builder: &Builder,
    order: &Order,
    events: &Events,
    wait: &Detail,
    ties: &mut Ties,
    sink: &mut Sink<'_>,
) -> &'static str {
    let (Some(on), Some(from)) = (stream(wait.stream), stream(wait.wait_stream)) else {
        ties.unresolved += 1;
        return "nothing: the file names no stream that it waited for";
    };
    let (on, from) = ((wait.process, on), (wait.process, from));
    if !order.ran(on) || !order.ran(from) {
        ties.ghosts += 1;
        return "nothing: one of the two streams ran nothing in this file";
    }
    let call = wait.correlation.and_then(|it| builder.work.of(it));
    let called = call.map_or(wait.start, |it| it.start);
    let recorded = record(wait).map(|it| builder.work.of(it).map(|call| call.start));
    let (instant, basis, text) = match recorded {
        Some(Some(instant)) => (
            instant,
            Basis::Enforced,
            "the stream and the record that the file names",
        ),
        Some(None) => {
            ties.unresolved += 1;
            return "nothing: the record lies outside of what was captured";
        }
        None => (
            called,
            Basis::Inferred,
            "the stream that the file names; which record is concluded from the order of calls",
        ),
    };
    let (Some(cause), Some(effect)) = (
        order.last_before(from, instant),
        order.first_after(on, called),
    ) else {
        ties.unresolved += 1;
        return "nothing: no work lies before the record, or none after the wait";
    };
    if on == from {
        return "the order of its own stream, which needs no wait";
    }
    let (event, generation) = events.find(wait);
    ties.tie_by(
        Dependency {
            cause: cause.span,
            effect: effect.span,
            kind: DependencyKind::Event,
            basis,
            event,
            generation,
        },
        sink,
    );
    text
}
