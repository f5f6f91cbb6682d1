//! What each wait of a stream and of a host thread waited for.

use super::draft::ActivityDraft;
use super::event::{ActivityEventKey, ActivityEvents, MatchedRecord};
use super::tally::ActivityTally;
use crate::submission::{
    ReturnedCalls, StreamWaitLists, SubmissionFrontier, SubmissionStream, SubmittedOperations,
    weaker,
};
use record::{Basis, Dependency, DependencyKind, EventId, SpanId};

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ActivityWaitTarget {
    /// A stream waits for an event.
    ByStream(SubmissionStream, EventOccurrence),
    /// A host thread waits for an event.
    Event(EventOccurrence),
    /// A host thread waits for all that was submitted to a stream.
    Stream(SubmissionStream),
    /// A host thread waits for all that was submitted to a context.
    Context(u32),
}

/// An event, and the number of one record of it, where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EventOccurrence {
    pub key: ActivityEventKey,
    pub id: EventId,
    pub tie: Option<u64>,
}

/// A wait that was told of.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActivityWait {
    /// The number of the call.
    pub order: u32,
    /// The call.
    pub call: SpanId,
    /// When the call began and returned.
    pub times: (u64, u64),
    pub awaited: ActivityWaitTarget,
    /// From which flush on it is looked at.
    pub due: u64,
    /// Whether it was looked at before, and nothing came after it yet.
    pub is_idle: bool,
}

/// Waits that were told of and are not tied yet.
#[derive(Debug, Default)]
pub(super) struct ActivityWaits {
    open: Vec<ActivityWait>,
    /// Calls that waited for everything in a context.
    returned: ReturnedCalls,
    /// What streams wait for, which they pass on to who waits for them.
    waited: StreamWaitLists,
}

/// What became of a wait.
enum WaitOutcome {
    Tied(Vec<Dependency>),
    /// The record is not known.
    Unknown,
    /// Recorded on the stream that waits: its own order says the same.
    Own,
    /// Nothing was submitted before the record: it passed at once.
    Passed,
    /// Nothing was submitted to the stream after it, so far.
    Idle,
}

impl ActivityWaits {
    /// Notes a wait.
    pub fn add(&mut self, wait: ActivityWait) {
        self.open.push(wait);
    }

    /// Ties the waits that are due by `flush`; all of them where nothing more comes.
    pub fn resolve(
        &mut self,
        flush: Option<u64>,
        events: &ActivityEvents,
        operations: &SubmittedOperations,
        draft: &mut ActivityDraft,
    ) {
        let is_due = |wait: &ActivityWait| flush.is_none_or(|flush| wait.due <= flush);
        self.open.sort_by_key(|wait| wait.order);
        if !self.open.iter().any(is_due) {
            return;
        }
        for wait in std::mem::take(&mut self.open) {
            if !is_due(&wait) {
                // What it waits for may only now be known to whom it is passed on.
                if let (true, ActivityWaitTarget::ByStream(stream, occasion)) =
                    (wait.is_idle, wait.awaited)
                {
                    let found = events.waited_for(occasion.key, occasion.tie, wait.order);
                    if let Some(found) = found {
                        self.pass_on(&wait, stream, &found, operations);
                    }
                }
                self.open.push(wait);
                continue;
            }
            let (outcome, is_of_stream) = match wait.awaited {
                ActivityWaitTarget::Context(context) => {
                    self.everything(&wait, context, operations, draft);
                    continue;
                }
                ActivityWaitTarget::ByStream(stream, occasion) => {
                    let outcome = self.held_back(&wait, stream, occasion, events, operations);
                    (outcome, true)
                }
                ActivityWaitTarget::Event(occasion) => {
                    (self.blocked(&wait, occasion, events, operations), false)
                }
                ActivityWaitTarget::Stream(stream) => {
                    let all = self.waited.at(operations, stream, i64::from(wait.order));
                    (host_all(&wait, &all, None, Basis::Enforced), false)
                }
            };
            match (outcome, flush) {
                // It is looked at again, ever more rarely.
                (WaitOutcome::Idle, Some(flush)) => self.open.push(ActivityWait {
                    due: flush + (flush - wait.due).max(1) * 2,
                    is_idle: true,
                    ..wait
                }),
                (outcome, _) => count(outcome, is_of_stream, draft),
            }
        }
    }

    /// Ties a wait for all of a context to the last operation of each of its streams, and to what those wait for in other
    /// contexts. What an earlier one has seen end is no longer waited for.
    fn everything(
        &mut self,
        wait: &ActivityWait,
        context: u32,
        operations: &SubmittedOperations,
        draft: &mut ActivityDraft,
    ) {
        let order = i64::from(wait.order);
        let times = (wait.times.0 as i64, wait.times.1 as i64);
        let (process, context) = (0, Some(i64::from(context)));
        let before = self
            .returned
            .before((process, context), (order, Some(times)));
        for (_, last) in operations.all_before(process, context, order) {
            if before.is_none_or(|before| !before.has_seen(&last)) {
                tie(host(wait, last.span, None, Basis::Enforced), draft);
            }
        }
        for (_, last, basis) in self
            .waited
            .beyond(operations, (process, context), (before, order))
        {
            tie(host(wait, last.span, None, basis), draft);
        }
    }

