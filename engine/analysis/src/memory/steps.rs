//! The steps in which the processes of allocators ran, each rank's its own.

use std::collections::BTreeMap;

use capture::Capture;

use super::pool::MemoryPool;
use crate::causes::Causes;
use crate::{Iteration, Iterations};

/// The steps of each rank that has a pool.
#[derive(Clone, Debug, Default)]
pub struct PoolSteps(BTreeMap<Option<u32>, Vec<Iteration>>);

impl PoolSteps {
    /// Finds those of some pools.
    pub fn find<'a>(capture: &Capture, pools: impl IntoIterator<Item = &'a MemoryPool>) -> Self {
        let causes = Causes::build(capture);
        let mut all = BTreeMap::new();
        for pool in pools {
            let found = || Iterations::find(&causes.read(capture), pool.rank).all;
            all.entry(pool.rank).or_insert_with(found);
        }
        Self(all)
    }

    /// Those of a pool.
    pub fn of(&self, pool: &MemoryPool) -> &[Iteration] {
        self.0.get(&pool.rank).map_or(&[], Vec::as_slice)
    }
}
