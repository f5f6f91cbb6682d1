//! The segments that an allocator has of a device at a moment, and the blocks in them: what is free within a segment can be given
//! to nobody else.

use std::collections::BTreeMap;

use capture::Capture;
use record::time::Nanos;
use record::{
    MEMORY_ACTION, MEMORY_ADDRESS, MEMORY_DEVICE, MEMORY_SEGMENT, MEMORY_SEGMENT_BYTES,
    MEMORY_STREAM, SpanId, Value,
};

use super::events::BlockKey;
use super::history::named;
use super::pool::{Allocation, MemoryPoint, MemoryPool};

/// What PyTorch calls it when a segment grows.
const MAPPED: &str = "segment_map";

/// A block of a segment that is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentBlock {
    /// Its address.
    pub address: i64,
    /// How many bytes it has.
    pub bytes: i64,
    /// The span that tells of its allocation, where one does.
    pub span: Option<SpanId>,
}

impl SegmentBlock {
    /// That of an allocation whose address is known.
    fn of(allocation: &Allocation) -> Option<Self> {
        let BlockKey::Address(address) = allocation.block else {
            return None;
        };
        Some(Self {
            address,
            bytes: i64::try_from(allocation.bytes).unwrap_or(i64::MAX),
            span: allocation.from.map(|it| it.span),
        })
    }
}

/// A stretch of a device's memory that an allocator has reserved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemorySegment {
    /// Its address.
    pub address: i64,
    /// How many bytes it has.
    pub bytes: i64,
    /// The stream whose allocations it serves, where the file says it.
    pub stream: Option<i64>,
    /// What is allocated in it, by address.
    pub blocks: Vec<SegmentBlock>,
}

/// A change of what is reserved.
struct SegmentEvent {
    at: Nanos,
    span: SpanId,
    address: i64,
    bytes: i64,
    stream: Option<i64>,
    /// Whether a segment grows by it.
    is_mapped: bool,
}

impl MemorySegment {
    /// Those of a pool at a point, by address; none where the capture tells nothing of segments.
    pub fn all(capture: &Capture, pool: &MemoryPool, point: MemoryPoint) -> Vec<Self> {
        let mut reserved: BTreeMap<i64, Self> = BTreeMap::new();
        for event in events(capture, pool, point) {
            if event.bytes < 0 {
                take(&mut reserved, event.address, event.bytes.saturating_neg());
                continue;
            }
            let mut segment = Self {
                address: event.address,
                bytes: event.bytes,
                stream: event.stream,
                blocks: Vec::new(),
            };
            if event.is_mapped {
                segment.join(&mut reserved);
            }
            reserved.insert(segment.address, segment);
        }
        for allocation in pool.alive(point) {
            let block = SegmentBlock::of(allocation);
            let around = block.and_then(|it| reserved.range_mut(..=it.address).next_back());
            if let Some((block, (_, segment))) = block.zip(around)
                && block.address < segment.end()
            {
                segment.blocks.push(block);
            }
        }
        let mut all: Vec<Self> = reserved.into_values().collect();
        for segment in &mut all {
            segment.blocks.sort_by_key(|it| it.address);
        }
        all
    }

    /// Takes in what lies right before and behind: a segment that grows is one.
    fn join(&mut self, others: &mut BTreeMap<i64, Self>) {
        let behind = others
            .get(&self.end())
            .filter(|it| it.stream == self.stream);
        if let Some(behind) = behind
            .map(|it| it.address)
            .and_then(|it| others.remove(&it))
        {
            self.bytes = self.bytes.saturating_add(behind.bytes);
        }
        let before = others.range(..self.address).next_back().map(|it| it.1);
        let before = before.filter(|it| it.end() == self.address && it.stream == self.stream);
        if let Some(before) = before
            .map(|it| it.address)
            .and_then(|it| others.remove(&it))
        {
            self.address = before.address;
            self.bytes = self.bytes.saturating_add(before.bytes);
        }
    }

    /// The address behind its last byte.
    pub const fn end(&self) -> i64 {
        self.address.saturating_add(self.bytes)
    }

    /// How many of its bytes are allocated.
    pub fn allocated(&self) -> i64 {
        let bytes = self.blocks.iter().map(|it| it.bytes);
        bytes.fold(0, i64::saturating_add)
    }

    /// The most that could be allocated in it at once.
    pub fn largest_free(&self) -> i64 {
        let mut next = self.address;
        let mut largest = 0;
        for block in &self.blocks {
            largest = largest.max(block.address.saturating_sub(next));
            next = next.max(block.address.saturating_add(block.bytes));
        }
        largest.max(self.end().saturating_sub(next))
    }
}

/// What was reserved and given back before a point, in the order of time.
fn events(capture: &Capture, pool: &MemoryPool, point: MemoryPoint) -> Vec<SegmentEvent> {
    // Each is an event of the pool, too.
    let last = pool.last_event(point).map(|it| (it.at, it.span));
    let wanted = named(capture, MEMORY_SEGMENT);
    let stretches = wanted.map_or(0, |_| capture.stretch_count());
    let all = (0..stretches)
        .flat_map(|stretch| capture.spans_named(stretch, move |it| Some(it) == wanted))
        .filter(|it| Some(*it) <= last);
    let mut found: Vec<SegmentEvent> = all
        .filter_map(|(at, span)| event(capture, pool, (at, span)))
        .collect();
    found.sort_by_key(|it| (it.at, it.span));
    found
}

fn event(
    capture: &Capture,
    pool: &MemoryPool,
    (at, span): (Nanos, SpanId),
) -> Option<SegmentEvent> {
    let field = |wanted: &str| {
        let mut all = capture.arguments(span);
        all.find(|it| it.0 == wanted).map(|it| it.1)
    };
    let number = |wanted: &str| match field(wanted) {
        Some(Value::Integer(value)) => Some(value),
        _ => None,
    };
    let is_own = number(MEMORY_DEVICE) == pool.device.map(|it| it.number);
    Some(SegmentEvent {
        at,
        span,
        address: number(MEMORY_ADDRESS)?,
        bytes: number(MEMORY_SEGMENT_BYTES).filter(|_| is_own)?,
        stream: number(MEMORY_STREAM),
        is_mapped: field(MEMORY_ACTION) == Some(Value::Text(MAPPED.into())),
    })
}

/// Takes a stretch of addresses away, which may be a part of a segment or several of them.
fn take(all: &mut BTreeMap<i64, MemorySegment>, address: i64, bytes: i64) {
    let end = address.saturating_add(bytes);
    let before = all.range(..address).next_back().map(|it| *it.0);
    let within = all.range(address..end).map(|it| *it.0);
    let touched: Vec<i64> = before.into_iter().chain(within).collect();
    for start in touched {
        let Some(segment) = all.remove(&start) else {
            continue;
        };
        let parts = [
            (segment.address, segment.end().min(address)),
            (segment.address.max(end), segment.end()),
        ];
        for (from, to) in parts {
            if from < to {
                let part = MemorySegment {
                    address: from,
                    bytes: to.saturating_sub(from),
                    stream: segment.stream,
                    blocks: Vec::new(),
                };
                all.insert(from, part);
            }
        }
    }
}
