//! What is asked about memory, found by a thread that shares the capture while it rests.

use std::collections::HashMap;
use std::sync::Arc;

use eframe::egui::Context;
use engine::analysis::memory::{
    Allocation, MemoryBasis, MemoryGrouping, MemoryHistory, MemoryPoint, MemoryPool, MemorySegment,
    PoolSteps,
};
use engine::capture::Capture;
use engine::record::SpanId;
use engine::time::{Interval, Nanos};

use super::rows::{MOST, MemoryRow, rows};
use super::segment_map;
use crate::background::KeyedAnswer;

/// Which moment is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryMomentChoice {
    /// When most was allocated, of all or within the selected range.
    #[default]
    Peak,
    /// When the selected span began.
    Selected,
    /// The end of all, or of the selected range.
    End,
    /// None: what was kept beyond its step.
    Kept,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryQuestion {
    pub instance: u64,
    pub revision: u64,
    /// The place of the pool among all.
    pub pool: usize,
    pub moment: MemoryMomentChoice,
    pub range: Option<Interval>,
    /// When the selected span began, where that is asked about.
    pub at: Option<Nanos>,
    /// What rows stand for.
    pub by: RowGrouping,
}

/// What rows stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowGrouping {
    /// Allocations put together by whatever tells most apart.
    Usual,
    /// Allocations put together by this.
    By(MemoryGrouping),
    /// One allocation each.
    Each,
}

impl RowGrouping {
    fn of(self, capture: &Capture, pool: &MemoryPool) -> Option<MemoryGrouping> {
        match self {
            Self::Usual => Some(MemoryGrouping::usual(capture, pool)),
            Self::By(by) => Some(by),
            Self::Each => None,
        }
    }
}

/// What is shown.
#[derive(Default)]
pub struct MemoryAnswer {
    /// What the pools are called.
    pub pools: Vec<String>,
    /// The place of the one that is shown.
    pub pool: usize,
    pub basis: Option<MemoryBasis>,
    /// The moment; none where no moment is asked about.
    pub at: Option<Nanos>,
    /// What the allocator did last up to then.
    pub event: Option<SpanId>,
    pub allocated: i64,
    pub reserved: Option<i64>,
    /// How many allocations are known to have been alive, or kept.
    pub alive: u64,
    pub missing_frees: u64,
    pub has_no_blocks: bool,
    pub rows: Vec<MemoryRow>,
    /// The segments of the moment, the largest first, where the capture tells of them.
    pub segments: Vec<MemorySegment>,
    /// A number for the spans of blocks in them, the same for those that were asked for from one place.
    pub askers: HashMap<SpanId, usize>,
    /// How many rows are left out.
    pub left_out: usize,
    /// What the rows are put together by.
    pub by: Option<MemoryGrouping>,
}

/// What a capture tells of allocators, and its steps.
type FoundHistory = (Arc<MemoryHistory>, Arc<PoolSteps>);

/// The history of a capture, and the answer that is shown.
#[derive(Default)]
pub struct MemoryLoader {
    history: KeyedAnswer<(u64, u64), FoundHistory>,
    answer: KeyedAnswer<MemoryQuestion, MemoryAnswer>,
}

impl MemoryLoader {
    /// What is shown.
    pub fn found(&self) -> Option<&MemoryAnswer> {
        self.answer.found().map(|it| it.1)
    }

    /// Another number for each answer.
    pub const fn version(&self) -> u64 {
        self.answer.version()
    }

    /// Keeps up with what is asked. What is shown of this capture stays until the next is there.
    pub fn advance(&mut self, context: &Context, capture: &Arc<Capture>, question: MemoryQuestion) {
        let key = (question.instance, question.revision);
        self.history.retain(|it| it.0 == key.0);
        self.answer.retain(|it| it.instance == question.instance);
        self.history
            .advance(("memory", context), capture, key, |_| {
                |capture: &Capture| {
                    let history = MemoryHistory::new(capture);
                    let steps = PoolSteps::find(capture, &history.pools);
                    (Arc::new(history), Arc::new(steps))
                }
            });
        let Some((history, steps)) = self.history.of(&key).cloned() else {
            return;
        };
        self.answer
            .advance(("memory", context), capture, question, |asked| {
                let asked = asked.clone();
                move |capture: &Capture| answer(capture, &history, &steps, &asked)
            });
    }
}

fn answer(
    capture: &Capture,
    history: &MemoryHistory,
    steps: &PoolSteps,
    asked: &MemoryQuestion,
) -> MemoryAnswer {
    let titles = history.pools.iter().map(|it| it.title.clone()).collect();
    let place = asked.pool.min(history.pools.len().saturating_sub(1));
    let Some(pool) = history.pools.get(place) else {
        return MemoryAnswer::default();
    };
    let point = moment(capture, pool, asked);
    let mut alive: Vec<&Allocation> = if let Some(point) = point {
        pool.alive(point).collect()
    } else {
        let within = asked.range.or_else(|| capture.extent()).unwrap_or_default();
        let kept = pool.kept(steps.of(pool));
        kept.filter(|it| it.is_made_within(within)).collect()
    };
    let segments = point.map_or_else(Vec::new, |it| segments(capture, pool, it));
    let bytes = Allocation::bytes_of(alive.iter().copied());
    alive.sort_by_key(|it| std::cmp::Reverse(it.bytes));
    let count = alive.len();
    let by = asked.by.of(capture, pool);
    let mut rows = rows(capture, pool, (point, &alive), by);
    let left_out = rows.len().saturating_sub(MOST);
    rows.truncate(MOST);
    let whole = i64::try_from(bytes).unwrap_or(i64::MAX);
    MemoryAnswer {
        pools: titles,
        pool: place,
        basis: Some(pool.basis),
        at: point.map(|it| it.at),
        event: point.and_then(|it| pool.last_event(it)).map(|it| it.span),
        allocated: point.map_or(whole, |it| pool.allocated(it).unwrap_or_default()),
        reserved: point.and_then(|it| pool.reserved(it)),
        alive: count as u64,
        missing_frees: pool.missing_frees,
        has_no_blocks: !pool.knows_blocks(),
        rows,
        askers: segment_map::askers(capture, &segments),
        segments,
        left_out,
        by,
    }
}

/// The point that is looked at, if any.
fn moment(capture: &Capture, pool: &MemoryPool, asked: &MemoryQuestion) -> Option<MemoryPoint> {
    let all = capture.extent().unwrap_or_default();
    let range = asked.range.unwrap_or(all);
    match asked.moment {
        MemoryMomentChoice::Peak => {
            let peak = pool.peak(range).map(|it| it.point);
            Some(peak.unwrap_or_else(|| pool.point_at(range.start)))
        }
        MemoryMomentChoice::Selected => Some(pool.point_at(asked.at.unwrap_or(range.start))),
        MemoryMomentChoice::End => Some(pool.point_at(range.end)),
        MemoryMomentChoice::Kept => None,
    }
}

fn segments(capture: &Capture, pool: &MemoryPool, point: MemoryPoint) -> Vec<MemorySegment> {
    let mut all = MemorySegment::all(capture, pool, point);
    all.sort_by_key(|it| std::cmp::Reverse(it.bytes));
    all
}
