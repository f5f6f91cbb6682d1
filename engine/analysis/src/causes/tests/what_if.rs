//! What would be with something changed.

use super::super::WhatIf;
use super::*;

/// In captures of runs a wait is a span of its own: without it, what it held begins once its stream comes to it.
#[test]
fn a_wait_that_is_a_span_is_left_out_by_its_name() {
    let mut small = SmallCapture::new();
    let long = small.launched(LEFT, 0, [2_000, 900_000]);
    let record = small.span(LEFT, SpanKind::EventRecord, [900_000, 900_000]);
    let wait = small.span(RIGHT, SpanKind::EventWait, [3_000, 900_000]);
    let held = small.span(RIGHT, SpanKind::Kernel, [900_000, 1_900_000]);
    small.tie(record, wait, DependencyKind::Event, Basis::Enforced);
    for (span, name) in [
        (long, "long"),
        (record, "record"),
        (wait, "wait"),
        (held, "held"),
    ] {
        small.call_it(span, name);
    }
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let without = |cause: &str, effect: &str| {
        reader.what_if(&WhatIf {
            dropped_waits: vec![(cause.to_owned(), effect.to_owned())],
            ..WhatIf::default()
        })
    };
    let found = without("record", "wait");
    assert_eq!((found.dropped_waits, found.saved), (1, Nanos(897_000)));
    let found = without("long", "held");
    assert_eq!((found.dropped_waits, found.saved), (0, Nanos::ZERO));
}
