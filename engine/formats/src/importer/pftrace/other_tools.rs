//! Reads track events of other tools: what happened is gathered first, because a file need not be in order of time.

use prost::Message as _;

use super::clocks::PftraceClocks;
use super::event::{EventView, EventViewLists, read};
use super::fields::SliceFields;
use super::ftrace::FtraceScheduler;
use super::gpu::{PftraceGpu, SliceSyncPoints};
use super::items::{Slice, TrackItemKind, TrackItems};
use super::legacy::{AsyncScope, LegacyEventKind};
use super::replay::replay;
use super::sequence::PacketSequence;
use super::slice_kind;
use super::tracks::PftraceTracks;
use super::unread_fields::UnreadPackets;
use super::utf8;
use crate::importer::chrome::{ChromeTexts, MOST_ARGUMENTS, RowToken};
use crate::importer::fast_hash::{QuickMap, QuickSet};
use crate::importer::flow_points::{FlowKey, FlowPoint, FlowStep};
use crate::importer::{ImportError, Receipt, RecordSink, Source};
use crate::perfetto::proto::gpu::{API, BufferStats, GpuCorrelation};
use crate::perfetto::proto::{BOOTTIME, InternedData, TracePacket};
use crate::perfetto::view::PacketView;
use record::time::Nanos;
use record::{Clock, FieldValue, Record, Run, Severity, SpanId, SpanKind, counted};

/// What a file of several streams without a single wait does not tell.
const NO_WAITS: &str = "The file has no waits between streams: what one stream waited for on another is not known, \
    and no arrow shows it.";

/// Everything that was read so far.
pub(super) struct ForeignFile {
    /// Writers of which there was a packet.
    writers: QuickSet<u32>,
    /// Those that leave something out of their packets: of very many most say nothing.
    pub(super) sequences: QuickMap<u32, PacketSequence>,
    clocks: PftraceClocks,
    pub(super) gpu: PftraceGpu,
    unread: UnreadPackets,
    pub(super) scheduler: FtraceScheduler,
    pub(super) tracks: PftraceTracks,
    pub(super) texts: ChromeTexts,
    pub(super) items: TrackItems,
    pub(super) fields: SliceFields,
    /// Points of arrows of the old form.
    pub(super) points: Vec<FlowPoint>,
    pub(super) lists: EventViewLists,
    /// What slices are by the numbers of their name and of their category.
    kinds: QuickMap<(u32, u32), Option<SpanKind>>,
    /// How many sums of counters there were.
    pub(super) sums: u32,
    pub(super) own: OwnTextIds,
    pub(super) tally: ForeignTally,
}

/// The numbers of texts that are ours.
pub(super) struct OwnTextIds {
    /// The name of slices that have none.
    pub unnamed: u32,
    category: u32,
    api: u32,
    pub(super) none: u32,
    bind: u32,
    /// The field that says how a slice was mended.
    pub repaired: u32,
}

/// What has to be said about the file.
#[derive(Default)]
pub(super) struct ForeignTally {
    /// Points of arrows of the old form that have no number, and those that nothing leads to or from.
    unnumbered: u64,
    pub loose: u64,
    /// Numbers of events of GPUs that no event has.
    pub missing: u64,
    /// Packets that the writer itself lost.
    lost: u64,
    /// Packets of what happened at some time that have none.
    untimed: u64,
    /// Values of counters that are no numbers.
    pub no_numbers: u64,
    /// Ends without a begin.
    pub ends: u64,
    /// Begins without an end.
    pub open: u64,
    /// Texts of packets that are no UTF-8.
    pub texts: u64,
    /// Events with more fields than are kept.
    pub cropped: u64,
    /// Values of extra counters of which nothing says on which track they are.
    pub trackless: u64,
    /// Streams on which something ran, and waits of one for another.
    pub streams: usize,
    pub waits: usize,
}

