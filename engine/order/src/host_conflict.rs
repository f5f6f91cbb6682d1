//! Two host threads that use one stream or one event, or raise one signal, while nothing orders their calls.
//!
//! What follows from the order of such calls was observed and never enforced. Every call is compared with all before it
//! that its host thread does not come after, so that each such pair of places in the source is found, in whichever order
//! the calls came.

use record::{BufferIndex, EventIndex, SignalIndex, StreamIndex};
use std::collections::{BTreeMap, BTreeSet};

use super::hazard::CallOrigin;
use super::{HostOp, Order};

/// Meetings that are kept: those of a thousand host threads on one stream are half a million.
pub const MOST_MEETINGS: usize = 1_000;

/// What two host threads both use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SharedResource {
    /// A stream: one submits to it, aborts or destroys it, and the other does so too, or asks or waits for it.
    Stream(StreamIndex),
    /// An event: one records, resets or destroys it, and the other does so too, or asks or waits for it.
    Event(EventIndex),
    /// A signal: both raise it.
    Signal(SignalIndex),
    /// A buffer, where the engine makes uses wait for each other: one writes it, and the other uses it too.
    Buffer(BufferIndex),
    /// A stream that one holds until this signal, and that the other waits for before the signal can come.
    HeldStream(SignalIndex),
    /// Captures: one begins or ends such a one, and while it is under way the other's call is refused.
    Captures(CaptureScope),
    /// A graph of this number: one captures it or makes it ready, and the other does so too, or replays it.
    Graph(u32),
    /// A recorded launch of this number: one records it or sets its arguments, and the other does so too, or launches it.
    RecordedLaunch(u32),
    /// Whether the host has a buffer mapped: one maps or unmaps it, and the other does so too, or uses it on a stream.
    Mapping(BufferIndex),
    /// A promise: one makes a call that gives it, and the other does so too, or waits for it.
    Promise(u32),
    /// The stack of error scopes: both push one or pop one.
    ErrorScopes,
    /// The device: one loses it or opens it anew, and the other does so too, or calls on it.
    Device,
    /// What the device is known to have failed with: one makes it fail or is told of that, and the other's calls are refused
    /// from then on (rule A47).
    Failure,
}

/// Captures by what they refuse, and make void their graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CaptureScope {
    /// Every one refuses to wait for the device (rule A38).
    Any,
    /// Those with the mode `global` refuse every host thread calls that ask or make something ready (rule A41).
    Global,
    /// Those of a blocking stream refuse calls on the legacy stream (rule A39).
    Blocking,
}

/// What a call has to do with a stream, an event or a signal that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceAccess {
    /// It submits to it, records it, destroys it: what others do with it by calls in no order depends on chance.
    Changes,
    /// It asks or waits for what others made of it.
    Reads,
    /// It asks or waits, and where it comes after a call that changes the thing, others meet what it was told.
    Hears,
}

/// Two calls of two host threads that nothing orders, and that use one stream or one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// What both use.
    pub resource: SharedResource,
    /// The host thread that stands first in the workload, and its call.
    pub first: (u32, CallOrigin),
    /// The other.
    pub second: (u32, CallOrigin),
}

impl Meeting {
    /// Where the two calls stand: of several meetings of two threads the first in the source is told.
    pub const fn sites(&self) -> (u32, u32) {
        (self.first.1.site, self.second.1.site)
    }
}

/// Whether a call only reads the resource, the host thread, and the site. Those that change it come first.
type ResourceUser = (bool, u32, u32);

/// Before all users that only read.
const FIRST_READER: ResourceUser = (true, 0, 0);

/// A use of a stream or an event.
#[derive(Clone, Copy, Debug)]
struct ResourceUse {
    /// The host thread's own time at its latest call from this site.
    time: u32,
    origin: CallOrigin,
    /// The capture that it is a call of, by the call that began it.
    capture: Option<u32>,
}

/// Who used each stream and event: for each host thread, site and whether it changes something, the latest call.
#[derive(Debug, Default)]
pub(super) struct ResourceMeetings {
    present: BTreeMap<SharedResource, BTreeMap<ResourceUser, ResourceUse>>,
    /// For each resource and two host threads, the meeting that comes first in the source.
    found: BTreeMap<(SharedResource, u32, u32), Meeting>,
    fresh: Vec<Meeting>,
    /// Whether only [`MOST_MEETINGS`] are kept: where so many pairs of host threads may meet.
    is_capped: bool,
    /// Whether there were more than are kept.
    has_more: bool,
    /// Captures of which it is chance which calls of other host threads they hold, by the calls that began them.
    pub chances: BTreeSet<u32>,
}

