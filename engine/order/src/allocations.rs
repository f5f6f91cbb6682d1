//! Memory in stream order where one host thread calls: whether it is allocated, also where aborts drop what was called.
//!
//! An abort drops for certain what stands for something that has not come to pass. Of what the host does not know to have
//! ended it drops what comes after some point, and where that is, nobody knows: so every such point is looked at. What an
//! abort drops is known once it is called, and the same calls are then taken in once more: that tells it to those that
//! are called before the abort as well.

use super::clock::{ClockMember, MemberClock};
use super::hazard::{CallOrigin, HazardKind, HazardParty, HazardRelation};

/// Calls that are remembered; before them each is taken to have run.
const MOST_CALLS: usize = 256;
/// Courses of events that are looked at.
const MOST_COURSES: usize = 64;

/// What a call does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryAction {
    Allocates,
    Uses,
    Frees,
}

impl MemoryAction {
    /// What it is where the memory is not there.
    const fn of_nothing(self) -> HazardKind {
        match self {
            Self::Frees => HazardKind::FreeOfNothing,
            _ => HazardKind::UseOfNothing,
        }
    }
}

/// The abort that drops an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DroppingAbort {
    /// The number of its call.
    pub sequence: u64,
    pub origin: CallOrigin,
    /// Whether it drops the operation for certain. If not, it may have run.
    pub is_certain: bool,
}

/// A call that allocates or frees.
#[derive(Clone, Copy, Debug)]
struct AllocationCall {
    party: HazardParty,
    sequence: u64,
    frees: bool,
    dropped_by: Option<DroppingAbort>,
    /// Where it may be dropped: whoever knows this member knows that it ran.
    proof: Option<ClockMember>,
}

/// Whether there is memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum MemoryState {
    #[default]
    Never,
    /// By this call.
    Allocated(HazardParty),
    Freed,
    /// It was allocated by this call on a device that is lost.
    Lost(HazardParty),
}

/// What may have happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct AllocationPath {
    state: MemoryState,
    /// The aborts that have begun to drop: what comes later on their streams is dropped as well.
    dropping: Vec<CallOrigin>,
    /// The latest allocation and the latest free since then that were dropped.
    lost: [Option<LostCall>; 2],
}

/// A call that an abort dropped, and whether it did so for certain.
type LostCall = (HazardParty, CallOrigin, bool);

/// What is wrong with a call, and the call that it is wrong because of.
pub(super) type AllocationFault = (HazardKind, HazardRelation, Option<HazardParty>);

/// The calls that allocate and free a buffer, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct AllocationLog {
    before: MemoryState,
    calls: Vec<AllocationCall>,
    /// Whether an abort drops one of them, or may.
    has_drops: bool,
}

impl AllocationLog {
    /// Of memory that this call had allocated on a device that was lost; nothing was called since.
    pub const fn after_loss(lost: Option<HazardParty>) -> Self {
        Self {
            before: match lost {
                Some(party) => MemoryState::Lost(party),
                None => MemoryState::Never,
            },
            calls: Vec::new(),
            has_drops: false,
        }
    }

    /// The call that the device's loss leaves without effect, where the memory is allocated: the latest that may be.
    pub fn allocated(&self) -> Option<HazardParty> {
        let calls = self.calls.iter();
        let calls = calls.filter(|it| it.dropped_by.is_none_or(|it| !it.is_certain));
        match calls.fold(self.before, after) {
            MemoryState::Allocated(party) | MemoryState::Lost(party) => Some(party),
            MemoryState::Never | MemoryState::Freed => None,
        }
    }

    /// A call allocates the buffer, or frees it, unless an abort drops its operation.
    pub fn note(
        &mut self,
        (party, sequence): (HazardParty, u64),
        frees: bool,
        dropped_by: Option<DroppingAbort>,
    ) {
        if self.calls.len() >= MOST_CALLS {
            let rest = self.calls.split_off(MOST_CALLS / 2);
            for call in std::mem::replace(&mut self.calls, rest) {
                if call.dropped_by.is_none_or(|it| !it.is_certain) {
                    self.before = after(self.before, &call);
                }
            }
        }
        self.has_drops |= dropped_by.is_some();
        self.calls.push(AllocationCall {
            party,
            sequence,
            frees,
            dropped_by,
            proof: None,
        });
    }

    /// Whoever knows this member knows that a call was not dropped.
    pub fn note_proof(&mut self, sequence: u64, proof: ClockMember) {
        let place = self.calls.partition_point(|it| it.sequence < sequence);
        let call = self.calls.get_mut(place);
        if let Some(call) = call.filter(|it| it.sequence == sequence) {
            call.proof = Some(proof);
        }
    }

