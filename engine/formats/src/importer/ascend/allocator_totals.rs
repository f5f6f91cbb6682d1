//! How much each allocator of NPU memory has, where the table of totals and the tables of calls tell it apart.

use std::collections::{HashMap, HashSet};

/// A device, and an instant of the file.
type DeviceInstant = (i64, i64);

/// What of the calls is needed to read the totals.
#[derive(Default)]
pub(super) struct AllocatorTotals {
    /// When the allocator of tensors was called, as tables of calls have it.
    called: HashSet<DeviceInstant>,
    /// How many bytes the allocator of graphs freed.
    freed: HashMap<DeviceInstant, i64>,
    /// By how many bytes its last total is too high, by device.
    excess: HashMap<i64, i64>,
    /// The last total of the allocator of tensors, by device.
    last: HashMap<i64, i64>,
}

impl AllocatorTotals {
    /// A call of the allocator of tensors.
    pub fn note_call(&mut self, at: DeviceInstant) {
        self.called.insert(at);
    }

    /// A free of the allocator of graphs. Its total of that instant is the one before the free: the next one is less by both.
    pub fn note_free(&mut self, at: DeviceInstant, bytes: i64) {
        *self.freed.entry(at).or_default() += bytes;
    }

    /// The change that a total of the allocator of tensors shows and no call tells, as of what was allocated before anything was
    /// recorded and freed then; nothing where there is none.
    pub fn untold(&mut self, (device, time): DeviceInstant, total: i64) -> Option<i64> {
        let before = self.last.insert(device, total)?;
        let change = total.saturating_sub(before);
        let is_told = self.called.contains(&(device, time));
        (change != 0 && !is_told).then_some(change)
    }

    /// By how many bytes a total of the allocator of graphs is too high.
    pub fn excess_of_graphs(&mut self, at: DeviceInstant) -> i64 {
        let excess = self.freed.get(&at).copied().unwrap_or_default();
        self.excess.insert(at.0, excess);
        excess
    }

    /// The same of the sum of both allocators, which comes after what it is the sum of.
    pub fn excess_of_sum(&self, device: i64) -> i64 {
        self.excess.get(&device).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_call_tells_is_a_change_of_the_total() {
        let mut totals = AllocatorTotals::default();
        totals.note_call((0, 20));
        assert_eq!(
            totals.untold((0, 10), 1_000),
            None,
            "the first says nothing of a change"
        );
        assert_eq!(totals.untold((0, 20), 1_500), None);
        assert_eq!(totals.untold((0, 30), 1_100), Some(-400));
        assert_eq!(totals.untold((1, 30), 7), None, "each device has its own");
        assert_eq!(totals.untold((0, 40), 1_100), None);
    }

    #[test]
    fn a_total_of_graphs_is_before_its_free_until_the_next() {
        let mut totals = AllocatorTotals::default();
        totals.note_free((0, 20), 300);
        let mut both = |time| (totals.excess_of_graphs((0, time)), totals.excess_of_sum(0));
        assert_eq!([both(10), both(20), both(30)], [(0, 0), (300, 300), (0, 0)]);
    }
}
