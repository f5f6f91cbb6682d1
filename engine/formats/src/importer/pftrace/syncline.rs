//! Reads what Syncline wrote: every record comes back as it was.

use prost::Message as _;

use super::damage::PacketDamage;
use super::frame::{NextPacket, PacketReader};
use super::missing_spans::UnwrittenSpans;
use super::resync;
use super::sequence::annotations::{find, int, narrow, text, uint};
use crate::importer::{ImportError, Receipt, RecordSink, Source};
use crate::perfetto::dialect::{
    self, ARGUMENTS, DEPENDENCY_KINDS, END_IIDS, FORMAT, SEQUENCE, TITLE, Track, key,
    packets_before_end, time_of,
};
use crate::perfetto::fact::from_json;
use crate::perfetto::proto::{
    AnnotationValue, DebugAnnotation, InternedData, InternedName, TracePacket, TrackEvent,
    event_type,
};
use record::time::Nanos;
use record::{
    Basis, CallId, Dependency, DependencyKind, EventId, LaneId, NameId, Record, Sample, Severity,
    Span, SpanId, SpanKind, SpanStart, State, Value, counted,
};

/// What the packets so far have said.
#[derive(Default)]
pub(super) struct OwnFile {
    kinds: Vec<(u64, SpanKind)>,
    ties: Vec<(u64, DependencyKind)>,
    /// A slice whose end has not come: its track, its span and the arguments of that.
    begun: Option<(u64, Span, Vec<Record>)>,
    /// What the file says of the one that its capture was first read from.
    receipt: Receipt,
    headers: u64,
    /// Packets of its own.
    packets: u64,
    /// Whether it is to have an end, and how many packets that says to stand before it.
    has_end: bool,
    end: Option<u64>,
    others: u64,
    open: u64,
    unwritten: UnwrittenSpans,
}

/// Whether a file's first packet, as far as it is known, says that Syncline wrote the file, or what stands behind a damaged
/// one does.
pub(super) fn begins(head: &[u8]) -> bool {
    let mut frames = PacketReader::new(head, Some(head.len() as u64));
    let first = match frames.next() {
        Ok(NextPacket::Packet { bytes, .. }) => TracePacket::decode(bytes).ok(),
        _ => None,
    };
    first.map_or_else(|| resync::is_ours(head), |packet| is_ours(&packet))
}

/// Whether a packet is of a file that Syncline wrote: either its writer or its words say so, of which one may be damaged.
pub(super) fn is_ours(packet: &TracePacket) -> bool {
    let name = packet
        .track_event
        .as_ref()
        .and_then(|it| it.name.as_deref());
    packet.trusted_packet_sequence_id == Some(SEQUENCE) || name == Some(TITLE)
}

/// The version of the format, where a packet is the first of a file that Syncline wrote. That is written twice, and beside it a
/// title: one of the three may be damaged, and a damaged number elsewhere looks like one of them.
fn version(packet: &TracePacket) -> Option<u64> {
    let event = packet.track_event.as_ref()?;
    let values = event.debug_annotations.iter();
    let said = values.filter(|it| it.name_iid == Some(key::FORMAT));
    let numbers = said.filter_map(|it| match it.value {
        Some(AnnotationValue::Uint(number)) => Some(number),
        _ => None,
    });
    let is_titled = event.name.as_deref() == Some(TITLE);
    let signs = numbers.clone().count() + usize::from(is_titled);
    let is_ours = packet.trusted_packet_sequence_id == Some(SEQUENCE);
    // Where the two numbers differ, one is damaged.
    numbers.min().filter(|_| is_ours && signs > 1)
}

/// How many packets stand before the end of a file, where a packet is that. It is said twice, and one of the two may be damaged.
fn end(packet: &InternedData) -> Option<u64> {
    let names = packet.debug_annotation_names.iter();
    let said = names.filter(|it| it.iid.is_some_and(|iid| END_IIDS.contains(&iid)));
    let mut numbers = said.map(|it| packets_before_end(it.name.as_deref().unwrap_or_default()));
    let (first, second) = (numbers.next()??, numbers.next()??);
    (first == second).then_some(first)
}

impl OwnFile {
    /// Takes a packet. What cannot be understood is counted as damage.
    pub fn take(
        &mut self,
        source: &Source,
        packet: TracePacket,
        sink: &mut RecordSink<'_>,
        damage: &mut PacketDamage,
    ) -> Result<(), ImportError> {
        let version = version(&packet);
        self.headers += u64::from(version.is_some());
        // Only those before a second header: of another capture this one's end tells nothing.
        self.packets += u64::from(self.headers <= 1);
        // A second header begins another capture, whose numbers mean other things.
        if packet.trusted_packet_sequence_id != Some(SEQUENCE) || self.headers > 1 {
            self.others += 1;
            return Ok(());
        }
        self.has_end |=
            version.is_some() && (packet.track_event.iter()).any(|it| uint(it, key::END).is_some());
        if let Some(packets) = packet.interned_data.as_ref().and_then(end) {
            // It does not count itself.
            self.packets -= 1;
            self.end = Some(packets);
            return Ok(());
        }
        if let Some(interned) = packet.interned_data {
            self.intern(interned, sink);
        }
        let Some(event) = packet.track_event else {
            return Ok(());
        };
        match version {
            Some(found) if found > FORMAT => {
                let (path, known) = (source.path().to_owned(), FORMAT);
                return Err(ImportError::Newer { path, found, known });
            }
            Some(_) => {}
            None => {
                if self.event(packet.timestamp, event, sink).is_none() {
                    damage.senseless();
                }
            }
        }
        Ok(())
    }

