//! Playing what was measured again, slower: a head that goes through the time of the capture.

use engine::time::{Interval, Nanos};

/// How many times slower than it happened a capture can be played.
pub const SPEEDS: &[u32] = &[1, 10, 100, 1_000, 10_000, 100_000];

/// What is to be played takes at least so long where nobody chose a speed.
const LEAST: Nanos = Nanos(4_000_000_000);

/// Where playing is, and how it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Playback {
    /// Where the head is.
    pub at: Nanos,
    /// How many times slower than it happened.
    pub slower: u32,
    /// Whether the head moves.
    pub is_playing: bool,
    /// Whether it begins again at the end.
    pub is_looped: bool,
}

impl Playback {
    /// From the beginning of `all`, as slow as can be followed.
    pub fn new(all: Interval) -> Self {
        let length = all.length().0;
        let is_slow = |slower: &&u32| length.saturating_mul(i64::from(**slower)) >= LEAST.0;
        let slower = SPEEDS.iter().find(is_slow).or(SPEEDS.last());
        Self {
            at: all.start,
            slower: slower.copied().unwrap_or(1),
            is_playing: false,
            is_looped: false,
        }
    }

    /// How far the head moves in `seconds` of the clock on the wall.
    pub fn step(&self, seconds: f64) -> Nanos {
        Nanos((seconds * 1e9 / f64::from(self.slower)).round() as i64)
    }

    /// The same, moved on by `by` within `all`: at its end it begins again, or stops.
    #[must_use]
    pub fn moved(mut self, by: Nanos, all: Interval) -> Self {
        self.at = (self.at + by).max(all.start);
        if self.at >= all.end {
            let is_again = self.is_looped && all.length() > Nanos::ZERO;
            self.at = if is_again { all.start } else { all.end };
            self.is_playing &= is_again;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_stops_at_the_end_or_begins_again() {
        let all = Interval::new(Nanos(100), Nanos(200));
        let mut play = Playback {
            is_playing: true,
            ..Playback::new(all)
        };
        assert_eq!((play.at, play.slower), (Nanos(100), 100_000));
        play = play.moved(Nanos(60), all);
        assert_eq!((play.at, play.is_playing), (Nanos(160), true));
        let ended = play.moved(Nanos(60), all);
        assert_eq!((ended.at, ended.is_playing), (Nanos(200), false));
        play.is_looped = true;
        let again = play.moved(Nanos(60), all);
        assert_eq!((again.at, again.is_playing), (Nanos(100), true));
    }

    #[test]
    fn a_second_of_the_wall_is_a_fraction_of_the_capture() {
        let long = Interval::new(Nanos::ZERO, Nanos(60_000_000_000));
        let mut play = Playback::new(long);
        assert_eq!(play.step(0.5), Nanos(500_000_000));
        play.slower = 1_000;
        assert_eq!(play.step(0.5), Nanos(500_000));
    }
}
