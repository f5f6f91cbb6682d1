//! The memory that one allocator has of one device: its events, and what lived from when to when.

use std::collections::BTreeMap;

use record::time::{Interval, Nanos};
use record::{SpanId, TorchDevice};

use super::events::{BlockKey, DraftEvent};
use crate::Iteration;

/// What the totals of a pool count from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryBasis {
    /// The file says how many bytes there are: totals are whole.
    Totals,
    /// The file says what was allocated and freed alone: totals count from zero at its start, and may be negative.
    SinceStart,
}

impl MemoryBasis {
    /// That of events in the order of time.
    fn of(drafts: &[DraftEvent]) -> Self {
        match drafts.first().and_then(|it| it.allocated) {
            Some(_) => Self::Totals,
            None => Self::SinceStart,
        }
    }

    /// A word for it, on the command line and in files.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Totals => "totals",
            Self::SinceStart => "since-start",
        }
    }
}

/// Memory was allocated or freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocatorEvent {
    /// When.
    pub at: Nanos,
    /// The span that says so.
    pub span: SpanId,
    /// How many bytes were allocated, or freed where it is negative.
    pub bytes: i64,
    /// How many bytes are allocated afterwards, by the pool's [`MemoryBasis`].
    pub allocated: i64,
    /// How many bytes the allocator has reserved of the device afterwards, where the file says it.
    pub reserved: Option<i64>,
}

impl AllocatorEvent {
    const fn new(draft: &DraftEvent, allocated: i64) -> Self {
        Self {
            at: draft.at,
            span: draft.span,
            bytes: draft.bytes,
            allocated,
            reserved: draft.reserved,
        }
    }
}

/// The moment at which memory was allocated or freed, and the span that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryMoment {
    /// When.
    pub at: Nanos,
    /// Its span.
    pub span: SpanId,
    /// The place of the event among those of its pool.
    pub place: usize,
}

/// A point in what an allocator did: after so many of its events, of which several may be of one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemoryPoint {
    /// The instant.
    pub at: Nanos,
    /// How many events of the pool lie before it.
    pub events: usize,
}

/// A piece of memory from its allocation to its free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// How many bytes it has.
    pub bytes: u64,
    /// Its address, or the number or the name that the file has for it.
    pub block: BlockKey,
    /// When it was allocated; none where that was before the capture began.
    pub from: Option<MemoryMoment>,
    /// When it was freed; none where it never was.
    pub to: Option<MemoryMoment>,
}

impl Allocation {
    /// Whether it was there at a point.
    pub fn is_alive(&self, point: MemoryPoint) -> bool {
        let is_before = |it: MemoryMoment| it.place < point.events;
        self.from.is_none_or(is_before) && !self.to.is_some_and(is_before)
    }

    /// How many bytes some have together.
    pub fn bytes_of<'a>(all: impl Iterator<Item = &'a Self>) -> u64 {
        all.map(|it| it.bytes).fold(0, u64::saturating_add)
    }

    /// How long it was there, as far as the capture shows both ends.
    pub fn length(&self) -> Option<Nanos> {
        let (from, to) = self.from.zip(self.to)?;
        Some(to.at - from.at)
    }

    /// Whether it was allocated in a stretch of time.
    pub fn is_made_within(&self, Interval { start, end }: Interval) -> bool {
        self.from.is_some_and(|it| start <= it.at && it.at <= end)
    }

    /// Whether it was there beyond the end of the step in which it was allocated: freed in a later one, or never.
    pub fn is_kept(&self, steps: &[Iteration]) -> bool {
        let Some(from) = self.from else { return false };
        let Some(to) = self.to else { return true };
        let after = steps.partition_point(|it| it.interval.start <= from.at);
        let own = after.checked_sub(1).and_then(|at| steps.get(at));
        own.is_some_and(|it| from.at < it.interval.end && to.at >= it.interval.end)
    }
}

/// The most that was allocated at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPeak {
    /// The first point at which so much was allocated.
    pub point: MemoryPoint,
    /// How many bytes.
    pub allocated: i64,
}

/// The memory that one allocator has of one device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryPool {
    /// What it is called: its device, and its rank or process where there are several.
    pub title: String,
    /// The rank of its process, where that is known.
    pub rank: Option<u32>,
    /// The device, where the file numbers it as PyTorch does.
    pub device: Option<TorchDevice>,
    /// What its totals count from.
    pub basis: MemoryBasis,
    /// What was allocated and freed, in the order of time.
    pub events: Vec<AllocatorEvent>,
    /// What lived from when to when, in the order of allocation; empty where the file tells not which free is of what.
    pub allocations: Vec<Allocation>,
    /// How many blocks were allocated again though nothing had freed them: their frees are missing.
    pub missing_frees: u64,
    /// How many events say not which block they are of: what was alive cannot be told of them.
    pub without_block: u64,
}

