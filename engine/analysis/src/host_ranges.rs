//! Ranges of the host and what they launched: the ranges of each thread by level, and the operations of devices that its calls
//! submitted. Projections, call trees and the ranges that operations came from are read from it.

mod call_tree;
mod callers;
mod interval_set;
mod launches;
mod level_names;
mod origin;
mod projection;
mod scope;
mod sweep;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::thread;

use capture::{Capture, PlacedSpan};
use record::time::{Interval, Nanos};
use record::{Group, LaneId, NameId, SpanId};

pub use call_tree::{CallNode, CallTree};
use launches::Launches;
use level_names::LevelNames;
pub use origin::{ranges_around_launch, ranges_open_at};
pub use projection::{DeviceStretch, RangeProjection};
pub use scope::{HostScope, TreeScope};

/// The sorts of host ranges. Those of one level nest in each other; each level is projected and counted by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostLevel {
    /// What a program named: NVTX ranges, annotations, frames, steps.
    Nvtx,
    /// Functions of a script.
    Python,
    /// Operators of a framework, and other work of a host thread that is no call of a GPU's API.
    Operators,
}

impl HostLevel {
    /// Every level, the outermost first.
    pub const ALL: [Self; 3] = [Self::Nvtx, Self::Python, Self::Operators];

    /// The word for it, on the command line and in files.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Nvtx => "nvtx",
            Self::Python => "python",
            Self::Operators => "operators",
        }
    }

    /// What it is called on screen.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Nvtx => "NVTX ranges",
            Self::Python => "Python functions",
            Self::Operators => "Operators",
        }
    }
}

/// A range of a host thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostRange {
    /// Its span.
    pub span: SpanId,
    /// What it is called.
    pub name: NameId,
    /// When it began and ended.
    pub interval: Interval,
}

impl HostRange {
    /// What a range is sorted by: what holds another comes before it, and of equal ones what the file has first.
    fn key(&self) -> (Nanos, Reverse<Nanos>, SpanId) {
        let Interval { start, end } = self.interval;
        (start, Reverse(end), self.span)
    }
}

impl From<&PlacedSpan> for HostRange {
    fn from(placed: &PlacedSpan) -> Self {
        Self {
            span: placed.span.id,
            name: placed.span.name,
            interval: placed.interval(),
        }
    }
}

/// A host thread: one lane, or those that a file has of one thread.
#[derive(Debug, Default)]
struct HostThread {
    /// The ranges of each level, in the order of [`HostLevel::ALL`], each in the order of [`HostRange::key`].
    levels: [Vec<HostRange>; HostLevel::ALL.len()],
}

/// The ranges of all host threads, and what was launched on each.
pub struct HostRanges {
    threads: Vec<HostThread>,
    launches: Launches,
}

impl HostRanges {
    /// Those of a capture that `scope` asks for.
    pub fn new(capture: &Capture, scope: &HostScope) -> Self {
        let of_lanes = ThreadNumbers::new(capture);
        let launches = || Launches::new(capture, &of_lanes, scope);
        let ranges = |part: &Interval| read_threads(capture, &of_lanes, scope, *part);
        let [first, second] = halves(capture);
        thread::scope(|within| {
            let named = thread::Builder::new().name("syncline launches".to_owned());
            let beside = named.spawn_scoped(within, launches);
            let later = thread::Builder::new().name("syncline ranges".to_owned());
            let later = later.spawn_scoped(within, || ranges(&second));
            let mut threads = ranges(&first);
            let later = later.ok().and_then(|it| it.join().ok());
            let later = later.unwrap_or_else(|| ranges(&second));
            threads
                .iter_mut()
                .zip(later)
                .for_each(|(thread, later)| thread.append(later));
            let read = beside.ok().and_then(|it| it.join().ok());
            Self {
                threads,
                launches: read.unwrap_or_else(launches),
            }
        })
    }

    /// How many ranges a level has.
    pub fn count(&self, level: HostLevel) -> usize {
        let ranges = self.threads.iter().map(|it| it.level(level).len());
        ranges.sum()
    }

    /// Whether any operation of a device is known to have been launched by a call of the host.
    pub fn has_launches(&self) -> bool {
        !self.launches.is_empty()
    }
}

