//! Operations in the order of their streams, and those that stand for something that has not come to pass.

use record::StreamIndex;
use std::sync::Arc;

use super::allocations::DroppingAbort;
use super::clock::{ClockMark, MemberClock};
use super::run::{ALL, BLOCKING};
use super::stream::{ChainIndex, StreamOperation, StreamStep, SyncPoint};
use super::{HostOp, Order, StreamOrderTraits};

impl Order {
    /// An operation is submitted to a stream: it is compared now, or once what it stands for has come to pass.
    pub(super) fn submit(&mut self, host: u32, index: StreamIndex, mut step: StreamOperation<'_>) {
        let submitted = self.host(host).known.mark();
        let chain = self.chain(index, host);
        self.others(host, index, &mut step.needs);
        let traits = self.stream(index).traits;
        if traits.is_legacy {
            self.blocking(host, traits.device, &mut step.needs);
        } else if traits.is_blocking {
            self.legacy(host, index, &mut step.needs);
        }
        self.enqueue(chain, submitted, step);
    }

    /// What is known once all that a host thread submitted to a stream so far has ended.
    pub(super) fn point(&mut self, chain: ChainIndex) -> Arc<SyncPoint> {
        let ticket = Arc::new(SyncPoint::default());
        let step = StreamOperation {
            origin: super::CallOrigin::default(),
            sequence: 0,
            deed: StreamStep::Point,
            needs: Vec::new(),
            done: Some(Arc::clone(&ticket)),
            is_watched: false,
            awaits: 0,
        };
        let nothing = MemberClock::default().mark();
        self.enqueue(chain, nothing, step);
        ticket
    }

    /// What a host thread waits for that waits for a stream: what it submitted itself, what others did by calls that come
    /// before its own, and what the rules of the legacy stream put before (rules A22, A24).
    pub(super) fn all_of_stream(&mut self, host: u32, index: StreamIndex) -> Vec<Arc<SyncPoint>> {
        let mut tickets = self.all_of_one(host, index);
        let traits = self.stream(index).traits;
        if traits.is_legacy {
            self.blocking(host, traits.device, &mut tickets);
        } else if traits.is_blocking {
            self.legacy(host, index, &mut tickets);
        }
        tickets
    }

    /// The same without what the rules of the legacy stream put before.
    pub(super) fn all_of_one(&mut self, host: u32, index: StreamIndex) -> Vec<Arc<SyncPoint>> {
        let chain = self.chain(index, host);
        let mut tickets = vec![self.point(chain)];
        self.others(host, index, &mut tickets);
        tickets
    }

    /// The same of a device.
    pub(super) fn all_of_device(&mut self, host: u32, device: u32) -> Vec<Arc<SyncPoint>> {
        let mut tickets = self.gathered(host, device, ALL);
        tickets.extend(self.standing_points(host, |it| it.device == device));
        self.others_where(host, |it| it.device == device, &mut tickets);
        tickets
    }

    /// What a host thread's chains on a device, or those on blocking streams, have come to.
    fn gathered(&mut self, host: u32, device: u32, which: usize) -> Vec<Arc<SyncPoint>> {
        if self.dropped_steps.is_empty() {
            return vec![SyncPoint::reached(self.gather(host, device, which))];
        }
        // What was dropped of one hands less on than what was not.
        let chains = self.host(host).chains.clone().into_iter();
        let chains = chains.filter_map(|chain| self.chains.get(chain.0 as usize));
        let chains = chains.filter(|chain| {
            let stream = self.streams.get(chain.stream.index());
            stream.is_some_and(|it| {
                let is_in = which == ALL || it.traits.is_blocking && !it.traits.is_legacy;
                it.traits.device == device && is_in
            })
        });
        chains
            .map(|chain| SyncPoint::reached_or(chain.known.mark(), chain.least.clone()))
            .collect()
    }

