//! Streams and events that a file knows only by the addresses that calls were given.

use std::collections::HashMap;

use super::{
    HostSpans, SqliteDraft, SqliteEvents, SqliteRecord, SqliteWait, SqliteWaitOutcome,
    SqliteWaitTarget, SubmissionStream, SubmittedOperations, WaitedEvent, resolve,
};
use record::{Basis, SpanId};

/// What a call does to streams and events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SyncCallKind {
    Record,
    StreamWait,
    EventSync,
    StreamSync,
    DeviceSync,
}

/// A call that has to do with streams and events.
#[derive(Clone, Copy, Debug)]
struct SyncCall {
    process: i64,
    /// When it was made, which is the order of calls.
    order: i64,
    span: SpanId,
    times: Option<(i64, i64)>,
    deed: SyncCallKind,
    stream: Option<i64>,
    event: Option<i64>,
}

/// Every such call, and which stream each address proved to be.
#[derive(Debug, Default)]
pub(in crate::importer) struct Handles {
    calls: Vec<SyncCall>,
    by_place: HashMap<u32, usize>,
    streams: HashMap<(i64, i64), SubmissionStream>,
    given: HashMap<u32, i64>,
}

/// Stands for the context of streams that ran nothing, of which only the address is known.
const NOWHERE: i64 = i64::MIN;

impl Handles {
    /// Takes the call at a place, if its name says that it has to do with streams and events.
    pub fn call(&mut self, name: &str, process: i64, place: u32, hosts: &HostSpans) {
        let deed = match name {
            _ if name.starts_with("hipEventRecord") => SyncCallKind::Record,
            "hipStreamWaitEvent" | "hipStreamWaitEvent_spt" => SyncCallKind::StreamWait,
            "hipEventSynchronize" => SyncCallKind::EventSync,
            "hipStreamSynchronize" | "hipStreamSynchronize_spt" => SyncCallKind::StreamSync,
            "hipDeviceSynchronize" => SyncCallKind::DeviceSync,
            _ => return,
        };
        self.by_place.insert(place, self.calls.len());
        self.calls.push(SyncCall {
            process,
            order: hosts.start(place).unwrap_or(0),
            span: SpanId::NONE,
            times: hosts.times(place),
            deed,
            stream: None,
            event: None,
        });
    }

    /// The call at a place was given an address: of a stream, or of an event.
    pub fn note_address(&mut self, place: u32, name: &str, value: &str) {
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
    pub fn ran(&mut self, place: u32, stream: SubmissionStream) {
        if let Some(&address) = self.given.get(&place) {
            self.streams
                .entry((stream.process, address))
                .or_insert(stream);
        }
    }

    /// Ties every wait to what it waited for.
    pub fn resolve(
        mut self,
        hosts: &HostSpans,
        operations: &SubmittedOperations,
        draft: &mut SqliteDraft<'_, '_>,
    ) -> SqliteWaitOutcome {
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
        let mut events = SqliteEvents::default();
        let mut waits = Vec::new();
        for call in &self.calls {
            let stream = call
                .stream
                .map(|address| self.stream(call.process, address));
            let event = call
                .event
                .map(|event| events.id(call.process, event, draft));
            let waits_for = event.map(|id| WaitedEvent { id, tie: None });
            let found = match (call.deed, stream, waits_for) {
                (SyncCallKind::Record, Some(stream), Some(event)) => {
                    let recorded = SqliteRecord {
                        order: call.order,
                        stream,
                        span: None,
                        event: event.id,
                        generation: 0,
                    };
                    events.add(recorded, None);
                    continue;
                }
                (SyncCallKind::StreamWait, Some(stream), Some(event)) => {
                    SqliteWaitTarget::Stream(stream, event)
                }
                (SyncCallKind::EventSync, _, Some(event)) => SqliteWaitTarget::HostForEvent(event),
                (SyncCallKind::StreamSync, Some(stream), _) => {
                    SqliteWaitTarget::HostForStream(stream)
                }
                (SyncCallKind::DeviceSync, ..) => SqliteWaitTarget::HostForAll(None),
                _ => continue,
            };
            waits.push(SqliteWait {
                process: call.process,
                order: call.order,
                call: call.span,
                times: call.times,
                basis: Basis::Enforced,
                waits: found,
                own: None,
                guess: None,
            });
        }
        events.sort();
        resolve((&mut waits, 0), &events, operations, draft)
    }

    fn stream(&self, process: i64, address: i64) -> SubmissionStream {
        let known = self.streams.get(&(process, address)).copied();
        known.unwrap_or(SubmissionStream {
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
