//! Makes one call: tells the device, and reports the call, its operation and what ties the two to others.

mod admit;
mod argument;
mod blocking;
mod callbacks;
mod circular_wait;
mod collective;
mod device_use;
mod event;
mod external_graph_edges;
mod gpu;
mod graphs;
mod host_access;
mod label;
mod launches;
mod machine;
mod order;
mod other_hosts;
mod pool;
mod problem;
mod resources;
mod result;
mod streams;
mod submit;
mod wait_dependency;

pub use device_use::DeviceEnds;
pub use resources::acts;

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::Arc;

use self::argument::ArgumentNames;
use self::label::CallLabels;
use super::recorder::Reporter;
use super::shared::RunState;
use super::uses;
use ::order::{DeclaredUse, SyncOp};
use backend::{BackendError, HostIndex, Operation};
use record::time::Nanos;
use record::{
    self, BufferIndex, CallId, Dependency, DependencyKind, EventId, EventIndex, NameId, Record,
    Span, SpanId, SpanKind, State, StreamIndex,
};
use workload::{
    Call, DataCall, ErrorKind, ExpectationPlan, HostCall, PlacedCall, SourceLocation, SyncTarget,
};

/// Makes the calls of one host thread.
pub struct Caller {
    shared: Arc<RunState>,
    host: HostIndex,
    reporter: Reporter,
    labels: CallLabels,
    arguments: ArgumentNames,
    problems: problem::ProblemTally,
    /// Room for what a call declares.
    uses: Vec<DeclaredUse>,
    /// For each call of the file, whether it was reported.
    known: Vec<bool>,
    /// The uses of buffers that were reported, each with its call.
    used: HashSet<(u32, BufferIndex, bool)>,
    /// The calls of which somebody asks what orders them.
    asked: HashSet<u32>,
    /// Measured blocks that are open: their first events, and since when.
    open: Vec<(EventIndex, Nanos)>,
    /// The call made last.
    last: SpanId,
    /// The last error of a call that nobody asked for yet.
    last_error: Option<ErrorKind>,
    /// Whether that was one that waits, which is where a host thread's promises settle.
    has_waited: bool,
    /// In which round of a loop that was.
    round: u64,
    /// When whoever launches began to launch the latest operation.
    begun: Cell<Nanos>,
}

/// The call that is being made.
#[derive(Clone, Copy, Debug)]
struct CurrentCall {
    span: SpanId,
    place: SourceLocation,
    name: NameId,
    /// The name of the function that it submits.
    function: Option<NameId>,
    start: Nanos,
}

impl Caller {
    /// For the host thread `host`.
    pub fn new(shared: Arc<RunState>, host: HostIndex, reporter: Reporter) -> Self {
        Self {
            known: vec![false; shared.plan.sites.len()],
            arguments: ArgumentNames::new(&shared, &reporter),
            labels: CallLabels::default(),
            problems: problem::ProblemTally::default(),
            uses: Vec::new(),
            used: HashSet::new(),
            asked: (shared.plan.expectations.iter())
                .flat_map(ExpectationPlan::ordered_calls)
                .collect(),
            open: Vec::new(),
            last: SpanId::NONE,
            last_error: None,
            has_waited: false,
            round: 0,
            begun: Cell::default(),
            shared,
            host,
            reporter,
        }
    }

    /// Makes one call, and blocks as long as it does.
    ///
    /// # Errors
    /// The call failed, and with it the run; or the run was stopped.
    pub fn make(&mut self, placed: &PlacedCall) -> Result<(), BackendError> {
        let resolved = self.resolved(&placed.call);
        let call = resolved.as_ref().map_or(&placed.call, |call| call.as_ref());
        self.declare(placed.place);
        let slot = self.until_slot(call);
        let start = self.shared.device.now(self.host);
        let current = CurrentCall {
            span: self.shared.next_span(),
            place: placed.place,
            name: self.label_of_call(call, placed.place),
            function: None,
            start,
        };
        self.last = current.span;
        self.report_round(&current, placed.round);
        self.note_uses(&current, &placed.call);
        let admitted = resolved.as_ref().map_err(Clone::clone).map(drop);
        let admitted = admitted.and(slot).and_then(|()| self.admit(&current, call));
        let (kind, result) = match admitted {
            Ok(()) => self.act(&current, call),
            Err(refused) => (SpanKind::Call, Err(refused)),
        };
        self.has_waited = kind == SpanKind::Synchronize;
        if self.asked.contains(&placed.place.call) {
            self.note(&current, SyncOp::Return);
        }
        self.note_result(&current, &result);
        let state = match &result {
            Ok(()) => State::Done,
            Err(BackendError::Stopped) => State::Cancelled,
            Err(BackendError::Lost(_)) => State::Lost,
            Err(_) => State::Failed,
        };
        self.reporter.send(Record::Span(Span {
            id: current.span,
            lane: RunState::host_lane(self.host),
            name: current.name,
            call: CallId(current.place.call),
            kind,
            state,
            enqueued: current.start,
            start: current.start,
            end: self.shared.device.now(self.host),
        }));
        self.report_label(current.span, CallId(current.place.call));
        if let Some(timelines) = &self.shared.timelines {
            timelines.release(self.host, &self.reporter);
        }
        result
    }

    /// Whether the call made last was one that waits. As in a script, promises settle there and nowhere else: what is
    /// called between two waits is one task, and what the content timeline is given meanwhile comes after it.
    pub const fn has_waited(&self) -> bool {
        self.has_waited
    }

