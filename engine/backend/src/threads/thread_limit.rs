//! How many threads this machine gives a process, asked before they are started: one that is not to be had may end it.

use std::fs::read_to_string;

/// Mappings of memory that a thread takes: its stack and that for signals, each with a guard.
const MAPPINGS: u64 = 4;
/// The limit of those of one process.
const MAPPINGS_OF_ONE: &str = "vm.max_map_count";
/// The limit of addresses of one process.
const ADDRESSES_OF_ONE: &str = "ulimit -v";
/// Threads, or what they take, that are left for everything else.
const SPARE: u64 = 64;

/// Addresses that a thread takes: its stack and that for signals.
const ADDRESSES: u64 = (2 << 20) + (64 << 10);
/// Addresses that are left for everything else.
const SPARE_ADDRESSES: u64 = 128 << 20;
/// Addresses that the C library reserves besides for each of the first threads of a process, for what they allocate: glibc, at
/// most [`ARENAS`] times for each core.
const ARENA: u64 = 64 << 20;
const ARENAS: u64 = 8;

/// A limit of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MachineLimit {
    /// Further threads that it allows.
    threads: u64,
    /// What it is called.
    name: String,
}

/// Checks that this machine allows so many more threads.
///
/// # Errors
/// How many it allows, and which limit says so.
pub fn check_threads(wanted: usize) -> Result<(), String> {
    let smallest = limits().into_iter().min_by_key(|limit| limit.threads);
    let smallest = smallest.filter(|limit| limit.threads < wanted as u64);
    smallest.map_or(Ok(()), |limit| {
        let MachineLimit { threads, name } = limit;
        // Where there is room for none, fewer would not help.
        let advice = match threads {
            0 => "end what else runs here, or raise that limit",
            _ => "use fewer, by a parameter for example, or raise that limit",
        };
        Err(format!(
            "its streams and host threads are {wanted} threads here, and this machine allows {threads} ({name}, less some for other things): {advice}"
        ))
    })
}

/// Checks that this machine allows several processes with so many threads in all.
///
/// # Errors
/// How many it allows, and which limit says so.
pub fn check_processes(processes: usize, wanted: usize) -> Result<(), String> {
    // Mappings and addresses are counted for each process by itself, which each does.
    let is_of_one = |it: &MachineLimit| [MAPPINGS_OF_ONE, ADDRESSES_OF_ONE].contains(&&*it.name);
    let shared = limits().into_iter().filter(|it| !is_of_one(it));
    let smallest = shared.min_by_key(|limit| limit.threads);
    let smallest = smallest.filter(|limit| limit.threads < wanted as u64);
    smallest.map_or(Ok(()), |MachineLimit { threads, name }| {
        Err(format!(
            "its {processes} ranks here are processes with {wanted} threads in all, and this machine allows {threads} ({name}, less some for \
             other things): \
             use fewer ranks or streams, have some on another machine, or raise that limit"
        ))
    })
}

/// The limits that the system tells of; none where it tells nothing.
fn limits() -> Vec<MachineLimit> {
    let number = |path: &str| read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let limit = |name: &str, most: Option<u64>, used: u64, each: u64| {
        Some(MachineLimit {
            threads: (most?.saturating_sub(used) / each).saturating_sub(SPARE),
            name: name.to_owned(),
        })
    };
    let mappings = read_to_string("/proc/self/maps").unwrap_or_default();
    let mappings = mappings.lines().count() as u64;
    let running = read_to_string("/proc/loadavg").ok();
    let running = running.and_then(|text| all_threads(&text)).unwrap_or(0);
    let own = read_to_string("/proc/self/limits").ok();
    let mut found = vec![
        limit(
            MAPPINGS_OF_ONE,
            number("/proc/sys/vm/max_map_count"),
            mappings,
            MAPPINGS,
        ),
        limit(
            "kernel.threads-max",
            number("/proc/sys/kernel/threads-max"),
            running,
            1,
        ),
        limit("ulimit -u", own.as_deref().and_then(most_processes), 0, 1),
        own.as_deref().and_then(limit_of_addresses),
    ];
    let groups = read_to_string("/proc/self/cgroup").unwrap_or_default();
    for folder in groups.lines().filter_map(group_folder) {
        let most = number(&format!("{folder}/pids.max"));
        let used = number(&format!("{folder}/pids.current")).unwrap_or(0);
        found.push(limit("pids.max", most, used, 1));
    }
    found.into_iter().flatten().collect()
}

