//! Up to 512 spans of one row in order of start, column by column, with a node over every 32 of them.

use std::collections::BTreeMap;

use super::even::Even;
use super::forest::Node;
use super::table::{PlacedSpan, Repair};
use crate::record::{CallId, NameId, Span, SpanId, SpanKind, State};
use crate::time::{Interval, Nanos};

/// Spans a chunk holds at most. Its columns then fill whole allocations, and an insertion moves little.
pub(super) const CHUNK: usize = 512;
/// Spans under one node of a chunk: what a fold may have to look at one by one.
pub(super) const BLOCK: usize = 32;
/// Stands in a 32-bit column for a length that does not fit; the length is then in `wide`.
const WIDE: u32 = u32::MAX;

/// The kinds that wait, each as the bit of its number.
const WAITING: u64 = {
    let (mut bits, mut rest) = (0, SpanKind::ALL);
    while let [kind, others @ ..] = rest {
        if kind.is_waiting() {
            bits |= 1 << *kind as u64;
        }
        rest = others;
    }
    bits
};

/// The lengths that 32 bits of nanoseconds (4.29 s) cannot hold.
#[derive(Clone, Copy, Default)]
struct Wide {
    duration: i64,
    queued: i64,
}

/// Spans of one row, none of which overlap.
#[derive(Default)]
pub(super) struct Chunk {
    /// The row it belongs to.
    pub row: u32,
    base: i64,
    ids: Vec<u32>,
    offsets: Vec<u32>,
    durations: Vec<u32>,
    queued: Even,
    names: Vec<u32>,
    flags: Vec<u16>,
    nodes: Vec<Node>,
    wide: BTreeMap<u32, Wide>,
}

/// What a chunk stores of a span; the row and the table know the rest.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub id: SpanId,
    pub name: NameId,
    pub kind: SpanKind,
    pub state: State,
    pub repair: Repair,
    pub enqueued: Nanos,
    pub start: Nanos,
    pub end: Nanos,
}

impl Entry {
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    pub fn node(&self) -> Node {
        let length = self.end - self.start;
        Node {
            start: self.start,
            end: self.end,
            busy: if self.kind.is_waiting() {
                Nanos::ZERO
            } else {
                length
            },
            longest: length.0.clamp(0, i64::from(u32::MAX)) as u32,
            count: 1,
            span: self.id,
            name: self.name,
            flags: pack(self.kind, self.state, self.repair),
        }
    }

    pub fn placed(&self, lane: crate::record::LaneId, depth: u16, call: CallId) -> PlacedSpan {
        let span = Span {
            id: self.id,
            lane,
            name: self.name,
            call,
            kind: self.kind,
            state: self.state,
            enqueued: self.enqueued,
            start: self.start,
            end: self.end,
        };
        PlacedSpan {
            span,
            depth,
            repair: self.repair,
        }
    }
}

fn pack(kind: SpanKind, state: State, repair: Repair) -> u16 {
    (kind as u16) << 8 | (state as u16) << 4 | repair as u16
}

/// The kind, state and repair in a node's or a chunk's flags.
pub(super) fn unpack(flags: u16) -> (SpanKind, State, Repair) {
    let at = |place: u16, mask: u16| usize::from(flags >> place & mask);
    (
        SpanKind::ALL.get(at(8, 0xff)).copied().unwrap_or_default(),
        State::ALL.get(at(4, 0xf)).copied().unwrap_or_default(),
        Repair::ALL.get(at(0, 0xf)).copied().unwrap_or_default(),
    )
}

