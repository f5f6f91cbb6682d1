//! The buffers: what has used each of them, whose memory they had before, and what a further use conflicts with.

use record::BufferIndex;
use std::ops::Range;

use super::access_history::{self, Access, AccessHistory, AccessKind, UseCaller};
use super::allocations::{AllocationFault, AllocationLog, DroppingAbort, MemoryAction};
use super::clock::{ClockMark, ClockMember, MemberClock};
use super::hazard::{Hazard, HazardKind, HazardParty, HazardRelation};
use super::lifetime::{Lifetime, MemoryCall};
use super::stream::OrderedHost;

/// What is known of every buffer.
#[derive(Clone, Debug, Default)]
pub(super) struct BufferOrders {
    buffers: Vec<BufferOrder>,
    /// Addresses that were freed, each with the uses of the buffer that had them.
    freed: Vec<(Range<u64>, Vec<Access>)>,
    /// Whether several host threads use them.
    is_shared: bool,
}

/// What belongs to a buffer from one allocation to the next, in the order of the calls.
#[derive(Clone, Debug, Default)]
struct BufferLife {
    /// For each host thread, what its own further uses have to come after.
    histories: Vec<(u32, AccessHistory)>,
    /// Its allocation in the order of a stream; where several host threads call, the latest of each of them and site.
    made: Vec<Access>,
}

#[derive(Clone, Debug, Default)]
struct BufferOrder {
    life: BufferLife,
    /// Lives that are over, with the number of the call that began the next one. What was called before and runs later
    /// still belongs to them.
    former: Vec<(u64, BufferLife)>,
    /// Where there are several, the latest use of each member, site and manner: uses of other host threads are compared
    /// with all of them, so that what is found does not depend on which came first.
    all: Vec<Access>,
    /// Where several host threads call, and it is allocated in the order of streams.
    lifetime: Option<Box<Lifetime>>,
    /// Where one does, and it is so.
    calls: Option<Box<AllocationLog>>,
    /// The call that had allocated it, in the order of a stream, on a device that is lost.
    lost: Option<HazardParty>,
    /// Allocations that an abort may have dropped: whose they are, their number, and that of the abort.
    lives: Vec<(ClockMember, u64, u64)>,
    address: Option<Range<u64>>,
    /// Uses by former owners of its memory.
    prior: Vec<Access>,
    /// Members that the allocator waits for before it hands the memory on.
    pledged: Vec<ClockMember>,
}

impl BufferOrders {
    /// Of buffers that several host threads use, or one.
    pub fn new(is_shared: bool) -> Self {
        Self {
            is_shared,
            ..Self::default()
        }
    }

    /// The same on a device that is opened anew: nothing is left of what was, but it is known what the loss took.
    pub fn after_loss(&self) -> Self {
        let allocated = |it: &BufferOrder| {
            let by_one = it.calls.as_ref().and_then(|calls| calls.allocated());
            by_one.or_else(|| it.lifetime.as_ref()?.allocated())
        };
        let buffers = self.buffers.iter().map(|it| BufferOrder {
            lost: allocated(it),
            ..BufferOrder::default()
        });
        Self {
            buffers: buffers.collect(),
            ..Self::new(self.is_shared)
        }
    }

    /// The workload begins anew, and has allocated nothing.
    pub fn forget_lost(&mut self) {
        for place in 0..self.buffers.len() {
            let index = BufferIndex(place as u32);
            if self
                .buffer(index)
                .is_some_and(|it| it.lost.take().is_some())
            {
                self.note_ordered(index);
            }
        }
    }

    fn buffer(&mut self, index: BufferIndex) -> Option<&mut BufferOrder> {
        if self.buffers.len() <= index.index() {
            self.buffers
                .resize_with(index.index() + 1, BufferOrder::default);
        }
        self.buffers.get_mut(index.index())
    }

    /// A buffer has no memory until it is allocated.
    pub fn note_ordered(&mut self, index: BufferIndex) {
        let is_shared = self.is_shared;
        if let Some(buffer) = self.buffer(index) {
            let lost = buffer.lost;
            if is_shared {
                buffer.lifetime = Some(Box::new(Lifetime::after_loss(lost)));
            } else {
                buffer.calls = Some(Box::new(AllocationLog::after_loss(lost)));
            }
        }
    }

