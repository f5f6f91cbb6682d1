//! The one conversion between capture time and points on screen, and the arithmetic of pan and zoom.

use engine::time::{Interval, Nanos};

/// The shortest interval that can be shown, in nanoseconds: closer there is nothing more to see.
pub const SHORTEST: i64 = 20;

/// The longest interval that can be shown, in nanoseconds: some 29 years.
const LONGEST: i64 = 1 << 60;

/// Which instants are visible, and where.
///
/// Time becomes `f64` here and nowhere else: a position inside the view is taken from the whole
/// nanoseconds since its start, so that it stays exact however late in the capture it lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    start: Nanos,
    fraction: f64,
    length: f64,
    left: f32,
    width: f32,
    points_per_nano: f64,
}

impl Scale {
    /// Shows `interval` in `width` points from `left` on.
    pub fn new(interval: Interval, left: f32, width: f32) -> Self {
        Self::exact(interval.start, 0.0, interval.length().0 as f64, left, width)
    }

    /// Shows `length` nanoseconds from a `fraction` of a nanosecond after `start` on.
    pub fn exact(start: Nanos, fraction: f64, length: f64, left: f32, width: f32) -> Self {
        let (length, width) = (length.max(1.0), width.max(1.0));
        Self {
            start,
            fraction,
            length,
            left,
            width,
            points_per_nano: f64::from(width) / length,
        }
    }

    /// Where the view begins, in points.
    pub fn left(&self) -> f32 {
        self.left
    }

    /// Where the view ends, in points.
    pub fn right(&self) -> f32 {
        self.left + self.width
    }

    /// How wide the view is, in points.
    pub fn width(&self) -> f32 {
        self.width
    }

    /// How much time is visible, in nanoseconds.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// The visible instants, rounded outwards.
    pub fn interval(&self) -> Interval {
        let end = (self.fraction + self.length).ceil() as i64;
        Interval::new(self.start, self.start + Nanos(end))
    }

    /// How much time a point is wide, in nanoseconds.
    pub fn nanos_per_point(&self) -> f64 {
        self.length / f64::from(self.width)
    }

    /// The horizontal position of `time`, in points; far outside the view it is clamped to what
    /// `f32` can hold without losing its order.
    pub fn x_from_time(&self, time: Nanos) -> f32 {
        let since = (time - self.start).0 as f64 - self.fraction;
        let x = since * self.points_per_nano;
        x.clamp(-1e6, 1e6) as f32 + self.left
    }

    /// The instant at the horizontal position `x`, rounded to the nearest nanosecond.
    pub fn time_from_x(&self, x: f32) -> Nanos {
        let since = f64::from(x - self.left) * self.nanos_per_point() + self.fraction;
        self.start + Nanos(since.round() as i64)
    }

    /// How many points further `other` begins, where both are of the same width and length.
    pub fn panned(&self, other: &Self) -> Option<f64> {
        let is_pan =
            self.length == other.length && self.left == other.left && self.width == other.width;
        let since = (other.start - self.start).0 as f64 + (other.fraction - self.fraction);
        is_pan.then_some(since * self.points_per_nano)
    }

    /// The same, beginning `points` further.
    #[must_use]
    pub fn further(&self, points: f64) -> Self {
        let since = self.fraction + points / self.points_per_nano;
        Self {
            start: self.start + Nanos(since.floor() as i64),
            fraction: since - since.floor(),
            ..*self
        }
    }

    /// The same conversion to pixels, `density` of which are a point; those left of `first` count below zero.
    pub fn pixels(&self, density: f64, first: f64) -> PixelScale {
        let per_nano = self.points_per_nano * density;
        let zero = f64::from(self.left) * density - first - self.fraction * per_nano;
        PixelScale {
            start: self.start,
            zero: zero + 0.5 + f64::from(ORIGIN),
            per_nano,
        }
    }

