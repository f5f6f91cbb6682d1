//! Where a link stands, and how long it is tried again.

use std::time::{Duration, Instant};

/// The longest time between two tries.
const LONGEST: Duration = Duration::from_secs(8);
/// How long a link is tried again: as long as a worker waits.
const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 600 });

/// Where a link stands.
#[derive(Debug, PartialEq, Eq)]
pub enum LinkPhase {
    /// A process was started that has not answered yet.
    Connecting,
    /// The worker answers.
    Connected,
    /// The link dropped; the worker may live on.
    Dropped(RetryBackoff),
    /// There is no worker.
    Gone,
}

/// How often a link was tried again, and when it is next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryBackoff {
    since: Instant,
    wait: Duration,
    next: Instant,
}

impl RetryBackoff {
    /// Right after the link dropped.
    pub fn new() -> Self {
        let now = Instant::now();
        let wait = Duration::from_millis(250);
        Self {
            since: now,
            wait,
            next: now + wait,
        }
    }

    /// The link is down again, and nothing came over it meanwhile.
    pub fn again(mut self) -> Self {
        self.try_later();
        self
    }

    /// A try failed: the next one is later, and each waits twice as long.
    pub fn try_later(&mut self) {
        self.wait = (self.wait * 2).min(LONGEST);
        self.next = Instant::now() + self.wait;
    }

    /// Whether it is time for the next try.
    pub fn is_due(&self, now: Instant) -> bool {
        now >= self.next
    }

    /// Whether it was tried for long enough.
    pub fn is_over(&self) -> bool {
        self.since.elapsed() > PATIENCE
    }
}
