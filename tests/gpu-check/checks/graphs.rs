//! A graph of a fork and a join, replayed: what a replay costs, and what CUPTI tells of its nodes and of it as a whole.
#![expect(unsafe_code, reason = "the driver's functions are C functions")]

use std::ptr;
use std::time::Instant;

use cuda_recorder::{ActivityKind, CuptiRecord, NodeOrigin};

use super::activity::{listen, told};
use crate::driver::checked;
use crate::report::Report;
use crate::work::Bench;

/// Replays.
const REPLAYS: usize = 100;
/// How long each of the four kernels is.
const NANOS: u64 = 10_000;

/// One kernel, two at the same time, and one more.
fn calls(bench: &Bench, events: &[crate::driver::Handle; 2]) -> Result<(), String> {
    let (main, side) = (bench.stream(0), bench.stream(1));
    let [forked, joined] = *events;
    bench.spin(main, NANOS)?;
    bench.record(forked, main)?;
    bench.wait(side, forked)?;
    bench.spin(main, NANOS)?;
    bench.spin(side, NANOS)?;
    bench.record(joined, side)?;
    bench.wait(main, joined)?;
    bench.spin(main, NANOS)
}

fn measure(report: &mut Report, kinds: &[ActivityKind]) -> Result<(), String> {
    let listening = listen(kinds)?;
    let bench = Bench::new(2)?;
    let events = [bench.event(false)?, bench.event(false)?];
    let main = bench.stream(0);
    let begun = Instant::now();
    for _ in 0..REPLAYS {
        calls(&bench, &events)?;
    }
    let direct = begun.elapsed();
    bench.synchronize(main)?;
    let before = told(listening).len();
    let (mut graph, mut instance) = (ptr::null_mut(), ptr::null_mut());
    let functions = &bench.driver.functions;
    let is_named = listening.tell_of_nodes();
    // SAFETY: the stream is of this context, and places for what they answer are given.
    let (captured, made) = listening.watching_nodes(|| unsafe {
        checked((functions.capture_begin)(main, 2))?;
        calls(&bench, &events)?;
        checked((functions.capture_end)(main, &raw mut graph))
    });
    captured?;
    // SAFETY: the same.
    let (ready, clones) = listening.watching_nodes(|| unsafe {
        checked((functions.instantiate)(&raw mut instance, graph, 0))
    });
    ready?;
    let begun = Instant::now();
    for _ in 0..REPLAYS {
        // SAFETY: the instance is that of a graph of this context.
        checked(unsafe { (functions.replay)(instance, main) })?;
    }
    let replayed = begun.elapsed();
    bench.synchronize(main)?;
    let records = told(listening);
    let of_nodes = records
        .iter()
        .filter(|it| matches!(it, CuptiRecord::Kernel(it) if it.graph != 0));
    let clone_of = |made: &NodeOrigin| {
        clones.iter().find_map(|clone| match (made, clone) {
            (NodeOrigin::Made(made), NodeOrigin::Cloned { of, own }) if of == made => Some(*own),
            _ => None,
        })
    };
    let named: Vec<u64> = made.iter().filter_map(clone_of).collect();
    let captured: Vec<u64> = made
        .iter()
        .filter_map(|node| match node {
            NodeOrigin::Made(own) => Some(*own),
            NodeOrigin::Cloned { .. } => None,
        })
        .collect();
    let kernels_of = |nodes: &[u64]| {
        let is_one = |it: &&CuptiRecord| matches!(it, CuptiRecord::Kernel(it) if nodes.contains(&it.graph_node));
        records.iter().filter(is_one).count()
    };
    let whole = records
        .iter()
        .filter(|it| matches!(it, CuptiRecord::Graph(_)));
    let micros =
        |time: std::time::Duration| format!("{:.2}", time.as_secs_f64() * 1e6 / REPLAYS as f64);
    report.fact("calls-us", micros(direct));
    report.fact("replay-us", micros(replayed));
    report.fact("records-of-calls", before);
    report.fact("kernels-of-nodes", of_nodes.count());
    report.fact("nodes-are-named", is_named);
    report.fact("nodes-captured", made.len());
    report.fact("nodes-with-a-copy-that-runs", named.len());
    report.fact("kernels-of-named-nodes", kernels_of(&named));
    report.fact("kernels-of-captured-nodes", kernels_of(&captured));
    report.fact("graphs", whole.count());
    Ok(())
}

/// CUPTI tells of nodes.
pub fn nodes(report: &mut Report) -> Result<(), String> {
    measure(
        report,
        &[
            ActivityKind::Kernel,
            ActivityKind::Driver,
            ActivityKind::Event,
            ActivityKind::Sync,
        ],
    )
}

/// CUPTI tells of graphs as a whole, too.
pub fn whole(report: &mut Report) -> Result<(), String> {
    measure(
        report,
        &[
            ActivityKind::Graph,
            ActivityKind::Kernel,
            ActivityKind::Driver,
            ActivityKind::Event,
            ActivityKind::Sync,
        ],
    )
}
