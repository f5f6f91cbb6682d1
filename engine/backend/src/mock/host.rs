//! A host thread in virtual time: its clock, and whether it has the turn.

use crate::{Blocker, Flag, HostActivity};
use record::time::Nanos;
use record::{EventIndex, SignalIndex};
use workload::SyncTarget;

/// A host thread in virtual time.
#[derive(Debug, Default)]
pub struct MockHost {
    /// Its own time.
    pub clock: Nanos,
    /// Whether it may call.
    pub state: HostState,
    /// How often it blocked.
    pub blocked_count: u64,
    /// Whether its last wait ended by its deadline.
    pub timed_out: bool,
}

/// Whether a host thread may call. At most one is `Granted` or `Calling`.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum HostState {
    /// It waits for its turn.
    #[default]
    Ready,
    /// It is its turn, and it has not noticed.
    Granted,
    /// It makes a call.
    Calling,
    /// It waits for something, until a deadline where there is one.
    Blocked(MockWait, Option<Nanos>),
    /// It made its last call.
    Done,
}

/// What a host thread waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum MockWait {
    /// A signal.
    Signal(SignalIndex),
    /// A record of an event, by its position in the list of all.
    Mark(EventIndex, usize),
    /// For each stream, this many ended operations.
    Streams(SyncTarget, Vec<(usize, u64)>),
    /// A slot for a record of an event: so many given back.
    Slot(u64),
    /// A flag.
    Flag(Flag),
}

impl MockHost {
    /// Whether it has the turn.
    pub fn has_turn(&self) -> bool {
        matches!(self.state, HostState::Granted | HostState::Calling)
    }

    /// What it is doing.
    pub fn activity(&self) -> HostActivity {
        let blocker = match &self.state {
            HostState::Blocked(until, None) => match until {
                MockWait::Signal(signal) => Some(Blocker::Signal(*signal)),
                MockWait::Mark(event, _) => Some(Blocker::Target(SyncTarget::Event(*event))),
                MockWait::Streams(target, _) => Some(Blocker::Target(*target)),
                MockWait::Slot(_) => Some(Blocker::Slot),
                MockWait::Flag(_) => Some(Blocker::Flag),
            },
            _ => None,
        };
        HostActivity {
            blocked_count: self.blocked_count,
            blocker,
            is_done: self.state == HostState::Done,
        }
    }
}
