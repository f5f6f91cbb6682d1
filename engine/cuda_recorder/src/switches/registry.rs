//! The threads of a process that are followed: those that called what is recorded.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{SwitchInterval, ThreadSwitches};
use crate::clock::now;
use crate::control::ControlPage;
use crate::entry;
use crate::file::Fact;

/// Threads that are followed at once: each takes memory that the system keeps in place.
const MOST: usize = 256;

/// What is not known of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SwitchCounts {
    /// Threads that were not followed, because others were enough.
    pub unfollowed: u64,
    /// Switches that had no room.
    pub lost: u64,
}

/// What is known of the threads that are followed.
#[derive(Debug, Default)]
struct FollowedThreads {
    threads: BTreeMap<u32, ThreadSwitches>,
    /// States of threads that ended and whose numbers others have, which nobody took yet.
    left: Vec<(u32, Vec<SwitchInterval>)>,
    /// Why the system does not tell; nobody else is asked then.
    refused: Option<String>,
    is_refusal_told: bool,
    counts: SwitchCounts,
}

/// The threads of a process that are followed.
#[derive(Debug, Default)]
pub(crate) struct SwitchRegistry(Mutex<FollowedThreads>);

impl SwitchRegistry {
    fn lock(&self) -> MutexGuard<'_, FollowedThreads> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Follows the calling thread, which had not called before.
    pub fn follow_this_thread(&self) {
        let thread = entry::thread_number();
        let mut all = self.lock();
        if let Some(mut before) = all.threads.remove(&thread) {
            let mut rest = before.take(true);
            if before.is_running() {
                // It is the same that calls now, and was followed by another.
                rest.extend(before.finish(now()));
            }
            all.counts.lost += before.lost();
            all.left.push((thread, rest));
        }
        all.follow(thread, ThreadSwitches::of_this_thread);
    }

    /// Follows a thread that called before, where it is not followed yet.
    pub fn follow(&self, thread: u32) {
        let mut all = self.lock();
        if !all.threads.contains_key(&thread) && is_there(thread) {
            all.follow(thread, || ThreadSwitches::of_thread(thread));
        }
    }

    /// What became of threads since the last time, and in the end what each is still; where there is a `filter`, what touches a
    /// window.
    pub fn take(&self, filter: Option<&ControlPage>, end: Option<u64>) -> Vec<Fact> {
        let mut all = self.lock();
        let mut taken = std::mem::take(&mut all.left);
        let mut gone = Vec::new();
        for (thread, switches) in &mut all.threads {
            // Looked at first: what it did last is there when it is gone.
            let is_gone = !is_there(*thread);
            let states = match end {
                Some(at) if !is_gone => switches.finish(at),
                _ => switches.take(true),
            };
            taken.push((*thread, states));
            if is_gone || end.is_some() {
                gone.push(*thread);
            }
        }
        for thread in gone {
            let lost = all.threads.remove(&thread).map_or(0, |it| it.lost());
            all.counts.lost += lost;
        }
        let refused = all.refused.clone().filter(|_| !all.is_refusal_told);
        all.is_refusal_told |= refused.is_some();
        drop(all);
        let states = taken.into_iter().filter_map(|(thread, mut states)| {
            if let Some(page) = filter {
                states.retain(|it| page.touches(it.start, it.end));
            }
            (!states.is_empty()).then_some(Fact::Switches { thread, states })
        });
        let refused = refused.map(Fact::Unscheduled);
        states.chain(refused).collect()
    }

    /// Takes what was told of threads that switch so often that there would soon be no more room for it.
    pub fn make_room(&self) {
        let mut all = self.lock();
        let FollowedThreads { threads, left, .. } = &mut *all;
        for (thread, switches) in threads {
            let states = switches.take(false);
            if !states.is_empty() {
                left.push((*thread, states));
            }
        }
    }

    /// What is not known so far.
    pub fn counts(&self) -> SwitchCounts {
        let all = self.lock();
        let lost: u64 = all.threads.values().map(ThreadSwitches::lost).sum();
        SwitchCounts {
            lost: all.counts.lost + lost,
            ..all.counts
        }
    }
}

impl FollowedThreads {
    /// Threads that have ended make room.
    fn drop_gone(&mut self) {
        let gone = self.threads.keys().copied().filter(|it| !is_there(*it));
        for thread in gone.collect::<Vec<_>>() {
            if let Some(mut switches) = self.threads.remove(&thread) {
                self.left.push((thread, switches.take(true)));
                self.counts.lost += switches.lost();
            }
        }
    }

    fn follow(&mut self, thread: u32, begin: impl FnOnce() -> Result<ThreadSwitches, String>) {
        if self.refused.is_some() {
            return;
        }
        if self.threads.len() >= MOST {
            self.drop_gone();
        }
        if self.threads.len() >= MOST {
            self.counts.unfollowed += 1;
            return;
        }
        match begin() {
            Ok(switches) => {
                self.threads.insert(thread, switches);
            }
            // It may have ended in the meantime, as the number of a thread tells nobody.
            Err(why) if is_there(thread) => self.refused = Some(why),
            Err(_) => {}
        }
    }
}

/// Whether a thread of this process is there.
fn is_there(thread: u32) -> bool {
    Path::new(&format!("/proc/self/task/{thread}")).exists()
}
