//! Operations that have ended, and whose time the device below has not told yet. Whoever waits for their end goes on; their
//! spans are reported, in order, once the time is there.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::async_submit::OperationCompletion;
use super::event_state::EventState;
use super::executor::{Executor, TimeOrigin};
use super::graph_execution::NodeOutcome;
use super::stream::{QueuedOperation, ThreadedStream};
use super::worker::StreamWorker;
use crate::{Operation, operation_failure};
use device::RecordProgress;
use record::State;
use record::time::{Interval, Nanos};

/// How often a time is looked for that is late.
const LOOK: Duration = Duration::from_micros(500);
/// How long a time may be late, once nothing of its stream runs: what runs may hold back what is told of the rest.
const PATIENCE: Duration = Duration::from_secs(1);
/// The same for a device that is lost, or a run that was stopped: what is told then is told at once, or never.
const HASTE: Duration = Duration::from_millis(100);
/// How long after what came behind it was told of a time cannot be late any more, and how many behind it are looked at.
const PASSED: Duration = Duration::from_millis(200);
const NEXT: usize = 64;
/// Operations of a stream that wait for their times at once, at most: beyond that none is told of any more.
const MOST: usize = 8192;
/// Operations of a stream without a time that are named one by one; the others are counted.
const NAMED: u64 = 8;

/// What has ended on a stream without a time.
#[derive(Default)]
pub struct DeferredTimestamps {
    queue: VecDeque<UntimedOperation>,
    /// Since when nothing of the stream runs.
    quiet: Option<Instant>,
    /// Operations whose time never came: those that were named, and those to be counted.
    named: u64,
    unnamed: u64,
}

struct UntimedOperation {
    item: QueuedOperation,
    landing: OperationCompletion,
    nodes: Vec<NodeOutcome>,
    /// When it ran, once that is told.
    told: Option<Interval>,
    /// When the host saw that it had ended, in capture time and by its own clock.
    seen: Nanos,
    since: Instant,
    /// Operations that were pending then.
    left: u64,
}

impl UntimedOperation {
    /// Looks whether its time is told.
    fn look(&mut self, zero: TimeOrigin) -> Option<Interval> {
        if self.told.is_none() {
            self.told = match &mut self.landing.later {
                Some(later) => later.look(zero),
                None => Some(self.landing.ran),
            };
        }
        self.told
    }

    /// Whether its time is told by the device below, and was to be for a while.
    fn is_settled(&mut self, zero: TimeOrigin) -> bool {
        let is_told_apart = self.landing.later.is_some();
        is_told_apart && self.since.elapsed() > PASSED && self.look(zero).is_some()
    }
}

impl<E: Executor> StreamWorker<E> {
    /// Whether something has ended without a time.
    pub(super) fn is_late(&self) -> bool {
        !self.lateness.queue.is_empty()
    }

    /// How long to wait before times are looked for again; nothing where none is late.
    pub(super) fn patience(&self) -> Option<Duration> {
        self.is_late().then_some(LOOK)
    }

    /// An operation has ended: whoever waits for it learns that now, and its span is reported later.
    pub(super) fn put_off(
        &mut self,
        stream: &ThreadedStream,
        item: QueuedOperation,
        landing: OperationCompletion,
    ) {
        let seen = self.shared.now();
        let known = match landing.ran {
            // It has no time of its own.
            Interval {
                start: Nanos::MIN, ..
            } => Interval {
                start: seen,
                end: seen,
            },
            ran => {
                let start = ran.start.clamp(item.submission.enqueued.min(seen), seen);
                let end = ran.end.clamp(start, seen);
                Interval { start, end }
            }
        };
        let left = stream.submitted().saturating_sub(self.ended + 1);
        self.lateness.quiet = None;
        self.conclude(&item, known, landing.state);
        self.count(stream, landing.state);
        self.lateness.queue.push_back(UntimedOperation {
            nodes: std::mem::take(&mut self.landed),
            item,
            landing,
            told: None,
            seen,
            since: Instant::now(),
            left,
        });
    }

    /// Reports what is timed by now; `is_quiet` says that nothing of the stream runs.
    pub(super) fn catch_up(&mut self, stream: &ThreadedStream, is_quiet: bool) {
        if !self.is_late() {
            return;
        }
        self.lateness.quiet = match self.lateness.quiet {
            _ if !is_quiet => None,
            Some(since) => Some(since),
            None => Some(Instant::now()),
        };
        while let Some(mut late) = self.lateness.queue.pop_front() {
            let Some(ran) = self.time(&mut late) else {
                self.lateness.queue.push_front(late);
                return;
            };
            let enqueued = late.item.submission.enqueued;
            let (ran, state) = self.settled_by(ran, late.landing.state, enqueued, late.seen);
            let told = late.landing.later.as_mut().map(|later| later.nodes());
            self.landed = told.filter(|it| !it.is_empty()).unwrap_or(late.nodes);
            self.emit(stream, &late.item, (ran, state), late.left);
            self.tell(stream, &late.item, ran);
        }
        self.complain();
    }

    /// Whether nobody waits for the time of the first any more: nothing of the stream has run for long, or what came
    /// after it is told of.
    fn is_due(&mut self) -> bool {
        let patience = if self.shared.condition.is_over() {
            HASTE
        } else {
            PATIENCE
        };
        if self.lateness.queue.len() >= MOST {
            return true;
        }
        let zero = self.shared.zero();
        let quiet = self.lateness.quiet;
        let mut next = self.lateness.queue.iter_mut().take(NEXT);
        quiet.is_some_and(|since| since.elapsed() > patience) || next.any(|it| it.is_settled(zero))
    }

    /// When it ran, once that is told, or will never be.
    fn time(&mut self, late: &mut UntimedOperation) -> Option<Interval> {
        let told = late.look(self.shared.zero());
        let waited = match (&late.item.submission.operation, &late.item.mark) {
            (Operation::Wait(_), Some(mark)) => reached(mark),
            _ => Ok(Nanos::MIN),
        };
        if let (Some(mut ran), Ok(waited)) = (told, waited) {
            ran.end = ran.end.max(waited);
            return Some(ran);
        }
        if !self.is_due() {
            return None;
        }
        if told.is_none() {
            self.note_untimed(late);
        }
        let mut ran = told.unwrap_or(Interval {
            start: Nanos::MIN,
            end: late.seen,
        });
        ran.end = ran.end.max(waited.unwrap_or_else(|time| time));
        Some(ran)
    }

    fn note_untimed(&mut self, late: &UntimedOperation) {
        // A loss says for itself why nothing is known.
        if late.landing.state != State::Done || self.shared.condition.is_over() {
            return;
        }
        if self.lateness.named < NAMED {
            self.lateness.named += 1;
            self.sink
                .report(operation_failure::untimed(late.item.submission.span));
        } else {
            self.lateness.unnamed += 1;
        }
    }

    /// Says what was not named, and what the device below says has gone wrong.
    fn complain(&mut self) {
        let unnamed = std::mem::take(&mut self.lateness.unnamed);
        if unnamed > 0 {
            self.sink.report(operation_failure::untimed_too(unnamed));
        }
        if let Some(text) = self.shared.executor.complaint() {
            self.sink.report(operation_failure::dropped(text));
        }
    }
}

/// When a record was reached, as its span says.
///
/// # Errors
/// Its span does not say yet: as the host saw it.
fn reached(mark: &EventState) -> Result<Nanos, Nanos> {
    match mark.progress() {
        RecordProgress::Reached(time) => mark.reported_time().ok_or(time),
        _ => Ok(Nanos::MIN),
    }
}