    fn lifetime(&mut self, index: BufferIndex) -> Option<&mut Lifetime> {
        let buffer = self.buffers.get_mut(index.index())?;
        buffer.lifetime.as_deref_mut()
    }

    /// A buffer is allocated by one of several host threads: what is wrong with that.
    pub fn note_allocation(&mut self, index: BufferIndex, call: MemoryCall) -> Vec<Hazard> {
        let lifetime = self.lifetime(index);
        lifetime.map_or_else(Vec::new, |it| it.allocate(index, call))
    }

    /// A buffer is used or freed by one of several host threads: what is wrong with that, of this kind where nothing
    /// has allocated it.
    pub fn note_call(
        &mut self,
        index: BufferIndex,
        kind: HazardKind,
        call: MemoryCall,
    ) -> Vec<Hazard> {
        let lifetime = self.lifetime(index);
        lifetime.map_or_else(Vec::new, |it| it.touch(index, kind, call))
    }

    /// Every call was made: what is wrong with memory in whichever order host threads come to it.
    pub fn conclude(&mut self) -> Vec<Hazard> {
        let buffers = self.buffers.iter_mut().enumerate();
        let found = buffers.filter_map(|(place, it)| {
            let lifetime = it.lifetime.as_deref_mut()?;
            Some(lifetime.conclude(BufferIndex(place as u32)))
        });
        found.flatten().collect()
    }

    /// The only host thread allocates a buffer in the order of a stream, or frees it, unless an abort drops that.
    pub fn log(
        &mut self,
        index: BufferIndex,
        call: &MemoryCall,
        frees: bool,
        dropped_by: Option<DroppingAbort>,
    ) {
        if let Some(calls) = self.calls(index) {
            calls.note((call.party, call.sequence), frees, dropped_by);
        }
    }

    fn calls(&mut self, index: BufferIndex) -> Option<&mut AllocationLog> {
        let buffer = self.buffers.get_mut(index.index())?;
        buffer.calls.as_deref_mut()
    }

    /// What is wrong with a call of the only host thread by what it called before, where its stream knows this.
    pub fn judge(
        &self,
        index: BufferIndex,
        deed: MemoryAction,
        sequence: u64,
        known: &MemberClock,
    ) -> Option<AllocationFault> {
        let calls = self.buffers.get(index.index())?.calls.as_ref()?;
        calls.judge(deed, sequence, known)
    }

    /// Whoever knows this member knows that an abort did not drop a call that allocates a buffer or frees it.
    pub fn note_proof(&mut self, index: BufferIndex, sequence: u64, proof: ClockMember) {
        if let Some(calls) = self.calls(index) {
            calls.note_proof(sequence, proof);
        }
    }

    /// A stream is aborted, and the operations of several host threads' calls with these numbers are dropped.
    pub fn abort(&mut self, dropped: &[u64]) {
        for buffer in &mut self.buffers {
            if let Some(lifetime) = &mut buffer.lifetime {
                lifetime.forget(dropped);
                let made = &mut buffer.life.made;
                made.retain(|it| !dropped.contains(&it.caller.sequence));
            }
        }
    }

