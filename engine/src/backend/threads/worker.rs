//! The thread of a stream: runs its operations one after the other and reports each.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::executor::{Executor, Fault, Turn};
use super::mark::Mark;
use super::shared::Shared;
use super::stream::{Item, Obstacle, Stream};
use crate::backend::{Operation, Sink, Submission};
use crate::device::{Cause, Progress, Stage, lock, outcome};
use crate::record::{EventId, Loss, LossKind, Problem, Record, Sample, Severity, State};
use crate::time::Interval;

/// The thread of a stream.
pub struct Worker<E> {
    shared: Arc<Shared<E>>,
    place: usize,
    sink: Box<dyn Sink>,
    ended: u64,
}

impl<E: Executor> Worker<E> {
    /// The worker of the stream at `place`.
    pub fn new(shared: Arc<Shared<E>>, place: usize, sink: Box<dyn Sink>) -> Self {
        Self {
            shared,
            place,
            sink,
            ended: 0,
        }
    }

    /// Runs until the stream is closed.
    pub fn run(mut self) {
        let shared = Arc::clone(&self.shared);
        let Some(stream) = shared.streams.get(self.place) else {
            return;
        };
        let work = AssertUnwindSafe(|| self.run_items(stream));
        if let Err(payload) = catch_unwind(work) {
            let text = panic_text(payload.as_ref());
            shared.poison(&format!("Syncline itself failed: {text}"));
            // Nothing of this stream will end any more: release those that wait for it.
            stream.ended.raise(u64::MAX);
        }
    }

    fn run_items(&mut self, stream: &Stream) {
        let mut items = VecDeque::new();
        while stream.take(&mut items) {
            for item in items.drain(..) {
                self.run_item(stream, &item);
            }
        }
    }

    fn run_item(&mut self, stream: &Stream, item: &Item) {
        let shared = Arc::clone(&self.shared);
        let submission = &item.submission;
        let (ran, state) = self.outcome_of(stream, item);
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
        self.sink.report(Record::Sample(Sample {
            counter: stream.pending,
            time: ran.end,
            value: stream.submitted().saturating_sub(self.ended + 1) as f64,
        }));
        if let (Operation::Record(_), Some(mark)) = (&submission.operation, &item.mark) {
            match state {
                State::Done => mark.reach(ran.start),
                _ => mark.fail(),
            }
        }
        self.ended += 1;
        stream.end(self.ended);
    }

    /// Runs an operation where it still may. Answers when it ran and what became of it.
    fn outcome_of(&mut self, stream: &Stream, item: &Item) -> (Interval, State) {
        let shared = Arc::clone(&self.shared);
        let submission = &item.submission;
        let at = |start, end| Interval { start, end };
        let condition = &shared.condition;
        if let Some(cause) = condition.cause() {
            let instant = match cause {
                Cause::Lost => condition.lost_at().max(submission.enqueued),
                _ => shared.now(),
            };
            return (at(instant, instant), outcome(cause, Stage::Queued));
        }
        let start = shared.now();
        stream.begin(submission, start);
        let (state, ran) = self.operate(stream, item);
        let ran = match submission.operation {
            // An instant: what it marks is the moment at which the stream came to it.
            Operation::Record(_) => at(start, start),
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

    fn operate(&mut self, stream: &Stream, item: &Item) -> (State, Option<Interval>) {
        let state = match &item.submission.operation {
            Operation::Record(_) => State::Done,
            Operation::Wait(event) => item.mark.as_ref().map_or(State::Done, |mark| {
                self.wait(stream, &Obstacle::Event(*event, Arc::clone(mark)))
            }),
            Operation::Hold(signal) => self.wait(stream, &Obstacle::Signal(*signal)),
            Operation::Join(positions) => positions
                .iter()
                .map(|&position| self.wait(stream, &Obstacle::Stream(position)))
                .find(|state| *state != State::Done)
                .unwrap_or(State::Done),
            // Memory is there from the start: what is freed and allocated is the right to use it.
            Operation::Allocate(_) | Operation::Free(_) => State::Done,
            _ => return self.compute(&item.submission),
        };
        (state, None)
    }

    fn wait(&self, stream: &Stream, obstacle: &Obstacle) -> State {
        let shared = &self.shared;
        let is_over = || shared.condition.is_over();
        let blocked = |block: &dyn Fn() -> bool| {
            *lock(&stream.hold) = Some(obstacle.clone());
            let reached = block();
            *lock(&stream.hold) = None;
            reached
        };
        let reached = match obstacle {
            Obstacle::Event(_, mark) => {
                let is_pending = mark.progress() == Progress::Pending;
                let block = || mark.level().wait(Mark::SETTLED, &is_over, None);
                (!is_pending || blocked(&block)) && mark.progress() != Progress::Failed
            }
            Obstacle::Signal(signal) => shared
                .signals
                .get(signal.index())
                .is_none_or(|level| level.get() > 0 || blocked(&|| level.wait(1, &is_over, None))),
            Obstacle::Stream(to) => shared.streams.get(to.stream.index()).is_none_or(|other| {
                let block = || other.ended.wait(to.ended, &is_over, None);
                other.ended.get() >= to.ended || blocked(&block)
            }),
        };
        if reached {
            return State::Done;
        }
        let cause = shared.condition.cause().unwrap_or(Cause::Poisoned);
        outcome(cause, Stage::Held)
    }

    fn compute(&mut self, submission: &Submission) -> (State, Option<Interval>) {
        let shared = Arc::clone(&self.shared);
        let turn = Turn {
            stream: self.place,
            zero: shared.zero(),
            is_void: &|| shared.condition.is_void(),
            is_lost: &|| shared.condition.is_lost(),
        };
        let run = || shared.executor.run(&turn, &submission.operation);
        let fault = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(ran)) => return (State::Done, ran),
            Ok(Err(fault)) => fault,
            Err(payload) => Fault::Failed(panic_text(payload.as_ref()).to_owned()),
        };
        let state = match fault {
            Fault::Stopped => outcome(Cause::Stopped, Stage::Queued),
            // What a lost device makes fail is the loss's doing.
            Fault::Failed(_) if shared.condition.is_lost() => State::Lost,
            Fault::Failed(reason) => {
                self.fail(submission, &reason);
                State::Failed
            }
            Fault::Lost(reason) => {
                // Whoever runs the workload sees the device's status, and reports the loss.
                shared.lose(&reason);
                State::Lost
            }
        };
        (state, None)
    }

    /// Reports that an operation failed, and that nothing more runs.
    fn fail(&mut self, submission: &Submission, reason: &str) {
        self.sink.report(Record::Problem(Box::new(Problem {
            severity: Severity::Error,
            code: "operation-failed".to_owned(),
            text: format!(
                "{reason}; what was queued behind it on any stream is cancelled: mend the launch and \
                 run again"
            ),
            span: submission.span,
            event: EventId::NONE,
        })));
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
