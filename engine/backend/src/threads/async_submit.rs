//! A stream's thread for a device with queues of its own: it gives operations on before those ahead of them have ended,
//! and looks for their ends meanwhile.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::event_state::EventState;
use super::executor::{ExecutionError, Executor, StreamTurn, TimeOrigin};
use super::graph_execution::NodeOutcome;
use super::stream::{QueuedOperation, StreamObstacle, ThreadedStream};
use super::worker::{StreamWorker, panic_text};
use crate::Operation;
use device::{RecordProgress, lock};
use record::State;
use record::time::{Interval, Nanos};

/// Operations that are given on before the first of them has ended, at most.
const DEPTH: usize = 1024;
/// How often ends are looked for.
const LOOK: Duration = Duration::from_micros(25);

/// What the device below knows a record by, for waits of other streams.
pub type NativeEvent = Arc<dyn Any + Send + Sync>;

/// An operation that was given to the device.
pub trait InFlight: Send {
    /// What waits of other streams wait for, where it is a record.
    fn native(&self) -> Option<NativeEvent>;

    /// When it ran, once it has ended.
    ///
    /// # Errors
    /// Why it did not run to its end.
    fn poll(&mut self, turn: &StreamTurn<'_>) -> Result<Option<OperationTiming>, ExecutionError>;
}

/// When an operation ran that has ended. What begins or ends before all else, began or ended with what was before it in
/// its stream.
pub struct OperationTiming {
    /// It; what is known so far, where more is told later.
    pub interval: Interval,
    /// For a graph, when each of its nodes did.
    pub nodes: Vec<NodeOutcome>,
    /// Who tells it later, where the device below does not know it yet.
    pub later: Option<Box<dyn PendingTimestamp>>,
}

/// The time of an operation that has ended, which the device below tells some time after that it has.
pub trait PendingTimestamp: Send {
    /// When it ran, once that is told.
    fn look(&mut self, zero: TimeOrigin) -> Option<Interval>;

    /// For a graph, when each of its nodes ran, as far as that is told; none for anything else.
    fn nodes(&mut self) -> Vec<NodeOutcome> {
        Vec::new()
    }
}

/// What an operation came to that has ended.
pub(super) struct OperationCompletion {
    pub(super) ran: Interval,
    pub(super) state: State,
    pub(super) later: Option<Box<dyn PendingTimestamp>>,
}

/// What is in the air, in order.
type InFlightQueue = VecDeque<(QueuedOperation, Box<dyn InFlight>)>;

impl<E: Executor> StreamWorker<E> {
    /// Runs until the stream is closed.
    pub(super) fn run_ahead(&mut self, stream: &ThreadedStream) {
        let (mut items, mut aloft) = (VecDeque::new(), InFlightQueue::new());
        loop {
            if items.is_empty() {
                let patience = if aloft.is_empty() {
                    self.patience()
                } else {
                    Some(LOOK)
                };
                if !stream.take_for(&mut items, patience) {
                    self.land_all(stream, &mut aloft);
                    return;
                }
            }
            self.land(stream, &mut aloft);
            while aloft.len() < DEPTH
                && let Some(item) = items.pop_front()
            {
                if let Err(item) = self.submit(stream, item, &mut aloft) {
                    // It is for this thread to do, once all before it has ended.
                    self.land_all(stream, &mut aloft);
                    self.run_item(stream, &item);
                }
            }
            if aloft.len() >= DEPTH {
                std::thread::sleep(LOOK);
            }
        }
    }

    /// Gives an operation to the device; gives it back where this thread has to run it.
    fn submit(
        &mut self,
        stream: &ThreadedStream,
        item: QueuedOperation,
        aloft: &mut InFlightQueue,
    ) -> Result<(), QueuedOperation> {
        let shared = Arc::clone(&self.shared);
        let operation = &item.submission.operation;
        if let (Operation::Wait(event), Some(mark)) = (operation, &item.mark) {
            let obstacle = StreamObstacle::Event(*event, Arc::clone(mark));
            self.until_given(stream, mark, obstacle, aloft);
        }
        // Read after what it waits for: nothing of a device that is over is given anything.
        if shared.condition.is_over() || stream.trouble.drops(self.ended() + aloft.len() as u64) {
            return Err(item);
        }
        let cause = match (operation, &item.mark) {
            (Operation::Wait(_), Some(mark)) => match mark.progress() {
                RecordProgress::Failed => return Err(item),
                _ => mark.native(),
            },
            _ => None,
        };
        let is_void = || shared.condition.is_void();
        let is_lost = || shared.condition.is_lost();
        let turn = StreamTurn {
            stream: self.place,
            zero: shared.zero(),
            is_void: &is_void,
            is_lost: &is_lost,
            engine: None,
        };
        let begin = || shared.executor.begin(&turn, operation, cause.as_ref());
        let given = match catch_unwind(AssertUnwindSafe(begin)) {
            Ok(given) => given,
            Err(payload) => Err(ExecutionError::Failed(
                panic_text(payload.as_ref()).to_owned(),
            )),
        };
        match given {
            Ok(None) => return Err(item),
            Ok(Some(flying)) => {
                if let (Operation::Record(_), Some(mark)) = (operation, &item.mark) {
                    mark.mark_submitted(flying.native());
                }
                if aloft.is_empty() {
                    stream.begin(&item.submission, shared.now());
                }
                aloft.push_back((item, flying));
            }
            Err(fault) => {
                self.land_all(stream, aloft);
                let now = shared.now();
                stream.begin(&item.submission, now);
                let state = self.state_of(stream, item.submission.span, fault);
                let ran = Interval {
                    start: now,
                    end: shared.now(),
                };
                let outcome = self.settled(ran, state, item.submission.enqueued);
                self.report(stream, &item, outcome);
            }
        }
        Ok(())
    }

