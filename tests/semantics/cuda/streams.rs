//! What is the device's own here: it overlaps, keeps order by its own events, replays its own graphs, and its kinds of
//! streams are the driver's.

use engine::record::{RunOutcome, SpanKind, State};

use crate::semantics::conformance::view::{View, before};
use crate::semantics::conformance::{backends, view};

fn run(source: &str) -> Option<View> {
    let is_here = backends().iter().any(|backend| backend.name() == "cuda");
    is_here.then(|| {
        let view = view(source, "cuda");
        assert_eq!(view.end.outcome, RunOutcome::Finished);
        view
    })
}

#[test]
fn operations_of_streams_overlap_and_queue_without_gaps() {
    let source = r#"
        stream "a"; stream "b" priority=-1
        host "main" {
            repeat 20 { launch "spin" on="a" { set "micros" 2000 } }
            launch "spin" on="b" { set "micros" 30000 }
        }"#;
    let Some(view) = run(source) else { return };
    let mut spins = view.operations("spin");
    spins.sort_by_key(|span| span.end - span.start);
    let (long, short) = spins.split_last().unwrap();
    assert!(long.start < short[0].end.max(long.end));
    let mut short = short.to_vec();
    short.sort_by_key(|span| span.start);
    let covered = short
        .iter()
        .any(|span| span.start < long.end && long.start < span.end);
    assert!(covered, "{short:?} beside {long:?}");
    // They were queued on the device: the next begins where the one before ended, but for the records between them.
    let gaps = short.windows(2).map(|pair| (pair[1].start - pair[0].end).0);
    let gaps: Vec<i64> = gaps.collect();
    let small = gaps.iter().filter(|gap| **gap < 500_000).count();
    assert!(small >= 15, "{gaps:?}");
}

#[test]
fn a_wait_is_the_drivers_own_and_keeps_the_order() {
    let source = r#"
        stream "a"; stream "b"; event "e" timing=#false; buffer "x" f32=64
        host "main" {
            repeat 10 {
                launch "spin" on="a" { set "micros" 300 }
                fill "x" value=3 on="a"
                record "e" on="a"
                wait "e" on="b"
                download "x" on="b"
            }
        }
        expect { each "x" equals=3 }"#;
    let Some(view) = run(source) else { return };
    for (fill, download) in view
        .operations("fill x")
        .iter()
        .zip(view.operations("download x"))
    {
        before(*fill, download);
    }
}

#[test]
fn graphs_are_captured_replayed_and_updated_by_the_driver() {
    let source = r#"
        stream "a"; stream "b"; event "fork"; event "join"; graph "g"
        buffer "x" f32=256; buffer "y" f32=256
        host "main" {
            fill "x" value=1 on="a"
            begin-capture "a"
            record "fork" on="a"
            wait "fork" on="b"
            launch "scale" on="a" { read "x"; write "x"; set "a" 2.0 }
            launch "spin" on="b" { set "micros" 500 }
            record "join" on="b"
            wait "join" on="a"
            download "x" on="a"
            end-capture "a" "g"
            instantiate "g"
            repeat 5 { replay "g" on="a" }
            synchronize-stream "a"
        }
        expect { each "x" equals=32 }"#;
    let Some(view) = run(source) else { return };
    let spans: Vec<_> = view.capture.spans().map(|placed| placed.span).collect();
    let graphs: Vec<_> = spans
        .iter()
        .filter(|it| it.kind == SpanKind::Graph)
        .collect();
    assert_eq!(graphs.len(), 5);
    assert!(graphs.iter().all(|it| it.state == State::Done));
    for graph in graphs {
        assert!(
            graph.end - graph.start >= engine::time::Nanos::from_micros(450),
            "{graph:?}"
        );
    }
    let expectation = &view.capture.expectations()[0];
    assert!(expectation.holds == Some(true), "{}", expectation.found);
}

#[test]
fn memory_is_allocated_in_the_order_of_a_stream() {
    let Some(view) = run(include_str!(
        "../../../assets/workloads/stream-ordered-memory.kdl"
    )) else {
        return;
    };
    let spans = view.capture.spans().map(|placed| placed.span);
    let allocations = spans.filter(|span| span.kind == SpanKind::Allocate);
    assert!(allocations.count() > 0);
}
