//! Whose states are shown: of threads that have a lane, and of those that ran longest among the others of their processes.

use std::collections::BTreeSet;

use super::events::{BY_INTERRUPT, UNKNOWN};
use super::process_tree::ProcessTree;
use super::timeline::{FtraceState, states};
use super::{ChromeTexts, FtraceScheduler, QuickMap, RecordSink};
use crate::importer::ImportError;
use crate::importer::pftrace::tracks::PftraceTracks;
use crate::perfetto::proto::{ProcessDescriptor, ThreadDescriptor, TrackDescriptor};
use record::time::{Interval, Nanos};
use record::{INTERRUPT, NameId, Record, ThreadInterval, ThreadSchedule, ThreadState};

/// So many threads get a lane that have no slice: a machine has thousands.
pub(in super::super) const MOST_LANES: usize = 64;
/// So many states of a thread are handed over at once.
const BATCH: usize = 1024;
/// Numbers of tracks of our own, for threads and for processes: writers draw theirs from all of 64 bits, or count from 1.
const THREADS: u64 = 0xFFFF_FFFC_0000_0000;
const PROCESSES: u64 = 0xFFFF_FFFD_0000_0000;

/// The tracks of the threads that are shown, by their numbers.
pub(in super::super) type ScheduledTracks = QuickMap<i32, u32>;

/// The processes of threads, by their numbers.
struct KnownThreads {
    processes: QuickMap<i32, i32>,
    /// Processes that the file has tracks for.
    of_tracks: BTreeSet<i32>,
}

impl KnownThreads {
    /// What tracks say, and the list of processes where that says otherwise.
    fn of(tracks: &PftraceTracks, listed: &ProcessTree) -> Self {
        let mut processes: QuickMap<i32, i32> = tracks.described_threads().collect();
        processes.extend(listed.threads());
        Self {
            processes,
            of_tracks: tracks.described_processes(),
        }
    }

    /// Whether a thread is of one of some processes.
    fn is_of(&self, thread: i32, some: &BTreeSet<i32>) -> bool {
        let process = self.processes.get(&thread);
        process.is_some_and(|it| some.contains(it))
    }
}

impl FtraceScheduler {
    /// Chooses the threads that are shown, and gives lanes to those that have none. Comes before tracks are announced.
    pub fn choose(
        &mut self,
        tracks: &mut PftraceTracks,
        texts: &mut ChromeTexts,
    ) -> ScheduledTracks {
        let mut chosen = ScheduledTracks::default();
        if self.events.is_empty() {
            return chosen;
        }
        if !self.events.is_sorted_by_key(|it| it.time) {
            self.events.sort_by_key(|it| it.time);
        }
        let mut ran: QuickMap<i32, i64> = QuickMap::default();
        states(&self.events, self.kernel, |thread, state| {
            let sum = ran.entry(thread).or_default();
            if state.state == ThreadState::Running {
                *sum = sum.saturating_add(state.end.saturating_sub(state.start));
            }
        });
        for (thread, place) in tracks.threads_with_lanes() {
            if ran.remove(&thread).is_some() {
                chosen.entry(thread).or_insert(place);
            }
        }
        let mut others: Vec<(i64, i32)> =
            ran.into_iter().map(|(thread, ran)| (ran, thread)).collect();
        let all = others.len();
        others.sort_unstable_by_key(|(ran, thread)| (std::cmp::Reverse(*ran), *thread));
        let mut known = KnownThreads::of(tracks, &self.processes);
        if let Some(shown) = self.shown(tracks, (&known, &others)) {
            others.retain(|it| known.is_of(it.1, &shown));
        }
        others.truncate(MOST_LANES);
        self.tally.laneless = (all - others.len()) as u64;
        // In the order of their numbers, as threads with slices are in that of the file.
        others.sort_unstable_by_key(|it| it.1);
        for (_, thread) in others {
            let place = self.add_lane(thread, &mut known, (tracks, texts));
            chosen.insert(thread, place);
        }
        chosen
    }

    /// The processes whose threads are shown: those that the file has tracks for, or where none of them ran all that its list of
    /// processes has, but for the kernel's. Nothing where it has no process at all: then every thread may be shown.
    fn shown(
        &self,
        tracks: &PftraceTracks,
        (known, others): (&KnownThreads, &[(i64, i32)]),
    ) -> Option<BTreeSet<i32>> {
        let of_tracks = &known.of_tracks;
        if tracks.has_lanes() || others.iter().any(|it| known.is_of(it.1, of_tracks)) {
            return Some(of_tracks.clone());
        }
        let listed = self.processes.processes();
        let listed: BTreeSet<i32> = listed.filter(|it| !it.1.is_kernel).map(|it| it.0).collect();
        (!listed.is_empty()).then_some(listed)
    }

