//! Memory in stream order where several host threads call: whether it is allocated when they use it, by the order of calls.
//!
//! Calls come in as they happened to be made, and what is found must not depend on that. So what a call comes after is
//! asked of host threads and signals alone, and what nothing orders is said as that.

use super::access_history::UseCaller;
use super::clock::ClockMark;
use super::hazard::{Hazard, HazardKind, HazardParty, HazardRelation};
use super::stream::OrderedHost;
use record::BufferIndex;

/// A call that allocates, uses or frees memory.
#[derive(Clone, Debug)]
pub(super) struct MemoryCall {
    pub party: HazardParty,
    /// Which of all calls it was.
    pub sequence: u64,
    /// What its host thread knew.
    pub mark: ClockMark,
}

impl MemoryCall {
    /// Whether it comes before another in every run.
    fn is_before(&self, other: &Self) -> bool {
        if self.party.host == other.party.host {
            self.sequence < other.sequence
        } else {
            other.mark.clock.get(self.mark.member) >= self.mark.time
        }
    }

    fn is_unordered(&self, other: &Self) -> bool {
        !self.is_before(other) && !other.is_before(self)
    }

    const fn place(&self) -> (u32, u32) {
        (self.party.origin.site, self.party.host)
    }
}

/// A use, or a `free`, before which no allocation is called.
#[derive(Clone, Debug)]
struct OrphanedUse {
    kind: HazardKind,
    call: MemoryCall,
    /// Whether some allocation may come before it by chance.
    is_told: bool,
}

/// What is known of the memory of a buffer.
#[derive(Clone, Debug, Default)]
pub(super) struct Lifetime {
    /// The first and the latest allocation of each host thread and site.
    firsts: Vec<MemoryCall>,
    latest: Vec<MemoryCall>,
    /// The latest `free` of each host thread and site.
    frees: Vec<MemoryCall>,
    orphans: Vec<OrphanedUse>,
    /// Two allocations without a `free` between.
    seconds: Vec<(MemoryCall, MemoryCall)>,
    /// The call that had allocated it on a device that is lost.
    lost: Option<HazardParty>,
}

impl Lifetime {
    /// Of memory that this call had allocated on a device that was lost; nothing was called since.
    pub fn after_loss(lost: Option<HazardParty>) -> Self {
        Self {
            lost,
            ..Self::default()
        }
    }

    /// The call that the device's loss leaves without effect, where the memory may be allocated: of several the one that
    /// stands first in the source.
    pub fn allocated(&self) -> Option<HazardParty> {
        let is_freed = |made: &MemoryCall| self.frees.iter().any(|it| made.is_before(it));
        let live = self.latest.iter().filter(|it| !is_freed(it));
        let first = live.min_by_key(|it| it.place()).map(|it| it.party);
        first.or(self.lost.filter(|_| self.latest.is_empty()))
    }

    /// The buffer is allocated. Gives what may come before that by chance.
    pub fn allocate(&mut self, buffer: BufferIndex, call: MemoryCall) -> Vec<Hazard> {
        let mut found = Vec::new();
        for orphan in &mut self.orphans {
            if !orphan.call.is_before(&call) {
                orphan.is_told = true;
                found.push(by_chance(
                    HazardKind::UseBeforeAllocation,
                    buffer,
                    (&call, &orphan.call),
                ));
            }
        }
        for first in &self.latest {
            let is_freed = |it: &MemoryCall| first.is_before(it) && it.is_before(&call);
            if !first.is_before(&call) {
                let pair = in_order(first, &call);
                found.push(by_chance(HazardKind::SecondAllocation, buffer, pair));
            } else if !self.frees.iter().any(is_freed) {
                self.seconds.push((first.clone(), call.clone()));
            }
        }
        if self.firsts.iter().all(|it| it.place() != call.place()) {
            self.firsts.push(call.clone());
        }
        replace(&mut self.latest, call);
        found
    }

