//! In which order the timelines move where the specification leaves it open.

use super::case::Case;

/// How far the device timeline and the workers come between two statements of the host's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Which of the choices that the program leaves open is taken: optional steps, the kind of a loss.
    pub variant: u32,
    pace: Pace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// The device timeline does nothing until the host waits.
    Lazy,
    /// It does everything it can at once.
    Eager,
    /// Any number of steps, by this seed.
    Random(u64),
}

/// Random schedules a case.
const SEEDS: u64 = 6;

impl Schedule {
    /// All that a case is run in. Long programs are run in fewer.
    pub fn all(case: &Case) -> Vec<Self> {
        let is_long = case.says("1000 ") || case.says("100000");
        let seeds = if is_long { 1 } else { SEEDS };
        let random = (0..seeds).map(|seed| Pace::Random(seed * 7919 + 1));
        let paces: Vec<Pace> = [Pace::Lazy, Pace::Eager]
            .into_iter()
            .chain(random)
            .collect();
        let variants = 0..4;
        let with = |variant| {
            paces.iter().map(move |pace| Self {
                variant,
                pace: *pace,
            })
        };
        variants.flat_map(with).collect()
    }

    /// How many steps the device timeline may take now.
    pub const fn steps(&mut self) -> usize {
        match &mut self.pace {
            Pace::Lazy => 0,
            Pace::Eager => usize::MAX,
            Pace::Random(seed) => (next(seed) % 4) as usize,
        }
    }

    /// Whether to do one thing rather than another.
    pub const fn choose(&mut self) -> bool {
        match &mut self.pace {
            Pace::Lazy => false,
            Pace::Eager => true,
            Pace::Random(seed) => next(seed).is_multiple_of(2),
        }
    }
}

/// A linear congruential generator, as Knuth gives it: the same order on every machine.
const fn next(seed: &mut u64) -> u64 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}
