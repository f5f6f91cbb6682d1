//! Workloads extracted from other people's captures do on a backend what the captures' streams did.

use std::collections::BTreeMap;

use engine::capture::Capture;
use engine::exporter::extract;
use engine::record::{DependencyKind, Group, Role, SpanKind};
use engine::runner::{RunRequest, run};
use engine::time::{Interval, Nanos};

use super::{open, path, ties};

/// What each stream did, in order of start; and how long its kernels took.
fn streams(capture: &Capture) -> BTreeMap<String, (Vec<SpanKind>, Nanos)> {
    use SpanKind::{Copy, Download, Fill, Kernel, Upload};
    let mut streams = BTreeMap::new();
    for lane in capture.lanes() {
        let is_stream = lane.group == Group::Streams && lane.role != Role::Queue;
        let spans = capture.spans().filter(|it| it.span.lane == lane.id);
        let mut work: Vec<_> = spans
            .filter(|it| matches!(it.span.kind, Kernel | Upload | Download | Copy | Fill))
            .collect();
        if !is_stream || work.is_empty() {
            continue;
        }
        work.sort_by_key(|it| (it.span.start, it.span.id));
        let kernels = work.iter().filter(|it| it.span.kind == Kernel);
        let length = kernels.map(|it| it.interval().length().0).sum();
        let kinds = work.iter().map(|it| it.span.kind).collect();
        streams.insert(lane.name.clone(), (kinds, Nanos(length)));
    }
    streams
}

/// How many waits were held back by a record that is known.
fn waits(capture: &Capture) -> usize {
    ties(capture, |tie| tie.kind == DependencyKind::Event)
}

/// The capture of a file, and that of a run of what was extracted from it, in virtual time.
fn again(file: &str) -> Option<[Capture; 2]> {
    let (before, _) = open(&[path(file)?]);
    let extent = before.extent().unwrap();
    let whole = Interval::new(extent.start, extent.end + Nanos(1));
    let request = RunRequest {
        name: "extracted".to_owned(),
        source: extract(&before, whole).unwrap().text,
        backend: "mock".to_owned(),
        ..RunRequest::default()
    };
    let mut after = Capture::new();
    run(request, |records| after.apply(records)).unwrap();
    assert!(after.problems().is_empty(), "{:?}", after.problems());
    Some([before, after])
}

fn check(file: &str) {
    let Some([before, after]) = again(file) else {
        return;
    };
    let (was, is) = (streams(&before), streams(&after));
    assert!(!was.is_empty(), "{file} has no streams");
    let names = |streams: &BTreeMap<String, _>| streams.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&is), names(&was), "{file}");
    for (name, (kinds, length)) in &was {
        assert_eq!(&is[name].0, kinds, "{file}: {name}");
        let kernels = kinds.iter().filter(|it| **it == SpanKind::Kernel).count() as i64;
        // A launch of the mock takes two microseconds besides, and a spin is of whole ones.
        let took = is[name].1.0 - kernels * 2_000;
        let off = (took - length.0).abs();
        assert!(
            off <= kernels * 1_000,
            "{file}: kernels of {name} spun for {took} ns, and took {} in the capture",
            length.0
        );
    }
    assert_eq!(waits(&after), waits(&before), "{file}");
}

#[test]
fn a_step_of_a_model_runs_again() {
    check("kineto/tl_sglang_qwen3_decode.json.gz");
    check("kineto/tl_b200_eager.json.gz");
}

#[test]
fn waits_between_streams_hold_again() {
    check("kineto/hta_cp_event_sync_multi_stream.json.gz");
    check("kineto/hta_cp_alexnet.json.gz");
}
