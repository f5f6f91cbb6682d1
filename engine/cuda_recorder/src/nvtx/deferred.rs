//! What a thread wrote and was not handed on yet; and where windows are recorded alone, the ranges that are open and were
//! begun outside of them: they are written once a window opens, since they reach into it.

use super::event::{NvtxEvent, NvtxStep};
use crate::control::ControlPage;

/// A range that was pushed while no window was open.
#[derive(Debug)]
struct DeferredPush {
    domain: u32,
    event: Vec<u8>,
}

/// What a thread wrote, and what it holds back.
#[derive(Debug)]
pub struct ThreadEvents {
    /// What is to be handed on.
    pub bytes: Vec<u8>,
    deferred: Vec<DeferredPush>,
    /// How often a window had been opened or closed when the latest was held back.
    flips: usize,
}

impl ThreadEvents {
    pub const fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            deferred: Vec::new(),
            flips: 0,
        }
    }

    /// Writes what was held back before an instant where a window has opened since.
    pub fn release(&mut self, flips: usize) {
        if self.flips != flips {
            for push in self.deferred.drain(..) {
                self.bytes.extend_from_slice(&push.event);
            }
            self.flips = flips;
        }
    }

    /// Writes an event, or holds it back or drops it where no window was open; `is_stray` is a pop of no range. Answers how
    /// many ranges, marks and samples lie outside for it.
    pub fn note(&mut self, event: &NvtxEvent<'_>, page: &ControlPage, is_stray: bool) -> u64 {
        let flips = page.flips_at(event.time);
        self.release(flips);
        if flips % 2 == 1 {
            event.encode(&mut self.bytes);
            return 0;
        }
        let mut outside = 0;
        match event.step {
            NvtxStep::Push => {
                let mut bytes = Vec::new();
                event.encode(&mut bytes);
                self.deferred.push(DeferredPush {
                    domain: event.domain,
                    event: bytes,
                });
            }
            NvtxStep::Pop => {
                let mut deferred = self.deferred.iter();
                if let Some(place) = deferred.rposition(|it| it.domain == event.domain) {
                    self.deferred.remove(place);
                    outside = 1;
                } else if is_stray {
                    outside = 1;
                } else {
                    // Its range was begun in a window, or reached into one.
                    event.encode(&mut self.bytes);
                }
            }
            NvtxStep::Mark | NvtxStep::Sample => outside = 1,
            NvtxStep::ThreadEnd => {
                outside = self.deferred.len() as u64;
                self.deferred.clear();
                event.encode(&mut self.bytes);
            }
            // Any thread may end them: `DeferredStarts`.
            NvtxStep::Start | NvtxStep::End => event.encode(&mut self.bytes),
        }
        outside
    }
}

#[cfg(test)]
mod tests;
