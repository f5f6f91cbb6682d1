//! Graphs whose branches lie on one stream and overlap: who waits for such a graph waits for the node that ended last, and a
//! node is said to come after the node that ended last before it. Both are counted here from the times alone.

use engine::analysis::causes::{CauseKind, Causes};
use engine::capture::Capture;
use engine::record::{Basis, SpanId, SpanKind};
use serde_json::{Value, json};

/// Nodes as (start, end) in microseconds, in the order of their starts.
type Nodes = Vec<(u64, u64)>;

fn call(name: &str, at: u64, length: u64, number: u64) -> Value {
    json!({
        "ph": "X", "cat": "cuda_runtime", "name": name, "pid": 77, "tid": 77, "ts": at, "dur": length,
        "args": {"correlation": number},
    })
}

fn kernel(name: &str, stream: u64, (start, end): (u64, u64), number: u64) -> Value {
    json!({
        "ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": start, "dur": end - start,
        "args": {"device": 0, "stream": stream, "correlation": number},
    })
}

fn sync(name: &str, at: u64, length: u64, fields: &Value) -> Value {
    json!({
        "ph": "X", "cat": "cuda_sync", "name": name, "pid": 0, "tid": 7, "ts": at, "dur": length, "args": fields,
    })
}

/// One launch of a graph on stream 7; a kernel on stream 20 that waits for it by an event; a host that synchronises with it.
fn file(nodes: &Nodes) -> Value {
    let last = nodes.iter().map(|it| it.1).max().unwrap();
    let mut events = vec![call("cudaGraphLaunch", 0, 5, 1)];
    let names = (0..).map(|at| format!("node {at}"));
    let graph = names
        .zip(nodes)
        .map(|(name, times)| kernel(&name, 7, *times, 1));
    events.extend(graph);
    events.extend([
        call("cudaEventRecord", 6, 1, 2),
        call("cudaStreamWaitEvent", 8, 1, 3),
        sync(
            "Stream Wait Event",
            8,
            1,
            &json!({
                "cuda_sync_kind": "Stream Wait Event", "stream": 20, "correlation": 3, "wait_on_stream": 7,
                "wait_on_cuda_event_record_corr_id": 2, "device": 0,
            }),
        ),
        call("cudaLaunchKernel", 10, 2, 4),
        kernel("other", 20, (last + 3, last + 9), 4),
        call("cudaStreamSynchronize", 14, last - 9, 5),
        sync(
            "Stream Sync",
            14,
            last - 9,
            &json!({"cuda_sync_kind": "Stream Sync", "correlation": 5, "stream": 7, "device": 0}),
        ),
    ]);
    json!({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "A"}], "traceEvents": events})
}

fn opened(nodes: &Nodes) -> Capture {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.json");
    std::fs::write(&path, file(nodes).to_string()).unwrap();
    crate::formats::real::open(&[path]).0
}

fn named(capture: &Capture, name: &str) -> SpanId {
    let mut all = capture.spans().map(|it| it.span);
    let found = all.find(|it| capture.name(it.name) == name && it.kind != SpanKind::Scope);
    found.unwrap_or_else(|| panic!("no {name}")).id
}

fn check(nodes: &Nodes, seed: u64) {
    let capture = opened(nodes);
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let node = |at: usize| named(&capture, &format!("node {at}"));
    // Of those that end together the one that began last stands for the graph.
    let last = (0..nodes.len())
        .max_by_key(|at| (nodes[*at].1, *at))
        .unwrap();
    let of_other = reader
        .of(named(&capture, "other"))
        .unwrap()
        .binding
        .unwrap();
    assert_eq!(
        (of_other.kind, of_other.span()),
        (CauseKind::Event, node(last)),
        "seed {seed}: {nodes:?}"
    );
    let call = named(&capture, "cudaStreamSynchronize");
    let of_call = reader.of(call).unwrap().binding.unwrap();
    assert_eq!(
        (of_call.kind, of_call.span()),
        (CauseKind::Sync, node(last)),
        "seed {seed}: {nodes:?}"
    );
    let overlaps = (0..nodes.len()).any(|at| nodes[..at].iter().any(|it| it.1 > nodes[at].0 + 2));
    if !overlaps {
        return;
    }
    for (at, (start, _)) in nodes.iter().enumerate() {
        let ended = (0..at).filter(|other| nodes[*other].1 <= *start);
        let before = ended
            .max_by_key(|other| nodes[*other].1)
            .map(|other| nodes[other].1);
        let why = reader.of(node(at)).unwrap();
        let binding = why.binding.unwrap();
        match before {
            None => assert_eq!(
                binding.kind,
                CauseKind::Launch,
                "seed {seed}: {at} of {nodes:?}"
            ),
            Some(end) => {
                let said = (
                    binding.kind,
                    binding.at.0,
                    reader.known(why.point, &binding),
                );
                let expected = (
                    CauseKind::Stream,
                    i64::try_from(end).unwrap() * 1_000,
                    Basis::Inferred,
                );
                assert_eq!(said, expected, "seed {seed}: {at} of {nodes:?}");
            }
        }
    }
}

#[test]
fn who_waits_for_a_graph_waits_for_the_branch_that_ended_last() {
    check(&vec![(20, 50), (52, 182), (53, 103)], 0);
    for seed in 1..60_u64 {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut draw = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        let mut nodes: Nodes = (0..3 + draw(9))
            .map(|_| {
                let start = 20 + draw(120);
                (start, start + 1 + draw(60))
            })
            .collect();
        nodes.sort_unstable();
        nodes.dedup_by_key(|it| it.0);
        check(&nodes, seed);
    }
}