/// All of time, in two parts of which each may be read by itself.
fn halves(capture: &Capture) -> [Interval; 2] {
    let middle = capture
        .extent()
        .map_or(Nanos::ZERO, |it| it.start + Nanos(it.length().0 / 2));
    [
        Interval::new(Nanos::MIN, middle),
        Interval::new(middle, Nanos::MAX),
    ]
}

/// The ranges of each thread that begin in a part of time.
fn read_threads(
    capture: &Capture,
    of_lanes: &ThreadNumbers,
    scope: &HostScope,
    part: Interval,
) -> Vec<HostThread> {
    let mut threads = Vec::new();
    threads.resize_with(of_lanes.count, HostThread::default);
    // What has no length at its begin, too.
    let around = Interval::new(Nanos(part.start.0.saturating_sub(1)), part.end);
    let is_of = |it: &PlacedSpan| part.contains(it.span.start);
    let mut levels = LevelNames::new(capture);
    for lane in capture.lanes() {
        let thread = of_lanes
            .of(lane.id)
            .filter(|_| scope.has_ranges_of(lane.id));
        let Some(thread) = thread.and_then(|it| threads.get_mut(it)) else {
            continue;
        };
        for placed in capture.spans_in(lane.id, around).filter(is_of) {
            let level = levels.of(lane, &placed);
            if let Some(level) = level.filter(|it| scope.has_level(*it))
                && let Some(ranges) = thread.levels.get_mut(level as usize)
            {
                ranges.push(HostRange::from(&placed));
            }
        }
    }
    for ranges in threads.iter_mut().flat_map(|it| &mut it.levels) {
        // Each sub-lane is in order already, and a stable sort takes that in runs.
        if !ranges.is_sorted_by_key(HostRange::key) {
            ranges.sort_by_key(HostRange::key);
        }
    }
    threads
}

/// The level of the first range of the host that is found among so many spans of host lanes: what lies around others is looked at
/// first.
pub fn first_host_level(capture: &Capture, most: usize) -> Option<HostLevel> {
    let mut levels = LevelNames::new(capture);
    let hosts = capture.lanes().iter().filter(|it| it.group == Group::Host);
    let all = Interval::new(Nanos::MIN, Nanos::MAX);
    let spans = hosts.flat_map(|lane| capture.spans_in(lane.id, all).map(move |it| (lane, it)));
    let mut spans = spans.take(most);
    spans.find_map(|(lane, placed)| levels.of(lane, &placed))
}

impl HostThread {
    /// Takes the ranges that begin later.
    fn append(&mut self, later: Self) {
        for (ranges, later) in self.levels.iter_mut().zip(later.levels) {
            ranges.extend(later);
        }
    }

    fn level(&self, level: HostLevel) -> &[HostRange] {
        self.levels.get(level as usize).map_or(&[], Vec::as_slice)
    }
}

/// Which thread each lane of the host is of: a file may have a thread's operators and its Python functions on two lanes.
struct ThreadNumbers {
    of_lanes: Vec<u32>,
    count: usize,
}

/// Stands for a lane that is of no host thread.
const NO_THREAD: u32 = u32::MAX;

impl ThreadNumbers {
    fn new(capture: &Capture) -> Self {
        let mut known: BTreeMap<(Option<u32>, &str, &str), u32> = BTreeMap::new();
        let mut count = 0;
        let mut of_lanes = Vec::with_capacity(capture.lanes().len());
        for lane in capture.lanes() {
            if lane.group != Group::Host {
                of_lanes.push(NO_THREAD);
                continue;
            }
            let rank = capture.lane_origin(lane.id).and_then(|it| it.rank);
            let number = if lane.thread.is_empty() {
                count
            } else {
                let key = (rank, &*lane.process, &*lane.thread);
                *known.entry(key).or_insert(count)
            };
            count += u32::from(number == count);
            of_lanes.push(number);
        }
        Self {
            of_lanes,
            count: count as usize,
        }
    }

    /// The thread of a lane.
    fn of(&self, lane: LaneId) -> Option<usize> {
        let number = self.of_lanes.get(lane.index()).copied();
        number.filter(|it| *it != NO_THREAD).map(|it| it as usize)
    }
}