/// The threads of the whole system, by `/proc/loadavg`.
fn all_threads(text: &str) -> Option<u64> {
    let (_, all) = text.split_whitespace().nth(3)?.split_once('/')?;
    all.parse().ok()
}

/// The processes that a user may have, threads being some, by `/proc/self/limits`; none where there is no limit.
fn most_processes(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|it| it.strip_prefix("Max processes"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// How many threads the room for addresses is enough for, by `/proc/self/limits`; none where there is no limit.
fn limit_of_addresses(text: &str) -> Option<MachineLimit> {
    let line = text
        .lines()
        .find_map(|it| it.strip_prefix("Max address space"))?;
    let most: u64 = line.split_whitespace().next()?.parse().ok()?;
    let status = read_to_string("/proc/self/status").ok()?;
    let taken = status.lines().find_map(|it| it.strip_prefix("VmSize:"))?;
    let taken: u64 = taken.split_whitespace().next()?.parse().ok()?;
    let left = most.saturating_sub(taken.saturating_mul(1024).saturating_add(SPARE_ADDRESSES));
    let cores = std::thread::available_parallelism().map_or(1, |it| it.get() as u64);
    Some(MachineLimit {
        threads: threads_within(left, cores.saturating_mul(ARENAS)),
        name: ADDRESSES_OF_ONE.to_owned(),
    })
}

/// How many threads so many addresses are enough for, where each of the first `arenas` takes [`ARENA`] besides.
const fn threads_within(left: u64, arenas: u64) -> u64 {
    let first = left / (ADDRESSES + ARENA);
    if first < arenas {
        return first;
    }
    left.saturating_sub(arenas.saturating_mul(ARENA)) / ADDRESSES
}

/// The folder of a control group that may limit threads, by a line of `/proc/self/cgroup`.
fn group_folder(line: &str) -> Option<String> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?);
    match controllers {
        "" => Some(format!("/sys/fs/cgroup{path}")),
        "pids" => Some(format!("/sys/fs/cgroup/pids{path}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        assert_eq!(all_threads("0.00 0.01 0.05 1/237 4242"), Some(237));
        let limits = "Limit  Soft Limit  Hard Limit  Units\nMax processes             4096   63000     processes\n";
        assert_eq!(most_processes(limits), Some(4096));
        let limits = "Max processes             unlimited  unlimited  processes\n";
        assert_eq!(most_processes(limits), None);
        assert_eq!(group_folder("0::/a/b").unwrap(), "/sys/fs/cgroup/a/b");
        assert_eq!(group_folder("4:pids:/x").unwrap(), "/sys/fs/cgroup/pids/x");
        assert_eq!(group_folder("3:cpu,cpuacct:/x"), None);
    }

    #[test]
    fn the_first_threads_take_more_addresses() {
        assert_eq!(threads_within(ADDRESSES, 4), 0);
        assert_eq!(threads_within(2 * (ADDRESSES + ARENA), 4), 2);
        assert_eq!(threads_within(10 * ADDRESSES + 4 * ARENA, 4), 10);
    }

    #[test]
    fn a_few_threads_are_always_to_be_had_and_a_billion_never() {
        assert_eq!(check_threads(4), Ok(()));
        assert_eq!(check_processes(2, 8), Ok(()));
        if cfg!(target_os = "linux") {
            let why = check_threads(1 << 30).unwrap_err();
            assert!(why.contains("this machine allows"), "{why}");
            let why = check_processes(4, 1 << 30).unwrap_err();
            assert!(why.contains("this machine allows"), "{why}");
        }
    }
}
