//! A host thread that waits for streams while another holds one of them for a signal that is raised only after that.
//!
//! Where nothing orders the two calls, it is chance which comes first. If the hold does, each of the two waits for the other,
//! and the run stands still for ever. So the pair is found in every run, also in one in which all went well.

use super::clock::ClockMark;
use super::hazard::CallOrigin;
use super::host_conflict::{MOST_MEETINGS, Meeting, SharedResource};
use super::{HostOp, Order};
use record::{EventIndex, SignalIndex, StreamIndex};
use std::collections::{BTreeMap, BTreeSet};

/// Calls of one place in the source that are kept: those of later rounds of a loop are much like them.
const MOST_KEPT: usize = 512;

/// From when on a host thread waits for what was submitted by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaitStart {
    /// The latest operation that it submitted to a stream: another stream may hold that one back.
    Stream(StreamIndex),
    /// Its latest record of an event.
    Event(EventIndex),
    /// The call that it was promised something by, of this number.
    Promise(u32),
}

/// Comparisons of calls that are made to find them, at most.
const MOST_COMPARED: usize = 20_000_000;

/// What a call has to do with host threads that wait for each other. Said before it is made, as in [`super::SyncOp::Use`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CircularCall {
    /// Whoever waits from here on waits for what was submitted to these streams too, to every one where none is named.
    Begins(WaitStart, Box<[StreamIndex]>),
    /// Whoever waits from here on waits for nothing besides.
    Forgets(WaitStart),
    /// The host thread waits, without an end, for what was submitted before a call that [`Self::Begins`] told of.
    Blocks(WaitStart),
    /// The same for everything that it was promised.
    BlocksForPromises,
    /// The host thread waits, without an end, for what was submitted to these streams, to every one where none is named.
    Synchronizes(Box<[StreamIndex]>),
    /// A stream waits for a signal.
    Holds(SignalIndex, StreamIndex),
    /// A signal is raised.
    Raises(SignalIndex),
    /// What a stream holds is dropped, holds too.
    Aborts(StreamIndex),
    /// From here on a stream is given nothing: what the host thread calls on it is captured, and waiting for it refused.
    BeginsCapture(StreamIndex),
    /// It is given what is called again.
    EndsCapture(StreamIndex),
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

/// A call that waits, and the one from which on it does: what is submitted after that it does not wait for.
#[derive(Clone, Debug)]
struct WaitingCall {
    since: MarkedCall,
    blocks: MarkedCall,
}

/// The streams that a call waits for, every one where none is named.
type CoveredStreams = Box<[StreamIndex]>;

/// The calls so far, by host thread and place in the source.
#[derive(Debug, Default)]
pub(super) struct CircularCalls {
    begun: BTreeMap<(u32, WaitStart), (MarkedCall, CoveredStreams)>,
    waits: BTreeMap<(u32, u32, CoveredStreams), Vec<WaitingCall>>,
    holds: BTreeMap<(u32, u32, SignalIndex, StreamIndex), Vec<MarkedCall>>,
    /// The first raise of each host thread: later ones come after it.
    raises: BTreeMap<SignalIndex, BTreeMap<u32, MarkedCall>>,
    aborts: BTreeMap<StreamIndex, Vec<MarkedCall>>,
    /// The streams that capture, by the host thread that began it.
    capturing: BTreeSet<(u32, StreamIndex)>,
}

fn keep<T>(calls: &mut Vec<T>, call: T) {
    if calls.len() < MOST_KEPT {
        calls.push(call);
    }
}

impl CircularCalls {
    /// Whether a call of a host thread is captured or refused, because of a capture that it began itself.
    fn is_in_capture(&self, host: u32, call: &CircularCall) -> bool {
        let mut own = self
            .capturing
            .range((host, StreamIndex(0))..=(host, StreamIndex(u32::MAX)));
        match call {
            CircularCall::Begins(WaitStart::Stream(stream), _)
            | CircularCall::Blocks(WaitStart::Stream(stream))
            | CircularCall::Holds(_, stream) => self.capturing.contains(&(host, *stream)),
            CircularCall::Synchronizes(covered) => {
                own.any(|(_, it)| covered.is_empty() || covered.contains(it))
            }
            _ => false,
        }
    }

    fn wait(&mut self, blocks: &MarkedCall, since: MarkedCall, covered: CoveredStreams) {
        let blocks = blocks.clone();
        let place = (blocks.host, blocks.origin.site, covered);
        keep(
            self.waits.entry(place).or_default(),
            WaitingCall { since, blocks },
        );
    }

