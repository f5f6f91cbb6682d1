//! Calls that block the host thread, or that release what is blocked.

use std::sync::Arc;
use std::time::Duration;

use super::{Caller, CurrentCall, order};
use crate::shared::RunState;
use ::order::{HostWaitTarget, SyncOp};
use backend::{BackendError, SystemThread};
use device::{MissingRecord, RecordProgress, lock};
use record::time::Nanos;
use record::{
    Basis, Dependency, DependencyKind, EventId, EventIndex, QueryAnswer, Record, SignalIndex,
    SpanId, SpanKind, SpanStart,
};
use workload::{EventPlan, SyncTarget};

impl Caller {
    pub(super) fn synchronize(
        &mut self,
        current: &CurrentCall,
        target: SyncTarget,
        timeout: Option<Nanos>,
    ) -> (SpanKind, Result<(), BackendError>) {
        let timeout = timeout.map(|timeout| self.shared.stretched(timeout));
        if let Some(timeout) = timeout {
            self.limit(current.span, timeout);
        }
        self.synchronize_for(current, target, timeout.map(Nanos::to_duration))
    }

    /// Blocks until the target has ended, or for at most `timeout`; points at what it waited for either way (rule F9).
    fn synchronize_for(
        &mut self,
        current: &CurrentCall,
        target: SyncTarget,
        timeout: Option<Duration>,
    ) -> (SpanKind, Result<(), BackendError>) {
        if let Err(error) = self.mind_captures(target) {
            return (SpanKind::Synchronize, Err(error));
        }
        if let SyncTarget::Stream(stream) = target
            && self
                .shared
                .tail(stream)
                .is_some_and(|tail| lock(tail).is_destroyed)
        {
            return (SpanKind::Synchronize, Err(self.destroyed(stream)));
        }
        let mut causes = Vec::new();
        if let SyncTarget::Event(event) = target {
            match self.shared.events.latest(event, |latest| latest) {
                Err(error) => return (SpanKind::Synchronize, Err(self.event_error(error))),
                Ok(None) => self.report_use_before_record(current, event, "synchronize"),
                Ok(Some(latest)) => {
                    causes.push((latest.span, (EventId(event.0), latest.generation)));
                }
            }
        }
        if let Err(error) = self.cover_legacy(current, target) {
            return (SpanKind::Synchronize, Err(error));
        }
        let last = self.last_operations(target).into_iter();
        causes.extend(last.map(|it| (it, (EventId::NONE, 0))));
        self.note_begin(current, order::awaited(target));
        let before = self.on_processor(target);
        let done = self.blocked(current, SpanKind::Synchronize, |shared, caller| {
            // What is behind a destroy comes behind it here as well.
            caller.until_destroyed(current)?;
            shared.device.synchronize(caller.host, target, timeout)
        });
        self.note_end(current, &done.1);
        self.report_waited(current, &causes, &done.1);
        self.note_manner(current, target, before);
        done
    }

    /// Reports what a call has waited for, now that it has; where it gave up, what it was to wait for.
    pub(super) fn report_waited(
        &self,
        current: &CurrentCall,
        causes: &[(SpanId, (EventId, u32))],
        result: &Result<(), BackendError>,
    ) {
        let basis = if order::has_waited(result) {
            Basis::Enforced
        } else {
            Basis::Declared
        };
        for &(cause, (event, generation)) in causes {
            self.reporter.send(Record::Dependency(Dependency {
                cause,
                effect: current.span,
                kind: DependencyKind::Synchronization,
                basis,
                event,
                generation,
            }));
        }
    }

    pub(super) fn await_signal(
        &mut self,
        current: &CurrentCall,
        signal: SignalIndex,
    ) -> (SpanKind, Result<(), BackendError>) {
        self.note_begin(current, HostWaitTarget::Signal(signal));
        let done = self.blocked(current, SpanKind::Synchronize, |shared, caller| {
            shared.device.until_raised(caller.host, signal)
        });
        self.note_end(current, &done.1);
        let raised = self.shared.signal(signal).and_then(|it| lock(it).raised);
        if let Some(raised) = raised.filter(|_| done.1.is_ok()) {
            self.report_dependency(raised, current.span, DependencyKind::Signal);
        }
        done
    }

    pub(super) fn work(
        &mut self,
        current: &CurrentCall,
        length: Nanos,
    ) -> (SpanKind, Result<(), BackendError>) {
        self.blocked(current, SpanKind::HostWork, |shared, caller| {
            shared.device.work(caller.host, length);
            Ok(())
        })
    }

