//! Lengths that a seed draws, so that one workload is seen in many of the orders that it allows.

use record::time::Nanos;

/// The most that a length is divided or multiplied by, as a power of two.
const POWER: f64 = 3.0;

/// One of so many calls is held up, as if its thread had lost its core, and takes so many times as long.
const HELD_UP: u64 = 16;
const LONGER: i64 = 1_000;

/// Draws lengths by a seed; without one, each is what its formula says.
#[derive(Clone, Copy, Debug, Default)]
pub struct DrawnLengths {
    seed: Option<u64>,
}

impl DrawnLengths {
    /// Those of a seed.
    pub const fn of(seed: Option<u64>) -> Self {
        Self { seed }
    }

    /// The length of what these two numbers tell from all else: always the same of one seed, an eighth to eight times as long
    /// as `length`, as many shorter as longer.
    pub fn length(self, length: Nanos, which: (u64, u64)) -> Nanos {
        let Some(seed) = self.seed.filter(|_| length > Nanos::ZERO) else {
            return length;
        };
        // From 0 to 1, of the 53 bits that such a number has.
        let part = (bits(seed, which) >> 11) as f64 / (1_u64 << 53) as f64;
        let drawn = length.0 as f64 * f64::exp2(POWER * (2.0 * part - 1.0));
        Nanos((drawn as i64).max(1))
    }

    /// The length of a call of host thread `host` that is made at `now`.
    pub fn call(self, length: Nanos, host: usize, now: Nanos) -> Nanos {
        let which = (host as u64, now.0 as u64);
        let drawn = self.length(length, which);
        let is_held_up = self
            .seed
            .is_some_and(|seed| bits(seed, which).is_multiple_of(HELD_UP));
        Nanos(drawn.0 * if is_held_up { LONGER } else { 1 })
    }
}

/// What a seed draws for two numbers.
const fn bits(seed: u64, which: (u64, u64)) -> u64 {
    mixed(mixed(mixed(seed) ^ which.0) ^ which.1)
}

/// A number whose bits have nothing to do with those of its neighbours (the finaliser of `SplitMix64`).
const fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_lengths_each_time_and_as_many_shorter_as_longer() {
        let length = Nanos(8_000);
        assert_eq!(DrawnLengths::default().length(length, (1, 2)), length);
        let drawn = DrawnLengths::of(Some(7));
        let of = |which| drawn.length(length, (which, 3));
        let all: Vec<Nanos> = (0..2_000).map(of).collect();
        assert_eq!(all, (0..2_000).map(of).collect::<Vec<_>>());
        assert!(all.iter().all(|it| (1_000..=64_000).contains(&it.0)));
        let shorter = all.iter().filter(|it| **it < length).count();
        assert!((850..1_150).contains(&shorter), "{shorter}");
        let other = DrawnLengths::of(Some(8)).length(length, (0, 3));
        assert_ne!(other, of(0));
        assert_eq!(drawn.length(Nanos::ZERO, (0, 0)), Nanos::ZERO);
        let calls = (0..2_000).map(|now| drawn.call(Nanos(8), 0, Nanos(now)));
        let held_up = calls.filter(|it| *it > Nanos(64)).count();
        assert!((80..180).contains(&held_up), "{held_up}");
    }
}