    fn act(&mut self, current: &CurrentCall, call: &Call) -> (SpanKind, Result<(), BackendError>) {
        match call {
            Call::Data(call) => self.data_call(current, call),
            Call::Event(call) => self.event_call(current, call),
            Call::Stream(call) => self.stream_call(current, call),
            Call::Host(call) => self.host_call(current, call),
            Call::Launch(call) => (SpanKind::Call, self.launch_call(current, call)),
            Call::Rank(call) => (SpanKind::Call, self.collective(current, *call)),
            Call::Gpu(call) => {
                self.note_asked(current, call);
                let made = self.gpu_call(current, call);
                self.note_answered(current, call);
                made
            }
        }
    }

    fn data_call(
        &mut self,
        current: &CurrentCall,
        call: &DataCall,
    ) -> (SpanKind, Result<(), BackendError>) {
        let result = match *call {
            DataCall::Upload { buffer, stream } => {
                let operation = Operation::Upload(buffer);
                return self.copy_pageable(current, buffer, stream, operation);
            }
            DataCall::Download { buffer, stream } => {
                let operation = Operation::Download(buffer);
                return self.copy_pageable(current, buffer, stream, operation);
            }
            DataCall::Copy { from, to, stream } => {
                let operation = Operation::Copy { from, to };
                self.submit(current, stream, operation).map(drop)
            }
            DataCall::Fill {
                buffer,
                value,
                stream,
            } => {
                let operation = Operation::Fill { buffer, value };
                self.submit(current, stream, operation).map(drop)
            }
            DataCall::Launch {
                stream,
                pipeline,
                ref kernel,
            } => self.launch(current, stream, pipeline, kernel),
            DataCall::Allocate { buffer, stream } => self.allocate(current, buffer, stream),
            DataCall::Free { buffer, stream } => self.free(current, buffer, stream),
        };
        (SpanKind::Call, result)
    }

    fn host_call(
        &mut self,
        current: &CurrentCall,
        call: &HostCall,
    ) -> (SpanKind, Result<(), BackendError>) {
        match *call {
            HostCall::LastError { ref expected } => {
                self.last_error(current, expected.as_ref(), true);
                (SpanKind::Call, Ok(()))
            }
            HostCall::PeekLastError { ref expected } => {
                self.last_error(current, expected.as_ref(), false);
                (SpanKind::Call, Ok(()))
            }
            HostCall::Signal { signal } => (SpanKind::Call, self.raise(current, signal)),
            HostCall::Await { signal } => self.await_signal(current, signal),
            HostCall::Work { length } => self.work(current, length),
            HostCall::HostRead { buffer } => self.read_on_host(current, buffer),
            HostCall::HostWrite { buffer, value } => self.write_on_host(current, buffer, value),
        }
    }

    fn report_dependency(&self, cause: SpanId, effect: SpanId, kind: DependencyKind) {
        self.tie_by_event(cause, effect, kind, (EventId::NONE, 0));
    }

    fn tie_by_event(
        &self,
        cause: SpanId,
        effect: SpanId,
        kind: DependencyKind,
        (event, generation): (EventId, u32),
    ) {
        self.reporter.send(Record::Dependency(Dependency {
            cause,
            effect,
            kind,
            basis: record::Basis::Enforced,
            event,
            generation,
        }));
    }

    /// Reports where in the source a call stands, the first time it is made.
    fn declare(&mut self, place: SourceLocation) {
        let Some(known) = self.known.get_mut(place.call as usize) else {
            return;
        };
        if std::mem::replace(known, true) {
            return;
        }
        let site = self.shared.plan.sites.get(place.call as usize);
        let verb = site.map_or("call", |site| site.verb);
        self.reporter.send(Record::Call(record::SourceCall {
            id: CallId(place.call),
            line: place.line,
            name: self.shared.names.id(verb, &self.reporter),
        }));
    }

    /// Reports which buffers an operation uses, the first time that its call does.
    fn declare_uses(&mut self, place: SourceLocation, act: &SyncOp, uses: &[DeclaredUse]) {
        let whole = match act {
            SyncOp::Allocate(buffer, ..) | SyncOp::Free(buffer, ..) => Some((*buffer, true)),
            _ => None,
        };
        let uses = uses.iter().map(|it| (it.buffer, it.writes));
        for (buffer, is_write) in uses.chain(whole) {
            if !self.used.insert((place.call, buffer, is_write)) {
                continue;
            }
            let (buffer, is_host) = uses::named(buffer);
            let Some(plan) = self.shared.plan.buffers.get(buffer.index()) else {
                continue;
            };
            self.reporter.send(Record::BufferUse(record::BufferUse {
                call: CallId(place.call),
                buffer: self.shared.names.id(&plan.name, &self.reporter),
                is_host,
                is_write,
            }));
        }
    }

    /// What ended last on each stream that `target` names, as far as was submitted by now.
    fn last_operations(&self, target: SyncTarget) -> Vec<SpanId> {
        let last = |stream: StreamIndex| {
            let tail = self.shared.tail(stream)?;
            let last = device::lock(tail).last;
            last.is_some().then_some(last)
        };
        match target {
            SyncTarget::Event(_) => Vec::new(),
            SyncTarget::Stream(stream) => last(stream).into_iter().collect(),
            SyncTarget::Device => {
                let all = 0..self.shared.plan.streams.len() as u32;
                all.map(StreamIndex).filter_map(last).collect()
            }
        }
    }
}
