//! Results of rocprofv3 as JSON: a small one of our own, arrow by arrow, and a real one against an independent count.

use std::process::Command;

use engine::capture::Capture;
use engine::importer::Receipt;
use engine::record::{DependencyKind, Group, SpanKind};

use crate::formats::databases::rows_read::{arguments, arrows, dependencies, lanes, open};
use crate::formats::real;
use crate::house::root;

/// A file of two streams, with every sort of record.
pub fn sample() -> Vec<u8> {
    include_bytes!("rocprofv3/sample.json").to_vec()
}

/// The same, with a text in it replaced.
fn changed(from: &str, to: &str) -> (Capture, Receipt) {
    let text = String::from_utf8(sample()).unwrap();
    assert!(text.contains(from), "{from}");
    open("a.json", text.replace(from, to).into_bytes())
}

#[test]
fn rocprofv3_ties_launches_waits_and_counts() {
    let (capture, receipt) = open("a.json", sample());
    let expected = [
        "event inferred: Stream 1: MEMORY_COPY_HOST_TO_DEVICE 30..145 -> Stream 2: transpose(int*) 155..255",
        "submission enforced: Thread 51: hipLaunchKernel 75..95 -> Stream 2: transpose(int*) 155..255",
        "submission enforced: Thread 51: hipMemcpyAsync 5..25 -> Stream 1: MEMORY_COPY_HOST_TO_DEVICE 30..145",
        "synchronization enforced: Stream 2: transpose(int*) 155..255 -> Thread 51: hipStreamSynchronize 105..305",
    ];
    assert_eq!(arrows(&capture), expected);
    let expected = [
        "host none: Thread 51",
        "streams compute: Stream 2",
        "streams host-to-device: Stream 1",
    ];
    assert_eq!(lanes(&capture), expected);
    let found = arguments(&capture, "transpose(int*)");
    for it in [
        "queue=2",
        "grid=64×1×1",
        "workgroup=8×8×1",
        "local memory (bytes)=2048",
        "SQ_WAVES=64",
    ] {
        assert!(found.iter().any(|found| found == it), "{it} in {found:?}");
    }
    let waves = &capture.counters()[0];
    assert_eq!(waves.name, "SQ_WAVES");
    assert_eq!(capture.samples(waves.id).values(), [64.0, 0.0]);
    let step = capture
        .spans()
        .find(|it| capture.name(it.span.name) == "step 1");
    assert_eq!(step.map(|it| it.span.kind), Some(SpanKind::Scope));
    assert_eq!((receipt.events, receipt.dropped), (11, 0));
    let unread = |it: &String| it.contains("1 record of pc_sample_host_trap");
    assert!(receipt.notes.iter().any(unread), "{receipt:?}");
}

/// Kernels that were counted and not listed are shown by when they were counted.
#[test]
fn counted_kernels_are_kernels() {
    let (capture, _) = changed("\"kernel_dispatch\"", "\"other_dispatch\"");
    let kernels = capture
        .spans()
        .filter(|it| it.span.kind == SpanKind::Kernel);
    assert_eq!(kernels.count(), 1);
    let queue = "streams compute: Queue 2".to_owned();
    assert!(lanes(&capture).contains(&queue), "{:?}", lanes(&capture));
}

#[test]
fn odd_records_are_kept_or_told() {
    let (capture, receipt) = changed("\"start_timestamp\":1025", "\"start_timestamp\":\"soon\"");
    let told = capture
        .problems()
        .iter()
        .find(|it| it.code == "rows-without-time");
    assert!(told.is_some_and(|it| it.text.contains("1 record of memory_copy")));
    assert_eq!(receipt.dropped, 1);
    let (capture, _) = changed("\"start_timestamp\":1025", "\"start_timestamp\":\"1025\"");
    assert_eq!(
        capture.span_count(),
        open("a.json", sample()).0.span_count()
    );
    // What was never ended is a time of all ones.
    let (capture, receipt) = changed(
        "\"start_timestamp\":1025",
        "\"start_timestamp\":18446744073709551615",
    );
    let told = capture.problems().iter();
    let told = told
        .map(|it| &*it.code)
        .filter(|it| *it == "rows-without-time");
    assert_eq!((told.count(), receipt.dropped), (1, 1), "{receipt:?}");
    // A record that has lost a quotation mark takes none of the others with it.
    let (capture, receipt) = changed("\"start_timestamp\":1025", "\"start_timestamp:1025");
    let whole = open("a.json", sample()).0.span_count();
    assert_eq!((capture.span_count(), receipt.dropped), (whole - 1, 1));
    let (capture, receipt) = changed("\"kernel_id\":3,\"dispatch_id\":1,\n", "\"kernel_id\":[[}");
    let told = capture
        .problems()
        .iter()
        .find(|it| it.code == "records-damaged");
    assert!(
        told.is_some_and(|it| it.text.contains("byte ")),
        "{receipt:?}"
    );
}

/// What is made of a file, in the order of the script's table.
fn made(capture: &Capture) -> [usize; 6] {
    let dependencies = dependencies(capture);
    let of = |kind| dependencies.iter().filter(|it| it.kind == kind).count();
    let streams = capture.lanes().iter();
    let kernels = capture.spans();
    [
        capture.span_count(),
        streams.filter(|it| it.group == Group::Streams).count(),
        kernels
            .filter(|it| it.span.kind == SpanKind::Kernel)
            .count(),
        of(DependencyKind::Submission),
        capture.counters().len(),
        capture.devices().len(),
    ]
}

/// The script's table: spans, streams, kernels, launches, counters, devices.
const COUNTS: &str = include_str!("rocprofv3/counts.txt");

#[test]
fn results_hold_what_was_counted_independently() {
    for line in COUNTS.lines().skip(1) {
        let mut words = line.split(' ');
        let Some(path) = real::path(words.next().unwrap()) else {
            continue;
        };
        let expected: Vec<usize> = words.map(|it| it.parse().unwrap()).collect();
        let (capture, parts) = real::open(&[path]);
        assert_eq!(made(&capture).to_vec(), expected, "{line}");
        let receipt = &parts[0].receipt;
        assert!(receipt.events > 0 && receipt.read > 0, "{receipt:?}");
    }
}

/// The table is what the script says today, and so is what is made of our own file.
#[test]
fn the_table_of_results_is_what_the_script_counts() {
    let script = root().join("tests/formats/rocprofv3/count.py");
    let count = |path: &std::path::Path| Command::new("python3").arg(&script).arg(path).output();
    let Ok(own) = count(&root().join("tests/formats/rocprofv3")) else {
        eprintln!("skipped: there is no python3 to count with");
        return;
    };
    let said = String::from_utf8_lossy(&own.stdout).into_owned();
    let made = made(&open("a.json", sample()).0).map(|it| it.to_string());
    let line = format!("sample.json {}", made.join(" "));
    assert_eq!(said.lines().nth(1), Some(line.as_str()), "{own:?}");
    let Some(path) = real::path("INDEX.md") else {
        return;
    };
    let output = count(path.parent().unwrap()).unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), COUNTS);
}
