//! The thread of a stream: runs its operations one after the other and reports each.

use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use super::deferred_timestamps::DeferredTimestamps;
use super::event_state::EventState;
use super::executor::{EngineTurn, ExecutionError, Executor, StreamTurn};
use super::graph_execution::{self, NodeOutcome};
use super::shared::SharedDevice;
use super::stream::{QueuedOperation, StreamObstacle, ThreadedStream};
use crate::paced::PacedTimes;
use crate::{Callback, Operation, ReportSink, Submission, SystemThread, operation_failure};
use device::{
    FailureConsequence, OperationFailure, OperationStage, RecordProgress, TerminationCause,
    consequence, lock, outcome,
};
use record::time::{Interval, Nanos};
use record::{LaneId, Loss, LossKind, Record, Sample, SpanId, State};
use workload::ErrorKind;

/// The thread of a stream.
pub struct StreamWorker<E> {
    pub(super) shared: Arc<SharedDevice<E>>,
    pub(super) place: usize,
    pub(super) sink: Box<dyn ReportSink>,
    pub(super) ended: u64,
    pub(super) reported: u64,
    /// What has ended, and whose time is not known yet.
    pub(super) lateness: DeferredTimestamps,
    /// When the last operation ended that the device ran ahead.
    pub(super) last_end: Nanos,
    /// Whether the callback thread was given its part of the operation at hand.
    has_called: bool,
    /// What became of the nodes of the graph that was replayed last.
    pub(super) landed: Vec<NodeOutcome>,
    /// What the operation at hand spent its time on, where it takes an engine.
    pub(super) paced: Cell<Option<PacedTimes>>,
    /// The same of the nodes of the graph that was replayed last.
    pub(super) paced_nodes: Vec<(usize, PacedTimes)>,
}

impl<E: Executor> StreamWorker<E> {
    /// The worker of the stream at `place`.
    pub fn new(shared: Arc<SharedDevice<E>>, place: usize, sink: Box<dyn ReportSink>) -> Self {
        Self {
            shared,
            place,
            sink,
            ended: 0,
            reported: 0,
            lateness: DeferredTimestamps::default(),
            last_end: Nanos::ZERO,
            has_called: false,
            landed: Vec::new(),
            paced: Cell::new(None),
            paced_nodes: Vec::new(),
        }
    }

    /// Runs until the stream is closed.
    pub fn run(mut self) {
        let shared = Arc::clone(&self.shared);
        let Some(stream) = shared.streams.get(self.place) else {
            return;
        };
        stream.thread.get_or_init(SystemThread::current);
        let is_ahead = self.place < shared.stream_count && shared.executor.runs_ahead();
        let work = AssertUnwindSafe(|| {
            if is_ahead {
                self.run_ahead(stream);
            } else {
                self.run_items(stream);
            }
        });
        if let Err(payload) = catch_unwind(work) {
            let text = panic_text(payload.as_ref());
            shared.poison(&format!("Syncline itself failed: {text}"));
            // Nothing of this stream will end any more: release those that wait for it.
            stream.ended.raise(u64::MAX);
            stream.reported.raise(u64::MAX);
        }
    }

    fn run_items(&mut self, stream: &ThreadedStream) {
        let mut items = VecDeque::new();
        while stream.take(&mut items) {
            for item in items.drain(..) {
                self.run_item(stream, &item);
            }
        }
    }

    /// Operations that ended so far.
    pub(super) const fn ended(&self) -> u64 {
        self.ended
    }

    /// Runs an operation on this thread, to its end.
    pub(super) fn run_item(&mut self, stream: &ThreadedStream, item: &QueuedOperation) {
        let outcome = self.outcome_of(stream, item);
        self.report(stream, item, outcome);
    }

