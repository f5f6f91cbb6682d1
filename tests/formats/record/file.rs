//! Files of processes that were kept: what is in them in whatever order, and what is said of those that are not whole.

use std::ops::ControlFlow;

use cuda_recorder::{CuptiRecord, Fact, HEADER, ListeningCounts};
use engine::capture::{Capture, text};
use engine::importer::{self, ImportError, Receipt, Source};
use engine::record::{Basis, DependencyKind, Group, Role, Severity, SpanKind};
use proptest::prelude::*;

use super::sample::{activities, back, bytes, front, written};
use super::{name, of_kind, ties};

fn open(bytes: Vec<u8>) -> Result<(Capture, Receipt), ImportError> {
    let source = Source::from_bytes("77-0.syncline-cupti", bytes)?;
    let mut capture = Capture::new();
    let receipt = importer::open_source(&source, &mut |batch| {
        capture.apply(batch.records);
        ControlFlow::Continue(())
    })?;
    Ok((capture, receipt))
}

fn file(activities: Vec<CuptiRecord>) -> Vec<u8> {
    written(&[front(), vec![Fact::Records(activities)], back()].concat())
}

#[test]
fn what_a_process_did_is_there_and_tied() {
    let (capture, receipt) = open(bytes()).unwrap();
    assert!(capture.problems().is_empty(), "{:?}", capture.problems());
    assert_eq!(
        (receipt.events, receipt.dropped, receipt.repaired),
        (17, 0, 0)
    );
    assert_eq!(of_kind(&capture, SpanKind::Kernel).len(), 2);
    assert_eq!(of_kind(&capture, SpanKind::Upload).len(), 1);
    let launches = ties(&capture, DependencyKind::Submission);
    let launches: Vec<_> = launches
        .iter()
        .map(|tie| (name(&capture, tie.cause), name(&capture, tie.effect)))
        .collect();
    let pair = |cause: &str, effect: &str| (cause.to_owned(), effect.to_owned());
    assert!(
        launches.contains(&pair("cuMemcpyHtoDAsync_v2", "Memcpy HtoD")),
        "{launches:?}"
    );
    assert_eq!(
        launches
            .iter()
            .filter(|it| **it == pair("cuLaunchKernel", "gemm"))
            .count(),
        2
    );
    let [wait] = ties(&capture, DependencyKind::Event)[..] else {
        panic!("one stream waits once")
    };
    assert_eq!((wait.basis, wait.generation), (Basis::Enforced, 1));
    let [cause, effect] = [wait.cause, wait.effect].map(|it| capture.span(it).unwrap().span);
    assert_eq!((cause.start.0, effect.start.0), (200, 310));
    let [blocked] = ties(&capture, DependencyKind::Synchronization)[..] else {
        panic!("the host waits once")
    };
    assert_eq!(name(&capture, blocked.effect), "cuStreamSynchronize");
    assert_eq!(capture.span(blocked.cause).unwrap().span.start.0, 310);
}

#[test]
fn lanes_devices_and_counters_have_their_names() {
    let (capture, _) = open(bytes()).unwrap();
    let streams = capture
        .lanes()
        .iter()
        .filter(|lane| lane.group == Group::Streams);
    let streams: Vec<_> = streams
        .map(|lane| (lane.name.as_str(), lane.role))
        .collect();
    assert_eq!(
        streams,
        [("Stream 13", Role::Compute), ("Stream 14", Role::Compute)]
    );
    let hosts = capture
        .lanes()
        .iter()
        .filter(|lane| lane.group == Group::Host);
    assert_eq!(
        hosts.map(|lane| lane.name.as_str()).collect::<Vec<_>>(),
        ["train 77"]
    );
    assert_eq!(capture.devices()[0].name, "NVIDIA H200 (0)");
    assert_eq!(capture.counters()[0].name, "Memory of train 77");
}

