//! The buffers: what has used each of them, whose memory they had before, and what a further use conflicts with.

use std::ops::Range;

use super::clock::{Knowledge, Member};
use super::hazard::HazardKind;
use super::history::{Access, History, Manner};
use crate::workload::BufferIndex;

/// What is known of every buffer.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    buffers: Vec<Buffer>,
    /// Addresses that were freed, each with the uses of the buffer that had them.
    freed: Vec<(Range<u64>, Vec<Access>)>,
}

#[derive(Clone, Debug, Default)]
struct Buffer {
    history: History,
    /// Its allocation in the order of a stream.
    made: Option<Access>,
    address: Option<Range<u64>>,
    /// Uses by former owners of its memory.
    prior: Vec<Access>,
    /// Members that the allocator waits for before it hands the memory on.
    pledged: Vec<Member>,
}

impl Memory {
    fn buffer(&mut self, index: BufferIndex) -> Option<&mut Buffer> {
        if self.buffers.len() <= index.index() {
            self.buffers.resize_with(index.index() + 1, Buffer::default);
        }
        self.buffers.get_mut(index.index())
    }

    /// Compares a use with those before it, and takes it in.
    pub fn check(
        &mut self,
        index: BufferIndex,
        access: Access,
        known: &Knowledge,
        mut report: impl FnMut(HazardKind, &Access),
    ) {
        let Some(buffer) = self.buffer(index).filter(|_| !access.bytes.is_empty()) else {
            return;
        };
        if let Some(made) = buffer.made.as_ref().filter(|it| !it.is_before(known)) {
            report(HazardKind::UseBeforeAllocation, made);
        }
        buffer.history.check(&access, known, &mut report);
        let is_read = access.manner == Manner::Read;
        for prior in &buffer.prior {
            if !prior.is_before(known) && (!is_read || prior.manner == Manner::Write) {
                report(HazardKind::ReuseOfMemory, prior);
            }
        }
        if !is_read {
            buffer.prior.clear();
        }
        buffer.history.take(access);
    }

    /// Nothing has used the buffer yet.
    pub fn allocate(&mut self, index: BufferIndex, at: Option<Range<u64>>) {
        let mut prior = Vec::new();
        if let Some(at) = &at {
            let overlap = |range: &Range<u64>| range.start < at.end && at.start < range.end;
            let taken = self.freed.extract_if(.., |(range, _)| overlap(range));
            prior.extend(taken.flat_map(|(_, uses)| uses));
        }
        if let Some(buffer) = self.buffer(index) {
            *buffer = Buffer {
                address: at,
                prior,
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
        let Some(address) = buffer.address.take() else {
            return;
        };
        let Buffer {
            history, pledged, ..
        } = std::mem::take(buffer);
        let uses = history.into_accesses().into_iter();
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
