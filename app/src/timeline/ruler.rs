//! Where the ruler puts its ticks, and what it writes at them.

use engine::time::Nanos;

use super::scale::Scale;

/// A tick of the ruler.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Its instant.
    pub time: Nanos,
    /// Its horizontal position, in points.
    pub x: f32,
    /// What is written at it, such as `375 µs`; empty for a tick between two written ones.
    pub label: String,
}

/// How far apart written ticks are at least, in points.
const SPACING: f64 = 110.0;

/// The units a ruler may use, with their nanoseconds, the greatest first.
const UNITS: [(&str, i64); 6] = [
    ("h", 3_600_000_000_000),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("µs", 1_000),
    ("ns", 1),
];

/// The ticks in view, from left to right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ruler {
    /// Deep in a capture, the instant that the written ticks count from; it is written once, such
    /// as `12.345 678 s`, and the ticks as `+40 ns`.
    pub base: Option<(Nanos, String)>,
    /// Written ticks and the bare ones between them.
    pub ticks: Vec<Tick>,
}

/// The ruler of `scale`.
///
/// All ticks are written in one unit with the same number of decimals, so that they compare at a
/// glance.
pub fn ruler(scale: &Scale) -> Ruler {
    let (step, parts) = step(scale.nanos_per_point() * SPACING);
    let interval = scale.interval();
    let unit = unit(step);
    let long = unit.1.saturating_mul(10_000);
    let far = |time: Nanos| time.0.saturating_abs();
    let furthest = far(interval.end).max(far(interval.start));
    let base = (furthest >= long && interval.length().0 < long).then(|| {
        let whole = unit.1.saturating_mul(1_000).max(step);
        let base = Nanos(interval.start.0.div_euclid(whole).saturating_mul(whole));
        (base, precise(base))
    });
    let minor = step / parts;
    let origin = base.as_ref().map_or(0, |(base, _)| base.0);
    let first = interval.start.0.saturating_sub(origin).div_euclid(minor);
    let last = interval.end.0.saturating_sub(origin).div_euclid(minor);
    let ticks = (first..=last).take(1024).map(|place| {
        let since = Nanos(place.saturating_mul(minor));
        let label = if place.rem_euclid(parts) == 0 {
            let sign = if base.is_some() { "+" } else { "" };
            format!("{sign}{}", written(since, step, unit))
        } else {
            String::new()
        };
        let time = since + Nanos(origin);
        let x = scale.x_from_time(time);
        Tick { time, x, label }
    });
    let ticks = ticks.collect();
    Ruler { base, ticks }
}

/// `time` in seconds with all digits that are not zero, in groups of three.
fn precise(time: Nanos) -> String {
    let nanos = time.0.unsigned_abs();
    let sign = if time.0 < 0 { "-" } else { "" };
    let mut text = format!("{sign}{}", nanos / 1_000_000_000);
    let fraction = format!("{:09}", nanos % 1_000_000_000);
    let digits = fraction.trim_end_matches('0').len().div_ceil(3) * 3;
    for (place, digit) in fraction.chars().take(digits).enumerate() {
        if place % 3 == 0 {
            // A narrow space that keeps the groups on one line.
            text.push(if place == 0 { '.' } else { '\u{202f}' });
        }
        text.push(digit);
    }
    text + " s"
}

/// The distance between written ticks, at least `least` nanoseconds, and into how many parts it
/// is divided.
fn step(least: f64) -> (i64, i64) {
    // Above a second, steps follow the clock and not the powers of ten.
    const CLOCK: [(i64, i64); 11] = [
        (1, 5),
        (2, 4),
        (5, 5),
        (10, 5),
        (15, 3),
        (30, 6),
        (60, 6),
        (120, 4),
        (300, 5),
        (600, 5),
        (1_800, 3),
    ];
    const SECOND: i64 = 1_000_000_000;
    const HOUR: i64 = 3_600 * SECOND;
    tens(1, least)
        .filter(|&(step, _)| step < SECOND)
        .or_else(|| {
            let clock = CLOCK.map(|(factor, parts)| (SECOND * factor, parts));
            clock.into_iter().find(|&(step, _)| step as f64 >= least)
        })
        .or_else(|| tens(HOUR, least))
        .unwrap_or((i64::MAX / 4, 1))
}

