//! Turns events into records: spans wait until their row is sorted, everything else goes on at once.

use super::begin_end_pairs::SpanHalves;
use super::class::{ApiVerb, EventClass};
use super::counters::ChromeCounters;
use super::emit::EmitScope;
use super::flows::{self, ChromeFlows, FlowRole};
use super::lanes::ChromeLanes;
use super::name_classifier::{NameClass, NameClassifier};
use super::rows::{ChromeRows, LaneSlot, PendingSpan};
use super::scan::{
    ArgumentPayload, ChromeArgument, ChromeEvent, NO_CORRELATION, RowToken, ScannerFields, flag,
    is_told, makes_span, words,
};
use super::stream::ScannedStretch;
use super::tally::ChromeTally;
use super::texts::ChromeTexts;
use super::work::{ChromeCall, ChromeWork};
use super::xla::XlaSpans;
use crate::importer::{ImportError, RecordSink};
use record::time::Nanos;
use record::{NameId, Record, SpanId, SpanKind, Value};

/// How many spans wait before those of streams are handed over.
const WINDOW: usize = 1 << 19;
/// How many wait for the first picture: capture time zero is the earliest of them, and writers put what was around
/// others behind it.
const FIRST: usize = 1 << 18;
/// How many wait before all are handed over, sorted or not.
const MOST: usize = 1 << 23;
/// Durations beyond a century are not true.
const CENTURY: i64 = 3_155_760_000_000_000_000;

/// Everything that was read so far.
pub(super) struct ChromeBuilder {
    pub texts: ChromeTexts,
    pub rows: ChromeRows,
    pub lanes: ChromeLanes,
    pub judge: NameClassifier,
    pub tally: ChromeTally,
    pub work: ChromeWork,
    pub flows: ChromeFlows,
    pub halves: SpanHalves,
    pub counters: ChromeCounters,
    pub xla: XlaSpans,
    /// What file time is capture time zero, once spans were handed over.
    pub origin: Option<i64>,
    /// When the earliest span begins that was read so far; where there is none, the earliest of all that has a time.
    earliest: Option<(bool, i64)>,
    /// The last instant of all.
    pub last: i64,
    spans: u32,
    waiting: usize,
    /// How many have to wait until the next are handed over.
    next: usize,
    /// Whether the file says that it has devices.
    expects_work: bool,
    /// Whether somebody may yet look for the span around an instant.
    pub looks_around: bool,
}

/// An event with its arguments, and the scanner whose numbers they are in.
#[derive(Clone, Copy)]
pub(super) struct ParsedEvent<'a> {
    pub event: &'a ChromeEvent,
    pub arguments: &'a [ChromeArgument],
    pub scanner: usize,
}

/// Whether what stands where an event is due is another file: its list of events is one of its fields.
fn is_list_of_events(fields: &[ChromeArgument]) -> bool {
    fields.iter().any(|it| it.key == words::EVENTS)
}

impl ChromeBuilder {
    /// A builder for a file that says that it has devices, or does not.
    pub fn new(expects_work: bool) -> Self {
        Self {
            texts: ChromeTexts::new(),
            rows: ChromeRows::default(),
            lanes: ChromeLanes::default(),
            judge: NameClassifier::default(),
            tally: ChromeTally::default(),
            work: ChromeWork::default(),
            flows: ChromeFlows::default(),
            halves: SpanHalves::default(),
            counters: ChromeCounters::default(),
            xla: XlaSpans::default(),
            origin: None,
            earliest: None,
            last: i64::MIN,
            spans: 0,
            waiting: 0,
            next: FIRST,
            expects_work,
            looks_around: true,
        }
    }

    /// Takes a stretch.
    pub fn take(
        &mut self,
        piece: &mut ScannedStretch,
        sink: &mut RecordSink<'_>,
    ) -> Result<(), ImportError> {
        let ScannedStretch {
            parsed, scanner, ..
        } = piece;
        self.texts.absorb(*scanner, &parsed.texts);
        self.rows.absorb(*scanner, &parsed.rows, &self.texts);
        if piece.counts {
            self.tally.bad_text += parsed.mended;
            self.tally.events += parsed.empty;
            for damage in &parsed.damage {
                self.tally
                    .damage(piece.at + damage.at as u64, damage.length as u64);
            }
            self.begin(&parsed.events);
            self.hand_over_fields(*scanner, &mut parsed.packed, true, sink);
            let mut rest = parsed.arguments.as_slice();
            for event in &parsed.events {
                let (arguments, after) = rest
                    .split_at_checked(event.arguments as usize)
                    .unwrap_or((rest, &[]));
                rest = after;
                let told = ParsedEvent {
                    event,
                    arguments,
                    scanner: *scanner,
                };
                self.event(told, sink);
            }
            self.hand_over_some(sink);
        } else {
            self.hand_over_fields(*scanner, &mut parsed.packed, false, sink);
        }
        sink.advance(piece.read)
    }

