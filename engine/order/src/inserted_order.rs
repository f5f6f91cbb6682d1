//! Waits that the engine inserts so that uses of a buffer come in the order of their calls.
//!
//! Where host threads use one buffer in no order, chance decides which use is the last, and with it for which stream an
//! operation is made to wait. What holds in every run is less than what such a wait covers: an operation comes after each
//! earlier use by a call before its own, by way of whatever uses come between.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use record::{BufferIndex, StreamIndex};

use super::declared::DeclaredUse;
use super::host_conflict::{ResourceAccess, SharedResource};
use super::stream::{StreamStep, SyncPoint};
use super::{HostOp, Order, SyncOp};

/// Which uses of a buffer the engine makes wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertionRule {
    /// Two on different streams, reads too (rules E2, E3).
    EveryUse,
    /// Two of which one writes what the other uses.
    Conflicts,
}

/// Uses by one host thread on one stream, of the same bytes in the same manner: the latest at each of the thread's times.
type UsesByTime = Vec<(u32, Arc<SyncPoint>)>;

/// Who uses a buffer: the host thread, its stream, whether it writes, and which bytes.
type UserOfBytes = (u32, StreamIndex, bool, (u64, u64));

/// What is known of waits that are inserted.
#[derive(Debug, Default)]
pub(super) struct InsertedOrder {
    rule: Option<InsertionRule>,
    /// Whether host threads use one buffer in no order, so that they are inserted by chance.
    is_chance: bool,
    /// Whether that was found only now.
    is_new_chance: bool,
    uses: HashMap<BufferIndex, BTreeMap<UserOfBytes, UsesByTime>>,
}

impl InsertedOrder {
    /// By this rule, before the first call.
    pub fn by(rule: InsertionRule) -> Self {
        Self {
            rule: Some(rule),
            ..Self::default()
        }
    }

    /// The same before the first call, knowing whether they are inserted by chance.
    pub fn again(&self) -> Self {
        Self {
            rule: self.rule,
            is_chance: self.is_chance,
            is_new_chance: false,
            uses: HashMap::new(),
        }
    }

    /// Whether there are such waits at all.
    pub const fn is_on(&self) -> bool {
        self.rule.is_some()
    }

    /// Whether it was found with these calls, and not before, that they are inserted by chance.
    pub const fn is_new_chance(&self) -> bool {
        self.is_new_chance
    }

    /// What was used before is gone.
    pub fn forget(&mut self) {
        self.uses.clear();
    }

    /// Two host threads use one thing in no order, a buffer or another, and one of them changes it or not: says whether it was
    /// not known that chance decides on the waits. Where every use waits it is the last use of a buffer that decides, and else
    /// whatever orders uses already.
    pub fn note_chance(&mut self, resource: SharedResource, is_changed: bool) -> bool {
        let decides = match self.rule {
            None => false,
            Some(InsertionRule::EveryUse) => matches!(resource, SharedResource::Buffer(_)),
            Some(InsertionRule::Conflicts) => is_changed,
        };
        let is_news = decides && !self.is_chance;
        self.is_chance |= is_news;
        self.is_new_chance |= is_news;
        is_news
    }

    /// A use that has its turn when the point is reached.
    fn keep(
        &mut self,
        now: u32,
        (host, stream): (u32, StreamIndex),
        it: &DeclaredUse,
        done: &Arc<SyncPoint>,
    ) {
        let user = (host, stream, it.writes, (it.bytes.start, it.bytes.end));
        let users = self.uses.entry(it.buffer).or_default();
        let times = users.entry(user).or_default();
        match times.last_mut().filter(|last| last.0 == now) {
            Some(last) => last.1 = Arc::clone(done),
            None => times.push((now, Arc::clone(done))),
        }
    }

    fn are_ordered(&self, earlier: (bool, Range<u64>), later: &DeclaredUse) -> bool {
        let (writes, bytes) = earlier;
        let overlaps = bytes.start < later.bytes.end && later.bytes.start < bytes.end;
        self.rule == Some(InsertionRule::EveryUse) || overlaps && (writes || later.writes)
    }
}

impl Order {
    /// Uses that are made to wait for each other, by whichever call came first.
    pub(super) fn meet_uses(&mut self, op: &HostOp, uses: &[DeclaredUse]) {
        if !self.inserted.is_on() {
            return;
        }
        for it in uses {
            let access = if it.writes {
                ResourceAccess::Changes
            } else {
                ResourceAccess::Reads
            };
            self.meet(op, SharedResource::Buffer(it.buffer), access, None);
        }
    }

    /// What an inserted wait does to the order, unless it is there by chance.
    pub(super) fn apply_inserted(&mut self, op: &HostOp, act: &SyncOp) {
        if !self.inserted.is_chance {
            let act = act.clone();
            self.watched.is_inserting = true;
            self.apply_host_op(&HostOp { act, ..*op }, &[]);
            self.watched.is_inserting = false;
        }
    }

    /// An operation uses buffers where waits are inserted by chance: what it comes after in every run, and where it is over.
    pub(super) fn ordered_by_insertion(
        &mut self,
        op: &HostOp,
        stream: StreamIndex,
        uses: &[DeclaredUse],
    ) -> Option<(Vec<Arc<SyncPoint>>, Arc<SyncPoint>)> {
        if !self.inserted.is_chance || uses.is_empty() {
            return None;
        }
        let now = self.host(op.host).known.time;
        let done = Arc::new(SyncPoint::default());
        let mut needs = Vec::new();
        for it in uses {
            needs.extend(self.earlier_uses((op.host, now), stream, it));
        }
        for it in uses {
            self.inserted.keep(now, (op.host, stream), it, &done);
        }
        Some((needs, done))
    }

    /// Where the uses are over that come before this one in every run.
    fn earlier_uses(
        &self,
        (host, now): (u32, u32),
        stream: StreamIndex,
        it: &DeclaredUse,
    ) -> Vec<Arc<SyncPoint>> {
        let mut found = Vec::new();
        let earlier = self.inserted.uses.get(&it.buffer);
        for ((by, from, writes, bytes), times) in earlier.into_iter().flatten() {
            let is_own = *by == host;
            if *from == stream && is_own
                || !self.inserted.are_ordered((*writes, bytes.0..bytes.1), it)
            {
                continue;
            }
            let known = if is_own {
                now
            } else {
                self.time_known(host, *by)
            };
            let count = times.partition_point(|(time, _)| *time <= known);
            let latest = count.checked_sub(1).and_then(|place| times.get(place));
            found.extend(latest.map(|(_, point)| Arc::clone(point)));
        }
        found
    }

    /// Memory is allocated or freed in the order of a stream. Where conflicts wait, a later use does so for this as well.
    pub(super) fn place_memory(
        &mut self,
        op: &HostOp,
        stream: StreamIndex,
        (step, buffer): (StreamStep<'_>, BufferIndex),
    ) {
        let mut step = self.step(op, step);
        if self.inserted.is_chance && self.inserted.rule == Some(InsertionRule::Conflicts) {
            let now = self.host(op.host).known.time;
            let done = Arc::new(SyncPoint::default());
            let whole = DeclaredUse::write(buffer);
            self.inserted.keep(now, (op.host, stream), &whole, &done);
            step.done = Some(done);
        }
        self.place_step(op, stream, step);
    }

    /// Up to which time of another host thread one knows of its calls.
    fn time_known(&self, own: u32, other: u32) -> u32 {
        let hosts = (self.hosts.get(own as usize), self.hosts.get(other as usize));
        let (Some(own), Some(other)) = hosts else {
            return 0;
        };
        own.known.get(other.known.member)
    }
}
