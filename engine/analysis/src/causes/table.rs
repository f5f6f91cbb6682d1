//! Where the time of a stretch went, as tables: of each stream by use, of the critical path by use and by operation.

use std::collections::BTreeMap;

use super::binding_chain::ChainSegment;
use super::idle::{IdleTime, LaneIdle, LongestPart};
use super::idle_use::IdleUse;
use super::kind::TimeUse;
use super::reader::CauseReader;
use record::time::{Interval, Nanos};
use record::{LaneId, NameId, SpanId};

/// How much of the critical path was spent in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathUse {
    /// In which.
    pub what: TimeUse,
    /// How long, all together.
    pub time: Nanos,
    /// In how many segments.
    pub count: u64,
    /// The operation or call of the longest segment: of a host's own time the call that most of it was spent in. Where most
    /// was spent in none, or nothing is known, what came after.
    pub longest: Option<SpanId>,
    /// Whether that segment lies in it, as the time of a wait does, and not before it.
    pub is_inside: bool,
}

/// How much of the critical path operations of one name ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathOperation {
    /// Their name.
    pub name: NameId,
    /// How long, all together.
    pub time: Nanos,
    /// How many segments of it they are.
    pub count: u64,
    /// The one with the longest.
    pub longest: SpanId,
    /// Whether they ran on several lanes.
    pub is_on_several: bool,
}

/// Where the time of a stretch went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CausesTable {
    /// The stretch.
    pub within: Interval,
    /// Each stream, in the order on screen.
    pub streams: Vec<LaneIdle>,
    /// Compile workers and device timelines, where they were asked for.
    pub engines: Vec<LaneIdle>,
    /// Host threads, where they were asked for.
    pub threads: Vec<LaneIdle>,
    /// The uses of the critical path, the longest first; they add up to the stretch.
    pub uses: Vec<PathUse>,
    /// The operations that ran on the path, the longest first.
    pub operations: Vec<PathOperation>,
}

impl CausesTable {
    /// The tables of a stretch whose critical path is `path`.
    pub fn new(reader: &CauseReader<'_>, within: Interval, path: &[ChainSegment]) -> Self {
        let lanes = reader.streams().into_iter();
        let (uses, operations) = sums(reader, path);
        Self {
            within,
            streams: lanes.map(|lane| reader.lane_idle(lane, within)).collect(),
            engines: Vec::new(),
            threads: Vec::new(),
            uses,
            operations,
        }
    }

    /// The same with what engines and host threads did.
    #[must_use]
    pub fn with_others(mut self, reader: &CauseReader<'_>) -> Self {
        let engines = reader.engines().into_iter();
        let engines = engines.map(|lane| reader.lane_idle(lane, self.within));
        let threads = reader.threads().into_iter();
        let threads = threads.map(|lane| reader.thread_idle(lane, self.within));
        (self.engines, self.threads) = (engines.collect(), threads.collect());
        self
    }

    /// What most of a path was spent on, and how much of it.
    pub fn most_of(path: &[ChainSegment]) -> Option<(TimeUse, Nanos)> {
        let mut uses: BTreeMap<TimeUse, Nanos> = BTreeMap::new();
        for segment in path {
            *uses.entry(segment.what).or_default() += segment.interval.length();
        }
        uses.into_iter()
            .min_by_key(|(what, time)| (std::cmp::Reverse(*time), *what))
    }
}

/// What all streams did together in a stretch, and what its critical path was spent on. A capture may have more streams than
/// there is room for a row of [`CausesTable`] each.
#[derive(Clone, Debug, Default)]
pub struct CausesTotals {
    /// The stretch.
    pub within: Interval,
    /// The streams, in the order on screen.
    pub streams: Vec<LaneId>,
    /// What they did, all of them together.
    pub idle: IdleTime,
    /// The uses of the critical path, the longest first; they add up to the stretch.
    pub uses: Vec<PathUse>,
    /// The operations that ran on the path, the longest first.
    pub operations: Vec<PathOperation>,
    longest: BTreeMap<IdleUse, LongestPart>,
}