    /// Reports what an operation came to, and tells those that wait for it.
    pub(super) fn report(
        &mut self,
        stream: &ThreadedStream,
        item: &QueuedOperation,
        (ran, state): (Interval, State),
    ) {
        self.last_end = self.last_end.max(ran.end);
        let left = stream.submitted().saturating_sub(self.ended + 1);
        self.emit(stream, item, (ran, state), left);
        if matches!(state, State::Cancelled | State::Failed)
            && let Some(by) = stream.trouble.aborted_by(self.ended, ran.end)
        {
            let dropped = item.submission.span;
            self.sink.report(operation_failure::aborted(by, dropped));
        }
        self.conclude(item, ran, state);
        self.count(stream, state);
        self.tell(stream, item, ran);
    }

    /// One more operation has ended.
    pub(super) fn count(&mut self, stream: &ThreadedStream, state: State) {
        self.ended += 1;
        if state != State::Lost {
            stream.completed.raise(self.ended);
        }
        stream.end(self.ended);
    }

    /// One more operation was reported.
    pub(super) fn tell(&mut self, stream: &ThreadedStream, item: &QueuedOperation, ran: Interval) {
        if let (Operation::Record(_), Some(mark)) = (&item.submission.operation, &item.mark) {
            mark.report_time(ran.start);
        }
        self.reported += 1;
        stream.reported.raise(self.reported);
    }

    /// Reports the spans of an operation, `left` more of which were pending when it ended.
    pub(super) fn emit(
        &mut self,
        stream: &ThreadedStream,
        item: &QueuedOperation,
        (ran, state): (Interval, State),
        left: u64,
    ) {
        let shared = Arc::clone(&self.shared);
        let submission = &item.submission;
        let queued = match state {
            // What of it the queue had come to is not known.
            State::Lost => Interval {
                start: ran.end,
                ..ran
            },
            _ => ran,
        };
        if let Some(span) = submission.queue_span(shared.queue, queued, state) {
            self.sink.report(Record::Span(span));
        }
        let span = submission.span(stream.lane, ran, state);
        self.sink.report(Record::Span(span));
        if let Some(times) = self.paced.take() {
            self.report_pace((span.id, ran), &times);
        }
        if let Operation::Replay(replay) = &submission.operation {
            self.report_nodes(stream, &span, replay);
        }
        if stream.pending.is_some() {
            self.sink.report(Record::Sample(Sample {
                counter: stream.pending,
                time: ran.end,
                value: left as f64,
            }));
        }
    }

    /// Tells those that wait for an operation what it came to.
    pub(super) fn conclude(&mut self, item: &QueuedOperation, ran: Interval, state: State) {
        let shared = Arc::clone(&self.shared);
        let waited = operation_failure::waited_for_function(&item.submission, state);
        if let Some(waited) = waited {
            self.sink.report(waited);
        }
        match (&item.submission.operation, &item.mark) {
            (Operation::Record(event), Some(mark)) => {
                match state {
                    State::Done => mark.reach(ran.start),
                    _ => mark.fail(),
                }
                if shared
                    .made
                    .get(event.index())
                    .is_some_and(|it| it.takes_slot)
                {
                    shared.slots.give_back(item.submission.span);
                }
            }
            (Operation::HostFunction(_) | Operation::Panic(_), Some(mark)) => match state {
                State::Done => mark.reach(ran.end),
                _ => mark.fail(),
            },
            (Operation::Replay(replay), _) => {
                graph_execution::fail_waiters(&replay.graph, &item.nodes);
            }
            (Operation::Callback(callback), _) if !self.has_called => {
                let lane = shared.streams.get(shared.stream_count + callback.thread);
                let lane = lane.map_or(LaneId::NONE, |stream| stream.lane);
                let called = item.submission.called(callback, ran.end);
                let never = Interval {
                    start: ran.end,
                    ..ran
                };
                self.sink
                    .report(Record::Span(called.span(lane, never, state)));
            }
            _ => {}
        }
        self.has_called = false;
    }

