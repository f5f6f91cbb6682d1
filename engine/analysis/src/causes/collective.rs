//! Collective operations: which spans are parts of one, and who came last. No part ends before the last has begun.

use std::collections::{BTreeMap, BTreeSet};

use super::timetable::Timetable;
use record::SpanId;

/// The parts of each collective operation, found by any of them.
#[derive(Debug, Default)]
pub(super) struct CollectiveGroups {
    /// Each part and its group, by span.
    members: Vec<(u32, u32)>,
    groups: Vec<CollectiveGroup>,
}

/// One collective operation.
#[derive(Debug)]
pub(super) struct CollectiveGroup {
    /// Its parts, by start.
    pub parts: Box<[u32]>,
    /// The part that the others take from, where it is not all of them that wait for all.
    pub giver: Option<u32>,
    /// Whether each part ran at some instant together with each other one.
    pub is_together: bool,
}

impl CollectiveGroups {
    /// Takes pairs of a part that was waited for and a part that waited for it.
    pub fn new(pairs: &[(u32, u32)], times: &Timetable) -> Self {
        let mut stars: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &(cause, effect) in pairs {
            stars.entry(cause).or_default().push(effect);
        }
        let mut all = Self::default();
        for (centers, mut parts) in joined(stars) {
            parts.sort_by_key(|it| (times.start(*it), *it));
            parts.dedup();
            // Where several sources tie parts of one, it is the last that all of them wait for.
            let center = centers.into_iter().max_by_key(|it| (times.start(*it), *it));
            let center = center.unwrap_or_default();
            let last = parts.last().map_or(0, |it| times.start(*it));
            let first_end = parts.iter().map(|it| times.end(*it)).min().unwrap_or(last);
            let group = all.groups.len() as u32;
            all.members.extend(parts.iter().map(|it| (*it, group)));
            all.groups.push(CollectiveGroup {
                giver: (times.start(center) < last).then_some(center),
                is_together: last <= first_end,
                parts: parts.into(),
            });
        }
        all.members.sort_unstable();
        all.members.dedup_by_key(|it| it.0);
        all.members.shrink_to_fit();
        all
    }

    /// Every part of any.
    pub fn members(&self) -> impl Iterator<Item = SpanId> {
        self.members.iter().map(|it| SpanId(it.0))
    }

    /// Every collective operation.
    pub fn all(&self) -> &[CollectiveGroup] {
        &self.groups
    }

    /// The place of the operation that a span is part of.
    pub fn place(&self, span: SpanId) -> Option<usize> {
        let found = self.members.binary_search_by_key(&span.0, |it| it.0).ok()?;
        Some(self.members.get(found)?.1 as usize)
    }

    /// The collective operation that a span is part of.
    pub fn of(&self, span: SpanId) -> Option<&CollectiveGroup> {
        self.groups.get(self.place(span)?)
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let parts: usize = self.groups.iter().map(|it| it.parts.len() * 4).sum();
        parts + self.members.capacity() * 8 + self.groups.capacity() * size_of::<CollectiveGroup>()
    }
}

/// Groups that share parts as one group: its centers, and all of its parts with them. The parts on the devices of one file may
/// be tied by that file, and once more with those of other files.
fn joined(stars: BTreeMap<u32, Vec<u32>>) -> Vec<(Vec<u32>, Vec<u32>)> {
    let mut group_of: BTreeMap<u32, usize> = BTreeMap::new();
    let mut groups: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
    for (center, mut parts) in stars {
        parts.push(center);
        let known = parts.iter().filter_map(|it| group_of.get(it).copied());
        let known: BTreeSet<usize> = known.collect();
        // The largest takes in the others, so that no part is moved often.
        let size = |it: &usize| groups.get(*it).map_or(0, |it| it.1.len());
        let place = known.iter().copied().max_by_key(size);
        let place = place.unwrap_or(groups.len());
        if place == groups.len() {
            groups.push(Default::default());
        }
        let mut centers = vec![center];
        for other in known.into_iter().filter(|it| *it != place) {
            if let Some((their, more)) = groups.get_mut(other).map(std::mem::take) {
                centers.extend(their);
                parts.extend(more);
            }
        }
        group_of.extend(parts.iter().map(|it| (*it, place)));
        if let Some((known, all)) = groups.get_mut(place) {
            known.extend(centers);
            all.extend(parts);
        }
    }
    groups.retain(|it| !it.1.is_empty());
    groups
}

impl CollectiveGroup {
    /// The parts that a part had to wait for, those that began last first.
    pub fn others(&self, span: SpanId) -> impl Iterator<Item = SpanId> {
        let giver = self.giver;
        let waits = move |it: &&u32| {
            **it != span.0 && giver.is_none_or(|giver| giver != span.0 && giver == **it)
        };
        self.parts.iter().rev().filter(waits).map(|it| SpanId(*it))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::LaneId;
    use record::time::{Interval, Nanos};

    #[test]
    fn parts_that_are_tied_twice_are_of_one_operation() {
        let mut times = Timetable::default();
        for start in [10, 15, 12, 25, 100, 130] {
            let interval = Interval::new(Nanos(start), Nanos(start + 50));
            times.push(Some((interval, LaneId(0))));
        }
        // Two files of two devices each tie their own parts, and then all four are tied; another operation is another.
        let pairs = [(1, 0), (3, 2), (3, 0), (3, 1), (5, 4)];
        let groups = CollectiveGroups::new(&pairs, &times);
        let parts: Vec<&[u32]> = groups.all().iter().map(|it| &*it.parts).collect();
        assert_eq!(parts, [&[0, 2, 1, 3][..], &[4, 5]]);
        assert!(groups.all().iter().all(|it| it.giver.is_none()));
        let others = groups.all()[0].others(SpanId(0));
        assert_eq!(others.map(|it| it.0).collect::<Vec<_>>(), [3, 1, 2]);
    }
}
