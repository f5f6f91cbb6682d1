//! A stream: what each host thread submitted to it, what is known after that, and what stands in its queue for something
//! that has not come to pass.
//!
//! What one host thread submits to a stream is a chain: it runs in the order of the calls. Chains of two host threads on
//! one stream run in some order as well, but only where something orders the calls is that order enforced.

use record::{BufferIndex, StreamIndex};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use super::act::Traits;
use super::clock::{Knowledge, Mark, Member};
use super::declared::Use;
use super::hazard::Origin;

/// What is known of all before a point of a stream or a host thread, once the point is reached.
#[derive(Debug, Default)]
pub(super) struct Ticket(OnceLock<ReachedPoint>);

#[derive(Debug)]
struct ReachedPoint {
    mark: Mark,
    /// What is known even if the point was dropped, where it may have been.
    least: Option<Box<Mark>>,
}

impl Ticket {
    /// What is known there; nothing while the point is not reached.
    pub fn mark(&self) -> Option<&Mark> {
        self.0.get().map(|it| &it.mark)
    }

    /// What whoever goes on without the point knows.
    pub fn least(&self) -> Option<&Mark> {
        let point = self.0.get()?;
        Some(point.least.as_deref().unwrap_or(&point.mark))
    }

    /// The point is reached.
    pub fn reach(&self, mark: Mark) {
        self.reach_or(mark, None);
    }

    /// The point is reached, or was dropped: then no more than this is known.
    pub fn reach_or(&self, mark: Mark, least: Option<Mark>) {
        let least = least.map(Box::new);
        // Each is reached by one operation, once.
        let _ = self.0.set(ReachedPoint { mark, least });
    }

    /// A point that is reached already.
    pub fn reached(mark: Mark) -> Arc<Self> {
        Self::reached_or(mark, None)
    }

    /// A point that is reached already, or was dropped.
    pub fn reached_or(mark: Mark, least: Option<Mark>) -> Arc<Self> {
        let ticket = Self::default();
        ticket.reach_or(mark, least);
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
    /// It waits for a record.
    Wait(WaitFor),
    Work(Cow<'a, [Use]>),
    Allocate(BufferIndex),
    Free(BufferIndex),
}

/// The record that a stream waits for.
#[derive(Clone, Debug)]
pub(super) struct WaitFor {
    /// Reached with the record.
    pub ticket: Arc<Ticket>,
    /// The record.
    pub record: Origin,
    /// The stream of the record.
    pub from: StreamIndex,
}

/// An operation.
#[derive(Clone, Debug)]
pub(super) struct Step<'a> {
    pub origin: Origin,
    /// Which of all calls submitted it.
    pub sequence: u64,
    pub deed: Deed<'a>,
    /// What it must come after besides what is before it on its stream.
    pub needs: Vec<Arc<Ticket>>,
    /// Reached right after it.
    pub done: Option<Arc<Ticket>>,
}

impl Step<'_> {
    fn all_needs(&self) -> impl Iterator<Item = &Arc<Ticket>> {
        let waited = match &self.deed {
            Deed::Wait(wait) => Some(&wait.ticket),
            _ => None,
        };
        self.needs.iter().chain(waited)
    }

    /// Whether nothing that it must come after is still to come.
    pub fn is_ready(&self) -> bool {
        self.all_needs().all(|need| need.mark().is_some())
    }

    /// The first of what it must come after that is still to come.
    pub fn missing(&self) -> Option<&Arc<Ticket>> {
        self.all_needs().find(|need| need.mark().is_none())
    }

    /// The same, to be kept.
    pub fn into_owned(self) -> Step<'static> {
        Step {
            origin: self.origin,
            sequence: self.sequence,
            deed: match self.deed {
                Deed::Pass => Deed::Pass,
                Deed::Point => Deed::Point,
                Deed::Wait(wait) => Deed::Wait(wait),
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
#[derive(Debug, Default)]
pub(super) struct Stream {
    pub traits: Traits,
    /// What each host thread submitted to it.
    pub chains: Vec<ChainIndex>,
    /// What the legacy stream did up to here was before this stream was made.
    pub made_after: u32,
    /// Whether it goes on where what it waits for was dropped.
    pub goes_on: bool,
}

/// One host thread's operations on one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChainIndex(pub u32);

/// What one host thread submits to one stream.
#[derive(Debug)]
pub(super) struct StreamChain {
    pub stream: StreamIndex,
    pub host: u32,
    pub known: Knowledge,
    /// What is known after its latest operation even if that was dropped, where it may have been.
    pub least: Option<Mark>,
    /// What stands in it for something that has not come to pass, each with what its host knew when it called.
    pub queue: VecDeque<(Mark, Step<'static>)>,
    /// Whether it did something since the host's chains were gathered: all of them, those on blocking streams.
    pub is_fresh: [bool; 2],
    /// How far it had come whenever its host raised a signal, with the host's own time then: what others may know of it.
    pub published: Vec<(u32, Arc<Ticket>)>,
    /// Its operations since it was aborted, by its own time and the number of the call, where streams are aborted.
    pub steps: Vec<(u32, u64)>,
}

impl StreamChain {
    /// Without any operation.
    pub fn new(stream: StreamIndex, host: u32, member: Member) -> Self {
        Self {
            stream,
            host,
            known: Knowledge::new(member),
            least: None,
            queue: VecDeque::new(),
            is_fresh: [false; 2],
            published: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// How far it had come when the host's time was this.
    pub fn published_by(&self, time: u32) -> Option<&Arc<Ticket>> {
        let count = self.published.partition_point(|(at, _)| *at <= time);
        let latest = self.published.get(count.checked_sub(1)?)?;
        Some(&latest.1)
    }
}

/// What several chains together know, brought up to date only for those that did something since.
#[derive(Debug, Default)]
pub(super) struct Gathering {
    pub known: Knowledge,
    pub fresh: Vec<ChainIndex>,
}

impl Gathering {
    /// Of no chain yet.
    pub fn new(member: Member) -> Self {
        Self {
            known: Knowledge::new(member),
            fresh: Vec::new(),
        }
    }
}

/// A host thread.
#[derive(Debug)]
pub(super) struct Host {
    pub known: Knowledge,
    /// What it submitted, a chain for each stream.
    pub chains: Vec<ChainIndex>,
    /// For each device, all of its chains, and those on blocking streams alone.
    pub gatherings: Vec<[Gathering; 2]>,
}
