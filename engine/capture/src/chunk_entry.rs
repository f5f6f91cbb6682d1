//! A span as a chunk stores it.

use super::summary_forest::SummaryNode;
use super::table::{PlacedSpan, Repair};
use record::impossible;
use record::time::{Interval, Nanos};
use record::{CallId, LaneId, NameId, Span, SpanId, SpanKind, State};

/// Which span it is, and what it is.
#[derive(Clone, Copy)]
pub(super) struct SpanLabel {
    pub id: SpanId,
    pub name: NameId,
    pub flags: u16,
}

/// What a chunk stores of a span; the row and the table know the rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkEntry {
    pub id: SpanId,
    pub name: NameId,
    pub kind: SpanKind,
    pub state: State,
    pub repair: Repair,
    pub enqueued: Nanos,
    pub start: Nanos,
    pub end: Nanos,
}

impl ChunkEntry {
    /// From its start to its end.
    pub fn interval(&self) -> Interval {
        Interval {
            start: self.start,
            end: self.end,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// How long it does not wait.
    pub fn busy(&self) -> Nanos {
        if self.kind.is_waiting() {
            Nanos::ZERO
        } else {
            self.end - self.start
        }
    }

    pub fn node(&self) -> SummaryNode {
        let length = self.end - self.start;
        SummaryNode {
            start: self.start,
            end: self.end,
            busy: self.busy(),
            longest: length.0.clamp(0, i64::from(u32::MAX)) as u32,
            count: 1,
            span: self.id,
            name: self.name,
            flags: pack(self.kind, self.state, self.repair),
        }
    }

    pub fn placed(&self, lane: LaneId, depth: u32, call: CallId) -> PlacedSpan {
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

pub(super) fn pack(kind: SpanKind, state: State, repair: Repair) -> u16 {
    (kind as u16) << 8 | (state as u16) << 4 | repair as u16
}

/// The kind, state and repair in a node's or a chunk's flags.
pub(super) fn unpack(flags: u16) -> (SpanKind, State, Repair) {
    let at = |place: u16, mask: u16| usize::from(flags >> place & mask);
    (
        SpanKind::ALL
            .get(at(8, 0xff))
            .copied()
            .unwrap_or_else(|| impossible!("flags of no kind of span")),
        State::ALL
            .get(at(4, 0xf))
            .copied()
            .unwrap_or_else(|| impossible!("flags of no state")),
        Repair::ALL
            .get(at(0, 0xf))
            .copied()
            .unwrap_or_else(|| impossible!("flags of no repair")),
    )
}
