//! The order of a stream's operations: which one was before each, as far as the capture tells.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::timetable::Timetable;
use record::time::TOLERANCE;

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
        if self.is_parallel(spans) {
            return self.last_ended(spans, emit);
        }
        let mut before = NONE;
        for batch in self.batches(spans) {
            self.of_batch(batch, before, emit);
            before = self.last_of(batch).unwrap_or(before);
        }
    }

    /// The operations of each launch, and each operation without one.
    fn batches<'s>(&self, spans: &'s [u32]) -> impl Iterator<Item = &'s [u32]> {
        spans.chunk_by(|a, b| self.launch(*a).is_some() && self.launch(*a) == self.launch(*b))
    }

    /// Of the operations of a launch the one that ended last: what comes after a graph waits for all of its branches.
    fn last_of(&self, batch: &[u32]) -> Option<u32> {
        let ended = |it: &u32| (self.times.end(*it), (self.is_graph)(*it));
        batch.iter().copied().max_by_key(ended)
    }

    /// Whether operations without a launch overlap others of the stream, by more than times are rounded by or one wholly within
    /// another: nothing tells then which of them came after which.
    fn is_parallel(&self, spans: &[u32]) -> bool {
        if spans.iter().any(|it| (self.is_graph)(*it)) {
            return false;
        }
        // The latest ends so far, of operations with a launch and without one.
        let mut latest = [i64::MIN; 2];
        spans.iter().any(|span| {
            let (start, end) = (self.times.start(*span), self.times.end(*span));
            let has_launch = self.launch(*span).is_some();
            let [launched, other] = latest;
            let running = if has_launch {
                other
            } else {
                launched.max(other)
            };
            let is_within = start < end && end < running;
            let is_over = running > start.saturating_add(TOLERANCE.0);
            let [launched, other] = &mut latest;
            let own = if has_launch { launched } else { other };
            *own = end.max(*own);
            is_within || is_over
        })
    }

    /// The same where operations without a launch overlap: each came after the one that ended last before it. One with a launch
    /// may have begun before the launched one before it had ended.
    fn last_ended(&self, spans: &[u32], emit: &mut impl FnMut(Predecessor)) {
        let mut running: BinaryHeap<Reverse<(i64, u32)>> = BinaryHeap::new();
        let (mut ended, mut launched, mut previous) = (NONE, NONE, NONE);
        for batch in self.batches(spans) {
            let first = batch.first().copied().unwrap_or(NONE);
            let start = self.times.start(first);
            while let Some(Reverse((_, over))) = running.peek().filter(|it| it.0.0 <= start) {
                ended = *over;
                running.pop();
            }
            let is_open = ended != previous || !running.is_empty();
            if self.launch(first).is_some() {
                let known = [ended, launched].into_iter().filter(|it| *it != NONE);
                let before = known.max_by_key(|it| self.times.end(*it)).unwrap_or(NONE);
                let is_concluded = before == ended && is_open;
                self.of_batch(batch, before, &mut |found| {
                    let is_branch = found.is_branch || is_concluded && found.before == before;
                    emit(Predecessor { is_branch, ..found });
                });
                launched = self.last_of(batch).unwrap_or(launched);
            } else {
                emit(Predecessor {
                    span: first,
                    before: ended,
                    is_branch: is_open,
                    root: NONE,
                });
            }
            running.extend(batch.iter().map(|it| Reverse((self.times.end(*it), *it))));
            previous = batch.last().copied().unwrap_or(previous);
        }
    }

    /// What was before the operations of one launch. Branches of a graph run on one stream and overlap there: of those the order
    /// of starts tells nothing, and one that ended after another began was no cause of it. The one that ended last before it
    /// may have been, which is inferred: a node waits for others of its graph alone, and begins as soon as the last of them has
    /// ended.
    fn of_batch(&self, batch: &[u32], before: u32, emit: &mut impl FnMut(Predecessor)) {
        // What a graph holds is within it, and not behind it.
        let has_graph = batch.len() > 1 && batch.iter().any(|it| (self.is_graph)(*it));
        let is_branch = has_graph || self.overlaps(batch);
        let mut running: BinaryHeap<Reverse<(i64, u32)>> = BinaryHeap::new();
        let mut last = before;
        let first = batch.first().copied().unwrap_or(NONE);
        for span in batch {
            let start = self.times.start(*span);
            if is_branch && !self.has_edges {
                while let Some(Reverse((_, ended))) = running.peek().filter(|it| it.0.0 <= start) {
                    last = *ended;
                    running.pop();
                }
                running.push(Reverse((self.times.end(*span), *span)));
            }
            let is_root = is_branch && !self.has_edges && last == before && *span != first;
            emit(Predecessor {
                span: *span,
                before: last,
                is_branch: is_branch && !self.has_edges,
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