    /// The buffer is used or freed. Gives the allocations that may come before that by chance, where none does for certain.
    pub fn touch(
        &mut self,
        buffer: BufferIndex,
        kind: HazardKind,
        call: MemoryCall,
    ) -> Vec<Hazard> {
        let mut found = Vec::new();
        if !self.firsts.iter().any(|it| it.is_before(&call)) {
            let pairs = self.firsts.iter().map(|it| (it, &call));
            found
                .extend(pairs.map(|pair| by_chance(HazardKind::UseBeforeAllocation, buffer, pair)));
            if self
                .orphans
                .iter()
                .all(|it| it.call.place() != call.place())
            {
                self.orphans.push(OrphanedUse {
                    kind,
                    call: call.clone(),
                    is_told: !found.is_empty(),
                });
            }
        }
        if kind == HazardKind::FreeOfNothing {
            replace(&mut self.frees, call);
        }
        found
    }

    /// Whether the buffer is allocated anew between an earlier use and a call that knows this.
    pub fn is_anew(
        &self,
        hosts: &[OrderedHost],
        earlier: UseCaller,
        (caller, known): (UseCaller, &ClockMark),
    ) -> bool {
        let member = hosts.get(earlier.host as usize).map(|it| it.known.member);
        self.latest.iter().any(|it| {
            let is_after = if it.party.host == earlier.host {
                earlier.sequence < it.sequence
            } else {
                member.is_some_and(|member| it.mark.clock.get(member) >= earlier.time)
            };
            let is_before = if it.party.host == caller.host {
                it.sequence < caller.sequence
            } else {
                known.clock.get(it.mark.member) >= it.mark.time
            };
            is_after && is_before
        })
    }

    /// An abort dropped the operations of these calls.
    pub fn forget(&mut self, dropped: &[u64]) {
        let is_left = |it: &MemoryCall| !dropped.contains(&it.sequence);
        for calls in [&mut self.firsts, &mut self.latest, &mut self.frees] {
            calls.retain(is_left);
        }
        self.orphans.retain(|it| is_left(&it.call));
        self.seconds.retain(|it| is_left(&it.0) && is_left(&it.1));
    }

    /// Every call was made: what is wrong in whichever order they come.
    pub fn conclude(&mut self, buffer: BufferIndex) -> Vec<Hazard> {
        let orphans = std::mem::take(&mut self.orphans);
        let orphans = orphans.iter().filter(|it| !it.is_told);
        let of_nothing = |it: &OrphanedUse| {
            let (relation, first) = match self.lost {
                Some(lost) => (HazardRelation::Lost, lost),
                None => (HazardRelation::Ordered, it.call.party),
            };
            Hazard {
                first,
                ..hazard(it.kind, relation, buffer, (&it.call, &it.call))
            }
        };
        let mut found: Vec<Hazard> = orphans.map(of_nothing).collect();
        for (first, second) in std::mem::take(&mut self.seconds) {
            let mut frees = self.frees.iter();
            let is_chance = frees.any(|it| it.is_unordered(&first) || it.is_unordered(&second));
            let relation = if is_chance {
                HazardRelation::Hosts
            } else {
                HazardRelation::Ordered
            };
            found.push(hazard(
                HazardKind::SecondAllocation,
                relation,
                buffer,
                (&first, &second),
            ));
        }
        found
    }
}

/// Keeps a call in place of the one before it by the same host thread from the same site.
fn replace(calls: &mut Vec<MemoryCall>, call: MemoryCall) {
    match calls.iter_mut().find(|it| it.place() == call.place()) {
        Some(slot) => *slot = call,
        None => calls.push(call),
    }
}

/// Two calls in the order in which they were made.
fn in_order<'a>(one: &'a MemoryCall, other: &'a MemoryCall) -> (&'a MemoryCall, &'a MemoryCall) {
    if one.place() <= other.place() {
        (one, other)
    } else {
        (other, one)
    }
}

fn by_chance(kind: HazardKind, buffer: BufferIndex, pair: (&MemoryCall, &MemoryCall)) -> Hazard {
    hazard(kind, HazardRelation::Hosts, buffer, pair)
}

const fn hazard(
    kind: HazardKind,
    relation: HazardRelation,
    buffer: BufferIndex,
    (first, second): (&MemoryCall, &MemoryCall),
) -> Hazard {
    Hazard {
        kind,
        relation,
        buffer,
        first: first.party,
        second: second.party,
    }
}
