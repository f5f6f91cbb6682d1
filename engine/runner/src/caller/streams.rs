//! Calls on streams as a whole, and the waits that are inserted before operations.

use std::fmt::Write as _;
use std::sync::Arc;

use super::callbacks::FunctionCall;
use super::{Caller, CurrentCall};
use crate::insertion::{InsertionState, LegacyInsertion, RequiredWait};
use crate::shared::RunState;
use backend::{BackendError, Operation, StreamPosition};
use device::{DeviceStatus, lock};
use order::{DeclaredUse, SyncOp};
use record::{
    BLOCKED_BECAUSE, BufferIndex, CallId, DependencyKind, EventId, INSERTED_BECAUSE, NameId,
    QueryAnswer, Record, SpanId, SpanKind, StreamIndex, Value,
};
use workload::{ErrorKind, MemoryKind, StreamCall, StreamKind, StreamPlan, SyncTarget};

/// A wait of a stream for others, and why.
struct StreamJoin<'a> {
    stream: StreamIndex,
    from: &'a [StreamIndex],
    kind: DependencyKind,
    because: String,
    /// What the order of calls is told.
    act: Option<SyncOp>,
}

impl Caller {
    pub(super) fn stream_call(
        &mut self,
        current: &CurrentCall,
        call: &StreamCall,
    ) -> (SpanKind, Result<(), BackendError>) {
        let result = match *call {
            StreamCall::Hold { signal, stream } => self
                .submit(current, stream, Operation::Hold(signal))
                .map(drop),
            StreamCall::Join { from, stream } => {
                self.wait_stream(current, (from, stream), DependencyKind::Join)
            }
            StreamCall::Barrier { stream } => self.barrier(current, stream),
            StreamCall::HostFunction {
                is_blocking,
                panics,
                ref name,
                length,
                stream,
            } => {
                let function = FunctionCall {
                    name,
                    length,
                    is_blocking,
                    panics,
                };
                self.function(current, stream, &function)
            }
            StreamCall::Synchronize { timeout, stream } => {
                return self.synchronize(current, SyncTarget::Stream(stream), timeout);
            }
            StreamCall::SynchronizeDevice { timeout } => {
                return self.synchronize(current, SyncTarget::Device, timeout);
            }
            StreamCall::Query { is_strict, stream } => {
                self.query_stream(current, stream, is_strict)
            }
            StreamCall::Destroy { stream } => self.destroy_stream(stream),
            StreamCall::Abort { stream } => return self.abort(current, stream),
            StreamCall::Subscribe { thread, stream } => self.subscribe(thread, stream),
            StreamCall::Unsubscribe { thread, stream } => self.unsubscribe(current, thread, stream),
        };
        (SpanKind::Call, result)
    }

    /// Asks whether a stream is idle, and says so. As with events, only a call that goes on with the answer “complete”
    /// alone orders what follows in every run (rules A9, A24).
    fn query_stream(
        &mut self,
        current: &CurrentCall,
        stream: StreamIndex,
        is_strict: bool,
    ) -> Result<(), BackendError> {
        let target = SyncTarget::Stream(stream);
        self.mind_captures(target)?;
        let shared = Arc::clone(&self.shared);
        if shared.tail(stream).is_some_and(|it| lock(it).is_destroyed) {
            return Err(self.destroyed(stream));
        }
        let covered = covered(&shared.plan.streams, stream);
        let causes = covered
            .iter()
            .flat_map(|&it| self.last_operations(SyncTarget::Stream(it)));
        let causes: Vec<_> = causes.map(|it| (it, (EventId::NONE, 0))).collect();
        let is_idle = shared.device.is_idle(self.host, &covered);
        // What a lost device was given has not run to its end.
        if let DeviceStatus::Lost(reason) = shared.device.status() {
            return Err(BackendError::Lost(reason));
        }
        let answer = if is_idle {
            QueryAnswer::Complete
        } else {
            QueryAnswer::NotReady
        };
        self.arguments
            .report_answer(&self.reporter, current.span, answer);
        if is_idle {
            self.report_waited(current, &causes, &Ok(()));
            if is_strict {
                self.note_begin(current, super::order::awaited(target));
                self.note_end(current, &Ok(()));
            }
            return Ok(());
        }
        if !is_strict {
            return Ok(());
        }
        let name = self.stream_name(stream);
        let reason =
            format!("{name} still has work to do: ask again later, or synchronize with it");
        Err(BackendError::call(ErrorKind::NotReady, reason))
    }

    fn destroy_stream(&self, stream: StreamIndex) -> Result<(), BackendError> {
        let Some(tail) = self.shared.tail(stream) else {
            return Err(BackendError::Unknown(format!("stream {}", stream.0)));
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
            return Err(BackendError::call(ErrorKind::InvalidValue, reason));
        }
        tail.is_destroyed = true;
        Ok(())
    }

