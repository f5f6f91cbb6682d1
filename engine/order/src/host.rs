//! Host threads: what a wait of one joins.

use std::sync::Arc;

use super::stream::SyncPoint;
use super::{HostOp, HostWaitTarget, LintKind, Order};

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
        self.awaited.insert(number, (op.host, tickets));
    }

    /// A wait of a host thread has ended: it knows what it waited for.
    pub(super) fn end(&mut self, host: u32, number: u32) {
        let (_, tickets) = self.awaited.remove(&number).unwrap_or_default();
        self.learn(host, &tickets);
    }

    /// Every wait that a host thread began has ended.
    pub(super) fn end_all(&mut self, host: u32) {
        let ended: Vec<_> = self
            .awaited
            .extract_if(|_, (began, _)| *began == host)
            .collect();
        for (_, (_, tickets)) in ended {
            self.learn(host, &tickets);
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
