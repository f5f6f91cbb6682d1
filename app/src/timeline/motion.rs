//! The visible interval on its way: a zoom eases for a moment, so that the eye can follow it.

use engine::time::{Interval, Nanos};

use super::scale::Scale;

/// How long a zoom eases, in seconds.
const SECONDS: f64 = 0.12;

/// What is shown now, and where it goes.
#[derive(Clone, Copy, Debug, Default)]
pub struct ViewAnimation {
    target: Option<Interval>,
    from: Interval,
    began: f64,
}

/// An interval that may begin and end between two nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShownInterval {
    start: Nanos,
    fraction: f64,
    length: f64,
}

impl ShownInterval {
    /// The scale that shows it in `width` points from `left` on.
    pub fn scale(self, left: f32, width: f32) -> Scale {
        Scale::exact(self.start, self.fraction, self.length, left, width)
    }
}

impl ViewAnimation {
    /// What to show at `now` (in seconds) on the way to `target`, and whether it is still under way.
    /// A small change and a `direct` one happen at once.
    pub fn step(&mut self, target: Interval, now: f64, direct: bool) -> (ShownInterval, bool) {
        match self.target {
            Some(before) if before == target => {}
            Some(before) => {
                let from = self.at(before, now);
                self.from = from;
                self.began = if direct || is_near(from, target) {
                    f64::NEG_INFINITY
                } else {
                    now
                };
            }
            None => self.began = f64::NEG_INFINITY,
        }
        self.target = Some(target);
        let share = self.share(now);
        let whole = ShownInterval {
            start: target.start,
            fraction: 0.0,
            length: target.length().0 as f64,
        };
        if share >= 1.0 {
            return (whole, false);
        }
        (self.between(target, share), true)
    }

    fn share(&self, now: f64) -> f64 {
        ((now - self.began) / SECONDS).clamp(0.0, 1.0)
    }

    /// Start and length move alike, so that what both ends of a zoom show at one place stays there.
    fn between(&self, target: Interval, share: f64) -> ShownInterval {
        let eased = 1.0 - (1.0 - share).powi(3);
        let travel = (target.start - self.from.start).0 as f64 * eased;
        let (before, after) = (self.from.length().0 as f64, target.length().0 as f64);
        ShownInterval {
            start: self.from.start + Nanos(travel.floor() as i64),
            fraction: travel - travel.floor(),
            length: before + (after - before) * eased,
        }
    }

    fn at(&self, target: Interval, now: f64) -> Interval {
        let share = self.share(now);
        if share >= 1.0 {
            return target;
        }
        let shown = self.between(target, share);
        Interval::new(
            shown.start,
            shown.start + Nanos(shown.length.round() as i64),
        )
    }
}

/// Whether going from one to the other at once can be followed by the eye.
fn is_near(from: Interval, to: Interval) -> bool {
    let (before, after) = (from.length().0.max(1) as f64, to.length().0.max(1) as f64);
    let travel = (to.start - from.start).0.abs() as f64;
    (0.8..=1.25).contains(&(after / before)) && travel < before * 0.25
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(start: i64, end: i64) -> Interval {
        Interval::new(Nanos(start), Nanos(end))
    }

    #[test]
    fn a_zoom_eases_and_arrives() {
        let mut motion = ViewAnimation::default();
        let (shown, moving) = motion.step(interval(0, 1000), 1.0, false);
        assert!(!moving && shown.length == 1000.0);
        let (shown, moving) = motion.step(interval(250, 500), 2.0, false);
        assert!(moving && shown.length == 1000.0);
        let (shown, moving) = motion.step(interval(250, 500), 2.06, false);
        assert!(moving && shown.length < 1000.0 && shown.length > 250.0);
        let (shown, moving) = motion.step(interval(250, 500), 2.13, false);
        assert!(!moving && shown.length == 250.0 && shown.start == Nanos(250));
    }

    #[test]
    fn the_anchor_stays_in_place_all_the_way() {
        let mut motion = ViewAnimation::default();
        motion.step(interval(0, 1200), 0.0, false);
        for step in 0..12 {
            let (shown, _) = motion.step(interval(300, 600), 1.0 + f64::from(step) * 0.01, false);
            // The anchor of this zoom is 400: a third of both.
            let at = shown.scale(0.0, 900.0).x_from_time(Nanos(400));
            assert!((at - 300.0).abs() < 0.1, "{at}");
        }
    }

    #[test]
    fn small_and_direct_changes_happen_at_once() {
        let mut motion = ViewAnimation::default();
        motion.step(interval(0, 1000), 0.0, false);
        assert!(!motion.step(interval(10, 1010), 1.0, false).1);
        assert!(!motion.step(interval(5000, 5100), 2.0, true).1);
        assert!(motion.step(interval(0, 1000), 3.0, false).1);
    }
}