impl MemoryPool {
    /// Puts the events of a pool in order, and ties each free to its allocation.
    pub(super) fn new(
        (title, rank, device): (String, Option<u32>, Option<TorchDevice>),
        mut drafts: Vec<DraftEvent>,
    ) -> Self {
        drafts.sort_by_key(|it| (it.at, it.span));
        let basis = MemoryBasis::of(&drafts);
        let has_totals = basis == MemoryBasis::Totals;
        let mut pool = Self {
            title,
            rank,
            device,
            basis,
            events: Vec::with_capacity(drafts.len()),
            allocations: Vec::new(),
            missing_frees: 0,
            without_block: 0,
        };
        let mut alive = BTreeMap::new();
        let mut allocated = 0_i64;
        for draft in drafts {
            allocated = match draft.allocated.filter(|_| has_totals) {
                Some(total) => total,
                None => allocated.saturating_add(draft.bytes),
            };
            pool.pair(&draft, &mut alive);
            pool.events.push(AllocatorEvent::new(&draft, allocated));
        }
        pool
    }

    /// Begins or ends a life, by the event that comes next.
    fn pair(&mut self, draft: &DraftEvent, alive: &mut BTreeMap<BlockKey, usize>) {
        // An event that changes nothing says what there is.
        if draft.bytes == 0 {
            return;
        }
        let moment = MemoryMoment {
            at: draft.at,
            span: draft.span,
            place: self.events.len(),
        };
        let Some(block) = draft.block.clone() else {
            self.without_block += 1;
            return;
        };
        let before = alive.remove(&block);
        let before = before.and_then(|it| self.allocations.get_mut(it));
        let is_free = draft.bytes < 0;
        if let Some(before) = before {
            before.to = Some(moment);
            if is_free {
                return;
            }
            self.missing_frees += 1;
        }
        if !is_free {
            alive.insert(block.clone(), self.allocations.len());
        }
        self.allocations.push(Allocation {
            bytes: draft.bytes.unsigned_abs(),
            block,
            from: (!is_free).then_some(moment),
            to: is_free.then_some(moment),
        });
    }

    /// Whether it is told which blocks were allocated and freed, of any event.
    pub const fn knows_blocks(&self) -> bool {
        self.without_block == 0 || !self.allocations.is_empty()
    }

    /// Once everything that happened up to `at` had happened.
    pub fn point_at(&self, at: Nanos) -> MemoryPoint {
        MemoryPoint {
            at,
            events: self.events.partition_point(|it| it.at <= at),
        }
    }

    /// What the allocator did last before a point.
    pub fn last_event(&self, point: MemoryPoint) -> Option<&AllocatorEvent> {
        self.events.get(point.events.checked_sub(1)?)
    }

    /// How many bytes are allocated at a point; none where the pool has no events.
    pub fn allocated(&self, point: MemoryPoint) -> Option<i64> {
        if let Some(last) = self.last_event(point) {
            return Some(last.allocated);
        }
        // Before the first event there was what it found.
        let first = self.events.first()?;
        Some(first.allocated.saturating_sub(first.bytes))
    }

    /// How many bytes the allocator has reserved at a point, where the file says it.
    pub fn reserved(&self, point: MemoryPoint) -> Option<i64> {
        let mut before = self.events.get(..point.events)?.iter().rev();
        before.find_map(|it| it.reserved)
    }

    /// The most that was allocated at once within `interval`, both ends included.
    pub fn peak(&self, interval: Interval) -> Option<MemoryPeak> {
        let start = self.point_at(interval.start);
        let end = self.point_at(interval.end);
        let mut peak = MemoryPeak {
            point: start,
            allocated: self.allocated(start)?,
        };
        let events = self.events.iter().enumerate().take(end.events);
        for (place, event) in events.skip(start.events) {
            if event.allocated > peak.allocated {
                let (at, events) = (event.at, place + 1);
                peak = MemoryPeak {
                    point: MemoryPoint { at, events },
                    allocated: event.allocated,
                };
            }
        }
        Some(peak)
    }

    /// The most that was reserved at once within `interval`, where the file says it.
    pub fn reserved_peak(&self, interval: Interval) -> Option<i64> {
        let start = self.point_at(interval.start);
        let end = self.point_at(interval.end);
        let within = self.events.get(start.events..end.events);
        let within = within.unwrap_or_default();
        let most = within.iter().filter_map(|it| it.reserved).max();
        most.max(self.reserved(start))
    }

    /// What was alive at a point, in the order of allocation.
    pub fn alive(&self, point: MemoryPoint) -> impl Iterator<Item = &Allocation> {
        self.allocations.iter().filter(move |it| it.is_alive(point))
    }

    /// How many bytes were allocated at a point by what no event tells of, because that was before the capture began; known where the
    /// file has totals.
    pub fn untold(&self, point: MemoryPoint) -> u64 {
        if self.basis == MemoryBasis::SinceStart {
            return 0;
        }
        let told = Allocation::bytes_of(self.alive(point));
        let all = u64::try_from(self.allocated(point).unwrap_or(0)).unwrap_or(0);
        all.saturating_sub(told)
    }

    /// What was kept beyond the step in which it was allocated, or never freed, in the order of allocation.
    pub fn kept<'a>(&'a self, steps: &'a [Iteration]) -> impl Iterator<Item = &'a Allocation> {
        self.allocations.iter().filter(|it| it.is_kept(steps))
    }
}
