//! A host thread as the device sees it: what it is blocked by.

use record::{EventIndex, SignalIndex, StreamIndex};
use std::sync::{Arc, Mutex};

use super::event_state::EventState;
use crate::{Blocker, Flag, HostActivity};
use device::lock;
use workload::SyncTarget;

/// A host thread as the device sees it.
#[derive(Debug, Default)]
pub struct ThreadedHost(Mutex<HostSlot>);

#[derive(Debug, Default)]
struct HostSlot {
    blocked_count: u64,
    wait: Option<HostWait>,
    gives_up: bool,
    is_done: bool,
}

/// What a host thread waits for.
#[derive(Clone, Debug)]
pub enum HostWait {
    /// A signal.
    Signal(SignalIndex),
    /// A record of an event.
    Mark(EventIndex, Arc<EventState>),
    /// For each stream, this many ended operations.
    Streams(SyncTarget, Vec<(StreamIndex, u64)>),
    /// A slot for a record of an event: so many given back.
    Slot(u64),
    /// Fewer operations in the queue of a stream: this many ended ones.
    Room(StreamIndex, u64),
    /// A flag of the runner's.
    Flag(Flag),
}

impl HostWait {
    /// Whether it is for work, which comes to an end on a device that failed as well: what runs then runs on, and what is
    /// queued is dropped behind it.
    pub const fn is_for_work(&self) -> bool {
        matches!(self, Self::Mark(..) | Self::Streams(..))
    }

    /// The same, for others to read.
    const fn blocker(&self) -> Blocker {
        match self {
            Self::Signal(signal) => Blocker::Signal(*signal),
            Self::Mark(event, _) => Blocker::Target(SyncTarget::Event(*event)),
            Self::Streams(target, _) => Blocker::Target(*target),
            Self::Slot(_) => Blocker::Slot,
            Self::Room(stream, _) => Blocker::Room(*stream),
            Self::Flag(_) => Blocker::Flag,
        }
    }
}

impl ThreadedHost {
    /// Runs `block`, and shows meanwhile that the thread waits for `wait`; it is at no standstill where it `gives_up`.
    pub fn blocked<T>(&self, wait: &HostWait, gives_up: bool, block: impl FnOnce() -> T) -> T {
        {
            let mut slot = lock(&self.0);
            slot.blocked_count += 1;
            slot.wait = Some(wait.clone());
            slot.gives_up = gives_up;
        }
        let result = block();
        let mut slot = lock(&self.0);
        slot.blocked_count += 1;
        slot.wait = None;
        result
    }

    /// The thread makes calls again.
    pub fn rewind(&self) {
        lock(&self.0).is_done = false;
    }

    /// The thread makes no more calls.
    pub fn leave(&self) {
        lock(&self.0).is_done = true;
    }

    /// What it waits for.
    pub fn wait(&self) -> Option<HostWait> {
        lock(&self.0).wait.clone()
    }

    /// What it is doing; what it waits for counts only while `holds` says that it has not come true.
    pub fn activity(&self, holds: impl FnOnce(&HostWait) -> bool) -> HostActivity {
        let slot = lock(&self.0);
        let wait = slot
            .wait
            .as_ref()
            .filter(|wait| !slot.gives_up && holds(wait));
        HostActivity {
            blocked_count: slot.blocked_count,
            blocker: wait.map(HostWait::blocker),
            is_done: slot.is_done,
        }
    }
}