impl CausesTotals {
    /// The totals of a stretch whose critical path is `path`.
    pub fn new(reader: &CauseReader<'_>, within: Interval, path: &[ChainSegment]) -> Self {
        let (uses, operations) = sums(reader, path);
        let mut totals = Self {
            within,
            streams: reader.streams(),
            uses,
            operations,
            ..Self::default()
        };
        for lane in &totals.streams {
            let row = reader.lane_idle(*lane, within);
            totals.idle.add(&row.time);
            for what in IdleUse::ALL {
                if let Some(longest) = row.longest_of(what) {
                    let known = totals.longest.entry(what).or_insert(longest);
                    *known = longest.max(*known);
                }
            }
        }
        totals
    }

    /// The longest single part of a use over all streams.
    pub fn longest_of(&self, what: IdleUse) -> Option<LongestPart> {
        self.longest.get(&what).copied()
    }
}

fn sums(reader: &CauseReader<'_>, path: &[ChainSegment]) -> (Vec<PathUse>, Vec<PathOperation>) {
    let mut uses: BTreeMap<TimeUse, (PathUse, (Nanos, usize))> = BTreeMap::new();
    let mut operations: BTreeMap<NameId, (PathOperation, Nanos)> = BTreeMap::new();
    for (place, segment) in path.iter().enumerate() {
        let (time, what) = (segment.interval.length(), segment.what);
        let empty = PathUse {
            what,
            time: Nanos::ZERO,
            count: 0,
            longest: None,
            is_inside: false,
        };
        let (row, longest) = uses.entry(what).or_insert((empty, (Nanos::ZERO, 0)));
        row.time += time;
        row.count += 1;
        if time > longest.0 {
            *longest = (time, place);
        }
        let placed = segment.span.and_then(|it| reader.capture().span(it));
        let Some(placed) = placed.filter(|_| what == TimeUse::Run) else {
            continue;
        };
        let name = placed.span.name;
        let empty = PathOperation {
            name,
            time: Nanos::ZERO,
            count: 0,
            longest: placed.span.id,
            is_on_several: false,
        };
        let (row, longest) = operations.entry(name).or_insert((empty, Nanos::ZERO));
        row.is_on_several |= reader.lane(row.longest) != placed.span.lane;
        row.time += time;
        row.count += 1;
        if time > *longest {
            (*longest, row.longest) = (time, placed.span.id);
        }
    }
    let uses = uses.into_values().map(|(row, (_, place))| {
        let longest = place_of(reader, path, place);
        let is_inside = longest.is_some_and(|it| it.1);
        let longest = longest.map(|it| it.0);
        PathUse {
            longest,
            is_inside,
            ..row
        }
    });
    let mut uses: Vec<PathUse> = uses.collect();
    uses.sort_by_key(|it| (std::cmp::Reverse(it.time), it.what));
    let mut operations: Vec<PathOperation> = operations.into_values().map(|it| it.0).collect();
    operations.sort_by_key(|it| (std::cmp::Reverse(it.time), it.name));
    (uses, operations)
}

/// The span to go to for a segment of a path, and whether the segment lies in it.
fn place_of(
    reader: &CauseReader<'_>,
    path: &[ChainSegment],
    place: usize,
) -> Option<(SpanId, bool)> {
    let segment = path.get(place)?;
    if let Some(span) = segment.span {
        let placed = reader.capture().span(span)?;
        let shared = placed.interval().intersection(segment.interval);
        return Some((span, shared == Some(segment.interval)));
    }
    let shares = |lane| reader.thread_shares(lane, segment.interval).into_iter();
    // The most of it comes first.
    let most = segment.lane.and_then(|lane| shares(lane).next());
    if let Some(call) = most.and_then(|it| it.span) {
        return Some((call, true));
    }
    let next = path.get(place + 1);
    let call = |next: &ChainSegment| reader.call_after(next.lane?, next.interval.start);
    let after = next.and_then(|it| it.span.or_else(|| call(it)));
    // Where nothing comes after it, it is what the thread did in it.
    let within = || reader.place_of(segment).map(|it| (it, true));
    after.map(|it| (it, false)).or_else(within)
}
