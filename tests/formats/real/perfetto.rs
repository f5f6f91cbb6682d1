//! Perfetto files of rocprof-sys and of Perfetto's own tests, against what `tests/oracle/pftrace.py` counted.

use std::collections::BTreeSet;

use engine::capture::Capture;
use engine::record::{Basis, Clock, DependencyKind, Group, Role, SpanKind};
use serde_json::Value;

use super::{open, path, ties};
use crate::house::read;

/// Each file and its counts.
fn table() -> serde_json::Map<String, Value> {
    let table: Value = serde_json::from_str(&read("tests/oracle/pftrace.json")).unwrap();
    table.as_object().unwrap().clone()
}

fn of_kind(capture: &Capture, kind: SpanKind) -> u64 {
    capture.spans().filter(|it| it.span.kind == kind).count() as u64
}

#[test]
fn counts_are_those_of_the_bytes() {
    for (name, expected) in table() {
        let Some(file) = path(&name) else { continue };
        let (capture, _) = open(&[file]);
        let lanes = capture.lanes().iter();
        let streams = lanes.filter(|lane| lane.group == Group::Streams).count();
        let counters = capture.counters().iter();
        let samples: usize = counters
            .map(|it| capture.samples(it.id).times().len())
            .sum();
        let found = [
            ("spans", capture.span_count() as u64),
            ("streams", streams as u64),
            ("kernels", of_kind(&capture, SpanKind::Kernel)),
            ("uploads", of_kind(&capture, SpanKind::Upload)),
            ("downloads", of_kind(&capture, SpanKind::Download)),
            ("counters", capture.counters().len() as u64),
            ("samples", samples as u64),
        ];
        for (what, count) in found {
            assert_eq!(Some(count), expected[what].as_u64(), "{what} of {name}");
        }
        for kind in DependencyKind::ALL {
            let count = ties(&capture, |tie| tie.kind == *kind) as u64;
            let counted = &expected["dependencies"][kind.label()];
            assert_eq!(
                count,
                counted.as_u64().unwrap_or(0),
                "{} of {name}",
                kind.label()
            );
        }
    }
}

#[test]
fn streams_of_rocprof_sys_are_of_one_device_and_launched_by_calls() {
    let Some(file) = path("perfetto/rocsys_perfetto-3638851.proto") else {
        return;
    };
    let (capture, parts) = open(&[file]);
    assert_eq!(capture.devices().len(), 1);
    let lanes = capture
        .lanes()
        .iter()
        .filter(|it| it.group == Group::Streams);
    let roles: BTreeSet<(&str, Option<u32>)> = lanes
        .map(|it| (it.role.label(), it.device.map(|it| it.0)))
        .collect();
    let of_device = |role: Role| (role.label(), Some(0));
    let expected = [Role::Compute, Role::HostToDevice, Role::DeviceToHost].map(of_device);
    assert_eq!(roles, BTreeSet::from(expected));
    // Every kernel and copy has the one call that submitted it, which began before.
    for placed in capture.spans() {
        let is_work = matches!(
            placed.span.kind,
            SpanKind::Kernel | SpanKind::Upload | SpanKind::Download
        );
        let causes: Vec<_> = capture.causes(placed.span.id).collect();
        if is_work {
            let tie = capture.dependency(causes[0]).unwrap();
            let call = capture.span(tie.cause).unwrap().span;
            assert_eq!((causes.len(), tie.basis), (1, Basis::Enforced));
            assert!(call.start <= placed.span.start);
        }
    }
    let unix = capture.clocks().iter().find(|it| it.name == Clock::UNIX);
    // The file was written in July 2025.
    assert_eq!(unix.unwrap().offset.0 / 1_000_000_000_000_000, 1752);
    let notes = parts[0].receipt.notes.join(" ");
    assert!(notes.contains("no waits between streams"), "{notes}");
}

#[test]
fn waits_of_render_stages_are_enforced() {
    let Some(file) = path("perfetto/compiled/perfetto_gpu_render_stages_flow.pftrace") else {
        return;
    };
    let (capture, _) = open(&[file]);
    let named = |name: &str| {
        let found = capture
            .spans()
            .find(|it| capture.name(it.span.name) == name);
        found.unwrap().span
    };
    let (softmax, matmul) = (named("softmax"), named("matmul"));
    let wait = named("cudaEventWait");
    assert_eq!(wait.kind, SpanKind::Synchronize);
    let pairs = [
        (named("HostSubmit"), softmax, DependencyKind::Submission),
        (softmax, matmul, DependencyKind::Event),
        (softmax, wait, DependencyKind::Synchronization),
    ];
    for (cause, effect, kind) in pairs {
        let causes = capture
            .causes(effect.id)
            .filter_map(|id| capture.dependency(id));
        let found: Vec<_> = causes.map(|it| (it.cause, it.kind, it.basis)).collect();
        assert_eq!(found, [(cause.id, kind, Basis::Enforced)]);
    }
    assert_eq!((matmul.end - matmul.start).0, 40);
}

#[test]
fn kernels_keep_how_they_were_launched() {
    let Some(file) = path("perfetto/compiled/perfetto_gpu_compute_launch.pftrace") else {
        return;
    };
    let (capture, _) = open(&[file]);
    let span = capture.spans().next().unwrap().span;
    assert_eq!(capture.name(span.name), "vectorAdd");
    let arguments: Vec<String> = capture
        .arguments(span.id)
        .map(|(name, value)| format!("{name}={value:?}"))
        .collect();
    for expected in [
        "kernel=Text(\"_Z9vectorAddPfS_S_i\")",
        "api=Text(\"CUDA\")",
        "grid_size=Text(\"(256,1,1)\")",
        "workgroup_size=Text(\"(128,1,1)\")",
        "registers_per_thread=Integer(32)",
        "shared_mem_dynamic=Integer(4096)",
    ] {
        assert!(
            arguments.iter().any(|it| it == expected),
            "{expected}: {arguments:?}"
        );
    }
}

#[test]
fn a_queue_that_nothing_describes_is_kept_and_told() {
    let name = "perfetto/compiled/perfetto_gpu_render_stages_interned_spec.pftrace";
    let Some(file) = path(name) else { return };
    let (capture, parts) = open(&[file]);
    assert!(capture.lanes().iter().any(|lane| lane.name == "queue 3"));
    assert!(
        capture
            .problems()
            .iter()
            .any(|it| it.code == "unknown-queue")
    );
    assert_eq!(parts[0].receipt.repaired, 1);
}
