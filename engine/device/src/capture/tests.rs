//! Captures, rule by rule.

use super::*;

const A: StreamIndex = StreamIndex(0);
const B: StreamIndex = StreamIndex(1);
const C: StreamIndex = StreamIndex(2);
const E: EventIndex = EventIndex(0);
const F: EventIndex = EventIndex(1);

fn captures() -> StreamCaptures<&'static str> {
    StreamCaptures::new(Vec::new())
}

fn begun(mode: CaptureMode) -> StreamCaptures<&'static str> {
    let mut captures = captures();
    captures.begin((0, 0), A, mode).unwrap();
    captures
}

/// The number of the violation that a call is.
#[track_caller]
fn number<T: std::fmt::Debug>(result: Result<T, CaptureError>) -> u32 {
    result.unwrap_err().violation.number()
}

/// Fails unless the capture is void, and its stream can begin another one then.
#[track_caller]
fn is_void(captures: &mut StreamCaptures<&'static str>) {
    assert_eq!(number(captures.end(0, A)), 901, "A38");
    captures.begin((0, 0), A, CaptureMode::Global).unwrap();
}

#[test]
fn calls_become_nodes_with_edges_along_streams_and_events() {
    let mut captures = begun(CaptureMode::Global);
    captures.node(0, A, || "first").unwrap();
    assert!(captures.record(0, E, A).unwrap());
    assert_eq!(
        captures.node(0, B, || "outside").unwrap(),
        None,
        "B takes no part yet"
    );
    assert!(captures.wait(0, E, B, false).unwrap(), "A37: it joins");
    captures.node(0, B, || "fork").unwrap();
    captures.node(0, A, || "main").unwrap();
    assert!(captures.record(0, F, B).unwrap());
    assert!(captures.wait(0, F, A, false).unwrap());
    captures.node(0, A, || "join").unwrap();
    let graph = captures.end(0, A).unwrap();
    assert_eq!(graph.nodes, ["first", "fork", "main", "join"]);
    assert_eq!(graph.before, [vec![], vec![0], vec![0], vec![1, 2]]);
    assert!(!captures.is_capturing(A) && !captures.is_capturing(B));
}

#[test]
fn a_stream_that_waits_for_another_forks_and_joins_too() {
    let mut captures = begun(CaptureMode::Global);
    captures.node(0, A, || "first").unwrap();
    assert!(captures.wait_stream(0, A, B).unwrap(), "A37: it joins");
    captures.node(0, B, || "fork").unwrap();
    assert!(captures.wait_stream(0, B, A).unwrap());
    captures.node(0, A, || "join").unwrap();
    let graph = captures.end(0, A).unwrap();
    assert_eq!(graph.before, [vec![], vec![0], vec![1]]);
    assert!(
        !captures.wait_stream(0, A, B).unwrap(),
        "nothing captures any more"
    );
    captures.begin((0, 0), A, CaptureMode::Global).unwrap();
    assert_eq!(number(captures.wait_stream(0, C, A)), 905, "A40");
    is_void(&mut captures);
}

#[test]
fn memory_of_the_graph_is_freed_after_all_who_use_it() {
    let x = record::BufferIndex(0);
    let mut captures = begun(CaptureMode::Global);
    captures.memory(0, A, x, false, || "allocate").unwrap();
    captures.wait_stream(0, A, B).unwrap();
    captures.node(0, A, || "one").unwrap();
    captures.node(0, B, || "other").unwrap();
    captures.memory(0, A, x, true, || "free").unwrap();
    captures.node(0, B, || "later").unwrap();
    captures.wait_stream(0, B, A).unwrap();
    let graph = captures.end(0, A).unwrap();
    assert_eq!(
        graph.before,
        [vec![], vec![0], vec![0], vec![1, 2], vec![3]],
        "A44"
    );
}

