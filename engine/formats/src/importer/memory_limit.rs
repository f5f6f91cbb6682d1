//! What reading a file may take of memory, whatever the file holds.

use memory_stats::memory_stats;

/// Reading may take so many times what the file holds.
const TIMES: u64 = 4;
/// And so many bytes besides. No shape of file that is known comes near it: what does is damaged, or made to.
const BESIDES: u64 = 1 << 30;

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
        taken().is_some_and(|now| now.saturating_sub(self.before) > most(holds))
    }
}

/// How many bytes reading a file may take that holds so many.
pub(super) fn most(holds: u64) -> u64 {
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
    fn what_is_taken_beyond_the_limit_is_noticed() {
        let Some(now) = taken() else {
            return;
        };
        assert!(!MemoryLimit { before: now }.is_exceeded(1 << 30));
        let wanted = vec![1_u8; BESIDES as usize + (64 << 20)];
        assert!(
            MemoryLimit { before: now }.is_exceeded(0),
            "{}",
            wanted.len()
        );
        assert_eq!(most(u64::MAX), u64::MAX);
    }
}
