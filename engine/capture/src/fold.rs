//! What a row looks like at a given scale: long spans alone, short ones folded by column of time.

use super::chunk::{BLOCK, Chunk};
use super::chunk_entry::{ChunkEntry, unpack};
use super::row::{RowPosition, SpanRow};
use super::span_block::SpanBlock;
use super::summary_forest::SummaryNode;
use super::table::Repair;
use record::time::{Interval, Nanos};
use record::{NameId, SpanId, SpanKind, State};

/// One span as long as a column or longer, or all the shorter spans that start in one column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoldedSpan {
    /// From the start of the first to the end of the last.
    pub interval: Interval,
    /// How many spans it stands for.
    pub count: u32,
    /// The lengths of those that do not wait, added up: how long the row was busy.
    pub busy: Nanos,
    /// The longest of them.
    pub span: SpanId,
    /// Name of the longest.
    pub name: NameId,
    /// Kind of the longest.
    pub kind: SpanKind,
    /// State of the longest.
    pub state: State,
    /// Repair of the longest.
    pub repair: Repair,
    /// When a span that stands alone was enqueued; the start of the first of several.
    pub enqueued: Nanos,
}

impl From<SummaryNode> for FoldedSpan {
    fn from(node: SummaryNode) -> Self {
        let (kind, state, repair) = unpack(node.flags);
        let interval = Interval {
            start: node.start,
            end: node.end,
        };
        Self {
            interval,
            count: node.count,
            busy: node.busy,
            span: node.span,
            name: node.name,
            kind,
            state,
            repair,
            enqueued: node.start,
        }
    }
}

impl From<&ChunkEntry> for FoldedSpan {
    fn from(entry: &ChunkEntry) -> Self {
        let interval = Interval {
            start: entry.start,
            end: entry.end,
        };
        Self {
            interval,
            count: 1,
            busy: entry.busy(),
            span: entry.id,
            name: entry.name,
            kind: entry.kind,
            state: entry.state,
            repair: entry.repair,
            enqueued: entry.enqueued,
        }
    }
}

/// Collects short spans of one column and hands out cells.
struct SpanFolder<'f, F: FnMut(FoldedSpan)> {
    shift: u32,
    open: Option<SummaryNode>,
    emit: &'f mut F,
}

impl<F: FnMut(FoldedSpan)> SpanFolder<'_, F> {
    fn is_long(&self, node: &SummaryNode) -> bool {
        (node.end - node.start).0 >= 1 << self.shift
    }

    /// Adds a span that comes alone: as long as a column, or of a length that is not known in 32 bits.
    fn add_alone(&mut self, entry: &ChunkEntry) {
        if (entry.end - entry.start).0 < 1 << self.shift {
            return self.add(entry.node());
        }
        self.flush();
        (self.emit)(entry.into());
    }

    /// Adds spans that start in one column.
    fn add(&mut self, node: SummaryNode) {
        if node.count == 1 && self.is_long(&node) {
            self.flush();
            (self.emit)(node.into());
            return;
        }
        match self.open {
            Some(open) if open.start.0 >> self.shift == node.start.0 >> self.shift => {
                self.open = Some(open.merge(node));
            }
            _ => {
                self.flush();
                self.open = Some(node);
            }
        }
    }

    fn flush(&mut self) {
        if let Some(open) = self.open.take() {
            (self.emit)(open.into());
        }
    }
}

/// Calls `emit` with the cells of the row that overlap `view`, from left to right.
///
/// A column is the largest power of two not above `column` nanoseconds, aligned to capture time zero: panning does
/// not change which spans fold together. The cost depends on how many columns are in view, and on the logarithm of
/// the number of spans.
pub(super) fn fold<F: FnMut(FoldedSpan)>(
    row: &SpanRow,
    chunks: &[Chunk],
    view: Interval,
    column: Nanos,
    emit: &mut F,
) {
    let shift = column.0.max(1).ilog2();
    let mut folder = SpanFolder {
        shift,
        open: None,
        emit,
    };
    let mut block = SpanBlock::default();
    let mut spot = row.first_touching(chunks, view.start);
    while let Some(chunk) = row.chunk(chunks, spot.chunk) {
        if spot.at == 0
            && let Some((node, covered)) = row.forest().widest(spot.chunk, shift)
        {
            if node.start >= view.end {
                break;
            }
            folder.add(node);
            spot.chunk += covered;
            continue;
        }
        if !fold_chunk(&mut folder, chunk, spot.at, view.end, &mut block) {
            break;
        }
        spot = RowPosition {
            chunk: spot.chunk + 1,
            at: 0,
        };
    }
    folder.flush();
}

/// Folds a chunk from its span `at` on; says whether the view goes on behind it.
fn fold_chunk<F: FnMut(FoldedSpan)>(
    folder: &mut SpanFolder<'_, F>,
    chunk: &Chunk,
    mut at: usize,
    end: Nanos,
    block: &mut SpanBlock,
) -> bool {
    while at < chunk.len() {
        if let Some((node, covered)) = chunk.widest(at, folder.shift) {
            if node.start >= end {
                return false;
            }
            folder.add(node);
            at += covered;
            continue;
        }
        let stop = ((at / BLOCK + 1) * BLOCK).min(chunk.len());
        block.read(chunk, at, stop);
        while at < stop {
            if block.start(at).is_none_or(|start| start >= end) {
                return false;
            }
            let Some((node, covered)) = block.run(chunk, at, folder.shift) else {
                let Some(entry) = block.entry(chunk, at) else {
                    return false;
                };
                folder.add_alone(&entry);
                at += 1;
                continue;
            };
            folder.add(node);
            at += covered;
        }
    }
    true
}
