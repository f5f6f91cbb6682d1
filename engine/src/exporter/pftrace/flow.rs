//! Arrows of Perfetto: which dependencies start and end at a span that is about to be written.

use std::collections::HashMap;

use crate::record::{Dependency, SpanId};

/// The arrows that wait for their spans, and the spans that are written.
#[derive(Debug, Default)]
pub(super) struct Flows {
    count: u64,
    waiting: HashMap<SpanId, Ends>,
    /// A bit a span that was written, in blocks of 64.
    written: HashMap<u32, u64>,
}

/// The arrows of one span.
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// Arrows that start here.
    pub out: Vec<u64>,
    /// Arrows that end here.
    pub into: Vec<u64>,
}

impl Flows {
    /// Gives a dependency its arrow, unless one of its spans is written already.
    pub(super) fn tie(&mut self, dependency: &Dependency) {
        self.count += 1;
        let (cause, effect) = (dependency.cause, dependency.effect);
        if cause == effect || self.is_written(cause) || self.is_written(effect) {
            return;
        }
        self.waiting.entry(cause).or_default().out.push(self.count);
        self.waiting
            .entry(effect)
            .or_default()
            .into
            .push(self.count);
    }

    /// The arrows of a span that is being written.
    pub(super) fn take(&mut self, span: SpanId) -> Ends {
        *self.written.entry(span.0 / 64).or_default() |= 1 << (span.0 % 64);
        self.waiting.remove(&span).unwrap_or_default()
    }

    /// Whether a span was written.
    pub(super) fn is_written(&self, span: SpanId) -> bool {
        let block = self.written.get(&(span.0 / 64)).copied().unwrap_or(0);
        block >> (span.0 % 64) & 1 == 1
    }
}
