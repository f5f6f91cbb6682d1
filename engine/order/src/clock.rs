//! What a stream, a host thread or an event knows to have ended: for each of them, up to which of its operations.
//!
//! A clock is a list of blocks that clocks share until one of them learns more, and a block takes a byte an entry
//! while its entries lie close together. So the records of many events on many streams cost what they know anew, and
//! even where all of it differs, 110,000 clocks of 10,000 entries stay below 1.6 GB.

use std::sync::Arc;

/// Entries of a block.
const BLOCK: usize = 128;
/// Narrow blocks begin at multiples of this, so that most of those that are joined begin alike.
const STEP: u32 = 64;

/// One of those that have operations in an order of their own: a stream, a host thread.
pub(super) type ClockMember = u32;

/// For each member, up to which of its operations it is known to have come; 0 for nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct VectorClock {
    blocks: Option<Arc<Vec<Option<Arc<ClockBlock>>>>>,
}

/// Entries of neighbouring members.
#[derive(Clone, Debug)]
enum ClockBlock {
    /// 0 for nothing, and otherwise the distance from the number before all entries.
    Narrow(u32, [u8; BLOCK]),
    Wide(Box<[u32; BLOCK]>),
}

impl VectorClock {
    /// Up to which operation of `member` it knows.
    pub fn get(&self, member: ClockMember) -> u32 {
        let (block, place) = split(member);
        let blocks = self.blocks.as_ref();
        let block = blocks.and_then(|blocks| blocks.get(block)?.as_ref());
        block.map_or(0, |block| block.get(place))
    }

    /// It knows `member` up to `time`, from now on.
    pub fn set(&mut self, member: ClockMember, time: u32) {
        let (block, place) = split(member);
        let blocks = Arc::make_mut(self.blocks.get_or_insert_default());
        if blocks.len() <= block {
            blocks.resize_with(block + 1, || None);
        }
        let Some(slot) = blocks.get_mut(block) else {
            return;
        };
        let empty = || Arc::new(ClockBlock::Narrow(before(time), [0; BLOCK]));
        Arc::make_mut(slot.get_or_insert_with(empty)).set(place, time);
    }

    /// It knows what `other` knows, besides what it knew.
    pub fn join(&mut self, other: &Self) {
        let Some(theirs) = &other.blocks else {
            return;
        };
        let Some(ours) = &mut self.blocks else {
            self.blocks = Some(Arc::clone(theirs));
            return;
        };
        if Arc::ptr_eq(ours, theirs) {
            return;
        }
        let news = news(ours, theirs);
        if news.is_empty() {
            return;
        }
        let blocks = Arc::make_mut(ours);
        blocks.resize_with(blocks.len().max(theirs.len()), || None);
        for (place, block) in news {
            if let Some(slot) = blocks.get_mut(place) {
                *slot = Some(block);
            }
        }
    }
}

impl VectorClock {
    /// What both know.
    pub fn common(&self, other: &Self) -> Self {
        let (Some(ours), Some(theirs)) = (&self.blocks, &other.blocks) else {
            return Self::default();
        };
        let both = ours.iter().zip(theirs.iter());
        let blocks = both.map(|both| match both {
            (Some(ours), Some(theirs)) => Some(ClockBlock::common(ours, theirs)),
            _ => None,
        });
        Self {
            blocks: Some(Arc::new(blocks.collect())),
        }
    }

    /// Whether it knows as much as another.
    pub fn is_same(&self, other: &Self) -> bool {
        let len = |it: &Self| it.blocks.as_ref().map_or(0, |it| it.len());
        let block = |it: &Self, place: usize| {
            let block = it
                .blocks
                .as_ref()
                .and_then(|it| it.get(place)?.as_deref().map(ClockBlock::wide));
            block.unwrap_or([0; BLOCK])
        };
        (0..len(self).max(len(other))).all(|place| block(self, place) == block(other, place))
    }
}