impl ResourceMeetings {
    /// Of so many host threads, before their first call.
    pub fn of_hosts(count: usize) -> Self {
        Self {
            is_capped: count * count.saturating_sub(1) / 2 > MOST_MEETINGS,
            ..Self::default()
        }
    }

    /// Meetings that are new, or come before those that were told, since this was asked last.
    pub fn take(&mut self) -> Vec<Meeting> {
        std::mem::take(&mut self.fresh)
    }

    /// Those that come first by what is used and by host threads, and whether there were more.
    pub fn found(&self) -> (impl Iterator<Item = Meeting>, bool) {
        (self.found.values().copied(), self.has_more)
    }

    /// The same before the first call, knowing what of captures is chance.
    pub fn again(&self) -> Self {
        Self {
            chances: self.chances.clone(),
            is_capped: self.is_capped,
            ..Self::default()
        }
    }

    /// The device is opened anew, and no failure of it is known.
    pub fn forget_failure(&mut self) {
        self.present.remove(&SharedResource::Failure);
    }

    /// The workload begins anew: whatever was called comes before.
    pub fn forget(&mut self) {
        self.present.clear();
    }

    fn note(&mut self, meeting: Meeting) {
        let key = (meeting.resource, meeting.first.0, meeting.second.0);
        let known = self.found.get(&key);
        if known.is_some_and(|known| meeting.sites() >= known.sites()) {
            return;
        }
        let is_full = self.is_capped && known.is_none() && self.found.len() >= MOST_MEETINGS;
        if is_full
            && self
                .found
                .last_key_value()
                .is_some_and(|last| *last.0 < key)
        {
            self.has_more = true;
            return;
        }
        if is_full {
            self.has_more = true;
            self.found.pop_last();
        }
        self.found.insert(key, meeting);
        self.fresh.push(meeting);
    }
}

impl Order {
    /// A host thread calls into a capture, or begins or ends it: calls of others that nothing orders with that are captured
    /// or not by chance.
    pub(super) fn meet_capture(&mut self, op: &HostOp, stream: StreamIndex, capture: u32) {
        let stream = SharedResource::Stream(stream);
        self.meet(op, stream, ResourceAccess::Changes, Some(capture));
    }

    /// Whether it is chance which calls of other host threads a capture holds.
    pub(super) fn is_chance(&self, capture: u32) -> bool {
        self.meetings.chances.contains(&capture)
    }

    /// A host thread uses what another one uses too, by a call of this capture where it is one.
    pub(super) fn meet(
        &mut self,
        op: &HostOp,
        resource: SharedResource,
        access: ResourceAccess,
        capture: Option<u32>,
    ) {
        if !self.is_shared {
            return;
        }
        let time = self.host(op.host).known.time;
        let Self {
            hosts,
            meetings,
            inserted,
            has_doubts,
            ..
        } = self;
        let Some(own) = hosts.get(op.host as usize) else {
            return;
        };
        let present = meetings.present.entry(resource).or_default();
        let is_known = |host: u32, it: &ResourceUse| {
            let other = hosts.get(host as usize);
            other.is_none_or(|other| own.known.get(other.known.member) >= it.time)
        };
        let changes = match access {
            ResourceAccess::Changes => true,
            ResourceAccess::Reads => false,
            ResourceAccess::Hears => {
                let mut changed = present.range(..FIRST_READER);
                changed.any(|(&(_, host, _), it)| host == op.host || is_known(host, it))
            }
        };
        // Two that only read concern each other where waits are inserted.
        let are_readers_concerned = matches!(resource, SharedResource::Buffer(_));
        let concerned = if changes || are_readers_concerned {
            present.range(..)
        } else {
            present.range(..FIRST_READER)
        };
        let mut met = Vec::new();
        for (&(other_reads, host, _), it) in concerned {
            let other_changes = !other_reads;
            let is_of_captures = matches!(resource, SharedResource::Captures(_));
            let is_harmless = !(changes || other_changes)
                // Two captures do nothing to each other.
                || is_of_captures && changes == other_changes;
            if host == op.host || is_known(host, it) {
                continue;
            }
            *has_doubts |= inserted.note_chance(resource, !is_harmless);
            if is_harmless {
                continue;
            }
            for capture in [it.capture, capture].into_iter().flatten() {
                *has_doubts |= meetings.chances.insert(capture);
            }
            let (first, second) = ((host, it.origin), (op.host, op.origin));
            let is_first = host < op.host;
            met.push(Meeting {
                resource,
                first: if is_first { first } else { second },
                second: if is_first { second } else { first },
            });
        }
        let origin = op.origin;
        let presence = ResourceUse {
            time,
            origin,
            capture,
        };
        present.insert((!changes, op.host, origin.site), presence);
        for meeting in met {
            meetings.note(meeting);
        }
    }
}
