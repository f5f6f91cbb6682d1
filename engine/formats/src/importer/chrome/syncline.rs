//! Reads trace JSON that Syncline wrote: every record comes back as it was.

use std::collections::HashMap;

use super::rows::ChromeRows;
use super::scan::{ArgumentPayload, ChromeArgument, ChromeEvent, RowToken, flag};
use super::stream::ScannedStretch;
use super::tally::ChromeTally;
use super::texts::ChromeTexts;
use crate::importer::{ImportError, Receipt, RecordSink};
use crate::perfetto::fact::from_json;
use crate::perfetto::json::{RECORD, ROWS, key, unescape};
use record::time::Nanos;
use record::{
    Basis, CallId, CounterId, Dependency, DependencyKind, EventId, LaneId, NameId, Record, Sample,
    Severity, Span, SpanId, SpanKind, SpanStart, State, Value, counted,
};

/// The arguments of our own that are read back.
const KEYS: [&str; 13] = [
    key::ID,
    key::NAME,
    key::CALL,
    key::KIND,
    key::STATE,
    key::QUEUED,
    key::LENGTH,
    key::START,
    key::CAUSE,
    key::EFFECT,
    key::BASIS,
    key::EVENT,
    key::GENERATION,
];

/// What an argument is called, once it was looked at.
#[derive(Clone, Copy)]
enum OwnField {
    /// One of our own.
    Own(&'static str),
    /// One of our own that only people read.
    ForPeople,
    /// One of the span itself, and whether its value is a real number written as a text.
    Plain(NameId, bool),
}

/// What the events so far have said.
pub(super) struct OwnEvents {
    texts: ChromeTexts,
    rows: ChromeRows,
    pub tally: ChromeTally,
    /// When in the capture the file's time zero is.
    origin: Nanos,
    fields: HashMap<u32, OwnField>,
    /// Counters by their process and the number of their name.
    counters: HashMap<(i64, u32), CounterId>,
    /// What the file says of the one that its capture was first read from.
    receipt: Receipt,
    /// Events that are not as Syncline writes them.
    others: u64,
}

/// An event with its arguments, and the scanner whose numbers of texts and rows it bears.
#[derive(Clone, Copy)]
struct ScannedEvent<'a> {
    event: &'a ChromeEvent,
    arguments: &'a [ChromeArgument],
    scanner: usize,
}

