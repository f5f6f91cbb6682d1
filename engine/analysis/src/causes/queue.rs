//! The order of a stream's operations: which one was before each, as far as the capture tells.

use super::TOLERANCE;
use super::timetable::Timetable;

/// Stands for no span.
pub(super) const NONE: u32 = u32::MAX;

/// What is known of the operations of one stream.
pub(super) struct StreamOrder<'a> {
    pub times: &'a Timetable,
    /// The call that submitted each span, or [`NONE`].
    pub launches: &'a [u32],
    /// Whether a span is a graph, around the operations that are its nodes.
    pub is_graph: &'a dyn Fn(u32) -> bool,
}

/// What was found of an operation: the one before it, and whether the capture hides what orders it.
pub(super) struct Predecessor {
    pub span: u32,
    pub before: u32,
    pub is_branch: bool,
}

impl StreamOrder<'_> {
    fn launch(&self, span: u32) -> Option<u32> {
        let call = self.launches.get(span as usize).copied();
        call.filter(|call| *call != NONE)
    }

    fn submitted(&self, span: u32) -> i64 {
        let call = self.launch(span);
        call.map_or(i64::MIN, |call| self.times.start(call))
    }

    /// Puts the operations of a stream in the order of their submission. A stream whose waits and records are operations
    /// themselves, which no call is known for, runs in the order of starts.
    pub fn sort(&self, spans: &mut Vec<u32>, has_waits: bool) {
        let by_start = |span: &u32| (self.times.start(*span), self.submitted(*span), *span);
        spans.sort_by_key(by_start);
        if has_waits || spans.is_sorted_by_key(|it| self.submitted(*it)) {
            return;
        }
        let (mut launched, others): (Vec<u32>, Vec<u32>) =
            spans.iter().partition(|it| self.launch(**it).is_some());
        launched.sort_by_key(|it| (self.submitted(*it), self.times.start(*it), *it));
        let starts = || launched.iter().map(|it| self.times.start(*it));
        let goes_back = |(before, after): (i64, i64)| before > after.saturating_add(TOLERANCE.0);
        // Streams run in the order of submission: where starts say otherwise, the calls were not in the order that they
        // seem to be in, as those of several threads may not be.
        if !starts().zip(starts().skip(1)).any(goes_back) {
            *spans = self.merge(&launched, &others);
        }
    }

    /// Operations without a launch between those with one, by start: their launches lie before the capture.
    fn merge(&self, launched: &[u32], others: &[u32]) -> Vec<u32> {
        let mut merged = Vec::with_capacity(launched.len() + others.len());
        let mut rest = others.iter().peekable();
        for span in launched {
            let start = self.times.start(*span);
            while let Some(other) = rest.next_if(|it| self.times.start(**it) <= start) {
                merged.push(*other);
            }
            merged.push(*span);
        }
        merged.extend(rest);
        merged
    }

    /// Finds what was before each of a stream's operations, which are in order.
    pub fn predecessors(&self, spans: &[u32], emit: &mut impl FnMut(Predecessor)) {
        let mut before = NONE;
        let is_one =
            |a: &u32, b: &u32| self.launch(*a).is_some() && self.launch(*a) == self.launch(*b);
        for batch in spans.chunk_by(is_one) {
            self.of_batch(batch, before, emit);
            // What comes after a graph waits for all of its branches.
            let ended = |it: &&u32| (self.times.end(**it), (self.is_graph)(**it));
            before = batch.iter().max_by_key(ended).copied().unwrap_or(before);
        }
    }

    /// The same for the operations of one launch. Branches of a graph run on one stream and overlap there: nothing tells
    /// what orders them, so none is said to have come before another.
    fn of_batch(&self, batch: &[u32], before: u32, emit: &mut impl FnMut(Predecessor)) {
        let mut latest = i64::MIN;
        let overlaps = batch.iter().any(|span| {
            let early = latest > self.times.start(*span).saturating_add(TOLERANCE.0);
            latest = latest.max(self.times.end(*span));
            early
        });
        let mut last = before;
        for span in batch {
            emit(Predecessor {
                span: *span,
                before: if overlaps { before } else { last },
                is_branch: overlaps,
            });
            last = *span;
        }
    }
}