#[test]
fn a_graph_frees_only_what_a_graph_allocated() {
    let x = record::BufferIndex(0);
    let mut captures = StreamCaptures::new(vec![]);
    let free = |it: &mut StreamCaptures<&'static str>| it.memory(0, A, x, true, || "free");
    let mode = CaptureMode::Global;
    // Allocated outside: refused, and the capture goes on.
    captures.memory(0, A, x, false, || "allocate").unwrap();
    captures.begin((0, 0), A, mode).unwrap();
    assert_eq!(number(free(&mut captures)), 1);
    captures.node(0, A, || "later").unwrap();
    assert_eq!(captures.end(0, A).unwrap().nodes, ["later"]);
    // By another graph, once.
    captures.begin((0, 0), A, mode).unwrap();
    captures.memory(0, A, x, false, || "allocate").unwrap();
    captures.end(0, A).unwrap();
    captures.begin((0, 0), A, mode).unwrap();
    free(&mut captures).unwrap();
    assert_eq!(number(free(&mut captures)), 1);
    captures.end(0, A).unwrap();
    // What a graph allocates may be freed outside, and is no graph's any more then.
    captures.begin((0, 0), A, mode).unwrap();
    captures.memory(0, A, x, false, || "allocate").unwrap();
    captures.end(0, A).unwrap();
    assert_eq!(free(&mut captures), Ok(None));
    captures.begin((0, 0), A, mode).unwrap();
    assert_eq!(number(free(&mut captures)), 1);
}

#[test]
fn a_capture_begins_and_ends_on_one_stream_and_by_one_thread() {
    let mut captures = begun(CaptureMode::Global);
    assert_eq!(
        number(captures.begin((0, 0), A, CaptureMode::Global)),
        401,
        "A36"
    );
    assert_eq!(number(captures.end(0, B)), 401, "A36");
    captures.record(0, E, A).unwrap();
    captures.wait(0, E, B, false).unwrap();
    assert_eq!(number(captures.end(0, B)), 903, "A36");
    assert_eq!(number(captures.end(1, A)), 908, "A36");
    assert!(captures.end(0, A).is_ok(), "none of these made it void");
    let mut relaxed = begun(CaptureMode::Relaxed);
    assert!(relaxed.end(1, A).is_ok(), "A36: unless it is relaxed");
}

#[test]
fn a_fork_must_be_joined_back() {
    let mut captures = begun(CaptureMode::Global);
    captures.record(0, E, A).unwrap();
    captures.wait(0, E, B, false).unwrap();
    captures.node(0, B, || "fork").unwrap();
    let error = captures.end(0, A).unwrap_err();
    assert_eq!(error.violation.number(), 904, "A37");
    assert!(error.text.contains("join now"), "{error}");
    assert!(
        !captures.is_capturing(A) && !captures.is_capturing(B),
        "it is over"
    );
}

#[test]
fn waiting_for_what_is_captured_makes_it_void() {
    let break_by = |act: &dyn Fn(&mut StreamCaptures<&'static str>) -> u32, wanted: u32| {
        let mut captures = begun(CaptureMode::Relaxed);
        captures.record(0, E, A).unwrap();
        assert_eq!(act(&mut captures), wanted, "A38");
        assert_eq!(number(captures.node(0, A, || "later")), 901);
        is_void(&mut captures);
    };
    break_by(&|it| number(it.synchronize_stream(A)), 900);
    break_by(&|it| number(it.synchronize_device()), 900);
    break_by(&|it| number(it.ask(0, E, "query")), 907);
    break_by(&|it| number(it.forbid(A, "hold")), 900);
    let mut captures = begun(CaptureMode::Global);
    assert!(
        captures.synchronize_stream(B).is_ok(),
        "another stream may be waited for"
    );
}

#[test]
fn an_event_of_a_capture_that_ended_reaches_nobody_until_it_is_recorded_again() {
    let mut captures = begun(CaptureMode::Global);
    captures.record(0, E, A).unwrap();
    captures.end(0, A).unwrap();
    assert_eq!(number(captures.wait(0, E, B, true)), 907, "A38");
    assert_eq!(number(captures.ask(0, E, "query")), 907, "A38");
    assert!(!captures.record(0, E, B).unwrap(), "outside of captures");
    assert!(!captures.wait(0, E, C, true).unwrap());
}