impl Default for ForeignFile {
    fn default() -> Self {
        let mut texts = ChromeTexts::new();
        let own = OwnTextIds {
            unnamed: texts.add("?"),
            category: texts.add("category"),
            api: texts.add("api"),
            none: texts.add(""),
            bind: texts.add("bind_id"),
            repaired: texts.add("repaired"),
        };
        Self {
            writers: QuickSet::default(),
            sequences: QuickMap::default(),
            clocks: PftraceClocks::default(),
            gpu: PftraceGpu::default(),
            unread: UnreadPackets::default(),
            scheduler: FtraceScheduler::default(),
            tracks: PftraceTracks::default(),
            texts,
            items: TrackItems::default(),
            fields: SliceFields::default(),
            points: Vec::new(),
            lists: EventViewLists::default(),
            kinds: QuickMap::default(),
            sums: 0,
            own,
            tally: ForeignTally::default(),
        }
    }
}

impl ForeignFile {
    /// Takes a packet that holds nothing but an event and texts; says whether it makes sense.
    pub fn take_plain(&mut self, packet: &PacketView<'_>) -> bool {
        self.begin(packet);
        let interned = packet.interned.map(|bytes| self.interned(bytes));
        let makes_sense = !matches!(interned, Some(None));
        self.intern(packet.sequence, interned.flatten());
        // Even where the texts make none the writer's clock counts from this packet on.
        let event = packet.event.map(|event| self.event(packet, event));
        makes_sense && !matches!(event, Some(None))
    }

    /// Takes any packet; says whether its event makes sense.
    pub fn take(&mut self, view: &PacketView<'_>, mut packet: TracePacket, bytes: &[u8]) -> bool {
        self.begin(view);
        let id = view.sequence;
        let said = packet.interned_data.is_some() || packet.trace_packet_defaults.is_some();
        if let Some(defaults) = &packet.trace_packet_defaults {
            self.sequences.entry(id).or_default().defaults(defaults);
        }
        self.intern(id, packet.interned_data.take());
        if let Some(snapshot) = &packet.clock_snapshot {
            self.clocks.snapshot(id, snapshot);
        } else if let Some(event) = view.event {
            return self.event(view, event).is_some();
        } else {
            // Whatever a packet holds, the writer's clock may count from it on.
            let time = view.timestamp.map(|it| self.time(view, it));
            if time.is_none() && is_timed(&packet) {
                self.tally.untimed += 1;
                return true;
            }
            let time = time.unwrap_or(0);
            if let Some(track) = packet.track_descriptor {
                self.describe(id, track);
            } else if packet.process_descriptor.is_some() || packet.thread_descriptor.is_some() {
                self.describe_writer(id, packet.process_descriptor, packet.thread_descriptor);
            } else if let Some(stats) = packet.trace_stats {
                self.tally.lost += stats.buffer_stats.iter().map(lost_in).sum::<u64>();
            } else if let Some(event) = packet.gpu_render_stage_event {
                self.stage((id, time), *event);
            } else if let Some(event) = packet.gpu_counter_event {
                self.gpu_counters(time, event);
            } else if let Some(event) = packet.vulkan_api_event {
                self.vulkan(time, event);
            } else if !self.kernel(id, bytes) && !said {
                self.unread.packet(bytes);
            }
        }
        true
    }

    /// Takes what a packet tells of the kernel; says whether it tells of nothing else.
    fn kernel(&mut self, sequence: u32, bytes: &[u8]) -> bool {
        let told = (sequence, bytes);
        self.scheduler
            .packet(told, &mut self.clocks, &mut self.texts)
    }

    /// Takes what every packet says.
    fn begin(&mut self, packet: &PacketView<'_>) {
        // Of a writer's first packet Perfetto always says so.
        let is_known = !self.writers.insert(packet.sequence);
        self.tally.lost += u64::from(packet.dropped > 0 && is_known);
        if let Some(sequence) = self.sequences.get_mut(&packet.sequence) {
            sequence.flags(packet.flags, packet.cleared);
        }
    }

    /// Texts that later packets refer to. Nothing where the bytes make no sense.
    fn interned(&mut self, bytes: &[u8]) -> Option<InternedData> {
        if let Ok(interned) = InternedData::decode(bytes) {
            return Some(interned);
        }
        let (mended, texts) = utf8::interned(bytes)?;
        self.tally.texts += texts;
        InternedData::decode(mended.as_slice()).ok()
    }

    fn intern(&mut self, id: u32, interned: Option<InternedData>) {
        if let Some(interned) = interned {
            let sequence = self.sequences.entry(id).or_default();
            sequence.intern(interned, &mut self.texts);
        }
    }

