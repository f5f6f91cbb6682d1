//! Several files as one capture: each keeps its lanes, all lie on one clock, and what they did together is tied.

use std::path::PathBuf;

use engine::capture::Capture;
use engine::exporter;
use engine::importer::{self, moved};
use engine::merge::ClockAlignment;
use engine::record::{
    Basis, Bookmark, CallId, Clock, DependencyKind, Device, DeviceId, Group, Lane, LaneId, NameId,
    Record, Role, Span, SpanId, SpanKind, State,
};
use engine::time::{Interval, Nanos};
use tempfile::TempDir;

use crate::formats::captures::saved;
use crate::formats::real::{open, ties};

const KERNEL: &str = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

/// A rank that was made at `zero` and ran a kernel and then, from `start` on, an exchange.
fn rank(zero: Option<i64>, start: i64) -> Vec<Record> {
    let span = |id, name, start, end| {
        Record::Span(Span {
            id: SpanId(id),
            lane: LaneId(0),
            name: NameId(name),
            call: CallId::NONE,
            kind: SpanKind::Kernel,
            state: State::Done,
            enqueued: Nanos(start),
            start: Nanos(start),
            end: Nanos(end),
        })
    };
    let mut records = vec![
        Record::Name(NameId(0), "gemm".into()),
        Record::Name(NameId(1), KERNEL.into()),
        Record::Device(Box::new(Device {
            id: DeviceId(0),
            name: "GPU 0".to_owned(),
            backend: String::new(),
            detail: String::new(),
            rank: None,
            paced: None,
        })),
        Record::Lane(Box::new(Lane {
            id: LaneId(0),
            group: Group::Streams,
            device: Some(DeviceId(0)),
            role: Role::Compute,
            name: "stream 7".to_owned(),
            order: 7,
            process: "".into(),
            thread: "".into(),
        })),
        span(0, 0, 0, 100),
        span(1, 1, start, start + 500),
    ];
    let clock = zero.map(|zero| Record::Clock(Box::new(Clock::unix(Nanos(zero)))));
    records.extend(clock);
    records
}

fn files(ranks: &[Vec<Record>]) -> (TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let paths = ranks.iter().enumerate().map(|(place, records)| {
        let path = folder.path().join(format!("rank{place}.pftrace"));
        std::fs::write(&path, saved(records, 99)).unwrap();
        path
    });
    let paths = paths.collect();
    (folder, paths)
}

fn starts(capture: &Capture) -> Vec<i64> {
    capture.spans().map(|it| it.span.start.0).collect()
}

#[test]
fn ranks_lie_on_one_clock_and_keep_their_names() {
    let base = 1_700_000_000_000_000_000;
    let ranks = [rank(Some(base), 1_000), rank(Some(base + 250), 900)];
    let (_folder, paths) = files(&ranks);
    let (capture, parts) = open(&paths);
    assert_eq!(starts(&capture), [0, 1_000, 250, 1_150]);
    let how: Vec<_> = parts.iter().map(|it| (it.aligned, it.shift.0)).collect();
    assert_eq!(
        how,
        [(ClockAlignment::First, 0), (ClockAlignment::Clock, 250)]
    );
    let lanes: Vec<&str> = capture.lanes().iter().map(|it| it.name.as_str()).collect();
    assert_eq!(lanes, ["rank 0 · stream 7", "rank 1 · stream 7"]);
    let devices: Vec<&str> = capture
        .devices()
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(devices, ["rank 0 · GPU 0", "rank 1 · GPU 0"]);
    // Equal names are one name.
    assert_eq!(capture.name_count(), 2);
    // The rank that came last held the other back.
    let kind = |tie: &engine::record::Dependency| tie.kind == DependencyKind::Collective;
    assert_eq!(ties(&capture, kind), 1);
    let cause = capture.causes(SpanId(1)).next().unwrap();
    let tie = capture.dependency(cause).unwrap();
    assert_eq!((tie.cause, tie.basis), (SpanId(3), Basis::Inferred));
}

