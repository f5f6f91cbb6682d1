//! Ranges that any thread may end and that were started outside of every window: written once a window opens, as those of
//! threads are.

use std::collections::HashMap;

use super::event::{NvtxChunk, NvtxEvent, NvtxStep};
use crate::control::ControlPage;

/// A range that was started while no window was open.
#[derive(Debug)]
struct DeferredStart {
    flips: usize,
    chunk: NvtxChunk,
}

/// Ranges that were started while no window was open, by their numbers.
#[derive(Debug, Default)]
pub struct DeferredStarts {
    deferred: HashMap<u64, DeferredStart>,
}

/// What becomes of the start or the end of a range that any thread may end.
#[derive(Debug, PartialEq, Eq)]
pub enum StartOutcome {
    /// It is written.
    Written,
    /// It is written, after the start that was held back.
    After(NvtxChunk),
    /// It is not written now.
    Deferred,
    /// It is not written, and its range lies outside.
    Outside,
}

impl DeferredStarts {
    /// What becomes of a start or an end that a thread calls.
    pub fn note(
        &mut self,
        event: &NvtxEvent<'_>,
        page: &ControlPage,
        (thread, ordinal): (u32, u32),
    ) -> StartOutcome {
        let flips = page.flips_at(event.time);
        match event.step {
            NvtxStep::Start if flips.is_multiple_of(2) => {
                let mut events = Vec::new();
                event.encode(&mut events);
                let chunk = NvtxChunk {
                    thread,
                    ordinal,
                    events,
                };
                self.deferred
                    .insert(event.id, DeferredStart { flips, chunk });
                StartOutcome::Deferred
            }
            NvtxStep::End => match self.deferred.remove(&event.id) {
                Some(start) if start.flips == flips => StartOutcome::Outside,
                Some(start) => StartOutcome::After(start.chunk),
                None => StartOutcome::Written,
            },
            _ => StartOutcome::Written,
        }
    }

    /// Those that reach into a window which has opened since, in the order of their numbers.
    pub fn release(&mut self, flips: usize) -> Vec<NvtxChunk> {
        let due = self.deferred.extract_if(|_, start| start.flips != flips);
        let mut due: Vec<(u64, DeferredStart)> = due.collect();
        due.sort_unstable_by_key(|(id, _)| *id);
        due.into_iter().map(|(_, start)| start.chunk).collect()
    }
}
