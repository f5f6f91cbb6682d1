//! Calls that submit an operation to a stream.

use std::cell::Cell;

use super::{Caller, CurrentCall, order, other_hosts};
use crate::machine::{Instruction, Machine};
use crate::shared::RunState;
use crate::uses;
use ::order::{DeclaredUse, SyncOp};
use backend::{BackendError, Operation, Submission};
use device::{RecordProgress, RecordedEvent, lock};
use record::time::Nanos;
use record::{
    CallId, DependencyKind, EventChange, EventIndex, LaneId, Record, Sample, Severity, SignalIndex,
    Span, SpanId, SpanKind, State, StreamIndex, SubmittedSpan,
};
use workload::{FailureMode, KernelArguments, PipelineIndex};

impl Caller {
    /// Submits a launch, once the pipeline that it needs is ready.
    pub(super) fn launch(
        &mut self,
        current: &CurrentCall,
        stream: StreamIndex,
        pipeline: Option<PipelineIndex>,
        kernel: &KernelArguments,
    ) -> Result<(), BackendError> {
        let ready = match pipeline {
            Some(pipeline) => self.until_ready(current, pipeline)?,
            None => Some(SpanId::NONE),
        };
        let Some(ready) = ready else {
            return Ok(());
        };
        let operation = Operation::Launch(Box::new(kernel.clone()));
        let span = self.submit(current, stream, operation)?;
        if ready.is_some() && span.is_some() {
            self.report_dependency(ready, span, DependencyKind::Pipeline);
        }
        Ok(())
    }

    /// Submits an operation to a stream, after what has to be waited for. Gives its span; none where it was captured,
    /// or refused because it uses a buffer that is mapped.
    pub(super) fn submit(
        &mut self,
        current: &CurrentCall,
        stream: StreamIndex,
        operation: Operation,
    ) -> Result<SpanId, BackendError> {
        if self.shared.launches.is_capturing() && self.catch(current, stream, &operation)? {
            return Ok(SpanId::NONE);
        }
        Self::refuse_external(&operation)?;
        let shared = std::sync::Arc::clone(&self.shared);
        self.until_destroyed(current)?;
        // Before anything is locked: whoever waits for room must not keep others from submitting.
        shared.device.make_room(self.host, stream);
        self.until_low_water(current);
        let mut uses = std::mem::take(&mut self.uses);
        let act = uses::act(&operation, stream, &mut uses);
        self.declare_uses(current.place, &act, &uses);
        if let Some(timelines) = &shared.timelines
            && timelines.refuses(&shared, &self.call_context(current), &operation, &uses)
        {
            self.uses = uses;
            return Ok(SpanId::NONE);
        }
        let act = self.certain(&operation, stream).unwrap_or(act);
        self.hold_back(current, stream, &uses)?;
        let mut state = shared.insertions.as_ref().map(|it| it.lock());
        if let Some(state) = state.as_deref_mut() {
            self.insert_before(current, state, stream, &uses)?;
            state.automatic.note(self.host.0 as u32, &act);
        }
        shared.launches.note(&operation);
        let (name, dispatched) = (current.name, shared.device.now(self.host));
        let span = self.hand_in(current, stream, operation, Some(act), &uses)?;
        if let Some(state) = state.as_deref_mut() {
            state.legacy.note(stream);
        }
        if let Some(machine) = &shared.machine {
            let it = Instruction {
                operation: span,
                launch: shared.next_span(),
                life: shared.next_span(),
                call: CallId(current.place.call),
                name,
                stream,
                received: current.start,
                dispatched,
                begun: self.begun.get().max(dispatched),
                launched: shared.device.now(self.host),
            };
            machine.launch(it, &self.reporter);
        }
        self.uses = uses;
        let site = shared.plan.sites.get(current.place.call as usize);
        if let Some(site) = site.filter(|site| !site.chosen.is_empty()) {
            self.argue(span, "stream chosen", &site.chosen);
        }
        Ok(span)
    }

