//! The order of a stream's operations: which one was before each, as far as the capture tells.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
    /// Whether the capture has the edges of its graphs, so that none need be inferred.
    pub has_edges: bool,
}

/// What was found of an operation: the one before it, and whether the capture hides what orders it.
pub(super) struct Predecessor {
    pub span: u32,
    pub before: u32,
    /// Whether it is one of several operations that overlap, of one launch or of none: `before` is inferred then.
    pub is_branch: bool,
    /// The first operation of such a launch, where this one began before any of them had ended: what held that one held
    /// this one too. Otherwise [`NONE`].
    pub root: u32,
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
        for launch in spans.chunk_by(|a, b| self.launch(*a) == self.launch(*b)) {
            let mut rest = launch;
            while !rest.is_empty() {
                let is_known = rest.first().is_some_and(|it| self.launch(*it).is_some());
                let size = if is_known {
                    rest.len()
                } else {
                    self.overlapping(rest)
                };
                let (batch, others) = rest.split_at(size);
                self.of_batch(batch, before, emit);
                // What comes after a graph waits for all of its branches.
                let ended = |it: &u32| (self.times.end(*it), (self.is_graph)(*it));
                let earlier = (!is_known && before != NONE).then_some(before);
                let all = earlier.into_iter().chain(batch.iter().copied());
                before = all.max_by_key(ended).unwrap_or(before);
                rest = others;
            }
        }
    }

    /// How many of these operations, in the order of their starts, overlap each other from the first one on, by more than
    /// clocks differ. Of operations without a launch nothing else tells which belong together.
    fn overlapping(&self, spans: &[u32]) -> usize {
        let mut latest = None;
        let apart = spans.iter().position(|span| {
            let start = self.times.start(*span).saturating_add(TOLERANCE.0);
            let is_apart = latest.is_some_and(|it| it <= start);
            latest = latest.max(Some(self.times.end(*span)));
            is_apart
        });
        apart.unwrap_or(spans.len())
    }

    /// The same for the operations of one launch, or for operations without one that overlap. Branches of a graph run on one
    /// stream and overlap there: of those the order of starts tells nothing, and one that ended after another began was no
    /// cause of it. The one that ended last before it may have been, which is inferred: a node waits for others of its graph
    /// alone, and begins as soon as the last of them has ended.
    fn of_batch(&self, batch: &[u32], before: u32, emit: &mut impl FnMut(Predecessor)) {
        // What a graph holds is within it, and not behind it.
        let has_graph = batch.len() > 1 && batch.iter().any(|it| (self.is_graph)(*it));
        let is_branch = has_graph || self.overlaps(batch);
        let first = batch.first().copied().unwrap_or(NONE);
        let has_launch = self.launch(first).is_some();
        let has_edges = self.has_edges && (has_launch || has_graph);
        let mut running: BinaryHeap<Reverse<(i64, u32)>> = BinaryHeap::new();
        let mut last = before;
        for span in batch {
            let start = self.times.start(*span);
            if is_branch && !has_edges {
                while let Some(Reverse((_, ended))) = running.peek().filter(|it| it.0.0 <= start) {
                    last = *ended;
                    running.pop();
                }
                running.push(Reverse((self.times.end(*span), *span)));
            }
            let is_other = *span != first;
            let is_root = is_branch && !has_edges && has_launch && last == before && is_other;
            emit(Predecessor {
                span: *span,
                before: last,
                is_branch: is_branch && !has_edges && (has_launch || is_other),
                root: if is_root { first } else { NONE },
            });
            if !is_branch {
                last = *span;
            }
        }
    }

    /// Whether operations, in the order of their starts, overlap by more than clocks differ.
    fn overlaps(&self, batch: &[u32]) -> bool {
        let mut latest = i64::MIN;
        batch.iter().any(|span| {
            let early = latest > self.times.start(*span).saturating_add(TOLERANCE.0);
            latest = latest.max(self.times.end(*span));
            early
        })
    }
}