#[test]
fn without_numbers_of_records_waits_are_tied_by_the_order_of_calls_and_marked() {
    let (capture, receipt) = open(file(activities(false))).unwrap();
    let [wait] = ties(&capture, DependencyKind::Event)[..] else {
        panic!("one stream waits once")
    };
    assert_eq!(wait.basis, Basis::Inferred);
    assert_eq!(capture.span(wait.cause).unwrap().span.start.0, 200);
    assert_eq!(receipt.inferred, 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// CUPTI gives records in no order: what is tied to what is the same in each.
    #[test]
    fn the_order_of_activities_does_not_matter(
        all in Just(activities(true)).prop_shuffle(),
        at in 0..17_usize,
    ) {
        let facts = |capture: &Capture| {
            let mut spans: Vec<_> = capture
                .spans()
                .map(|it| {
                    let lane = capture.lane(it.span.lane).unwrap();
                    let name = capture.name(it.span.name).to_owned();
                    (it.span.start, it.span.end, it.span.enqueued, name, lane.name.clone())
                })
                .collect();
            spans.sort();
            let kinds = [
                DependencyKind::Submission,
                DependencyKind::Event,
                DependencyKind::Synchronization,
            ];
            let all = kinds.iter().flat_map(|kind| ties(capture, *kind));
            let start = |id| capture.span(id).unwrap().span.start;
            let mut ties: Vec<_> = all
                .map(|tie| (tie.kind, tie.basis, start(tie.cause), start(tie.effect)))
                .collect();
            ties.sort();
            (spans, ties)
        };
        let (first, second) = all.split_at(at);
        let pieces = [first.to_vec(), second.to_vec()];
        let counts = Fact::Counts(ListeningCounts::default());
        let pieces = pieces.into_iter().flat_map(|it| [Fact::Records(it), counts.clone()]);
        let (mixed, _) = open(written(&[front(), pieces.collect(), back()].concat())).unwrap();
        let (whole, _) = open(bytes()).unwrap();
        prop_assert_eq!(facts(&mixed), facts(&whole));
    }
}

#[test]
fn a_cut_file_says_how_much_is_missing() {
    let whole = bytes();
    let step = whole.len().div_ceil(200);
    for length in (HEADER..whole.len()).step_by(step) {
        let (capture, _) = open(whole[..length].to_vec()).unwrap();
        let codes: Vec<_> = capture
            .problems()
            .iter()
            .map(|it| it.code.as_str())
            .collect();
        let is_known = |code: &&str| ["cut-short", "no-end"].contains(code);
        assert!(codes.iter().all(is_known), "cut at {length}: {codes:?}");
        let says = codes.contains(&"cut-short") || codes.contains(&"no-end");
        // Before it is known how CUPTI is listened to, and nothing cut, there is nothing to say.
        assert!(says || capture.span_count() == 0, "cut at {length}");
    }
}

#[test]
fn damage_in_the_middle_is_stepped_over_and_counted() {
    let many: Vec<Fact> = activities(true)
        .into_iter()
        .map(|it| Fact::Records(vec![it]))
        .collect();
    let mut bytes = written(&[front(), many, back()].concat());
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xFF;
    let (capture, _) = open(bytes).unwrap();
    let [problem] = capture.problems() else {
        panic!("{:?}", capture.problems())
    };
    assert_eq!(
        (problem.code.as_str(), problem.severity),
        ("record-damaged", Severity::DataLoss)
    );
    assert!(capture.span_count() >= 9, "{}", text(&capture));
}

#[test]
fn what_cupti_dropped_is_told_by_its_own_count() {
    let counts = ListeningCounts {
        dropped: 41,
        unread: 3,
        ..ListeningCounts::default()
    };
    let bytes = written(&[front(), vec![Fact::End(counts)]].concat());
    let (capture, _) = open(bytes).unwrap();
    let texts: Vec<_> = capture
        .problems()
        .iter()
        .map(|it| it.text.as_str())
        .collect();
    assert!(
        texts[0].contains("dropped 41 activities of train 77"),
        "{texts:?}"
    );
    assert!(texts[1].contains("3 bytes were left out"), "{texts:?}");
}

#[test]
fn a_file_of_another_version_names_both() {
    let mut bytes = bytes();
    bytes[16] = 9;
    let error = open(bytes).err().unwrap().to_string();
    assert!(
        error.contains("version 9") && error.contains("knows 4"),
        "{error}"
    );
}

#[test]
fn activities_without_a_time_are_shown_where_their_call_was() {
    let mut all = activities(true);
    for activity in &mut all {
        if let CuptiRecord::Kernel(kernel) = activity {
            kernel.times = cuda_recorder::CuptiTimes::default();
        }
    }
    let (capture, receipt) = open(file(all)).unwrap();
    let kernels = of_kind(&capture, SpanKind::Kernel);
    let starts: Vec<_> = kernels.iter().map(|it| it.span.start.0).collect();
    assert_eq!(starts, [20, 50]);
    assert_eq!(receipt.repairs, [("no time from CUPTI".to_owned(), 2)]);
}
