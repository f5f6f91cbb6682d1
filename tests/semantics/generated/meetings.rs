//! Calls of two host threads that nothing orders, and that use one stream, event or signal, worked out from what the calls
//! name: a call that may be refused names the same.

use std::collections::BTreeMap;

use super::order::EnforcedOrder;
use super::text::{GeneratedCall, PlacedCall};

/// What calls of two host threads use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NamedResource {
    Stream(usize),
    Event(usize),
    Signal(usize),
}

/// Every pair of calls in no order that use one thing, one of them changing what it is to the other.
pub fn unordered_calls(order: &EnforcedOrder) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = pairs(order).map(|(_, pair)| pair).collect();
    found.dedup();
    found
}

/// The lines of those that are told: of each thing and two host threads the first in the text, that of the host thread
/// which stands first before the other.
pub fn told_lines(order: &EnforcedOrder) -> Vec<(u32, u32)> {
    let mut first = BTreeMap::new();
    for (resource, (place, other)) in pairs(order) {
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

fn pairs(order: &EnforcedOrder) -> impl Iterator<Item = (NamedResource, (usize, usize))> {
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
        let shared = shared(order.calls[place], order.calls[other]);
        shared.into_iter().map(move |it| (it, (place, other)))
    })
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
