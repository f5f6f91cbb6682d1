//! What each wait of a stream and of a host thread waited for, as far as the file says or its order allows.

use super::SqliteDraft;
use super::event::{SqliteEvents, SqliteRecord};
use crate::importer::Receipt;
use crate::submission::{
    ReturnedCalls, StreamWaitLists, SubmissionFrontier, SubmissionStream, SubmittedOperation,
    SubmittedOperations, weaker,
};
use record::{Basis, Dependency, DependencyKind, EventId, Severity, SpanId, WAITS_UNTOLD, counted};

/// What waits for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::importer) enum SqliteWaitTarget {
    /// A stream, for an event.
    Stream(SubmissionStream, WaitedEvent),
    /// A host thread, for an event.
    HostForEvent(WaitedEvent),
    /// A host thread, for all that was submitted to a stream.
    HostForStream(SubmissionStream),
    /// A host thread, for all that was submitted to a context, or in the process where none is named.
    HostForAll(Option<i64>),
}

impl SqliteWaitTarget {
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
pub(in crate::importer) struct WaitedEvent {
    pub id: EventId,
    pub tie: Option<i64>,
}

/// A wait as the file tells it.
#[derive(Clone, Copy, Debug)]
pub(in crate::importer) struct SqliteWait {
    pub process: i64,
    /// The number of the call.
    pub order: i64,
    /// The call.
    pub call: SpanId,
    /// When it began and returned, where that is known.
    pub times: Option<(i64, i64)>,
    /// How it is known that this call waits for that.
    pub basis: Basis,
    pub waits: SqliteWaitTarget,
    /// The wait as a span of its stream, in a file without work that it could hold back.
    pub own: Option<SpanId>,
    /// Where the record of the event is not in the file: the operation after which it was probably recorded.
    pub guess: Option<(SubmissionStream, SubmittedOperation)>,
}

/// What became of the waits, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::importer) struct SqliteWaitOutcome {
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
    /// Calls that make a stream wait, without a row of what for.
    pub left_out: u64,
}

impl SqliteWaitOutcome {
    /// Says so as a problem of the capture where waits do not say what they are for; the receipt counts them by sort.
    fn complain(&self, draft: &mut SqliteDraft<'_, '_>) {
        let count = self.unknown + self.passed + self.left_out;
        if count > 0 {
            let words = "{wait of a stream does|waits of streams do} not say what {it is|they are} for in this file.";
            draft
                .sink
                .complain(Severity::Info, WAITS_UNTOLD, counted(count, words));
        }
    }

    /// Says in the receipt what became of waits that are not drawn.
    pub fn tell(&self, receipt: &mut Receipt) {
        let said = [
            (
                self.guessed,
                "{wait of a stream is|waits of streams are} drawn by the order of calls alone, as inferred",
            ),
            (
                self.unknown,
                "{wait of a stream is|waits of streams are} for an event of which no record is in the file",
            ),
            (
                self.idle,
                "{wait is of a stream|waits are of streams} to which nothing was submitted after; {a stream that ran nothing has|those that ran nothing have} no lane",
            ),
            (
                self.own,
                "{wait is|waits are} for what was recorded on the same stream, whose order says it already",
            ),
            (
                self.passed,
                "{wait is for a record|waits are for records} before which the file holds nothing; what {it|they} waited for, if anything, lies before it",
            ),
            (
                self.left_out,
                "{call that makes|calls that make} a stream wait {has|have} no row that says what {it waits|they wait} for",
            ),
            (
                self.blind,
                "{host wait is|host waits are} for an event of which no record is in the file",
            ),
        ];
        receipt.note_counts(said);
    }
}

/// Ties every wait to what it waited for; beside them are so many of which the file has no row.
pub(in crate::importer) fn resolve(
    (waits, left_out): (&mut [SqliteWait], u64),
    events: &SqliteEvents,
    operations: &SubmittedOperations,
    draft: &mut SqliteDraft<'_, '_>,
) -> SqliteWaitOutcome {
    waits.sort_by_key(|wait| (wait.process, wait.order));
    let marks = events.marks();
    let mut resolver = WaitResolver {
        events,
        operations,
        marks: &marks,
        waited: StreamWaitLists::default(),
        outcome: SqliteWaitOutcome {
            left_out,
            ..SqliteWaitOutcome::default()
        },
    };
    let mut returned = ReturnedCalls::default();
    for wait in waits.iter() {
        match wait.waits {
            SqliteWaitTarget::Stream(stream, event) => resolver.stream(wait, stream, event, draft),
            SqliteWaitTarget::HostForEvent(event) => resolver.host_for_event(wait, event, draft),
            SqliteWaitTarget::HostForStream(stream) => {
                let captured = resolver.waited.at(operations, stream, wait.order);
                for (_, last, known) in captured {
                    let basis = weaker(wait.basis, known);
                    draft.receipt.inferred += u64::from(basis == Basis::Inferred);
                    draft.depends(Dependency {
                        basis,
                        ..host(wait, last.span, EventId::NONE, 0)
                    });
                }
            }
            SqliteWaitTarget::HostForAll(context) => {
                let scope = (wait.process, context);
                let before = returned.before(scope, (wait.order, wait.times));
                let between = (before, wait.order);
                for (_, last) in operations.all_between(wait.process, context, between) {
                    draft.receipt.inferred += u64::from(wait.basis == Basis::Inferred);
                    draft.depends(host(wait, last.span, EventId::NONE, 0));
                }
                for (_, last, known) in resolver.waited.beyond(operations, scope, between) {
                    let basis = weaker(wait.basis, known);
                    draft.receipt.inferred += u64::from(basis == Basis::Inferred);
                    draft.depends(Dependency {
                        basis,
                        ..host(wait, last.span, EventId::NONE, 0)
                    });
                }
            }
        }
    }
    resolver.outcome.complain(draft);
    resolver.outcome
}

