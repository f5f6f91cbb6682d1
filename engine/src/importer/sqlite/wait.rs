//! What each wait of a stream and of a host thread waited for, as far as the file says or its order allows.

use std::collections::HashMap;

use super::Draft;
use super::event::Events;
use super::order::{Operation, Operations, Stream};
use crate::importer::Receipt;
use crate::record::{Basis, Dependency, DependencyKind, EventId, SpanId};

/// What waits for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::importer) enum Waits {
    /// A stream, for an event.
    Stream(Stream, Event),
    /// A host thread, for an event.
    HostForEvent(Event),
    /// A host thread, for all that was submitted to a stream.
    HostForStream(Stream),
    /// A host thread, for all that was submitted to a context, or in the process where none is named.
    HostForAll(Option<i64>),
}

impl Waits {
    /// What a wait is called of which the call is not known.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Stream(..) => "Stream wait event",
            Self::HostForEvent(_) => "Event synchronize",
            Self::HostForStream(_) => "Stream synchronize",
            Self::HostForAll(_) => "Context synchronize",
        }
    }
}

/// An event, and the number that ties a wait to one record of it, where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::importer) struct Event {
    pub id: EventId,
    pub tie: Option<i64>,
}

/// A wait as the file tells it.
#[derive(Clone, Copy, Debug)]
pub(in crate::importer) struct Wait {
    pub process: i64,
    /// The number of the call.
    pub order: i64,
    /// The call.
    pub call: SpanId,
    /// How it is known that this call waits for that.
    pub basis: Basis,
    pub waits: Waits,
    /// The wait as a span of its stream, in a file without work that it could hold back.
    pub own: Option<SpanId>,
    /// Where the record of the event is not in the file: the operation after which it was probably recorded.
    pub guess: Option<(Stream, Operation)>,
}

/// What became of the waits, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::importer) struct Outcome {
    /// Waits of streams that the file has.
    pub waits: u64,
    /// Drawn by what the file says.
    pub drawn: u64,
    /// Drawn by the order of calls alone.
    pub guessed: u64,
    /// The record is not in the file, and its order says nothing either.
    pub unknown: u64,
    /// Recorded on the stream that waits: its own order says the same.
    pub own: u64,
    /// Nothing was submitted before the record: the wait passed at once.
    pub passed: u64,
    /// Nothing was submitted to the stream after the wait.
    pub idle: u64,
    /// Host waits of which the file does not say what they waited for.
    pub blind: u64,
}

impl Outcome {
    /// Says in the receipt what became of waits that are not drawn.
    pub fn tell(&self, receipt: &mut Receipt) {
        let said = [
            (
                self.guessed,
                "waits of streams are drawn by the order of calls alone, as inferred",
            ),
            (
                self.unknown,
                "waits of streams are for an event of which no record is in the file",
            ),
            (
                self.idle,
                "waits are of streams to which nothing was submitted after; those that ran nothing have no lane",
            ),
            (
                self.own,
                "waits are for what was recorded on the same stream, whose order says it already",
            ),
            (
                self.passed,
                "waits are for records before which nothing was submitted; they passed at once",
            ),
            (
                self.blind,
                "host waits are for an event of which no record is in the file",
            ),
        ];
        for (count, words) in said.into_iter().filter(|(count, _)| *count > 0) {
            receipt.note(format!("{count} {words}."));
        }
    }
}

/// Ties every wait to what it waited for.
pub(in crate::importer) fn resolve(
    waits: &mut [Wait],
    events: &Events,
    operations: &Operations,
    draft: &mut Draft<'_, '_>,
) -> Outcome {
    waits.sort_by_key(|wait| (wait.process, wait.order));
    let mut outcome = Outcome::default();
    let mut waited = HashMap::new();
    for wait in waits.iter() {
        match wait.waits {
            Waits::Stream(stream, event) => {
                outcome.waits += 1;
                let found = held_back(wait, stream, event, events, operations);
                found.count(&mut outcome);
                if let Held::By(dependency) = found {
                    draft.receipt.inferred += u64::from(dependency.basis == Basis::Inferred);
                    draft.depends(dependency);
                }
            }
            Waits::HostForEvent(event) => {
                let record = events.waited_for(event.id, wait.process, event.tie, wait.order);
                outcome.blind += u64::from(record.is_none());
                if let Some(record) = record {
                    let last = operations
                        .before(record.stream, record.order)
                        .map(|it| it.span);
                    if let Some(cause) = record.span.or(last) {
                        let generation = record.generation;
                        draft.depends(host(wait, cause, event.id, generation));
                    }
                }
            }
            Waits::HostForStream(stream) => {
                if let Some(last) = operations.before(stream, wait.order) {
                    draft.depends(host(wait, last.span, EventId::NONE, 0));
                }
            }
            Waits::HostForAll(context) => {
                let before = waited.insert((wait.process, context), wait.order);
                // What an earlier wait for everything has seen end is no longer waited for.
                let between = (before, wait.order);
                for (_, last) in operations.all_between(wait.process, context, between) {
                    draft.receipt.inferred += u64::from(wait.basis == Basis::Inferred);
                    draft.depends(host(wait, last.span, EventId::NONE, 0));
                }
            }
        }
    }
    outcome
}

/// What holds a stream back.
enum Held {
    By(Dependency),
    Unknown,
    Own,
    Passed,
    Idle,
}

impl Held {
    fn count(&self, outcome: &mut Outcome) {
        *match self {
            Self::By(dependency) if dependency.basis == Basis::Inferred => &mut outcome.guessed,
            Self::By(_) => &mut outcome.drawn,
            Self::Unknown => &mut outcome.unknown,
            Self::Own => &mut outcome.own,
            Self::Passed => &mut outcome.passed,
            Self::Idle => &mut outcome.idle,
        } += 1;
    }
}

fn held_back(
    wait: &Wait,
    stream: Stream,
    event: Event,
    events: &Events,
    operations: &Operations,
) -> Held {
    let next = || operations.after(stream, wait.order).map(|it| it.span);
    let Some(next) = wait.own.or_else(next) else {
        return Held::Idle;
    };
    let record = events.waited_for(event.id, wait.process, event.tie, wait.order);
    let (source, cause, generation, basis) = match (record, wait.guess) {
        (Some(record), _) => {
            let last = operations
                .before(record.stream, record.order)
                .map(|it| it.span);
            (
                record.stream,
                record.span.or(last),
                record.generation,
                wait.basis,
            )
        }
        (None, Some((source, last))) => (source, Some(last.span), 0, Basis::Inferred),
        (None, None) => return Held::Unknown,
    };
    match cause {
        _ if source == stream => Held::Own,
        None => Held::Passed,
        Some(cause) => Held::By(Dependency {
            cause,
            effect: next,
            kind: DependencyKind::Event,
            basis,
            event: event.id,
            generation,
        }),
    }
}

/// A host thread that blocked until an operation ended.
fn host(wait: &Wait, cause: SpanId, event: EventId, generation: u32) -> Dependency {
    Dependency {
        cause,
        effect: wait.call,
        kind: DependencyKind::Synchronization,
        basis: wait.basis,
        event,
        generation,
    }
}