    fn intern(&mut self, interned: InternedData, sink: &mut RecordSink<'_>) {
        if !interned.event_categories.is_empty() {
            return self.learn(&interned);
        }
        for entry in interned.event_names {
            let (iid, text) = (entry.iid.unwrap_or(0), entry.name.unwrap_or_default());
            if let Some(name) = dialect::name_of(iid).filter(|_| iid < DEPENDENCY_KINDS) {
                sink.push(Record::Name(name, text.into()));
            }
        }
    }

    /// Takes the numbers of kinds from the header. Where all but one are those of today the one is damaged, and today's count.
    fn learn(&mut self, header: &InternedData) {
        let of = |entries: &[InternedName]| -> Vec<(u64, String)> {
            let entries = entries.iter();
            let pairs =
                entries.map(|it| (it.iid.unwrap_or(0), it.name.clone().unwrap_or_default()));
            pairs.collect()
        };
        let said = of(&header.event_categories);
        let todays = (1..).zip(SpanKind::ALL).map(|(iid, it)| (iid, it.label()));
        if !are_todays(&said, todays.collect()) {
            let known = said
                .iter()
                .map(|(iid, text)| (*iid, SpanKind::from_label(text)));
            self.kinds
                .extend(known.filter_map(|(iid, kind)| Some((iid, kind?))));
        }
        let said = of(&header.event_names);
        let todays = (DEPENDENCY_KINDS..).zip(DependencyKind::ALL);
        let todays = todays.map(|(iid, it)| (iid, it.label()));
        if !are_todays(&said, todays.collect()) {
            let known = said
                .iter()
                .map(|(iid, text)| (*iid, DependencyKind::from_label(text)));
            self.ties
                .extend(known.filter_map(|(iid, kind)| Some((iid, kind?))));
        }
    }

    /// Takes an event; nothing where it makes no sense.
    fn event(
        &mut self,
        timestamp: Option<u64>,
        event: TrackEvent,
        sink: &mut RecordSink<'_>,
    ) -> Option<()> {
        let exact = int(&event, key::EXACT).map(Nanos);
        let time = exact.or(timestamp.map(time_of))?;
        match (event.r#type?, Track::from_uuid(event.track_uuid?)?) {
            (event_type::BEGIN, Track::Lane(lane, _)) => {
                self.leave_open(sink);
                let uuid = event.track_uuid?;
                let span = self.span(time, lane, &event)?;
                let records = event.debug_annotations.into_iter();
                let arguments = records.filter_map(|it| argument(span.id, it)).collect();
                self.begun = Some((uuid, span, arguments));
            }
            (event_type::END, Track::Lane(..)) => {
                let begun = self
                    .begun
                    .take_if(|(uuid, ..)| Some(*uuid) == event.track_uuid);
                let (_, span, arguments) = begun?;
                self.unwritten.hold(span.id);
                sink.push(Record::Span(Span { end: time, ..span }));
                sink.extend(arguments);
            }
            (event_type::COUNTER, Track::Counter(counter)) => sink.push(Record::Sample(Sample {
                counter,
                time,
                value: event.double_counter_value?,
            })),
            (event_type::INSTANT, Track::Dependencies) => {
                let dependency = self.dependency(&event)?;
                self.unwritten.name(&dependency);
                self.receipt.read_back(&dependency);
                sink.push(Record::Dependency(dependency));
            }
            (event_type::INSTANT, Track::Records | Track::Problems) => {
                if let Some(record) = self.receipt.keep(fact(event)?) {
                    self.unwritten.note(&record);
                    sink.push(record);
                }
            }
            // An end of an arrow that Perfetto needs a place for; its dependency is told in the list of all.
            (event_type::INSTANT, Track::Lane(..)) => {}
            _ => return None,
        }
        Some(())
    }

    /// The kind of a category. Where the header is damaged that says it, it is that of the number which is written today.
    fn kind(&self, category: u64) -> Option<SpanKind> {
        let known = self.kinds.iter().find(|(iid, _)| *iid == category);
        let place = || usize::try_from(category.checked_sub(1)?).ok();
        known.map_or_else(|| SpanKind::ALL.get(place()?).copied(), |it| Some(it.1))
    }

    /// The kind of a dependency, likewise.
    fn dependency_kind(&self, name: u64) -> Option<DependencyKind> {
        let known = self.ties.iter().find(|(iid, _)| *iid == name);
        let place = || usize::try_from(name.checked_sub(DEPENDENCY_KINDS)?).ok();
        known.map_or_else(
            || DependencyKind::ALL.get(place()?).copied(),
            |it| Some(it.1),
        )
    }

