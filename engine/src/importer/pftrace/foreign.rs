//! Reads track events of other tools: what happened is gathered first, because a file need not be in order of time.

use std::collections::HashMap;

use super::clocks::Clocks;
use super::replay::replay;
use super::sequence::Sequence;
use super::tracks::Tracks;
use crate::importer::{Error, Receipt, Sink, Source};
use crate::perfetto::proto::{BOOTTIME, TracePacket, TrackEvent, event_type};
use crate::record::{NameId, Record, Run, Severity, Value};

/// Everything that was read so far.
#[derive(Default)]
pub(super) struct Foreign {
    sequences: HashMap<u32, Sequence>,
    clocks: Clocks,
    pub(super) tracks: Tracks,
    names: HashMap<String, NameId>,
    pub(super) items: Vec<Item>,
    pub(super) tally: Tally,
}

/// What has to be said about the file.
#[derive(Default)]
pub(super) struct Tally {
    /// Packets of kinds that are not read.
    others: u64,
    /// Packets that the writer itself lost.
    lost: u64,
    /// Ends without a begin.
    pub ends: u64,
    /// Begins without an end.
    pub open: u64,
}

/// Something that happened on a track.
pub(super) struct Item {
    /// When, in nanoseconds of the file.
    pub time: i64,
    /// The track's place.
    pub track: u32,
    pub what: What,
}

/// What happened.
pub(super) enum What {
    Begin(Box<Slice>),
    End(Box<Flows>),
    Instant(Box<Slice>),
    Count(f64),
}

/// A slice that begins.
pub(super) struct Slice {
    pub name: NameId,
    pub category: Option<String>,
    pub arguments: Vec<(NameId, Value)>,
    pub flows: Flows,
}

/// The arrows that pass through a slice, and those that end there.
#[derive(Default)]
pub(super) struct Flows {
    pub through: Vec<u64>,
    pub ending: Vec<u64>,
}

impl Foreign {
    /// Takes a packet.
    pub fn take(&mut self, mut packet: TracePacket, sink: &mut Sink<'_>) {
        let id = packet.trusted_packet_sequence_id.unwrap_or(0);
        // Of a writer's first packet Perfetto always says so.
        let lost = packet.previous_packet_dropped.unwrap_or(0) > 0;
        self.tally.lost += u64::from(lost && self.sequences.contains_key(&id));
        let said = packet.interned_data.is_some() || packet.trace_packet_defaults.is_some();
        self.sequences.entry(id).or_default().take(&mut packet);
        if let Some(snapshot) = &packet.clock_snapshot {
            self.clocks.snapshot(id, snapshot);
        } else if let Some(track) = packet.track_descriptor {
            self.tracks.describe(track);
        } else if let Some(event) = packet.track_event {
            self.event(id, packet.timestamp, packet.timestamp_clock_id, event, sink);
        } else {
            self.tally.others += u64::from(!said);
        }
    }

    fn event(
        &mut self,
        id: u32,
        timestamp: Option<u64>,
        clock: Option<u32>,
        event: TrackEvent,
        sink: &mut Sink<'_>,
    ) {
        let sequence = self.sequences.entry(id).or_default();
        let clock = clock.or(sequence.clock()).unwrap_or(BOOTTIME);
        let uuid = event.track_uuid.or(sequence.track()).unwrap_or(0);
        let micros = event.timestamp_absolute_us;
        let time = match timestamp {
            Some(timestamp) => self.clocks.time(id, clock, timestamp),
            None => micros.unwrap_or(0).saturating_mul(1000),
        };
        let what = match event.r#type.unwrap_or(0) {
            event_type::BEGIN => What::Begin(Box::new(self.slice(id, event, sink))),
            event_type::INSTANT => What::Instant(Box::new(self.slice(id, event, sink))),
            event_type::END => What::End(Box::new(flows(event))),
            event_type::COUNTER => {
                let whole = event.counter_value.map(|value| value as f64);
                What::Count(event.double_counter_value.or(whole).unwrap_or(0.0))
            }
            _ => {
                self.tally.others += 1;
                return;
            }
        };
        let track = self.tracks.place(uuid);
        self.items.push(Item { time, track, what });
    }

    fn slice(&mut self, id: u32, mut event: TrackEvent, sink: &mut Sink<'_>) -> Slice {
        let sequence = self.sequences.entry(id).or_default();
        let own = event.name.take();
        let name = own
            .as_deref()
            .or(event.name_iid.and_then(|iid| sequence.name(iid)));
        let name = intern(&mut self.names, name.unwrap_or("?"), sink);
        let iids = event
            .category_iids
            .iter()
            .filter_map(|iid| sequence.category(*iid));
        let categories: Vec<&str> = iids
            .chain(event.categories.iter().map(String::as_str))
            .collect();
        let category = (!categories.is_empty()).then(|| categories.join(","));
        let mut values = Vec::new();
        for annotation in std::mem::take(&mut event.debug_annotations) {
            sequence.flatten(annotation, "", &mut |name, value| {
                values.push((name, value));
            });
        }
        if let Some(category) = &category {
            values.push(("category".to_owned(), Value::Text(category.as_str().into())));
        }
        let named = values.into_iter();
        let arguments = named.map(|(name, value)| (intern(&mut self.names, &name, sink), value));
        Slice {
            name,
            category,
            arguments: arguments.collect(),
            flows: flows(event),
        }
    }

    /// Hands over everything in order of time.
    pub fn finish(mut self, source: &Source, sink: &mut Sink<'_>) -> Result<Receipt, Error> {
        sink.push(Record::Run(Box::new(Run {
            name: source.name(),
            backend: "pftrace".to_owned(),
            ..Run::default()
        })));
        let mut receipt = Receipt::default();
        replay(&mut self, sink, &mut receipt)?;
        self.tell(sink, &mut receipt);
        Ok(receipt)
    }

    fn tell(&self, sink: &mut Sink<'_>, receipt: &mut Receipt) {
        let Tally {
            others,
            lost,
            ends,
            open,
        } = self.tally;
        let said = [
            (
                others,
                Severity::Info,
                "not-read",
                "packets are of kinds that Syncline does not read",
            ),
            (
                lost,
                Severity::DataLoss,
                "lost-before",
                "times the writer lost packets before they reached the file",
            ),
            (
                ends,
                Severity::Warning,
                "no-begin",
                "ends of slices have no beginning; the file may begin after it",
            ),
            (
                open,
                Severity::Warning,
                "no-end",
                "slices have no end; they are shown as still running",
            ),
            (
                self.clocks.unknown,
                Severity::Warning,
                "unknown-clock",
                "timestamps are of a clock that the file does not explain; they are taken as nanoseconds",
            ),
        ];
        for (count, severity, code, words) in said {
            if count > 0 {
                let text = format!("{count} {words}.");
                sink.complain(severity, code, text.clone());
                receipt.notes.push(text);
            }
        }
        receipt.repair("ends without a begin", ends);
        receipt.repair("begins without an end", open);
    }
}

fn flows(event: TrackEvent) -> Flows {
    let mut flows = Flows {
        through: event.flow_ids,
        ending: event.terminating_flow_ids,
    };
    flows.through.extend(event.flow_ids_old);
    flows.ending.extend(event.terminating_flow_ids_old);
    flows
}

/// The name of a text; a new one is announced.
fn intern(names: &mut HashMap<String, NameId>, text: &str, sink: &mut Sink<'_>) -> NameId {
    if let Some(id) = names.get(text) {
        return *id;
    }
    let id = NameId(names.len() as u32);
    names.insert(text.to_owned(), id);
    sink.push(Record::Name(id, text.into()));
    id
}