    pub(super) fn raise(
        &mut self,
        current: &CurrentCall,
        signal: SignalIndex,
    ) -> Result<(), BackendError> {
        let slot = self.shared.signal(signal);
        let unknown = || BackendError::Unknown(format!("signal {}", signal.0));
        let mut slot = lock(slot.ok_or_else(unknown)?);
        // Told however often it is: where several host threads raise it, which of them is first may be chance.
        self.note(current, SyncOp::Raise(signal));
        if slot.raised.is_none() {
            slot.raised = Some(current.span);
            for waiting in std::mem::take(&mut slot.waiting) {
                self.report_dependency(current.span, waiting, DependencyKind::Signal);
            }
        }
        self.shared.device.raise(self.host, signal);
        Ok(())
    }

    /// Asks how far the latest record of an event is, and says so (rule A9). Only where the host thread goes on with the
    /// answer “complete” alone (`orders`) does what follows come after the record in every run.
    pub(super) fn ask(
        &mut self,
        current: &CurrentCall,
        event: EventIndex,
        orders: bool,
    ) -> Result<RecordProgress, BackendError> {
        self.mind_captures(SyncTarget::Event(event))?;
        let shared = Arc::clone(&self.shared);
        let asked = shared.events.latest(event, |latest| {
            let progress = shared.device.query(self.host, event);
            if orders && matches!(progress, RecordProgress::Reached(_)) {
                self.note_begin(current, HostWaitTarget::Query(event));
                self.note_end(current, &Ok(()));
            }
            (latest, progress)
        });
        let (latest, progress) = asked.map_err(|error| self.event_error(error))?;
        let answer = match progress {
            RecordProgress::NotRecorded => match shared.events.without_record(event) {
                MissingRecord::Never => QueryAnswer::NeverRecorded,
                _ => QueryAnswer::NotRecorded,
            },
            RecordProgress::Pending => QueryAnswer::NotReady,
            RecordProgress::Reached(_) => QueryAnswer::Complete,
            RecordProgress::Failed => QueryAnswer::Failed,
        };
        self.arguments
            .report_answer(&self.reporter, current.span, answer);
        match (latest, progress) {
            // As good as a synchronisation: what came before the record has ended (rule A9).
            (Some(latest), RecordProgress::Reached(_)) => {
                let by = (EventId(event.0), latest.generation);
                let kind = DependencyKind::Synchronization;
                self.tie_by_event(latest.span, current.span, kind, by);
            }
            (None, _) => {
                let policy = "CUDA and AscendCL's Ex events: complete · AscendCL's other events: not ready · here: complete";
                self.say(current.span, "policy", policy);
                self.report_use_before_record(current, event, "query");
            }
            (_, RecordProgress::Failed) => {
                let policy = "CUDA: the query returns the error · AscendCL: not ready for ever · here: failed";
                self.say(current.span, "policy", policy);
            }
            _ => {}
        }
        Ok(progress)
    }

    /// Processor time of this thread so far, where it waits for an event whose manner of waiting the workload gives.
    fn on_processor(&self, target: SyncTarget) -> Option<Nanos> {
        let SyncTarget::Event(event) = target else {
            return None;
        };
        let is_given = |event: &EventPlan| event.options.blocking.is_some();
        let plan = self.shared.plan.events.get(event.index());
        if !plan.is_some_and(is_given) || self.shared.device.caps().deterministic {
            return None;
        }
        Some(SystemThread::current()?.times()?.ran)
    }

    /// Says how a thread waited for an event, and what that cost it (rules A10, A13).
    fn note_manner(&self, current: &CurrentCall, target: SyncTarget, before: Option<Nanos>) {
        let SyncTarget::Event(event) = target else {
            return;
        };
        let plan = self.shared.plan.events.get(event.index());
        let Some(sleeps) = plan.and_then(|event| event.options.blocking) else {
            return;
        };
        let manner = if sleeps { "sleeping" } else { "spinning" };
        self.say(current.span, "waits by", manner);
        if let (Some(before), Some(after)) = (before, self.on_processor(target)) {
            let used = (after - before).to_string();
            self.say(current.span, "processor time", &used);
        }
    }

    /// Runs what blocks, and shows meanwhile that it does.
    pub(super) fn blocked(
        &self,
        current: &CurrentCall,
        kind: SpanKind,
        block: impl FnOnce(&RunState, &Self) -> Result<(), BackendError>,
    ) -> (SpanKind, Result<(), BackendError>) {
        let shared = Arc::clone(&self.shared);
        let show = |began: Option<SpanStart>| {
            if let Some(progress) = shared.host(self.host) {
                *lock(&progress.blocked) = began;
            }
        };
        show(Some(SpanStart {
            id: current.span,
            lane: RunState::host_lane(self.host),
            name: current.name,
            kind,
            enqueued: current.start,
            start: current.start,
        }));
        let result = block(&shared, self);
        show(None);
        (kind, result)
    }
}
