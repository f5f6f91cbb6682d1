//! The uses of one buffer that a further use has to come after.

use std::collections::HashMap;
use std::ops::Range;

use super::clock::{ClockMember, MemberClock, VectorClock};
use super::hazard::{CallOrigin, HazardKind, HazardRelation};

/// What a use does to the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessKind {
    Read,
    Write,
    Free,
}

/// Whose call it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UseCaller {
    pub host: u32,
    /// The host thread's own time when it called.
    pub time: u32,
    /// Which of all calls it was.
    pub sequence: u64,
}

/// A use that was made.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub member: ClockMember,
    /// Which operation of the member it was.
    pub time: u32,
    pub caller: UseCaller,
    pub origin: CallOrigin,
    pub manner: AccessKind,
    pub bytes: Range<u64>,
    /// Which use of its buffer it was; given by the history.
    pub number: u32,
    /// The abort that may have dropped it, by the number of its call: nothing is forgotten because of it then.
    pub doubt: Option<u64>,
    /// What it came after, where something that was called later may have run before it.
    pub knew: Option<VectorClock>,
    /// Where something that was called later may have run before it: the uses that it covers. What comes before it is
    /// compared with those.
    pub covers: Vec<Self>,
}

impl Access {
    /// Whether it ended before whoever knows this goes on.
    pub fn is_before(&self, known: &MemberClock) -> bool {
        known.get(self.member) >= self.time
    }

    /// Whether nothing orders it and a use that was called later, by whoever knows this.
    pub fn is_unordered(&self, later: &Self, known: &MemberClock) -> bool {
        !self.is_before(known) && !self.is_after(later)
    }

    /// Whether it came after a use that was called later.
    fn is_after(&self, later: &Self) -> bool {
        let knew = self.knew.as_ref();
        knew.is_some_and(|it| it.get(later.member) >= later.time)
    }

    pub fn overlaps(&self, bytes: &Range<u64>) -> bool {
        self.bytes.start < bytes.end && bytes.start < self.bytes.end
    }

    fn is_within(&self, bytes: &Range<u64>) -> bool {
        bytes.start <= self.bytes.start && self.bytes.end <= bytes.end
    }
}

/// Reads after which they are found by their place rather than one by one.
const MANY: usize = 16;

/// The uses of one buffer that a further use has to come after, in the order of the calls.
#[derive(Clone, Debug, Default)]
pub(super) struct AccessHistory {
    /// Since the last write of their bytes.
    reads: Vec<Access>,
    /// Writes and frees.
    writes: Vec<Access>,
    /// Uses that a later write stands for although it does not come after them: a free has to come after them all the
    /// same. One for each member, site and range.
    outrun: Vec<Access>,
    /// Where the latest read of a member, a site and a range stands, once there are many.
    places: HashMap<(ClockMember, u32, u64, u64), usize>,
    uses: u32,
    /// Whether one of them may have been dropped.
    has_doubts: bool,
}

impl AccessHistory {
    /// Compares a use with those before it: `report` hears of each that it conflicts with.
    pub fn check(
        &self,
        access: &Access,
        known: &MemberClock,
        mut report: impl FnMut(HazardKind, HazardRelation, &Access),
    ) {
        let live = |it: &&Access| it.overlaps(&access.bytes);
        let manner = access.manner;
        let is_read = |it: &Access| live(&it) && !it.is_after(access);
        let against_reads = manner != AccessKind::Read && self.reads.iter().any(is_read);
        let reads = if against_reads { &*self.reads } else { &[] };
        // Each read came after the writes; but where it may have been dropped, it is the write before that counts. What was
        // freed is so for every use.
        let counts =
            |it: &&Access| !against_reads || self.has_doubts || it.manner == AccessKind::Free;
        let writes = self.writes.iter().filter(counts);
        // What an abort leaves of a stream is a beginning: where a free ran, so did the free before it, with which it is told.
        let is_told = |earlier: &Access| {
            let mut frees = self
                .writes
                .iter()
                .filter(|it| it.manner == AccessKind::Free);
            manner == AccessKind::Free
                && frees.any(|it| {
                    it.member == access.member
                        && it.doubt == access.doubt
                        && it.number > earlier.number
                })
        };
        for earlier in reads.iter().chain(writes).filter(live) {
            if is_told(earlier) {
                continue;
            }
            if earlier.is_unordered(access, known) {
                report(
                    kind(manner, earlier.manner),
                    HazardRelation::Unordered,
                    earlier,
                );
            } else if earlier.manner == AccessKind::Free && earlier.is_before(known) {
                // Using freed memory is wrong even after the free.
                report(HazardKind::UseAfterFree, HazardRelation::Ordered, earlier);
            }
        }
        if manner == AccessKind::Free && against_reads && !self.has_doubts {
            let rest = self.writes.iter().filter(|it| !counts(it)).filter(live);
            for earlier in rest.filter(|it| it.is_unordered(access, known)) {
                report(
                    HazardKind::FreeWhileInUse,
                    HazardRelation::Unordered,
                    earlier,
                );
            }
        }
        let late = self.writes.iter().filter(|it| !it.covers.is_empty());
        for earlier in late
            .filter(|it| it.is_after(access))
            .flat_map(|it| &it.covers)
        {
            let is_harmless = manner == AccessKind::Read && earlier.manner == AccessKind::Read;
            if !is_harmless && live(&earlier) && earlier.is_unordered(access, known) {
                report(
                    kind(manner, earlier.manner),
                    HazardRelation::Unordered,
                    earlier,
                );
            }
        }
        // What may have been dropped may be a free as well, which would have stood for them.
        if manner == AccessKind::Free && !self.has_doubts {
            let outrun = self.outrun.iter().filter(live);
            for earlier in outrun.filter(|it| it.is_unordered(access, known)) {
                report(
                    HazardKind::FreeWhileInUse,
                    HazardRelation::Unordered,
                    earlier,
                );
            }
        }
    }

