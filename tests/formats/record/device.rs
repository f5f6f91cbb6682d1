//! A program of PyTorch on an H100 (`tests/gpu-check/small_torch.py`), once as `syncline record` has it and once as PyTorch's
//! own profiler: two tools that must agree on what ran.

use std::collections::BTreeMap;

use engine::capture::Capture;
use engine::importer;
use engine::record::{Dependency, DependencyId, DependencyKind, Group, SpanKind};

use crate::house::root;

fn open(name: &str) -> (Capture, Vec<String>) {
    let path = root().join("tests/data").join(name);
    let mut capture = Capture::new();
    let receipt = importer::open(&path, &mut |batch| {
        capture.apply(batch.records);
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(receipt.dropped, 0, "{name}");
    (capture, receipt.notes)
}

/// How many operations of each kind streams ran.
fn operations(capture: &Capture) -> BTreeMap<SpanKind, usize> {
    let mut counts = BTreeMap::new();
    for placed in capture.spans() {
        let lane = capture.lane(placed.span.lane).unwrap();
        if lane.group == Group::Streams && placed.span.kind.is_result() {
            *counts.entry(placed.span.kind).or_default() += 1;
        }
    }
    counts
}

/// The dependencies by events.
fn by_events(capture: &Capture) -> Vec<Dependency> {
    let all = (0..capture.dependency_count() as u32).map(DependencyId);
    let all = all.filter_map(|it| capture.dependency(it));
    all.filter(|it| it.kind == DependencyKind::Event).collect()
}

#[test]
fn two_tools_tell_the_same_operations_of_one_program() {
    let (own, _) = open("recorded-h100.pftrace");
    let (theirs, notes) = open("captures/torch-h100.json.gz");
    // Twenty rounds of two streams, as the program is written.
    let expected = BTreeMap::from([
        (SpanKind::Kernel, 60),
        (SpanKind::Upload, 20),
        (SpanKind::Fill, 20),
        (SpanKind::Download, 1),
    ]);
    assert_eq!(operations(&own), expected);
    assert_eq!(operations(&theirs), expected);
    // Ours knows which record each wait is for; theirs says of every one that it does not.
    assert_eq!((by_events(&own).len(), by_events(&theirs).len()), (20, 0));
    let said = "20 waits name neither a record nor a stream";
    assert!(notes.iter().any(|it| it.starts_with(said)), "{notes:?}");
}

#[test]
fn nothing_begins_on_the_device_before_what_it_waits_for() {
    let (own, _) = open("recorded-h100.pftrace");
    let events = by_events(&own);
    assert_eq!(events.len(), 20);
    for dependency in events {
        let [cause, effect] =
            [dependency.cause, dependency.effect].map(|it| own.span(it).unwrap().span);
        // The device tells of work that begins up to a microsecond before the record that it waited for.
        assert!(
            cause.end.0 <= effect.start.0 + 1_000,
            "{cause:?} {effect:?}"
        );
    }
}
