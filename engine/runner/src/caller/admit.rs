//! What a call about events needs of them: their capabilities, a slot, and the event behind one of a pool.

use std::borrow::Cow;

use super::{Caller, CurrentCall};
use crate::shared::RunState;
use backend::{BackendError, HostIndex};
use device::EventError;
use record::impossible;
use record::{
    BLOCKED_BECAUSE, CallId, DependencyKind, EventIndex, Record, Severity, Span, SpanId, SpanKind,
    State, StreamIndex,
};
use workload::{Call, ErrorKind, EventCall, LaunchCall, SlotUse, StreamCall};

impl Caller {
    /// The call, with events that are taken from pools in place of the names that they go by.
    ///
    /// # Errors
    /// Nothing was taken from its pool for such a name.
    pub(super) fn resolved<'c>(&self, call: &'c Call) -> Result<Cow<'c, Call>, BackendError> {
        if self.shared.plan.pools.is_empty() {
            return Ok(Cow::Borrowed(call));
        }
        let mut call = Cow::Borrowed(call);
        let is_pooled = |event: EventIndex| {
            let plan = self.shared.plan.events.get(event.index());
            plan.is_some_and(|event| event.options.pool.is_some())
        };
        let mut owned = call.as_ref().clone();
        for event in owned.events_mut() {
            if is_pooled(*event) {
                *event = self.shared.pools.of(*event).ok_or_else(|| {
                    let name = self.event_name(*event);
                    let reason = format!(
                        "no event was taken from its pool for {name}, or it was given back: acquire \"{name}\" first"
                    );
                    BackendError::call(ErrorKind::NotAcquired, reason)
                })?;
            }
        }
        call = Cow::Owned(owned);
        Ok(call)
    }

    /// Refuses what concerns a device whose failure was told (rules A9, A47), and what an event was not made for (rules
    /// F2, F3).
    ///
    /// # Errors
    /// The device failed, or the event lacks a capability; nothing was done.
    pub(super) fn admit(&mut self, current: &CurrentCall, call: &Call) -> Result<(), BackendError> {
        if concerns_device(call) {
            self.shared.refuse_after_failure()?;
        }
        let Call::Event(call) = call else {
            return Ok(());
        };
        let (event, needs) = match *call {
            EventCall::Wait { event, .. } => (event, EventRequirement::Waits),
            EventCall::Query { event, .. } => (event, EventRequirement::Progress),
            EventCall::Record {
                event,
                is_external: true,
                ..
            } => (event, EventRequirement::Graph),
            EventCall::Reset { event, .. } => (event, EventRequirement::Reset),
            EventCall::Record {
                is_external: false, ..
            }
            | EventCall::Synchronize { .. }
            | EventCall::Elapsed { .. }
            | EventCall::Destroy { .. }
            | EventCall::Acquire { .. }
            | EventCall::Release { .. }
            | EventCall::BeginTime { .. }
            | EventCall::EndTime { .. } => return Ok(()),
        };
        let Some(plan) = self.shared.plan.events.get(event.index()) else {
            return Ok(());
        };
        let can = plan.options.capabilities;
        let missing = match needs {
            EventRequirement::Waits if !can.waits => {
                "streams cannot wait for it: its kind is without “sync”"
            }
            EventRequirement::Progress if !can.progress => {
                "it cannot be asked how far it is: its kind is without “progress”"
            }
            EventRequirement::Reset if !can.waits => {
                "it cannot be reset: its kind is without “sync”"
            }
            EventRequirement::Reset if plan.options.slot == SlotUse::Record => {
                "it cannot be reset: it takes its slot at each record, and gives it back by itself"
            }
            EventRequirement::Graph if plan.options.slot == SlotUse::Record => {
                "a graph cannot record it: it takes a slot at each record, which a host thread would have to wait for"
            }
            _ => return Ok(()),
        };
        let reason = format!("{} was not made for this, and {missing}", plan.name);
        let text = format!(
            "line {}: {reason}; the call was refused",
            current.place.line
        );
        self.tell(
            Severity::Warning,
            "wrong-event-capability",
            text,
            current.span,
        );
        Err(BackendError::call(ErrorKind::WrongCapability, reason))
    }

    /// Takes a slot for a record of an event that needs one, and shows how long there was none (rule F3).
    ///
    /// # Errors
    /// The device failed or was lost, or the run was stopped.
    pub(super) fn until_slot(&self, call: &Call) -> Result<(), BackendError> {
        let Call::Event(EventCall::Record {
            event,
            is_external: false,
            ..
        }) = call
        else {
            return Ok(());
        };
        let plan = self.shared.plan.events.get(event.index());
        if self.shared.plan.event_slots.is_none()
            || plan.is_none_or(|plan| plan.options.slot != SlotUse::Record)
        {
            return Ok(());
        }
        let device = &self.shared.device;
        if !device.is_short_of_slots() {
            return device.take_slot(self.host).map(drop);
        }
        let start = device.now(self.host);
        let taken = device.take_slot(self.host);
        self.report_wait_for_slot(self.host, start, taken.as_ref().ok().copied());
        taken.map(drop)
    }

    /// Shows how long a host thread waited for a slot, and for which record to give one back; nothing where it gave up.
    fn report_wait_for_slot(
        &self,
        host: HostIndex,
        start: record::time::Nanos,
        taken: Option<SpanId>,
    ) {
        let name = "waiting for event slot";
        let end = self.shared.device.now(host);
        let span = self.shared.next_span();
        if let Some(giver) = taken.filter(|it| it.is_some()) {
            self.report_dependency(giver, span, DependencyKind::Synchronization);
        }
        let slots = self
            .shared
            .plan
            .event_slots
            .unwrap_or_else(|| impossible!("a wait for a slot where slots have no limit"));
        let text = format!("all {slots} event slots of the device were taken");
        self.argue(span, BLOCKED_BECAUSE, &text);
        self.reporter.send(Record::Span(Span {
            id: span,
            lane: RunState::host_lane(host),
            name: self.shared.names.id(name, &self.reporter),
            call: CallId::NONE,
            kind: SpanKind::Synchronize,
            state: if taken.is_some() {
                State::Done
            } else {
                State::Cancelled
            },
            enqueued: start,
            start,
            end,
        }));
    }

    /// What using an event comes to that cannot be used.
    pub(super) fn event_error(&self, error: EventError) -> BackendError {
        match error {
            EventError::Unknown(_) => BackendError::Unknown(error.to_string()),
            EventError::Released(event) => {
                let name = self.event_name(EventIndex(event));
                let reason = format!(
                    "event {name} was destroyed: waits that were submitted before stay valid, new uses do not; destroy \
                     it after its last use"
                );
                BackendError::call(ErrorKind::Destroyed, reason)
            }
        }
    }

    /// What a stream is called.
    pub(super) fn stream_name(&self, stream: StreamIndex) -> &str {
        let plan = self.shared.plan.streams.get(stream.index());
        plan.map_or("?", |stream| &stream.name)
    }
}

/// Whether a call is work for the device, or asks it something. The rest is between host threads, kept by the host alone,
/// or `WebGPU`'s, which knows no failure of a device but its loss.
pub(super) const fn concerns_device(call: &Call) -> bool {
    match call {
        Call::Data(_) | Call::Rank(_) => true,
        Call::Host(_) | Call::Gpu(_) => false,
        Call::Event(call) => !matches!(call, EventCall::Acquire { .. } | EventCall::Release { .. }),
        Call::Stream(call) => !matches!(
            call,
            StreamCall::Subscribe { .. } | StreamCall::Unsubscribe { .. }
        ),
        Call::Launch(call) => !matches!(
            call,
            LaunchCall::Record { .. }
                | LaunchCall::Set { .. }
                | LaunchCall::SetAll { .. }
                | LaunchCall::SetDimensions { .. }
        ),
    }
}

/// What a call needs of an event.
#[derive(Clone, Copy)]
enum EventRequirement {
    Waits,
    Progress,
    Reset,
    Graph,
}