    /// Gives a thread a lane, under the names that are known; says where its track is.
    fn add_lane(
        &self,
        thread: i32,
        known: &mut KnownThreads,
        (tracks, texts): (&mut PftraceTracks, &mut ChromeTexts),
    ) -> u32 {
        let name = self.processes.name_of(thread);
        let name = name.or_else(|| self.names.get(&thread).copied());
        let process = known.processes.get(&thread).copied();
        let listed = process.and_then(|it| self.processes.process_by(it));
        if let (Some(pid), Some(name)) = (process, listed.and_then(|it| it.name))
            && known.of_tracks.insert(pid)
        {
            tracks.describe(TrackDescriptor {
                uuid: Some(PROCESSES | u64::from(pid as u32)),
                process: Some(ProcessDescriptor {
                    pid: Some(pid),
                    process_name: Some(texts.text(name).to_owned()),
                }),
                ..TrackDescriptor::default()
            });
        }
        let uuid = THREADS | u64::from(thread as u32);
        tracks.describe(TrackDescriptor {
            uuid: Some(uuid),
            thread: Some(ThreadDescriptor {
                pid: process,
                tid: Some(thread.into()),
                thread_name: name.map(|it| texts.text(it).to_owned()),
            }),
            ..TrackDescriptor::default()
        });
        let place = match process {
            Some(process) => tracks.numbered_thread((process, thread)),
            None => tracks.place(uuid),
        };
        let nothing = texts.add("");
        tracks.assign_lane(place, nothing);
        place
    }

    /// Hands over the states of the threads that were chosen. Comes after tracks were announced.
    pub fn hand_over(
        &self,
        (chosen, tracks): (&ScheduledTracks, &PftraceTracks),
        origin: i64,
        texts: &mut ChromeTexts,
        sink: &mut RecordSink<'_>,
    ) -> Result<(), ImportError> {
        if chosen.is_empty() {
            return Ok(());
        }
        let mut waiting: QuickMap<i32, Vec<ThreadInterval>> = QuickMap::default();
        let mut wakers: QuickMap<i32, NameId> = QuickMap::default();
        let mut outcome = Ok(());
        states(&self.events, self.kernel, |thread, state| {
            let Some(place) = chosen.get(&thread).filter(|_| outcome.is_ok()) else {
                return;
            };
            let waker = match state.waker {
                UNKNOWN => NameId::NONE,
                waker => *wakers.entry(waker).or_insert_with(|| {
                    let name = self.waker(waker, texts);
                    let name = texts.add(&name);
                    texts.name(name, sink)
                }),
            };
            let batch = waiting.entry(thread).or_default();
            batch.push(interval(&state, origin, waker));
            if batch.len() >= BATCH {
                sink.push(schedule(tracks, *place, std::mem::take(batch)));
                outcome = sink.advance(RecordSink::WHOLE);
            }
        });
        let mut rest: Vec<(i32, Vec<ThreadInterval>)> = waiting.into_iter().collect();
        rest.sort_unstable_by_key(|it| it.0);
        for (thread, intervals) in rest.into_iter().filter(|it| !it.1.is_empty()) {
            if let Some(place) = chosen.get(&thread) {
                sink.push(schedule(tracks, *place, intervals));
            }
        }
        outcome
    }

    /// What a waker is called: as a thread is by its name and number.
    fn waker(&self, waker: i32, texts: &ChromeTexts) -> String {
        if waker == BY_INTERRUPT {
            return INTERRUPT.to_owned();
        }
        let name = self
            .names
            .get(&waker)
            .copied()
            .or_else(|| self.processes.name_of(waker));
        match name.map(|it| texts.text(it)).filter(|it| !it.is_empty()) {
            Some(name) => format!("{name} {waker}"),
            None => format!("thread {waker}"),
        }
    }
}

fn interval(state: &FtraceState, origin: i64, waker: NameId) -> ThreadInterval {
    let since = |time: i64| Nanos(time.saturating_sub(origin));
    ThreadInterval {
        interval: Interval::new(since(state.start), since(state.end)),
        state: state.state,
        core: state.core.map(u32::from),
        waker,
    }
}

fn schedule(tracks: &PftraceTracks, place: u32, intervals: Vec<ThreadInterval>) -> Record {
    let lane = tracks.lane(place);
    Record::Schedule(Box::new(ThreadSchedule { lane, intervals }))
}
