//! How much of this machine's memory this process may take for what a far end sends.

use std::fs::read_to_string;
use std::path::Path;

use memory_stats::memory_stats;

/// The memory of this machine, as far as this process may use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRoom {
    /// Bytes that there are.
    pub total: u64,
}

/// What is taken of it, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ReservedMemory {
    /// By this process.
    here: u64,
    /// What is left, to whichever process.
    left: u64,
}

impl MemoryRoom {
    /// That of this machine, or of the part of it that this process is confined to; without a bound where the system does
    /// not tell.
    pub fn of_this_machine() -> Self {
        let total = from_kilobytes("/proc/meminfo", "MemTotal:").unwrap_or(u64::MAX);
        let group = read_to_string("/proc/self/cgroup").unwrap_or_default();
        let path = group.lines().find_map(|it| it.strip_prefix("0::/"));
        let root = Path::new("/sys/fs/cgroup");
        let bounds = root.join(path.unwrap_or_default());
        let bounds = bounds.ancestors().take_while(|it| it.starts_with(root));
        let bounds = bounds.filter_map(|it| {
            let text = read_to_string(it.join("memory.max")).ok()?;
            text.trim().parse().ok()
        });
        Self {
            total: bounds.fold(total, u64::min),
        }
    }

    /// Why this process should take in no more, where that is so.
    pub fn is_full(self) -> Option<String> {
        let here = memory_stats()?.physical_mem as u64;
        let left = from_kilobytes("/proc/meminfo", "MemAvailable:")?;
        self.is_full_with(ReservedMemory { here, left })
    }

    /// Most of it is taken here, or nearly all of it and much of that here.
    fn is_full_with(self, taken: ReservedMemory) -> Option<String> {
        let ReservedMemory { here, left } = taken;
        let is_most = here > self.total / 4 * 3;
        let is_much = here > self.total / 4 && left < self.total / 16;
        (is_most || is_much).then(|| {
            format!(
                "it sends more than this machine can keep: {:.1} of its {:.1} GB of memory are taken by what came; it was \
                 ended, and all of that is there",
                here as f64 / 1e9,
                self.total as f64 / 1e9
            )
        })
    }
}

/// The bytes that a line of a file of the system's tells.
fn from_kilobytes(file: &str, name: &str) -> Option<u64> {
    let text = read_to_string(file).ok()?;
    let line = text.lines().find_map(|it| it.strip_prefix(name))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    number.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GB: u64 = 1 << 30;

    #[test]
    fn most_of_a_machine_is_enough() {
        let room = MemoryRoom { total: 16 * GB };
        let is_full = |here, left| room.is_full_with(ReservedMemory { here, left }).is_some();
        assert!(!is_full(11 * GB, 4 * GB));
        assert!(is_full(13 * GB, 3 * GB));
        assert!(is_full(5 * GB, GB / 2), "others take the rest");
        assert!(!is_full(GB, GB / 2), "others take nearly all");
    }

    #[test]
    fn the_system_tells() {
        let room = MemoryRoom::of_this_machine();
        if cfg!(target_os = "linux") {
            assert!(room.total > GB / 16 && room.total < u64::MAX, "{room:?}");
            assert!(MemoryRoom { total: 1 }.is_full().is_some());
        }
        assert_eq!(room.is_full(), None);
    }
}