/// The blocks of `theirs` that tell `ours` something, joined with what is known.
fn news(
    ours: &[Option<Arc<ClockBlock>>],
    theirs: &[Option<Arc<ClockBlock>>],
) -> Vec<(usize, Arc<ClockBlock>)> {
    let theirs = theirs.iter().enumerate();
    let told = theirs.filter_map(|(place, block)| Some((place, block.as_ref()?)));
    told.filter_map(|(place, theirs)| {
        let joined = match ours.get(place).and_then(Option::as_ref) {
            Some(ours) => ClockBlock::joined(ours, theirs)?,
            None => Arc::clone(theirs),
        };
        Some((place, joined))
    })
    .collect()
}

const fn split(member: ClockMember) -> (usize, usize) {
    (member as usize / BLOCK, member as usize % BLOCK)
}

impl ClockBlock {
    fn get(&self, place: usize) -> u32 {
        match self {
            Self::Narrow(least, near) => near.get(place).map_or(0, |&near| widen(*least, near)),
            Self::Wide(wide) => wide.get(place).copied().unwrap_or_default(),
        }
    }

    fn set(&mut self, place: usize, time: u32) {
        match self {
            Self::Narrow(base, near) if is_near(*base, time) => {
                if let Some(slot) = near.get_mut(place) {
                    *slot = (time - *base) as u8;
                }
            }
            Self::Wide(wide) => {
                if let Some(slot) = wide.get_mut(place) {
                    *slot = time;
                }
            }
            Self::Narrow(..) => {
                let mut wide = self.wide();
                if let Some(slot) = wide.get_mut(place) {
                    *slot = time;
                }
                *self = Self::of(&wide);
            }
        }
    }

    fn wide(&self) -> [u32; BLOCK] {
        match self {
            Self::Narrow(least, near) => near.map(|near| widen(*least, near)),
            Self::Wide(wide) => **wide,
        }
    }

    fn of(wide: &[u32; BLOCK]) -> Self {
        let most = wide.iter().copied().max().unwrap_or_default();
        let least = wide.iter().copied().filter(|time| *time > 0).min();
        let base = before(least.unwrap_or(1));
        if most == 0 || is_near(base, most) {
            let near = |time: u32| time.saturating_sub(base) as u8;
            Self::Narrow(base, wide.map(near))
        } else {
            Self::Wide(Box::new(*wide))
        }
    }

    fn common(ours: &Arc<Self>, theirs: &Arc<Self>) -> Arc<Self> {
        if Arc::ptr_eq(ours, theirs) {
            return Arc::clone(ours);
        }
        let (mut known, told) = (ours.wide(), theirs.wide());
        for (known, told) in known.iter_mut().zip(&told) {
            *known = (*known).min(*told);
        }
        Arc::new(Self::of(&known))
    }

    /// The two as one; nothing where `theirs` tells nothing new.
    fn joined(ours: &Arc<Self>, theirs: &Arc<Self>) -> Option<Arc<Self>> {
        if Arc::ptr_eq(ours, theirs) {
            return None;
        }
        if let (Self::Narrow(base, known), Self::Narrow(other, told)) = (&**ours, &**theirs)
            && base == other
        {
            let both = latest(known, told);
            return choose(known, told, &both, theirs, || Self::Narrow(*base, both));
        }
        let (known, told) = (ours.wide(), theirs.wide());
        let both = latest(&known, &told);
        choose(&known, &told, &both, theirs, || Self::of(&both))
    }
}

fn latest<T: Copy + Ord>(known: &[T; BLOCK], told: &[T; BLOCK]) -> [T; BLOCK] {
    let mut both = *known;
    for (both, told) in both.iter_mut().zip(told) {
        *both = (*both).max(*told);
    }
    both
}

