//! Which call made what, by process and the number that the two share.

use std::collections::HashMap;

/// Numbers that run ahead of the calls by more than this many times are kept aside.
const SPARSE: usize = 8;

/// Places of calls by process and number. Numbers repeat across processes.
#[derive(Debug, Default)]
pub(in crate::importer) struct LaunchIndex {
    processes: HashMap<i64, ProcessCalls>,
}

/// The calls of one process: in a list as long as the numbers run on without large gaps.
#[derive(Debug, Default)]
struct ProcessCalls {
    first: i64,
    count: usize,
    near: Vec<u32>,
    far: HashMap<i64, u32>,
}

/// Stands for no call.
const NONE: u32 = u32::MAX;

impl LaunchIndex {
    /// Notes the place of a call. Of two with one number the first stays.
    pub fn add(&mut self, process: i64, number: i64, place: u32) {
        self.processes
            .entry(process)
            .or_default()
            .add(number, place);
    }

    /// The place of the call of a number.
    pub fn get(&self, process: i64, number: i64) -> Option<u32> {
        self.processes.get(&process)?.get(number)
    }
}

impl ProcessCalls {
    fn add(&mut self, number: i64, place: u32) {
        if self.count == 0 {
            self.first = number;
        }
        self.count += 1;
        let at = usize::try_from(number.wrapping_sub(self.first)).ok();
        match at.filter(|&at| at < self.count.saturating_mul(SPARSE) + (1 << 12)) {
            Some(at) => {
                if at >= self.near.len() {
                    self.near.resize(at + 1, NONE);
                }
                if let Some(slot) = self.near.get_mut(at)
                    && *slot == NONE
                {
                    *slot = place;
                }
            }
            None => {
                self.far.entry(number).or_insert(place);
            }
        }
    }

    fn get(&self, number: i64) -> Option<u32> {
        let at = usize::try_from(number.wrapping_sub(self.first)).ok();
        let near = at.and_then(|at| self.near.get(at)).copied();
        near.filter(|&place| place != NONE)
            .or_else(|| self.far.get(&number).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_near_and_far_are_found() {
        let mut launches = LaunchIndex::default();
        let numbers = [
            2_600_000,
            2_600_001,
            5,
            2_600_900,
            i64::MAX,
            -3,
            9_000_000_000,
        ];
        for (place, number) in numbers.into_iter().enumerate() {
            launches.add(1, number, place as u32);
            launches.add(2, number, 100 + place as u32);
        }
        for (place, number) in numbers.into_iter().enumerate() {
            assert_eq!(launches.get(1, number), Some(place as u32));
            assert_eq!(launches.get(2, number), Some(100 + place as u32));
        }
        assert_eq!((launches.get(1, 6), launches.get(3, 5)), (None, None));
        launches.add(1, 5, 77);
        assert_eq!(launches.get(1, 5), Some(2), "the first stays");
    }
}