    /// Submits an operation to a stream as it is, and tells the order of calls what it does to it. Gives its span.
    pub(super) fn hand_in(
        &mut self,
        current: &CurrentCall,
        stream: StreamIndex,
        mut operation: Operation,
        act: Option<SyncOp>,
        uses: &[DeclaredUse],
    ) -> Result<SpanId, BackendError> {
        let shared = std::sync::Arc::clone(&self.shared);
        let name = self.label_of_operation(&operation, current);
        let tail = shared.tail(stream);
        let unknown = || BackendError::Unknown(format!("stream {}", stream.0));
        let mut tail = lock(tail.ok_or_else(unknown)?);
        if tail.is_destroyed {
            return Err(self.destroyed(stream));
        }
        self.look_at_event(&operation)?;
        let span = shared.next_span();
        self.note_values(current, (&operation, stream, tail.submitted + 1), span);
        self.report_dependency(current.span, span, DependencyKind::Submission);
        self.arguments
            .report(&shared, &self.reporter, span, &operation);
        self.report_label(span, CallId(current.place.call));
        let queue = self.queue_span(current, span, &mut operation);
        let origin = order::origin(current, span);
        let kind = operation.kind();
        let submission = Submission {
            span,
            queue,
            name,
            call: CallId(current.place.call),
            enqueued: shared.device.now(self.host),
            operation,
        };
        let enqueued = submission.enqueued;
        let inside = self.conflicts_inside(&submission.operation, stream);
        let shared_replay = other_hosts::shared_replay(&submission.operation);
        self.report_submission(&submission, kind, shared.stream_lane(stream));
        let (host, begun) = (self.host, Cell::new(Nanos::ZERO));
        let submit = |submission| -> Result<(), BackendError> {
            begun.set(Self::submit_now(&shared, host, stream, submission)?);
            // While the stream and the event are still locked.
            if let Some(replay) = &shared_replay {
                other_hosts::tell_replay(&shared.order, (host.0 as u32, origin), stream, replay);
                return Ok(());
            }
            for act in [act.unwrap_or(SyncOp::Appear)].into_iter().chain(inside) {
                shared.order.push(host.0 as u32, origin, act, uses);
            }
            Ok(())
        };
        let submitted = match submission.operation {
            Operation::Replay(ref replay) if self.is_told_by_nodes(replay) => {
                let replay = replay.clone();
                self.hand_in_replay(current, stream, submission, &replay)
            }
            Operation::Record(event) => {
                let submit = |recorded: RecordedEvent| {
                    self.note_record(event, recorded.generation, span);
                    submit(submission)
                };
                let recorded = shared.events.record(event, stream, span, submit);
                recorded
                    .map_err(|error| self.event_error(error))
                    .and_then(|submitted| submitted)
            }
            Operation::Reset(event) => {
                let submit = |latest, waits| {
                    self.note_reset(current, event, span, (latest, waits));
                    submit(submission)
                };
                let reset = shared.events.reset(event, submit);
                reset
                    .map_err(|error| self.event_error(error))
                    .and_then(|submitted| submitted)
            }
            Operation::Wait(event) | Operation::WaitFor(event, _) => {
                let basis = self.basis_of_wait(&submission.operation, stream);
                let submit = |latest: Option<RecordedEvent>| {
                    self.note_wait(current, event, (span, basis), latest);
                    submit(submission)
                };
                let waited = shared.events.wait(event, submit);
                waited
                    .map_err(|error| self.event_error(error))
                    .and_then(|submitted| submitted)
            }
            Operation::Hold(signal) => {
                self.note_hold(current, signal, stream, span);
                submit(submission)
            }
            _ => submit(submission),
        };
        submitted.inspect_err(|_| self.report_refused(current, kind, [span, queue], stream))?;
        self.begun.set(self.begun.get().max(begun.get()));
        tail.push(span, shared.machine.as_ref().map_or(0, Machine::kept));
        self.sample(stream, enqueued);
        Ok(span)
    }

    /// What conflicts within an operation: the nodes of a graph.
    fn conflicts_inside(&self, operation: &Operation, stream: StreamIndex) -> Option<SyncOp> {
        let Operation::Replay(replay) = operation else {
            return None;
        };
        let found = replay.hazards(&replay.graph.conflicts, stream, self.host.0 as u32);
        (!found.is_empty()).then_some(SyncOp::Conflicts(found))
    }

    /// Tells the near end of a link, where there is one, what it has to know of an operation until that has ended.
    fn report_submission(&self, submission: &Submission, kind: SpanKind, lane: LaneId) {
        if !self.shared.reports_submissions {
            return;
        }
        let queue = self.shared.queue_lane().unwrap_or(lane);
        let spans = [(submission.span, lane), (submission.queue, queue)];
        for (id, lane) in spans.into_iter().filter(|(id, _)| id.is_some()) {
            self.reporter
                .send(Record::Submitted(Box::new(SubmittedSpan {
                    id,
                    lane,
                    name: submission.name,
                    call: submission.call,
                    kind,
                    enqueued: submission.enqueued,
                })));
        }
        let delivery = self.shared.mesh.as_ref().and_then(|it| it.delivery());
        if let (Operation::Collective(_), Some(delivery)) = (&submission.operation, delivery) {
            delivery.ask();
        }
    }