    /// What using a stream comes to that was destroyed (rule A27).
    pub(super) fn destroyed(&self, stream: StreamIndex) -> BackendError {
        let name = self.stream_name(stream);
        let reason = format!(
            "stream {name} was destroyed: what it was given before runs to its end, and it takes nothing more; destroy it \
             after its last use"
        );
        BackendError::call(ErrorKind::Destroyed, reason)
    }

    fn abort(
        &mut self,
        current: &CurrentCall,
        stream: StreamIndex,
    ) -> (SpanKind, Result<(), BackendError>) {
        use order::{HostWaitTarget, SyncOp};
        self.note(current, SyncOp::Abort(stream));
        self.note_begin(current, HostWaitTarget::Alone(stream));
        let done = self.blocked(current, SpanKind::Synchronize, |shared, caller| {
            shared.device.abort(caller.host, stream, current.span)
        });
        // Nothing of what was dropped is still to come.
        self.note_end(current, &done.1);
        done
    }

    /// Whether a wait for a stream was captured in place of being submitted.
    fn catch_join(
        &self,
        current: &CurrentCall,
        from: StreamIndex,
        stream: StreamIndex,
    ) -> Result<bool, BackendError> {
        let mut captures = self.shared.launches.captures();
        let waits = captures.wait_stream(self.host.0 as u32, from, stream);
        let act = SyncOp::Join(from, stream);
        // Where one of them captures, both do now.
        self.note_capturing(current, &captures, (stream, &act), &[]);
        Ok(waits?)
    }

    /// A record of an event that nobody sees, and a wait for it (rule C13).
    fn wait_stream(
        &mut self,
        current: &CurrentCall,
        (from, stream): (StreamIndex, StreamIndex),
        kind: DependencyKind,
    ) -> Result<(), BackendError> {
        let shared = Arc::clone(&self.shared);
        if shared.launches.is_capturing() && self.catch_join(current, from, stream)? {
            self.argue(
                current.span,
                "captured",
                "no operation: an edge of the graph",
            );
            return Ok(());
        }
        shared.device.make_room(self.host, stream);
        let mut state = shared.insertions.as_ref().map(|it| it.lock());
        if let Some(state) = state.as_deref_mut() {
            self.obey_legacy(current, &mut state.legacy, from)?;
            self.obey_legacy(current, &mut state.legacy, stream)?;
        }
        if from == stream {
            self.report_join_of_itself(current);
        }
        let join = StreamJoin {
            stream,
            from: &[from],
            kind,
            because: String::new(),
            act: Some(SyncOp::Join(from, stream)),
        };
        self.join(current, &join)?;
        if let Some(state) = state.as_deref_mut() {
            self.note_inserted(state, &SyncOp::Join(from, stream));
            state.legacy.note(from);
            state.legacy.note(stream);
        }
        Ok(())
    }

    /// Comes after everything that was submitted so far, and before everything that is submitted later (rule E7).
    fn barrier(&mut self, current: &CurrentCall, stream: StreamIndex) -> Result<(), BackendError> {
        let count = self.shared.plan.streams.len() as u32;
        let others = || {
            (0..count)
                .map(StreamIndex)
                .filter(move |other| *other != stream)
        };
        for other in others() {
            self.wait_stream(current, (other, stream), DependencyKind::Barrier)?;
        }
        for other in others() {
            self.wait_stream(current, (stream, other), DependencyKind::Barrier)?;
        }
        Ok(())
    }

    /// The waits that have to come before an operation with these uses, in the order in which they are inserted.
    pub(super) fn insert_before(
        &mut self,
        current: &CurrentCall,
        state: &mut InsertionState,
        stream: StreamIndex,
        uses: &[DeclaredUse],
    ) -> Result<(), BackendError> {
        self.obey_legacy(current, &mut state.legacy, stream)?;
        let origin = super::order::origin(current, SpanId::NONE);
        for need in state.automatic.before(stream, origin, uses) {
            if need.is_held {
                let reason = self.reason(&need);
                self.argue(current.span, "held because", &reason);
                continue;
            }
            self.obey_legacy(current, &mut state.legacy, need.from)?;
            let act = SyncOp::Join(need.from, stream);
            let join = StreamJoin {
                stream,
                from: &[need.from],
                kind: DependencyKind::Automatic,
                because: self.reason(&need),
                act: Some(SyncOp::Inserted(Box::new(act.clone()))),
            };
            self.join(current, &join)?;
            self.note_inserted(state, &act);
            state.legacy.note(need.from);
            state.legacy.note(stream);
        }
        Ok(())
    }

