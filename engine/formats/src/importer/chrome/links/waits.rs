//! Waits of streams for events that the file tells: with the record, or with the stream alone.

use std::collections::BTreeMap;

use super::DependencySummary;
use super::commands::called;
use super::frontier::ChromeFrontier;
use super::order::{ChromeStream, LaunchOrder};
use crate::importer::RecordSink;
use crate::importer::chrome::build::ChromeBuilder;
use crate::importer::chrome::scan::RowToken;
use crate::importer::chrome::work::{ChromeOperation, SyncDetail};
use crate::submission::weaker;
use record::{Basis, Dependency, DependencyKind, Event, EventId, NameId, Record};

/// How no stream is written, besides not at all.
const NO_STREAM: i64 = 0xFFFF_FFFF;

/// The events that waits name, and the records of each.
#[derive(Default)]
pub(super) struct WaitEvents {
    known: BTreeMap<i64, (EventId, Vec<i64>)>,
}

impl WaitEvents {
    /// Announces the events that waits name.
    pub fn of(builder: &mut ChromeBuilder, sink: &mut RecordSink<'_>) -> Self {
        let mut events = Self::default();
        for detail in &builder.work.details {
            let event = detail.wait_event.filter(|it| *it >= 0 && *it != NO_STREAM);
            if let (Some(event), Some(record)) = (event, record_number(detail)) {
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
            sink.push(Record::Event(Event {
                id,
                name,
                timing,
                options: NameId::NONE,
            }));
        }
        events
    }

    /// The event that a wait names, and which of its records it was, as far as the file tells.
    fn find(&self, detail: &SyncDetail) -> (EventId, u32) {
        let known = detail.wait_event.and_then(|it| self.known.get(&it));
        let found = known
            .zip(record_number(detail))
            .map(|((id, records), record)| {
                (*id, records.partition_point(|it| *it <= record) as u32)
            });
        found.unwrap_or((EventId::NONE, 0))
    }
}

/// How it is known which record a wait is for.
pub(super) fn basis(wait: &SyncDetail) -> Basis {
    if record_number(wait).is_some() {
        Basis::Enforced
    } else {
        Basis::Inferred
    }
}

/// The number of the record that a wait names.
pub(super) fn record_number(detail: &SyncDetail) -> Option<i64> {
    detail.wait_record.filter(|it| *it > 0)
}

/// A stream by its number; nothing where it stands for none.
pub(super) fn stream(number: Option<i64>) -> Option<RowToken> {
    number
        .filter(|it| *it >= 0 && *it != NO_STREAM)
        .map(RowToken::Number)
}

/// Ties the first work after a wait to what the record that it waited for had captured, and says what that rests on.
pub(super) fn tie_wait(
    builder: &ChromeBuilder,
    order: &LaunchOrder,
    events: &WaitEvents,
    (wait, record, captured): (
        &SyncDetail,
        Option<(ChromeStream, Basis)>,
        Option<&ChromeFrontier>,
    ),
    ties: &mut DependencySummary,
    sink: &mut RecordSink<'_>,
) -> &'static str {
    let (Some(on), Some((from, placed))) = (stream(wait.stream), record) else {
        ties.unnamed += 1;
        return "nothing: the file names neither a record nor a stream that it waited for";
    };
    let on = (wait.process, on);
    // What its own stream had waited for before that record is told by the record as well.
    let beside = captured.is_some_and(|it| it.keys().any(|stream| *stream != on));
    if on == from && !beside {
        return "the order of its own stream, which needs no wait";
    }
    let Some(captured) = captured else {
        ties.unresolved += 1;
        return "nothing: the record lies outside of what was captured";
    };
    let effect = order.first_after(on, called(builder, wait));
    let causes: Vec<(&ChromeOperation, Basis)> = captured
        .iter()
        .filter(|(stream, _)| **stream != on)
        .filter_map(|(_, work)| Some((order.get(work.place)?, work.basis)))
        .collect();
    if effect.is_none() && order.ran(on) && !causes.is_empty() {
        return "nothing: its stream ran nothing after it in this file";
    }
    let (Some(effect), false) = (effect, causes.is_empty()) else {
        if !order.ran(on) || !order.ran(from) {
            ties.ghosts += 1;
            return "nothing: one of the two streams ran nothing in this file";
        }
        ties.unresolved += 1;
        return "nothing: no work lies before the record, or none after the wait";
    };
    let text = match (basis(wait), placed) {
        (Basis::Enforced, Basis::Enforced) => "the stream and the record that the file names",
        (Basis::Enforced, _) => {
            "the record that the file names, on the only stream of the number that it names, which is another device's"
        }
        _ => "the stream that the file names; which record is concluded from the order of calls",
    };
    let basis = weaker(basis(wait), placed);
    let (event, generation) = events.find(wait);
    for (cause, captured) in causes {
        ties.tie_by(
            Dependency {
                cause: cause.span,
                effect: effect.span,
                kind: DependencyKind::Event,
                basis: weaker(basis, captured),
                event,
                generation,
            },
            sink,
        );
    }
    text
}
