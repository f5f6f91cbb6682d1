//! Tracks as threads and processes of a system, by their numbers.

use std::collections::BTreeSet;

use super::{DescribedTrack, PftraceTracks, TrackKey};

impl PftraceTracks {
    /// Whether anything is drawn on a lane.
    pub fn has_lanes(&self) -> bool {
        !self.lanes.is_empty()
    }

    /// The threads that have lanes of their own, by number, and where their tracks are.
    pub fn threads_with_lanes(&self) -> Vec<(i32, u32)> {
        let used = (0..).zip(&self.used).filter(|it| it.1.lane.is_some());
        used.filter_map(|(place, used)| {
            let tid = match used.key {
                TrackKey::Track(uuid) => self.described(uuid)?.thread()?.tid?,
                TrackKey::Thread(_, tid) => tid.into(),
                _ => return None,
            };
            Some((i32::try_from(tid).ok()?, place))
        })
        .collect()
    }

    /// The processes that the file has tracks for, be it only a track of one of their threads.
    pub fn described_processes(&self) -> BTreeSet<i32> {
        let described = self.described.iter();
        let described = described.filter_map(DescribedTrack::process_number);
        let called = self.used.iter().filter_map(|it| match it.key {
            TrackKey::Thread(pid, _) => i32::try_from(pid).ok(),
            _ => None,
        });
        described.chain(called).collect()
    }

    /// The threads that tracks describe, each with its process.
    pub fn described_threads(&self) -> impl Iterator<Item = (i32, i32)> {
        let described = self.described.iter().filter_map(DescribedTrack::thread);
        described.filter_map(|it| Some((i32::try_from(it.tid?).ok()?, it.pid?)))
    }
}

impl DescribedTrack {
    /// The number of the process that the track is of.
    fn process_number(&self) -> Option<i32> {
        match (self.thread(), self.process()) {
            (Some(thread), _) => thread.pid,
            (None, process) => process?.pid,
        }
    }
}