    /// Hands over what can be shown before the file is whole: work on streams, which comes in order of time. Host
    /// threads wait, since what is around a span may come long after it, but not for ever.
    fn hand_over_some(&mut self, sink: &mut RecordSink<'_>) {
        if self.waiting >= MOST {
            self.hand_over(EmitScope::All, sink);
        } else if self.waiting >= self.next {
            // In files of other tools than GPU profilers there may be nothing but threads.
            let when = if self.next == FIRST && !self.expects_work {
                EmitScope::All
            } else {
                EmitScope::Streams
            };
            self.hand_over(when, sink);
            self.next = self.waiting + WINDOW;
        }
    }

    /// Looks for the earliest span, which is capture time zero unless it comes long after the first were handed over.
    fn begin(&mut self, events: &[ChromeEvent]) {
        let timed = events
            .iter()
            .filter(|it| it.phase != b'M' && it.flags & (flag::TIME | flag::NO_TIME) == flag::TIME);
        let first = timed.map(|it| (!makes_span(it.phase), it.time)).min();
        self.earliest = self.earliest.into_iter().chain(first).min();
    }

    /// How long before capture time zero the earliest span begins, where zero had to be settled before it came.
    pub fn before_zero(&self) -> Nanos {
        let earliest = self.earliest.filter(|(is_other, _)| !is_other);
        let earliest = self.origin.zip(earliest);
        Nanos(earliest.map_or(0, |(origin, (_, time))| origin.saturating_sub(time).max(0)))
    }

    /// What file time is capture time zero; from now on it stays.
    pub fn settle_origin(&mut self) -> i64 {
        let earliest = self.earliest.map_or(0, |(_, time)| time);
        *self.origin.get_or_insert(earliest)
    }

    fn event(&mut self, told: ParsedEvent<'_>, sink: &mut RecordSink<'_>) {
        let event = told.event;
        self.tally.events += 1;
        if event.flags & (flag::TEXT_TIME | flag::BAD_TIME) != 0 {
            self.tally.text_times += u64::from(event.flags & flag::TEXT_TIME != 0);
            self.tally.bad_times += u64::from(event.flags & flag::BAD_TIME != 0);
        }
        self.tally.no_time += u64::from(event.flags & flag::NO_TIME != 0);
        self.tally.cropped += u64::from(event.flags & flag::CROPPED != 0);
        if event.flags & flag::LOOSE != 0 {
            self.loose(told, sink);
        }
        match event.phase {
            b'X' => self.complete(told, sink),
            b'B' | b'E' => self.half(told),
            b'b' | b'e' | b'n' | b'S' | b'F' | b'T' | b'p' => self.distant(told),
            b'i' | b'I' | b'R' | b'P' => {
                self.tally.samples += u64::from(event.phase == b'P');
                let span = self.next_span();
                let time = self.time(event);
                let name = self.texts.global(told.scanner, event.name);
                if name == words::MEMORY {
                    let (rows, texts) = (&self.rows, &self.texts);
                    let is_read = self.counters.take_memory(told, time, rows, texts, sink);
                    self.tally.sizeless += u64::from(!is_read);
                }
                self.wait(told, EventClass::Annotation, span, time, 0);
            }
            b's' | b't' | b'f' => self.flow(told),
            b'C' => {
                let time = self.time(event);
                self.counters
                    .take(told, time, &self.rows, &self.texts, sink);
            }
            b'M' => self.describe(told),
            b'N' | b'D' | b'O' | b'v' | b'V' | b'c' | b'a' | b'(' | b')' => self.tally.objects += 1,
            0 if event.arguments == 0 && event.name == words::EMPTY => {}
            0 if is_list_of_events(told.arguments) => self.tally.lists += 1,
            _ => self.tally.unknown += 1,
        }
    }

    fn describe(&mut self, told: ParsedEvent<'_>) {
        let name = self.texts.global(told.scanner, told.event.name);
        let row = self.rows.global(told.scanner, told.event.row);
        let arguments: Vec<ChromeArgument> = told
            .arguments
            .iter()
            .map(|it| self.argument(told.scanner, *it))
            .collect();
        if !self.rows.describe(row, name, &arguments, &self.texts) {
            self.tally.unlisted += 1;
        }
    }

    /// An argument with the numbers of its texts here.
    pub fn argument(&self, scanner: usize, argument: ChromeArgument) -> ChromeArgument {
        ChromeArgument {
            key: self.texts.global(scanner, argument.key),
            payload: match argument.payload {
                ArgumentPayload::Text(text) => {
                    ArgumentPayload::Text(self.texts.global(scanner, text))
                }
                other => other,
            },
        }
    }

