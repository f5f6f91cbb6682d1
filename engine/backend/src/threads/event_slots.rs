//! Slots for records of events, where the device has an end of them (rule F3).

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use super::watermark::Watermark;
use device::lock;
use record::SpanId;

/// Who gave a slot back last, so many of them: whoever waited asks right after.
const REMEMBERED: usize = 1024;

/// Slots for records of events. They are handed out in the order of asking.
#[derive(Debug)]
pub struct EventSlots {
    most: u64,
    taken: AtomicU64,
    /// How many were given back, and by which records, the latest last.
    given_back: Mutex<(u64, VecDeque<SpanId>)>,
    free: Watermark,
}

impl EventSlots {
    /// `most` of them; without, there is no end.
    pub fn new(most: Option<u32>) -> Self {
        Self {
            most: most.map_or(u64::MAX, u64::from),
            taken: AtomicU64::new(0),
            given_back: Mutex::default(),
            free: Watermark::default(),
        }
    }

    /// Takes one. Answers how many must have been given back before it may be used.
    pub fn take(&self) -> u64 {
        let taken = self.taken.fetch_add(1, SeqCst) + 1;
        taken.saturating_sub(self.most)
    }

    /// Whether none is free.
    pub fn is_short(&self) -> bool {
        let taken = self.taken.load(SeqCst) + 1;
        taken.saturating_sub(self.most) > self.free.get()
    }

    /// The record that is the span `by` gives one back, or nobody does.
    pub fn give_back(&self, by: SpanId) {
        let count = {
            let (count, latest) = &mut *lock(&self.given_back);
            *count += 1;
            latest.push_back(by);
            if latest.len() > REMEMBERED {
                latest.pop_front();
            }
            *count
        };
        self.free.raise(count);
    }

    /// Which record gave the slot back that was the `place`th, counted from 1; none where that is forgotten.
    pub fn giver(&self, place: u64) -> SpanId {
        let (count, latest) = &*lock(&self.given_back);
        let back = count.checked_sub(place);
        let back = back.and_then(|it| usize::try_from(it).ok());
        let at = back.and_then(|back| latest.len().checked_sub(back + 1));
        let found = at.filter(|_| place > 0).and_then(|at| latest.get(at));
        found.copied().unwrap_or(SpanId::NONE)
    }

    /// Reaches the number that was given back.
    pub const fn free(&self) -> &Watermark {
        &self.free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_of_two_waits_for_the_first() {
        let slots = EventSlots::new(Some(2));
        assert_eq!((slots.take(), slots.take()), (0, 0));
        assert!(slots.is_short());
        assert_eq!(slots.take(), 1);
        slots.give_back(SpanId(7));
        assert_eq!(slots.free().get(), 1);
        assert!(slots.is_short());
        slots.give_back(SpanId(8));
        assert!(!slots.is_short());
        let givers = [0, 1, 2, 3].map(|place| slots.giver(place));
        assert_eq!(givers, [SpanId::NONE, SpanId(7), SpanId(8), SpanId::NONE]);
        assert!(!EventSlots::new(None).is_short());
    }
}