    /// The instant of a packet, in nanoseconds of the file.
    fn time(&mut self, packet: &PacketView<'_>, timestamp: u64) -> i64 {
        let own = || self.sequences.get(&packet.sequence)?.clock();
        let clock = packet.clock.or_else(own).unwrap_or(BOOTTIME);
        self.clocks.time(packet.sequence, clock, timestamp)
    }

    fn event(&mut self, packet: &PacketView<'_>, bytes: &[u8]) -> Option<()> {
        let nothing = PacketSequence::default();
        let sequence = self.sequences.get(&packet.sequence).unwrap_or(&nothing);
        // Whatever the event is, the writer's clock may count from this packet on.
        let event = read(bytes, sequence, &mut self.texts, &mut self.lists);
        let home = (sequence.track(), sequence.thread());
        let time = packet
            .timestamp
            .map(|timestamp| self.time(packet, timestamp));
        self.tally.cropped += u64::from(self.lists.is_cropped);
        let event = event?;
        let micros = || Some(event.micros?.saturating_mul(1000));
        let kind = LegacyEventKind::of(&event);
        let is_read = !matches!(kind, LegacyEventKind::Other);
        let Some(time) = time.or_else(micros).or((!is_read).then_some(0)) else {
            self.tally.untimed += 1;
            return Some(());
        };
        self.extra_counters(packet.sequence, time);
        let track = self.track_of(packet.sequence, &event, home);
        let track = self.asynchronous(track, &event).unwrap_or(track);
        match kind {
            LegacyEventKind::Begin => {
                let slice = self.track_slice((time, track), &event)?;
                self.items.push(time, track, TrackItemKind::Begin(slice));
            }
            LegacyEventKind::Instant => {
                let slice = self.track_slice((time, track), &event)?;
                self.items.push(time, track, TrackItemKind::Instant(slice));
            }
            LegacyEventKind::Complete(length) => {
                let slice = self.track_slice((time, track), &event)?;
                self.whole((time, time.saturating_add(length)), track, slice);
            }
            LegacyEventKind::End => {
                let said = (event.name, event.category);
                self.items.end((time, track), said, self.lists.flows());
            }
            LegacyEventKind::Count => {
                self.count((packet.sequence, time, track), event.value.unwrap_or(0.0));
            }
            LegacyEventKind::Series(id) => self.series(time, track, (event.name, id)),
            LegacyEventKind::Arrow(what) => self.arrow((time, track), &event, what),
            LegacyEventKind::Other => {
                let phase = event.legacy.map_or(0, |it| it.phase);
                self.unread.event(event.kind, phase);
            }
        }
        Some(())
    }

    /// Keeps a point of an arrow that stands apart from slices. As for Perfetto its number counts for one category and name.
    fn arrow(&mut self, (time, row): (i64, u32), event: &EventView<'_>, what: FlowStep) {
        let legacy = event.legacy.unwrap_or_default();
        let Some((id, is_local)) = legacy.id else {
            self.tally.unnumbered += 1;
            return;
        };
        let process = is_local.then(|| self.tracks.process_at(row)).flatten();
        let key = FlowKey {
            category: event.category.unwrap_or(self.own.none),
            name: event.name.unwrap_or(self.own.unnamed),
            process: process.map(|pid| RowToken::Number(pid.into())),
            id,
        };
        self.points.push(FlowPoint {
            key,
            time,
            row,
            what,
            span: SpanId::NONE,
            enclosing: what != FlowStep::End || legacy.is_enclosing,
        });
    }

    /// The place of the asynchronous operation that an event of the old form on a track tells of. One without a number stays
    /// where it was told.
    fn asynchronous(&mut self, track: u32, event: &EventView<'_>) -> Option<u32> {
        let (scope, number) = event.legacy?.asynchronous()?;
        let category = event.category.unwrap_or(self.own.none);
        let (kind, text) = match scope {
            AsyncScope::Category => ("", category),
            AsyncScope::Name => ("name ", event.name.unwrap_or(self.own.unnamed)),
            AsyncScope::Own(own) => ("own ", own),
        };
        let mut scope = format!("{kind}{}", self.texts.text(text));
        if kind == "own " {
            scope = format!("{scope} {}", self.texts.text(category));
        }
        Some(self.tracks.numbered(track, &scope, number))
    }

