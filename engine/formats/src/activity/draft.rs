//! The records that are made: names, spans and what ties them, on the clock of the capture.

use std::collections::HashMap;

use super::device::ActivityDevices;
use super::lane::ActivityLanes;
use super::symbol::{KernelSymbols, readable};
use super::tally::ActivityTally;
use super::window::ActivityWindow;
use record::time::Nanos;
use record::{
    CallId, Dependency, Event, EventId, LaneId, NameId, Problem, Record, Severity, Span, SpanId,
    SpanKind, State, Value,
};

/// Something that ran. Times are those of the files: nanoseconds of their clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActivitySpan {
    pub lane: LaneId,
    pub name: NameId,
    pub kind: SpanKind,
    pub state: State,
    /// When it was handed to its stream, where that is known.
    pub enqueued: Option<u64>,
    pub start: u64,
    pub end: u64,
}

/// The records so far, and what was counted on the way.
#[derive(Debug, Default)]
pub(super) struct ActivityDraft {
    pub out: Vec<Record>,
    pub lanes: ActivityLanes,
    pub devices: ActivityDevices,
    pub tally: ActivityTally,
    pub window: ActivityWindow,
    /// The clock's reading at capture time zero.
    pub origin: u64,
    /// The latest instant that was told of.
    pub latest: u64,
    names: HashMap<Box<str>, NameId>,
    symbols: KernelSymbols,
    spans: u32,
    events: u32,
    counters: u32,
}

impl ActivityDraft {
    /// The number of a text.
    pub fn name(&mut self, text: &str) -> NameId {
        if let Some(id) = self.names.get(text) {
            return *id;
        }
        let id = NameId(self.names.len() as u32);
        self.names.insert(text.into(), id);
        self.out.push(Record::Name(id, text.into()));
        id
    }

    /// The number of what a kernel is called, by its linker's name.
    pub fn kernel(&mut self, symbol: &str) -> NameId {
        if let Some(name) = self.symbols.get(symbol) {
            return name;
        }
        let name = self.name(&readable(symbol));
        self.symbols.put(symbol, name);
        name
    }

    /// The clock's reading as capture time.
    pub const fn time(&self, at: u64) -> Nanos {
        Nanos((at as i64).saturating_sub(self.origin as i64))
    }

    /// Whether something is kept; what is not is counted, unless it came after the instant up to which something is kept.
    pub fn keeps(&mut self, start: u64, end: u64) -> bool {
        let is_kept = self.window.touches(start, end, self.origin);
        let is_later = self.window.until().is_some_and(|to| start > to);
        self.window.outside += u64::from(!is_kept && !is_later);
        is_kept
    }

    /// The number of a span that has begun.
    pub const fn next_span(&mut self) -> SpanId {
        self.spans += 1;
        SpanId(self.spans - 1)
    }

    /// Takes something that ran.
    pub fn ran(&mut self, ran: ActivitySpan) -> SpanId {
        let id = self.next_span();
        self.ran_as(id, ran)
    }

    /// Takes something that ran, whose number was given to it when it began.
    pub fn ran_as(&mut self, id: SpanId, ran: ActivitySpan) -> SpanId {
        let enqueued = ran.enqueued.unwrap_or(ran.start);
        self.tally.backwards += u64::from(ran.end < ran.start);
        self.tally.early += u64::from(enqueued > ran.start);
        self.latest = self.latest.max(ran.end);
        self.out.push(Record::Span(Span {
            id,
            lane: ran.lane,
            name: ran.name,
            call: CallId::NONE,
            kind: ran.kind,
            state: ran.state,
            enqueued: self.time(enqueued),
            start: self.time(ran.start),
            end: self.time(ran.end),
        }));
        id
    }

    /// Adds a field to a span.
    pub fn field(&mut self, span: SpanId, name: &str, value: Value) {
        let name = self.name(name);
        self.out.push(Record::Argument(span, name, value));
    }

    /// The same for a number; one that does not fit is the largest that does.
    pub fn number(&mut self, span: SpanId, name: &str, value: u64) {
        let value = Value::Integer(i64::try_from(value).unwrap_or(i64::MAX));
        self.field(span, name, value);
    }

    /// Ties a cause to its effect.
    pub fn depends(&mut self, dependency: Dependency) {
        self.tally.ties += 1;
        self.out.push(Record::Dependency(dependency));
    }

    /// A new event, called by its number.
    pub fn event(&mut self, number: u32) -> EventId {
        let id = EventId(self.events);
        self.events += 1;
        let name = self.name(&format!("event {number}"));
        let timing = false;
        self.out.push(Record::Event(Event {
            id,
            name,
            timing,
            options: NameId::NONE,
        }));
        id
    }

    /// The number of a new counter.
    pub const fn next_counter(&mut self) -> u32 {
        self.counters += 1;
        self.counters - 1
    }

    /// Says what is wrong or missing.
    pub fn problem(&mut self, severity: Severity, code: &str, text: String) {
        self.out.push(Record::Problem(Box::new(Problem {
            severity,
            code: code.to_owned(),
            text,
            span: SpanId::NONE,
            event: EventId::NONE,
        })));
    }

    /// Says anew which lanes there are, where that changed.
    pub fn refresh(&mut self) {
        self.lanes.refresh(&mut self.devices, &mut self.out);
    }
}