    /// Takes in a use that was compared, of whoever knows this: a write makes what it covers forgotten.
    pub fn take(&mut self, mut access: Access, known: &MemberClock) {
        self.uses += 1;
        access.number = self.uses;
        self.has_doubts |= access.doubt.is_some();
        if access.manner == AccessKind::Read {
            return self.take_read(access);
        }
        if access.doubt.is_some() {
            return self.writes.push(access);
        }
        let is_covered = |it: &mut Access| it.is_within(&access.bytes);
        let mut covered: Vec<Access> = self.reads.extract_if(.., is_covered).collect();
        if !covered.is_empty() {
            self.places.clear();
            self.index();
        }
        // A use of what was freed makes nothing good: the next use is told with the same free.
        let is_replaced = |it: &mut Access| {
            it.is_within(&access.bytes)
                && (it.manner != AccessKind::Free || access.manner == AccessKind::Free)
        };
        covered.extend(self.writes.extract_if(.., is_replaced));
        if access.knew.is_some() {
            access.covers = cover(&covered);
        }
        if access.manner == AccessKind::Free {
            // What was used before is told with the first free.
            self.outrun.clear();
            covered.clear();
        }
        covered.retain(|it| it.is_unordered(&access, known));
        for it in covered {
            self.keep_outrun(it);
        }
        self.writes.push(access);
    }

    fn keep_outrun(&mut self, access: Access) {
        if access.manner == AccessKind::Free {
            return;
        }
        let key = key(&access);
        match self.outrun.iter_mut().find(|it| self::key(it) == key) {
            Some(slot) => *slot = access,
            None => self.outrun.push(access),
        }
    }

    /// A later read of the same member, site and range stands for the earlier one: what comes after it comes after both.
    fn take_read(&mut self, access: Access) {
        let key = key(&access);
        let known = if self.reads.len() <= MANY {
            self.reads.iter().position(|it| self::key(it) == key)
        } else {
            self.places.get(&key).copied()
        };
        if let Some(slot) = known.and_then(|place| self.reads.get_mut(place)) {
            *slot = access;
            return;
        }
        self.reads.push(access);
        if self.reads.len() == MANY + 1 {
            self.index();
        } else if self.reads.len() > MANY {
            self.places.insert(key, self.reads.len() - 1);
        }
    }

    fn index(&mut self) {
        if self.reads.len() > MANY {
            let places = self.reads.iter().enumerate();
            self.places
                .extend(places.map(|(place, it)| (key(it), place)));
        }
    }

    /// Every use that is remembered, in the order of the calls.
    pub fn into_accesses(self) -> Vec<Access> {
        let mut uses = self.reads;
        uses.extend(self.writes);
        uses.sort_by_key(|it| it.number);
        uses
    }
}

/// What a use covers, and what that covers: one for each member, site and range.
fn cover(covered: &[Access]) -> Vec<Access> {
    let mut all: Vec<Access> = Vec::new();
    for it in covered
        .iter()
        .flat_map(|it| std::iter::once(it).chain(&it.covers))
    {
        if all.iter().all(|known| key(known) != key(it)) {
            all.push(Access {
                covers: Vec::new(),
                ..it.clone()
            });
        }
    }
    all
}

const fn key(access: &Access) -> (ClockMember, u32, u64, u64) {
    (
        access.member,
        access.origin.site,
        access.bytes.start,
        access.bytes.end,
    )
}

