//! The conformance table: for each call of another system what proves it here, or why nothing can.

use std::collections::BTreeSet;

use super::all_cases;

/// A row: the call as its system writes it, the cases that prove it, and what no case can show or why there is none.
struct Row {
    api: &'static str,
    cases: &'static [&'static str],
    rest: &'static str,
}

const fn row(api: &'static str, cases: &'static [&'static str]) -> Row {
    Row {
        api,
        cases,
        rest: "",
    }
}

const fn open(api: &'static str, cases: &'static [&'static str], rest: &'static str) -> Row {
    Row { api, cases, rest }
}

/// Every row of the table in the reference, in its order.
const TABLE: &[Row] = &[
    row(
        "cuda.core Device.create_event(opts)",
        &["an event that was made and not recorded"],
    ),
    row(
        "Stream.record(e), aclrtRecordEvent",
        &["a record is of what came before it", "generations"],
    ),
    open(
        "Stream.record() without an event",
        &["a measured block"],
        "an event is named by whoever declares it; only those of a measured block are made by themselves",
    ),
    row(
        "record again",
        &[
            "a wait takes the latest record when it is called",
            "generations",
        ],
    ),
    row(
        "Stream.wait(e), aclrtStreamWaitEvent",
        &[
            "a wait holds back only what comes after it",
            "never recorded",
        ],
    ),
    row("two streams wait for one event", &["many waiters"]),
    row(
        "Stream.wait(stream), wait_stream, SoftSync StreamWait",
        &["a stream waits for another"],
    ),
    row(
        "Event.sync, aclrtSynchronizeEvent",
        &[
            "a synchronisation takes the latest record when it is called",
            "a host thread gives up waiting",
        ],
    ),
    row(
        "aclrtSynchronizeStream, Stream.sync",
        &["synchronisation of a stream leaves others alone"],
    ),
    open(
        "aclrtSynchronizeDevice, cuCtxSynchronize",
        &["a host thread gives up waiting"],
        "a run has one device, so that the streams of another stay free cannot be shown",
    ),
    row(
        "Event.is_done, aclrtQueryEventStatus",
        &["a query that has to be complete", "never recorded"],
    ),
    open(
        "e2 - e1, aclrtEventElapsedTime",
        &[
            "elapsed time and each of its errors",
            "elapsed time goes by the latest records, backwards too",
        ],
        "a run has one device, so events of two cannot meet: the rule is tested on its table alone",
    ),
    row("ACL_EVENT_SYNC, PROGRESS, TIME_LINE", &["kinds of events"]),
    row(
        "aclrtResetEvent(e, s)",
        &["a reset is as if never recorded", "a reset while two wait"],
    ),
    row(
        "event limit reached at record",
        &["a record waits for a slot"],
    ),
    row(
        "wait timeout",
        &[
            "a wait gives up and its stream goes on",
            "a wait gives up and everything stops",
        ],
    ),
    row(
        "aclrtSetStreamFailureMode",
        &[
            "a failure on a stream that continues",
            "a failure that stops and is caught",
        ],
    ),
    open(
        "aclrtStreamAbort, DeviceTaskAbort",
        &[
            "an abort drops what is queued and orphans who waits",
            "an abort ends a synchronisation that is under way",
            "an abort kills what runs",
        ],
        "DeviceTaskAbort is reserved in its own system; a kernel that wgpu has begun runs to its end",
    ),
    row(
        "aclrtLaunchCallback BLOCK, cuLaunchHostFunc",
        &[
            "a callback that blocks its stream",
            "a host function runs in stream order",
        ],
    ),
    row(
        "aclrtLaunchCallback NO_BLOCK",
        &["a callback that does not block"],
    ),
    row(
        "aclrtSubscribeReport(thread, streams)",
        &[
            "one thread takes the callbacks of many streams",
            "a callback that nobody takes",
        ],
    ),
    row("wp.launch(record_cmd=True)", &["recording runs nothing"]),
    row(
        "Launch.set_param_*, set_params, set_dim",
        &[
            "arguments are packed by value",
            "wrong arguments are refused at once",
        ],
    ),
    row(
        "Launch.launch(stream)",
        &[
            "arguments are packed by value",
            "limits show when it is launched",
        ],
    ),
    open(
        "Launch.launch() without a stream",
        &["recording runs nothing"],
        "the language has no current stream: a launch names one",
    ),
    open(
        "struct mutated after set_param",
        &["arguments are packed by value"],
        "kernels here take numbers and buffers, and no structs by reference",
    ),
    open(
        "ScopedStream(s)",
        &["a stream waits for another"],
        "its one arrow on entry is written as wait-stream; the language has no current stream",
    ),
    row(
        "capture_begin to capture_end, GraphBuilder",
        &[
            "a capture runs nothing and a replay is one operation",
            "a capture begins and ends on one stream and by one thread",
        ],
    ),
    row(
        "capture_launch, graph.launch",
        &[
            "a capture runs nothing and a replay is one operation",
            "a replay uses what all of its nodes do",
        ],
    ),
    row(
        "external event in a graph",
        &[
            "a graph records an event for others and waits for one of theirs",
            "each replay records anew, and its events tell the time",
            "a record inside a graph says nothing of the branches beside it",
            "an external record outside of a capture is refused",
        ],
    ),
    row(
        "OneFlow StreamType",
        &["a call that names no stream runs where its role says"],
    ),
    row(
        "OneFlow SoftSyncStream",
        &[
            "a use on another stream waits for the last use, reads too",
            "the least that is needed leaves waits between reads out",
        ],
    ),
    row(
        "OneFlow RecordEvent fallback, cpu to cuda",
        &["a role that cannot be told to wait is held by whoever submits"],
    ),
    row(
        "OneFlow ThreadCtx worker",
        &["workers launch instructions, each its own streams"],
    ),
    row(
        "OneFlow barrier, ControlSync",
        &["a barrier comes after everything and before everything"],
    ),
    open(
        "OneFlow parallel_id empty",
        &[],
        "a run is one rank: a rank that submits nothing is a workload without calls",
    ),
    row(
        "cudaMallocAsync, AllocAsync, FreeAsync",
        &["memory in the order of a stream"],
    ),
    row(
        "GetAsyncError, sticky error",
        &["a failure that stops and is caught"],
    ),
    open(
        "WebGPU createComputePipelineAsync",
        &[],
        "proved by the cases of the specification in tests/data/webgpu_cases.jsonl, which have a test of their own",
    ),
    open(
        "WebGPU device lost",
        &[],
        "proved by the cases of the specification and by the losses of tests/semantics/losses.rs, which have tests of their own",
    ),
];

#[test]
fn every_row_is_proved_or_says_why_not() {
    let known: BTreeSet<&str> = all_cases().map(|case| case.name).collect();
    for row in TABLE {
        assert!(
            !row.cases.is_empty() || !row.rest.is_empty(),
            "{} is neither proved nor explained",
            row.api
        );
        for case in row.cases {
            assert!(
                known.contains(case),
                "{}: there is no case “{case}”",
                row.api
            );
        }
    }
    let apis: BTreeSet<&str> = TABLE.iter().map(|row| row.api).collect();
    assert_eq!(apis.len(), TABLE.len(), "a row is there twice");
    assert_eq!(TABLE.len(), 40, "rows of the reference");
}
