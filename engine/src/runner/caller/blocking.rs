//! Calls that block the host thread, or that release what is blocked.

use std::sync::Arc;

use super::{Caller, Current, order};
use crate::backend::Error;
use crate::device::order::{Act, Awaited};
use crate::device::{Progress, lock};
use crate::record::{Began, DependencyKind, EventId, SpanKind};
use crate::runner::shared::Shared;
use crate::time::Nanos;
use crate::workload::{EventIndex, SignalIndex, Target};

impl Caller {
    pub(super) fn synchronize(
        &mut self,
        current: &Current,
        target: Target,
    ) -> (SpanKind, Result<(), Error>) {
        let kind = DependencyKind::Synchronization;
        if let Target::Event(event) = target {
            match self.shared.events.latest(event, |latest| latest) {
                Err(error) => return (SpanKind::Synchronize, Err(error.into())),
                Ok(None) => self.report_use_before_record(current, event, "synchronize"),
                Ok(Some(latest)) => {
                    let by = (EventId(event.0), latest.generation);
                    self.tie_by_event(latest.span, current.span, kind, by);
                }
            }
        }
        if let Err(error) = self.cover_legacy(current, target) {
            return (SpanKind::Synchronize, Err(error));
        }
        for last in self.last_operations(target) {
            self.tie(last, current.span, kind);
        }
        self.note_begin(current, order::awaited(target));
        let done = self.blocked(current, SpanKind::Synchronize, |shared, caller| {
            shared.device.synchronize(caller.host, target, None)
        });
        self.note_end(current, &done.1);
        done
    }

    pub(super) fn await_signal(
        &mut self,
        current: &Current,
        signal: SignalIndex,
    ) -> (SpanKind, Result<(), Error>) {
        if let Some(slot) = self.shared.signal(signal) {
            let mut slot = lock(slot);
            match slot.raised {
                Some(raised) => self.tie(raised, current.span, DependencyKind::Signal),
                None => slot.waiting.push(current.span),
            }
        }
        self.note_begin(current, Awaited::Signal(signal));
        let done = self.blocked(current, SpanKind::Synchronize, |shared, caller| {
            shared.device.until_raised(caller.host, signal)
        });
        self.note_end(current, &done.1);
        done
    }

    pub(super) fn work(
        &mut self,
        current: &Current,
        length: Nanos,
    ) -> (SpanKind, Result<(), Error>) {
        self.blocked(current, SpanKind::HostWork, |shared, caller| {
            shared.device.work(caller.host, length);
            Ok(())
        })
    }

    pub(super) fn raise(&mut self, current: &Current, signal: SignalIndex) -> Result<(), Error> {
        let slot = self.shared.signal(signal);
        let unknown = || Error::Unknown(format!("signal {}", signal.0));
        let mut slot = lock(slot.ok_or_else(unknown)?);
        if slot.raised.is_none() {
            slot.raised = Some(current.span);
            self.note(current, Act::Raise(signal));
            for waiting in std::mem::take(&mut slot.waiting) {
                self.tie(current.span, waiting, DependencyKind::Signal);
            }
        }
        self.shared.device.raise(self.host, signal);
        Ok(())
    }

    pub(super) fn query(&mut self, current: &Current, event: EventIndex) -> Result<(), Error> {
        let shared = Arc::clone(&self.shared);
        let asked = shared.events.latest(event, |latest| {
            let progress = shared.device.query(self.host, event);
            if matches!(progress, Progress::Reached(_)) {
                self.note_begin(current, Awaited::Query(event));
                self.note_end(current, &Ok(()));
            }
            (latest, progress)
        });
        let (latest, progress) = asked?;
        let answer = match progress {
            Progress::NotRecorded => "never recorded",
            Progress::Pending => "not ready",
            Progress::Reached(_) => "complete",
            Progress::Failed => "failed",
        };
        self.arguments
            .report_answer(&self.reporter, current.span, answer);
        match (latest, progress) {
            // As good as a synchronisation: what came before the record has ended (rule A9).
            (Some(latest), Progress::Reached(_)) => {
                let by = (EventId(event.0), latest.generation);
                let kind = DependencyKind::Synchronization;
                self.tie_by_event(latest.span, current.span, kind, by);
            }
            (None, _) => self.report_use_before_record(current, event, "query"),
            _ => {}
        }
        Ok(())
    }

    /// Runs what blocks, and shows meanwhile that it does.
    pub(super) fn blocked(
        &self,
        current: &Current,
        kind: SpanKind,
        block: impl FnOnce(&Shared, &Self) -> Result<(), Error>,
    ) -> (SpanKind, Result<(), Error>) {
        let shared = Arc::clone(&self.shared);
        let show = |began: Option<Began>| {
            if let Some(progress) = shared.host(self.host) {
                *lock(&progress.blocked) = began;
            }
        };
        show(Some(Began {
            id: current.span,
            lane: Shared::host_lane(self.host),
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