impl Chunk {
    pub fn new(row: u32, base: Nanos) -> Self {
        Self {
            row,
            base: base.0,
            ..Self::default()
        }
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    pub fn names(&self) -> &[u32] {
        &self.names
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The position of a span, by a scan of at most 512 numbers.
    pub fn position(&self, id: SpanId) -> Option<usize> {
        self.ids.iter().position(|&other| other == id.0)
    }

    pub fn start(&self, at: usize) -> Option<Nanos> {
        self.offsets
            .get(at)
            .map(|&offset| Nanos(self.base + i64::from(offset)))
    }

    pub fn interval(&self, at: usize) -> Option<Interval> {
        let start = self.start(at)?;
        let length = match *self.durations.get(at)? {
            WIDE => self.wide(at).duration,
            short => i64::from(short),
        };
        Some(Interval {
            start,
            end: start + Nanos(length),
        })
    }

    fn wide(&self, at: usize) -> Wide {
        let found = self.ids.get(at).and_then(|id| self.wide.get(id));
        found.copied().unwrap_or_default()
    }

    pub fn entry(&self, at: usize) -> Option<Entry> {
        let Interval { start, end } = self.interval(at)?;
        let enqueued = self.enqueued(at)?;
        let (kind, state, repair) = unpack(*self.flags.get(at)?);
        Some(Entry {
            id: SpanId(*self.ids.get(at)?),
            name: NameId(*self.names.get(at)?),
            kind,
            state,
            repair,
            enqueued,
            start,
            end,
        })
    }

    /// The node over the span `at` and those after it, up to `stop`, that start in the same column
    /// of 2^`shift` ns and are shorter than it, and how many they are. A span as long as a column
    /// comes alone.
    pub fn run(&self, at: usize, stop: usize, shift: u32) -> Option<(Node, usize)> {
        let (offsets, durations) = (self.offsets.get(at..stop)?, self.durations.get(at..stop)?);
        let start = self.base + i64::from(*offsets.first()?);
        let shift = shift.min(62);
        // Most of a fold's time goes here, so only the columns that decide are read, in 32 bits: no offset is as
        // great as `WIDE`, and a length that is `WIDE` counts as longer than any column.
        let next = ((start >> shift) + 1).saturating_mul(1 << shift) - self.base;
        let next = u32::try_from(next).unwrap_or(WIDE);
        let column = u32::try_from(1_u64 << shift).unwrap_or(WIDE);
        let (mut longest, mut longest_at) = (0, at);
        let (mut busy, mut covered) = (0, 0);
        for ((&offset, &duration), &flags) in
            offsets.iter().zip(durations).zip(self.flags.get(at..stop)?)
        {
            if offset >= next || duration >= column {
                break;
            }
            let waits = WAITING >> (flags >> 8 & 63) & 1;
            busy += i64::from(duration) * (1 - waits as i64);
            if duration > longest {
                (longest, longest_at) = (duration, at + covered);
            }
            covered += 1;
        }
        let node = self.entry(longest_at)?.node();
        if covered == 0 {
            return Some((node, 1));
        }
        let end = self.interval(at + covered - 1)?.end;
        let (start, busy, count) = (Nanos(start), Nanos(busy), covered as u32);
        let run = Node {
            start,
            end,
            busy,
            count,
            ..node
        };
        Some((run, covered))
    }

    /// When a span was enqueued.
    pub fn enqueued(&self, at: usize) -> Option<Nanos> {
        let queued = match self.queued.get(at)? {
            WIDE => self.wide(at).queued,
            short => i64::from(short),
        };
        Some(self.start(at)? - Nanos(queued))
    }

    /// How many spans start at or before `instant`.
    pub fn started_by(&self, instant: Nanos) -> usize {
        let offset = instant.0.saturating_sub(self.base);
        self.offsets
            .partition_point(|&other| i64::from(other) <= offset)
    }

    /// How many spans start before `instant`.
    pub fn started_before(&self, instant: Nanos) -> usize {
        let offset = instant.0.saturating_sub(self.base);
        self.offsets
            .partition_point(|&other| i64::from(other) < offset)
    }

    /// Whether the span belongs behind every span here. Of those that start together, the empty
    /// ones come first.
    pub fn is_behind(&self, entry: &Entry) -> bool {
        let last = self.len().checked_sub(1).and_then(|at| self.interval(at));
        last.is_none_or(|last| {
            let ties = last.start == entry.start;
            last.start < entry.start || (ties && (!entry.is_empty() || last.end == last.start))
        })
    }

    /// Whether a span that starts at `start` can be written with this chunk's base, moved back if need be.
    pub fn reaches(&self, start: Nanos) -> bool {
        let last = self
            .offsets
            .last()
            .map_or(self.base, |&o| self.base + i64::from(o));
        let first = self.base.min(start.0);
        let span = last.max(start.0).checked_sub(first);
        span.is_some_and(|span| span < i64::from(WIDE))
    }

    /// Puts a span that [`Chunk::reaches`] at its place by start and returns that place.
    pub fn insert(&mut self, entry: &Entry) -> usize {
        self.rebase(entry.start);
        let at = match self.is_behind(entry) {
            true => self.len(),
            false if entry.is_empty() => self.started_before(entry.start),
            false => self.started_by(entry.start),
        };
        let duration = narrow(entry.end - entry.start);
        let queued = narrow(entry.start - entry.enqueued);
        if duration == WIDE || queued == WIDE {
            let lengths = Wide {
                duration: (entry.end - entry.start).0,
                queued: (entry.start - entry.enqueued).0,
            };
            self.wide.insert(entry.id.0, lengths);
        }
        self.make_room();
        self.queued.insert(at, queued, self.len());
        self.ids.insert(at, entry.id.0);
        self.offsets.insert(at, (entry.start.0 - self.base) as u32);
        self.durations.insert(at, duration);
        self.names.insert(at, entry.name.0);
        self.flags
            .insert(at, pack(entry.kind, entry.state, entry.repair));
        self.nodes.truncate(at / BLOCK);
        while (self.nodes.len() + 1) * BLOCK <= self.len() {
            let from = self.nodes.len() * BLOCK;
            self.nodes.extend(self.summary(from, from + BLOCK));
        }
        at
    }

    /// Makes room for one more span in every column, and for few more than that.
    fn make_room(&mut self) {
        let length = self.len();
        if length < self.ids.capacity() {
            return;
        }
        let more = room(length) - length;
        self.ids.reserve_exact(more);
        self.offsets.reserve_exact(more);
        self.durations.reserve_exact(more);
        self.names.reserve_exact(more);
        self.flags.reserve_exact(more);
    }

    fn rebase(&mut self, start: Nanos) {
        let Some(back) = self.base.checked_sub(start.0).filter(|&back| back > 0) else {
            return;
        };
        self.base = start.0;
        for offset in &mut self.offsets {
            *offset = offset.saturating_add(u32::try_from(back).unwrap_or(WIDE));
        }
    }

    /// The node over the spans from `from` to `to`.
    fn summary(&self, from: usize, to: usize) -> Option<Node> {
        (from..to)
            .filter_map(|at| self.entry(at))
            .map(|entry| entry.node())
            .reduce(Node::merge)
    }

    /// The node over all of it.
    pub fn node(&self) -> Option<Node> {
        let rest = self.summary(self.nodes.len() * BLOCK, self.len());
        self.nodes.iter().copied().chain(rest).reduce(Node::merge)
    }

    /// The spans of its second half, taken out.
    pub fn split_off(&mut self) -> Vec<Entry> {
        let keep = self.len() / 2;
        let moved: Vec<Entry> = (keep..self.len()).filter_map(|at| self.entry(at)).collect();
        self.queued.truncate(keep);
        for column in [
            &mut self.ids,
            &mut self.offsets,
            &mut self.durations,
            &mut self.names,
        ] {
            column.truncate(keep);
            column.shrink_to_fit();
        }
        self.flags.truncate(keep);
        self.flags.shrink_to_fit();
        self.nodes.truncate(keep / BLOCK);
        self.nodes.shrink_to_fit();
        moved
    }

    /// Bytes that it holds on the heap.
    pub fn heap_bytes(&self) -> usize {
        let words = [&self.ids, &self.offsets, &self.durations, &self.names];
        let words: usize = words.iter().map(|column| column.capacity() * 4).sum();
        let wide = self.wide.len() * 24;
        let words = words + self.queued.heap_bytes();
        words + self.flags.capacity() * 2 + self.nodes.capacity() * size_of::<Node>() + wide
    }
}

/// How many spans a chunk of `length` makes room for when it is full: some more, but few.
pub(super) fn room(length: usize) -> usize {
    let more = length + (length / 2).clamp(8, 64);
    // A chunk that is split holds one more for a moment.
    if length < CHUNK {
        more.min(CHUNK)
    } else {
        length + 1
    }
}

fn narrow(length: Nanos) -> u32 {
    u32::try_from(length.0).unwrap_or(WIDE)
}
