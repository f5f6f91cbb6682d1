//! The buffers: what has used each of them, whose memory they had before, and what a further use conflicts with.

use std::ops::Range;

use super::clock::{Knowledge, Member};
use super::hazard::{HazardKind, Relation};
use super::history::{self, Access, History, Manner};
use crate::workload::BufferIndex;

/// What is known of every buffer.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    buffers: Vec<Buffer>,
    /// Addresses that were freed, each with the uses of the buffer that had them.
    freed: Vec<(Range<u64>, Vec<Access>)>,
    /// Whether several host threads use them.
    is_shared: bool,
}

/// Whether a buffer has memory, by the order of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum AllocationState {
    /// It always has, or nothing is known of it.
    #[default]
    Always,
    /// Not yet.
    Never,
    Allocated,
    Freed,
}

#[derive(Clone, Debug, Default)]
struct Buffer {
    life: AllocationState,
    /// For each host thread, what its own further uses have to come after.
    histories: Vec<(u32, History)>,
    /// Where there are several, the latest use of each member, site and manner: uses of other host threads are compared
    /// with all of them, so that what is found does not depend on which came first.
    all: Vec<Access>,
    /// Its allocation in the order of a stream.
    made: Option<Access>,
    address: Option<Range<u64>>,
    /// Uses by former owners of its memory.
    prior: Vec<Access>,
    /// Members that the allocator waits for before it hands the memory on.
    pledged: Vec<Member>,
}

impl Memory {
    /// Of buffers that several host threads use, or one.
    pub fn new(is_shared: bool) -> Self {
        Self {
            is_shared,
            ..Self::default()
        }
    }

    fn buffer(&mut self, index: BufferIndex) -> Option<&mut Buffer> {
        if self.buffers.len() <= index.index() {
            self.buffers.resize_with(index.index() + 1, Buffer::default);
        }
        self.buffers.get_mut(index.index())
    }

    /// A buffer has no memory until it is allocated.
    pub fn note_ordered(&mut self, index: BufferIndex) {
        // Whether something allocated it before is a matter of chance where several host threads call in no order.
        let life = if self.is_shared {
            AllocationState::Always
        } else {
            AllocationState::Never
        };
        if let Some(buffer) = self.buffer(index) {
            buffer.life = life;
        }
    }

    /// Whether a buffer would have to be allocated first, and never was.
    pub fn is_missing(&self, index: BufferIndex) -> bool {
        let buffer = self.buffers.get(index.index());
        buffer.is_some_and(|it| it.life == AllocationState::Never)
    }

    /// The allocation of a buffer that has memory already.
    pub fn second_allocation(&self, index: BufferIndex) -> Option<Access> {
        let buffer = self.buffers.get(index.index())?;
        let is_allocated = buffer.life == AllocationState::Allocated;
        buffer.made.clone().filter(|_| is_allocated)
    }

    /// Compares a use with those before it, and takes it in.
    pub fn check(
        &mut self,
        index: BufferIndex,
        access: Access,
        known: &Knowledge,
        mut report: impl FnMut(HazardKind, Relation, &Access),
    ) {
        let is_shared = self.is_shared;
        let Some(buffer) = self.buffer(index).filter(|_| !access.bytes.is_empty()) else {
            return;
        };
        if let Some(made) = buffer.made.as_ref().filter(|it| !it.is_before(known)) {
            report(HazardKind::UseBeforeAllocation, Relation::Unordered, made);
        }
        if is_shared {
            buffer.check_others(&access, known, &mut report);
        }
        let host = access.caller.host;
        let place = buffer.histories.iter().position(|(of, _)| *of == host);
        let place = place.unwrap_or_else(|| {
            buffer.histories.push((host, History::default()));
            buffer.histories.len() - 1
        });
        let Some((_, history)) = buffer.histories.get_mut(place) else {
            return;
        };
        history.check(&access, known, &mut report);
        let is_read = access.manner == Manner::Read;
        for prior in &buffer.prior {
            if !prior.is_before(known) && (!is_read || prior.manner == Manner::Write) {
                report(HazardKind::ReuseOfMemory, Relation::Unordered, prior);
            }
        }
        if !is_read {
            buffer.prior.clear();
        }
        history.take(access);
    }

    /// Nothing has used the buffer yet. Until its allocation has had its turn, nothing comes after that.
    pub fn allocate(&mut self, index: BufferIndex, at: Option<Range<u64>>, called: Option<Access>) {
        let mut prior = Vec::new();
        if let Some(at) = &at {
            let overlap = |range: &Range<u64>| range.start < at.end && at.start < range.end;
            let taken = self.freed.extract_if(.., |(range, _)| overlap(range));
            prior.extend(taken.flat_map(|(_, uses)| uses));
        }
        if let Some(buffer) = self.buffer(index) {
            let life = match buffer.life {
                AllocationState::Always => AllocationState::Always,
                _ => AllocationState::Allocated,
            };
            *buffer = Buffer {
                life,
                address: at,
                prior,
                made: called,
                ..Buffer::default()
            };
        }
    }

    /// The buffer's allocation is in the order of a stream, and nothing may use it before.
    pub fn note_made(&mut self, index: BufferIndex, made: Access) {
        if let Some(buffer) = self.buffer(index) {
            buffer.made = Some(made);
        }
    }

    /// The buffer's memory may be handed on.
    pub fn free(&mut self, index: BufferIndex) {
        let Some(buffer) = self.buffer(index) else {
            return;
        };
        if buffer.life == AllocationState::Allocated {
            buffer.life = AllocationState::Freed;
        }
        let Some(address) = buffer.address.take() else {
            return;
        };
        let life = buffer.life;
        let Buffer {
            histories, pledged, ..
        } = std::mem::take(buffer);
        buffer.life = life;
        let uses = histories
            .into_iter()
            .flat_map(|(_, history)| history.into_accesses());
        let uses = uses.filter(|it| !pledged.contains(&it.member)).collect();
        self.freed.push((address, uses));
    }

    /// The allocator waits for `member` before it hands the buffer's memory on.
    pub fn pledge(&mut self, index: BufferIndex, member: Member) {
        if let Some(buffer) = self.buffer(index) {
            buffer.pledged.push(member);
        }
    }

    /// Nothing of what was freed is still in use.
    pub fn settle(&mut self) {
        self.freed.clear();
        for buffer in &mut self.buffers {
            buffer.prior.clear();
        }
    }
}

impl Buffer {
    /// Compares a use with those of other host threads, and keeps it for theirs. A later use of the same member, site and
    /// manner stands for the earlier one: whatever comes after it comes after both.
    fn check_others(
        &mut self,
        access: &Access,
        known: &Knowledge,
        mut report: impl FnMut(HazardKind, Relation, &Access),
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
            let is_harmless = other.manner == Manner::Read && access.manner == Manner::Read;
            if is_harmless || !other.overlaps(&access.bytes) {
                continue;
            }
            if !other.is_before(known) {
                let kind = history::kind(access.manner, other.manner);
                report(kind, Relation::Unordered, other);
            } else if other.manner == Manner::Free {
                report(HazardKind::UseAfterFree, Relation::Ordered, other);
            }
        }
        match own.and_then(|place| self.all.get_mut(place)) {
            Some(slot) => *slot = access.clone(),
            None => self.all.push(access.clone()),
        }
    }
}