    /// Keeps values of counters that an event names itself: each field is a counter of its own.
    fn series(&mut self, time: i64, track: u32, (name, id): (Option<u32>, Option<u64>)) {
        let name = name.unwrap_or(self.own.unnamed);
        for &(field, value) in &self.lists.values {
            let value = match value {
                FieldValue::Integer(value) => value as f64,
                FieldValue::Number(value) => value,
                FieldValue::Text(_) => continue,
            };
            let names = (self.texts.text(name), self.texts.text(field));
            let place = self.tracks.series(track, (name, field, id), names);
            self.items.count((time, place), value, 0);
        }
    }

    /// Keeps the slice of an event.
    fn track_slice(&mut self, (time, track): (i64, u32), event: &EventView<'_>) -> Option<u32> {
        let name = event.name.unwrap_or(self.own.unnamed);
        let points = points(event)?;
        let category = event.category.unwrap_or(self.own.none);
        let kind = if points.waited.is_empty() {
            self.kind(name, category)
        } else {
            Some(SpanKind::Synchronize)
        };
        for (name, value) in &self.lists.values {
            if let FieldValue::Integer(value) = value {
                let name = self.texts.text(*name);
                self.tracks.note_agent(track, name, *value);
            }
        }
        if category != self.own.none {
            let field = (self.own.category, FieldValue::Text(category));
            self.lists.values.push(field);
        }
        let api = event.api.and_then(|api| usize::try_from(api).ok());
        let api = api.and_then(|api| API.get(api));
        if let Some(api) = api.filter(|api| !api.is_empty()) {
            let api = FieldValue::Text(self.texts.add(api));
            self.lists.values.push((self.own.api, api));
        }
        let slice = self.slice((name, category), kind, points);
        if let Some((id, what)) = event.legacy.and_then(|it| it.bound()) {
            self.points.push(FlowPoint {
                key: FlowKey {
                    category: self.own.bind,
                    name: self.own.none,
                    process: None,
                    id,
                },
                time,
                row: track,
                what,
                span: SpanId(slice),
                enclosing: true,
            });
        }
        Some(slice)
    }

    /// Keeps a slice of a name and categories with the fields and the arrows that are in the lists; gives its number.
    pub(super) fn slice(
        &mut self,
        (name, category): (u32, u32),
        kind: Option<SpanKind>,
        points: SliceSyncPoints,
    ) -> u32 {
        let number = self.items.slices.len() as u32;
        let arrows = self.items.keep(self.lists.flows());
        self.items.slices.push(Slice {
            name,
            category,
            arrows,
            kind,
        });
        self.fields.take(&self.lists.values);
        if points != SliceSyncPoints::default() {
            self.items.points.insert(number, Box::new(points));
        }
        number
    }

    /// What a slice is by its words.
    fn kind(&mut self, name: u32, category: u32) -> Option<SpanKind> {
        let (texts, none) = (&self.texts, self.own.none);
        *self.kinds.entry((name, category)).or_insert_with(|| {
            let category = (category != none).then(|| texts.text(category));
            slice_kind::of_slice(category, texts.text(name))
        })
    }

    /// Hands over everything in order of time.
    pub fn finish(
        mut self,
        source: &Source,
        sink: &mut RecordSink<'_>,
    ) -> Result<Receipt, ImportError> {
        sink.push(Record::Run(Box::new(Run {
            name: source.name(),
            backend: "pftrace".to_owned(),
            ..Run::default()
        })));
        self.add_up();
        self.items.sort();
        // Zero is the earliest slice; what only counts or ends may lie before it.
        let all = &self.items.all;
        let first = all.iter().find(|it| self.items.slice_of(it).is_some());
        let first = first.or(all.first()).map(|item| item.time);
        let origin = first.or_else(|| self.scheduler.first()).unwrap_or(0);
        if let Some(zero) = self.clocks.unix(origin) {
            sink.push(Record::Clock(Box::new(Clock::unix(Nanos(zero)))));
        }
        let mut receipt = Receipt::default();
        replay(&mut self, origin, sink)?;
        self.tell(sink, &mut receipt);
        self.scheduler.tell(sink, &mut receipt);
        Ok(receipt)
    }