    /// What waits for what was submitted to a stream before it, unless a hold comes after.
    fn waits_behind<'a>(
        &'a self,
        stream: StreamIndex,
        hold: &'a MarkedCall,
    ) -> impl Iterator<Item = &'a WaitingCall> {
        let meant = self
            .waits
            .iter()
            .filter(move |((.., covered), _)| covered.is_empty() || covered.contains(&stream));
        let calls = meant.flat_map(|it| it.1);
        calls.filter(|it| !it.since.is_before(hold))
    }

    /// The waits of other host threads that a hold would keep for ever if it came before them: nothing raises its signal and
    /// nothing drops it but what comes after a wait that it keeps.
    fn kept_by<'a>(
        &'a self,
        (signal, stream): (SignalIndex, StreamIndex),
        hold: &'a MarkedCall,
    ) -> Vec<&'a WaitingCall> {
        let waits: Vec<&WaitingCall> = self.waits_behind(stream, hold).collect();
        let raises = self.raises.get(&signal).into_iter().flatten();
        let aborts = self.aborts.get(&stream).into_iter().flatten();
        let ends: Vec<&MarkedCall> = raises
            .map(|it| it.1)
            .chain(aborts.filter(|it| !it.is_before(hold)))
            .collect();
        let is_late = |end: &MarkedCall| waits.iter().any(|it| it.blocks.is_before(end));
        if !ends.iter().all(|it| is_late(it)) {
            return Vec::new();
        }
        let is_meant = |it: &&WaitingCall| {
            it.since.host != hold.host
                && !hold.is_before(&it.since)
                && ends.iter().any(|end| it.blocks.is_before(end))
        };
        waits.iter().copied().filter(is_meant).collect()
    }

    /// Of each signal and two host threads, the pair that stands first in the source.
    fn found(&self) -> Vec<Meeting> {
        let mut found: BTreeMap<(SignalIndex, u32, u32), Meeting> = BTreeMap::new();
        let holds = self.holds.iter();
        let holds = holds.flat_map(|(&(.., signal, stream), calls)| {
            calls.iter().map(move |it| ((signal, stream), it))
        });
        let mut compared = 0;
        for ((signal, stream), hold) in holds {
            let ends = self.raises.get(&signal).map_or(1, BTreeMap::len);
            compared += ends * self.waits.values().map(Vec::len).sum::<usize>();
            if compared > MOST_COMPARED || found.len() >= MOST_MEETINGS {
                break;
            }
            for wait in self.kept_by((signal, stream), hold) {
                let mut both = [&wait.blocks, hold].map(|it| (it.host, it.origin));
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
        if calls.is_in_capture(host, call) {
            return;
        }
        match call {
            CircularCall::BeginsCapture(stream) => {
                calls.capturing.insert((host, *stream));
            }
            CircularCall::EndsCapture(stream) => {
                calls.capturing.remove(&(host, *stream));
            }
            CircularCall::Begins(start, covered) => {
                calls
                    .begun
                    .insert((host, *start), (marked, covered.clone()));
            }
            CircularCall::Forgets(start) => {
                calls.begun.remove(&(host, *start));
            }
            CircularCall::Blocks(start) => {
                if let Some((since, covered)) = calls.begun.get(&(host, *start)).cloned() {
                    calls.wait(&marked, since, covered);
                }
            }
            CircularCall::BlocksForPromises => {
                let begun = calls.begun.iter();
                let promised = begun.filter(|((of, start), _)| {
                    *of == host && matches!(start, WaitStart::Promise(_))
                });
                let promised: Vec<_> = promised.map(|it| it.1.clone()).collect();
                for (since, covered) in promised {
                    calls.wait(&marked, since, covered);
                }
            }
            CircularCall::Synchronizes(covered) => {
                calls.wait(&marked, marked.clone(), covered.clone());
            }
            CircularCall::Holds(signal, stream) => {
                let same = calls.holds.entry((host, site, *signal, *stream));
                keep(same.or_default(), marked);
            }
            CircularCall::Raises(signal) => {
                let raises = calls.raises.entry(*signal).or_default();
                raises.entry(host).or_insert(marked);
            }
            CircularCall::Aborts(stream) => {
                keep(calls.aborts.entry(*stream).or_default(), marked);
            }
        }
    }

    /// Every call was made or told of: host threads of which one holds a stream that the other waits for before the signal
    /// for it can come.
    pub fn circular_waits(&self) -> Vec<Meeting> {
        self.circular_calls.found()
    }
}
