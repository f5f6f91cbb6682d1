//! What a stream, a host thread or an event knows to have ended: for each of them, up to which of its operations.
//!
//! A clock is a list of blocks that clocks share until one of them learns more, and a block takes a byte an entry
//! while its entries lie close together. So the records of many events on many streams cost what they know anew, and
//! even where all of it differs, 110,000 clocks of 10,000 entries stay below 1.6 GB.

use std::sync::Arc;

/// Entries of a block.
const BLOCK: usize = 128;
/// Entries of a narrow block may be apart by this much.
const NEAR: u32 = u8::MAX as u32 - 1;

/// One of those that have operations in an order of their own: a stream, a host thread.
pub(super) type Member = u32;

/// For each member, up to which of its operations it is known to have come; 0 for nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock {
    blocks: Option<Arc<Vec<Option<Arc<Block>>>>>,
}

/// Entries of neighbouring members.
#[derive(Clone, Debug)]
enum Block {
    /// 0 for nothing, and otherwise one more than the distance from the least entry.
    Narrow(u32, [u8; BLOCK]),
    Wide(Box<[u32; BLOCK]>),
}

impl Clock {
    /// Up to which operation of `member` it knows.
    pub fn get(&self, member: Member) -> u32 {
        let (block, place) = split(member);
        let blocks = self.blocks.as_ref();
        let block = blocks.and_then(|blocks| blocks.get(block)?.as_ref());
        block.map_or(0, |block| block.get(place))
    }

    /// It knows `member` up to `time`, from now on.
    pub fn set(&mut self, member: Member, time: u32) {
        let (block, place) = split(member);
        let blocks = Arc::make_mut(self.blocks.get_or_insert_default());
        if blocks.len() <= block {
            blocks.resize_with(block + 1, || None);
        }
        let Some(slot) = blocks.get_mut(block) else {
            return;
        };
        let empty = || Arc::new(Block::Narrow(time, [0; BLOCK]));
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

/// The blocks of `theirs` that tell `ours` something, joined with what is known.
fn news(ours: &[Option<Arc<Block>>], theirs: &[Option<Arc<Block>>]) -> Vec<(usize, Arc<Block>)> {
    let theirs = theirs.iter().enumerate();
    let told = theirs.filter_map(|(place, block)| Some((place, block.as_ref()?)));
    told.filter_map(|(place, theirs)| {
        let joined = match ours.get(place).and_then(Option::as_ref) {
            Some(ours) => Block::joined(ours, theirs)?,
            None => Arc::clone(theirs),
        };
        Some((place, joined))
    })
    .collect()
}

const fn split(member: Member) -> (usize, usize) {
    (member as usize / BLOCK, member as usize % BLOCK)
}

impl Block {
    fn get(&self, place: usize) -> u32 {
        match self {
            Self::Narrow(least, near) => near.get(place).map_or(0, |&near| widen(*least, near)),
            Self::Wide(wide) => wide.get(place).copied().unwrap_or_default(),
        }
    }

    fn set(&mut self, place: usize, time: u32) {
        match self {
            Self::Narrow(least, near) if time.wrapping_sub(*least) < NEAR => {
                if let Some(slot) = near.get_mut(place) {
                    *slot = (time - *least) as u8 + 1;
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
        // Nothing wraps round to the far end, so that the least of what is left is the least entry.
        let least = wide.iter().map(|time| time.wrapping_sub(1)).min();
        let least = least.unwrap_or_default().wrapping_add(1);
        if most.saturating_sub(least) < NEAR {
            let near = |time: u32| (time.wrapping_sub(least) as u8).wrapping_add(1);
            Self::Narrow(
                least,
                wide.map(|time| if time == 0 { 0 } else { near(time) }),
            )
        } else {
            Self::Wide(Box::new(*wide))
        }
    }

    /// The two as one; nothing where `theirs` tells nothing new.
    fn joined(ours: &Arc<Self>, theirs: &Arc<Self>) -> Option<Arc<Self>> {
        if Arc::ptr_eq(ours, theirs) {
            return None;
        }
        let (known, told) = (ours.wide(), theirs.wide());
        let mut both = known;
        for (both, told) in both.iter_mut().zip(&told) {
            *both = (*both).max(*told);
        }
        if both == known {
            None
        } else if both == told {
            Some(Arc::clone(theirs))
        } else {
            Some(Arc::new(Self::of(&both)))
        }
    }
}

const fn widen(least: u32, near: u8) -> u32 {
    if near == 0 {
        0
    } else {
        least.wrapping_add(near as u32 - 1)
    }
}

/// What one member knew right after one of its operations.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub member: Member,
    pub time: u32,
    pub clock: Clock,
}

/// A member's own time, and what it knows of others.
#[derive(Clone, Debug, Default)]
pub(super) struct Knowledge {
    pub member: Member,
    pub time: u32,
    clock: Clock,
}

impl Knowledge {
    /// Of nothing.
    pub fn new(member: Member) -> Self {
        Self {
            member,
            time: 0,
            clock: Clock::default(),
        }
    }

    /// Up to which operation of `member` it knows.
    pub fn get(&self, member: Member) -> u32 {
        if member == self.member {
            self.time
        } else {
            self.clock.get(member)
        }
    }

    /// It knows nothing of others.
    pub fn forget(&mut self) {
        self.clock = Clock::default();
    }

    /// One more operation of its own.
    pub const fn tick(&mut self) {
        self.time += 1;
    }

    /// Takes in what another knew; whether that was news. Whoever knows a member up to a time learned it together
    /// with all that the member knew by then, so that one comparison tells. Must be followed by [`Self::tick`] before
    /// the next [`Self::mark`] where it was news.
    pub fn join(&mut self, mark: &Mark) -> bool {
        if self.get(mark.member) >= mark.time {
            return false;
        }
        self.clock.join(&mark.clock);
        self.clock.set(mark.member, mark.time);
        true
    }

    /// What it knows now.
    pub fn mark(&self) -> Mark {
        Mark {
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
        let mut clocks = vec![Clock::default(); 8];
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
    fn clocks_share_what_they_know_alike() {
        let mut first = Clock::default();
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
        assert!(size_of::<Block>() <= BLOCK + 8);
    }
}
