//! Calls of two host threads that nothing orders, and that use one stream, event or signal, worked out from what the calls
//! name: a call that may be refused names the same.

use std::collections::BTreeMap;

use super::order::{EnforcedOrder, conflicts};
use super::text::{
    BufferCopy, GeneratedCall, GeneratedWorkload, PlacedCall, StreamSort, SynchronizationMode,
    share_legacy,
};

/// What calls of two host threads use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NamedResource {
    Stream(usize),
    Event(usize),
    Signal(usize),
    HeldUntil(usize),
    Buffer(BufferCopy),
    Graph(usize),
    /// Any capture: waiting for the device is refused meanwhile.
    AnyCapture,
    /// A capture with the mode that is usual, of which there are no others: asking for an event is refused meanwhile, and
    /// making a graph ready.
    GlobalCapture,
    /// A capture of a blocking stream: calls on the legacy stream are refused meanwhile.
    BlockingCapture,
    /// That a kernel ended the device: once somebody was told, every call is refused.
    Failure,
}

/// Every pair of calls in no order that use one thing, one of them changing what it is to the other.
pub fn unordered_calls(order: &EnforcedOrder, workload: &GeneratedWorkload) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = pairs(order, workload).map(|(_, pair)| pair).collect();
    found.dedup();
    found
}

/// The lines of those that are told: of each thing and two host threads the first in the text, that of the host thread
/// which stands first before the other.
pub fn told_lines(order: &EnforcedOrder, workload: &GeneratedWorkload) -> Vec<(u32, u32)> {
    let mut first = BTreeMap::new();
    for (resource, (place, other)) in pairs(order, workload) {
        let (mut one, mut two) = (order.calls[place], order.calls[other]);
        if one.host > two.host {
            (one, two) = (two, one);
        }
        let lines = first
            .entry((resource, one.host, two.host))
            .or_insert((one.line, two.line));
        *lines = (*lines).min((one.line, two.line));
    }
    let mut lines: Vec<(u32, u32)> = first.into_values().collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

fn pairs<'a>(
    order: &'a EnforcedOrder,
    workload: &'a GeneratedWorkload,
) -> impl Iterator<Item = (NamedResource, (usize, usize))> + use<'a> {
    let places = 0..order.calls.len();
    let all = places
        .clone()
        .flat_map(move |place| places.clone().skip(place + 1).map(move |it| (place, it)));
    let unordered = all.filter(|&(place, other)| {
        order.calls[place].host != order.calls[other].host
            && !order.returned(place, other)
            && !order.returned(other, place)
    });
    let shared = unordered.flat_map(|(place, other)| {
        let mut found = shared(workload, order.calls[place], order.calls[other]);
        let failure = [place, other].map(|it| of_failure(order, it));
        if let [Some(changes), Some(other_changes)] = failure
            && (changes || other_changes)
        {
            found.push(NamedResource::Failure);
        }
        if workload.mode != SynchronizationMode::Manual {
            let copies = conflicts(order.calls[place].call, order.calls[other].call);
            found.extend(copies.into_iter().map(NamedResource::Buffer));
        }
        found.into_iter().map(move |it| (it, (place, other)))
    });
    shared.chain(circular_pairs(order, workload))
}

/// Whether a call ends the device, or may tell its host thread that one before it did; none where it asks nothing of the
/// device, or no call ends it.
fn of_failure(order: &EnforcedOrder, place: usize) -> Option<bool> {
    use GeneratedCall::{
        Await, HostWork, QueryEvent, QueryStream, Signal, SynchronizeDevice, SynchronizeEvent,
        SynchronizeStream, Trap,
    };
    let call = order.calls[place].call;
    let mut traps = (0..order.calls.len()).filter(|&it| matches!(order.calls[it].call, Trap(_)));
    match call {
        Await(_) | Signal(_) | HostWork(_) => None,
        Trap(_) => Some(true),
        QueryEvent(..) | QueryStream(..) | SynchronizeDevice | SynchronizeEvent(_)
        | SynchronizeStream(_) => {
            let any = traps.clone().next().is_some();
            any.then(|| traps.any(|trap| order.returned(trap, place)))
        }
        _ => traps.next().map(|_| false),
    }
}

/// A call that waits, and the one from which on it does.
struct ModelWait {
    since: usize,
    blocks: usize,
    /// The streams whose operations it waits for though it names another, or none.
    covered: Vec<usize>,
}

