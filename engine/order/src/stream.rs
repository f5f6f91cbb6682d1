//! A stream: what each host thread submitted to it, what is known after that, and what stands in its queue for something
//! that has not come to pass.
//!
//! What one host thread submits to a stream is a chain: it runs in the order of the calls. Chains of two host threads on
//! one stream run in some order as well, but only where something orders the calls is that order enforced.

use record::{BufferIndex, StreamIndex};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use super::clock::{ClockMark, ClockMember, MemberClock};
use super::declared::DeclaredUse;
use super::hazard::CallOrigin;
use super::sync_op::StreamOrderTraits;

/// What is known of all before a point of a stream or a host thread, once the point is reached.
#[derive(Debug, Default)]
pub(super) struct SyncPoint(OnceLock<ReachedPoint>);

#[derive(Debug)]
struct ReachedPoint {
    mark: ClockMark,
    /// What is known even if the point was dropped, where it may have been.
    least: Option<Box<ClockMark>>,
}

impl SyncPoint {
    /// What is known there; nothing while the point is not reached.
    pub fn mark(&self) -> Option<&ClockMark> {
        self.0.get().map(|it| &it.mark)
    }

    /// What whoever goes on without the point knows.
    pub fn least(&self) -> Option<&ClockMark> {
        let point = self.0.get()?;
        Some(point.least.as_deref().unwrap_or(&point.mark))
    }

    /// The point is reached.
    pub fn reach(&self, mark: ClockMark) {
        self.reach_or(mark, None);
    }

    /// The point is reached, or was dropped: then no more than this is known.
    pub fn reach_or(&self, mark: ClockMark, least: Option<ClockMark>) {
        let least = least.map(Box::new);
        // Each is reached by one operation, once.
        let _ = self.0.set(ReachedPoint { mark, least });
    }

    /// A point that is reached already.
    pub fn reached(mark: ClockMark) -> Arc<Self> {
        Self::reached_or(mark, None)
    }

    /// A point that is reached already, or was dropped.
    pub fn reached_or(mark: ClockMark, least: Option<ClockMark>) -> Arc<Self> {
        let ticket = Self::default();
        ticket.reach_or(mark, least);
        Arc::new(ticket)
    }
}

/// What an operation does once its stream has come to it.
#[derive(Clone, Debug)]
pub(super) enum StreamStep<'a> {
    /// Nothing besides its place in the order.
    Pass,
    /// Nothing at all: it is no operation, but a point between two.
    Point,
    /// It waits for a record.
    Wait(WaitFor),
    Work(Cow<'a, [DeclaredUse]>),
    Allocate(BufferIndex),
    Free(BufferIndex),
}

/// The record that a stream waits for.
#[derive(Clone, Debug)]
pub(super) struct WaitFor {
    /// Reached with the record.
    pub ticket: Arc<SyncPoint>,
    /// The record.
    pub record: CallOrigin,
    /// The stream of the record.
    pub from: StreamIndex,
}

/// An operation.
#[derive(Clone, Debug)]
pub(super) struct StreamOperation<'a> {
    pub origin: CallOrigin,
    /// Which of all calls submitted it.
    pub sequence: u64,
    pub deed: StreamStep<'a>,
    /// What it must come after besides what is before it on its stream.
    pub needs: Vec<Arc<SyncPoint>>,
    /// Reached right after it.
    pub done: Option<Arc<SyncPoint>>,
    /// Whether it is asked what it comes after.
    pub is_watched: bool,
    /// How many of its needs, the first of them, it begins before and waits for itself.
    pub awaits: usize,
}

impl StreamOperation<'_> {
    fn all_needs(&self) -> impl Iterator<Item = &Arc<SyncPoint>> {
        let waited = match &self.deed {
            StreamStep::Wait(wait) => Some(&wait.ticket),
            _ => None,
        };
        self.needs.iter().chain(waited)
    }

    /// Whether nothing that it must come after is still to come.
    pub fn is_ready(&self) -> bool {
        self.all_needs().all(|need| need.mark().is_some())
    }

    /// The first of what it must come after that is still to come.
    pub fn missing(&self) -> Option<&Arc<SyncPoint>> {
        self.all_needs().find(|need| need.mark().is_none())
    }

    /// The same, to be kept.
    pub fn into_owned(self) -> StreamOperation<'static> {
        StreamOperation {
            origin: self.origin,
            sequence: self.sequence,
            deed: match self.deed {
                StreamStep::Pass => StreamStep::Pass,
                StreamStep::Point => StreamStep::Point,
                StreamStep::Wait(wait) => StreamStep::Wait(wait),
                StreamStep::Work(uses) => StreamStep::Work(Cow::Owned(uses.into_owned())),
                StreamStep::Allocate(buffer) => StreamStep::Allocate(buffer),
                StreamStep::Free(buffer) => StreamStep::Free(buffer),
            },
            needs: self.needs,
            done: self.done,
            is_watched: self.is_watched,
            awaits: self.awaits,
        }
    }
}

/// A stream.
#[derive(Debug, Default)]
pub(super) struct OrderedStream {
    pub traits: StreamOrderTraits,
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
    pub known: MemberClock,
    /// What is known after its latest operation even if that was dropped, where it may have been.
    pub least: Option<ClockMark>,
    /// What stands in it for something that has not come to pass, each with what its host knew when it called.
    pub queue: VecDeque<(ClockMark, StreamOperation<'static>)>,
    /// Whether it did something since the host's chains were gathered: all of them, those on blocking streams.
    pub is_fresh: [bool; 2],
    /// How far it had come whenever its host raised a signal, with the host's own time then: what others may know of it.
    pub published: Vec<(u32, Arc<SyncPoint>)>,
    /// Its operations since it was aborted, by its own time and the number of the call, where streams are aborted.
    pub steps: Vec<(u32, u64)>,
}

impl StreamChain {
    /// Without any operation.
    pub fn new(stream: StreamIndex, host: u32, member: ClockMember) -> Self {
        Self {
            stream,
            host,
            known: MemberClock::new(member),
            least: None,
            queue: VecDeque::new(),
            is_fresh: [false; 2],
            published: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// How far it had come when the host's time was this.
    pub fn published_by(&self, time: u32) -> Option<&Arc<SyncPoint>> {
        let count = self.published.partition_point(|(at, _)| *at <= time);
        let latest = self.published.get(count.checked_sub(1)?)?;
        Some(&latest.1)
    }
}

/// What several chains together know, brought up to date only for those that did something since.
#[derive(Debug, Default)]
pub(super) struct JoinedClock {
    pub known: MemberClock,
    pub fresh: Vec<ChainIndex>,
}

impl JoinedClock {
    /// Of no chain yet.
    pub fn new(member: ClockMember) -> Self {
        Self {
            known: MemberClock::new(member),
            fresh: Vec::new(),
        }
    }
}

/// A host thread.
#[derive(Debug)]
pub(super) struct OrderedHost {
    pub known: MemberClock,
    /// What it submitted, a chain for each stream.
    pub chains: Vec<ChainIndex>,
    /// For each device, all of its chains, and those on blocking streams alone.
    pub gatherings: Vec<[JoinedClock; 2]>,
}

impl OrderedHost {
    /// The same, of which no stream has anything.
    pub fn without_chains(self) -> Self {
        Self {
            chains: Vec::new(),
            gatherings: Vec::new(),
            ..self
        }
    }
}
