//! Events: which record is meant by whoever waits for one.
//!
//! The latest record is meant (rule A3), and which is the latest depends on the order of calls. Where two host threads
//! call in no order, chance decides: such a wait may mean either, and so it orders nothing.

use record::{EventIndex, StreamIndex};
use std::collections::BTreeSet;
use std::sync::Arc;

use super::clock::ClockMark;
use super::stream::{SyncPoint, WaitFor};
use super::{CallOrigin, HostOp, Lint, LintKind, Order};

/// What is known of an event.
#[derive(Debug, Default)]
pub(super) struct EventSlot {
    /// What it was made to be, by calls of which none comes before another.
    settings: Vec<EventSetting>,
    /// Who asked which record is the latest, and at which time of its own.
    asked: BTreeSet<(u32, u32)>,
}

/// An event is recorded, or made to be as if it never was.
#[derive(Clone, Debug)]
struct EventSetting {
    host: u32,
    /// The host thread's own time.
    time: u32,
    record: Option<WaitFor>,
}

/// Who asked for the latest record of an event: after how many restarts, the event, the host thread and its own time.
pub(super) type RecordQuery = (u32, EventIndex, u32, u32);

impl Order {
    fn event(&mut self, event: EventIndex) -> Option<&mut EventSlot> {
        if self.events.len() <= event.index() {
            self.events
                .resize_with(event.index() + 1, EventSlot::default);
        }
        self.events.get_mut(event.index())
    }

    /// Whether whoever has this mark comes after what a host thread did at a time of its own.
    fn knows_call(&mut self, (own, mark): (u32, &ClockMark), host: u32, time: u32) -> bool {
        let member = self.host(host).known.member;
        own == host || mark.clock.get(member) >= time
    }

    /// An event is recorded, or as if it never was.
    pub(super) fn set_event(
        &mut self,
        op: &HostOp,
        event: EventIndex,
        recorded: Option<(Arc<SyncPoint>, StreamIndex)>,
    ) {
        let mark = self.host(op.host).known.mark();
        let slot = self.event(event).map(std::mem::take).unwrap_or_default();
        let EventSlot {
            mut settings,
            asked,
        } = slot;
        let own = (op.host, &mark);
        settings.retain(|it| !self.knows_call(own, it.host, it.time));
        for &(host, time) in &asked {
            if !self.knows_call(own, host, time) {
                let is_new = self.doubtful.insert((self.restarts, event, host, time));
                self.has_doubts |= is_new;
            }
        }
        settings.push(EventSetting {
            host: op.host,
            time: mark.time,
            record: recorded.map(|(ticket, from)| WaitFor {
                ticket,
                record: op.origin,
                from,
            }),
        });
        if let Some(slot) = self.event(event) {
            *slot = EventSlot { settings, asked };
        }
    }

    /// An event is taken out of a pool: whoever used it before has given it back, and its pool sees to that order.
    pub(super) fn acquire(&mut self, op: &HostOp, event: EventIndex) {
        if let Some(slot) = self.event(event) {
            slot.settings.retain(|it| it.host == op.host);
            slot.asked.retain(|(host, _)| *host == op.host);
        }
    }

    /// The record of an event that is the latest now; where there is none, that is odd. None as well where it is a matter
    /// of chance which is the latest.
    pub(super) fn record_of(
        &mut self,
        op: &HostOp,
        event: EventIndex,
        kind: LintKind,
    ) -> Option<WaitFor> {
        let found = self.certain_record(op, event, kind);
        if found.is_none() && self.is_shared {
            self.call_times.note_uncertain(op.origin.span);
        }
        found
    }

    /// A wait that may give up and go on (rule F13): it is chance which record it means as for any other.
    pub(super) fn note_attempt(&mut self, op: &HostOp, event: EventIndex) {
        if self.is_shared {
            let lints = self.lints.len();
            self.record_of(op, event, LintKind::WaitUnrecorded);
            self.lints.truncate(lints);
        }
    }

    fn certain_record(
        &mut self,
        op: &HostOp,
        event: EventIndex,
        kind: LintKind,
    ) -> Option<WaitFor> {
        let mark = self.host(op.host).known.mark();
        if self.is_shared {
            let asked = (op.host, mark.time);
            self.event(event)?.asked.insert(asked);
            let question = (self.restarts, event, op.host, mark.time);
            if self.doubtful.contains(&question) {
                return None;
            }
        }
        let settings = self.event(event)?.settings.clone();
        if let [only] = settings.as_slice() {
            let is_certain = self.knows_call((op.host, &mark), only.host, only.time);
            if only.record.is_some() || !is_certain {
                return only.record.clone().filter(|_| is_certain);
            }
        } else if !settings.is_empty() {
            return None;
        }
        self.lint(kind, op.origin);
        None
    }

    fn lint(&mut self, kind: LintKind, at: CallOrigin) {
        self.lints.push(Lint { kind, at });
    }
}
