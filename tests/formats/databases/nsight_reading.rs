//! What a small export of Nsight Systems opens as, arrow by arrow.

use engine::record::{SpanKind, State};

use super::rows_read::{arguments, arrows, dependencies, lanes, open};
use super::{build, nsight};

#[test]
fn every_stream_that_ran_something_is_a_lane() {
    let (capture, _) = open("a.sqlite", nsight::sample());
    let expected = [
        "host none: python3 51",
        "host none: python3 5: worker 52",
        "host none: Synchronisation of process 5",
        "host none: python3 61",
        "streams compute: Stream 7 (default)",
        "streams host-to-device: Stream 20",
        "streams collective: Stream 8, priority -5",
        "streams compute: Stream 7",
    ];
    assert_eq!(lanes(&capture), expected);
    let devices: Vec<&str> = capture
        .devices()
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(devices, ["Alpha (0)", "Beta (1)"]);
}

#[test]
fn every_dependency_of_the_file_is_an_arrow() {
    let (capture, receipt) = open("a.sqlite", nsight::sample());
    let expected = [
        // By the number that ties the two: the record's own span is the cause.
        "event enforced: Stream 20: event record 156..156 -> Stream 7 (default): void gemm<float>(float*) 220..300",
        // By the last record of that event before the wait, which was reused since.
        "event inferred: Stream 7 (default): void gemm<float>(float*) 220..300 -> Stream 8, priority -5: \
         ncclDevKernel_AllReduce 310..350",
        "submission enforced: python3 51: cudaGraphLaunch 410..430 -> Stream 7 (default): void gemm<float>(float*) \
         440..480",
        "submission enforced: python3 51: cudaGraphLaunch 410..430 -> Stream 7 (default): void gemm<float>(float*) \
         460..520",
        "submission enforced: python3 51: cudaGraphLaunch 410..430 -> Stream 7 (default): void gemm<float>(float*) \
         530..530",
        "submission enforced: python3 51: cudaLaunchKernel 180..200 -> Stream 7 (default): void gemm<float>(float*) \
         220..300",
        "submission enforced: python3 51: cudaLaunchKernel 250..270 -> Stream 8, priority -5: \
         ncclDevKernel_AllReduce 310..350",
        "submission enforced: python3 51: cudaMemcpyAsync 100..120 -> Stream 20: Memcpy HtoD 125..155",
        "submission enforced: python3 61: cudaLaunchKernel 105..125 -> Stream 7: void gemm<float>(float*) 130..190",
        "synchronization enforced: Stream 20: Memcpy HtoD 125..155 -> python3 51: cudaDeviceSynchronize 450..700",
        "synchronization enforced: Stream 7 (default): void gemm<float>(float*) 220..300 -> python3 51: \
         cudaStreamSynchronize 280..400",
        "synchronization enforced: Stream 7 (default): void gemm<float>(float*) 530..530 -> python3 51: \
         cudaDeviceSynchronize 450..700",
        "synchronization enforced: Stream 7 (default): void gemm<float>(float*) 530..530 -> python3 51: \
         cudaEventSynchronize 730..800",
        "synchronization enforced: Stream 7 (default): Memset 850..860 -> Synchronisation of process 5: \
         Stream synchronize 900..950",
        "synchronization enforced: Stream 8, priority -5: ncclDevKernel_AllReduce 310..350 -> python3 51: \
         cudaDeviceSynchronize 450..700",
    ];
    let mut expected = expected.map(str::to_owned);
    expected.sort();
    assert_eq!(arrows(&capture), expected);
    assert_eq!((receipt.inferred, receipt.dropped), (1, 0));
    let generations: Vec<u32> = dependencies(&capture)
        .iter()
        .map(|it| it.generation)
        .filter(|&it| it > 0)
        .collect();
    assert_eq!(
        generations,
        [1, 2, 3],
        "of one event that is recorded over and over"
    );
}

