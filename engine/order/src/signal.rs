//! Signals: what whoever waits for one comes after.
//!
//! The first raise counts. Where two host threads raise one signal and nothing orders the two calls, chance decides which
//! is first: then whoever waits for it comes after what comes before both, and nothing else.

use std::sync::Arc;

use super::clock::{ClockMark, ClockMember, VectorClock};
use super::stream::{StreamStep, SyncPoint};
use super::{Actor, HostOp, Order};
use record::{SignalIndex, SpanId, StreamIndex};

/// A signal between two restarts of the device: after how many of them, how often all were lowered, and which it is.
pub(super) type SignalUse = (u32, u32, SignalIndex);

/// What is known of a signal.
#[derive(Debug)]
pub(super) struct SignalSlot {
    ticket: Arc<SyncPoint>,
    /// Who knows what comes before every call that may be the first.
    member: ClockMember,
    /// The calls that may be the first.
    raises: Vec<SignalRaise>,
}

/// A call that raises a signal, unless another did before.
#[derive(Debug)]
struct SignalRaise {
    host: u32,
    span: SpanId,
    mark: ClockMark,
}

impl SignalSlot {
    /// Whether somebody raised it.
    pub fn is_raised(&self) -> bool {
        self.ticket.mark().is_some()
    }
}

impl Order {
    fn signal_slot(&mut self, signal: SignalIndex) -> Option<&mut SignalSlot> {
        while self.signals.len() <= signal.index() {
            let member = self.member(Actor::Host(u32::MAX));
            self.signals.push(SignalSlot {
                ticket: Arc::default(),
                member,
                raises: Vec::new(),
            });
        }
        self.signals.get_mut(signal.index())
    }

    /// Reached once a signal is raised.
    pub(super) fn signal(&mut self, signal: SignalIndex) -> Option<Arc<SyncPoint>> {
        self.signal_slot(signal).map(|it| Arc::clone(&it.ticket))
    }

    /// A stream waits for a signal.
    pub(super) fn hold(&mut self, op: &HostOp, signal: SignalIndex, stream: StreamIndex) {
        let mut hold = self.step(op, StreamStep::Pass);
        hold.needs.extend(self.signal(signal));
        hold.awaits = hold.needs.len();
        self.place_step(op, stream, hold);
    }

    /// What was raised before a restart of the device stays so.
    pub(super) fn restore_signals(&mut self, before: &[SignalSlot]) {
        for place in 0..before.len() as u32 {
            self.signal_slot(SignalIndex(place));
        }
        for (slot, before) in self.signals.iter().zip(before) {
            if let Some(mark) = before.ticket.mark() {
                slot.ticket.reach(mark.clone());
            }
        }
    }

    /// A host thread raises a signal: who hears of it comes after all that it did so far, and not after what it does next.
    pub(super) fn raise(&mut self, op: &HostOp, signal: SignalIndex) {
        let host = op.host;
        let mut mark = self.host(host).known.mark();
        if self.is_shared {
            self.publish(host);
            self.signal_raises.insert(op.origin.span);
            mark = self.note_raise(op, signal, mark);
        }
        if let Some(ticket) = self.signal(signal).filter(|it| it.mark().is_none()) {
            self.reach(&ticket, mark);
            self.go_on();
        }
        self.host(host).known.tick();
    }

    /// Keeps a call that may be the one which raises a signal. Gives what whoever waits for it knows.
    fn note_raise(&mut self, op: &HostOp, signal: SignalIndex, mark: ClockMark) -> ClockMark {
        let place = (self.restarts, self.lowered, signal);
        let Some(slot) = self.signal_slot(signal) else {
            return mark;
        };
        let comes_later = |first: &SignalRaise| {
            first.host == op.host || mark.clock.get(first.mark.member) >= first.mark.time
        };
        let was_raised = slot.is_raised();
        if slot.raises.iter().any(comes_later) || was_raised && slot.raises.is_empty() {
            return mark;
        }
        slot.raises.push(SignalRaise {
            host: op.host,
            span: op.origin.span,
            mark: mark.clone(),
        });
        let member = slot.member;
        if slot.raises.len() > 1 {
            let all = slot.raises.iter().map(|it| it.mark.whole());
            let common = all
                .reduce(|known, it| known.common(&it))
                .unwrap_or_default();
            let spans: Vec<SpanId> = slot.raises.iter().map(|it| it.span).collect();
            for span in spans {
                self.call_times.note_uncertain(span);
            }
            self.share_signal(place, &common);
        }
        match self.shared_signals.get(&place) {
            Some(clock) => ClockMark {
                member,
                time: 1,
                clock: clock.clone(),
            },
            None => mark,
        }
    }

    /// What whoever waits for a signal knows at most; where that is less than was taken for true, all has to be looked at
    /// once more.
    fn share_signal(&mut self, place: SignalUse, common: &VectorClock) {
        let known = self.shared_signals.get(&place);
        let least = known.map_or_else(|| common.clone(), |known| known.common(common));
        if known.is_none_or(|known| !known.is_same(&least)) {
            self.has_doubts = true;
            self.shared_signals.insert(place, least);
        }
    }
}