    /// Compares a use with those before it, and takes it in. Of host threads it is told `hosts`, and what the caller knew.
    pub fn check(
        &mut self,
        index: BufferIndex,
        access: Access,
        (known, hosts, submitted): (&MemberClock, &[OrderedHost], &ClockMark),
        mut report: impl FnMut(HazardKind, HazardRelation, &Access),
    ) {
        let is_shared = self.is_shared;
        let Some(buffer) = self.buffer(index).filter(|_| !access.bytes.is_empty()) else {
            return;
        };
        let lifetime = buffer.lifetime.take();
        let now = (access.caller, submitted);
        // What the same abort leaves of a stream is all that comes before some point.
        let lives = buffer.lives.iter().filter(|it| {
            it.0 == access.member && it.1 < access.caller.sequence && Some(it.2) == access.doubt
        });
        let began = lives.map(|it| it.1).max();
        let is_other = |earlier: UseCaller| {
            let anew = lifetime.as_deref();
            anew.is_some_and(|it| it.is_anew(hosts, earlier, now))
                || began.is_some_and(|began| earlier.sequence < began)
        };
        // Which of two allocations in no order is meant is told where they are called.
        let is_called = |earlier: UseCaller| {
            if earlier.host == access.caller.host {
                return earlier.sequence <= access.caller.sequence;
            }
            let host = hosts.get(earlier.host as usize);
            let is_heard =
                host.is_some_and(|it| submitted.clock.get(it.known.member) >= earlier.time);
            is_heard || lifetime.is_none()
        };
        let allocations = &buffer.life_of(access.caller.sequence).made;
        for made in allocations.iter().filter(|it| !it.is_before(known)) {
            if is_called(made.caller) && !is_other(made.caller) {
                report(
                    HazardKind::UseBeforeAllocation,
                    HazardRelation::Unordered,
                    made,
                );
            }
        }
        let mut report = |kind, relation, earlier: &Access| {
            if !is_other(earlier.caller) {
                report(kind, relation, earlier);
            }
        };
        if is_shared {
            buffer.check_others(&access, known, &mut report);
        }
        let is_read = access.manner == AccessKind::Read;
        let prior = buffer.prior.iter().filter(|it| !it.is_before(known));
        let prior: Vec<Access> = prior.cloned().collect();
        if let Some(history) = buffer.history_of(access.caller) {
            history.check(&access, known, &mut report);
            for prior in prior {
                if !is_read || prior.manner == AccessKind::Write {
                    report(HazardKind::ReuseOfMemory, HazardRelation::Unordered, &prior);
                }
            }
            history.take(access, known);
        }
        if !is_read {
            buffer.prior.clear();
        }
        buffer.lifetime = lifetime;
    }

    /// Nothing has used the buffer yet, unless its allocation may have been dropped. Until that has had its turn, nothing
    /// comes after it. What was called before, and stands until later, is compared with what the buffer was then; `standing`
    /// is the number of the first such call.
    pub fn allocate(
        &mut self,
        index: BufferIndex,
        at: Option<Range<u64>>,
        called: Option<Access>,
        (doubt, standing): (Option<u64>, Option<u64>),
    ) {
        let mut prior = Vec::new();
        if let Some(at) = &at {
            let overlap = |range: &Range<u64>| range.start < at.end && at.start < range.end;
            let taken = self.freed.extract_if(.., |(range, _)| overlap(range));
            prior.extend(taken.flat_map(|(_, uses)| uses));
        }
        if let Some(buffer) = self.buffer(index) {
            let allocated = called.as_ref().zip(doubt);
            let life = allocated.map(|(it, abort)| (it.member, it.caller.sequence, abort));
            buffer.lives.extend(life);
            if buffer.lifetime.is_some() || doubt.is_some() {
                buffer.address = at;
                buffer.prior.extend(prior);
                buffer.life.made.extend(called);
                return;
            }
            let mut former = std::mem::take(&mut buffer.former);
            if let Some(it) = called.as_ref().filter(|_| buffer.calls.is_some()) {
                former.push((it.caller.sequence, std::mem::take(&mut buffer.life)));
                former.retain(|(until, _)| standing.is_some_and(|first| first < *until));
            }
            *buffer = BufferOrder {
                life: BufferLife {
                    made: called.into_iter().collect(),
                    ..BufferLife::default()
                },
                former,
                calls: buffer.calls.take(),
                address: at,
                prior,
                ..BufferOrder::default()
            };
        }
    }