/// The own arguments of an event, as numbers and texts.
#[derive(Default)]
struct OwnFacts(Vec<(&'static str, ArgumentPayload)>);

impl OwnEvents {
    /// A reader for a file whose times are so much later than those of the capture.
    pub fn new(zero: i64) -> Self {
        Self {
            texts: ChromeTexts::new(),
            rows: ChromeRows::default(),
            tally: ChromeTally::default(),
            origin: Nanos(zero.saturating_neg()),
            fields: HashMap::new(),
            counters: HashMap::new(),
            receipt: Receipt::default(),
            others: 0,
        }
    }

    /// Takes a stretch.
    pub fn take(
        &mut self,
        piece: &mut ScannedStretch,
        sink: &mut RecordSink<'_>,
    ) -> Result<(), ImportError> {
        let (parsed, scanner) = (&piece.parsed, piece.scanner);
        self.texts.absorb(scanner, &parsed.texts);
        self.rows.absorb(scanner, &parsed.rows, &self.texts);
        if piece.counts {
            self.tally.bad_text += parsed.mended;
            self.tally.events += parsed.empty;
            for damage in &parsed.damage {
                self.tally
                    .damage(piece.at + damage.at as u64, damage.length as u64);
            }
            let mut rest = parsed.arguments.as_slice();
            for event in &parsed.events {
                let (arguments, after) = rest
                    .split_at_checked(event.arguments as usize)
                    .unwrap_or((rest, &[]));
                rest = after;
                self.tally.events += 1;
                let event = ScannedEvent {
                    event,
                    arguments,
                    scanner,
                };
                if self.event(event, sink).is_none() {
                    self.others += 1;
                }
            }
        }
        sink.advance(piece.read)
    }

    /// Takes an event; nothing where it is not as Syncline writes it.
    fn event(&mut self, scanned: ScannedEvent<'_>, sink: &mut RecordSink<'_>) -> Option<()> {
        match scanned.event.phase {
            b'X' | b'B' => self.span(scanned, sink),
            b's' => self.dependency(scanned, sink),
            b'C' => self.sample(scanned, sink),
            b'M' => self.metadata(scanned, sink),
            // The other end of a flow, and what is drawn of a loss.
            b'f' | b'i' => Some(()),
            _ => None,
        }
    }

    /// What an argument of a scanner is called.
    fn field(&mut self, scanner: usize, key: u32, sink: &mut RecordSink<'_>) -> OwnField {
        let text = self.texts.global(scanner, key);
        if let Some(known) = self.fields.get(&text) {
            return *known;
        }
        let key = self.texts.text(text);
        let field = match KEYS.iter().find(|own| **own == key) {
            Some(own) => OwnField::Own(own),
            None if [key::REPAIR, key::EVENT_NAME].contains(&key) => OwnField::ForPeople,
            None => {
                let (name, is_real) = unescape(key);
                let name = name.to_owned();
                let plain = self.texts.add(&name);
                OwnField::Plain(self.texts.name(plain, sink), is_real)
            }
        };
        self.fields.insert(text, field);
        field
    }

    /// Divides the arguments of an event into our own and those of the span itself.
    fn divide(
        &mut self,
        scanned: ScannedEvent<'_>,
        sink: &mut RecordSink<'_>,
        mut take: impl FnMut(NameId, Value),
    ) -> OwnFacts {
        let mut facts = OwnFacts::default();
        for argument in scanned.arguments {
            let payload = match argument.payload {
                ArgumentPayload::Text(text) => {
                    ArgumentPayload::Text(self.texts.global(scanned.scanner, text))
                }
                other => other,
            };
            match self.field(scanned.scanner, argument.key, sink) {
                OwnField::Own(key) => facts.0.push((key, payload)),
                OwnField::ForPeople => {}
                OwnField::Plain(name, is_real) => take(name, self.value(payload, is_real)),
            }
        }
        facts
    }

    fn value(&self, payload: ArgumentPayload, is_real: bool) -> Value {
        match payload {
            ArgumentPayload::Integer(value) => Value::Integer(value),
            ArgumentPayload::Text(text) => {
                let text = self.texts.text(text);
                let number = is_real.then(|| text.parse().ok()).flatten();
                number.map_or_else(|| Value::Text(text.into()), Value::Number)
            }
            other => Value::Number(other.number(self.texts.table()).unwrap_or_default()),
        }
    }

    fn span(&mut self, scanned: ScannedEvent<'_>, sink: &mut RecordSink<'_>) -> Option<()> {
        let ScannedEvent { event, scanner, .. } = scanned;
        let mut plain = Vec::new();
        let facts = self.divide(scanned, sink, |name, value| {
            plain.push((name, value));
        });
        let id = SpanId(facts.id(key::ID)?);
        let row = self.rows.global(scanner, event.row);
        let RowToken::Number(thread) = self.rows.get(row)?.row.1 else {
            return None;
        };
        let lane = LaneId(u32::try_from(thread.checked_div(ROWS)?.checked_sub(1)?).ok()?);
        let name = if let Some(name) = facts.id(key::NAME) {
            NameId(name)
        } else {
            let text = self.texts.global(scanner, event.name);
            self.texts.name(text, sink)
        };
        let category = self.texts.global(scanner, event.category);
        let kind = facts.text(key::KIND, &self.texts);
        let kind = SpanKind::from_label(kind.unwrap_or_else(|| self.texts.text(category)))?;
        let start = match facts.number(key::START) {
            Some(start) => Nanos(start),
            None => self.time(event)?,
        };
        let enqueued = Nanos(start.0.wrapping_sub(facts.number(key::QUEUED).unwrap_or(0)));
        if event.phase == b'B' {
            sink.push(Record::Began(SpanStart {
                id,
                lane,
                name,
                kind,
                enqueued,
                start,
            }));
        } else {
            let state = facts.text(key::STATE, &self.texts);
            let length = facts.number(key::LENGTH);
            let length = length.or((event.flags & flag::LENGTH != 0).then_some(event.length))?;
            sink.push(Record::Span(Span {
                id,
                lane,
                name,
                call: facts.id(key::CALL).map_or(CallId::NONE, CallId),
                kind,
                state: state.map_or(Some(State::Done), State::from_label)?,
                enqueued,
                start,
                end: Nanos(start.0.wrapping_add(length)),
            }));
        }
        for (name, value) in plain {
            sink.push(Record::Argument(id, name, value));
        }
        Some(())
    }

    /// When an event was, in the capture.
    fn time(&self, event: &ChromeEvent) -> Option<Nanos> {
        let time = event.time.checked_add(self.origin.0)?;
        (event.flags & flag::TIME != 0).then_some(Nanos(time))
    }

    fn dependency(&mut self, scanned: ScannedEvent<'_>, sink: &mut RecordSink<'_>) -> Option<()> {
        let facts = self.divide(scanned, sink, |_, _| {});
        let kind = self.texts.global(scanned.scanner, scanned.event.name);
        let kind = self.texts.text(kind);
        let dependency = Dependency {
            cause: SpanId(facts.id(key::CAUSE)?),
            effect: SpanId(facts.id(key::EFFECT)?),
            kind: DependencyKind::from_label(kind)?,
            basis: Basis::from_label(facts.text(key::BASIS, &self.texts)?)?,
            event: facts.id(key::EVENT).map_or(EventId::NONE, EventId),
            generation: facts.id(key::GENERATION).unwrap_or(0),
        };
        self.receipt.read_back(&dependency);
        sink.push(Record::Dependency(dependency));
        Some(())
    }

    fn sample(&mut self, scanned: ScannedEvent<'_>, sink: &mut RecordSink<'_>) -> Option<()> {
        let ScannedEvent {
            event,
            arguments,
            scanner,
        } = scanned;
        let counter = if event.flags & flag::ID == 0 {
            let row = self.rows.global(scanner, event.row);
            let RowToken::Number(process) = self.rows.get(row)?.row.0 else {
                return None;
            };
            let name = self.texts.global(scanner, event.name);
            *self.counters.get(&(process, name))?
        } else {
            CounterId(u32::try_from(event.id).ok()?)
        };
        let value = arguments.first()?.payload.number(self.texts.table())?;
        let time = self.time(event)?;
        sink.push(Record::Sample(Sample {
            counter,
            time,
            value,
        }));
        Some(())
    }

    /// A record that has no place on a timeline. Names of processes and threads repeat what records say.
    fn metadata(&mut self, scanned: ScannedEvent<'_>, sink: &mut RecordSink<'_>) -> Option<()> {
        let ScannedEvent {
            event,
            arguments,
            scanner,
        } = scanned;
        if self.texts.text(self.texts.global(scanner, event.name)) != RECORD {
            return Some(());
        }
        let of = |key: &str| {
            let found = arguments
                .iter()
                .find(|it| self.texts.text(self.texts.global(scanner, it.key)) == key);
            match found.map(|it| it.payload) {
                Some(ArgumentPayload::Text(text)) => {
                    Some(self.texts.text(self.texts.global(scanner, text)))
                }
                _ => None,
            }
        };
        let numbers = of(key::NUMBERS)
            .unwrap_or_default()
            .split_ascii_whitespace();
        let numbers: Vec<f64> = numbers.filter_map(|it| it.parse().ok()).collect();
        let record = from_json(of(key::RECORD)?, &numbers)?;
        let Some(record) = self.receipt.keep(record) else {
            return Some(());
        };
        match &record {
            Record::Name(id, text) => self.texts.claim(text, *id),
            Record::Counter(counter) => {
                let process = counter.device.map_or(0, |device| i64::from(device.0) + 1);
                let name = self.texts.add(&counter.name);
                self.counters.insert((process, name), counter.id);
            }
            _ => {}
        }
        sink.push(record);
        Some(())
    }

    /// Says what the capture's notes were, and what in the file is not its own.
    pub fn finish(&mut self, receipt: &mut Receipt, sink: &mut RecordSink<'_>) {
        receipt.notes.append(&mut self.receipt.notes);
        receipt.repairs.append(&mut self.receipt.repairs);
        receipt.repaired = receipt.repaired.saturating_add(self.receipt.repaired);
        receipt.inferred += self.receipt.inferred;
        if self.others > 0 {
            let words = "{event is not as Syncline wrote it, and is not shown. Where another program added it|events are not as \
                         Syncline wrote them, and are not shown. Where another program added them}, open what it added by \
                         itself.";
            receipt.dropped += self.others;
            let text = counted(self.others, words);
            receipt.complain(sink, (Severity::Warning, "other-writer"), text);
        }
    }
}

impl OwnFacts {
    fn payload(&self, key: &str) -> Option<ArgumentPayload> {
        self.0.iter().find(|it| it.0 == key).map(|it| it.1)
    }

    fn number(&self, key: &str) -> Option<i64> {
        match self.payload(key)? {
            ArgumentPayload::Integer(value) => Some(value),
            _ => None,
        }
    }

    fn id(&self, key: &str) -> Option<u32> {
        u32::try_from(self.number(key)?).ok()
    }

    fn text<'a>(&self, key: &str, texts: &'a ChromeTexts) -> Option<&'a str> {
        match self.payload(key)? {
            ArgumentPayload::Text(text) => Some(texts.text(text)),
            _ => None,
        }
    }
}