    /// The instant of an event. One without a time, or with one beyond all reckoning, is put at the file's beginning.
    pub fn time(&mut self, event: &ChromeEvent) -> i64 {
        let earliest = self.earliest.map_or(0, |(_, time)| time);
        let origin = self.origin.unwrap_or(earliest);
        if event.flags & flag::NO_TIME != 0 || event.time.checked_sub(origin).is_none() {
            return origin;
        }
        self.last = self.last.max(event.time);
        event.time
    }

    /// When that is in the capture.
    pub fn instant(&self, time: i64) -> Nanos {
        Nanos(time) - Nanos(self.origin.unwrap_or(0))
    }

    /// Gives out the number of a span.
    pub fn next_span(&mut self) -> SpanId {
        self.spans += 1;
        SpanId(self.spans - 1)
    }

    /// Hands over the fields of a stretch, under the numbers that its spans will get; of one that does not count
    /// only what it says for later ones.
    fn hand_over_fields(
        &mut self,
        scanner: usize,
        packed: &mut ScannerFields,
        counts: bool,
        sink: &mut RecordSink<'_>,
    ) {
        let mut fields = std::mem::take(&mut packed.fields);
        fields.writer = scanner as u32;
        fields.first = SpanId(self.spans);
        for (name, _) in fields.forms.iter_mut().flatten() {
            let text = self.texts.global(scanner, name.0);
            *name = self.texts.name(text, sink);
        }
        let texts = packed.texts.iter();
        let texts = texts.map(|it| self.texts.text(self.texts.global(scanner, *it)).into());
        fields.texts = texts.collect();
        if !counts {
            fields.clear();
        }
        sink.push(Record::Fields(Box::new(fields)));
    }

    /// Hands over the fields of the next span where they are not packed.
    fn loose(&mut self, told: ParsedEvent<'_>, sink: &mut RecordSink<'_>) {
        let category = told.event.category;
        let category = is_told(category).then_some(ChromeArgument {
            key: words::CATEGORY,
            payload: ArgumentPayload::Text(category),
        });
        for argument in category.iter().chain(told.arguments) {
            let ChromeArgument { key, payload } = self.argument(told.scanner, *argument);
            let key = self.texts.name(key, sink);
            let value = self.value(payload);
            sink.push(Record::Argument(SpanId(self.spans), key, value));
        }
    }

    pub fn value(&self, payload: ArgumentPayload) -> Value {
        match payload {
            ArgumentPayload::Integer(value) => Value::Integer(value),
            ArgumentPayload::Text(text) => Value::Text(self.texts.text(text).into()),
            other => Value::Number(other.number(self.texts.table()).unwrap_or_default()),
        }
    }

    /// Hands over a field of our own.
    pub fn remark(&mut self, span: SpanId, key: u32, text: &str, sink: &mut RecordSink<'_>) {
        let key: NameId = self.texts.name(key, sink);
        sink.push(Record::Argument(span, key, Value::Text(text.into())));
    }

    fn complete(&mut self, told: ParsedEvent<'_>, sink: &mut RecordSink<'_>) {
        let event = told.event;
        let span = self.next_span();
        let time = self.time(event);
        let mut length = event.length;
        if event.flags & flag::LENGTH == 0 {
            self.tally.no_length += 1;
            self.remark(span, words::REPAIRED, "the file gives no duration", sink);
        } else if length.unsigned_abs() > CENTURY as u64 {
            self.tally.impossible += 1;
            self.remark(
                span,
                words::REPAIRED,
                "its duration in the file cannot be true",
                sink,
            );
            length = 0;
        } else if length < 0 {
            self.tally.negative += 1;
        }
        if event.flags & flag::NO_TIME != 0 && length == event.length {
            self.remark(
                span,
                words::REPAIRED,
                "its time in the file is missing or cannot be true",
                sink,
            );
        }
        self.last = self.last.max(time.saturating_add(length));
        let category = self.texts.global(told.scanner, event.category);
        let class = EventClass::of(category);
        self.link(told, class, span);
        if class == EventClass::Plain && !told.arguments.is_empty() {
            let end = time.saturating_add(length.max(0));
            self.note_connection(told, time, span);
            if let Some(row) = self.note_xla(told, (time, end), span) {
                let pending = PendingSpan {
                    span,
                    name: self.texts.global(told.scanner, event.name),
                    class: EventClass::Kernel,
                    start: time,
                    length,
                    correlation: NO_CORRELATION,
                };
                self.put(row, LaneSlot::Stream, pending);
                return;
            }
        }
        self.wait(told, class, span, time, length);
    }