    /// What other host threads submitted to a stream by calls that come before what this one does now.
    fn others(&mut self, host: u32, index: StreamIndex, needs: &mut Vec<Arc<SyncPoint>>) {
        let (Some(stream), Some(own)) = (
            self.streams.get(index.index()),
            self.hosts.get(host as usize),
        ) else {
            return;
        };
        for chain in &stream.chains {
            let chain = self.chains.get(chain.0 as usize);
            let Some(chain) = chain.filter(|it| it.host != host) else {
                continue;
            };
            let Some(other) = self.hosts.get(chain.host as usize) else {
                continue;
            };
            let time = own.known.get(other.known.member);
            needs.extend(chain.published_by(time).cloned());
        }
    }

    fn others_where(
        &mut self,
        host: u32,
        wanted: impl Fn(StreamOrderTraits) -> bool,
        needs: &mut Vec<Arc<SyncPoint>>,
    ) {
        if self.hosts.len() < 2 {
            return;
        }
        for place in 0..self.streams.len() as u32 {
            let index = StreamIndex(place);
            if wanted(self.stream(index).traits) {
                self.others(host, index, needs);
            }
        }
    }

    /// What the legacy stream waits for: all that was submitted to the blocking streams of its device.
    fn blocking(&mut self, host: u32, device: u32, needs: &mut Vec<Arc<SyncPoint>>) {
        let is_blocking =
            |it: StreamOrderTraits| it.is_blocking && !it.is_legacy && it.device == device;
        needs.extend(self.gathered(host, device, BLOCKING));
        needs.extend(self.standing_points(host, is_blocking));
        self.others_where(host, is_blocking, needs);
    }

    /// What a blocking stream waits for: all that was submitted to the legacy stream of its device since it was made.
    fn legacy(&mut self, host: u32, index: StreamIndex, needs: &mut Vec<Arc<SyncPoint>>) {
        let stream = self.stream(index);
        let (traits, made_after) = (stream.traits, stream.made_after);
        let Some(legacy) = self.legacies.get(traits.device as usize).copied().flatten() else {
            return;
        };
        self.others(host, legacy, needs);
        let chain = self.chain(legacy, host);
        let Some(state) = self.chains.get(chain.0 as usize) else {
            return;
        };
        if state.queue.is_empty() {
            let last = state.known.mark();
            let without_last = state.least.clone();
            let own = self.streams.get(index.index()).into_iter();
            let own = own.flat_map(|stream| &stream.chains);
            let mut own = own.filter_map(|chain| self.chains.get(chain.0 as usize));
            let is_known = own.any(|it| it.host == host && it.known.get(last.member) >= last.time);
            if last.time > made_after && !is_known {
                needs.push(SyncPoint::reached_or(last, without_last));
            }
        } else {
            needs.push(self.point(chain));
        }
    }

    /// Points of those of a host thread's chains that stand for something, by the traits of their streams.
    fn standing_points(
        &mut self,
        host: u32,
        wanted: impl Fn(StreamOrderTraits) -> bool,
    ) -> Vec<Arc<SyncPoint>> {
        let mut standing: Vec<ChainIndex> = self.standing.values().flatten().copied().collect();
        standing.retain(|chain| {
            let Some(chain) = self.chains.get(chain.0 as usize) else {
                return false;
            };
            let stream = self.streams.get(chain.stream.index());
            chain.host == host && stream.is_some_and(|it| wanted(it.traits))
        });
        standing
            .into_iter()
            .map(|chain| self.point(chain))
            .collect()
    }

    /// A host thread raises a signal: what it submitted so far comes before whoever hears of it.
    pub(super) fn publish(&mut self, host: u32) {
        let time = self.host(host).known.time;
        for chain in self.host(host).chains.clone() {
            let Some(state) = self.chains.get(chain.0 as usize) else {
                continue;
            };
            let ticket = if state.queue.is_empty() {
                SyncPoint::reached_or(state.known.mark(), state.least.clone())
            } else {
                self.point(chain)
            };
            if let Some(state) = self.chains.get_mut(chain.0 as usize) {
                state.published.push((time, ticket));
            }
        }
    }

