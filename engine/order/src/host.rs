//! Host threads: what a wait of one joins.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::stream::SyncPoint;
use super::{HostOp, HostWaitTarget, LintKind, Order};
use record::SignalIndex;

/// A wait of a host thread that has begun.
#[derive(Debug, Default)]
pub(super) struct BegunWait {
    host: u32,
    tickets: Vec<Arc<SyncPoint>>,
    /// The signal that it is for, where it is for one.
    signal: Option<SignalIndex>,
}

impl Order {
    /// A wait of a host thread begins: it is for what was submitted by now.
    pub(super) fn begin(&mut self, op: &HostOp, awaited: HostWaitTarget, number: u32) {
        let tickets: Vec<Arc<SyncPoint>> = match awaited {
            HostWaitTarget::Event(event) => {
                let found = self.record_of(op, event, LintKind::SynchronizeUnrecorded);
                found.into_iter().map(|it| it.ticket).collect()
            }
            HostWaitTarget::Query(event) => {
                let found = self.record_of(op, event, LintKind::QueryUnrecorded);
                found.into_iter().map(|it| it.ticket).collect()
            }
            HostWaitTarget::Signal(signal) => self.signal(signal).into_iter().collect(),
            HostWaitTarget::Alone(stream) => self.all_of_one(op.host, stream),
            HostWaitTarget::Stream(stream) => self.all_of_stream(op.host, stream),
            HostWaitTarget::Device(device) => self.all_of_device(op.host, device),
        };
        let signal = match awaited {
            HostWaitTarget::Signal(signal) => Some(signal),
            _ => None,
        };
        let begun = BegunWait {
            host: op.host,
            tickets,
            signal,
        };
        self.awaited.insert(number, begun);
    }

    /// Waits for signals go on after a restart: who raises them is another host thread, and not the device. One for the device
    /// that its loss ended counts as one that waited, and so it does where the device is opened anew before the host thread
    /// notices: that is chance.
    pub(super) fn restore_waits(&mut self, mut awaited: BTreeMap<u32, BegunWait>) {
        for begun in awaited.values_mut().filter(|it| it.signal.is_some()) {
            let ticket = begun.signal.and_then(|signal| self.signal(signal));
            begun.tickets = ticket.into_iter().collect();
        }
        self.awaited = awaited;
    }

    /// A wait of a host thread has ended: it knows what it waited for.
    pub(super) fn end(&mut self, host: u32, number: u32) {
        let ended = self.awaited.remove(&number).unwrap_or_default();
        self.learn(host, &ended.tickets);
    }

    /// Every wait that a host thread began has ended.
    pub(super) fn end_all(&mut self, host: u32) {
        let ended: Vec<_> = self
            .awaited
            .extract_if(.., |_, begun| begun.host == host)
            .collect();
        for (_, ended) in ended {
            self.learn(host, &ended.tickets);
        }
    }

    fn learn(&mut self, host: u32, tickets: &[Arc<SyncPoint>]) {
        // Times have to be the same in an order that takes the same calls again and is told to trust fewer of them.
        let mut has_news = self.is_shared;
        let known = &mut self.host(host).known;
        for mark in tickets.iter().filter_map(|ticket| ticket.least()) {
            has_news |= known.join(mark);
        }
        // Whoever learns has come further, so that others see that there is something to learn of it.
        if has_news {
            known.tick();
        }
        self.note_known(host);
    }
}
