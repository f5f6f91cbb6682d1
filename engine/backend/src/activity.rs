//! What every host thread and stream of a device is doing: enough to tell a stall from slow work.

use record::{EventIndex, SignalIndex, StreamIndex};
use workload::SyncTarget;

/// What everything on a device is doing, read entity by entity while work goes on.
///
/// Counts only grow, so two equal readings, one after the other, were true together at one instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// The host threads.
    pub hosts: Vec<HostActivity>,
    /// The streams.
    pub streams: Vec<StreamActivity>,
    /// What is due besides, such as compiles in virtual time, and may let any of them go on.
    pub due: usize,
}

/// What a host thread is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostActivity {
    /// How often it blocked so far.
    pub blocked_count: u64,
    /// What it waits for, where that has not come true.
    pub blocker: Option<Blocker>,
    /// Whether it has made its last call.
    pub is_done: bool,
}

/// What a stream is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamActivity {
    /// Operations submitted so far.
    pub submitted: u64,
    /// Operations that ended so far.
    pub ended: u64,
    /// What the operation at its head waits for, where that has not come true.
    pub blocker: Option<Blocker>,
}

/// What a host thread or a stream waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocker {
    /// A signal of the host.
    Signal(SignalIndex),
    /// A record of an event.
    Event(EventIndex),
    /// What a host thread synchronises with.
    Target(SyncTarget),
    /// Room in a stream's queue.
    Room(StreamIndex),
    /// A slot for a record of an event.
    Slot,
    /// A flag of the runner's, such as a promise.
    Flag,
    /// A stream, to come to a position.
    Stream(StreamIndex),
}

impl Activity {
    /// Whether every host thread made its last call and every stream ended all it was given.
    pub fn is_over(&self) -> bool {
        self.hosts.iter().all(|host| host.is_done)
            && self.streams.iter().all(StreamActivity::is_idle)
    }

    /// Whether nothing can ever move again although work is pending. True of an instant only where two
    /// readings in a row are equal.
    pub fn is_stalled(&self) -> bool {
        let hosts = self.hosts.iter();
        let mut streams = self.streams.iter();
        !self.is_over()
            && self.due == 0
            && hosts
                .into_iter()
                .all(|host| host.is_done || host.blocker.is_some())
            && streams.all(|stream| stream.is_idle() || stream.blocker.is_some())
    }
}

impl StreamActivity {
    /// Whether it ended all it was given.
    pub const fn is_idle(&self) -> bool {
        self.submitted <= self.ended
    }
}
