//! A host thread that synchronises with streams while another holds one of them for a signal that is raised only after that.
//!
//! Where nothing orders the two calls, it is chance which comes first. If the hold does, each of the two waits for the other,
//! and the run stands still for ever. So the pair is found in every run, also in one in which all went well.

use super::clock::ClockMark;
use super::hazard::CallOrigin;
use super::host_conflict::{Meeting, SharedResource};
use super::{HostOp, Order};
use record::{SignalIndex, StreamIndex};
use std::collections::BTreeMap;

/// Calls of one place in the source that are kept: those of later rounds of a loop are much like them.
const MOST_KEPT: usize = 512;

/// What a call has to do with host threads that wait for each other. Said before it is made, as in [`super::SyncOp::Use`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CircularCall {
    /// The host thread waits, without an end, for what was submitted to these streams, to every one where none is named.
    Synchronizes(Box<[StreamIndex]>),
    /// A stream waits for a signal.
    Holds(SignalIndex, StreamIndex),
    /// A signal is raised.
    Raises(SignalIndex),
    /// What a stream holds is dropped, holds too.
    Aborts(StreamIndex),
}

/// A call, and what its host thread knew then.
#[derive(Clone, Debug)]
struct MarkedCall {
    host: u32,
    sequence: u64,
    origin: CallOrigin,
    mark: ClockMark,
}

impl MarkedCall {
    /// Whether this one has returned before the other is made.
    fn is_before(&self, other: &Self) -> bool {
        if self.host == other.host {
            return self.sequence < other.sequence;
        }
        other.mark.clock.get(self.mark.member) >= self.mark.time
    }
}

/// The calls so far, by host thread and place in the source.
#[derive(Debug, Default)]
pub(super) struct CircularCalls {
    synchronizations: BTreeMap<(u32, u32, Box<[StreamIndex]>), Vec<MarkedCall>>,
    holds: BTreeMap<(u32, u32, SignalIndex, StreamIndex), Vec<MarkedCall>>,
    /// The first raise of each host thread: later ones come after it.
    raises: BTreeMap<SignalIndex, BTreeMap<u32, MarkedCall>>,
    aborts: BTreeMap<StreamIndex, Vec<MarkedCall>>,
}

impl CircularCalls {
    fn keep(calls: &mut Vec<MarkedCall>, call: MarkedCall) {
        if calls.len() < MOST_KEPT {
            calls.push(call);
        }
    }

    /// Whether a hold that comes before a synchronisation would keep it for ever: nothing raises its signal and nothing
    /// drops it but what comes after that. `is_stalled` says that the run went no further, so that what would raise it may
    /// not have been called.
    fn is_circular(
        &self,
        synchronization: &MarkedCall,
        (signal, stream, hold): (SignalIndex, StreamIndex, &MarkedCall),
        is_stalled: bool,
    ) -> bool {
        if synchronization.is_before(hold) || hold.is_before(synchronization) {
            return false;
        }
        let comes_after = |it: &MarkedCall| synchronization.is_before(it);
        let is_raised_after = match self.raises.get(&signal) {
            Some(raises) => raises.values().all(comes_after),
            None => is_stalled,
        };
        let mut aborts = self.aborts.get(&stream).into_iter().flatten();
        is_raised_after && aborts.all(|it| comes_after(it) || it.is_before(hold))
    }

    /// Of each signal and two host threads, the pair that stands first in the source.
    fn found(&self, is_stalled: bool) -> Vec<Meeting> {
        let mut found: BTreeMap<(SignalIndex, u32, u32), Meeting> = BTreeMap::new();
        for (&(holder, _, signal, stream), holds) in &self.holds {
            for ((host, _, covered), synchronizations) in &self.synchronizations {
                let is_meant = covered.is_empty() || covered.contains(&stream);
                if !is_meant || *host == holder {
                    continue;
                }
                let pairs = synchronizations
                    .iter()
                    .flat_map(|synchronization| holds.iter().map(move |it| (synchronization, it)));
                let mut pairs = pairs
                    .filter(|(it, hold)| self.is_circular(it, (signal, stream, hold), is_stalled));
                let Some((synchronization, hold)) = pairs.next() else {
                    continue;
                };
                let mut both = [synchronization, hold].map(|it| (it.host, it.origin));
                both.sort_by_key(|it| it.0);
                let [first, second] = both;
                let meeting = Meeting {
                    resource: SharedResource::HeldStream(signal),
                    first,
                    second,
                };
                let known = found.entry((signal, first.0, second.0)).or_insert(meeting);
                if meeting.sites() < known.sites() {
                    *known = meeting;
                }
            }
        }
        found.into_values().collect()
    }
}

impl Order {
    pub(super) fn note_circular(&mut self, op: &HostOp, call: &CircularCall) {
        if !self.is_shared {
            return;
        }
        let marked = MarkedCall {
            host: op.host,
            sequence: self.sequence,
            origin: op.origin,
            mark: self.host(op.host).known.mark(),
        };
        let (host, site) = (op.host, op.origin.site);
        let calls = &mut self.circular_calls;
        match call {
            CircularCall::Synchronizes(streams) => {
                let place = (host, site, streams.clone());
                let same = calls.synchronizations.entry(place).or_default();
                CircularCalls::keep(same, marked);
            }
            CircularCall::Holds(signal, stream) => {
                let same = calls.holds.entry((host, site, *signal, *stream));
                CircularCalls::keep(same.or_default(), marked);
            }
            CircularCall::Raises(signal) => {
                let raises = calls.raises.entry(*signal).or_default();
                raises.entry(host).or_insert(marked);
            }
            CircularCall::Aborts(stream) => {
                CircularCalls::keep(calls.aborts.entry(*stream).or_default(), marked);
            }
        }
    }

    /// Every call was made, or the run stands still for ever: host threads of which one holds a stream that the other waits
    /// for before the signal for it can come.
    pub fn circular_waits(&self, is_stalled: bool) -> Vec<Meeting> {
        self.circular_calls.found(is_stalled)
    }
}
