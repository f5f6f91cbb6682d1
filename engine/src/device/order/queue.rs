//! Operations in the order of their streams, and those that stand for something that has not come to pass.

use std::sync::Arc;

use super::clock::Mark;
use super::stream::{Deed, Step, Ticket};
use super::{Order, Traits};
use crate::workload::StreamIndex;

impl Order {
    /// An operation is submitted to a stream: it is compared now, or once what it stands for has come to pass.
    pub(super) fn submit(&mut self, host: u32, index: StreamIndex, mut step: Step<'_>) {
        let submitted = self.host(host).mark();
        let traits = self.stream(index).traits;
        if traits.is_legacy || traits.is_blocking {
            self.mind_legacy(index, traits, &mut step);
        }
        self.enqueue(index, submitted, step);
    }

    /// What is known once all that was submitted to a stream so far has ended.
    pub(super) fn point(&mut self, index: StreamIndex) -> Arc<Ticket> {
        let ticket = Arc::new(Ticket::default());
        let step = Step {
            origin: super::Origin::default(),
            deed: Deed::Point,
            needs: Vec::new(),
            done: Some(Arc::clone(&ticket)),
        };
        let nothing = super::Knowledge::default().mark();
        self.enqueue(index, nothing, step);
        ticket
    }

    /// Points of those streams that stand for something, by their traits.
    pub(super) fn points(&mut self, wanted: impl Fn(Traits) -> bool) -> Vec<Arc<Ticket>> {
        let standing = self.standing.values().flatten().copied();
        let mut standing: Vec<StreamIndex> = standing.collect();
        standing.retain(|&index| wanted(self.stream(index).traits));
        standing
            .into_iter()
            .map(|index| self.point(index))
            .collect()
    }

    /// Whatever stands for this point goes on.
    pub(super) fn reach(&mut self, ticket: &Arc<Ticket>, mark: Mark) {
        ticket.reach(mark);
        if !self.standing.is_empty()
            && let Some(streams) = self.standing.remove(&address(ticket))
        {
            self.woken.extend(streams);
        }
    }

    /// Operations that have nothing to stand for any more.
    pub(super) fn go_on(&mut self) {
        while let Some(index) = self.woken.pop() {
            while let Some((submitted, step)) = self.next_ready(index) {
                self.run(index, &submitted, &step);
            }
            self.stand(index);
        }
    }

    fn enqueue(&mut self, index: StreamIndex, submitted: Mark, step: Step<'_>) {
        let stream = self.stream(index);
        if !stream.queue.is_empty() {
            stream.queue.push_back((submitted, step.into_owned()));
        } else if step.is_ready() {
            self.run(index, &submitted, &step);
            self.go_on();
        } else {
            stream.queue.push_back((submitted, step.into_owned()));
            self.stand(index);
        }
    }

    fn next_ready(&mut self, index: StreamIndex) -> Option<(Mark, Step<'static>)> {
        self.stream(index)
            .queue
            .pop_front_if(|(_, step)| step.is_ready())
    }

    fn stand(&mut self, index: StreamIndex) {
        let front = self.stream(index).queue.front();
        if let Some(missing) = front.and_then(|(_, step)| step.missing()) {
            let address = address(missing);
            self.standing.entry(address).or_default().push(index);
        }
    }

    /// The legacy stream waits for all blocking ones, and they for it (rule A22). Where nothing stands, what they know
    /// tells it; where something does, they have to stand as well.
    fn mind_legacy(&mut self, index: StreamIndex, traits: Traits, step: &mut Step<'_>) {
        if !traits.is_legacy {
            let last = self.device(traits.device).legacy_done.clone();
            step.needs.extend(last.filter(|last| last.mark().is_none()));
            return;
        }
        if self.standing.is_empty() {
            return;
        }
        let is_blocking = |other: Traits| other.is_blocking && other.device == traits.device;
        step.needs.extend(self.points(is_blocking));
        if !step.is_ready() || !self.stream(index).queue.is_empty() {
            let done = step.done.get_or_insert_default();
            self.device(traits.device).legacy_done = Some(Arc::clone(done));
        }
    }
}

fn address(ticket: &Arc<Ticket>) -> usize {
    Arc::as_ptr(ticket) as usize
}