    /// What holds a stream back: the record of the event where it has a span, or else what it captured. A stream to which nothing
    /// is submitted after passes it on.
    fn held_back(
        &mut self,
        wait: &ActivityWait,
        stream: SubmissionStream,
        occasion: EventOccurrence,
        events: &ActivityEvents,
        operations: &SubmittedOperations,
    ) -> WaitOutcome {
        let order = i64::from(wait.order);
        let next = operations.after(stream, order).into_iter();
        let next = next.chain(events.mark_after(stream, wait.order));
        let next = next.min_by_key(|it| it.order);
        let found = events.waited_for(occasion.key, occasion.tie, wait.order);
        let Some(found) = found else {
            return next.map_or(WaitOutcome::Idle, |_| WaitOutcome::Unknown);
        };
        let captured = self.pass_on(wait, stream, &found, operations);
        let Some(next) = next else {
            return WaitOutcome::Idle;
        };
        if found.record.stream == stream {
            return WaitOutcome::Own;
        }
        let work = captured.iter().filter(|(on, ..)| *on != stream);
        let causes: Vec<(SpanId, Basis)> = match found.record.span {
            Some(mark) => vec![(mark, found.basis)],
            None => work.map(|(_, it, basis)| (it.span, *basis)).collect(),
        };
        if causes.is_empty() && !captured.is_empty() {
            return WaitOutcome::Own;
        }
        let tie = |(cause, basis)| Dependency {
            cause,
            effect: next.span,
            kind: DependencyKind::Event,
            basis,
            event: occasion.id,
            generation: found.generation,
        };
        WaitOutcome::tied(causes.into_iter().map(tie).collect())
    }

    /// Notes that a stream waits for what a record captured, as far as that is known, and answers it.
    fn pass_on(
        &mut self,
        wait: &ActivityWait,
        stream: SubmissionStream,
        found: &MatchedRecord,
        operations: &SubmittedOperations,
    ) -> SubmissionFrontier {
        let recorded = i64::from(found.record.order);
        let mut captured = self.waited.at(operations, found.record.stream, recorded);
        for it in &mut captured {
            it.2 = weaker(found.basis, it.2);
        }
        let place = (stream, i64::from(wait.order));
        self.waited.wait(operations, place, &captured);
        captured
    }

    /// What a host thread that waits for an event waits for.
    fn blocked(
        &self,
        wait: &ActivityWait,
        occasion: EventOccurrence,
        events: &ActivityEvents,
        operations: &SubmittedOperations,
    ) -> WaitOutcome {
        let Some(found) = events.waited_for(occasion.key, occasion.tie, wait.order) else {
            return WaitOutcome::Unknown;
        };
        let event = Some((occasion.id, found.generation));
        if let Some(mark) = found.record.span {
            return WaitOutcome::Tied(vec![host(wait, mark, event, found.basis)]);
        }
        let (stream, order) = (found.record.stream, i64::from(found.record.order));
        let captured = self.waited.at(operations, stream, order);
        host_all(wait, &captured, event, found.basis)
    }
}

impl WaitOutcome {
    /// Ties, where there is any.
    fn tied(ties: Vec<Dependency>) -> Self {
        if ties.is_empty() {
            Self::Passed
        } else {
            Self::Tied(ties)
        }
    }
}

fn count(outcome: WaitOutcome, is_of_stream: bool, draft: &mut ActivityDraft) {
    let ActivityTally {
        waits,
        unknown,
        own,
        passed,
        idle,
        ..
    } = &mut draft.tally;
    *waits += u64::from(is_of_stream);
    match outcome {
        WaitOutcome::Tied(ties) => ties.into_iter().for_each(|it| tie(it, draft)),
        WaitOutcome::Unknown => *unknown += 1,
        WaitOutcome::Own => *own += 1,
        WaitOutcome::Passed => *passed += 1,
        WaitOutcome::Idle => *idle += 1,
    }
}

fn tie(dependency: Dependency, draft: &mut ActivityDraft) {
    draft.tally.inferred += u64::from(dependency.basis == Basis::Inferred);
    draft.depends(dependency);
}

/// A host thread that blocked until all that was captured ended.
fn host_all(
    wait: &ActivityWait,
    captured: &SubmissionFrontier,
    event: Option<(EventId, u32)>,
    basis: Basis,
) -> WaitOutcome {
    let ties = captured.iter();
    let ties = ties.map(|(_, it, known)| host(wait, it.span, event, weaker(basis, *known)));
    WaitOutcome::tied(ties.collect())
}

/// A host thread that blocked until an operation ended.
fn host(
    wait: &ActivityWait,
    cause: SpanId,
    event: Option<(EventId, u32)>,
    basis: Basis,
) -> Dependency {
    let (event, generation) = event.unwrap_or((EventId::NONE, 0));
    Dependency {
        cause,
        effect: wait.call,
        kind: DependencyKind::Synchronization,
        basis,
        event,
        generation,
    }
}