/// What two blocks come to: nothing new, all of `theirs`, or a block of its own.
fn choose<T: PartialEq>(
    known: &[T; BLOCK],
    told: &[T; BLOCK],
    both: &[T; BLOCK],
    theirs: &Arc<ClockBlock>,
    make: impl FnOnce() -> ClockBlock,
) -> Option<Arc<ClockBlock>> {
    if both == known {
        None
    } else if both == told {
        Some(Arc::clone(theirs))
    } else {
        Some(Arc::new(make()))
    }
}

/// The number before a narrow block whose least entry is `time`.
const fn before(time: u32) -> u32 {
    time.saturating_sub(1) / STEP * STEP
}

const fn is_near(base: u32, time: u32) -> bool {
    time > base && time - base <= u8::MAX as u32
}

const fn widen(base: u32, near: u8) -> u32 {
    if near == 0 { 0 } else { base + near as u32 }
}

/// What one member knew right after one of its operations.
#[derive(Clone, Debug)]
pub(super) struct ClockMark {
    pub member: ClockMember,
    pub time: u32,
    pub clock: VectorClock,
}

impl ClockMark {
    /// What was known, its own time included.
    pub fn whole(&self) -> VectorClock {
        let mut clock = self.clock.clone();
        clock.set(self.member, self.time);
        clock
    }
}

/// A member's own time, and what it knows of others.
#[derive(Clone, Debug, Default)]
pub(super) struct MemberClock {
    pub member: ClockMember,
    pub time: u32,
    clock: VectorClock,
    /// Whether it learned something since its own latest operation.
    has_news: bool,
}

impl MemberClock {
    /// Of nothing.
    pub fn new(member: ClockMember) -> Self {
        Self {
            member,
            time: 0,
            clock: VectorClock::default(),
            has_news: false,
        }
    }

    /// Up to which operation of `member` it knows.
    pub fn get(&self, member: ClockMember) -> u32 {
        if member == self.member {
            self.time
        } else {
            self.clock.get(member)
        }
    }

    /// What it knows of others.
    pub const fn clock(&self) -> &VectorClock {
        &self.clock
    }

    /// It knows nothing of others.
    pub fn forget(&mut self) {
        self.clock = VectorClock::default();
    }

    /// It learns of what happens once, from its next [`Self::mark`] on.
    pub fn learn(&mut self, member: ClockMember) {
        self.clock.set(member, 1);
    }

    /// One more operation of its own.
    pub const fn tick(&mut self) {
        self.time += 1;
        self.has_news = false;
    }

    /// Takes in what another knew; whether that was news. Whoever knows a member up to a time learned it together
    /// with all that the member knew by then, so that one comparison tells. Must be followed by [`Self::tick`] before
    /// the next [`Self::mark`] where it was news.
    pub fn join(&mut self, mark: &ClockMark) -> bool {
        if self.get(mark.member) >= mark.time {
            return false;
        }
        if !self.has_news && mark.clock.get(self.member) >= self.time {
            // Whoever knows its latest operation knows all that it knew by then.
            self.clock = mark.clock.clone();
        } else {
            self.clock.join(&mark.clock);
        }
        self.has_news = true;
        self.clock.set(mark.member, mark.time);
        true
    }

    /// The same where somebody may know a member up to a time without all that the member knew by then.
    pub fn join_fully(&mut self, mark: &ClockMark) -> bool {
        let known = self.clock.clone();
        self.clock.join(&mark.clock);
        if self.get(mark.member) < mark.time {
            self.clock.set(mark.member, mark.time);
        }
        let is_news = !self.clock.is_same(&known);
        self.has_news |= is_news;
        is_news
    }

