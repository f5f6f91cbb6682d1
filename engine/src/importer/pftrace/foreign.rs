//! Reads track events of other tools: what happened is gathered first, because a file need not be in order of time.

use std::collections::HashMap;

use super::clocks::Clocks;
use super::gpu::{Gpu, Points};
use super::nature;
use super::replay::replay;
use super::sequence::Sequence;
use super::tracks::Tracks;
use super::unread::Unread;
use crate::importer::{Error, Receipt, Sink, Source};
use crate::perfetto::proto::gpu::{API, BufferStats};
use crate::perfetto::proto::{BOOTTIME, TracePacket, TrackEvent, event_type};
use crate::record::{Clock, NameId, Record, Run, Severity, SpanKind, Value};
use crate::time::Nanos;

/// What a file of several streams without a single wait does not tell.
const NO_WAITS: &str = "The file has no waits between streams: what one stream waited for on another is not known, \
    and no arrow shows it.";

/// Everything that was read so far.
#[derive(Default)]
pub(super) struct Foreign {
    pub(super) sequences: HashMap<u32, Sequence>,
    clocks: Clocks,
    pub(super) gpu: Gpu,
    unread: Unread,
    pub(super) tracks: Tracks,
    names: HashMap<String, NameId>,
    pub(super) items: Vec<Item>,
    pub(super) tally: Tally,
}

/// What has to be said about the file.
#[derive(Default)]
pub(super) struct Tally {
    /// Events of types that are not read.
    others: u64,
    /// Numbers of events of GPUs that no event has.
    pub missing: u64,
    /// Packets that the writer itself lost.
    lost: u64,
    /// Ends without a begin.
    pub ends: u64,
    /// Begins without an end.
    pub open: u64,
    /// Streams on which something ran, and waits of one for another.
    pub streams: usize,
    pub waits: usize,
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
    Whole(Box<Whole>),
    Count(f64),
}

/// A slice that begins.
pub(super) struct Slice {
    pub name: NameId,
    /// What it is, where its words say so.
    pub kind: Option<SpanKind>,
    pub arguments: Vec<(NameId, Value)>,
    pub flows: Flows,
    pub points: Points,
}

/// A slice whose end is known when it begins.
pub(super) struct Whole {
    pub slice: Slice,
    /// When it ends, in nanoseconds of the file.
    pub end: i64,
}

/// The arrows that pass through a slice, and those that end there.
#[derive(Default)]
pub(super) struct Flows {
    pub through: Vec<u64>,
    pub ending: Vec<u64>,
}