#[test]
fn the_receipt_says_what_is_missing() {
    let (capture, receipt) = open("a.sqlite", nsight::sample());
    let said = receipt.notes.join("\n");
    for words in [
        "1 operation of the GPU has no call",
        "1 wait has no call",
        "1 wait is of a stream to which nothing was submitted after",
        "1 range had not ended",
        "SCHED_EVENTS (2 rows)",
    ] {
        assert!(said.contains(words), "{said} does not say: {words}");
    }
    assert_eq!(receipt.repairs, [("ends before it starts".to_owned(), 1)]);
    let open: Vec<&str> = capture.open().map(|it| capture.name(it.name)).collect();
    assert_eq!(open, ["open"]);
}

#[test]
fn scopes_lie_around_the_calls_within() {
    let (capture, _) = open("a.sqlite", nsight::sample());
    let depth = |name: &str| {
        capture
            .spans()
            .find(|it| capture.name(it.span.name) == name)
            .unwrap()
            .depth
    };
    assert_eq!(
        (depth("forward"), depth("layer"), depth("cudaMemcpyAsync")),
        (0, 1, 2)
    );
    assert_eq!(arguments(&capture, "layer"), ["payload=42", "domain=Torch"]);
    assert_eq!(arguments(&capture, "mark"), ["payload={}"]);
}

#[test]
fn facts_of_rows_are_arguments() {
    let (capture, _) = open("a.sqlite", nsight::sample());
    let kernel = [
        "grid=8×4×1",
        "block=256×1×1",
        "registers a thread=32",
        "shared memory (bytes)=1536",
    ];
    assert_eq!(arguments(&capture, "void gemm<float>(float*)"), kernel);
    let copy = ["bytes=4096", "from memory=pinned", "to memory=device"];
    assert_eq!(arguments(&capture, "Memcpy HtoD"), copy);
    assert_eq!(
        arguments(&capture, "cudaStreamWaitEvent"),
        ["stream=7", "event=1"]
    );
    let failed: Vec<&str> = capture
        .spans()
        .filter(|it| it.span.state == State::Failed)
        .map(|it| capture.name(it.span.name))
        .collect();
    assert_eq!(
        failed,
        ["cudaMemsetAsync"],
        "a query that finds work unfinished has not failed"
    );
    let sync = capture
        .spans()
        .filter(|it| it.span.kind == SpanKind::Synchronize)
        .count();
    assert_eq!(sync, 4);
}

/// Without records of events the order of calls says what a wait is probably for; it is never said to be certain.
#[test]
fn waits_without_records_are_inferred_or_unknown() {
    let script = nsight::script() + "DELETE FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT;";
    let (capture, receipt) = open("a.sqlite", build::database(&script));
    let events: Vec<String> = arrows(&capture)
        .into_iter()
        .filter(|it| it.starts_with("event"))
        .collect();
    let expected = [
        "event inferred: Stream 20: Memcpy HtoD 125..155 -> Stream 7 (default): void gemm<float>(float*) 220..300",
        "event inferred: Stream 7 (default): void gemm<float>(float*) 220..300 -> Stream 8, priority -5: \
         ncclDevKernel_AllReduce 310..350",
    ];
    assert_eq!(events, expected);
    assert_eq!(receipt.inferred, 2);
    let said = capture
        .problems()
        .iter()
        .any(|it| it.code == "no-event-records");
    assert!(said, "{:?}", capture.problems());
}

/// Where only calls were captured, streams are what was recorded on them and what they waited for.
#[test]
fn streams_without_work_are_shown_by_their_records_and_waits() {
    let without = ["KERNEL", "MEMCPY", "MEMSET"]
        .map(|kind| format!("DELETE FROM CUPTI_ACTIVITY_KIND_{kind};"))
        .concat();
    let script = nsight::script() + &without;
    let (capture, receipt) = open("a.sqlite", build::database(&script));
    let of_streams: Vec<String> = lanes(&capture)
        .into_iter()
        .filter(|it| it.starts_with("streams"))
        .collect();
    let expected = [
        "streams none: Stream 7 (default)",
        "streams none: Stream 8, priority -5",
        "streams none: Stream 20",
        "streams none: Stream 99",
    ];
    let mut sorted = of_streams.clone();
    sorted.sort();
    let mut wanted = expected.to_vec();
    wanted.sort_unstable();
    assert_eq!(sorted, wanted);
    let events: Vec<String> = arrows(&capture)
        .into_iter()
        .filter(|it| it.starts_with("event"))
        .collect();
    let expected = [
        "event enforced: Stream 20: event record 156..156 -> Stream 7 (default): stream wait event 161..169",
        "event inferred: Stream 7 (default): event record 210..210 -> Stream 8, priority -5: stream wait event 231..239",
    ];
    assert_eq!(events, expected);
    let notes = receipt.notes.join(" ");
    assert!(
        notes.contains("by records of events and waits alone"),
        "{notes}"
    );
}

