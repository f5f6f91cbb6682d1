//! The spans under one node of a chunk, read at once to be folded one by one.

use super::chunk::{BLOCK, Chunk, WIDE};
use super::chunk_entry::{ChunkEntry, unpack};
use super::summary_forest::SummaryNode;
use record::SpanKind;
use record::impossible;
use record::time::Nanos;

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

/// Which of some spans wait, each as a bit, by their flags.
pub(super) fn waiting(flags: &[u16]) -> u32 {
    let bits = flags.iter().map(|flags| WAITING >> (flags >> 8 & 63) & 1);
    (0..)
        .zip(bits)
        .fold(0, |all, (at, bit): (u32, _)| all | (bit as u32) << at)
}

/// What of them decides how they fold.
#[derive(Clone, Default)]
pub(super) struct SpanBlock {
    base: i64,
    from: usize,
    length: usize,
    pub offsets: [u32; BLOCK],
    pub durations: [u32; BLOCK],
    /// Which of the spans under the node wait, each as a bit.
    pub waiting: u32,
}

/// Some spans from a place on.
struct BlockRun {
    covered: usize,
    busy: i64,
    longest: u32,
    longest_at: usize,
}

impl SpanBlock {
    /// Reads the spans from `from` to `to`, which one node covers.
    pub fn read(&mut self, chunk: &Chunk, from: usize, to: usize) {
        (self.from, self.length) = (from, to.saturating_sub(from).min(BLOCK));
        self.base = chunk.base();
        chunk.read(from, self.length, self);
    }

    /// When the span `at` starts.
    pub fn start(&self, at: usize) -> Option<Nanos> {
        let offset = self.offsets.get(at.checked_sub(self.from)?)?;
        Some(Nanos(self.base + i64::from(*offset)))
    }

    /// The span `at`.
    #[inline]
    pub fn entry(&self, chunk: &Chunk, at: usize) -> Option<ChunkEntry> {
        let duration = *self.durations.get(at.checked_sub(self.from)?)?;
        let Some(queued) = chunk.queued(at).filter(|_| duration != WIDE) else {
            return chunk.entry(at);
        };
        let (start, label) = (self.start(at)?, chunk.label(at)?);
        let (kind, state, repair) = unpack(label.flags);
        Some(ChunkEntry {
            id: label.id,
            name: label.name,
            kind,
            state,
            repair,
            enqueued: start - Nanos(i64::from(queued)),
            start,
            end: start + Nanos(i64::from(duration)),
        })
    }

    /// The node over the span `at` and those after it that start in the same column of 2^`shift` ns and are shorter than
    /// it, and how many they are. Nothing where the span is as long as a column, and stands alone.
    #[inline]
    pub fn run(&self, chunk: &Chunk, at: usize, shift: u32) -> Option<(SummaryNode, usize)> {
        let place = at.checked_sub(self.from)?;
        let base = self.base;
        let start = self.start(at)?.0;
        let shift = shift.min(62);
        // Most of a fold's time goes here, so only the columns that decide are read, in 32 bits: no offset is as
        // great as the greatest number, and a length that is counts as longer than any column.
        let next = ((start >> shift) + 1).saturating_mul(1 << shift) - base;
        let next = u32::try_from(next).unwrap_or(u32::MAX);
        let column = u32::try_from(1_u64 << shift).unwrap_or(u32::MAX);
        let run = self.count(place, next, column);
        let last = place + run.covered.checked_sub(1)?;
        let end = i64::from(*self.offsets.get(last)?) + i64::from(*self.durations.get(last)?);
        let longest = chunk.label(self.from + run.longest_at)?;
        let node = SummaryNode {
            start: Nanos(start),
            end: Nanos(base + end),
            busy: Nanos(run.busy),
            longest: run.longest,
            count: run.covered as u32,
            span: longest.id,
            name: longest.name,
            flags: longest.flags,
        };
        Some((node, run.covered))
    }

    #[inline]
    fn count(&self, from: usize, next: u32, column: u32) -> BlockRun {
        let mut run = BlockRun {
            covered: 0,
            busy: 0,
            longest: 0,
            longest_at: from,
        };
        let to = self.length;
        let offsets = self
            .offsets
            .get(from..to)
            .unwrap_or_else(|| impossible!("a run of spans outside its block"));
        let durations = self
            .durations
            .get(from..to)
            .unwrap_or_else(|| impossible!("a run of spans outside its block"));
        let mut works = !self.waiting >> ((self.from + from) % BLOCK);
        for (place, (&offset, &duration)) in offsets.iter().zip(durations).enumerate() {
            if offset >= next || duration >= column {
                break;
            }
            run.busy += i64::from(duration & (works & 1).wrapping_neg());
            works >>= 1;
            if duration > run.longest {
                (run.longest, run.longest_at) = (duration, from + place);
            }
            run.covered += 1;
        }
        run
    }
}
