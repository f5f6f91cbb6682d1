//! The order of calls: what they declare, what streams and waits enforce, and which uses of a buffer nothing orders.
//!
//! Three things are kept apart. What is **declared**: the bytes that each call reads and writes ([`Use`]). What is
//! **enforced**: stream order, records and waits, synchronisation, host order, signals and the rules of the legacy
//! default stream, each kept as a vector clock. And what was **observed**, which is in the capture's spans and takes no
//! part here: that two operations happened to run in the right order this time proves nothing.
//!
//! Calls go in one by one, as they were made ([`Order::take`]); two uses of one buffer of which nothing orders one
//! before the other come out ([`Hazard`]). Operations that stand behind a signal which is not raised yet are compared
//! once it is, since only then is known what they come after.

mod act;
mod clock;
mod declared;
mod hazard;
mod history;
mod host;
mod log;
mod memory;
mod queue;
mod run;
mod stream;
#[cfg(test)]
mod tests;
mod topology;

pub use act::{Act, Awaited, Op, Traits};
pub use declared::{Use, WHOLE, of_graph};
pub use hazard::{Actor, Hazard, HazardKind, Lint, LintKind, Origin, Party};
pub use log::{Batch, Log};
pub use topology::{NodeIndex, Topology};

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::workload::{SignalIndex, StreamIndex};
use clock::Knowledge;
use memory::Memory;
use stream::{Deed, Device, Step, Stream, Ticket};

/// The order of all calls so far.
#[derive(Debug, Default)]
pub struct Order {
    streams: Vec<Stream>,
    hosts: Vec<Knowledge>,
    /// Who each member of a clock is.
    actors: Vec<Actor>,
    events: Vec<Option<Arc<Ticket>>>,
    signals: Vec<Arc<Ticket>>,
    devices: Vec<Device>,
    /// Streams that stand for a point that is not reached, by the point's address.
    standing: HashMap<usize, Vec<StreamIndex>>,
    /// What host threads wait for, each under its number, with the thread that began to.
    awaited: HashMap<u32, (u32, Vec<Arc<Ticket>>)>,
    memory: Memory,
    hazards: Vec<Hazard>,
    lints: Vec<Lint>,
    operations: u64,
    /// Streams whose next operation may have nothing to stand for any more.
    woken: Vec<StreamIndex>,
}

impl Order {
    /// Before the first call.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in a call with its uses. Calls come in the order in which they were made: those of one host thread, those
    /// of one stream, and records before the waits that mean them.
    pub fn take(&mut self, op: &Op, uses: &[Use]) {
        let step = |deed| Step {
            origin: op.origin,
            deed,
            needs: Vec::new(),
            done: None,
        };
        match &op.act {
            Act::Create(stream, traits) => self.create(*stream, *traits),
            Act::Work(stream) => {
                self.submit(op.host, *stream, step(Deed::Work(Cow::Borrowed(uses))));
            }
            Act::Touch => self.touch(op, uses),
            Act::Record(event, stream) => {
                let ticket = Arc::new(Ticket::default());
                let mut record = step(Deed::Pass);
                record.done = Some(Arc::clone(&ticket));
                self.submit(op.host, *stream, record);
                self.set_event(*event, Some(ticket));
            }
            Act::Wait(event, stream) => {
                let mut wait = step(Deed::Pass);
                let record = self.record_of(*event, op.origin, LintKind::WaitUnrecorded);
                wait.needs.extend(record);
                self.submit(op.host, *stream, wait);
            }
            Act::Join(from, to) => {
                let ticket = Arc::new(Ticket::default());
                let mut record = step(Deed::Pass);
                record.done = Some(Arc::clone(&ticket));
                self.submit(op.host, *from, record);
                let mut wait = step(Deed::Pass);
                wait.needs.push(ticket);
                self.submit(op.host, *to, wait);
            }
            Act::Reset(event, stream) => {
                self.submit(op.host, *stream, step(Deed::Pass));
                self.set_event(*event, None);
            }
            Act::Forget(event) => self.set_event(*event, None),
            Act::Hold(signal, stream) => {
                let mut hold = step(Deed::Pass);
                hold.needs.extend(self.signal(*signal));
                self.submit(op.host, *stream, hold);
            }
            Act::Raise(signal) => self.raise(op.host, *signal),
            Act::Begin(awaited, number) => self.begin(op, *awaited, *number),
            Act::End(number) => self.end(op.host, *number),
            Act::EndAll => self.end_all(op.host),
            Act::Allocate(buffer, stream, at) => {
                let range = at.as_deref().cloned();
                self.memory.allocate(*buffer, range);
                if let Some(stream) = stream {
                    self.submit(op.host, *stream, step(Deed::Allocate(*buffer)));
                }
            }
            Act::Free(buffer, stream) => {
                if let Some(stream) = stream {
                    self.submit(op.host, *stream, step(Deed::Free(*buffer)));
                }
                self.memory.free(*buffer);
            }
            Act::Pledge(buffer, stream) => {
                let member = self.stream(*stream).known.member;
                self.memory.pledge(*buffer, member);
            }
            Act::Settle => self.memory.settle(),
            Act::Restart => self.restart(),
            Act::Lower => self.signals.clear(),
        }
    }

    /// Takes in a batch of calls.
    pub fn take_all(&mut self, batch: &Batch) {
        batch.each(|op, uses| self.take(op, uses));
    }

    /// What was found since this was asked last, in the order of the second uses.
    pub fn hazards(&mut self) -> Vec<Hazard> {
        std::mem::take(&mut self.hazards)
    }

    /// What is odd and was found since this was asked last.
    pub fn lints(&mut self) -> Vec<Lint> {
        std::mem::take(&mut self.lints)
    }

    /// Operations that were compared with those before them.
    pub const fn operations(&self) -> u64 {
        self.operations
    }

    /// Operations that were not compared, because they stand behind something that has not come to pass.
    pub fn standing(&self) -> usize {
        self.streams.iter().map(|stream| stream.queue.len()).sum()
    }

    fn signal(&mut self, signal: SignalIndex) -> Option<Arc<Ticket>> {
        if self.signals.len() <= signal.index() {
            self.signals.resize_with(signal.index() + 1, Arc::default);
        }
        self.signals.get(signal.index()).cloned()
    }

    fn restart(&mut self) {
        let raised = self.signals.iter().map(|it| it.mark().is_some());
        let raised: Vec<bool> = raised.collect();
        let nothing = || Ticket::reached(Knowledge::default().mark());
        *self = Self {
            signals: raised
                .into_iter()
                .map(|it| if it { nothing() } else { Arc::default() })
                .collect(),
            operations: self.operations,
            hazards: std::mem::take(&mut self.hazards),
            lints: std::mem::take(&mut self.lints),
            ..Self::default()
        };
    }
}
