//! Makes a workload that fails smaller, one call after the other, while it goes on failing.

use super::text::{GeneratedCall, GeneratedWorkload};

/// How often a smaller workload is run before it counts as one that does not fail.
const ATTEMPTS: usize = 3;

/// The workload without every call that can be left out, where `fails` says that it still does.
pub fn shrink(
    workload: &GeneratedWorkload,
    fails: impl Fn(&GeneratedWorkload) -> bool,
) -> GeneratedWorkload {
    let mut small = workload.clone();
    loop {
        let smaller = candidates(&small).find(|smaller| (0..ATTEMPTS).any(|_| fails(smaller)));
        match smaller {
            Some(smaller) => small = smaller,
            None => return small,
        }
    }
}

/// The workload without one of its calls, or without a capture and its replays.
fn candidates(workload: &GeneratedWorkload) -> impl Iterator<Item = GeneratedWorkload> {
    let places = workload.hosts.iter().enumerate();
    let places = places.flat_map(|(host, calls)| (0..calls.len()).map(move |it| (host, it)));
    let without = places.map(|(host, place)| {
        let mut smaller = workload.clone();
        if let GeneratedCall::Signal(signal) = smaller.hosts[host].remove(place) {
            // Whoever waits for it would wait for ever.
            let waits = |it: &GeneratedCall| matches!(it, GeneratedCall::Await(own) | GeneratedCall::Hold(own, _) if *own == signal);
            for calls in &mut smaller.hosts {
                calls.retain(|it| !waits(it));
            }
        }
        smaller
    });
    let graphs = (0..workload.counts.graphs).map(|graph| {
        let mut smaller = workload.clone();
        smaller
            .hosts
            .iter_mut()
            .for_each(|calls| drop_graph(calls, graph));
        smaller
    });
    graphs.chain(without)
}

fn drop_graph(calls: &mut Vec<GeneratedCall>, graph: usize) {
    let is_end =
        |it: &GeneratedCall| matches!(it, GeneratedCall::EndCapture(_, own) if *own == graph);
    let is_begin = |it: &GeneratedCall| matches!(it, GeneratedCall::BeginCapture(_));
    if let Some(end) = calls.iter().position(is_end)
        && let Some(begin) = calls[..end].iter().rposition(is_begin)
    {
        calls.drain(begin..=end);
    }
    calls.retain(|it| !matches!(it, GeneratedCall::Replay(own, _) if *own == graph));
}