pub(super) const fn kind(manner: AccessKind, earlier: AccessKind) -> HazardKind {
    match (manner, earlier) {
        (AccessKind::Free, _) => HazardKind::FreeWhileInUse,
        (_, AccessKind::Free) => HazardKind::UseAfterFree,
        (AccessKind::Read, _) => HazardKind::ReadAfterWrite,
        (AccessKind::Write, AccessKind::Read) => HazardKind::WriteAfterRead,
        (AccessKind::Write, AccessKind::Write) => HazardKind::WriteAfterWrite,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(member: u32, site: u32, manner: AccessKind, bytes: Range<u64>) -> Access {
        let span = record::SpanId::NONE;
        let origin = CallOrigin { site, span };
        Access {
            member,
            time: 1 + site,
            caller: UseCaller::default(),
            origin,
            manner,
            bytes,
            number: 0,
            doubt: None,
            knew: None,
            covers: Vec::new(),
        }
    }

    /// Takes in a use by somebody who knows of no other.
    fn take(history: &mut AccessHistory, access: Access) {
        history.take(access, &MemberClock::new(9));
    }

    fn found(history: &AccessHistory, access: &Access) -> Vec<(&'static str, u32)> {
        let mut found = Vec::new();
        let known = MemberClock::new(9);
        history.check(access, &known, |kind, _, it| {
            found.push((kind.label(), it.origin.site));
        });
        found
    }

    #[test]
    fn ranges_that_only_touch_do_not_conflict() {
        let mut history = AccessHistory::default();
        take(&mut history, access(0, 0, AccessKind::Write, 0..8));
        assert!(found(&history, &access(1, 1, AccessKind::Read, 8..16)).is_empty());
        assert_eq!(
            found(&history, &access(1, 1, AccessKind::Read, 7..16)),
            [("RAW", 0)]
        );
    }

    #[test]
    fn a_write_is_compared_with_the_reads_since_the_last_write() {
        let mut history = AccessHistory::default();
        take(&mut history, access(0, 0, AccessKind::Write, 0..8));
        take(&mut history, access(1, 1, AccessKind::Read, 0..8));
        take(&mut history, access(2, 2, AccessKind::Read, 0..8));
        let write = access(3, 3, AccessKind::Write, 0..8);
        assert_eq!(found(&history, &write), [("WAR", 1), ("WAR", 2)]);
        take(&mut history, write);
        assert_eq!(
            found(&history, &access(1, 4, AccessKind::Write, 0..8)),
            [("WAW", 3)]
        );
    }

    #[test]
    fn reads_of_one_site_stand_for_one_another_however_many() {
        let mut history = AccessHistory::default();
        for round in 0..10 {
            for site in 0..40 {
                let mut read = access(1, site, AccessKind::Read, 0..8);
                read.time = round * 40 + site + 1;
                take(&mut history, read);
            }
        }
        assert_eq!(history.reads.len(), 40);
        assert!(history.reads.iter().all(|it| it.time > 9 * 40));
        take(&mut history, access(2, 99, AccessKind::Write, 0..4));
        assert_eq!(history.reads.len(), 40, "a part covers none of them");
    }

    #[test]
    fn every_use_after_a_free_is_told_with_it() {
        let mut history = AccessHistory::default();
        take(&mut history, access(0, 0, AccessKind::Free, 0..8));
        let mut known = MemberClock::new(9);
        known.learn(0);
        for (site, manner) in [
            (1, AccessKind::Write),
            (2, AccessKind::Read),
            (3, AccessKind::Write),
        ] {
            let mut told = Vec::new();
            let mut used = access(1, site, manner, 0..8);
            used.time = site;
            history.check(&used, &known, |kind, _, it| {
                told.push((kind.label(), it.origin.site));
            });
            assert!(
                told.contains(&("USE_AFTER_FREE", 0)),
                "{manner:?}: {told:?}"
            );
            history.take(used, &known);
        }
        take(&mut history, access(0, 4, AccessKind::Free, 0..8));
        let frees = history
            .writes
            .iter()
            .filter(|it| it.manner == AccessKind::Free);
        assert_eq!(frees.count(), 1, "a later free stands for an earlier one");
    }

    #[test]
    fn a_free_has_to_come_after_a_read_that_a_write_raced_with() {
        let mut history = AccessHistory::default();
        take(&mut history, access(1, 1, AccessKind::Read, 0..8));
        take(&mut history, access(2, 2, AccessKind::Write, 0..8));
        let free = access(3, 3, AccessKind::Free, 0..8);
        assert_eq!(
            found(&history, &free),
            [("FREE_WHILE_IN_USE", 2), ("FREE_WHILE_IN_USE", 1)]
        );
        assert_eq!(
            found(&history, &access(3, 4, AccessKind::Write, 0..8)),
            [("WAW", 2)]
        );
    }
}