    /// The column that spans are folded to: the greatest power of two nanoseconds of at most
    /// `points` points, and no less than one nanosecond.
    pub fn column(&self, points: f64) -> Nanos {
        let longest = (self.nanos_per_point() * points).max(1.0);
        Nanos(1 << (longest.log2().floor() as u32).min(60))
    }
}

/// Pixels are counted from here while they have fractions: what is left of the first is above zero too, where leaving the
/// fraction away rounds down.
const ORIGIN: i32 = 1 << 30;

/// The conversion from capture time to whole pixels, for what is drawn by the thousand.
#[derive(Clone, Copy, Debug)]
pub struct PixelScale {
    start: Nanos,
    zero: f64,
    per_nano: f64,
}

impl PixelScale {
    /// The same for instants in steps of two to the power of `shift` nanoseconds since `base`, from the pixel `least` to
    /// the pixel `most`: those further off are there.
    pub fn steps(&self, (base, shift): (Nanos, u32), [least, most]: [i32; 2]) -> StepScale {
        StepScale {
            zero: self.zero + (base - self.start).0 as f64 * self.per_nano,
            per_step: self.per_nano * (1_u64 << shift.min(63)) as f64,
            least: ORIGIN + least,
            most: ORIGIN + most,
        }
    }

    /// The edge between pixels that is nearest to `time`.
    pub fn at(&self, time: Nanos) -> i32 {
        let pixel = ((time - self.start).0 as f64 * self.per_nano + self.zero) as i32;
        pixel.saturating_sub(ORIGIN)
    }
}

/// The conversion from instants in 32 bits to whole pixels.
#[derive(Clone, Copy, Debug)]
pub struct StepScale {
    zero: f64,
    per_step: f64,
    least: i32,
    most: i32,
}

impl StepScale {
    /// The edge between pixels that is nearest to an instant.
    pub fn at(&self, step: u32) -> i32 {
        let pixel = (f64::from(step) * self.per_step + self.zero) as i32;
        pixel.max(self.least).min(self.most) - ORIGIN
    }
}

/// `interval` moved by `by`, its length kept.
pub fn moved(interval: Interval, by: Nanos) -> Interval {
    let length = interval.length();
    let start = interval.start + by;
    Interval::new(start, start + length)
}

/// `interval` made `factor` times as long, with `anchor` staying where it is on screen.
pub fn zoomed(interval: Interval, anchor: Nanos, factor: f64) -> Interval {
    let length = interval.length().0.max(1);
    let wanted = (length as f64 * factor).round();
    let wanted = wanted.clamp(SHORTEST as f64, LONGEST as f64) as i64;
    let share = (anchor - interval.start).0 as f64 / length as f64;
    let start = anchor - Nanos((share * wanted as f64).round() as i64);
    Interval::new(start, start + Nanos(wanted))
}

/// `interval` with a margin of `share` of its length at both ends, and long enough to be shown.
pub fn padded(interval: Interval, share: f64) -> Interval {
    let length = interval.length().0.max(1);
    let margin = ((length as f64 * share).ceil() as i64).max((SHORTEST - length + 1) / 2);
    let margin = Nanos(margin.max(0));
    Interval::new(interval.start - margin, interval.end + margin)
}

/// `interval` kept near `extent`: half of it may lie outside, or all that is longer than `extent`.
pub fn clamped(interval: Interval, extent: Interval) -> Interval {
    let length = interval.length();
    let half = Nanos(length.0 / 2);
    let first = (extent.start - half).min(extent.end - length);
    let last = (extent.end - half).max(extent.start);
    let start = interval.start.clamp(first, last);
    Interval::new(start, start + length)
}