    /// Runs an operation where it still may. Answers when it ran and what became of it.
    fn outcome_of(&mut self, stream: &ThreadedStream, item: &QueuedOperation) -> (Interval, State) {
        let shared = Arc::clone(&self.shared);
        let submission = &item.submission;
        let at = |start, end| Interval { start, end };
        let condition = &shared.condition;
        if let Some(cause) = condition.cause() {
            let instant = match cause {
                TerminationCause::Lost => condition.lost_at().max(submission.enqueued),
                _ => shared.now(),
            };
            return (at(instant, instant), outcome(cause, OperationStage::Queued));
        }
        if stream.trouble.drops(self.ended) {
            let now = shared.now();
            return (at(now, now), State::Cancelled);
        }
        let start = shared.now();
        if !(shared.executor.has_engines() && submission.operation.is_queued()) {
            stream.begin(submission, start);
            stream.stay(submission, &|| condition.is_lost());
        }
        let (state, ran) = self.operate(stream, item);
        let (state, ran) = self.paced_outcome(state, ran);
        let ran = match submission.operation {
            // An instant: what it marks is the moment at which the stream came to it.
            Operation::Record(_) => at(start, start),
            // Handed over before its thread can have begun: the end of the hand-over may be seen later than that.
            Operation::Callback(callback) if !callback.is_blocking => at(start, start),
            _ => ran.unwrap_or_else(|| at(start, shared.now())),
        };
        if !condition.is_lost() {
            return (ran, state);
        }
        let lost = condition.lost_at();
        if state == State::Done && ran.end <= lost {
            return (ran, state);
        }
        let begun = ran.start.min(lost).max(submission.enqueued);
        (at(begun, ran.end.min(lost).max(begun)), State::Lost)
    }

    fn operate(
        &mut self,
        stream: &ThreadedStream,
        item: &QueuedOperation,
    ) -> (State, Option<Interval>) {
        let state = match &item.submission.operation {
            // Memory is there from the start: what is freed and allocated is the right to use it.
            Operation::Record(_)
            | Operation::Reset(_)
            | Operation::Allocate(_)
            | Operation::Free(_) => State::Done,
            Operation::Wait(event) => item.mark.as_ref().map_or(State::Done, |mark| {
                self.wait(
                    stream,
                    &item.submission,
                    &StreamObstacle::Event(*event, Arc::clone(mark)),
                )
            }),
            Operation::WaitFor(_, timeout) => item.mark.as_ref().map_or(State::Done, |mark| {
                self.wait_for(stream, &item.submission, mark, *timeout)
            }),
            Operation::Hold(signal) => {
                self.wait(stream, &item.submission, &StreamObstacle::Signal(*signal))
            }
            Operation::Join(positions) => positions
                .iter()
                .map(|&to| self.wait(stream, &item.submission, &StreamObstacle::Stream(to)))
                .find(|state| *state != State::Done)
                .unwrap_or(State::Done),
            Operation::Replay(replay) => return self.replay(stream, replay, &item.nodes),
            Operation::Callback(callback) => self.call(stream, &item.submission, callback),
            Operation::Collective(exchange) => {
                return self.exchange(stream, &item.submission, exchange);
            }
            Operation::Panic(length) => {
                let function = Submission {
                    operation: Operation::HostFunction(*length),
                    ..item.submission.clone()
                };
                let (state, ran) = self.compute(stream, &function);
                if state != State::Done {
                    return (state, ran);
                }
                self.sink
                    .report(operation_failure::panicked(item.submission.span));
                return (State::Failed, ran);
            }
            _ => return self.compute(stream, &item.submission),
        };
        (state, None)
    }

    /// Whether whoever waits on this stream is to give up.
    pub(super) fn gives_up(&self, stream: &ThreadedStream) -> bool {
        self.shared.condition.is_over() || stream.trouble.is_aborted(self.ended)
    }

    fn blocked(
        stream: &ThreadedStream,
        obstacle: StreamObstacle,
        block: impl FnOnce() -> bool,
    ) -> bool {
        *lock(&stream.hold) = Some(obstacle);
        let reached = block();
        *lock(&stream.hold) = None;
        reached
    }

