//! Host threads and events: what a wait of the host joins, and which record is meant.

use std::sync::Arc;

use super::clock::Knowledge;
use super::run::{ALL, BLOCKING};
use super::stream::Ticket;
use super::{Actor, Awaited, Lint, LintKind, Op, Order, Origin};
use crate::workload::{EventIndex, SignalIndex};

impl Order {
    #[expect(
        clippy::indexing_slicing,
        reason = "the loop before made sure of the place"
    )]
    pub(super) fn host(&mut self, host: u32) -> &mut Knowledge {
        while self.hosts.len() <= host as usize {
            let next = self.hosts.len() as u32;
            let member = self.member(Actor::Host(next));
            self.hosts.push(Knowledge::new(member));
        }
        &mut self.hosts[host as usize]
    }

    pub(super) fn set_event(&mut self, event: EventIndex, ticket: Option<Arc<Ticket>>) {
        if self.events.len() <= event.index() {
            self.events.resize_with(event.index() + 1, || None);
        }
        if let Some(slot) = self.events.get_mut(event.index()) {
            *slot = ticket;
        }
    }

    /// The record of an event that is the latest now; where there is none, that is odd.
    pub(super) fn record_of(
        &mut self,
        event: EventIndex,
        at: Origin,
        kind: LintKind,
    ) -> Option<Arc<Ticket>> {
        let ticket = self.events.get(event.index()).cloned().flatten();
        if ticket.is_none() {
            self.lints.push(Lint { kind, at });
        }
        ticket
    }

    pub(super) fn raise(&mut self, host: u32, signal: SignalIndex) {
        let mark = self.host(host).mark();
        if let Some(ticket) = self.signal(signal).filter(|it| it.mark().is_none()) {
            self.reach(&ticket, mark);
            self.go_on();
        }
    }

    /// A wait of a host thread begins: it is for what was submitted by now.
    pub(super) fn begin(&mut self, op: &Op, awaited: Awaited, number: u32) {
        let tickets: Vec<Arc<Ticket>> = match awaited {
            Awaited::Event(event) => {
                let found = self.record_of(event, op.origin, LintKind::SynchronizeUnrecorded);
                found.into_iter().collect()
            }
            Awaited::Query(event) => {
                let found = self.record_of(event, op.origin, LintKind::QueryUnrecorded);
                found.into_iter().collect()
            }
            Awaited::Signal(signal) => self.signal(signal).into_iter().collect(),
            Awaited::Stream(stream) => {
                let traits = self.stream(stream).traits;
                let mut tickets = vec![self.point(stream)];
                if traits.is_legacy {
                    let known = self.gather(traits.device, BLOCKING);
                    tickets.push(Ticket::reached(known));
                    let is_meant = |it: super::Traits| it.is_blocking && it.device == traits.device;
                    tickets.extend(self.points(is_meant));
                }
                tickets
            }
            Awaited::Device(device) => {
                let known = self.gather(device, ALL);
                let mut tickets = self.points(|it| it.device == device);
                tickets.push(Ticket::reached(known));
                tickets
            }
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

    fn learn(&mut self, host: u32, tickets: &[Arc<Ticket>]) {
        let known = self.host(host);
        let mut has_news = false;
        for mark in tickets.iter().filter_map(|ticket| ticket.mark()) {
            has_news |= known.join(mark);
        }
        // Whoever learns has come further, so that others see that there is something to learn of it.
        if has_news {
            known.tick();
        }
    }
}
