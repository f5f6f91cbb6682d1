//! What goes wrong on a stream in virtual time, and functions that callback threads call.

use super::point::PointState;
use super::simulation::{OPEN, Simulation};
use super::stream::MockQueueItem;
use crate::cpu::CpuMemory;
use crate::threads::{aborted, failed_record};
use crate::{BackendError, Callback, Operation, operation_failure};
use device::{
    FailureConsequence, OperationFailure, OperationStage, TerminationCause, consequence, outcome,
};
use record::time::{Interval, Nanos};
use record::{LaneId, Loss, LossKind, Record, SpanId, State, StreamIndex};
use workload::{FailureMode, SyncTarget};

impl Simulation {
    /// Whether the record that an operation waits for is never reached.
    pub fn is_orphaned(&self, item: &MockQueueItem) -> bool {
        let mark = item.mark.and_then(|mark| self.marks.get(mark));
        mark.is_some_and(|point| point.is_failed())
    }

    /// The wait at the head of the stream at `place` has taken too long (rule F8).
    pub fn give_up_waiting(&mut self, place: usize, time: Nanos, memory: &CpuMemory) {
        let stream = self.streams.get_mut(place);
        let Some((start, item)) = stream.and_then(|stream| {
            let item = stream.queue.pop_front()?;
            Some((super::turn::ready_at(stream.free_at, &item), item))
        }) else {
            return;
        };
        self.finish(place, &item, Interval { start, end: time }, State::Failed);
        self.apply_failure(
            place,
            item.submission.span,
            OperationFailure::TimedOut,
            memory,
        );
    }

    /// An operation of the stream at `place` failed.
    pub fn fail(&mut self, place: usize, span: SpanId, reason: &str, memory: &CpuMemory) {
        // What a stop cancels has not failed.
        if self.cause == Some(TerminationCause::Stopped) {
            return;
        }
        let consequence = consequence(self.mode(place), OperationFailure::Failed);
        self.report(operation_failure::failed(span, reason, consequence));
        match consequence {
            FailureConsequence::DeviceStops => self.stop_device(reason, memory),
            _ => self.keep(
                place,
                BackendError::call(
                    operation_failure::reason(OperationFailure::Failed).0,
                    reason,
                ),
            ),
        }
    }

    /// Something else went wrong with an operation of the stream at `place`.
    pub fn apply_failure(
        &mut self,
        place: usize,
        span: SpanId,
        mishap: OperationFailure,
        memory: &CpuMemory,
    ) {
        let consequence = consequence(self.mode(place), mishap);
        let (kind, reason) = operation_failure::reason(mishap);
        self.report(operation_failure::problem(mishap, span, consequence));
        self.keep(place, BackendError::call(kind, reason));
        match consequence {
            FailureConsequence::GoesOn => {}
            FailureConsequence::StreamStops => {
                if let Some(stream) = self.streams.get_mut(place) {
                    stream.is_stopped = true;
                }
                self.drop_queue(place, self.time);
            }
            FailureConsequence::DeviceStops => self.stop_device(reason, memory),
        }
    }

    fn mode(&self, place: usize) -> FailureMode {
        let stream = self.streams.get(place);
        stream.map(|stream| stream.failure).unwrap_or_default()
    }

    fn keep(&mut self, place: usize, error: BackendError) {
        if let Some(stream) = self.streams.get_mut(place) {
            stream.trouble.get_or_insert(error);
        }
    }

    fn stop_device(&mut self, reason: &str, memory: &CpuMemory) {
        if self.cause.is_none() {
            reason.clone_into(&mut self.reason);
            let loss = Loss {
                device: self.device,
                time: self.time,
                reason: reason.to_owned(),
                kind: LossKind::Failed,
                generation: self.generation,
            };
            self.report(Record::Loss(Box::new(loss)));
            self.give_up(TerminationCause::Poisoned, memory);
        }
    }

    /// Drops what is queued on the stream at `place`.
    pub fn drop_queue(&mut self, place: usize, time: Nanos) {
        let queue = self
            .streams
            .get_mut(place)
            .map(|stream| std::mem::take(&mut stream.queue));
        for item in queue.unwrap_or_default() {
            let free = self.streams.get(place).map(|stream| stream.free_at);
            let free = free.unwrap_or_default();
            let end = time.max(item.submission.enqueued).max(free);
            let start = self.held_since(&item, free).unwrap_or(end).min(end);
            self.finish(place, &item, Interval { start, end }, State::Cancelled);
        }
    }