impl Foreign {
    /// Takes a packet.
    pub fn take(&mut self, mut packet: TracePacket, bytes: &[u8], sink: &mut Sink<'_>) {
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
        } else if let Some(stats) = packet.trace_stats {
            self.tally.lost += stats.buffer_stats.iter().map(lost_in).sum::<u64>();
        } else {
            let (timestamp, clock) = (packet.timestamp.unwrap_or(0), packet.timestamp_clock_id);
            let time = self.time(id, timestamp, clock);
            if let Some(event) = packet.gpu_render_stage_event {
                self.stage((id, time), *event, sink);
            } else if let Some(event) = packet.gpu_counter_event {
                self.gpu_counters(time, event);
            } else if let Some(event) = packet.vulkan_api_event {
                self.vulkan(time, event, sink);
            } else if !said {
                self.unread.packet(bytes);
            }
        }
    }

    /// The instant of a packet, in nanoseconds of the file.
    fn time(&mut self, id: u32, timestamp: u64, clock: Option<u32>) -> i64 {
        let sequence = self.sequences.entry(id).or_default();
        let clock = clock.or(sequence.clock()).unwrap_or(BOOTTIME);
        self.clocks.time(id, clock, timestamp)
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
        // Of a writer that names no track it is its own.
        let own = u64::MAX - u64::from(id);
        let uuid = event.track_uuid.or(sequence.track()).unwrap_or(own);
        let micros = event.timestamp_absolute_us;
        let time = match timestamp {
            Some(timestamp) => self.time(id, timestamp, clock),
            None => micros.unwrap_or(0).saturating_mul(1000),
        };
        let track = self.tracks.place(uuid);
        let what = match event.r#type.unwrap_or(0) {
            event_type::BEGIN => What::Begin(Box::new(self.slice((id, track), event, sink))),
            event_type::INSTANT => What::Instant(Box::new(self.slice((id, track), event, sink))),
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
        self.items.push(Item { time, track, what });
    }

    fn slice(
        &mut self,
        (id, track): (u32, u32),
        mut event: TrackEvent,
        sink: &mut Sink<'_>,
    ) -> Slice {
        let sequence = self.sequences.entry(id).or_default();
        let own = event.name.take();
        let name = own
            .as_deref()
            .or(event.name_iid.and_then(|iid| sequence.name(iid)));
        let text = name.unwrap_or("?");
        let name = intern(&mut self.names, text, sink);
        let iids = event
            .category_iids
            .iter()
            .filter_map(|iid| sequence.category(*iid));
        let categories: Vec<&str> = iids
            .chain(event.categories.iter().map(String::as_str))
            .collect();
        let category = (!categories.is_empty()).then(|| categories.join(","));
        let points = points(&mut event);
        let kind = if points.waited.is_empty() {
            nature::of_slice(category.as_deref(), text)
        } else {
            Some(SpanKind::Synchronize)
        };
        let mut values = Vec::new();
        for annotation in std::mem::take(&mut event.debug_annotations) {
            sequence.flatten(annotation, "", &mut |name, value| {
                if let Value::Integer(value) = value {
                    self.tracks.note_agent(track, &name, value);
                }
                values.push((name, value));
            });
        }
        if let Some(category) = &category {
            values.push(("category".to_owned(), Value::Text(category.as_str().into())));
        }
        let api = usize::try_from(event.gpu_api.unwrap_or(0)).ok();
        let api = api
            .and_then(|api| API.get(api))
            .filter(|api| !api.is_empty());
        values.extend(api.map(|api| ("api".to_owned(), Value::Text((*api).into()))));
        let named = values.into_iter();
        let arguments = named.map(|(name, value)| (intern(&mut self.names, &name, sink), value));
        Slice {
            name,
            kind,
            arguments: arguments.collect(),
            flows: flows(event),
            points,
        }
    }

    /// The name of a text; a new one is announced.
    pub(super) fn intern(&mut self, text: &str, sink: &mut Sink<'_>) -> NameId {
        intern(&mut self.names, text, sink)
    }

    /// Hands over everything in order of time.
    pub fn finish(mut self, source: &Source, sink: &mut Sink<'_>) -> Result<Receipt, Error> {
        sink.push(Record::Run(Box::new(Run {
            name: source.name(),
            backend: "pftrace".to_owned(),
            ..Run::default()
        })));
        let origin = self.items.iter().map(|item| item.time).min().unwrap_or(0);
        if let Some(zero) = self.clocks.unix(origin) {
            sink.push(Record::Clock(Box::new(Clock::unix(Nanos(zero)))));
        }
        let mut receipt = Receipt::default();
        replay(&mut self, sink)?;
        self.tell(sink, &mut receipt);
        Ok(receipt)
    }

    fn tell(&self, sink: &mut Sink<'_>, receipt: &mut Receipt) {
        let Tally {
            others,
            missing,
            lost,
            ends,
            open,
            streams,
            waits,
        } = self.tally;
        if streams > 1 && waits == 0 {
            receipt.note(NO_WAITS);
        }
        for text in self.unread.told() {
            sink.complain(Severity::Info, "not-read", text.clone());
            receipt.note(text);
        }
        let said = [
            (
                others,
                Severity::Info,
                "not-read",
                "events are of types that Syncline does not read",
            ),
            (
                missing,
                Severity::Warning,
                "unknown-event",
                "times a slice waits for, or submits, an event of a GPU that the file does not hold",
            ),
            (
                self.gpu.unknown_queues,
                Severity::Warning,
                "unknown-queue",
                "pieces of work of GPUs are on queues that the file does not describe; each has a lane by its number",
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
        receipt.repair("queues that nothing describes", self.gpu.unknown_queues);
        receipt.repair("ends without a begin", ends);
        receipt.repair("begins without an end", open);
    }
}

/// Times that packets were lost in a buffer.
fn lost_in(stats: &BufferStats) -> u64 {
    [
        stats.chunks_overwritten,
        stats.chunks_discarded,
        stats.trace_writer_packet_loss,
    ]
    .into_iter()
    .flatten()
    .fold(0, u64::saturating_add)
}

/// The events of GPUs that a slice submitted, and those that it waited for.
fn points(event: &mut TrackEvent) -> Points {
    let correlation = event.gpu_correlation.take().unwrap_or_default();
    Points {
        submitted: correlation.submitted,
        waited: correlation.waited,
        ..Points::default()
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