    /// Waits for streams that the stream of an operation cannot be told to wait for: until then the operation is not
    /// handed to it (rule E6). Nothing is locked meanwhile, so that others may submit.
    pub(super) fn hold_back(
        &mut self,
        current: &CurrentCall,
        stream: StreamIndex,
        uses: &[DeclaredUse],
    ) -> Result<(), BackendError> {
        let shared = Arc::clone(&self.shared);
        let held = shared.insertions.as_ref();
        let held = held.map(|it| it.lock().automatic.blocking_streams(stream, uses));
        for from in held.unwrap_or_default() {
            let target = SyncTarget::Stream(from);
            for last in self.last_operations(target) {
                self.report_dependency(last, current.span, DependencyKind::Automatic);
            }
            self.note_begin_inserted(current, super::order::awaited(target));
            let (_, done) = self.blocked(current, SpanKind::Synchronize, |shared, caller| {
                shared.device.synchronize(caller.host, target, None)
            });
            self.note_end_inserted(current, &done);
            done?;
        }
        Ok(())
    }

    fn note_inserted(&self, state: &mut InsertionState, act: &SyncOp) {
        state.automatic.note(self.host.0 as u32, act);
    }

    /// The next operation of a stream comes after those that the legacy default stream puts before it (rule A22).
    pub(super) fn obey_legacy(
        &mut self,
        current: &CurrentCall,
        legacy: &mut LegacyInsertion,
        stream: StreamIndex,
    ) -> Result<(), BackendError> {
        let from = legacy.before(stream);
        if from.is_empty() {
            return Ok(());
        }
        let because = if legacy.is(stream) {
            "an operation of the legacy default stream first waits for every blocking stream (rule A22)"
        } else {
            "a blocking stream waits for the legacy default stream (rule A22); one made with blocking=#false does not"
        };
        let join = StreamJoin {
            stream,
            from: &from,
            kind: DependencyKind::Legacy,
            because: because.to_owned(),
            // The order of calls has this rule itself.
            act: None,
        };
        self.join(current, &join).map(|_| ())
    }

    /// Holds a stream back until the others have come to where they are now.
    fn join(
        &mut self,
        current: &CurrentCall,
        join: &StreamJoin<'_>,
    ) -> Result<SpanId, BackendError> {
        let shared = Arc::clone(&self.shared);
        let mut positions = Vec::new();
        let mut last = Vec::new();
        for &stream in join.from {
            let Some(tail) = shared.tail(stream) else {
                continue;
            };
            let tail = lock(tail);
            if tail.last.is_some() {
                let ended = tail.submitted;
                positions.push(StreamPosition { stream, ended });
                last.push(tail.last);
            }
        }
        let operation = Operation::Join(positions.into());
        let span = self.hand_in(current, join.stream, operation, join.act.clone(), &[])?;
        for cause in last {
            self.report_dependency(cause, span, join.kind);
        }
        if !join.because.is_empty() {
            self.argue(span, INSERTED_BECAUSE, &join.because);
        }
        Ok(span)
    }

    /// Why a wait was inserted, in words.
    fn reason(&self, need: &RequiredWait) -> String {
        let plan = &self.shared.plan;
        let from = plan.streams.get(need.from.index());
        let from = from.map_or("?", |stream| &stream.name);
        let mut text = String::new();
        for (number, site) in need.buffers.iter().take(4) {
            let (name, copy) = crate::order::buffer_name(plan, number.0);
            let site = plan.sites.get(*site as usize);
            let (verb, line) = site.map_or(("call", 0), |site| (site.verb, site.line));
            let comma = if text.is_empty() { "" } else { ", and " };
            let by = format!("{from} (by {verb}, line {line})");
            let _ = write!(text, "{comma}{copy}{name} was used last on {by}");
        }
        if need.is_redundant {
            text.push_str(
                "; both only read it, and this stream comes after that one already, so this wait is redundant",
            );
        }
        if need.is_held {
            text.push_str(
                "; a stream of this role cannot be told to wait, so the operation is held until that has ended (rule E6)",
            );
        } else if self.shared.device.caps().queue {
            text.push_str(
                "; this device has no wait of its own, so Syncline holds the operation back",
            );
        }
        text
    }

    /// What a synchronisation with a stream waits for besides what that was given: all blocking streams where it is the
    /// legacy default stream (rule A24), and that stream where it is a blocking one, which waits for it (rule A22).
    pub(super) fn cover_legacy(
        &mut self,
        current: &CurrentCall,
        target: SyncTarget,
    ) -> Result<(), BackendError> {
        let shared = Arc::clone(&self.shared);
        let (SyncTarget::Stream(stream), Some(insertions)) = (target, &shared.insertions) else {
            return Ok(());
        };
        let mut state = insertions.lock();
        self.obey_legacy(current, &mut state.legacy, stream)
    }