    /// Since when an operation waits whose stream is free at `free`; nothing for one that would run at once.
    fn held_since(&mut self, item: &MockQueueItem, free: Nanos) -> Option<Nanos> {
        match item.submission.operation {
            Operation::Wait(_)
            | Operation::WaitFor(..)
            | Operation::Hold(_)
            | Operation::Join(_) => Some(super::turn::ready_at(free, item)),
            Operation::Callback(_) if item.mark.is_some() => Some(self.called_at(item)),
            _ => None,
        }
    }

    /// Kills what runs on a stream and drops what is queued, by the call that is the span `by`; the stream takes work again
    /// (rule F14).
    pub fn abort(&mut self, stream: StreamIndex, time: Nanos, by: SpanId) {
        let place = stream.index();
        let Some(stream) = self.streams.get_mut(place) else {
            return;
        };
        (stream.trouble, stream.is_stopped) = (None, false);
        // One that finds nothing to drop concerns nobody who waits.
        let is_heard = stream.running.is_some() || !stream.queue.is_empty();
        stream.aborts += u64::from(is_heard);
        let running = stream.running.iter().map(|it| &it.0);
        let dropped: Vec<SpanId> = running
            .chain(&stream.queue)
            .map(|it| it.submission.span)
            .collect();
        for span in dropped {
            self.report(operation_failure::aborted(by, span));
        }
        let Some(stream) = self.streams.get_mut(place) else {
            return;
        };
        if let Some((item, ran)) = stream.running.take() {
            let end = ran.end.min(time).max(ran.start);
            // A blocking callback runs on: it is the thread's, and no longer the stream's.
            self.finish(place, &item, Interval { end, ..ran }, State::Failed);
        }
        self.drop_queue(place, time);
    }

    /// Nothing more begins: cancels what is queued, releases those that wait for nothing that ends. Where the device failed,
    /// what runs runs on, and what is queued behind it is dropped then.
    pub fn give_up(&mut self, cause: TerminationCause, memory: &CpuMemory) {
        self.cause.get_or_insert(cause);
        let time = self.time;
        for place in 0..self.streams.len() {
            if cause == TerminationCause::Poisoned && self.runs_on(place) {
                continue;
            }
            while self
                .streams
                .get(place)
                .is_some_and(|stream| stream.running.is_some())
            {
                match cause {
                    TerminationCause::Lost => self.cut(place),
                    _ => self.end(place, memory),
                }
            }
            let Some(stream) = self.streams.get_mut(place) else {
                continue;
            };
            for item in std::mem::take(&mut stream.queue) {
                self.leave_out(place, &item, cause);
            }
        }
        self.wake(time);
    }

    /// What is queued at `place` never runs; a wait that the stream had come to has waited until now.
    fn leave_out(&mut self, place: usize, item: &MockQueueItem, cause: TerminationCause) {
        let at = self.time.max(item.submission.enqueued);
        let free = self.streams.get(place).map(|stream| stream.free_at);
        let since = self.held_since(item, free.unwrap_or_default());
        let start = since.unwrap_or(at).min(at);
        let state = outcome(cause, OperationStage::Queued);
        self.finish(place, item, Interval { start, end: at }, state);
    }

    /// Whether something runs on the stream at `place` that comes to an end by itself.
    fn runs_on(&self, place: usize) -> bool {
        let running = self.streams.get(place).and_then(|it| it.running.as_ref());
        running
            .is_some_and(|(item, ran)| ran.end != OPEN || self.known_end(item, ran.start).is_some())
    }

    /// What runs at `place` is lost: nothing of it is seen.
    fn cut(&mut self, place: usize) {
        let stream = self.streams.get_mut(place);
        if let Some((item, ran)) = stream.and_then(|stream| stream.running.take()) {
            let end = ran.end.min(self.time).max(ran.start);
            self.finish(place, &item, Interval { end, ..ran }, State::Lost);
        }
    }

