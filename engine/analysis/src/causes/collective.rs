//! Collective operations: which spans are parts of one, and who came last. No part ends before the last has begun.

use std::collections::BTreeMap;

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
        for (center, mut parts) in stars {
            parts.push(center);
            parts.sort_by_key(|it| (times.start(*it), *it));
            parts.dedup();
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
