//! What the system calls the threads that CUPTI tells only numbers of.

use std::collections::HashSet;

use crate::file::Fact;
use crate::record::CuptiRecord;

/// Threads that turned up.
#[derive(Default)]
pub(super) struct ThreadNames {
    threads: HashSet<u32>,
}

impl ThreadNames {
    /// The threads that turn up in `records` for the first time.
    pub fn new_in(&mut self, records: &[CuptiRecord]) -> Vec<u32> {
        let threads = records.iter().filter_map(|record| match record {
            CuptiRecord::Api(api) => Some(api.thread),
            _ => None,
        });
        threads
            .filter(|thread| self.threads.insert(*thread))
            .collect()
    }

    /// Whether a thread turns up for the first time.
    pub fn is_new(&mut self, thread: u32) -> bool {
        self.threads.insert(thread)
    }
}

/// What the system calls a thread of this process.
pub(super) fn name(thread: u32) -> Option<Fact> {
    let name = std::fs::read_to_string(format!("/proc/self/task/{thread}/comm")).ok()?;
    let name = name.trim().to_owned();
    Some(Fact::Thread { thread, name })
}
