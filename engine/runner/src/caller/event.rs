//! Calls about events: records, waits, questions, elapsed time, resets, destruction, pools and measured blocks.

use super::{Caller, CurrentCall};
use crate::prepare::DEVICE;
use crate::shared::RunState;
use backend::{BackendError, Operation};
use device::{DeviceStatus, ElapsedError, EventStatus, elapsed, lock};
use order::SyncOp;
use record::time::Nanos;
use record::{
    self, Basis, CallId, Dependency, DependencyKind, EventChange, EventId, EventIndex, EventStep,
    Record, StreamIndex, TIME_LIMIT, Value,
};
use record::{Severity, Span, SpanId, SpanKind, State};
use workload::{ErrorKind, EventCall, SyncTarget};

/// What each reason for which there is no elapsed time is called.
const fn kind(error: ElapsedError) -> ErrorKind {
    match error {
        ElapsedError::TimingDisabled => ErrorKind::TimingDisabled,
        ElapsedError::NotRecorded => ErrorKind::NotRecorded,
        ElapsedError::NotReady => ErrorKind::NotReady,
        ElapsedError::OtherDevice => ErrorKind::OtherDevice,
        ElapsedError::Failed => ErrorKind::Failed,
    }
}

impl Caller {
    pub(super) fn event_call(
        &mut self,
        current: &CurrentCall,
        call: &EventCall,
    ) -> (SpanKind, Result<(), BackendError>) {
        let result = match call {
            EventCall::Record {
                is_external,
                event,
                stream,
            } => {
                let operation = if *is_external {
                    Operation::RecordExternal(*event)
                } else {
                    Operation::Record(*event)
                };
                self.submit(current, *stream, operation).map(drop)
            }
            EventCall::Wait {
                is_external,
                timeout,
                event,
                stream,
            } => self.wait(current, (*event, *stream), *is_external, *timeout),
            EventCall::Synchronize { timeout, event } => {
                return self.synchronize(current, SyncTarget::Event(*event), *timeout);
            }
            EventCall::Query { is_strict, event } => {
                if *is_strict {
                    self.require_complete(current, *event)
                } else {
                    self.ask(current, *event, false).map(drop)
                }
            }
            EventCall::Elapsed { start, end } => self.elapsed(current, *start, *end),
            EventCall::Reset { event, stream } => self
                .submit(current, *stream, Operation::Reset(*event))
                .map(drop),
            EventCall::Destroy { event } => self.destroy_event(current, *event),
            EventCall::Acquire { event } => self.acquire(current, *event),
            EventCall::Release { event } => self.release(*event),
            EventCall::BeginTime { start, stream } => {
                self.open.push((*start, current.start));
                self.submit(current, *stream, Operation::Record(*start))
                    .map(drop)
            }
            EventCall::EndTime {
                name,
                start,
                end,
                stream,
            } => self.end_time(current, name, (*start, *end), *stream),
        };
        (SpanKind::Call, result)
    }

    fn wait(
        &mut self,
        current: &CurrentCall,
        (event, stream): (EventIndex, StreamIndex),
        is_external: bool,
        timeout: Option<Nanos>,
    ) -> Result<(), BackendError> {
        let timeout = timeout.map(|timeout| self.shared.stretched(timeout));
        let operation = match timeout {
            _ if is_external => Operation::WaitExternal(event),
            Some(timeout) => Operation::WaitFor(event, timeout),
            None => Operation::Wait(event),
        };
        let span = self.submit(current, stream, operation)?;
        if let Some(timeout) = timeout {
            self.limit(span, timeout);
        }
        Ok(())
    }

    /// Says for how long a wait waits at most.
    pub(super) fn limit(&self, span: SpanId, limit: Nanos) {
        let name = self.shared.names.id(TIME_LIMIT, &self.reporter);
        self.reporter
            .send(Record::Argument(span, name, Value::Integer(limit.0)));
    }

    fn elapsed(
        &self,
        current: &CurrentCall,
        start: EventIndex,
        end: EventIndex,
    ) -> Result<(), BackendError> {
        let status = |event: EventIndex| {
            let latest = self.shared.events.latest(event, |latest| {
                (latest, self.shared.device.query(self.host, event))
            });
            let (latest, progress) = latest.map_err(|error| self.event_error(error))?;
            let timing = self.shared.plan.events.get(event.index());
            let status = EventStatus {
                device: DEVICE,
                timing: timing.is_some_and(|event| event.timing),
                progress,
            };
            Ok::<_, BackendError>((latest, status))
        };
        let ((first, from), (second, to)) = (status(start)?, status(end)?);
        let length = elapsed(from, to).map_err(|error| match error {
            ElapsedError::Failed => self.never_reached(error.to_string()),
            _ => BackendError::call(kind(error), error.to_string()),
        })?;
        self.say(current.span, "elapsed", &length.to_string());
        lock(&self.shared.measured).insert((start, end), length);
        if let (Some(first), Some(second)) = (first, second) {
            self.tie_elapsed(first.span, second.span, (end, second.generation));
        }
        if length < Nanos::ZERO {
            let text = format!(
                "line {}: {} was reached before {}, so the time between them is negative ({length}): swap the two, or \
                 record them in this order",
                current.place.line,
                self.event_name(end),
                self.event_name(start)
            );
            let policy = "here: negative, and said so · CUDA: not documented, believed negative · AscendCL: error 107007";
            self.say(current.span, "policy", policy);
            self.tell(Severity::Warning, "reversed-interval", text, current.span);
        }
        Ok(())
    }