/// The numbers of rows may be those of processes, far beyond how many there are.
#[test]
fn tables_that_are_not_shown_are_counted() {
    let script = nsight::script()
        + "CREATE TABLE OTHER (id INTEGER PRIMARY KEY, x INTEGER);
           INSERT INTO OTHER VALUES (281474993487872, 1), (284741836210176, 2), (284741836210177, 3);";
    let (_, receipt) = open("a.sqlite", build::database(&script));
    let notes = receipt.notes.join(" ");
    assert!(notes.contains("OTHER (3 rows)"), "{notes}");
}

/// The sample with more rows.
fn with(rows: &str) -> (engine::capture::Capture, engine::importer::Receipt) {
    let mut rows = rows.to_owned();
    for (name, number) in nsight::GLOBALS {
        rows = rows.replace(name, &number.to_string());
    }
    open("a.sqlite", build::database(&(nsight::script() + &rows)))
}

/// Stream 21 runs nothing: what it waits for is what a record on it captures, and so holds back stream 8.
#[test]
fn a_stream_without_work_passes_on_what_it_waits_for() {
    let (capture, _) = with("
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
          (1000, 1005, 0, :T5, 20, 1, 0), (1006, 1008, 0, :T5, 21, 3, 0), (1009, 1011, 0, :T5, 22, 4, 0),
          (1012, 1014, 0, :T5, 23, 3, 0), (1015, 1017, 0, :T5, 24, 4, 0), (1018, 1020, 0, :T5, 25, 1, 0);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
          (1010, 1100, 0, 1, 7, 20, :P5, 10, 11, 32, 1, 1, 1, 1, 1, 1, 0, 0, NULL),
          (1110, 1150, 0, 1, 8, 25, :P5, 12, 12, 32, 1, 1, 1, 1, 1, 1, 0, 0, NULL);
        INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES
          (0, 0, 1, 7, 21, :P5, 7, 700), (0, 0, 1, 21, 23, :P5, 8, 701);
        INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES
          (1009, 1011, 0, 1, 21, 22, :P5, 2, 7, 700), (1015, 1017, 0, 1, 8, 24, :P5, 2, 8, 701);");
    let expected = "event enforced: Stream 7 (default): void gemm<float>(float*) 1010..1100 -> Stream 8, priority -5: \
                    ncclDevKernel_AllReduce 1110..1150";
    let found = arrows(&capture);
    assert!(found.iter().any(|it| it == expected), "{found:#?}");
}

/// A copy to memory that is not pinned blocks its call, which may seem to return up to 2 µs before the copy ends.
#[test]
fn a_download_to_pageable_memory_blocks_its_call() {
    let copies = |end: i64, memory: i64| {
        let (capture, _) = with(&format!(
            "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1200, 1300, 0, :T5, 30, 2, 0);
             INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1210, {end}, 0, 1, 20, 30, :P5, 64, 2, 2, {memory});"
        ));
        let blocks =
            |it: &String| it.starts_with("synchronization inferred: Stream 20: Memcpy DtoH");
        arrows(&capture).into_iter().filter(blocks).count()
    };
    assert_eq!((copies(1_299, 0), copies(3_300, 0)), (1, 1));
    assert_eq!((copies(3_301, 0), copies(1_299, 1)), (0, 0));
}
