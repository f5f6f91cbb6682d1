//! What reading a file may take of memory, whatever the file holds.

use std::path::Path;

use memory_stats::memory_stats;

use super::ImportError;

/// Reading may take so many times what the file holds.
const TIMES: u64 = 4;
/// And so many bytes besides. Files as tools write them take far less: what takes more is damaged, or made to.
const BESIDES: u64 = 1 << 30;
/// Reading ends at these two thirds of it: while a table grows, it takes up to half as much again.
const GROWTH: (u64, u64) = (2, 3);

/// What reading a file may take of memory. It is measured of the whole process, where the system tells it, so what else the
/// process does meanwhile counts as well.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryLimit {
    /// What the process took before.
    before: u64,
}

impl MemoryLimit {
    /// From now on.
    pub fn new() -> Self {
        Self {
            before: taken().unwrap_or(0),
        }
    }

    /// Whether the process takes more by now than reading a file may that holds so many bytes.
    pub fn is_exceeded(self, holds: u64) -> bool {
        taken().is_some_and(|now| self.exceeds(now, holds))
    }

    /// The same, as an error that names the file.
    ///
    /// # Errors
    /// [`ImportError::Memory`] where it does.
    pub fn check(self, path: &Path, holds: u64) -> Result<(), ImportError> {
        if self.is_exceeded(holds) {
            return Err(exceeded(path, holds));
        }
        Ok(())
    }

    fn exceeds(self, now: u64, holds: u64) -> bool {
        now.saturating_sub(self.before) > most(holds) / GROWTH.1 * GROWTH.0
    }
}

/// Reading a file took too much that holds so many bytes.
pub(super) fn exceeded(path: &Path, holds: u64) -> ImportError {
    ImportError::Memory {
        path: path.to_owned(),
        most: most(holds) >> 20,
    }
}

/// How many bytes reading a file may take that holds so many.
fn most(holds: u64) -> u64 {
    holds.saturating_mul(TIMES).saturating_add(BESIDES)
}

/// Bytes of memory that the process takes; nothing where the system does not tell.
fn taken() -> Option<u64> {
    memory_stats().map(|it| it.physical_mem as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_ends_before_it_takes_four_times_the_file_and_a_gibibyte() {
        let limit = MemoryLimit { before: 500 };
        let most = 4 * 1_001 + (1 << 30);
        assert!(limit.exceeds(500 + most, 1_001) && limit.exceeds(502 + most * 2 / 3, 1_001));
        assert!(!limit.exceeds(498 + most * 2 / 3, 1_001));
        assert!(!limit.exceeds(0, 0) && !limit.exceeds(u64::MAX / 2, u64::MAX));
        // Where the system tells it, a process takes some memory.
        assert!(taken().is_none_or(|it| it > 4_096));
        assert!(!MemoryLimit::new().is_exceeded(u64::MAX));
    }
}
