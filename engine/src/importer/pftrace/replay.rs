//! Begins and ends of slices, in order of time, as spans; arrows that pass through them as dependencies.

use std::collections::HashMap;

use super::foreign::{Flows, Foreign, Slice, What};
use super::gpu::Meetings;
use super::tracks::Tracks;
use crate::importer::{Error, Sink};
use crate::record::{
    Basis, Began, CallId, Dependency, DependencyKind, EventId, Group, Record, Sample, Span, SpanId,
    SpanKind, State,
};
use crate::time::Nanos;

/// What has begun and where arrows were last seen.
struct Replay<'a, 'b> {
    tracks: &'a mut Tracks,
    sink: &'a mut Sink<'b>,
    /// The slices of each track that have begun, the innermost last.
    open: HashMap<u32, Vec<Began>>,
    flows: HashMap<u64, SpanId>,
    meetings: Meetings,
    spans: u32,
}

/// Turns all that was gathered into records, the earliest instant being zero.
pub(super) fn replay(foreign: &mut Foreign, sink: &mut Sink<'_>) -> Result<(), Error> {
    let mut items = std::mem::take(&mut foreign.items);
    items.sort_by_key(|item| item.time);
    let origin = items.first().map_or(0, |item| item.time);
    let mut replay = Replay {
        tracks: &mut foreign.tracks,
        sink,
        open: HashMap::new(),
        flows: HashMap::new(),
        meetings: Meetings::default(),
        spans: 0,
    };
    // Lanes come before their spans, so that the capture knows which are streams.
    for item in &items {
        match &item.what {
            What::Begin(slice) | What::Instant(slice) => {
                replay.tracks.lane(item.track);
                replay.tracks.note_kind(item.track, slice.kind);
            }
            What::Whole(whole) => {
                replay.tracks.lane(item.track);
                replay.tracks.note_kind(item.track, whole.slice.kind);
            }
            What::Count(_) => {
                replay.tracks.counter(item.track);
            }
            What::End(_) => {}
        }
    }
    let lanes = replay.tracks.records();
    let is_stream = |record: &&Record| match record {
        Record::Lane(lane) => lane.group == Group::Streams,
        _ => false,
    };
    let streams = lanes.iter().filter(is_stream).count();
    for record in lanes {
        replay.sink.push(record);
    }
    for item in items {
        let time = Nanos(item.time.saturating_sub(origin));
        match item.what {
            What::Begin(slice) => {
                let began = replay.begin(item.track, time, *slice);
                replay.open.entry(item.track).or_default().push(began);
            }
            What::Instant(slice) => {
                let began = replay.begin(item.track, time, *slice);
                replay.end(&began, time);
            }
            What::End(flows) => match replay.open.entry(item.track).or_default().pop() {
                Some(began) => {
                    replay.arrows(&flows, began.id, began.kind);
                    replay.end(&began, time);
                }
                None => foreign.tally.ends += 1,
            },
            What::Whole(whole) => {
                let end = Nanos(whole.end.saturating_sub(origin));
                let began = replay.begin(item.track, time, whole.slice);
                replay.end(&began, end);
            }
            What::Count(value) => {
                let counter = replay.tracks.counter(item.track);
                let value = replay.tracks.value(item.track, value);
                replay.sink.push(Record::Sample(Sample {
                    counter,
                    time,
                    value,
                }));
            }
        }
        replay.sink.advance(u64::MAX)?;
    }
    foreign.tally.open = replay.leave_open();
    let (ties, missing) = replay.meetings.ties();
    let is_wait = |record: &&Record| match record {
        Record::Dependency(tie) => tie.kind == DependencyKind::Event,
        _ => false,
    };
    foreign.tally.waits = ties.iter().filter(is_wait).count();
    foreign.tally.streams = streams;
    replay.sink.extend(ties);
    foreign.tally.missing = missing;
    Ok(())
}

impl Replay<'_, '_> {
    fn begin(&mut self, track: u32, start: Nanos, slice: Slice) -> Began {
        let id = SpanId(self.spans);
        self.spans += 1;
        let began = Began {
            id,
            lane: self.tracks.lane(track),
            name: slice.name,
            kind: slice.kind.unwrap_or(if self.tracks.is_stream(track) {
                SpanKind::Kernel
            } else {
                SpanKind::Scope
            }),
            enqueued: start,
            start,
        };
        for (name, value) in slice.arguments {
            self.sink.push(Record::Argument(id, name, value));
        }
        self.arrows(&slice.flows, id, began.kind);
        self.meetings.note(id, start, slice.points);
        began
    }

    fn end(&mut self, began: &Began, end: Nanos) {
        self.sink.push(Record::Span(Span {
            id: began.id,
            lane: began.lane,
            name: began.name,
            call: CallId::NONE,
            kind: began.kind,
            state: State::Done,
            enqueued: began.enqueued,
            start: began.start,
            end,
        }));
    }

    /// Ties a slice to the one in which each of its arrows was seen last.
    fn arrows(&mut self, flows: &Flows, effect: SpanId, kind: SpanKind) {
        for flow in flows.through.iter().chain(&flows.ending) {
            if let Some(cause) = self.flows.insert(*flow, effect)
                && cause != effect
            {
                // An arrow into the work of a device is that of the call which submitted it. Of others the file
                // says only that somebody drew them.
                let submitted = matches!(
                    kind,
                    SpanKind::Kernel
                        | SpanKind::Copy
                        | SpanKind::Upload
                        | SpanKind::Download
                        | SpanKind::Fill
                );
                let (kind, basis) = if submitted {
                    (DependencyKind::Submission, Basis::Enforced)
                } else {
                    (DependencyKind::Flow, Basis::Declared)
                };
                self.sink.push(Record::Dependency(Dependency {
                    cause,
                    effect,
                    kind,
                    basis,
                    event: EventId::NONE,
                    generation: 0,
                }));
            }
        }
        for flow in &flows.ending {
            self.flows.remove(flow);
        }
    }

    /// What never ended still runs. Answers how many those are.
    fn leave_open(&mut self) -> u64 {
        let mut left: Vec<Began> = std::mem::take(&mut self.open)
            .into_values()
            .flatten()
            .collect();
        left.sort_by_key(|began| began.id);
        let count = left.len() as u64;
        for began in left {
            self.sink.push(Record::Began(began));
        }
        count
    }
}
