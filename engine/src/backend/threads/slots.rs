//! Slots for records of events, where the device has an end of them (rule F3).

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use super::watermark::Watermark;

/// Slots for records of events. They are handed out in the order of asking.
#[derive(Debug)]
pub struct Slots {
    most: u64,
    taken: AtomicU64,
    given_back: AtomicU64,
    free: Watermark,
}

impl Slots {
    /// `most` of them; without, there is no end.
    pub fn new(most: Option<u32>) -> Self {
        Self {
            most: most.map_or(u64::MAX, u64::from),
            taken: AtomicU64::new(0),
            given_back: AtomicU64::new(0),
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

    /// Gives one back.
    pub fn give_back(&self) {
        self.free.raise(self.given_back.fetch_add(1, SeqCst) + 1);
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
        let slots = Slots::new(Some(2));
        assert_eq!((slots.take(), slots.take()), (0, 0));
        assert!(slots.is_short());
        assert_eq!(slots.take(), 1);
        slots.give_back();
        assert_eq!(slots.free().get(), 1);
        assert!(slots.is_short());
        slots.give_back();
        assert!(!slots.is_short());
        assert!(!Slots::new(None).is_short());
    }
}
