//! Memory in stream order where one host thread calls: whether it is allocated, also where aborts drop what was called.
//!
//! An abort drops for certain what stands for something that has not come to pass. Of what the host does not know to have
//! ended it drops what comes after some point, and where that is, nobody knows: so every such point is looked at.

use super::clock::Member;
use super::hazard::{HazardKind, Origin, Party, Relation};

/// Calls that are remembered; before them each is taken to have run.
const MOST_CALLS: usize = 256;
/// Courses of events that are looked at.
const MOST_COURSES: usize = 64;

/// What a call does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryDeed {
    Allocates,
    Uses,
    Frees,
}

impl MemoryDeed {
    /// What it is where the memory is not there.
    const fn of_nothing(self) -> HazardKind {
        match self {
            Self::Frees => HazardKind::FreeOfNothing,
            _ => HazardKind::UseOfNothing,
        }
    }
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallFate {
    Runs,
    /// This abort drops it, or not.
    MayBeDropped(Origin),
    Dropped(Origin),
}

/// A call that allocates or frees.
#[derive(Clone, Copy, Debug)]
struct AllocationCall {
    party: Party,
    sequence: u64,
    frees: bool,
    /// Which operation it is of whom, once its stream has come to it.
    turn: Option<(Member, u32)>,
    fate: CallFate,
}

/// Whether there is memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum MemoryState {
    #[default]
    Never,
    /// By this call.
    Allocated(Party),
    Freed,
}

/// What may have happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Course {
    state: MemoryState,
    /// The aborts that have begun to drop: what comes later on their streams is dropped as well.
    dropping: Vec<Origin>,
    /// The latest allocation and the latest free since then that were dropped.
    lost: [Option<LostCall>; 2],
}

/// A call that an abort dropped, and whether it did so for certain.
type LostCall = (Party, Origin, bool);

/// What is wrong with a call, and the call that it is wrong because of.
pub(super) type AllocationFault = (HazardKind, Relation, Option<Party>);

/// The calls that allocate and free a buffer, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct AllocationLog {
    before: MemoryState,
    calls: Vec<AllocationCall>,
    /// Whether an abort may have dropped one of them.
    has_drops: bool,
}

impl AllocationLog {
    /// A call allocates the buffer, or frees it.
    pub fn note(&mut self, party: Party, sequence: u64, frees: bool) {
        if self.calls.len() >= MOST_CALLS {
            let rest = self.calls.split_off(MOST_CALLS / 2);
            for call in std::mem::replace(&mut self.calls, rest) {
                if !matches!(call.fate, CallFate::Dropped(_)) {
                    self.before = after(self.before, &call);
                }
            }
        }
        self.calls.push(AllocationCall {
            party,
            sequence,
            frees,
            turn: None,
            fate: CallFate::Runs,
        });
    }

    /// The stream of a call has come to it.
    pub fn note_turn(&mut self, sequence: u64, turn: (Member, u32)) {
        let place = self.calls.partition_point(|it| it.sequence < sequence);
        let call = self.calls.get_mut(place);
        if let Some(call) = call.filter(|it| it.sequence == sequence) {
            call.turn = Some(turn);
        }
    }

    /// An abort drops the operations of the calls with these numbers for certain, and maybe those of `member` after a time.
    pub fn abort(&mut self, abort: Origin, dropped: &[u64], (member, known): (Member, u32)) {
        let live = self.calls.iter_mut();
        for call in live.filter(|it| it.fate == CallFate::Runs) {
            if dropped.contains(&call.sequence) {
                call.fate = CallFate::Dropped(abort);
            } else if call.turn.is_some_and(|it| it.0 == member && it.1 > known) {
                call.fate = CallFate::MayBeDropped(abort);
            } else {
                continue;
            }
            self.has_drops = true;
        }
    }

    /// What is wrong with a call by what was called before it; uses after a free are found elsewhere.
    pub fn judge(&self, deed: MemoryDeed, sequence: u64) -> Option<AllocationFault> {
        let courses = self.courses(sequence);
        let is_allocated = |it: &Course| matches!(it.state, MemoryState::Allocated(_));
        let is_wrong = |it: &&Course| (deed == MemoryDeed::Allocates) == is_allocated(it);
        let count = courses.iter().filter(is_wrong).count();
        // Where something had no effect, that is what to name.
        let mut wrong = courses.iter().filter(is_wrong);
        let told = wrong.clone().find(|it| it.blames(deed).is_some());
        let course = told.or_else(|| wrong.next())?;
        let is_certain = count == courses.len();
        let blamed = course.blames(deed);
        let relation = match blamed {
            Some((_, abort, true)) if is_certain => Relation::Dropped(abort),
            Some((_, abort, _)) => Relation::MayBeDropped(abort),
            None if is_certain => Relation::Ordered,
            None => Relation::MayBeDropped(self.any_abort()?),
        };
        match (deed, course.state) {
            (MemoryDeed::Allocates, MemoryState::Allocated(first)) => {
                Some((HazardKind::SecondAllocation, relation, Some(first)))
            }
            _ => match (blamed, course.state) {
                (Some((party, ..)), _) => Some((deed.of_nothing(), relation, Some(party))),
                (None, MemoryState::Never) => Some((deed.of_nothing(), relation, None)),
                (None, _) => None,
            },
        }
    }

    fn any_abort(&self) -> Option<Origin> {
        self.calls.iter().rev().find_map(|it| match it.fate {
            CallFate::MayBeDropped(abort) | CallFate::Dropped(abort) => Some(abort),
            CallFate::Runs => None,
        })
    }

    /// What may have happened before a call.
    fn courses(&self, sequence: u64) -> Vec<Course> {
        let count = self.calls.partition_point(|it| it.sequence < sequence);
        let calls = self.calls.get(..count).unwrap_or_default();
        let first = Course {
            state: self.before,
            ..Course::default()
        };
        if !self.has_drops {
            let state = calls.iter().fold(first.state, after);
            return vec![Course { state, ..first }];
        }
        let mut courses = vec![first];
        for call in calls {
            let mut next: Vec<Course> = Vec::new();
            for course in &courses {
                for it in course.after(call) {
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

impl Course {
    /// What may follow with one more call.
    fn after(&self, call: &AllocationCall) -> Vec<Self> {
        let effective = || {
            let state = after(self.state, call);
            Self {
                state,
                dropping: self.dropping.clone(),
                lost: [None; 2],
            }
        };
        let dropped = |abort: Origin, is_certain: bool| {
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
        match call.fate {
            CallFate::Runs => vec![effective()],
            CallFate::Dropped(abort) => vec![dropped(abort, true)],
            CallFate::MayBeDropped(abort) if self.dropping.contains(&abort) => {
                vec![dropped(abort, false)]
            }
            CallFate::MayBeDropped(abort) => vec![effective(), dropped(abort, false)],
        }
    }

    /// The call that was dropped, without which another would not be wrong.
    const fn blames(&self, deed: MemoryDeed) -> Option<LostCall> {
        let [allocation, free] = self.lost;
        match deed {
            MemoryDeed::Allocates => free,
            _ => allocation,
        }
    }
}

fn after(state: MemoryState, call: &AllocationCall) -> MemoryState {
    match (call.frees, state) {
        (false, _) => MemoryState::Allocated(call.party),
        (true, MemoryState::Never) => MemoryState::Never,
        (true, _) => MemoryState::Freed,
    }
}