    /// The buffer's allocation is in the order of a stream, and nothing may use it before.
    pub fn note_made(&mut self, index: BufferIndex, made: Access) {
        if let Some(buffer) = self.buffer(index) {
            let is_latest = |it: &Access| {
                it.caller.sequence >= made.caller.sequence
                    || it.caller.host != made.caller.host
                    || it.origin.site != made.origin.site
            };
            let is_alone = buffer.calls.is_some();
            let all = &mut buffer.life_of_mut(made.caller.sequence).made;
            all.retain(is_latest);
            let slot = all
                .iter_mut()
                .find(|it| it.caller.sequence == made.caller.sequence);
            match slot {
                Some(slot) => *slot = made,
                // Where one host thread calls, nothing is called any more that belongs to it.
                None if is_alone => {}
                None => all.push(made),
            }
        }
    }

    /// The buffer's memory may be handed on.
    pub fn free(&mut self, index: BufferIndex) {
        let Some(buffer) = self.buffer(index) else {
            return;
        };
        let Some(address) = buffer.address.take() else {
            return;
        };
        let (calls, lifetime) = (buffer.calls.take(), buffer.lifetime.take());
        let BufferOrder { life, pledged, .. } = std::mem::take(buffer);
        (buffer.calls, buffer.lifetime) = (calls, lifetime);
        let histories = life.histories;
        let uses = histories
            .into_iter()
            .flat_map(|(_, history)| history.into_accesses());
        let uses = uses.filter(|it| !pledged.contains(&it.member)).collect();
        self.freed.push((address, uses));
    }

    /// The allocator waits for `member` before it hands the buffer's memory on.
    pub fn pledge(&mut self, index: BufferIndex, member: ClockMember) {
        if let Some(buffer) = self.buffer(index) {
            buffer.pledged.push(member);
        }
    }

    /// Nothing of what was freed is still in use.
    pub fn clear_freed(&mut self) {
        self.freed.clear();
        for buffer in &mut self.buffers {
            buffer.prior.clear();
        }
    }
}

impl BufferOrder {
    /// The life to which the call with this number belongs.
    fn life_of(&self, call: u64) -> &BufferLife {
        let mut former = self.former.iter();
        let former = former.find(|(until, _)| call < *until);
        former.map_or(&self.life, |(_, life)| life)
    }

    fn life_of_mut(&mut self, call: u64) -> &mut BufferLife {
        let mut former = self.former.iter_mut();
        let former = former.find(|(until, _)| call < *until);
        former.map_or(&mut self.life, |(_, life)| life)
    }

    /// What the uses of a host thread have to come after, in the life to which a call belongs.
    fn history_of(&mut self, caller: UseCaller) -> Option<&mut AccessHistory> {
        let histories = &mut self.life_of_mut(caller.sequence).histories;
        let place = histories.iter().position(|(of, _)| *of == caller.host);
        let place = place.unwrap_or_else(|| {
            histories.push((caller.host, AccessHistory::default()));
            histories.len() - 1
        });
        histories.get_mut(place).map(|(_, history)| history)
    }

    /// Compares a use with those of other host threads, and keeps it for theirs. A later use of the same member, site and
    /// manner stands for the earlier one: whatever comes after it comes after both.
    fn check_others(
        &mut self,
        access: &Access,
        known: &MemberClock,
        mut report: impl FnMut(HazardKind, HazardRelation, &Access),
    ) {
        let mut own = None;
        for (place, other) in self.all.iter().enumerate() {
            if other.caller.host == access.caller.host {
                let is_same = other.member == access.member
                    && other.origin.site == access.origin.site
                    && other.manner == access.manner
                    && other.bytes == access.bytes;
                own = own.or_else(|| is_same.then_some(place));
                continue;
            }
            let is_harmless = other.manner == AccessKind::Read && access.manner == AccessKind::Read;
            if is_harmless || !other.overlaps(&access.bytes) {
                continue;
            }
            if other.is_unordered(access, known) {
                let kind = access_history::kind(access.manner, other.manner);
                report(kind, HazardRelation::Unordered, other);
            } else if other.manner == AccessKind::Free && other.is_before(known) {
                report(HazardKind::UseAfterFree, HazardRelation::Ordered, other);
            }
        }
        match own.and_then(|place| self.all.get_mut(place)) {
            Some(slot) => *slot = access.clone(),
            None => self.all.push(access.clone()),
        }
    }
}