    /// What is wrong with a call by what was called before it, where its stream knows this; uses after a free are found
    /// elsewhere.
    pub fn judge(
        &self,
        deed: MemoryAction,
        sequence: u64,
        known: &MemberClock,
    ) -> Option<AllocationFault> {
        let count = self.calls.partition_point(|it| it.sequence < sequence);
        let calls = self.calls.get(..count).unwrap_or_default();
        let courses = self.courses(calls, known);
        let is_allocated = |it: &AllocationPath| matches!(it.state, MemoryState::Allocated(_));
        let is_wrong = |it: &&AllocationPath| (deed == MemoryAction::Allocates) == is_allocated(it);
        let count = courses.iter().filter(is_wrong).count();
        // Where something had no effect, that is what to name.
        let mut wrong = courses.iter().filter(is_wrong);
        let told = wrong.clone().find(|it| it.blames(deed).is_some());
        let course = told.or_else(|| wrong.next())?;
        let is_certain = count == courses.len();
        let blamed = course.blames(deed);
        let relation = match blamed {
            Some((_, abort, true)) if is_certain => HazardRelation::Dropped(abort),
            Some((_, abort, _)) => HazardRelation::MayBeDropped(abort),
            None if is_certain && matches!(course.state, MemoryState::Lost(_)) => {
                HazardRelation::Lost
            }
            None if is_certain => HazardRelation::Ordered,
            None => HazardRelation::MayBeDropped(any_abort(calls)?),
        };
        match (deed, course.state) {
            (MemoryAction::Allocates, MemoryState::Allocated(first)) => {
                Some((HazardKind::SecondAllocation, relation, Some(first)))
            }
            _ => match (blamed, course.state) {
                (Some((party, ..)), _) | (None, MemoryState::Lost(party)) => {
                    Some((deed.of_nothing(), relation, Some(party)))
                }
                (None, MemoryState::Never) => Some((deed.of_nothing(), relation, None)),
                (None, _) => None,
            },
        }
    }

    /// What may have happened by these calls before one that runs and knows this.
    fn courses(&self, calls: &[AllocationCall], known: &MemberClock) -> Vec<AllocationPath> {
        let first = AllocationPath {
            state: self.before,
            ..AllocationPath::default()
        };
        if !self.has_drops {
            let state = calls.iter().fold(first.state, after);
            return vec![AllocationPath { state, ..first }];
        }
        let mut courses = vec![first];
        for call in calls {
            let mut next: Vec<AllocationPath> = Vec::new();
            for course in &courses {
                for it in course.after(call, known) {
                    if next.len() < MOST_COURSES && !next.contains(&it) {
                        next.push(it);
                    }
                }
            }
            courses = next;
        }
        courses
    }
}

impl AllocationPath {
    /// What may follow with one more call, so far as another knows.
    fn after(&self, call: &AllocationCall, known: &MemberClock) -> Vec<Self> {
        let effective = || {
            let state = after(self.state, call);
            Self {
                state,
                dropping: self.dropping.clone(),
                lost: [None; 2],
            }
        };
        let dropped = |abort: CallOrigin, is_certain: bool| {
            let mut course = self.clone();
            let lost = Some((call.party, abort, is_certain));
            let [allocation, free] = course.lost;
            course.lost = if call.frees {
                [allocation, lost]
            } else {
                [lost, free]
            };
            if !is_certain && !course.dropping.contains(&abort) {
                course.dropping.push(abort);
            }
            course
        };
        let ran = call.proof.is_some_and(|proof| known.get(proof) > 0);
        match call.dropped_by.filter(|_| !ran) {
            None => vec![effective()],
            Some(it) if it.is_certain || self.dropping.contains(&it.origin) => {
                vec![dropped(it.origin, it.is_certain)]
            }
            Some(it) => vec![effective(), dropped(it.origin, false)],
        }
    }

    /// The call that was dropped, without which another would not be wrong.
    const fn blames(&self, deed: MemoryAction) -> Option<LostCall> {
        let [allocation, free] = self.lost;
        match deed {
            MemoryAction::Allocates => free,
            _ => allocation,
        }
    }
}

/// An abort that may drop some of these calls.
fn any_abort(calls: &[AllocationCall]) -> Option<CallOrigin> {
    let mut aborts = calls.iter().rev().filter_map(|it| it.dropped_by);
    let abort = aborts.clone().find(|it| !it.is_certain);
    abort.or_else(|| aborts.next()).map(|it| it.origin)
}

fn after(state: MemoryState, call: &AllocationCall) -> MemoryState {
    match (call.frees, state) {
        (false, _) => MemoryState::Allocated(call.party),
        (true, MemoryState::Never | MemoryState::Lost(_)) => state,
        (true, _) => MemoryState::Freed,
    }
}