#[test]
fn bookmarks_move_with_their_file_and_mark_its_spans() {
    let ranks = [(Some(5), "first"), (Some(255), "second")].map(|(zero, text)| {
        let mut records = rank(zero, 1_000);
        let (at, text) = (Interval::new(Nanos(1_000), Nanos(1_500)), text.to_owned());
        let span = SpanId(1);
        records.push(Record::Bookmark(Box::new(Bookmark { at, span, text })));
        records
    });
    let (_folder, paths) = files(&ranks);
    let (capture, _) = open(&paths);
    let found = capture.bookmarks().iter();
    let found: Vec<_> = found
        .map(|it| (it.text.as_str(), it.at.start.0, it.span))
        .collect();
    assert_eq!(
        found,
        [("first", 1_000, SpanId(1)), ("second", 1_250, SpanId(3))]
    );
    let starts = found
        .iter()
        .map(|(_, start, span)| (capture.span(*span).unwrap().span.start.0, *start));
    assert!(starts.into_iter().all(|(span, marked)| span == marked));
}

#[test]
fn files_without_a_clock_begin_together_and_it_is_said() {
    for zeros in [
        [Some(5), None],
        [None, Some(5)],
        [Some(5), Some(i64::MAX / 2)],
    ] {
        let ranks = zeros.map(|zero| rank(zero, 1_000));
        let (_folder, paths) = files(&ranks);
        let (capture, parts) = open(&paths);
        assert_eq!(starts(&capture), [0, 1_000, 0, 1_000]);
        let code = |it: &&engine::record::Problem| it.code == "aligned-by-start";
        assert_eq!(capture.problems().iter().filter(code).count(), 1);
        assert!(
            parts[1]
                .receipt
                .notes
                .iter()
                .any(|it| it.contains("aligned by its start"))
        );
    }
}

#[test]
fn a_file_is_moved_by_hand_and_back() {
    let ranks = [rank(None, 1_000), rank(None, 1_000)];
    let (_folder, paths) = files(&ranks);
    let (capture, parts) = open(&paths);
    let by = |capture: &Capture, by: Nanos| {
        let mut other = Capture::new();
        let records = exporter::records(capture);
        other.apply(records.map(|record| moved(record, &parts[1], by)));
        other
    };
    let away = by(&capture, Nanos(77));
    assert_eq!(starts(&away), [0, 1_000, 77, 1_077]);
    let back = by(&away, Nanos(-77));
    assert_eq!(back.to_string(), capture.to_string());
}

#[test]
fn one_file_is_as_it_is() {
    let (_folder, paths) = files(&[rank(None, 9)]);
    let (capture, parts) = open(&paths);
    assert_eq!(capture.lanes()[0].name, "stream 7");
    assert_eq!((parts.len(), parts[0].label.as_str()), (1, ""));
}

/// A small profile of PyTorch that says which rank it is of.
fn profile(rank: u32) -> String {
    format!(
        r#"{{"schemaVersion": 1, "distributedInfo": {{"backend": "nccl", "rank": {rank}, "world_size": 2}}, "traceEvents": [
            {{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 7, "tid": 7, "ts": 10, "dur": 5, "args": {{"External id": 1}}}}]}}"#
    )
}

#[test]
fn two_files_of_one_rank_are_told_by_what_they_say_and_not_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("first.json"), profile(3)).unwrap();
    std::fs::write(at("second.json"), profile(3)).unwrap();
    let mut ignore = |_| std::ops::ControlFlow::Continue(());
    let refused = importer::open_all(&[folder.path().to_owned()], &mut ignore).unwrap_err();
    let words = refused.to_string();
    assert!(
        words.contains("two files of rank 3, first.json and second.json"),
        "{words}"
    );
    // Whoever names both wants both.
    let mut capture = Capture::new();
    let named = [at("first.json"), at("second.json")];
    importer::open_all(&named, &mut |batch| {
        capture.apply(batch.records);
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    let problem = capture.problems().iter().find(|it| it.code == "same-rank");
    assert!(
        problem.is_some_and(|it| it.text.contains("rank 3")),
        "{problem:?}"
    );
    std::fs::write(at("second.json"), profile(4)).unwrap();
    importer::open_all(&[folder.path().to_owned()], &mut ignore).unwrap();
}