/// The interval to show when `target` is not yet in `view`: as long as before, or just long
/// enough, with `target` in the middle.
pub fn revealed(view: Interval, target: Interval) -> Interval {
    if view.start <= target.start && target.end <= view.end {
        return view;
    }
    if target.length() > view.length() {
        return padded(target, 0.1);
    }
    let middle = Nanos(target.start.0.midpoint(target.end.0));
    let start = middle - Nanos(view.length().0 / 2);
    Interval::new(start, start + view.length())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(start: i64, end: i64) -> Interval {
        Interval::new(Nanos(start), Nanos(end))
    }

    #[test]
    fn a_position_and_its_time_agree() {
        let scale = Scale::new(
            interval(1_000_000_000_000, 1_000_000_001_000),
            100.0,
            1000.0,
        );
        assert_eq!(scale.x_from_time(Nanos(1_000_000_000_250)), 350.0);
        assert_eq!(scale.time_from_x(350.0), Nanos(1_000_000_000_250));
        assert_eq!(scale.x_from_time(Nanos::MAX), 1e6 + 100.0);
        assert_eq!(scale.x_from_time(Nanos::MIN), -1e6 + 100.0);
    }

    #[test]
    fn pixels_are_the_same_from_instants_and_from_steps() {
        let scale = Scale::new(interval(5_000, 6_000), 10.0, 700.0);
        let pixels = scale.pixels(1.5, 3.0);
        let steps = pixels.steps((Nanos(4_900), 0), [-32, 1_100]);
        for step in 0..1_130 {
            assert_eq!(
                steps.at(step),
                pixels.at(Nanos(4_900 + i64::from(step))).max(-32)
            );
        }
        assert_eq!(
            [4_987, 4_988, 4_989, 4_991].map(|time| pixels.at(Nanos(time))),
            [-2, -1, 0, 3],
            "no pixel is wider than others"
        );
        assert!(pixels.at(Nanos(-1 << 60)) < -ORIGIN && pixels.at(Nanos(1 << 60)) > ORIGIN - 2);
        assert_eq!((steps.at(0), steps.at(u32::MAX)), (-32, 1_100));
        let coarse = pixels.steps((Nanos(4_900), 3), [-32, 1_100]);
        assert_eq!(coarse.at(25), steps.at(200));
    }

    #[test]
    fn the_column_is_a_power_of_two_that_fits() {
        for length in [20_i64, 1_000, 77_777, 1 << 40] {
            let scale = Scale::new(interval(0, length), 0.0, 1400.0);
            let column = scale.column(4.0).0;
            assert!(column.count_ones() == 1);
            let points = column as f64 / scale.nanos_per_point();
            assert!(
                column == 1 || (points > 2.0 - 1e-9 && points <= 4.0),
                "{points}"
            );
        }
    }

    #[test]
    fn zoom_keeps_the_anchor_and_stops_at_the_shortest() {
        let view = interval(0, 1000);
        assert_eq!(zoomed(view, Nanos(250), 0.5), interval(125, 625));
        assert_eq!(zoomed(view, Nanos(250), 0.0).length(), Nanos(SHORTEST));
        assert_eq!(
            zoomed(view, Nanos(0), f64::INFINITY).length(),
            Nanos(LONGEST)
        );
        let back = zoomed(zoomed(view, Nanos(400), 0.25), Nanos(400), 4.0);
        assert_eq!(back, view);
    }

    #[test]
    fn a_view_stays_near_its_capture() {
        let extent = interval(0, 100);
        assert_eq!(clamped(interval(-500, -400), extent), interval(-50, 50));
        assert_eq!(clamped(interval(900, 1000), extent), interval(50, 150));
        assert_eq!(clamped(interval(10, 30), extent), interval(10, 30));
        assert_eq!(clamped(interval(0, 400), extent), interval(0, 400));
    }

    #[test]
    fn revealing_moves_only_when_it_must() {
        let view = interval(0, 100);
        assert_eq!(revealed(view, interval(10, 20)), view);
        assert_eq!(revealed(view, interval(200, 220)), interval(160, 260));
        assert_eq!(revealed(view, interval(1000, 2000)), interval(900, 2100));
        assert_eq!(padded(interval(5, 5), 0.1), interval(-5, 15));
    }
}