    fn wait(
        &mut self,
        stream: &ThreadedStream,
        submission: &Submission,
        obstacle: &StreamObstacle,
    ) -> State {
        let gives_up = || self.gives_up(stream);
        let reached = match obstacle {
            StreamObstacle::Event(_, mark)
            | StreamObstacle::Until(mark)
            | StreamObstacle::Callback(mark) => {
                let block = || mark.level().wait(EventState::SETTLED, &gives_up, None);
                let is_pending = mark.progress() == RecordProgress::Pending;
                !is_pending || Self::blocked(stream, obstacle.clone(), block)
            }
            StreamObstacle::Stream(to) => {
                let other = self.shared.streams.get(to.stream.index());
                other.is_none_or(|other| {
                    let block = || other.ended.wait(to.ended, &gives_up, None);
                    other.ended.get() >= to.ended || Self::blocked(stream, obstacle.clone(), block)
                })
            }
            StreamObstacle::Signal(signal) => {
                let level = self.shared.signals.get(signal.index());
                level.is_none_or(|level| {
                    let block = || level.wait(1, &gives_up, None);
                    level.get() > 0 || Self::blocked(stream, obstacle.clone(), block)
                })
            }
        };
        let failed = match obstacle {
            StreamObstacle::Event(_, mark) | StreamObstacle::Until(mark) => {
                mark.progress() == RecordProgress::Failed
            }
            _ => false,
        };
        if reached && !failed {
            return State::Done;
        }
        match self.shared.condition.cause() {
            Some(cause) => outcome(cause, OperationStage::Held),
            None if reached => {
                self.apply_failure(stream, submission, OperationFailure::Orphaned);
                State::Cancelled
            }
            None => State::Cancelled,
        }
    }

    /// Waits for a record, for at most so long (rule F8).
    fn wait_for(
        &mut self,
        stream: &ThreadedStream,
        submission: &Submission,
        mark: &Arc<EventState>,
        timeout: Nanos,
    ) -> State {
        let gives_up = || self.gives_up(stream);
        let deadline = Some(Instant::now() + timeout.to_duration());
        let block = || mark.level().wait(EventState::SETTLED, &gives_up, deadline);
        let obstacle = StreamObstacle::Until(Arc::clone(mark));
        if mark.progress() != RecordProgress::Pending
            || Self::blocked(stream, obstacle.clone(), block)
        {
            return self.wait(stream, submission, &obstacle);
        }
        match self.shared.condition.cause() {
            Some(cause) => outcome(cause, OperationStage::Held),
            None if gives_up() => State::Cancelled,
            None => {
                self.apply_failure(stream, submission, OperationFailure::TimedOut);
                State::Failed
            }
        }
    }

    /// Hands a function to the thread that takes the stream's callbacks, and waits for it where it is to.
    fn call(
        &mut self,
        stream: &ThreadedStream,
        submission: &Submission,
        callback: &Callback,
    ) -> State {
        let shared = Arc::clone(&self.shared);
        let Some(thread) = shared.streams.get(shared.stream_count + callback.thread) else {
            return State::Cancelled;
        };
        let mark = Arc::new(EventState::default());
        self.has_called = true;
        let called = submission.called(callback, shared.now());
        stream.call(&mark);
        thread.push(QueuedOperation::new(called, Some(Arc::clone(&mark))));
        if !callback.is_blocking {
            return State::Done;
        }
        let state = self.wait(
            stream,
            submission,
            &StreamObstacle::Callback(Arc::clone(&mark)),
        );
        // A function that panicked is the callback's failure, and not the stream's (rule A30).
        if state == State::Done && mark.progress() == RecordProgress::Failed {
            return State::Failed;
        }
        state
    }

    fn compute(
        &mut self,
        stream: &ThreadedStream,
        submission: &Submission,
    ) -> (State, Option<Interval>) {
        let shared = Arc::clone(&self.shared);
        let run = |turn: &StreamTurn<'_>| shared.executor.run(turn, &submission.operation);
        let outcome = self.attempt(stream, submission, run);
        self.state_after(stream, submission.span, outcome)
    }

    /// Whether somebody killed what runs.
    pub(super) fn is_aborted(&self, stream: &ThreadedStream) -> bool {
        stream.trouble.is_aborted(self.ended)
    }