    /// A span that starts at `start` and whose end is not known yet.
    fn span(&self, start: Nanos, lane: LaneId, event: &TrackEvent) -> Option<Span> {
        let category = event.category_iids.first()?;
        let unnamed = || uint(event, key::NAME).and_then(narrow).map(NameId);
        let queued = int(event, key::QUEUED).unwrap_or(0);
        Some(Span {
            id: SpanId(narrow(uint(event, key::ID)?)?),
            lane,
            name: event.name_iid.and_then(dialect::name_of).or_else(unnamed)?,
            call: match uint(event, key::CALL) {
                Some(call) => CallId(narrow(call)?),
                None => CallId::NONE,
            },
            kind: self.kind(*category)?,
            state: match text(event, key::STATE) {
                Some(label) => State::from_label(label)?,
                None => State::Done,
            },
            enqueued: Nanos(start.0.wrapping_sub(queued)),
            start,
            end: start,
        })
    }

    /// The file says that a span began, and breaks off before it says when it ended.
    fn leave_open(&mut self, sink: &mut RecordSink<'_>) {
        if let Some((_, span, arguments)) = self.begun.take() {
            self.open += 1;
            self.unwritten.hold(span.id);
            sink.push(Record::Began(SpanStart {
                id: span.id,
                lane: span.lane,
                name: span.name,
                kind: span.kind,
                enqueued: span.enqueued,
                start: span.start,
            }));
            sink.extend(arguments);
        }
    }

    fn dependency(&self, event: &TrackEvent) -> Option<Dependency> {
        let iid = event.name_iid?;
        let number = |key| uint(event, key).and_then(narrow);
        Some(Dependency {
            cause: SpanId(number(key::CAUSE)?),
            effect: SpanId(number(key::EFFECT)?),
            kind: self.dependency_kind(iid)?,
            basis: match text(event, key::BASIS) {
                Some(label) => Basis::from_label(label)?,
                None => Basis::Enforced,
            },
            event: number(key::EVENT).map_or(EventId::NONE, EventId),
            generation: number(key::GENERATION).unwrap_or(0),
        })
    }

    /// Says what the file did not end, and what in it is not its own.
    pub fn finish(mut self, sink: &mut RecordSink<'_>, damage: &mut PacketDamage) -> Receipt {
        self.leave_open(sink);
        match self.end {
            Some(packets) => damage.compare(packets, self.packets),
            None if self.has_end => damage.no_end(),
            None => {}
        }
        let mut receipt = self.receipt;
        if self.open > 0 {
            let words = "{span has a beginning and no end in the file; it is|spans have a beginning and no end in the file; \
                         they are} shown as still running.";
            let text = counted(self.open, words);
            receipt.complain(sink, (Severity::DataLoss, "no-end"), text);
            receipt.repair("begins without an end", self.open);
        }
        self.unwritten.tell(sink, &mut receipt);
        if self.others > 0 {
            let words = "{packet comes from another writer, or from a second capture in the same file, and is|packets come \
                         from another writer, or from a second capture in the same file, and are} not shown. Open captures \
                         one by one.";
            let text = counted(self.others, words);
            receipt.dropped += self.others;
            receipt.complain(sink, (Severity::Warning, "other-writer"), text);
        }
        receipt
    }
}

/// Whether at most one of the numbers and texts that a header says is not as they are written today.
fn are_todays(said: &[(u64, String)], todays: Vec<(u64, &str)>) -> bool {
    let same = |((iid, text), (today, label)): &(&(u64, String), (u64, &str))| {
        iid == today && text == label
    };
    let count = todays.len();
    said.len() == count && said.iter().zip(todays).filter(same).count() + 1 >= count
}

/// A record written as a text, or an argument that came after its span.
fn fact(event: TrackEvent) -> Option<Record> {
    let Some(json) = text(&event, key::RECORD) else {
        let span = SpanId(narrow(uint(&event, key::SPAN)?)?);
        let mut annotations = event.debug_annotations.into_iter();
        return annotations.find_map(|it| argument(span, it));
    };
    // JSON keeps no infinity and not every last bit: the real numbers stand beside it.
    let values = find(&event, key::NUMBERS).map(|it| it.array_values.iter());
    let numbers = values
        .into_iter()
        .flatten()
        .filter_map(|it| match it.value {
            Some(AnnotationValue::Double(number)) => Some(number),
            _ => None,
        });
    from_json(json, &numbers.collect::<Vec<f64>>())
}

/// An annotation that is an argument of a span.
fn argument(span: SpanId, annotation: DebugAnnotation) -> Option<Record> {
    let name = annotation.name_iid?.checked_sub(ARGUMENTS)?;
    let value = match annotation.value? {
        AnnotationValue::Int(value) => Value::Integer(value),
        AnnotationValue::Double(value) => Value::Number(value),
        AnnotationValue::Text(value) => Value::Text(value.into()),
        _ => return None,
    };
    Some(Record::Argument(span, NameId(narrow(name)?), value))
}