    /// Waits until the record that a wait is for was given to the device; what is in the air lands meanwhile.
    fn until_given(
        &mut self,
        stream: &ThreadedStream,
        mark: &EventState,
        obstacle: StreamObstacle,
        aloft: &mut InFlightQueue,
    ) {
        let shared = Arc::clone(&self.shared);
        let number = self.ended() + aloft.len() as u64;
        let gives_up = || shared.condition.is_over() || stream.trouble.is_aborted(number);
        let mut obstacle = Some(obstacle);
        while !gives_up() && mark.progress() == RecordProgress::Pending {
            if mark
                .submitted()
                .wait(1, &gives_up, Some(Instant::now() + LOOK))
            {
                break;
            }
            self.land(stream, aloft);
            if aloft.is_empty()
                && let Some(obstacle) = obstacle.take()
            {
                *lock(&stream.hold) = Some(obstacle);
            }
        }
        *lock(&stream.hold) = None;
    }

    /// Reports what has ended, and what has ended before and is timed by now.
    fn land(&mut self, stream: &ThreadedStream, aloft: &mut InFlightQueue) {
        while let Some((item, flying)) = aloft.front_mut() {
            let Some(landing) = self.look(stream, item, flying.as_mut()) else {
                break;
            };
            let Some((item, _)) = aloft.pop_front() else {
                break;
            };
            if landing.later.is_some() || self.is_late() || is_untold(&item) {
                self.put_off(stream, item, landing);
            } else {
                let since = since(&item);
                let ran = Interval {
                    end: landing.ran.end.max(since),
                    ..landing.ran
                };
                let outcome = self.settled(ran, landing.state, item.submission.enqueued);
                self.report(stream, &item, outcome);
            }
            if let Some((next, _)) = aloft.front() {
                stream.begin(&next.submission, self.shared.now());
            }
        }
        self.catch_up(stream, aloft.is_empty());
    }

    /// Lets everything land, and tells when it ran.
    fn land_all(&mut self, stream: &ThreadedStream, aloft: &mut InFlightQueue) {
        self.land(stream, aloft);
        while !aloft.is_empty() {
            std::thread::sleep(LOOK);
            self.land(stream, aloft);
        }
        while let Some(patience) = self.patience() {
            std::thread::sleep(patience);
            self.catch_up(stream, true);
        }
    }

    /// What an operation came to, once it has ended.
    fn look(
        &mut self,
        stream: &ThreadedStream,
        item: &QueuedOperation,
        flying: &mut dyn InFlight,
    ) -> Option<OperationCompletion> {
        if let (Operation::Wait(_), Some(mark)) = (&item.submission.operation, &item.mark)
            && mark.progress() == RecordProgress::Pending
            && !self.shared.condition.is_lost()
        {
            // What it waited for is reported first, so that its time is known.
            return None;
        }
        let shared = Arc::clone(&self.shared);
        let polled = flying.poll(&StreamTurn {
            stream: self.place,
            zero: shared.zero(),
            is_void: &|| shared.condition.is_void(),
            is_lost: &|| shared.condition.is_lost(),
            engine: None,
        });
        let (ran, state, later) = match polled {
            Ok(None) => return None,
            Ok(Some(ran)) => {
                self.landed = ran.nodes;
                (ran.interval, State::Done, ran.later)
            }
            Err(fault) => {
                let now = self.shared.now();
                let state = match self.state_of(stream, item.submission.span, fault) {
                    // What a lost device makes fail is the loss's doing.
                    _ if self.shared.condition.is_lost() => State::Lost,
                    state => state,
                };
                let begun = stream.current().map_or(now, |began| began.start);
                let ran = Interval {
                    start: begun.min(now),
                    end: now,
                };
                (ran, state, None)
            }
        };
        Some(OperationCompletion { ran, state, later })
    }

    /// An outcome within what the host knows: nothing runs before it was submitted, before what came before it on its
    /// stream had ended, after now, or after the device was lost.
    fn settled(&mut self, ran: Interval, state: State, enqueued: Nanos) -> (Interval, State) {
        let now = self.shared.now();
        self.settled_by(ran, state, enqueued, now)
    }

    /// The same, for one that was seen to have ended.
    pub(super) fn settled_by(
        &mut self,
        ran: Interval,
        state: State,
        enqueued: Nanos,
        seen: Nanos,
    ) -> (Interval, State) {
        let condition = &self.shared.condition;
        let mut latest = seen;
        if state == State::Lost && condition.is_lost() {
            latest = condition.lost_at().max(enqueued);
        }
        let earliest = enqueued.max(self.last_end).min(latest);
        let start = ran.start.clamp(earliest, latest);
        let end = ran.end.clamp(start, latest);
        self.last_end = end;
        (Interval { start, end }, state)
    }
}

/// Whether it waited for a record whose time is not told yet.
fn is_untold(item: &QueuedOperation) -> bool {
    match (&item.submission.operation, &item.mark) {
        (Operation::Wait(_), Some(mark)) => {
            matches!(mark.progress(), RecordProgress::Reached(_)) && mark.reported_time().is_none()
        }
        _ => false,
    }
}

/// The earliest that an operation can have ended: for a wait, when what it waited for was reached.
fn since(item: &QueuedOperation) -> Nanos {
    match (&item.submission.operation, &item.mark) {
        (Operation::Wait(_), Some(mark)) => match mark.progress() {
            RecordProgress::Reached(time) => mark.reported_time().unwrap_or(time),
            _ => item.submission.enqueued,
        },
        _ => item.submission.enqueued,
    }
}
