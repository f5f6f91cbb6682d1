//! Calls of two host threads that nothing orders, and that use one stream, event or signal, worked out from what the calls
//! name: a call that may be refused names the same.

use std::collections::BTreeMap;

use super::order::EnforcedOrder;
use super::text::{GeneratedCall, GeneratedWorkload, PlacedCall, StreamSort, share_legacy};

/// What calls of two host threads use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NamedResource {
    Stream(usize),
    Event(usize),
    Signal(usize),
    HeldUntil(usize),
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
    unordered.flat_map(|(place, other)| {
        let mut shared = shared(order.calls[place], order.calls[other]);
        shared.extend(circular(order, workload, place, other));
        shared.extend(circular(order, workload, other, place));
        shared.into_iter().map(move |it| (it, (place, other)))
    })
}

/// The signal of a hold by one call, where another waits for that stream before anything that ends the hold: each would
/// wait for the other if the hold came first.
fn circular(
    order: &EnforcedOrder,
    workload: &GeneratedWorkload,
    hold: usize,
    synchronization: usize,
) -> Option<NamedResource> {
    let GeneratedCall::Hold(signal, held) = order.calls[hold].call else {
        return None;
    };
    let waits = match order.calls[synchronization].call {
        GeneratedCall::SynchronizeDevice => true,
        GeneratedCall::SynchronizeStream(stream) => {
            workload.streams[stream] == StreamSort::Legacy && share_legacy(workload, stream, held)
        }
        _ => false,
    };
    let mut enders = (0..order.calls.len()).filter(|&it| match order.calls[it].call {
        GeneratedCall::Signal(raised) => raised == signal,
        GeneratedCall::Abort(stream) => stream == held && !order.returned(it, hold),
        _ => false,
    });
    let is_circular = waits && enders.all(|it| order.returned(synchronization, it));
    is_circular.then_some(NamedResource::HeldUntil(signal))
}

fn shared(first: PlacedCall, second: PlacedCall) -> Vec<NamedResource> {
    let (first, second) = (named(first.call), named(second.call));
    let both = first.iter().filter(|it| {
        let mut others = second.iter();
        others.any(|other| it.0 == other.0 && (it.1 || other.1))
    });
    both.map(|it| it.0).collect()
}

/// What a call names, and whether it changes what that is to others.
fn named(call: GeneratedCall) -> Vec<(NamedResource, bool)> {
    use NamedResource::{Event, Signal, Stream};
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
        _ => {}
    }
    named
}
