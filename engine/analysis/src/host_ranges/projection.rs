//! Ranges of the host projected onto what they launched.

use std::collections::BTreeSet;
use std::ops::Range;

use record::time::{Interval, Nanos};
use record::{DeviceId, SpanId};

use super::interval_set::IntervalSet;
use super::launches::{LaunchedOperation, Launches, ThreadLink};
use super::sweep::{RangeVisitor, sweep};
use super::{HostLevel, HostRange, HostRanges};

/// What operations of devices come to in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceStretch {
    /// From the start of the first to the end of the last.
    pub interval: Interval,
    /// The time in which any of them ran.
    pub busy: Nanos,
    /// How many they are.
    pub operations: u64,
}

impl DeviceStretch {
    /// The busy time as a part of the time from the first to the last, from 0 to 1; 1 where that has no length.
    pub fn share(&self) -> f64 {
        match self.interval.length() {
            Nanos::ZERO => 1.0,
            length => self.busy.0 as f64 / length.0 as f64,
        }
    }
}

/// A range of the host, and what it launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeProjection {
    /// Its span.
    pub span: SpanId,
    /// What its own thread launched within it; no operations where all was launched by links.
    pub own: DeviceStretch,
    /// What it comes to with that which spans launched that go on with what began within it, such as the backward pass of a
    /// forward pass; none where there is no more.
    linked: Option<Box<LinkedStretch>>,
}

/// What links add to a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LinkedStretch {
    /// Of the operations that links alone lead to.
    alone: DeviceStretch,
    /// Of all operations.
    whole: DeviceStretch,
}

impl RangeProjection {
    /// What it launched, be it by its own thread or by those that go on with it.
    pub fn whole(&self) -> DeviceStretch {
        self.linked.as_ref().map_or(self.own, |it| it.whole)
    }

    /// What only those launched that go on with what began within it; none where they launched nothing.
    pub fn linked(&self) -> Option<DeviceStretch> {
        self.linked.as_ref().map(|it| it.alone)
    }
}

impl HostRanges {
    /// The ranges of a level that launched something, by thread and then as they began.
    pub fn project(&self, level: HostLevel) -> Vec<RangeProjection> {
        self.project_launches(level, &self.launches)
    }

    /// The devices that something was launched on; [`DeviceId::NONE`] stands for streams without one.
    pub fn devices(&self) -> impl Iterator<Item = DeviceId> {
        self.launches.devices().into_iter()
    }

    /// The ranges of a level that launched something on a device, with that alone.
    pub fn project_on(&self, level: HostLevel, device: DeviceId) -> Vec<RangeProjection> {
        self.project_launches(level, &self.launches.on(device))
    }

    /// The ranges of a level that some of these operations came from, with these alone.
    pub fn origins(&self, level: HostLevel, operations: &BTreeSet<SpanId>) -> Vec<RangeProjection> {
        self.project_launches(level, &self.launches.only(operations))
    }

    /// The ranges of a level that some of the launches lie in.
    fn project_launches(&self, level: HostLevel, launches: &Launches) -> Vec<RangeProjection> {
        let mut sweeper = ProjectionSweep {
            launches,
            found: Vec::new(),
            open: Vec::new(),
            spare: Vec::new(),
        };
        for (number, thread) in self.threads.iter().enumerate() {
            let has_any = !launches.of_thread(number).is_empty();
            if !has_any && launches.links_of(number).is_empty() {
                continue;
            }
            let ranges = thread.level(level).iter().copied();
            sweep(ranges, (launches, number), &mut sweeper);
        }
        // Each has its place from its begin on, which those without operations only hold.
        let mut found = sweeper.found;
        found.retain(|it| it.whole().operations > 0);
        found
    }
}

/// Operations under way: when any ran, and from when to when.
#[derive(Default)]
struct StretchDraft {
    times: IntervalSet,
    hull: Option<Interval>,
}

impl StretchDraft {
    fn insert(&mut self, ran: Interval) {
        self.times.insert(ran);
        self.hull = Some(self.hull.map_or(ran, |it| it.union(ran)));
    }

    fn merge(&mut self, other: &mut Self) {
        self.times.merge(&mut other.times);
        let hulls = [self.hull, other.hull.take()];
        self.hull = hulls.into_iter().flatten().reduce(Interval::union);
    }

