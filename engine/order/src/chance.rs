//! Which calls have an order of their own, and which came in the order that they did by chance.
//!
//! What several host threads call is taken in as it came. Whether a wait would have come after the same cause in every run
//! is asked for once all of it is known, by the spans of the two.

use std::collections::{HashMap, HashSet};

use super::{HostOp, Order};
use record::SpanId;

/// A moment of a host thread: after how many restarts of the device, and its own time.
type HostMoment = (u32, u32);

/// When calls were made, by the clocks of their host threads.
#[derive(Debug, Default)]
pub(super) struct CallTimes {
    /// For each span, the host thread that called, and when.
    calls: HashMap<SpanId, (u32, HostMoment)>,
    /// For each host thread, from when on it knew how much of each of the others.
    known: Vec<Vec<(HostMoment, Vec<u32>)>>,
    /// Waits and raised signals of which it is chance what they mean.
    uncertain: HashSet<SpanId>,
    /// Nodes of graphs whose calls were captured by chance.
    by_chance: HashSet<SpanId>,
}

impl CallTimes {
    /// It is chance what this wait waits for, or whether this call is the one that raises its signal.
    pub fn note_uncertain(&mut self, span: SpanId) {
        self.uncertain.insert(span);
    }

    /// This node is in its graph by chance, and whatever comes before or after it there does so by chance.
    pub fn note_chance(&mut self, node: SpanId) {
        self.by_chance.insert(node);
    }

    /// Whether the call of `first` comes before that of `second`, by its host thread or by what that had heard.
    fn is_called_before(&self, first: SpanId, second: SpanId) -> bool {
        let (Some((by, at)), Some((host, now))) = (self.calls.get(&first), self.calls.get(&second))
        else {
            // Host threads have no part in it.
            return true;
        };
        if by == host || at.0 < now.0 {
            return true;
        }
        let known = self
            .known
            .get(*host as usize)
            .map_or(&[][..], Vec::as_slice);
        let count = known.partition_point(|(since, _)| since <= now);
        let latest = count.checked_sub(1).and_then(|place| known.get(place));
        let latest = latest.filter(|(since, _)| since.0 == now.0);
        latest.is_some_and(|(_, times)| times.get(*by as usize).is_some_and(|time| *time >= at.1))
    }
}

impl Order {
    /// Notes when a call was made.
    pub(super) fn note_call(&mut self, op: &HostOp) {
        if self.is_shared && op.origin.span.is_some() {
            let moment = (self.restarts, self.host(op.host).known.time);
            let calls = &mut self.call_times.calls;
            calls.entry(op.origin.span).or_insert((op.host, moment));
        }
    }

    /// Notes what a host thread knows of the others, now that it has heard of something.
    pub(super) fn note_known(&mut self, host: u32) {
        if !self.is_shared {
            return;
        }
        let Some(own) = self.hosts.get(host as usize) else {
            return;
        };
        let others = self.hosts.iter().map(|it| own.known.get(it.known.member));
        let mut times: Vec<u32> = others.collect();
        if let Some(slot) = times.get_mut(host as usize) {
            *slot = 0;
        }
        let moment = (self.restarts, own.known.time);
        let known = &mut self.call_times.known;
        if known.len() <= host as usize {
            known.resize_with(host as usize + 1, Vec::new);
        }
        if let Some(slot) = known.get_mut(host as usize)
            && slot
                .last()
                .is_none_or(|(since, last)| since.0 != moment.0 || *last != times)
        {
            slot.push((moment, times));
        }
    }

    /// Whether a wait comes after what it waited for whatever the order in which host threads came to their calls.
    pub fn enforces(&self, cause: SpanId, effect: SpanId) -> bool {
        let it = &self.call_times;
        if self.signal_raises.contains(&cause) {
            return !it.uncertain.contains(&cause);
        }
        let by_chance = [cause, effect].iter().any(|end| it.by_chance.contains(end));
        !by_chance && !it.uncertain.contains(&effect) && it.is_called_before(cause, effect)
    }
}