    /// What it knows now.
    pub fn mark(&self) -> ClockMark {
        ClockMark {
            member: self.member,
            time: self.time,
            clock: self.clock.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Numbers that look random, the same every time.
    fn random(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        *seed >> 33
    }

    #[test]
    fn a_clock_keeps_the_latest_of_each_member() {
        let mut seed = 5;
        let mut clocks = vec![VectorClock::default(); 8];
        let mut model = vec![BTreeMap::<u32, u32>::new(); 8];
        for _ in 0..4000 {
            let (a, b) = (
                random(&mut seed) as usize % 8,
                random(&mut seed) as usize % 8,
            );
            if random(&mut seed).is_multiple_of(3) {
                let other = clocks[b].clone();
                clocks[a].join(&other);
                for (member, time) in model[b].clone() {
                    let known = model[a].entry(member).or_default();
                    *known = time.max(*known);
                }
            } else {
                let member = random(&mut seed) as u32 % 700;
                let far = [10, 300, 100_000][random(&mut seed) as usize % 3];
                let time = 1 + clocks[a].get(member) + random(&mut seed) as u32 % far;
                clocks[a].set(member, time);
                model[a].insert(member, time);
            }
            for member in 0..700 {
                let known = model[a].get(&member).copied().unwrap_or_default();
                assert_eq!(clocks[a].get(member), known, "member {member}");
            }
        }
    }

    #[test]
    fn who_is_known_to_be_behind_takes_over_all_that_the_other_knows() {
        const MEMBERS: u32 = 300;
        let mut seed = 11;
        let mut all: Vec<MemberClock> = (0..MEMBERS).map(MemberClock::new).collect();
        let mut model = vec![BTreeMap::<u32, u32>::new(); MEMBERS as usize];
        for _ in 0..6_000 {
            let member = random(&mut seed) as u32 % MEMBERS;
            let at = member as usize;
            for _ in 0..random(&mut seed) % 3 {
                // Neighbours above all, so that most know each other.
                let near = (member + 1 + random(&mut seed) as u32 % 4) % MEMBERS;
                let mark = all[near as usize].mark();
                all[at].join(&mark);
                for (other, time) in model[near as usize].clone() {
                    let known = model[at].entry(other).or_default();
                    *known = time.max(*known);
                }
            }
            all[at].tick();
            model[at].insert(member, all[at].time);
            for other in 0..MEMBERS {
                let known = model[at].get(&other).copied().unwrap_or_default();
                assert_eq!(all[at].get(other), known, "{member} of {other}");
            }
        }
    }

    #[test]
    fn what_two_clocks_have_in_common_is_the_earlier_of_each_member() {
        let mut seed = 3;
        let [mut one, mut other] = [(); 2].map(|()| VectorClock::default());
        let mut model = [[0_u32; 300]; 2];
        for _ in 0..400 {
            let which = random(&mut seed) as usize % 2;
            let (member, time) = (
                random(&mut seed) as u32 % 300,
                1 + random(&mut seed) as u32 % 900,
            );
            let clock = if which == 0 { &mut one } else { &mut other };
            clock.set(member, time);
            model[which][member as usize] = time;
        }
        let common = one.common(&other);
        for (member, (own, its)) in model[0].iter().zip(model[1]).enumerate() {
            assert_eq!(common.get(member as u32), its.min(*own), "member {member}");
        }
        assert!(common.is_same(&other.common(&one)) && !common.is_same(&one));
        assert!(VectorClock::default().is_same(&one.common(&VectorClock::default())));
    }

    #[test]
    fn clocks_share_what_they_know_alike() {
        let mut first = VectorClock::default();
        (0..1000).for_each(|member| first.set(member, 7));
        let mut second = first.clone();
        second.set(3, 9);
        first.join(&second);
        let (first, second) = (first.blocks.unwrap(), second.blocks.unwrap());
        for (first, second) in first.iter().zip(second.iter()) {
            assert!(Arc::ptr_eq(
                first.as_ref().unwrap(),
                second.as_ref().unwrap()
            ));
        }
    }

    #[test]
    fn a_block_takes_a_byte_an_entry() {
        assert!(size_of::<ClockBlock>() <= BLOCK + 8);
    }
}