    fn clear(&mut self) {
        self.times.clear();
        self.hull = None;
    }

    fn stretch(&self, operations: u64) -> DeviceStretch {
        DeviceStretch {
            interval: self.hull.unwrap_or_default(),
            busy: self.times.total(),
            operations,
        }
    }
}

/// A range that is open, and what it came to so far.
#[derive(Default)]
struct OpenProjection {
    /// Its place among those that were found.
    place: usize,
    own: StretchDraft,
    linked: StretchDraft,
    /// Which launches links lead to, as stretches of their numbers.
    windows: IntervalSet,
}

impl OpenProjection {
    fn clear(&mut self) {
        self.own.clear();
        self.linked.clear();
        self.windows.clear();
    }
}

/// Projections in the making.
struct ProjectionSweep<'a> {
    launches: &'a Launches,
    found: Vec<RangeProjection>,
    open: Vec<OpenProjection>,
    /// Ranges that ended, whose room is used again.
    spare: Vec<OpenProjection>,
}

impl RangeVisitor for ProjectionSweep<'_> {
    fn open(&mut self, range: &HostRange) {
        let mut open = self.spare.pop().unwrap_or_default();
        open.place = self.found.len();
        self.open.push(open);
        self.found.push(RangeProjection {
            span: range.span,
            own: DeviceStretch::default(),
            linked: None,
        });
    }

    fn launch(&mut self, launched: &LaunchedOperation) {
        if let Some(open) = self.open.last_mut() {
            open.own.insert(launched.interval);
        }
    }

    fn link(&mut self, link: &ThreadLink) {
        let Some(open) = self.open.last_mut() else {
            return;
        };
        let (from, to) = link.window;
        open.windows.insert(numbers(from as usize..to as usize));
        for launched in self.launches.within(from as usize..to as usize) {
            open.linked.insert(launched.interval);
        }
    }

    fn close(&mut self, window: Range<usize>) {
        let Some(mut open) = self.open.pop() else {
            return;
        };
        if let Some(found) = self.found.get_mut(open.place) {
            found.own = open.own.stretch(window.len() as u64);
            if !open.windows.is_empty() {
                found.linked = linked(self.launches, found.own, &window, &open);
            }
        }
        if let Some(outer) = self.open.last_mut() {
            outer.own.merge(&mut open.own);
            outer.linked.merge(&mut open.linked);
            outer.windows.merge(&mut open.windows);
        }
        open.clear();
        self.spare.push(open);
    }
}

/// Numbers of launches as a stretch.
fn numbers(window: Range<usize>) -> Interval {
    Interval::new(Nanos(window.start as i64), Nanos(window.end as i64))
}

/// What links add to what a range itself launched.
fn linked(
    launches: &Launches,
    own: DeviceStretch,
    window: &Range<usize>,
    open: &OpenProjection,
) -> Option<Box<LinkedStretch>> {
    let within = numbers(window.clone());
    let both = open.windows.parts();
    let both: Nanos = both
        .filter_map(|it| it.intersection(within))
        .map(Interval::length)
        .sum();
    let count = open.windows.total() - both;
    if count == Nanos::ZERO {
        return None;
    }
    let count = count.0.unsigned_abs();
    let rest;
    let added = if both == Nanos::ZERO {
        &open.linked
    } else {
        // What a link leads to lies within the range itself: that is counted once.
        let parts = open.windows.parts();
        let numbers = parts.flat_map(|it| it.start.0..it.end.0);
        let outside = numbers.filter(|it| !within.contains(Nanos(*it)));
        let mut draft = StretchDraft::default();
        for number in outside {
            let number = number as usize;
            for launched in launches.within(number..number + 1) {
                draft.insert(launched.interval);
            }
        }
        rest = draft;
        &rest
    };
    let alone = added.stretch(count);
    let interval = if own.operations == 0 {
        alone.interval
    } else {
        own.interval.union(alone.interval)
    };
    let whole = DeviceStretch {
        interval,
        busy: open.own.times.total_with(&added.times),
        operations: own.operations + count,
    };
    Some(Box::new(LinkedStretch { alone, whole }))
}