/// One, two or five times a power of ten times `grain`, at least `least`, and its parts.
fn tens(grain: i64, least: f64) -> Option<(i64, i64)> {
    let powers = std::iter::successors(Some(grain), |power| power.checked_mul(10));
    powers
        .flat_map(|power| [(1, 5), (2, 4), (5, 5)].map(|(factor, parts)| (power, factor, parts)))
        .filter_map(|(power, factor, parts)| Some((power.checked_mul(factor)?, parts)))
        .find(|&(step, _)| step as f64 >= least)
        .map(|(step, parts)| (step, if step < parts { 1 } else { parts }))
}

/// The greatest unit of which `step` is a whole number, or 1 % of it at least.
fn unit(step: i64) -> (&'static str, i64) {
    UNITS
        .into_iter()
        .find(|&(name, nanos)| step >= nanos || (name == "s" && step >= nanos / 10))
        .unwrap_or(("ns", 1))
}

/// `time` in `unit`, with as many decimals as a multiple of `step` needs.
fn written(time: Nanos, step: i64, (name, nanos): (&str, i64)) -> String {
    if time == Nanos::ZERO {
        return "0".to_owned();
    }
    let mut decimals = 0;
    let mut grain = nanos;
    while grain > 1 && step % grain != 0 && decimals < 3 {
        grain = (grain / 10).max(1);
        decimals += 1;
    }
    let value = time.0 as f64 / nanos as f64;
    format!("{value:.decimals$} {name}")
}

#[cfg(test)]
mod tests {
    use engine::time::Interval;

    use super::*;

    fn labels(start: i64, end: i64) -> Vec<String> {
        let scale = Scale::new(Interval::new(Nanos(start), Nanos(end)), 0.0, 1000.0);
        ruler(&scale)
            .ticks
            .into_iter()
            .map(|tick| tick.label)
            .filter(|label| !label.is_empty())
            .collect()
    }

    #[test]
    fn labels_share_a_unit_and_are_aligned_to_it() {
        let found = labels(300_000, 790_000);
        assert_eq!(found[..3], ["300 µs", "400 µs", "500 µs"]);
        assert_eq!(labels(-50, 50)[..3], ["-40 ns", "-20 ns", "0"]);
        assert_eq!(labels(0, 9_000_000_000)[..3], ["0", "1 s", "2 s"]);
        assert_eq!(labels(0, 1_500_000_000)[..3], ["0", "0.2 s", "0.4 s"]);
    }

    #[test]
    fn deep_in_a_capture_ticks_count_from_a_base() {
        let interval = Interval::new(Nanos(12_345_678_900_000), Nanos(12_345_678_900_090));
        let ruler = ruler(&Scale::new(interval, 0.0, 1000.0));
        let (base, text) = ruler.base.unwrap();
        assert_eq!(base, Nanos(12_345_678_900_000));
        assert_eq!(text, "12345.678\u{202f}900 s");
        assert_eq!(labels(interval.start.0, interval.end.0)[1], "+10 ns");
        assert_eq!(precise(Nanos(-2_000_000_000)), "-2 s");
    }

    #[test]
    fn every_zoom_has_a_handful_of_ticks_far_enough_apart() {
        for power in 5..60 {
            let scale = Scale::new(
                Interval::new(Nanos(7), Nanos(7 + (1 << power))),
                0.0,
                1400.0,
            );
            let ticks = ruler(&scale).ticks;
            let written: Vec<&Tick> = ticks.iter().filter(|tick| !tick.label.is_empty()).collect();
            assert!(
                (2..=14).contains(&written.len()),
                "2^{power}: {}",
                written.len()
            );
            let gap = written[1].x - written[0].x;
            assert!(gap >= SPACING as f32 * 0.999, "2^{power}: {gap}");
            assert!(
                ticks.iter().all(|tick| tick.label.chars().count() <= 9),
                "{written:?}"
            );
        }
    }
}
