//! Streams and events that a file knows only by the addresses that calls were given.

use std::collections::HashMap;

use super::{
    Draft, Event, Events, Hosts, Operations, Outcome, Recorded, Stream, Wait, Waits, resolve,
};
use record::{Basis, SpanId};

/// What a call does to streams and events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Record,
    StreamWait,
    EventSync,
    StreamSync,
    DeviceSync,
}

/// A call that has to do with streams and events.
#[derive(Clone, Copy, Debug)]
struct Call {
    process: i64,
    /// When it was made, which is the order of calls.
    order: i64,
    span: SpanId,
    deed: Deed,
    stream: Option<i64>,
    event: Option<i64>,
}

/// Every such call, and which stream each address proved to be.
#[derive(Debug, Default)]
pub(in crate::importer) struct Handles {
    calls: Vec<Call>,
    by_place: HashMap<u32, usize>,
    streams: HashMap<(i64, i64), Stream>,
    given: HashMap<u32, i64>,
}

/// Stands for the context of streams that ran nothing, of which only the address is known.
const NOWHERE: i64 = i64::MIN;

impl Handles {
    /// Takes the call at a place, if its name says that it has to do with streams and events.
    pub fn call(&mut self, name: &str, process: i64, place: u32, hosts: &Hosts) {
        let deed = match name {
            _ if name.starts_with("hipEventRecord") => Deed::Record,
            "hipStreamWaitEvent" | "hipStreamWaitEvent_spt" => Deed::StreamWait,
            "hipEventSynchronize" => Deed::EventSync,
            "hipStreamSynchronize" | "hipStreamSynchronize_spt" => Deed::StreamSync,
            "hipDeviceSynchronize" => Deed::DeviceSync,
            _ => return,
        };
        self.by_place.insert(place, self.calls.len());
        self.calls.push(Call {
            process,
            order: hosts.start(place).unwrap_or(0),
            span: SpanId::NONE,
            deed,
            stream: None,
            event: None,
        });
    }

    /// The call at a place was given an address: of a stream, or of an event.
    pub fn given(&mut self, place: u32, name: &str, value: &str) {
        let (Some(address), true) = (address(value), matches!(name, "stream" | "event")) else {
            return;
        };
        if name == "stream" {
            self.given.insert(place, address);
        }
        let call = self
            .by_place
            .get(&place)
            .and_then(|&at| self.calls.get_mut(at));
        match (call, name) {
            (Some(call), "stream") => call.stream = Some(address),
            (Some(call), _) => call.event = Some(address),
            (None, _) => {}
        }
    }

    /// The call at a place put work on a stream: the address that it was given is that stream's.
    pub fn ran(&mut self, place: u32, stream: Stream) {
        if let Some(&address) = self.given.get(&place) {
            self.streams
                .entry((stream.process, address))
                .or_insert(stream);
        }
    }

    /// Ties every wait to what it waited for.
    pub fn resolve(
        mut self,
        hosts: &Hosts,
        operations: &Operations,
        draft: &mut Draft<'_, '_>,
    ) -> Outcome {
        let mut places: Vec<(usize, u32)> = self
            .by_place
            .iter()
            .map(|(&place, &at)| (at, place))
            .collect();
        places.sort_unstable();
        for (at, place) in places {
            if let Some(call) = self.calls.get_mut(at) {
                call.span = hosts.span(place);
            }
        }
        let mut events = Events::default();
        let mut waits = Vec::new();
        for call in &self.calls {
            let stream = call
                .stream
                .map(|address| self.stream(call.process, address));
            let event = call
                .event
                .map(|event| events.id(call.process, event, draft));
            let waits_for = event.map(|id| Event { id, tie: None });
            let found = match (call.deed, stream, waits_for) {
                (Deed::Record, Some(stream), Some(event)) => {
                    let recorded = Recorded {
                        order: call.order,
                        stream,
                        span: None,
                        event: event.id,
                        generation: 0,
                    };
                    events.add(recorded, None);
                    continue;
                }
                (Deed::StreamWait, Some(stream), Some(event)) => Waits::Stream(stream, event),
                (Deed::EventSync, _, Some(event)) => Waits::HostForEvent(event),
                (Deed::StreamSync, Some(stream), _) => Waits::HostForStream(stream),
                (Deed::DeviceSync, ..) => Waits::HostForAll(None),
                _ => continue,
            };
            waits.push(Wait {
                process: call.process,
                order: call.order,
                call: call.span,
                basis: Basis::Enforced,
                waits: found,
                own: None,
                guess: None,
            });
        }
        events.sort();
        resolve(&mut waits, &events, operations, draft)
    }

    fn stream(&self, process: i64, address: i64) -> Stream {
        let known = self.streams.get(&(process, address)).copied();
        known.unwrap_or(Stream {
            process,
            context: NOWHERE,
            number: address,
        })
    }
}

/// An address as profilers write it, such as `0x3dd4ee0`.
fn address(text: &str) -> Option<i64> {
    let text = text.trim();
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(|it| it as i64),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        assert_eq!(address("0x3dd4ee0"), Some(0x3d_d4ee0));
        assert_eq!(address(" 12 "), Some(12));
        assert_eq!(address("0xffffffffffffffff"), Some(-1));
        assert_eq!(address("{stream}"), None);
    }
}
