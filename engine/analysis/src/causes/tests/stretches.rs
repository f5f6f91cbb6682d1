//! Paths of stretches: asked for one after another they are what each is alone, and they add up to their stretch whatever the
//! times are.

use super::*;
use crate::causes::PathReader;

/// The next of a series of numbers that looks drawn by chance, below `most`.
fn drawn(seed: &mut u64, most: i64) -> i64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    ((*seed >> 33) % most as u64) as i64
}

fn assert_paths_of_stretches(capture: &Capture, stretches: &[Interval]) {
    let causes = Causes::build(capture);
    let reader = causes.read(capture);
    let mut paths = PathReader::new(&reader);
    for within in stretches {
        let path = paths.within(*within);
        assert_eq!(path, reader.path_within(*within), "{within:?}");
        let asked = within.intersection(causes.extent());
        let mut at = asked.map(|it| it.start);
        for segment in &path {
            assert_eq!(Some(segment.interval.start), at, "{within:?}: {path:?}");
            at = Some(segment.interval.end);
        }
        assert_eq!(at, asked.map(|it| it.end), "{within:?}: {path:?}");
    }
}

#[test]
fn stretches_in_order_of_time_have_the_paths_that_they_have_alone() {
    for seed in 0..60_u64 {
        let mut seed = seed;
        let mut small = SmallCapture::new();
        let (mut call, mut ends) = (0, [0_i64; 3]);
        let mut kernels = Vec::new();
        for _ in 0..=drawn(&mut seed, 24) {
            let lane = LEFT + drawn(&mut seed, 2) as u32;
            let begins = ends[lane as usize].max(call + 5) + drawn(&mut seed, 60);
            let ran = [begins, begins + drawn(&mut seed, 90) + 1];
            let kernel = small.launched(lane, call, ran);
            if drawn(&mut seed, 3) == 0
                && let Some(other) = kernels.get(drawn(&mut seed, 24) as usize)
            {
                small.tie(*other, kernel, DependencyKind::Event, Basis::Enforced);
            }
            kernels.push(kernel);
            ends[lane as usize] = ran[1];
            call += 5 + drawn(&mut seed, 120);
        }
        let last = ends.into_iter().max().unwrap_or_default();
        // One call lies over most of the stretches.
        small.span(THREAD, SpanKind::Synchronize, [call, call.max(last) + 9]);
        let capture = small.capture();
        let step = drawn(&mut seed, 70) + 5;
        let starts = (0..40).map(|place| place * step);
        let stretches = starts.map(|it| Interval::new(Nanos(it), Nanos(it + step)));
        let stretches: Vec<_> = stretches.collect();
        assert_paths_of_stretches(&capture, &stretches);
    }
}

/// Two operations that each came after the other, as a file may say: the walk back ends there.
#[test]
fn a_circle_at_one_instant_ends_the_path_and_what_was_before_is_unknown() {
    let mut small = SmallCapture::new();
    small.launched(LEFT, 0, [10, 20]);
    let [one, other] = [LEFT, RIGHT].map(|lane| small.span(lane, SpanKind::EventRecord, [90, 90]));
    small.tie(one, other, DependencyKind::Event, Basis::Enforced);
    small.tie(other, one, DependencyKind::Event, Basis::Enforced);
    let last = small.span(RIGHT, SpanKind::Kernel, [90, 200]);
    small.tie(one, last, DependencyKind::Event, Basis::Enforced);
    let capture = small.capture();
    let stretches = [(0, 200), (15, 95), (95, 180)];
    let stretches = stretches.map(|(start, end)| Interval::new(Nanos(start), Nanos(end)));
    assert_paths_of_stretches(&capture, &stretches);
}

/// Each operation came after the next one, which lies a nanosecond later: clocks may differ by that, and not by all of it together.
#[test]
fn causes_that_lie_later_and_later_end_the_path() {
    let mut small = SmallCapture::new();
    let mut later = None;
    for place in (0..3_000).rev() {
        let at = 1_000 + place;
        let lane = LEFT + (place % 2) as u32;
        let own = small.span(lane, SpanKind::EventRecord, [at, at]);
        if let Some(later) = later.replace(own) {
            small.tie(later, own, DependencyKind::Event, Basis::Enforced);
        }
    }
    let capture = small.capture();
    let stretches: Vec<_> = (900..4_100).step_by(50).collect();
    let stretches = stretches.into_iter();
    let stretches = stretches.map(|it| Interval::new(Nanos(it), Nanos(it + 50)));
    assert_paths_of_stretches(&capture, &stretches.collect::<Vec<_>>());
}
