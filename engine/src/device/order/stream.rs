//! A stream: what it knows, and what stands in its queue for something that has not come to pass.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use super::act::Traits;
use super::clock::{Knowledge, Mark, Member};
use super::declared::Use;
use super::hazard::Origin;
use crate::workload::{BufferIndex, StreamIndex};

/// What is known of all before a point of a stream or a host thread, once the point is reached.
#[derive(Debug, Default)]
pub(super) struct Ticket(OnceLock<Mark>);

impl Ticket {
    /// What is known there; nothing while the point is not reached.
    pub fn mark(&self) -> Option<&Mark> {
        self.0.get()
    }

    /// The point is reached.
    pub fn reach(&self, mark: Mark) {
        // Each is reached by one operation, once.
        let _ = self.0.set(mark);
    }

    /// A point that is reached already.
    pub fn reached(mark: Mark) -> Arc<Self> {
        let ticket = Self::default();
        ticket.reach(mark);
        Arc::new(ticket)
    }
}

/// What an operation does once its stream has come to it.
#[derive(Clone, Debug)]
pub(super) enum Deed<'a> {
    /// Nothing besides its place in the order.
    Pass,
    /// Nothing at all: it is no operation, but a point between two.
    Point,
    Work(Cow<'a, [Use]>),
    Allocate(BufferIndex),
    Free(BufferIndex),
}

/// An operation.
#[derive(Clone, Debug)]
pub(super) struct Step<'a> {
    pub origin: Origin,
    pub deed: Deed<'a>,
    /// What it must come after besides what is before it on its stream.
    pub needs: Vec<Arc<Ticket>>,
    /// Reached right after it.
    pub done: Option<Arc<Ticket>>,
}

impl Step<'_> {
    /// Whether nothing that it must come after is still to come.
    pub fn is_ready(&self) -> bool {
        self.needs.iter().all(|need| need.mark().is_some())
    }

    /// The first of what it must come after that is still to come.
    pub fn missing(&self) -> Option<&Arc<Ticket>> {
        self.needs.iter().find(|need| need.mark().is_none())
    }

    /// The same, to be kept.
    pub fn into_owned(self) -> Step<'static> {
        Step {
            origin: self.origin,
            deed: match self.deed {
                Deed::Pass => Deed::Pass,
                Deed::Point => Deed::Point,
                Deed::Work(uses) => Deed::Work(Cow::Owned(uses.into_owned())),
                Deed::Allocate(buffer) => Deed::Allocate(buffer),
                Deed::Free(buffer) => Deed::Free(buffer),
            },
            needs: self.needs,
            done: self.done,
        }
    }
}

/// A stream.
#[derive(Debug)]
pub(super) struct Stream {
    pub known: Knowledge,
    pub traits: Traits,
    /// What stands in it for something that has not come to pass, each with what its host knew when it called.
    pub queue: VecDeque<(Mark, Step<'static>)>,
    /// What the legacy stream did up to here was before this stream was made.
    pub made_after: u32,
    /// Whether it did something since the streams of its device were gathered: all of them, the blocking ones.
    pub is_fresh: [bool; 2],
}

impl Stream {
    /// One that is used and was never made.
    pub fn new(member: Member) -> Self {
        Self {
            known: Knowledge::new(member),
            traits: Traits::default(),
            queue: VecDeque::new(),
            made_after: 0,
            is_fresh: [false; 2],
        }
    }
}

/// What several streams together know, brought up to date only for those that did something since.
#[derive(Debug, Default)]
pub(super) struct Gathering {
    pub known: Knowledge,
    pub fresh: Vec<StreamIndex>,
}

impl Gathering {
    /// Of no stream yet.
    pub fn new(member: Member) -> Self {
        Self {
            known: Knowledge::new(member),
            fresh: Vec::new(),
        }
    }
}

/// A device: its streams together.
#[derive(Debug)]
pub(super) struct Device {
    /// All streams, and the blocking ones alone.
    pub gatherings: [Gathering; 2],
    /// What the legacy stream knew after its latest operation.
    pub legacy: Option<Mark>,
    /// Reached after the legacy stream's latest operation.
    pub legacy_done: Option<Arc<Ticket>>,
}