/// What waits are tied by.
struct WaitResolver<'a> {
    events: &'a SqliteEvents,
    operations: &'a SubmittedOperations,
    /// Records that are spans of their streams.
    marks: &'a SubmittedOperations,
    waited: StreamWaitLists,
    outcome: SqliteWaitOutcome,
}

impl WaitResolver<'_> {
    /// A wait of a stream: what its event's record captured holds back what comes next on the stream. A stream without work
    /// passes it on to whoever waits for that stream.
    fn stream(
        &mut self,
        wait: &SqliteWait,
        stream: SubmissionStream,
        event: WaitedEvent,
        draft: &mut SqliteDraft<'_, '_>,
    ) {
        self.outcome.waits += 1;
        let record = self
            .events
            .waited_for(event.id, wait.process, event.tie, wait.order);
        let (mut captured, generation, basis) = match (record, wait.guess) {
            (Some((record, basis)), _) => {
                let basis = weaker(wait.basis, basis);
                (self.captured(&record), record.generation, basis)
            }
            (None, Some((source, last))) => {
                let captured = (source, last, Basis::Inferred);
                (SubmissionFrontier::from([captured]), 0, Basis::Inferred)
            }
            (None, None) => {
                let next = self.next(wait, stream);
                *if next.is_some() {
                    &mut self.outcome.unknown
                } else {
                    &mut self.outcome.idle
                } += 1;
                return;
            }
        };
        for it in &mut captured {
            it.2 = weaker(basis, it.2);
        }
        self.waited
            .wait(self.operations, (stream, wait.order), &captured);
        let Some(effect) = self.next(wait, stream) else {
            self.outcome.idle += 1;
            return;
        };
        let record = record.map(|it| it.0);
        let source = record.map(|it| it.stream);
        let work = captured.iter().filter(|(on, ..)| *on != stream);
        let causes: Vec<(SpanId, Basis)> = match record.and_then(|it| it.span) {
            _ if source == Some(stream) => Vec::new(),
            Some(mark) => vec![(mark, basis)],
            None => work.map(|(_, it, known)| (it.span, *known)).collect(),
        };
        let is_guess = basis == Basis::Inferred || causes.iter().all(|it| it.1 == Basis::Inferred);
        *match () {
            () if causes.is_empty() && (source == Some(stream) || !captured.is_empty()) => {
                &mut self.outcome.own
            }
            () if causes.is_empty() => &mut self.outcome.passed,
            () if is_guess => &mut self.outcome.guessed,
            () => &mut self.outcome.drawn,
        } += 1;
        for (cause, basis) in causes {
            draft.receipt.inferred += u64::from(basis == Basis::Inferred);
            draft.depends(Dependency {
                cause,
                effect,
                kind: DependencyKind::Event,
                basis,
                event: event.id,
                generation,
            });
        }
    }

    fn host_for_event(
        &mut self,
        wait: &SqliteWait,
        event: WaitedEvent,
        draft: &mut SqliteDraft<'_, '_>,
    ) {
        let record = self
            .events
            .waited_for(event.id, wait.process, event.tie, wait.order);
        self.outcome.blind += u64::from(record.is_none());
        let Some((record, basis)) = record else {
            return;
        };
        let basis = weaker(wait.basis, basis);
        let causes: Vec<(SpanId, Basis)> = if let Some(span) = record.span {
            vec![(span, basis)]
        } else {
            let captured = self.captured(&record).into_iter();
            captured
                .map(|(_, it, known)| (it.span, weaker(basis, known)))
                .collect()
        };
        for (cause, basis) in causes {
            draft.receipt.inferred += u64::from(basis == Basis::Inferred);
            draft.depends(Dependency {
                basis,
                ..host(wait, cause, event.id, record.generation)
            });
        }
    }

    /// What a record captured.
    fn captured(&self, record: &SqliteRecord) -> SubmissionFrontier {
        self.waited.at(self.operations, record.stream, record.order)
    }

    /// What a wait of a stream holds back: the wait itself where it is a span, or what comes next, a record as well.
    fn next(&self, wait: &SqliteWait, stream: SubmissionStream) -> Option<SpanId> {
        let after = |all: &SubmittedOperations| all.after(stream, wait.order);
        let next = after(self.operations).into_iter().chain(after(self.marks));
        wait.own
            .or_else(|| Some(next.min_by_key(|it| it.order)?.span))
    }
}

/// A host thread that blocked until an operation ended.
fn host(wait: &SqliteWait, cause: SpanId, event: EventId, generation: u32) -> Dependency {
    Dependency {
        cause,
        effect: wait.call,
        kind: DependencyKind::Synchronization,
        basis: wait.basis,
        event,
        generation,
    }
}