    fn tell(&self, sink: &mut RecordSink<'_>, receipt: &mut Receipt) {
        let ForeignTally {
            unnumbered,
            loose,
            missing,
            lost,
            untimed,
            no_numbers,
            ends,
            open,
            streams,
            waits,
            texts,
            trackless,
            cropped,
        } = self.tally;
        tell_cropped(cropped, sink, receipt);
        receipt.without_numbers(no_numbers, sink);
        if streams > 1 && waits == 0 {
            receipt.note(NO_WAITS);
        }
        for text in self.unread.sentences() {
            sink.complain(Severity::Info, "not-read", text.clone());
            receipt.note(text);
        }
        let said = [
            (
                unnumbered,
                Severity::Info,
                "not-read",
                "{point of an arrow has no number, so that nothing says where it leads|points of arrows have no number, so that \
                 nothing says where they lead}",
            ),
            (
                trackless,
                Severity::Warning,
                "not-read",
                "{value of an extra counter is|values of extra counters are} not read: neither its event nor the defaults of its \
                 writer name the counter",
            ),
            (
                missing,
                Severity::Warning,
                "unknown-event",
                "{time|times} a slice waits for, or submits, an event of a GPU that the file does not hold",
            ),
            (
                self.gpu.unknown_queues,
                Severity::Warning,
                "unknown-queue",
                "{piece of work of a GPU is on a queue that the file does not describe; it|pieces of work of GPUs are on queues \
                 that the file does not describe; each} has a lane by its number",
            ),
            (
                lost,
                Severity::DataLoss,
                "lost-before",
                "{time|times} the writer lost packets before they reached the file",
            ),
            (
                untimed,
                Severity::DataLoss,
                "no-time",
                "{event has no time, so that it is|events have no time, so that they are} left out",
            ),
            (
                ends,
                Severity::Warning,
                "no-begin",
                "{end of a slice has no beginning; the file may begin after it|ends of slices have no beginning; the file may begin after \
                 them}",
            ),
            (
                open,
                Severity::Warning,
                "no-end",
                "{slice has no end; it is|slices have no end; they are} drawn up to the end of the capture",
            ),
            (
                self.clocks.unknown,
                Severity::Warning,
                "unknown-clock",
                "{timestamp is of a clock that the file does not explain; it is|timestamps are of a clock that the file does not explain; \
                 they are} taken as nanoseconds",
            ),
        ];
        for (count, severity, code, words) in said {
            if count > 0 {
                let text = format!("{}.", counted(count, words));
                receipt.complain(sink, (severity, code), text);
            }
        }
        receipt.dropped += untimed;
        receipt.repair("queues that nothing describes", self.gpu.unknown_queues);
        let texts = texts + self.texts.table().mended;
        receipt.repair("texts that are not UTF-8", texts);
        receipt.repair("flows without a partner", loose);
        receipt.repair("ends without a begin", ends);
        receipt.repair("begins without an end", open);
    }
}

/// Whether a packet says what happened at its time.
const fn is_timed(packet: &TracePacket) -> bool {
    packet.gpu_render_stage_event.is_some()
        || packet.gpu_counter_event.is_some()
        || packet.vulkan_api_event.is_some()
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

/// The events of GPUs that a slice submitted, and those that it waited for. Nothing where they make no sense.
fn points(event: &EventView<'_>) -> Option<SliceSyncPoints> {
    let Some(correlation) = event.correlation else {
        return Some(SliceSyncPoints::default());
    };
    let GpuCorrelation { submitted, waited } = GpuCorrelation::decode(correlation).ok()?;
    Some(SliceSyncPoints {
        submitted,
        waited,
        ..SliceSyncPoints::default()
    })
}

/// Says how many events have more fields than are kept.
fn tell_cropped(count: u64, sink: &mut RecordSink<'_>, receipt: &mut Receipt) {
    if count > 0 {
        receipt.dropped += count;
        let words = "{event has too many arguments|events have too many arguments}";
        let events = counted(count, words);
        let text = format!("{events}; the first {MOST_ARGUMENTS} of each are kept.");
        receipt.complain(sink, (Severity::DataLoss, "arguments-cropped"), text);
    }
}
