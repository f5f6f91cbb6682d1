//! Operations of one stream that overlap.

use super::*;

/// A graph of two branches, both written on one stream: neither came before the other, and what follows waits for both.
#[test]
fn overlapping_branches_of_one_launch_do_not_blame_each_other() {
    let mut small = SmallCapture::new();
    let before = small.launched(LEFT, 0, [3_000, 50_000]);
    let call = small.span(THREAD, SpanKind::Call, [10_000, 12_000]);
    let long = small.span(LEFT, SpanKind::Kernel, [51_000, 400_000]);
    let short = small.span(LEFT, SpanKind::Kernel, [52_000, 90_000]);
    let late = small.span(LEFT, SpanKind::Kernel, [300_000, 330_000]);
    for node in [long, short, late] {
        small.tie(call, node, DependencyKind::Submission, Basis::Enforced);
    }
    let after = small.launched(LEFT, 20_000, [402_000, 410_000]);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    assert_eq!(kind(&reader, long), (CauseKind::Stream, before));
    assert_eq!(kind(&reader, short), (CauseKind::Stream, before));
    assert_eq!(kind(&reader, after), (CauseKind::Stream, long));
    let cause = reader.of(SpanId(late)).unwrap();
    assert!(cause.is_unknown && cause.is_branch);
    let said = format!("{:?}", reader.sentence(SpanId(late)).unwrap());
    assert!(said.contains("operations of its launch overlap"), "{said}");
}

/// Operations without a launch that overlap on one stream, as those of Ascend do: each came after the one that ended last
/// before it, and what follows them all after the one that ended last.
#[test]
fn of_operations_without_a_launch_that_overlap_the_one_that_ended_last_is_named() {
    let mut small = SmallCapture::new();
    let before = small.span(LEFT, SpanKind::Kernel, [1_000, 9_000]);
    let long = small.span(LEFT, SpanKind::Kernel, [10_000, 900_000]);
    let short = small.span(LEFT, SpanKind::Kernel, [12_000, 13_000]);
    let next = small.span(LEFT, SpanKind::Kernel, [13_500, 15_000]);
    let after = small.span(LEFT, SpanKind::Kernel, [901_000, 910_000]);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let known = |span: u32| {
        let cause = reader.of(SpanId(span)).unwrap();
        reader.known(cause.point, &cause.binding.unwrap())
    };
    assert_eq!(kind(&reader, long), (CauseKind::Stream, before));
    assert_eq!(known(long), Basis::Enforced);
    assert_eq!(kind(&reader, short), (CauseKind::Stream, before));
    assert_eq!(kind(&reader, next), (CauseKind::Stream, short));
    assert_eq!(known(next), Basis::Inferred);
    assert_eq!(kind(&reader, after), (CauseKind::Stream, long));
    let said = format!("{:?}", reader.sentence(SpanId(next)).unwrap());
    assert!(said.contains("operations of its stream overlap"), "{said}");
}

/// The same with a root: what ended last before a branch is named, as inferred; two roots share what held the first.
#[test]
fn a_branch_came_after_the_node_that_ended_last_before_it() {
    let mut small = SmallCapture::new();
    let earlier = small.launched(LEFT, 0, [3_000, 20_000]);
    let held_by = small.launched(RIGHT, 1_000, [4_000, 90_000]);
    let call = small.span(THREAD, SpanKind::Call, [10_000, 12_000]);
    let root = small.span(LEFT, SpanKind::Kernel, [92_000, 110_000]);
    let other_root = small.span(LEFT, SpanKind::Kernel, [93_000, 120_000]);
    let left = small.span(LEFT, SpanKind::Kernel, [111_000, 170_000]);
    let join = small.span(LEFT, SpanKind::Kernel, [171_000, 180_000]);
    for node in [root, other_root, left, join] {
        small.tie(call, node, DependencyKind::Submission, Basis::Enforced);
    }
    small.tie(held_by, root, DependencyKind::Event, Basis::Enforced);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let known = |span: u32| {
        let cause = reader.of(SpanId(span)).unwrap();
        reader.known(cause.point, &cause.binding.unwrap())
    };
    assert_eq!(kind(&reader, root), (CauseKind::Event, held_by));
    assert_eq!(known(root), Basis::Enforced);
    assert_eq!(kind(&reader, other_root), (CauseKind::Event, held_by));
    assert_eq!(known(other_root), Basis::Inferred);
    assert_eq!(kind(&reader, left), (CauseKind::Stream, root));
    assert_eq!(kind(&reader, join), (CauseKind::Stream, left));
    assert_eq!(known(join), Basis::Inferred);
    assert_eq!(known(earlier), Basis::Enforced);
    let said = format!("{:?}", reader.sentence(SpanId(join)).unwrap());
    assert!(said.contains("(inferred: the last of its launch"), "{said}");
    let path = reader.path();
    let on_path: Vec<u32> = path
        .iter()
        .filter_map(|it| it.span)
        .map(|it| it.0)
        .collect();
    assert!(
        [held_by, root, left, join]
            .iter()
            .all(|it| on_path.contains(it))
    );
}

/// The same beside operations with a launch: none came after one that it ran within.
#[test]
fn beside_launched_operations_the_one_that_ended_last_is_named_too() {
    let mut small = SmallCapture::new();
    let around = small.span(LEFT, SpanKind::Kernel, [3_000, 53_000]);
    let within = small.launched(LEFT, 4_000, [8_000, 18_000]);
    let other = small.span(LEFT, SpanKind::Kernel, [19_000, 29_000]);
    let next = small.launched(LEFT, 20_000, [34_000, 40_000]);
    let after = small.launched(LEFT, 35_000, [60_000, 70_000]);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    assert_eq!(kind(&reader, within).0, CauseKind::Launch);
    assert_eq!(kind(&reader, other), (CauseKind::Stream, within));
    assert_eq!(kind(&reader, next), (CauseKind::Stream, other));
    assert_eq!(kind(&reader, after), (CauseKind::Stream, around));
    assert_eq!(reader.of(SpanId(after)).unwrap().lag, Nanos(7_000));
}

/// A profiler that rounds has operations begin before the one before them ended, by less than a microsecond or two.
#[test]
fn times_that_are_rounded_leave_a_stream_in_order() {
    let mut small = SmallCapture::new();
    let first = small.span(LEFT, SpanKind::Kernel, [0, 200_000]);
    let second = small.span(LEFT, SpanKind::Kernel, [199_000, 400_000]);
    let third = small.span(LEFT, SpanKind::Kernel, [399_500, 500_000]);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    assert_eq!(kind(&reader, second), (CauseKind::Stream, first));
    assert_eq!(kind(&reader, third), (CauseKind::Stream, second));
}