    /// What a synchronisation says besides that it was reached: `aborts` is how often aborts had dropped something of its streams before.
    pub fn verdict(&mut self, target: SyncTarget, aborts: u64) -> Option<BackendError> {
        let count = self.stream_count;
        match target {
            SyncTarget::Event(_) => None,
            _ if self.aborts(target) > aborts => Some(aborted()),
            SyncTarget::Stream(stream) => self.streams.get_mut(stream.index())?.trouble.take(),
            SyncTarget::Device => {
                let mut streams = self.streams.iter_mut().take(count);
                streams.find_map(|stream| stream.trouble.take())
            }
        }
    }

    /// How often aborts dropped something of the streams of a target.
    pub fn aborts(&self, target: SyncTarget) -> u64 {
        let streams = self.streams.iter().take(self.stream_count);
        match target {
            SyncTarget::Event(_) => 0,
            SyncTarget::Stream(stream) => {
                self.streams.get(stream.index()).map_or(0, |it| it.aborts)
            }
            SyncTarget::Device => streams.map(|stream| stream.aborts).sum(),
        }
    }

    /// What synchronising with a record comes to that is never reached.
    pub fn verdict_on(&self, mark: usize) -> Option<BackendError> {
        let point = self.marks.get(mark);
        point
            .is_some_and(|point| point.is_failed())
            .then(failed_record)
    }

    /// Hands a function to the thread that takes the callbacks of the stream at `place`: a blocking one stays at the
    /// head of its stream as a wait for the function's end.
    pub fn call(&mut self, place: usize, mut item: MockQueueItem, callback: Callback, time: Nanos) {
        if let Some(mark) = item.mark {
            let start = self.called_at(&item);
            let ran = Interval { start, end: time };
            let state = match self.marks.get(mark) {
                Some(point) if point.is_failed() => State::Failed,
                _ => State::Done,
            };
            return self.finish(place, &item, ran, state);
        }
        self.marks.push(PointState::Pending);
        let mark = self.marks.len() - 1;
        let submission = item.submission.called(&callback, time);
        let place_of_thread = self.stream_count + callback.thread;
        if let Some(thread) = self.streams.get_mut(place_of_thread) {
            self.busy.insert(place_of_thread);
            thread.submitted += 1;
            thread
                .queue
                .push_back(MockQueueItem::new(submission, Some(mark)));
        }
        item.mark = Some(mark);
        let marks = &self.marks;
        if let Some(stream) = self.streams.get_mut(place) {
            let is_open = |end: &usize| marks.get(*end) == Some(&PointState::Pending);
            stream.called.retain(is_open);
            stream.called.push(mark);
        }
        if callback.is_blocking {
            self.called.insert(item.submission.span, time);
            if let Some(stream) = self.streams.get_mut(place) {
                stream.queue.push_front(item);
            }
        } else {
            let ran = Interval {
                start: time,
                end: time,
            };
            self.finish(place, &item, ran, State::Done);
        }
    }

    /// Functions of the stream at `place` that the thread of its callbacks was given and that have not ended.
    pub fn calls(&self, place: usize) -> u64 {
        let called = self
            .streams
            .get(place)
            .map_or(&[][..], |stream| &stream.called);
        let is_open = |mark: &&usize| self.marks.get(**mark) == Some(&PointState::Pending);
        called.iter().filter(is_open).count() as u64
    }

    fn called_at(&mut self, item: &MockQueueItem) -> Nanos {
        let called = self.called.remove(&item.submission.span);
        called.unwrap_or(item.submission.enqueued)
    }

    /// Says whether a callback waited for its function, and for one that was dropped before its thread was given the
    /// function that it was never called.
    pub fn report_called(&mut self, item: &MockQueueItem, time: Nanos, state: State) {
        if let Some(waited) = operation_failure::waited_for_function(&item.submission, state) {
            self.report(waited);
        }
        if let (Operation::Callback(callback), None) = (&item.submission.operation, item.mark) {
            let lane = self.streams.get(self.stream_count + callback.thread);
            let lane = lane.map_or(LaneId::NONE, |stream| stream.lane);
            let never = Interval {
                start: time,
                end: time,
            };
            let called = item.submission.called(callback, time);
            self.report(Record::Span(called.span(lane, never, state)));
        }
    }
}
