//! The thread of a stream: runs its operations one after the other and reports each.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::device::Shared;
use super::mark::Mark;
use super::memory::Fault;
use super::stream::{Item, Obstacle, Stream};
use crate::backend::{Operation, Sink, Submission};
use crate::device::{Cause, Progress, Stage, lock, outcome};
use crate::record::{EventId, Loss, LossKind, Problem, Record, Sample, Severity, State};
use crate::time::Interval;

/// The thread of a stream.
pub struct Worker {
    shared: Arc<Shared>,
    place: usize,
    sink: Box<dyn Sink>,
    ended: u64,
}

impl Worker {
    /// The worker of the stream at `place`.
    pub fn new(shared: Arc<Shared>, place: usize, sink: Box<dyn Sink>) -> Self {
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
        let mut start = shared.now();
        let (state, end) = if let Some(cause) = shared.condition.cause() {
            if cause == Cause::Lost {
                start = shared.condition.lost_at().max(submission.enqueued);
            }
            (outcome(cause, Stage::Queued), start)
        } else {
            stream.begin(submission, start);
            let state = self.operate(stream, item);
            match submission.operation {
                _ if state == State::Lost => {
                    let lost = shared.condition.lost_at();
                    (state, shared.now().min(lost).max(start))
                }
                // An instant: what it marks is the moment at which the stream came to it.
                Operation::Record(_) => (state, start),
                _ => (state, shared.now()),
            }
        };
        let ran = Interval { start, end };
        let span = submission.span(stream.lane, ran, state);
        self.sink.report(Record::Span(span));
        self.sink.report(Record::Sample(Sample {
            counter: stream.pending,
            time: end,
            value: stream.submitted().saturating_sub(self.ended + 1) as f64,
        }));
        if let (Operation::Record(_), Some(mark)) = (&submission.operation, &item.mark) {
            match state {
                State::Done => mark.reach(start),
                _ => mark.fail(),
            }
        }
        self.ended += 1;
        stream.end(self.ended);
    }

    fn operate(&mut self, stream: &Stream, item: &Item) -> State {
        match &item.submission.operation {
            Operation::Record(_) => State::Done,
            Operation::Wait(event) => item.mark.as_ref().map_or(State::Done, |mark| {
                self.wait(stream, &Obstacle::Event(*event, Arc::clone(mark)))
            }),
            Operation::Hold(signal) => self.wait(stream, &Obstacle::Signal(*signal)),
            _ => self.compute(&item.submission),
        }
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
        };
        if reached {
            return State::Done;
        }
        let cause = shared.condition.cause().unwrap_or(Cause::Poisoned);
        outcome(cause, Stage::Held)
    }

    fn compute(&mut self, submission: &Submission) -> State {
        let shared = Arc::clone(&self.shared);
        let is_void = || shared.condition.is_void();
        let run = || shared.memory.perform(&submission.operation, &is_void);
        let fault = match catch_unwind(AssertUnwindSafe(run)) {
            _ if shared.condition.cause() == Some(Cause::Lost) => return State::Lost,
            Ok(Ok(())) => return State::Done,
            Ok(Err(Fault::Stopped)) => return outcome(Cause::Stopped, Stage::Queued),
            Ok(Err(Fault::Failed(reason))) => reason,
            Err(payload) => panic_text(payload.as_ref()).to_owned(),
        };
        self.fail(submission, &fault);
        State::Failed
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
                generation: 1,
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