    /// What came of something that an operation does, however it ends.
    pub(super) fn attempt(
        &self,
        stream: &ThreadedStream,
        submission: &Submission,
        run: impl FnOnce(&StreamTurn<'_>) -> Result<Option<Interval>, ExecutionError>,
    ) -> Result<Option<Interval>, ExecutionError> {
        let condition = &self.shared.condition;
        let turn = StreamTurn {
            stream: self.place,
            zero: self.shared.zero(),
            is_void: &|| condition.is_void() || self.is_aborted(stream),
            is_lost: &|| condition.is_lost(),
            engine: Some(EngineTurn {
                span: submission.span,
                begin: &|start| {
                    stream.begin(submission, start);
                    stream.stay(submission, &|| condition.is_lost());
                },
                told: &self.paced,
            }),
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| run(&turn)));
        outcome.unwrap_or_else(|payload| {
            Err(ExecutionError::Failed(
                panic_text(payload.as_ref()).to_owned(),
            ))
        })
    }

    /// What that makes of the operation that the span `span` is.
    pub(super) fn state_after(
        &mut self,
        stream: &ThreadedStream,
        span: SpanId,
        outcome: Result<Option<Interval>, ExecutionError>,
    ) -> (State, Option<Interval>) {
        match outcome {
            Ok(ran) => (State::Done, ran),
            // Killed in its middle (rule F14).
            Err(ExecutionError::Stopped) if self.is_aborted(stream) => (State::Failed, None),
            Err(fault) => (self.state_of(stream, span, fault), None),
        }
    }

    /// What a fault makes of the operation that the span `span` is; it is reported, with what follows.
    pub(super) fn state_of(
        &mut self,
        stream: &ThreadedStream,
        span: SpanId,
        fault: ExecutionError,
    ) -> State {
        let shared = Arc::clone(&self.shared);
        match fault {
            ExecutionError::Stopped => outcome(TerminationCause::Stopped, OperationStage::Queued),
            // What a lost device makes fail is the loss's doing.
            ExecutionError::Failed(_) if shared.condition.is_lost() => State::Lost,
            ExecutionError::Failed(reason) => {
                self.fail(stream, span, &reason);
                State::Failed
            }
            ExecutionError::Lost(reason) => {
                // Whoever runs the workload sees the device's status, and reports the loss.
                shared.lose(&reason);
                State::Lost
            }
        }
    }

    /// Reports that an operation failed, and what follows.
    fn fail(&mut self, stream: &ThreadedStream, span: SpanId, reason: &str) {
        let consequence = consequence(stream.failure, OperationFailure::Failed);
        self.sink
            .report(operation_failure::failed(span, reason, consequence));
        match consequence {
            FailureConsequence::DeviceStops => self.stop_device(reason),
            _ => stream.trouble.keep(ErrorKind::Failed, reason),
        }
    }

    /// Something else went wrong with an operation: reports it, and what follows.
    fn apply_failure(
        &mut self,
        stream: &ThreadedStream,
        submission: &Submission,
        mishap: OperationFailure,
    ) {
        let consequence = consequence(stream.failure, mishap);
        let (kind, reason) = operation_failure::reason(mishap);
        self.sink.report(operation_failure::problem(
            mishap,
            submission.span,
            consequence,
        ));
        stream.trouble.keep(kind, reason);
        match consequence {
            FailureConsequence::GoesOn => {}
            FailureConsequence::StreamStops => stream.trouble.stop(),
            FailureConsequence::DeviceStops => self.stop_device(reason),
        }
    }

    fn stop_device(&mut self, reason: &str) {
        if self.shared.poison(reason) {
            let time = self.shared.now();
            self.sink.report(Record::Loss(Box::new(Loss {
                device: self.shared.device,
                time,
                reason: reason.to_owned(),
                kind: LossKind::Failed,
                generation: self.shared.generation(),
            })));
        }
    }
}

/// What a panic said.
pub fn panic_text(payload: &(dyn std::any::Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    let owned = || payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(owned).unwrap_or("it gave no reason")
}