    /// Reports one more field of a span.
    pub(super) fn argue(&self, span: SpanId, name: &str, text: &str) {
        let name: NameId = self.shared.names.id(name, &self.reporter);
        let value = Value::Text(text.into());
        self.reporter.send(Record::Argument(span, name, value));
    }

    /// A copy between the device and pageable memory of the host ends before the call returns (rule A31).
    pub(super) fn copy_pageable(
        &mut self,
        current: &CurrentCall,
        buffer: BufferIndex,
        stream: StreamIndex,
        operation: Operation,
    ) -> (SpanKind, Result<(), BackendError>) {
        let span = match self.submit(current, stream, operation) {
            Ok(span) if span.is_some() => span,
            // Captured, or refused: there is nothing to wait for.
            Ok(_) => return (SpanKind::Call, Ok(())),
            Err(error) => return (SpanKind::Call, Err(error)),
        };
        let plan = self.shared.plan.buffers.get(buffer.index());
        if plan.is_none_or(|buffer| buffer.memory != MemoryKind::Pageable) {
            return (SpanKind::Call, Ok(()));
        }
        self.argue(
            current.span,
            BLOCKED_BECAUSE,
            "the host's copy is pageable: the call returns once the copy has ended (rule A31); pinned memory does not block",
        );
        let target = SyncTarget::Stream(stream);
        self.note_begin(current, super::order::awaited(target));
        let done = self.blocked(current, SpanKind::Synchronize, |shared, caller| {
            shared.device.synchronize(caller.host, target, None)
        });
        self.note_end(current, &done.1);
        self.report_waited(current, &[(span, (EventId::NONE, 0))], &done.1);
        done
    }

    pub(super) fn allocate(
        &mut self,
        current: &CurrentCall,
        buffer: BufferIndex,
        stream: StreamIndex,
    ) -> Result<(), BackendError> {
        self.wait_for_memory(current, buffer, stream)?;
        let span = self.submit(current, stream, Operation::Allocate(buffer))?;
        // What is captured allocates at each replay.
        if let Some(memory) = self.shared.memory.as_ref().filter(|_| span.is_some()) {
            let ids = (span, self.shared.next_span(), CallId(current.place.call));
            memory.allocate(ids, buffer, stream);
        }
        Ok(())
    }

    /// A buffer has the same memory in each of its lives, so that the next begins once the last was given back, on
    /// whichever stream. A pool may give out other memory instead: the order of calls does not count this wait (rule A35).
    fn wait_for_memory(
        &mut self,
        current: &CurrentCall,
        buffer: BufferIndex,
        stream: StreamIndex,
    ) -> Result<(), BackendError> {
        let shared = Arc::clone(&self.shared);
        let from = shared.memory.as_ref().and_then(|it| it.freed_on(buffer));
        let Some(from) = from.filter(|&from| from != stream && !shared.launches.is_capturing())
        else {
            return Ok(());
        };
        shared.device.make_room(self.host, stream);
        let join = StreamJoin {
            stream,
            from: &[from],
            kind: DependencyKind::Automatic,
            because: "its memory was freed on another stream, and is the same here; a driver's pool may give out other memory, so \
                      that this wait counts as no order (rule A35)"
                .to_owned(),
            act: None,
        };
        self.join(current, &join).map(|_| ())
    }

    pub(super) fn free(
        &mut self,
        current: &CurrentCall,
        buffer: BufferIndex,
        stream: StreamIndex,
    ) -> Result<(), BackendError> {
        let span = self.submit(current, stream, Operation::Free(buffer))?;
        if let Some(memory) = self.shared.memory.as_ref().filter(|_| span.is_some()) {
            memory.free(span, buffer, stream);
        }
        Ok(())
    }
}

/// The streams that a query of one is about: the legacy default stream stands for every blocking one as well.
pub(super) fn covered(streams: &[StreamPlan], stream: StreamIndex) -> Vec<StreamIndex> {
    let is_legacy = |it: &StreamPlan| it.traits.kind == StreamKind::Legacy;
    let mut covered = vec![stream];
    if streams.get(stream.index()).is_some_and(is_legacy) {
        let others = (0_u32..).zip(streams);
        let others = others.filter(|(_, it)| it.traits.is_blocking && !is_legacy(it));
        covered.extend(others.map(|(place, _)| StreamIndex(place)));
    }
    covered
}

/// What a wait of `stream` for what the operation names is called.
pub(super) fn join_text(shared: &RunState, positions: &[StreamPosition]) -> String {
    let name = |position: &StreamPosition| {
        let stream = shared.plan.streams.get(position.stream.index());
        stream.map_or("?", |stream| stream.name.as_str())
    };
    match positions {
        [] => "join".to_owned(),
        [one] => format!("join {}", name(one)),
        [one, two] => format!("join {}, {}", name(one), name(two)),
        [one, rest @ ..] => format!("join {} and {} more", name(one), rest.len()),
    }
}
