//! Counters as steps: the least and the greatest value of each column of pixels, at a cost of pixels.

use engine::capture::Samples;
use engine::time::{Interval, Nanos};

use super::scale::Scale;

/// Each level of the pyramid stands for two to the power of this many values of the one below.
const SHIFT: usize = 6;

/// Levels above the values: 64, 4,096, 262,144 and 16,777,216 values each.
const LEVELS: usize = 4;

/// The least and the greatest of some values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueRange {
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

impl ValueRange {
    fn of(value: f64) -> Self {
        let (low, high) = (value, value);
        Self { low, high }
    }

    fn merge(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }
}

/// The ranges of the values of one counter at several sizes; it grows with its samples.
#[derive(Default)]
pub struct Pyramid {
    levels: [Vec<ValueRange>; LEVELS],
    len: usize,
    last: Option<Nanos>,
}

impl Pyramid {
    /// Brings it up to `samples`. Samples that came late, before others, make it start again.
    pub fn update(&mut self, samples: &Samples) {
        let before = self.len.checked_sub(1);
        let last = before.and_then(|at| samples.times().get(at)).copied();
        if last != self.last {
            *self = Self::default();
        }
        for (at, &value) in samples.values().iter().enumerate().skip(self.len) {
            let mut place = at;
            for ranges in &mut self.levels {
                place >>= SHIFT;
                match ranges.get_mut(place) {
                    Some(range) => *range = range.merge(ValueRange::of(value)),
                    None => ranges.push(ValueRange::of(value)),
                }
            }
        }
        self.len = samples.values().len();
        self.last = samples.times().last().copied();
    }

    /// The range of the values at the positions `from..to`; nothing where there are none.
    pub fn range(&self, samples: &Samples, mut from: usize, to: usize) -> Option<ValueRange> {
        let to = to.min(self.len);
        let mut whole: Option<ValueRange> = None;
        while from < to {
            let level = (0..LEVELS).rev().find(|level| {
                let size = 1 << (SHIFT * (level + 1));
                from.is_multiple_of(size) && from + size <= to
            });
            let (part, size) = match level {
                Some(level) => {
                    let shift = SHIFT * (level + 1);
                    let ranges = self.levels.get(level)?;
                    (*ranges.get(from >> shift)?, 1 << shift)
                }
                None => (ValueRange::of(*samples.values().get(from)?), 1),
            };
            whole = Some(whole.map_or(part, |whole| whole.merge(part)));
            from += size;
        }
        whole
    }

    /// The range of all values.
    pub fn whole(&self) -> Option<ValueRange> {
        let top = self.levels.last()?;
        top.iter().copied().reduce(ValueRange::merge)
    }
}

/// A piece of a plot: between two positions the values lie in `range`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlotStep {
    /// Where it begins, in points.
    pub left: f32,
    /// Where it ends, in points.
    pub right: f32,
    /// The least and the greatest value that hold there.
    pub range: ValueRange,
}

/// The steps of a counter in the view: a step a sample where they are wide enough, and else one a
/// column of `column` points. The last value holds until `end`.
pub fn steps(
    pyramid: &Pyramid,
    samples: &Samples,
    scale: &Scale,
    end: Nanos,
    column: f32,
) -> Vec<PlotStep> {
    let times = samples.times();
    let view = Interval::new(scale.interval().start, scale.interval().end.min(end));
    let mut steps = Vec::new();
    let mut at = times
        .partition_point(|&time| time <= view.start)
        .saturating_sub(1);
    while let Some(&time) = times.get(at) {
        if time >= view.end {
            break;
        }
        let left = scale.x_from_time(time.max(view.start));
        let edge = scale.time_from_x(left + column);
        let after = times.partition_point(|&time| time <= edge).max(at + 1);
        // The value in force at the column's end goes on into the next step.
        let next = if after > at + 1 { after - 1 } else { after };
        let until = times.get(next).copied().unwrap_or(view.end).min(view.end);
        let right = scale.x_from_time(until);
        if let Some(range) = pyramid.range(samples, at, next) {
            steps.push(PlotStep { left, right, range });
        }
        at = next;
    }
    steps
}

#[cfg(test)]
mod tests {
    use engine::capture::Capture;
    use engine::record::{CounterId, Record, Sample};

    use super::*;

    fn capture(values: impl Iterator<Item = f64>) -> Capture {
        let mut capture = Capture::new();
        capture.apply(values.enumerate().map(|(at, value)| {
            Record::Sample(Sample {
                counter: CounterId(0),
                time: Nanos(at as i64 * 10),
                value,
            })
        }));
        capture
    }

    #[test]
    fn the_pyramid_agrees_with_looking_at_every_value() {
        let value = |at: usize| ((at * 7919) % 10_007) as f64;
        let capture = capture((0..10_000).map(value));
        let samples = capture.samples(CounterId(0));
        let mut pyramid = Pyramid::default();
        pyramid.update(samples);
        for (from, to) in [
            (0, 10_000),
            (1, 2),
            (63, 4_161),
            (64, 128),
            (4_096, 9_999),
            (5, 5),
        ] {
            let plain = (from..to)
                .map(|at| ValueRange::of(value(at)))
                .reduce(ValueRange::merge);
            assert_eq!(pyramid.range(samples, from, to), plain, "{from}..{to}");
        }
        assert_eq!(pyramid.whole(), pyramid.range(samples, 0, 10_000));
    }

    #[test]
    fn it_grows_and_starts_again_when_samples_come_late() {
        let mut capture = capture((0..100).map(f64::from));
        let mut pyramid = Pyramid::default();
        pyramid.update(capture.samples(CounterId(0)));
        for (time, value) in [(5_000, 500.0), (7, -9.0)] {
            let (counter, time) = (CounterId(0), Nanos(time));
            capture.apply([Record::Sample(Sample {
                counter,
                time,
                value,
            })]);
            let samples = capture.samples(CounterId(0));
            pyramid.update(samples);
            let mut fresh = Pyramid::default();
            fresh.update(samples);
            assert_eq!(pyramid.levels, fresh.levels);
        }
    }

    #[test]
    fn steps_hold_their_value_until_the_next_sample() {
        let capture = capture([1.0, 5.0, 2.0].into_iter());
        let samples = capture.samples(CounterId(0));
        let mut pyramid = Pyramid::default();
        pyramid.update(samples);
        let scale = Scale::new(Interval::new(Nanos(0), Nanos(100)), 0.0, 1000.0);
        let found = steps(&pyramid, samples, &scale, Nanos(50), 2.0);
        let shape: Vec<(f32, f32, f64)> = found
            .iter()
            .map(|step| (step.left, step.right, step.range.high))
            .collect();
        assert_eq!(
            shape,
            [(0.0, 100.0, 1.0), (100.0, 200.0, 5.0), (200.0, 500.0, 2.0)]
        );
    }

    #[test]
    fn steps_cost_pixels_and_keep_every_peak() {
        let capture = capture((0..100_000).map(|at| if at == 77_777 { 9.0 } else { 1.0 }));
        let samples = capture.samples(CounterId(0));
        let mut pyramid = Pyramid::default();
        pyramid.update(samples);
        let scale = Scale::new(Interval::new(Nanos(0), Nanos(1_000_000)), 0.0, 1000.0);
        let found = steps(&pyramid, samples, &scale, Nanos(1_000_000), 2.0);
        assert!(found.len() <= 502, "{}", found.len());
        assert_eq!(
            found.iter().filter(|step| step.range.high == 9.0).count(),
            1
        );
        for pair in found.windows(2) {
            assert_eq!(pair[0].right, pair[1].left);
        }
    }
}