    /// Refuses an operation on an event that was destroyed, before anything is given out or said.
    fn look_at_event(&self, operation: &Operation) -> Result<(), BackendError> {
        let (Operation::Record(event)
        | Operation::Reset(event)
        | Operation::Wait(event)
        | Operation::WaitFor(event, _)) = operation
        else {
            return Ok(());
        };
        let usable = self.shared.events.latest(*event, |_| ());
        usable.map_err(|error| self.event_error(error))
    }

    /// An operation that was refused once its spans had been given out, on its stream and on the device's queue: it never ran.
    fn report_refused(
        &self,
        current: &CurrentCall,
        kind: SpanKind,
        [span, queue]: [SpanId; 2],
        stream: StreamIndex,
    ) {
        let now = self.shared.device.now(self.host);
        let lane = self.shared.stream_lane(stream);
        let lanes = [
            (span, lane),
            (queue, self.shared.queue_lane().unwrap_or(lane)),
        ];
        for (id, lane) in lanes.into_iter().filter(|(id, _)| id.is_some()) {
            self.reporter.send(Record::Span(Span {
                id,
                lane,
                name: current.name,
                call: CallId(current.place.call),
                kind,
                state: State::Cancelled,
                enqueued: now,
                start: now,
                end: now,
            }));
        }
    }

    /// A wait that may give up orders all that comes after it, where nothing comes after it once it has (rules F8, F13).
    pub(super) fn certain(&self, operation: &Operation, stream: StreamIndex) -> Option<SyncOp> {
        let Operation::WaitFor(event, _) = operation else {
            return None;
        };
        let plan = self.shared.plan.streams.get(stream.index());
        let stops = plan.is_some_and(|stream| stream.failure == FailureMode::Stop);
        stops.then_some(SyncOp::Wait(*event, stream))
    }

    /// Rule F7: later waits find nothing, and those that still wait for the record keep to it.
    fn note_reset(
        &self,
        current: &CurrentCall,
        event: EventIndex,
        span: SpanId,
        (latest, waits): (Option<RecordedEvent>, u32),
    ) {
        let Some(latest) = latest else { return };
        self.step(event, (EventChange::Reset, latest.generation), span);
        let is_pending = self.shared.device.query(self.host, event) == RecordProgress::Pending;
        if waits < 2 || !is_pending {
            return;
        }
        let text = format!(
            "line {}: {} is reset while {waits} waits are for its record; here they keep to it, and a wait that is called \
             after this finds nothing: AscendCL advises against it",
            current.place.line,
            self.event_name(event)
        );
        let policy = "AscendCL: a second waiter cannot succeed · here: waits keep to the record that they were called for";
        self.say(span, "policy", policy);
        self.tell(Severity::Warning, "reset-with-pending-waiters", text, span);
    }

    /// A span for the operation on the lane of the queue that all streams share, where there is one.
    /// The nodes of a graph have spans of their own.
    fn queue_span(&self, current: &CurrentCall, span: SpanId, operation: &mut Operation) -> SpanId {
        if let Operation::Replay(replay) = operation {
            self.number_nodes(current, replay);
        }
        if self.shared.queue_lane().is_none() || !operation.is_queued() {
            return SpanId::NONE;
        }
        let queue = self.shared.next_span();
        self.report_dependency(span, queue, DependencyKind::Step);
        queue
    }

    fn note_hold(
        &self,
        current: &CurrentCall,
        signal: SignalIndex,
        stream: StreamIndex,
        span: SpanId,
    ) {
        if let Some(slot) = self.shared.signal(signal) {
            let mut slot = lock(slot);
            slot.holds.insert(stream, current.place.line);
            match slot.raised {
                Some(raised) => self.report_dependency(raised, span, DependencyKind::Signal),
                None => slot.waiting.push(span),
            }
        }
    }

    /// Samples how much is pending on a stream, now that there is one more.
    fn sample(&self, stream: StreamIndex, now: Nanos) {
        self.reporter.send(Record::Sample(Sample {
            counter: RunState::pending_counter(stream),
            time: now,
            value: self.shared.device.pending(stream) as f64,
        }));
    }
}