/// What host threads wait for besides the streams that they name: all, or by the rules of the legacy stream.
fn waits(order: &EnforcedOrder, workload: &GeneratedWorkload) -> Vec<ModelWait> {
    let streams = 0..workload.streams.len();
    let related = |stream: usize| -> Vec<usize> {
        let others = streams.clone();
        others
            .filter(|&it| share_legacy(workload, stream, it))
            .collect()
    };
    let latest = |place: usize, is_meant: &dyn Fn(usize, GeneratedCall) -> bool| {
        let own = order.calls[place].host;
        (0..place).rfind(|&it| order.calls[it].host == own && is_meant(it, order.calls[it].call))
    };
    let captures = |place: usize, stream: usize| is_capturing(order, place, stream);
    let places = 0..order.calls.len();
    let waits = places.filter_map(|blocks| {
        let (since, covered) = match order.calls[blocks].call {
            GeneratedCall::SynchronizeDevice if streams.clone().any(|it| captures(blocks, it)) => {
                return None;
            }
            GeneratedCall::SynchronizeDevice => (blocks, streams.clone().collect()),
            GeneratedCall::SynchronizeStream(stream)
                if captures(blocks, stream)
                    || workload.streams[stream] == StreamSort::Legacy
                        && related(stream).iter().any(|&it| captures(blocks, it)) =>
            {
                return None;
            }
            GeneratedCall::SynchronizeStream(stream)
                if workload.streams[stream] == StreamSort::Legacy =>
            {
                (blocks, related(stream))
            }
            GeneratedCall::SynchronizeStream(stream) => {
                let names = |it: GeneratedCall| match it {
                    GeneratedCall::Join(from, to) => stream == from || stream == to,
                    _ => it.stream() == Some(stream),
                };
                let submits = |place, it| names(it) && !captures(place, stream);
                (latest(blocks, &submits)?, related(stream))
            }
            GeneratedCall::SynchronizeEvent(event) => {
                let records =
                    |_, it| matches!(it, GeneratedCall::Record(recorded, _) if recorded == event);
                let record = latest(blocks, &records)?;
                (record, related(order.calls[record].call.stream()?))
            }
            _ => return None,
        };
        Some(ModelWait {
            since,
            blocks,
            covered,
        })
    });
    waits.collect()
}

/// Whether a stream captures when a call is made, because its own host thread began that.
fn is_capturing(order: &EnforcedOrder, place: usize, stream: usize) -> bool {
    let own = order.calls[place].host;
    let before = order.calls[..place].iter().rev();
    let mut ends = before
        .filter(|it| it.host == own)
        .filter_map(|it| match it.call {
            GeneratedCall::BeginCapture(of) if of == stream => Some(true),
            GeneratedCall::EndCapture(of, _) if of == stream => Some(false),
            _ => None,
        });
    ends.next().unwrap_or(false)
}

/// Holds and what waits behind them on other host threads, where each would wait for the other if the hold came first: what
/// ends the hold comes after a wait that it keeps.
fn circular_pairs(
    order: &EnforcedOrder,
    workload: &GeneratedWorkload,
) -> Vec<(NamedResource, (usize, usize))> {
    let mut found = Vec::new();
    let waits = waits(order, workload);
    for hold in 0..order.calls.len() {
        let GeneratedCall::Hold(signal, held) = order.calls[hold].call else {
            continue;
        };
        // No graph can hold one.
        if is_capturing(order, hold, held) {
            continue;
        }
        let kept = || {
            waits
                .iter()
                .filter(|it| it.covered.contains(&held) && !order.returned(it.since, hold))
        };
        let ends = (0..order.calls.len()).filter(|&it| match order.calls[it].call {
            GeneratedCall::Signal(raised) => raised == signal,
            GeneratedCall::Abort(stream) => stream == held && !order.returned(it, hold),
            _ => false,
        });
        let ends: Vec<usize> = ends.collect();
        let is_late = |end: usize| kept().any(|it| order.returned(it.blocks, end));
        if !ends.iter().all(|&end| is_late(end)) {
            continue;
        }
        for wait in kept() {
            let is_other = order.calls[wait.blocks].host != order.calls[hold].host;
            let comes_first = ends.iter().any(|&end| order.returned(wait.blocks, end));
            if is_other && comes_first && !order.returned(hold, wait.since) {
                let pair = (hold.min(wait.blocks), hold.max(wait.blocks));
                found.push((NamedResource::HeldUntil(signal), pair));
            }
        }
    }
    found
}

fn shared(
    workload: &GeneratedWorkload,
    first: PlacedCall,
    second: PlacedCall,
) -> Vec<NamedResource> {
    let all = |call| {
        let covered = covered_by_legacy(workload, call);
        [named(call), named_of_captures(workload, call), covered].concat()
    };
    let (first, second) = (all(first.call), all(second.call));
    let both = first
        .iter()
        .filter(|it| second.iter().any(|other| meet(**it, *other)));
    let mut both: Vec<NamedResource> = both.map(|it| it.0).collect();
    both.dedup();
    both
}

