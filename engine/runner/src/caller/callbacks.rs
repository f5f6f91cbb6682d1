//! Functions of the host that streams call, and the threads that take a stream's callbacks.

use super::{Caller, CurrentCall};
use backend::{BackendError, Callback, Operation};
use device::DeviceStatus;
use record::time::Nanos;
use record::{CallId, DependencyKind, Record, Span, SpanId, SpanKind, State, StreamIndex};
use workload::{ErrorKind, ThreadIndex};

/// How long a host thread waits before it looks again whether a function has ended.
const CALLED_CHECK: Nanos = Nanos(20_000);

/// A function of the host.
pub(super) struct FunctionCall<'n> {
    pub name: &'n str,
    pub length: Nanos,
    /// Whether later operations of the stream wait for its end; none where the stream calls it by itself.
    pub is_blocking: Option<bool>,
    pub panics: bool,
}

impl Caller {
    /// A function of the host: called by the stream itself, or by the thread that takes its callbacks.
    pub(super) fn function(
        &mut self,
        current: &CurrentCall,
        stream: StreamIndex,
        function: &FunctionCall<'_>,
    ) -> Result<(), BackendError> {
        let &FunctionCall {
            name,
            length,
            is_blocking,
            panics,
        } = function;
        let name = self.label_of_function(current, name);
        let current = &CurrentCall {
            function: Some(name),
            ..*current
        };
        let Some(is_blocking) = is_blocking else {
            let operation = if panics {
                Operation::Panic(length)
            } else {
                Operation::HostFunction(length)
            };
            return self.submit(current, stream, operation).map(drop);
        };
        let thread = self.shared.subscriptions.thread(stream);
        let thread = thread.ok_or_else(|| self.not_subscribed(stream))?;
        let span = self.shared.next_span();
        let callback = Callback {
            thread: thread.0 as usize,
            span,
            length,
            is_blocking,
            panics,
        };
        match self.submit(current, stream, Operation::Callback(callback)) {
            // That its stream waited for the function is told once it has.
            Ok(_) if is_blocking => {}
            Ok(operation) => self.report_dependency(operation, span, DependencyKind::Step),
            Err(error) => {
                self.report_uncalled(current, span, thread);
                return Err(error);
            }
        }
        Ok(())
    }

    fn not_subscribed(&self, stream: StreamIndex) -> BackendError {
        let name = self.stream_name(stream);
        let reason = format!(
            "no thread takes callbacks of stream {name}: subscribe one before (subscribe \"calls\" stream=\"{name}\"), or \
             leave blocking= out for a function that the stream calls by itself"
        );
        BackendError::call(ErrorKind::NotSubscribed, reason)
    }

    pub(super) fn subscribe(
        &self,
        thread: ThreadIndex,
        stream: StreamIndex,
    ) -> Result<(), BackendError> {
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
                Err(BackendError::call(ErrorKind::AlreadySubscribed, reason))
            }
        }
    }

    pub(super) fn unsubscribe(
        &self,
        current: &CurrentCall,
        thread: ThreadIndex,
        stream: StreamIndex,
    ) -> Result<(), BackendError> {
        // What is behind a destroy comes behind it here as well.
        self.until_destroyed(current)?;
        let subscriptions = &self.shared.subscriptions;
        if subscriptions.thread(stream) != Some(thread) {
            return Err(self.not_subscribed(stream));
        }
        let device = &self.shared.device;
        if matches!(device.status(), DeviceStatus::Lost(_)) {
            self.until_called(stream);
            subscriptions.unsubscribe(stream);
            return Ok(());
        }
        let name = self.stream_name(stream);
        // In this order: what has left the stream without an end was handed to its thread before.
        if device.pending(stream) > 0 {
            let reason = format!(
                "stream {name} is not done with what it was given, which may hold callbacks: synchronize with it first"
            );
            return Err(BackendError::call(ErrorKind::CallbacksPending, reason));
        }
        if device.calls(stream) > 0 {
            let reason = format!(
                "a callback of stream {name} runs, or one that does not block it is still to run: submit one that does \
                 (blocking=#true) after it, and synchronize with the stream"
            );
            return Err(BackendError::call(ErrorKind::CallbacksPending, reason));
        }
        subscriptions.unsubscribe(stream);
        Ok(())
    }

    /// Blocks until the thread that takes the callbacks of `stream` has run what it was given. What a lost device was given
    /// calls nothing more (rule F15), and nobody can synchronize with it: were the call refused while a function runs, it
    /// would be chance whether it is.
    fn until_called(&self, stream: StreamIndex) {
        let shared = &self.shared;
        while shared.device.calls(stream) > 0 && !shared.gate.is_stopped() {
            shared.device.work(self.host, CALLED_CHECK);
        }
    }

    /// A callback that could not be submitted: its span was given out.
    fn report_uncalled(&self, current: &CurrentCall, span: SpanId, thread: ThreadIndex) {
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
}
