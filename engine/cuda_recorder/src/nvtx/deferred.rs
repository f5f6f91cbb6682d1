//! What a thread wrote and was not handed on yet; and where windows are recorded alone, the ranges that are open and were
//! begun outside of them: they are written once a window opens, since they reach into it.

use std::collections::HashMap;

use super::event::{NvtxChunk, NvtxEvent, NvtxStep};
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
            NvtxStep::Start if flips % 2 == 0 => {
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

#[cfg(test)]
mod tests {
    use super::super::event::NvtxEvents;
    use super::*;
    use crate::control::{CapturePurpose, SegmentLimits};

    fn page(flips: &[u64]) -> (tempfile::TempDir, ControlPage) {
        let folder = tempfile::tempdir().unwrap();
        let limits = SegmentLimits::default();
        let page = ControlPage::create(folder.path(), CapturePurpose::Switched, limits).unwrap();
        for at in flips {
            assert!(page.flip(*at));
        }
        (folder, page)
    }

    fn event(step: NvtxStep, time: u64, domain: u32) -> NvtxEvent<'static> {
        NvtxEvent {
            step,
            time,
            domain,
            ..NvtxEvent::default()
        }
    }

    /// Steps and times of what is written of some events, and how many lie outside.
    fn written(flips: &[u64], events: &[NvtxEvent<'_>]) -> (Vec<(NvtxStep, u64)>, u64) {
        let (_folder, page) = page(flips);
        let mut thread = ThreadEvents::new(Vec::new());
        let all = events.iter();
        let outside = all.map(|it| thread.note(it, &page, false)).sum();
        let read = NvtxEvents::new(&thread.bytes);
        (read.map(|it| (it.step, it.time)).collect(), outside)
    }

    #[test]
    fn ranges_that_reach_into_a_window_are_written_and_others_are_not() {
        use NvtxStep::{Mark, Pop, Push};
        // Before, around, within, from within, and after a window from 10 to 20.
        let events = [
            event(Push, 1, 0),
            event(Push, 2, 0),
            event(Mark, 3, 0),
            event(Pop, 4, 0),
            event(Push, 12, 0),
            event(Pop, 13, 0),
            event(Push, 14, 5),
            event(Pop, 21, 5),
            event(Push, 22, 0),
            event(Pop, 23, 0),
            event(Pop, 24, 0),
        ];
        let (written, outside) = written(&[10, 20], &events);
        let wanted = [
            (Push, 1),
            (Push, 12),
            (Pop, 13),
            (Push, 14),
            (Pop, 21),
            (Pop, 24),
        ];
        assert_eq!((written.as_slice(), outside), (wanted.as_slice(), 3));
    }

    #[test]
    fn a_range_around_a_window_in_which_its_thread_calls_nothing_is_written() {
        let events = [event(NvtxStep::Push, 1, 0), event(NvtxStep::Pop, 30, 0)];
        assert_eq!(written(&[10, 20], &events).0.len(), 2);
        assert_eq!(written(&[40], &events), (Vec::new(), 1));
    }

    #[test]
    fn starts_are_written_where_their_ranges_reach_into_a_window() {
        let (_folder, page) = page(&[10, 20]);
        let mut starts = DeferredStarts::default();
        let mut note = |step, time, id| {
            let event = NvtxEvent {
                id,
                ..event(step, time, 0)
            };
            starts.note(&event, &page, (3, 1))
        };
        assert_eq!(note(NvtxStep::Start, 1, 1), StartOutcome::Deferred);
        assert_eq!(note(NvtxStep::End, 5, 1), StartOutcome::Outside);
        assert_eq!(note(NvtxStep::Start, 6, 2), StartOutcome::Deferred);
        let around = note(NvtxStep::End, 25, 2);
        assert!(matches!(around, StartOutcome::After(chunk) if chunk.thread == 3));
        assert_eq!(note(NvtxStep::Start, 11, 3), StartOutcome::Written);
        assert_eq!(note(NvtxStep::End, 26, 3), StartOutcome::Written);
        assert_eq!(note(NvtxStep::Start, 7, 4), StartOutcome::Deferred);
        assert_eq!(note(NvtxStep::Start, 30, 5), StartOutcome::Deferred);
        assert_eq!(starts.release(2).len(), 1, "one reaches into the window");
        assert_eq!(starts.release(2).len(), 0);
    }
}