    /// Ties the records of two events between which the time is taken, which orders nothing (rule A19).
    fn tie_elapsed(&self, cause: SpanId, effect: SpanId, (event, generation): (EventIndex, u32)) {
        self.reporter.send(Record::Dependency(Dependency {
            cause,
            effect,
            kind: DependencyKind::Elapsed,
            basis: Basis::Observed,
            event: EventId(event.0),
            generation,
        }));
    }

    fn end_time(
        &mut self,
        current: &CurrentCall,
        name: &str,
        (start, end): (EventIndex, EventIndex),
        stream: StreamIndex,
    ) -> Result<(), BackendError> {
        let record = self.submit(current, stream, Operation::Record(end))?;
        let events = &self.shared.events;
        let latest = |event| events.latest(event, |latest| latest).ok().flatten();
        if let (Some(first), Some(second)) = (latest(start), latest(end)) {
            self.tie_elapsed(first.span, record, (end, second.generation));
        }
        let place = self.open.iter().rposition(|(event, _)| *event == start);
        let Some(place) = place else { return Ok(()) };
        // What was open inside was left by an error.
        let began = self.open.drain(place..).next();
        let name = format!("time {name}");
        let scope = self.shared.next_span();
        // What was measured is told by the records, whose streams reach them later.
        self.reporter.send(Record::Dependency(Dependency::new(
            record,
            scope,
            DependencyKind::Step,
            Basis::Observed,
        )));
        self.reporter.send(Record::Span(Span {
            id: scope,
            lane: RunState::host_lane(self.host),
            name: self.shared.names.id(&name, &self.reporter),
            call: CallId(current.place.call),
            kind: SpanKind::Scope,
            state: State::Done,
            enqueued: began.map_or(current.start, |(_, time)| time),
            start: began.map_or(current.start, |(_, time)| time),
            end: self.shared.device.now(self.host),
        }));
        Ok(())
    }

    fn destroy_event(&self, current: &CurrentCall, event: EventIndex) -> Result<(), BackendError> {
        let released = self.shared.events.release(event);
        let generation = released.map_err(|error| self.event_error(error))?;
        self.step(event, (EventChange::Destroyed, generation), current.span);
        self.note(current, SyncOp::Forget(event));
        Ok(())
    }

    fn require_complete(
        &mut self,
        current: &CurrentCall,
        event: EventIndex,
    ) -> Result<(), BackendError> {
        use device::RecordProgress;
        let name = self.event_name(event).to_owned();
        let refuse = |kind, reason: String| Err(BackendError::call(kind, reason));
        match self.ask(current, event, true)? {
            RecordProgress::Reached(_) | RecordProgress::NotRecorded => Ok(()),
            RecordProgress::Pending => refuse(
                ErrorKind::NotReady,
                format!(
                    "{name} was recorded and is not reached yet: ask again later, or synchronize with it"
                ),
            ),
            RecordProgress::Failed => Err(self.never_reached(format!(
                "the record of {name} failed or was cancelled: see the first operation that failed"
            ))),
        }
    }

    /// What asking for a record comes to that is never reached: on a device that is lost, what every call comes to there.
    fn never_reached(&self, reason: String) -> BackendError {
        match self.shared.device.status() {
            DeviceStatus::Lost(reason) => BackendError::Lost(reason),
            _ => BackendError::call(ErrorKind::Failed, reason),
        }
    }

    /// A record of an event was submitted.
    pub(super) fn note_record(&self, event: EventIndex, generation: u32, span: SpanId) {
        self.say_number(span, "generation", i64::from(generation));
        self.step(event, (EventChange::Recorded, generation), span);
    }

    /// Something was done to an event.
    pub(super) fn step(
        &self,
        event: EventIndex,
        (change, generation): (EventChange, u32),
        span: SpanId,
    ) {
        self.reporter.send(Record::EventStep(EventStep {
            event: EventId(event.0),
            generation,
            change,
            span,
        }));
    }

    /// One more field of a span, in whole numbers.
    pub(super) fn say_number(&self, span: SpanId, name: &str, number: i64) {
        let name = self.shared.names.id(name, &self.reporter);
        let value = Value::Integer(number);
        self.reporter
            .send(record::Record::Argument(span, name, value));
    }
}
