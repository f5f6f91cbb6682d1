//! A graph of a fork and a join, replayed: what a replay costs, and what CUPTI tells of its nodes and of it as a whole.
#![expect(unsafe_code, reason = "the driver's functions are C functions")]

use std::ptr;
use std::time::Instant;

use cuda_recorder::{ActivityKind, CuptiKernel, CuptiListener, CuptiRecord, NodeOrigin};

use super::activity::{listen, told};
use crate::driver::{GraphUpdate, Handle, checked};
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

/// A graph of one kernel of so many nanoseconds, captured on the first stream.
fn captured(bench: &Bench, nanos: u64) -> Result<Handle, String> {
    let mut graph = ptr::null_mut();
    let functions = &bench.driver.functions;
    // SAFETY: the stream is of this context, and a place for the graph is given.
    unsafe {
        checked((functions.capture_begin)(bench.stream(0), 2))?;
        bench.spin(bench.stream(0), nanos)?;
        checked((functions.capture_end)(bench.stream(0), &raw mut graph))?;
    }
    Ok(graph)
}

/// That graph, ready to run.
fn ready(bench: &Bench, nanos: u64) -> Result<Handle, String> {
    let graph = captured(bench, nanos)?;
    let mut instance = ptr::null_mut();
    // SAFETY: the graph is of this context, and a place for the instance is given.
    checked(unsafe { (bench.driver.functions.instantiate)(&raw mut instance, graph, 0) })?;
    Ok(instance)
}

fn replay(bench: &Bench, instance: Handle, place: usize) -> Result<(), String> {
    // SAFETY: the instance is that of a graph of this context.
    checked(unsafe { (bench.driver.functions.replay)(instance, bench.stream(place)) })
}

/// The kernels of nodes that were told of.
fn told_nodes(listening: &CuptiListener) -> Vec<CuptiKernel> {
    let of_node = |record| match record {
        CuptiRecord::Kernel(kernel) if kernel.graph_node != 0 => Some(*kernel),
        _ => None,
    };
    told(listening).into_iter().filter_map(of_node).collect()
}

/// Whether the records of an instance that was updated name its nodes as before.
pub fn update(report: &mut Report) -> Result<(), String> {
    let listening = listen(&[ActivityKind::Kernel])?;
    let bench = Bench::new(1)?;
    let instance = ready(&bench, NANOS)?;
    let mut nodes = Vec::new();
    for nanos in [None, Some(20 * NANOS)] {
        if let Some(nanos) = nanos {
            let graph = captured(&bench, nanos)?;
            let mut came_to = GraphUpdate::NONE;
            // SAFETY: both are of this context, and a place for what it came to is given.
            let answer =
                unsafe { (bench.driver.functions.graph_update)(instance, graph, &raw mut came_to) };
            report.fact("update", answer);
            report.fact("result", came_to.result);
        }
        replay(&bench, instance, 0)?;
        bench.synchronize_all()?;
        let told = told_nodes(listening);
        report.fact("kernels", told.len());
        nodes.push(
            told.first()
                .map(|it| (it.graph_node, it.times.end - it.times.start)),
        );
    }
    report.fact(
        "nodes-and-nanoseconds",
        format!("{nodes:?}").replace(' ', ""),
    );
    Ok(())
}

/// Whether two replays of one instance on two streams run at the same time, beside two instances that do.
pub fn at_once(report: &mut Report) -> Result<(), String> {
    let listening = listen(&[ActivityKind::Kernel])?;
    let bench = Bench::new(2)?;
    let long = 5_000_000;
    let (one, other) = (ready(&bench, long)?, ready(&bench, long)?);
    for (name, second) in [("one-instance", one), ("two-instances", other)] {
        replay(&bench, one, 0)?;
        replay(&bench, second, 1)?;
        bench.synchronize_all()?;
        let mut times: Vec<_> = told_nodes(listening)
            .iter()
            .map(|it| (it.times.start, it.times.end))
            .collect();
        times.sort_unstable();
        let overlap = times.windows(2).map(|pair| match pair {
            [(_, end), (start, _)] => *end as i64 - *start as i64,
            _ => 0,
        });
        report.fact(
            &format!("{name}-overlap-ns"),
            overlap.max().unwrap_or_default(),
        );
        report.fact(&format!("{name}-kernels"), times.len());
    }
    Ok(())
}
