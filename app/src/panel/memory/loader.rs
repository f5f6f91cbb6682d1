//! What is asked about memory, found by a thread that shares the capture while it rests.

use std::sync::Arc;

use eframe::egui::Context;
use engine::analysis::causes::Causes;
use engine::analysis::memory::{
    Allocation, MemoryBasis, MemoryGrouping, MemoryHistory, MemoryPool, MemorySegment,
};
use engine::analysis::{Iteration, Iterations};
use engine::capture::Capture;
use engine::record::SpanId;
use engine::time::{Interval, Nanos};

use super::rows::{MOST, MemoryRow, rows};
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
    /// How many rows are left out.
    pub left_out: usize,
    /// What the rows are put together by.
    pub by: Option<MemoryGrouping>,
}

/// What a capture tells of allocators, and its steps.
type FoundHistory = (Arc<MemoryHistory>, Arc<Vec<Iteration>>);

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
                    let causes = Causes::build(capture);
                    let steps = Iterations::find(&causes.read(capture), None).all;
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
    steps: &[Iteration],
    asked: &MemoryQuestion,
) -> MemoryAnswer {
    let titles = history.pools.iter().map(|it| it.title.clone()).collect();
    let place = asked.pool.min(history.pools.len().saturating_sub(1));
    let Some(pool) = history.pools.get(place) else {
        return MemoryAnswer::default();
    };
    let at = moment(capture, pool, asked);
    let mut alive: Vec<&Allocation> = match at {
        Some(at) => pool.alive_at(at).collect(),
        None => pool.kept(steps).collect(),
    };
    let bytes = Allocation::bytes_of(alive.iter().copied());
    alive.sort_by_key(|it| std::cmp::Reverse(it.bytes));
    let count = alive.len();
    let by = asked.by.of(capture, pool);
    let mut rows = rows(capture, pool, (at, &alive), by);
    let left_out = rows.len().saturating_sub(MOST);
    rows.truncate(MOST);
    let whole = i64::try_from(bytes).unwrap_or(i64::MAX);
    MemoryAnswer {
        pools: titles,
        pool: place,
        basis: Some(pool.basis),
        at,
        event: at.and_then(|at| pool.last_event(at)).map(|it| it.span),
        allocated: at.map_or(whole, |at| pool.allocated_at(at).unwrap_or_default()),
        reserved: at.and_then(|at| pool.reserved_at(at)),
        alive: count as u64,
        missing_frees: pool.missing_frees,
        has_no_blocks: pool.without_block == pool.events.len() as u64,
        rows,
        segments: at.map_or_else(Vec::new, |at| segments(capture, pool, at)),
        left_out,
        by,
    }
}

/// The moment that is looked at, if any.
fn moment(capture: &Capture, pool: &MemoryPool, asked: &MemoryQuestion) -> Option<Nanos> {
    let all = capture.extent().unwrap_or_default();
    let range = asked.range.unwrap_or(all);
    match asked.moment {
        MemoryMomentChoice::Peak => Some(pool.peak(range).map_or(range.start, |it| it.at)),
        MemoryMomentChoice::Selected => Some(asked.at.unwrap_or(range.start)),
        MemoryMomentChoice::End => Some(range.end),
        MemoryMomentChoice::Kept => None,
    }
}

fn segments(capture: &Capture, pool: &MemoryPool, at: Nanos) -> Vec<MemorySegment> {
    let mut all = MemorySegment::all(capture, pool, at);
    all.sort_by_key(|it| std::cmp::Reverse(it.bytes));
    all
}