    /// What stands in a stream's queue is dropped, and whoever waited for it goes on (rule F14).
    pub(super) fn abort(&mut self, op: &HostOp, index: StreamIndex) {
        let called = self.host(op.host).known.mark();
        for chain in self.stream(index).chains.clone() {
            let Some(state) = self.chains.get_mut(chain.0 as usize) else {
                continue;
            };
            let dropped = std::mem::take(&mut state.queue);
            let ended = called.clock.get(state.known.member);
            let steps = std::mem::take(&mut state.steps);
            // Its waits may have been dropped: what comes next comes after what they waited for only where the host knows.
            state.known.forget();
            state.least = None;
            if !dropped.is_empty() {
                state.known.join(&called);
            }
            state.known.tick();
            let mark = state.known.mark();
            let numbers: Vec<u64> = dropped.iter().map(|(_, step)| step.sequence).collect();
            self.memory.abort(&numbers);
            for (_, sequence) in steps.into_iter().filter(|it| it.0 > ended) {
                self.note_dropped(op, (sequence, index), false);
            }
            for (_, step) in &dropped {
                // That anything else never runs is known without being told before.
                let is_of_memory =
                    matches!(step.deed, StreamStep::Allocate(_) | StreamStep::Free(_));
                if is_of_memory && !self.is_shared {
                    self.note_dropped(op, (step.sequence, index), true);
                }
            }
            self.freshen(chain);
            for (_, step) in dropped {
                if let Some(done) = step.done {
                    self.reach(&done, mark.clone());
                }
            }
        }
        self.go_on();
    }

    /// An abort drops what the call with this number submitted to a stream, or may.
    fn note_dropped(&mut self, op: &HostOp, step: (u64, StreamIndex), is_certain: bool) {
        let by = DroppingAbort {
            sequence: self.sequence,
            origin: op.origin,
            is_certain,
        };
        let step = (self.restarts, step.0, step.1);
        let known = self.dropped_steps.insert(step, by);
        self.has_doubts |= known.is_none();
    }

    /// Whatever stands for this point goes on.
    pub(super) fn reach(&mut self, ticket: &Arc<SyncPoint>, mark: ClockMark) {
        self.reach_or(ticket, mark, None);
    }

    /// The same of a point that may have been dropped: what is known even then.
    pub(super) fn reach_or(
        &mut self,
        ticket: &Arc<SyncPoint>,
        mark: ClockMark,
        least: Option<ClockMark>,
    ) {
        ticket.reach_or(mark, least);
        if !self.standing.is_empty()
            && let Some(chains) = self.standing.remove(&address(ticket))
        {
            self.woken.extend(chains);
        }
    }

    /// Operations that have nothing to stand for any more.
    pub(super) fn go_on(&mut self) {
        while let Some(chain) = self.woken.pop() {
            while let Some((submitted, step)) = self.next_ready(chain) {
                self.run(chain, &submitted, &step);
            }
            self.stand(chain);
        }
        self.compare_ran(false);
    }

    fn enqueue(&mut self, chain: ChainIndex, submitted: ClockMark, step: StreamOperation<'_>) {
        let Some(state) = self.chains.get_mut(chain.0 as usize) else {
            return;
        };
        if !state.queue.is_empty() {
            state.queue.push_back((submitted, step.into_owned()));
        } else if step.is_ready() {
            self.run(chain, &submitted, &step);
            self.go_on();
        } else {
            state.queue.push_back((submitted, step.into_owned()));
            self.stand(chain);
        }
    }

    fn next_ready(&mut self, chain: ChainIndex) -> Option<(ClockMark, StreamOperation<'static>)> {
        let state = self.chains.get_mut(chain.0 as usize)?;
        state.queue.pop_front_if(|(_, step)| step.is_ready())
    }

    fn stand(&mut self, chain: ChainIndex) {
        let front = self.chains.get(chain.0 as usize);
        let front = front.and_then(|state| state.queue.front());
        if let Some(missing) = front.and_then(|(_, step)| step.missing()) {
            let address = address(missing);
            self.standing.entry(address).or_default().push(chain);
        }
    }
}

fn address(ticket: &Arc<SyncPoint>) -> usize {
    Arc::as_ptr(ticket) as usize
}
