//! Calls about events: elapsed time, resets, destruction, pools, measured blocks, and waits with timeouts.

use super::{Caller, Current};
use crate::prepare::DEVICE;
use crate::shared::Shared;
use backend::{Callback, Error, Operation};
use device::{ElapsedError, EventStatus, elapsed, lock};
use order::Act;
use record::time::Nanos;
use record::{
    self, Basis, CallId, Dependency, DependencyKind, EventId, EventIndex, Record, StreamIndex,
    TIME_LIMIT, Value,
};
use record::{Severity, Span, SpanId, SpanKind, State};
use workload::{ErrorKind, EventCall, StreamKind, ThreadIndex};

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
    pub(super) fn event(
        &mut self,
        current: &Current,
        call: &EventCall,
    ) -> (SpanKind, Result<(), Error>) {
        let result = match call {
            EventCall::Elapsed { start, end } => self.elapsed(current, *start, *end),
            EventCall::RecordExternal { event, stream } => self
                .submit(current, *stream, Operation::RecordExternal(*event))
                .map(drop),
            EventCall::WaitExternal { event, stream } => self
                .submit(current, *stream, Operation::WaitExternal(*event))
                .map(drop),
            EventCall::Reset { event, stream } => self
                .submit(current, *stream, Operation::Reset(*event))
                .map(drop),
            EventCall::DestroyEvent(event) => self.destroy_event(current, *event),
            EventCall::DestroyStream(stream) => self.destroy_stream(current, *stream),
            EventCall::Abort(stream) => return self.abort(current, *stream),
            EventCall::Wait {
                event,
                stream,
                timeout,
            } => {
                let wait = Operation::WaitFor(*event, *timeout);
                let waits = self.submit(current, *stream, wait);
                waits.map(|span| self.limit(span, *timeout))
            }
            EventCall::Synchronize { target, timeout } => {
                self.limit(current.span, *timeout);
                return self.synchronize_for(current, *target, Some(timeout.to_duration()));
            }
            EventCall::Demand(event) => self.demand(current, *event),
            EventCall::Acquire(event) => self.acquire(current, *event),
            EventCall::Release(event) => self.release(*event),
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
            EventCall::Subscribe { thread, stream } => self.subscribe(*thread, *stream),
            EventCall::Unsubscribe { thread, stream } => self.unsubscribe(*thread, *stream),
            EventCall::Callback { .. } | EventCall::Panic { .. } => self.function(current, call),
        };
        (SpanKind::Call, result)
    }

    /// Says for how long a wait waits at most.
    fn limit(&self, span: SpanId, limit: Nanos) {
        let name = self.shared.names.id(TIME_LIMIT, &self.reporter);
        self.reporter
            .send(Record::Argument(span, name, Value::Integer(limit.0)));
    }

    fn elapsed(&self, current: &Current, start: EventIndex, end: EventIndex) -> Result<(), Error> {
        let status = |event: EventIndex| {
            self.note(current, Act::Ask(event));
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
            Ok::<_, Error>((latest, status))
        };
        let ((first, from), (second, to)) = (status(start)?, status(end)?);
        let length =
            elapsed(from, to).map_err(|error| Error::call(kind(error), error.to_string()))?;
        self.say(current.span, "elapsed", &length.to_string());
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
        current: &Current,
        name: &str,
        (start, end): (EventIndex, EventIndex),
        stream: StreamIndex,
    ) -> Result<(), Error> {
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
            lane: Shared::host_lane(self.host),
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

    fn destroy_event(&self, current: &Current, event: EventIndex) -> Result<(), Error> {
        let released = self.shared.events.release(event);
        released.map_err(|error| self.event_error(error))?;
        self.note(current, Act::Forget(event));
        Ok(())
    }

    fn destroy_stream(&self, current: &Current, stream: StreamIndex) -> Result<(), Error> {
        let Some(tail) = self.shared.tail(stream) else {
            return Err(Error::Unknown(format!("stream {}", stream.0)));
        };
        let mut tail = lock(tail);
        if tail.is_destroyed {
            return Err(self.destroyed(stream));
        }
        let plan = self.shared.plan.streams.get(stream.index());
        if plan.is_some_and(|plan| plan.traits.kind != StreamKind::User) {
            let name = self.stream_name(stream);
            let reason = format!(
                "stream {name} is a default stream, which the driver makes and everybody shares: it cannot be destroyed; \
                 leave this call out, or make it a stream of its own (without kind=)"
            );
            return Err(Error::call(ErrorKind::InvalidValue, reason));
        }
        tail.is_destroyed = true;
        self.note(current, Act::Destroy(stream));
        Ok(())
    }

    /// What using a stream comes to that was destroyed (rule A27).
    pub(super) fn destroyed(&self, stream: StreamIndex) -> Error {
        let name = self.stream_name(stream);
        let reason = format!(
            "stream {name} was destroyed: what it was given before runs to its end, and it takes nothing more; destroy it \
             after its last use"
        );
        Error::call(ErrorKind::Destroyed, reason)
    }

    fn abort(&mut self, current: &Current, stream: StreamIndex) -> (SpanKind, Result<(), Error>) {
        use order::{Act, Awaited};
        self.note(current, Act::Abort(stream));
        self.note_begin(current, Awaited::Alone(stream));
        let done = self.blocked(current, SpanKind::Synchronize, |shared, caller| {
            shared.device.abort(caller.host, stream, current.span)
        });
        // Nothing of what was dropped is still to come.
        self.note_end(current, &done.1);
        done
    }

    fn demand(&mut self, current: &Current, event: EventIndex) -> Result<(), Error> {
        use device::Progress;
        let name = self.event_name(event).to_owned();
        let refuse = |kind, reason: String| Err(Error::call(kind, reason));
        match self.ask(current, event, true)? {
            Progress::Reached(_) | Progress::NotRecorded => Ok(()),
            Progress::Pending => refuse(
                ErrorKind::NotReady,
                format!(
                    "{name} was recorded and is not reached yet: ask again later, or synchronize with it"
                ),
            ),
            Progress::Failed => refuse(
                ErrorKind::Failed,
                format!(
                    "the record of {name} failed or was cancelled: see the first operation that failed"
                ),
            ),
        }
    }

    /// A function that a callback thread calls, or one that panics.
    fn function(&mut self, current: &Current, call: &EventCall) -> Result<(), Error> {
        match call {
            EventCall::Callback {
                name,
                length,
                stream,
                is_blocking,
                panics,
            } => {
                let thread = self.shared.subscriptions.thread(*stream);
                let thread = thread.ok_or_else(|| self.not_subscribed(*stream))?;
                self.label_function(name, current.place);
                let span = self.shared.next_span();
                let callback = Callback {
                    thread: thread.0 as usize,
                    span,
                    length: *length,
                    is_blocking: *is_blocking,
                    panics: *panics,
                };
                let submitted = self.submit(current, *stream, Operation::Callback(callback));
                match submitted {
                    Ok(operation) if *is_blocking => {
                        self.tie(span, operation, DependencyKind::Step);
                    }
                    Ok(operation) => self.tie(operation, span, DependencyKind::Step),
                    Err(error) => {
                        self.report_uncalled(current, span, thread);
                        return Err(error);
                    }
                }
                Ok(())
            }
            EventCall::Panic {
                name,
                length,
                stream,
            } => {
                self.label_function(name, current.place);
                self.submit(current, *stream, Operation::Panic(*length))
                    .map(drop)
            }
            _ => Ok(()),
        }
    }

    fn not_subscribed(&self, stream: StreamIndex) -> Error {
        let name = self.stream_name(stream);
        let reason = format!(
            "no thread takes callbacks of stream {name}: subscribe one before (subscribe \"calls\" stream=\"{name}\"), or \
             leave blocking= out for a function that the stream calls by itself"
        );
        Error::call(ErrorKind::NotSubscribed, reason)
    }

    fn subscribe(&self, thread: ThreadIndex, stream: StreamIndex) -> Result<(), Error> {
        match self.shared.subscriptions.subscribe(thread, stream) {
            None => Ok(()),
            Some(other) => {
                let threads = &self.shared.plan.callback_threads;
                let other = threads.get(other.0 as usize).map_or("?", |name| name);
                let name = self.stream_name(stream);
                let reason = format!(
                    "callbacks of stream {name} are taken by {other} already, and a stream has one such thread: \
                     unsubscribe it first"
                );
                Err(Error::call(ErrorKind::AlreadySubscribed, reason))
            }
        }
    }

    fn unsubscribe(&self, thread: ThreadIndex, stream: StreamIndex) -> Result<(), Error> {
        let subscriptions = &self.shared.subscriptions;
        if subscriptions.thread(stream) != Some(thread) {
            return Err(self.not_subscribed(stream));
        }
        let name = self.stream_name(stream);
        let device = &self.shared.device;
        // In this order: what has left the stream without an end was handed to its thread before.
        if device.pending(stream) > 0 {
            let reason = format!(
                "stream {name} is not done with what it was given, which may hold callbacks: synchronize with it first"
            );
            return Err(Error::call(ErrorKind::CallbacksPending, reason));
        }
        if device.calls(stream) > 0 {
            let reason = format!(
                "a callback of stream {name} that does not block it is still to run, or runs: submit one that does \
                 (blocking=#true) after it, and synchronize with the stream"
            );
            return Err(Error::call(ErrorKind::CallbacksPending, reason));
        }
        subscriptions.unsubscribe(stream);
        Ok(())
    }

    /// A callback that could not be submitted: its span was given out.
    fn report_uncalled(&self, current: &Current, span: SpanId, thread: ThreadIndex) {
        let now = self.shared.device.now(self.host);
        self.reporter.send(Record::Span(Span {
            id: span,
            lane: self.shared.callback_lane(thread),
            name: current.name,
            call: CallId(current.place.call),
            kind: SpanKind::HostFunction,
            state: State::Cancelled,
            enqueued: now,
            start: now,
            end: now,
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
