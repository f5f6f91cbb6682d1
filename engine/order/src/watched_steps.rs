//! Calls that are asked about: what each of their operations came after, whatever the times turned out to be.

use std::collections::BTreeSet;

use super::clock::{ClockMember, MemberClock};
use super::{CallOrigin, HostOp, Order};

/// One operation of a call that is asked about; or the call itself, at its return.
#[derive(Clone, Debug)]
pub struct WatchedStep {
    /// Which call it is.
    pub origin: CallOrigin,
    /// Whether it is an operation of a stream, and not the call of a host thread.
    pub is_operation: bool,
    /// Which of all calls it was, in the order in which they were made.
    pub sequence: u64,
    restarts: u32,
    /// What it comes after: what was known when it began.
    began: MemberClock,
    known: MemberClock,
}

impl WatchedStep {
    /// Whether something enforces that it ended before another one begins.
    pub fn is_before(&self, later: &Self) -> bool {
        self.restarts < later.restarts
            || self.restarts == later.restarts
                && later.began.get(self.known.member) >= self.known.time
                && self.own() != later.own()
    }

    /// Whose it is, and when it was.
    const fn own(&self) -> (ClockMember, u32) {
        (self.known.member, self.known.time)
    }
}

/// The calls that are asked about, and what they came to.
#[derive(Debug, Default)]
pub(super) struct WatchedSteps {
    sites: BTreeSet<u32>,
    steps: Vec<WatchedStep>,
    /// Whether what is applied now was inserted, and not called for.
    pub is_inserting: bool,
}

impl WatchedSteps {
    /// Of calls at these places in the source.
    pub const fn of(sites: BTreeSet<u32>) -> Self {
        Self {
            sites,
            steps: Vec::new(),
            is_inserting: false,
        }
    }

    /// The same before the first call.
    pub fn again(&self) -> Self {
        Self::of(self.sites.clone())
    }

    /// The workload begins anew.
    pub fn forget(&mut self) {
        self.steps.clear();
    }

    /// Whether an operation of this call is asked about.
    pub fn is_asked(&self, origin: CallOrigin) -> bool {
        !self.is_inserting && self.sites.contains(&origin.site)
    }

    /// An operation has its turn, or a call returns, and its stream or host thread knew this when it began, and knows this.
    pub fn note(
        &mut self,
        (origin, is_operation): (CallOrigin, bool),
        (sequence, restarts): (u64, u32),
        (began, known): (MemberClock, MemberClock),
    ) {
        self.steps.push(WatchedStep {
            origin,
            is_operation,
            sequence,
            restarts,
            began,
            known,
        });
    }
}

impl Order {
    /// The same before its first call, keeping what operations of calls at these places in the source come after.
    #[must_use]
    pub fn watching(mut self, sites: BTreeSet<u32>) -> Self {
        self.watched = WatchedSteps::of(sites);
        self
    }

    /// A call that is asked about returns.
    pub(super) fn note_return(&mut self, op: &HostOp) {
        self.host(op.host).known.tick();
        let (sequence, restarts) = (self.sequence, self.restarts);
        let Some(host) = self.hosts.get(op.host as usize) else {
            return;
        };
        let known = (host.known.clone(), host.known.clone());
        self.watched
            .note((op.origin, false), (sequence, restarts), known);
    }

    /// Every operation of the calls that are asked about, and their returns, in the order of the calls.
    pub fn watched(&self) -> Vec<WatchedStep> {
        let mut steps = self.watched.steps.clone();
        steps.sort_by_key(|it| it.sequence);
        steps
    }

    /// Whether a host thread has waited for this by its last call.
    pub fn is_known_to_host(&self, step: &WatchedStep) -> bool {
        // What host threads know outlasts the device that it is of.
        let mut hosts = self.hosts.iter();
        hosts.any(|it| it.known.get(step.known.member) >= step.known.time)
    }
}