    /// Remembers the number that ties a task of Ascend to the call that asked for it, of records of events and waits for them.
    fn note_connection(&mut self, told: ParsedEvent<'_>, start: i64, span: SpanId) {
        let mut arguments = told.arguments.iter();
        let number = arguments.find(|it| it.key == words::CONNECTION);
        let number = number.and_then(|it| {
            self.argument(told.scanner, *it)
                .payload
                .integer(self.texts.table())
        });
        let Some(number) = number else {
            return;
        };
        let name = self.texts.global(told.scanner, told.event.name);
        let row = self.rows.global(told.scanner, told.event.row);
        match self.judge.of(name, &self.texts) {
            NameClass {
                kind: SpanKind::EventRecord | SpanKind::EventWait,
                ..
            } => self.work.connect_task(span, number),
            NameClass {
                verb: ApiVerb::Record | ApiVerb::Wait,
                ..
            } => self.work.connect_call(number, (start, row)),
            _ => {}
        }
    }

    /// Remembers what of an event ties it to others.
    fn link(&mut self, told: ParsedEvent<'_>, class: EventClass, span: SpanId) {
        let event = told.event;
        let row = self.rows.global(told.scanner, event.row);
        if event.flags & (flag::FLOW_IN | flag::FLOW_OUT) != 0 {
            self.flows.at_span(event, row, span);
        }
        if class == EventClass::Kernel {
            for argument in told.arguments {
                match (argument.key, argument.payload) {
                    (words::PROCESS_GROUP, ArgumentPayload::Text(group)) => {
                        let group = self.texts.global(told.scanner, group);
                        self.work.groups.entry(span).or_default().name = group;
                    }
                    (words::COLLECTIVE_NUMBER, ArgumentPayload::Integer(number)) => {
                        self.work.groups.entry(span).or_default().number = Some(number);
                    }
                    _ => {}
                }
            }
        }
        if matches!(class, EventClass::Sync | EventClass::Task) {
            let arguments: Vec<ChromeArgument> = told
                .arguments
                .iter()
                .map(|it| self.argument(told.scanner, *it))
                .collect();
            let name = self.texts.global(told.scanner, event.name);
            self.work.detail(span, class, name, &arguments, &self.texts);
        }
    }

    /// Puts a span with those that wait for their row to be sorted.
    pub fn wait(
        &mut self,
        told: ParsedEvent<'_>,
        class: EventClass,
        span: SpanId,
        start: i64,
        length: i64,
    ) {
        let mut row = self.rows.global(told.scanner, told.event.row);
        if class == EventClass::Task
            && let Some(stream) = self.work.stream_of(span)
            && let Some(process) = self.rows.get(row).map(|it| it.row.0)
        {
            row = self.rows.place((process, RowToken::Number(stream)));
        }
        let correlation =
            if class == EventClass::Call || class == EventClass::Sync || class.is_work() {
                told.event.correlation
            } else {
                NO_CORRELATION
            };
        let name = self.texts.global(told.scanner, told.event.name);
        let end = start.saturating_add(length.max(0));
        if class == EventClass::Call {
            let verb = self.judge.of(name, &self.texts).verb;
            self.work.call(ChromeCall {
                correlation,
                start,
                end,
                row,
                span,
                verb,
            });
        }
        if matches!(class, EventClass::Sync | EventClass::Task) {
            let process = self.rows.get(row).map_or(RowToken::None, |it| it.row.0);
            self.work.place_detail(span, process, start, end);
        }
        let is_function =
            class == EventClass::Plain && self.judge.of(name, &self.texts).is_function;
        let slot = if is_function {
            LaneSlot::Functions
        } else {
            LaneSlot::of(class)
        };
        self.put(
            row,
            slot,
            PendingSpan {
                span,
                name,
                class,
                start,
                length,
                correlation,
            },
        );
    }

    /// The same for a span whose row is known.
    pub fn put(&mut self, row: u32, slot: LaneSlot, pending: PendingSpan) {
        if let Some(facts) = self.rows.get_mut(row) {
            facts.wait(slot, pending);
            self.waiting += 1;
        }
    }

    /// Says how many spans wait from now on.
    pub fn set_waiting(&mut self, waiting: usize) {
        self.waiting = waiting;
    }

    fn flow(&mut self, told: ParsedEvent<'_>) {
        let event = told.event;
        let category = self.texts.global(told.scanner, event.category);
        let name = self.texts.global(told.scanner, event.name);
        let launch = matches!(category, words::LAUNCH_FLOW | words::LAUNCH_FLOW_2022)
            || (category == words::LAUNCH_FLOW_2021 && name == words::LAUNCH);
        let time = self.time(event);
        let row = self.rows.global(told.scanner, event.row);
        let process = self.rows.get(row).map(|it| it.row.0);
        let role = match (launch, self.work.has_correlations()) {
            (false, _) => FlowRole::Own,
            (true, false) => FlowRole::Launch,
            (true, true) => FlowRole::Repeated,
        };
        self.flows.take(
            flows::point(event, (row, process), (category, name), time),
            role,
        );
    }
}