#[test]
fn captures_neither_become_one_nor_reach_outside() {
    let mut captures = begun(CaptureMode::Global);
    captures.begin((0, 0), B, CaptureMode::Global).unwrap();
    captures.record(0, E, A).unwrap();
    assert_eq!(number(captures.wait(0, E, B, false)), 902, "A40");
    assert_eq!(number(captures.end(0, B)), 901);
    assert_eq!(number(captures.end(0, A)), 901);
    let mut captures = begun(CaptureMode::Global);
    assert_eq!(number(captures.wait(0, F, A, true)), 905, "A40");
    is_void(&mut captures);
    assert!(
        captures.wait(0, F, A, false).unwrap(),
        "A1: never recorded, it stands for nothing"
    );
}

#[test]
fn modes_say_whose_unsafe_calls_are_forbidden() {
    use CaptureMode::{Global, Relaxed, ThreadLocal};
    for (mode, own, other) in [
        (Global, false, false),
        (ThreadLocal, false, true),
        (Relaxed, true, true),
    ] {
        for (host, is_fine) in [(0, own), (1, other)] {
            let mut captures = begun(mode);
            let result = captures.unsafe_call(host, "creating a pipeline");
            assert_eq!(result.is_ok(), is_fine, "A41: {mode:?} by host {host}");
            assert_eq!(captures.end(0, A).is_ok(), is_fine);
        }
    }
}

#[test]
fn the_legacy_stream_neither_captures_nor_is_used_while_a_blocking_stream_does() {
    let blocking = StreamOrderTraits {
        is_blocking: true,
        ..StreamOrderTraits::default()
    };
    let legacy = StreamOrderTraits {
        is_legacy: true,
        ..StreamOrderTraits::default()
    };
    let traits = vec![blocking, StreamOrderTraits::default(), legacy];
    let mut captures: StreamCaptures<&str> = StreamCaptures::new(traits);
    assert_eq!(
        number(captures.begin((0, 0), C, CaptureMode::Global)),
        900,
        "A36"
    );
    captures.begin((0, 0), B, CaptureMode::Global).unwrap();
    assert_eq!(
        captures.node(0, C, || "fine").unwrap(),
        None,
        "B does not block"
    );
    captures.begin((0, 0), A, CaptureMode::Global).unwrap();
    assert_eq!(number(captures.node(0, C, || "not fine")), 906, "A39");
    is_void(&mut captures);
}

#[test]
fn every_violation_has_its_name_and_number_in_its_text() {
    for violation in Violation::ALL {
        let text = CaptureError::new(*violation, "why").to_string();
        assert!(text.contains(violation.cuda()) && text.contains(&violation.number().to_string()));
        assert!(!violation.rules().is_empty());
    }
}

#[test]
fn what_other_host_threads_called_can_be_left_out() {
    let mut captures = begun(CaptureMode::Relaxed);
    captures.node(0, A, || "first").unwrap();
    captures.record(0, E, A).unwrap();
    captures.wait(0, E, B, false).unwrap();
    captures.node(1, A, || "of another").unwrap();
    captures.node(0, A, || "second").unwrap();
    // The other thread puts the second before the fork.
    captures.wait_stream(1, A, B).unwrap();
    captures.node(0, B, || "fork").unwrap();
    captures.wait_stream(0, B, A).unwrap();
    assert_eq!(captures.begun_by(B), Some((0, 0)));
    let graph = captures.end(0, A).unwrap();
    assert_eq!(graph.before, [vec![], vec![0], vec![1], vec![2]]);
    let guests = graph.guests.unwrap();
    assert_eq!(guests.nodes, [false, true, false, false]);
    assert_eq!(guests.before, [vec![], vec![], vec![0], vec![0]]);
}
