//! What each wait of a stream and of a host thread waited for.

use std::collections::HashMap;

use super::draft::ActivityDraft;
use super::event::{ActivityEventKey, ActivityEvents};
use super::order::{ActivityOperations, ActivityStream};
use super::tally::ActivityTally;
use record::{Basis, Dependency, DependencyKind, EventId, SpanId};

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ActivityWaitTarget {
    /// A stream waits for an event.
    ByStream(ActivityStream, EventOccurrence),
    /// A host thread waits for an event.
    Event(EventOccurrence),
    /// A host thread waits for all that was submitted to a stream.
    Stream(ActivityStream),
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
    pub awaited: ActivityWaitTarget,
    /// From which flush on it is looked at.
    pub due: u64,
}

/// Waits that were told of and are not tied yet.
#[derive(Debug, Default)]
pub(super) struct ActivityWaits {
    open: Vec<ActivityWait>,
    /// By context, the last call that waited for everything in it.
    seen: HashMap<u32, u32>,
}

/// What became of a wait.
enum WaitOutcome {
    Tied(Dependency),
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
        operations: &ActivityOperations,
        draft: &mut ActivityDraft,
    ) {
        let is_due = |wait: &ActivityWait| flush.is_none_or(|flush| wait.due <= flush);
        let (mut due, later): (Vec<_>, Vec<_>) = self.open.drain(..).partition(is_due);
        self.open = later;
        due.sort_by_key(|wait| wait.order);
        for wait in due {
            let outcome = match wait.awaited {
                ActivityWaitTarget::Context(context) => {
                    self.everything(&wait, context, operations, draft);
                    continue;
                }
                ActivityWaitTarget::ByStream(stream, occasion) => {
                    held_back(&wait, stream, occasion, events, operations)
                }
                ActivityWaitTarget::Event(occasion) => blocked(&wait, occasion, events, operations),
                ActivityWaitTarget::Stream(stream) => match operations.before(stream, wait.order) {
                    Some(last) => WaitOutcome::Tied(host(&wait, last.span, None, Basis::Enforced)),
                    None => WaitOutcome::Passed,
                },
            };
            let streams = matches!(wait.awaited, ActivityWaitTarget::ByStream(..));
            match (outcome, flush) {
                // It is looked at again, ever more rarely.
                (WaitOutcome::Idle, Some(flush)) => self.open.push(ActivityWait {
                    due: flush + (flush - wait.due).max(1) * 2,
                    ..wait
                }),
                (outcome, _) => count(&outcome, streams, draft),
            }
        }
    }

    /// Ties a wait for all of a context to the last operation of each of its streams. What an earlier one has seen end is
    /// no longer waited for.
    fn everything(
        &mut self,
        wait: &ActivityWait,
        context: u32,
        operations: &ActivityOperations,
        draft: &mut ActivityDraft,
    ) {
        let before = self.seen.get(&context).copied();
        let is_new = |order: u32| before.is_none_or(|before| order > before);
        for last in operations.all_before(context, wait.order) {
            if is_new(last.order) {
                draft.depends(host(wait, last.span, None, Basis::Enforced));
            }
        }
        let latest = before.map_or(wait.order, |before| before.max(wait.order));
        self.seen.insert(context, latest);
    }
}

fn count(outcome: &WaitOutcome, is_of_stream: bool, draft: &mut ActivityDraft) {
    let ActivityTally {
        waits,
        inferred,
        unknown,
        own,
        passed,
        idle,
        ..
    } = &mut draft.tally;
    *waits += u64::from(is_of_stream);
    match outcome {
        WaitOutcome::Tied(dependency) => {
            *inferred += u64::from(dependency.basis == Basis::Inferred);
            draft.depends(*dependency);
        }
        WaitOutcome::Unknown => *unknown += 1,
        WaitOutcome::Own => *own += 1,
        WaitOutcome::Passed => *passed += 1,
        WaitOutcome::Idle => *idle += 1,
    }
}

/// What holds a stream back: the record of the event where it has a span, or else what was submitted last before it.
fn held_back(
    wait: &ActivityWait,
    stream: ActivityStream,
    occasion: EventOccurrence,
    events: &ActivityEvents,
    operations: &ActivityOperations,
) -> WaitOutcome {
    let Some(next) = operations.after(stream, wait.order) else {
        return WaitOutcome::Idle;
    };
    let Some(found) = events.waited_for(occasion.key, occasion.tie, wait.order) else {
        return WaitOutcome::Unknown;
    };
    if found.record.stream == stream {
        return WaitOutcome::Own;
    }
    let last = operations.before(found.record.stream, found.record.order);
    let Some(cause) = found.record.span.or(last.map(|it| it.span)) else {
        return WaitOutcome::Passed;
    };
    WaitOutcome::Tied(Dependency {
        cause,
        effect: next.span,
        kind: DependencyKind::Event,
        basis: found.basis,
        event: occasion.id,
        generation: found.generation,
    })
}

/// What a host thread that waits for an event waits for.
fn blocked(
    wait: &ActivityWait,
    occasion: EventOccurrence,
    events: &ActivityEvents,
    operations: &ActivityOperations,
) -> WaitOutcome {
    let Some(found) = events.waited_for(occasion.key, occasion.tie, wait.order) else {
        return WaitOutcome::Unknown;
    };
    let last = operations.before(found.record.stream, found.record.order);
    match found.record.span.or(last.map(|it| it.span)) {
        Some(cause) => {
            let event = Some((occasion.id, found.generation));
            WaitOutcome::Tied(host(wait, cause, event, found.basis))
        }
        None => WaitOutcome::Passed,
    }
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