/// Whether two calls in no order use one thing, of which each says whether it changes what that is to others.
fn meet(first: (NamedResource, bool), second: (NamedResource, bool)) -> bool {
    use NamedResource::{AnyCapture, BlockingCapture, GlobalCapture};
    let is_of_captures = matches!(first.0, AnyCapture | GlobalCapture | BlockingCapture);
    let concern_each_other = if is_of_captures {
        // Two captures do nothing to each other.
        first.1 != second.1
    } else {
        first.1 || second.1
    };
    first.0 == second.0 && concern_each_other
}

/// The blocking streams that a call waits for or asks because it does so of the legacy stream.
fn covered_by_legacy(
    workload: &GeneratedWorkload,
    call: GeneratedCall,
) -> Vec<(NamedResource, bool)> {
    let (GeneratedCall::SynchronizeStream(asked) | GeneratedCall::QueryStream(asked, _)) = call
    else {
        return Vec::new();
    };
    let others = 0..workload.streams.len();
    let is_legacy = workload.streams[asked] == StreamSort::Legacy;
    let covered = others.filter(|&it| is_legacy && share_legacy(workload, asked, it));
    covered
        .map(|it| (NamedResource::Stream(it), false))
        .collect()
}

/// Whether a call begins or ends captures of a sort, or is refused while one is under way.
fn named_of_captures(
    workload: &GeneratedWorkload,
    call: GeneratedCall,
) -> Vec<(NamedResource, bool)> {
    use NamedResource::{AnyCapture, BlockingCapture, GlobalCapture};
    let is = |stream: usize, sort| workload.streams[stream] == sort;
    let submitted = match call {
        GeneratedCall::BeginCapture(stream) | GeneratedCall::EndCapture(stream, _)
            if is(stream, StreamSort::Legacy) =>
        {
            return Vec::new();
        }
        GeneratedCall::BeginCapture(stream) | GeneratedCall::EndCapture(stream, _) => {
            let mut found = vec![(AnyCapture, true), (GlobalCapture, true)];
            if is(stream, StreamSort::Blocking) {
                found.push((BlockingCapture, true));
            }
            // The graph is made ready right after.
            if matches!(call, GeneratedCall::EndCapture(..)) {
                found.push((GlobalCapture, false));
            }
            return found;
        }
        GeneratedCall::SynchronizeDevice => return vec![(AnyCapture, false)],
        GeneratedCall::SynchronizeEvent(_) | GeneratedCall::QueryEvent(..) => {
            return vec![(GlobalCapture, false)];
        }
        GeneratedCall::Abort(_) | GeneratedCall::DestroyStream(_) => return Vec::new(),
        GeneratedCall::SynchronizeStream(stream) | GeneratedCall::QueryStream(stream, _) => {
            vec![stream]
        }
        GeneratedCall::Join(first, second) => vec![first, second],
        _ => call.stream().into_iter().collect(),
    };
    let on_legacy = submitted.iter().any(|&it| is(it, StreamSort::Legacy));
    let refused = on_legacy.then_some((BlockingCapture, false));
    refused.into_iter().collect()
}

/// What a call names, and whether it changes what that is to others.
fn named(call: GeneratedCall) -> Vec<(NamedResource, bool)> {
    use NamedResource::{Event, Graph, Signal, Stream};
    let mut named: Vec<_> = call
        .stream()
        .map(|it| (Stream(it), true))
        .into_iter()
        .collect();
    match call {
        GeneratedCall::SynchronizeStream(stream) | GeneratedCall::QueryStream(stream, _) => {
            named.push((Stream(stream), false));
        }
        GeneratedCall::Join(stream, _)
        | GeneratedCall::BeginCapture(stream)
        | GeneratedCall::EndCapture(stream, _)
        | GeneratedCall::DestroyStream(stream)
        | GeneratedCall::Abort(stream) => named.push((Stream(stream), true)),
        GeneratedCall::Record(event, _)
        | GeneratedCall::Reset(event, _)
        | GeneratedCall::DestroyEvent(event) => named.push((Event(event), true)),
        GeneratedCall::Wait(event, _)
        | GeneratedCall::TimedWait(event, ..)
        | GeneratedCall::SynchronizeEvent(event)
        | GeneratedCall::QueryEvent(event, _) => named.push((Event(event), false)),
        GeneratedCall::Signal(signal) => named.push((Signal(signal), true)),
        GeneratedCall::Replay(graph, _) => named.push((Graph(graph), false)),
        _ => {}
    }
    if let GeneratedCall::EndCapture(_, graph) = call {
        named.push((Graph(graph), true));
    }
    named
}
