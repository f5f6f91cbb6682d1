//! Reads the events of a file, now that its names are known, and makes spans of them.

use super::damage::SpaceDamage;
use super::event::{EventReader, XEventView};
use super::lane_map::{LinePlace, LineSort, XPlanePlaces};
use super::links::XPlaneLinks;
use super::plane::{EVENT, XSpace};
use super::rendezvous::{MEETING, RendezvousList};
use super::rows::{XPlaneRows, XRow};
use super::stat::StatKey;
use super::wire_reader::{XPlaneLevel, XPlanePiece, XPlaneVisitor};
use crate::importer::chrome::ChromeTexts;
use crate::importer::fast_hash::QuickMap;
use crate::importer::pftrace::kind_of_work;
use crate::importer::sqlite::{SqliteDraft, WorkKind};
use crate::importer::{ImportError, Receipt};
use crate::perfetto::view::WireValue;
use record::time::Nanos;
use record::{Clock, FieldValue, LaneId, Record, Severity, SpanKind, counted};

/// How functions of Python are told from all else that a thread did.
const PYTHON: u8 = b'$';
/// What a pool of threads runs is between these two.
const BEGIN: &str = "ThreadpoolListener::StartRegion";
const END: &str = "ThreadpoolListener::StopRegion";
/// What it is called, as by XProf.
const REGION: &str = "ThreadpoolListener::Region";
/// A line's start from here on is no distance from the profile's but an instant: 2001 in nanoseconds since 1970.
const ABSOLUTE: i64 = 1_000_000_000_000_000_000;

/// Texts that mean something, by their numbers.
struct XPlaneMarks {
    begin: u32,
    end: u32,
    region: u32,
    meeting: u32,
    program: u32,
}

/// What has to be said of events in the end.
#[derive(Debug, Default)]
struct EventTally {
    all: u64,
    /// Sums over many occurrences, which have no time.
    sums: u64,
    unnamed: u64,
    finer: u64,
    /// Events beyond the last time that can be written, all of which lie there.
    beyond: u64,
    streams: bool,
}

/// A file that is read.
pub(super) struct XPlaneReader<'a, 'd, 's> {
    space: &'a XSpace,
    texts: ChromeTexts,
    draft: SqliteDraft<'d, 's>,
    places: XPlanePlaces,
    programs: QuickMap<i64, u32>,
    marks: XPlaneMarks,
    rows: XPlaneRows,
    links: XPlaneLinks,
    meetings: RendezvousList,
    reader: EventReader,
    /// The plane and the line that are read, counted from 1.
    at: (usize, usize),
    /// Regions of the line that have begun.
    open: Vec<u32>,
    tally: EventTally,
    broken: SpaceDamage,
}

impl<'a, 'd, 's> XPlaneReader<'a, 'd, 's> {
    pub fn new(space: &'a XSpace, mut texts: ChromeTexts, draft: SqliteDraft<'d, 's>) -> Self {
        let marks = XPlaneMarks {
            begin: texts.add(BEGIN),
            end: texts.add(END),
            region: texts.add(REGION),
            meeting: texts.add(MEETING),
            program: texts.add("program"),
        };
        Self {
            space,
            places: XPlanePlaces::of(space, &texts),
            programs: space.programs(),
            texts,
            draft,
            marks,
            rows: XPlaneRows::default(),
            links: XPlaneLinks::default(),
            meetings: RendezvousList::default(),
            reader: EventReader::default(),
            at: (0, 0),
            open: Vec::new(),
            tally: EventTally::default(),
            broken: SpaceDamage::default(),
        }
    }

    /// Whether the line that is read is one of those that are kept.
    fn is_kept(&self) -> bool {
        let plane = self.at.0.checked_sub(1);
        let plane = plane.and_then(|at| self.space.planes.get(at));
        plane.is_some_and(|it| self.at.1 <= it.lines.len())
    }

    /// Takes an event, and answers how many of its fields the format does not have; nothing where the bytes are none.
    fn event(&mut self, bytes: &[u8]) -> Option<u64> {
        let (plane, line) = (self.at.0.checked_sub(1)?, self.at.1.checked_sub(1)?);
        let facts = self.space.planes.get(plane)?;
        let event = self.reader.read(bytes, facts, &mut self.texts)?;
        self.tally.all += 1;
        if event.occurrences.is_some() {
            self.tally.sums += 1;
            return Some(event.unknown);
        }
        let name = if let Some(named) = facts.event(event.name) {
            named.text
        } else {
            self.tally.unnamed += 1;
            self.texts.add(&format!("event {}", event.name))
        };
        self.tally.finer += u64::from(event.is_finer());
        let line = self.places.line(plane, line)?.clone();
        self.tally.beyond += u64::from(event.is_beyond(line.start));
        self.place(&event, name, &line);
        Some(event.unknown)
    }

    fn place(&mut self, event: &XEventView, name: u32, place: &LinePlace) {
        let when = event.interval(place.start);
        let meaning = self.reader.meaning;
        if let Some(program) = meaning.program.and_then(|it| self.programs.get(&it)) {
            let program = (self.marks.program, FieldValue::Text(*program));
            self.reader.fields.push(program);
        }
        match place.sort {
            LineSort::Derived => {
                let lane = self.lane(place);
                self.push(XRow::new(when, name, lane, SpanKind::Scope));
            }
            LineSort::Stream => {
                let lane = self.lane(place);
                let kind = self.kind_of_work(name);
                let row = self.work(when, (name, kind), lane);
                self.links.work(&meaning, row, when.0);
                self.tally.streams = true;
            }
            LineSort::Thread => match meaning.device {
                Some(device) if meaning.is_operation => {
                    let to = (&mut self.draft.lanes, &mut self.draft.devices);
                    let lane = self.places.ordinal(device, to, self.draft.sink);
                    let row = self.work(when, (name, SpanKind::Kernel), lane);
                    self.links.work(&meaning, row, when.0);
                    self.meetings.operation(when, row);
                }
                _ => self.host(when, name, place),
            },
        }
    }

    fn lane(&mut self, line: &LinePlace) -> LaneId {
        let to = (&mut self.draft.lanes, &mut self.draft.devices);
        self.places.lane(line, to, self.draft.sink)
    }

    fn push(&mut self, row: XRow) -> u32 {
        self.rows.push(row, &self.reader.fields)
    }

    /// Takes an operation of a device.
    fn work(&mut self, when: (i64, i64), (name, kind): (u32, SpanKind), lane: LaneId) -> u32 {
        let work = WorkKind::of(kind, self.texts.text(name));
        self.draft.lanes.did(lane, work);
        self.push(XRow::new(when, name, lane, kind))
    }

    /// What an operation of a stream is.
    fn kind_of_work(&self, name: u32) -> SpanKind {
        let meaning = &self.reader.meaning;
        match kind_of_work(self.texts.text(name)) {
            SpanKind::Kernel if meaning.fills => SpanKind::Fill,
            SpanKind::Kernel if meaning.copies => SpanKind::Copy,
            kind => kind,
        }
    }

    /// Takes what a thread did.
    fn host(&mut self, when: (i64, i64), name: u32, thread: &LinePlace) {
        let meaning = self.reader.meaning;
        if name == self.marks.end
            && let Some(region) = self.open.pop()
            && self.rows.start(region).is_some_and(|it| it <= when.0)
        {
            self.rows.extend(region, when.0, self.marks.region);
            return;
        }
        let is_python = self.texts.text(name).as_bytes().first() == Some(&PYTHON);
        let lane = if is_python {
            self.places
                .python(thread, &mut self.draft.lanes, self.draft.sink)
        } else {
            self.lane(thread)
        };
        let kind = kind_of_call(&meaning, self.texts.text(name));
        let row = self.push(XRow::new(when, name, lane, kind));
        self.links.host(&meaning, row, when.0);
        if name == self.marks.begin {
            self.open.push(row);
        }
        if name == self.marks.meeting
            && meaning.meets
            && let Some(key) = meaning.key
        {
            self.meetings.arrive(key, meaning.id, when, row);
        }
    }

    /// Hands everything over.
    pub fn finish(mut self, damage: &SpaceDamage) -> Result<Receipt, ImportError> {
        self.draft.zero = self.rows.first().unwrap_or(0);
        if let Some(zero) = self.unix() {
            let clock = Clock::unix(Nanos(zero));
            self.draft.sink.push(Record::Clock(Box::new(clock)));
        }
        self.meetings.name_kinds(&mut self.rows);
        let unlaunched = self.links.submit(&mut self.rows);
        self.rows.hand_over(&mut self.texts, &mut self.draft)?;
        self.draft.receipt.inferred = self.rows.inferred;
        let alone = self.links.hand_over(self.draft.sink)?;
        self.meetings.hand_over(self.draft.sink)?;
        let mut damage = damage.clone();
        damage.add(&self.broken);
        damage.tell(self.draft.sink, &mut self.draft.receipt);
        self.draft.sink.add_far(self.tally.beyond);
        tell(&mut self.draft, &self.tally, (unlaunched, alone));
        complain(&mut self.draft, self.space);
        self.draft.finish()
    }

    /// The instant of capture time zero, in nanoseconds since 1970: where a file says when it began, its lines count from
    /// then; else they may count from 1970 themselves.
    fn unix(&self) -> Option<i64> {
        let zero = self.draft.zero;
        if self.rows.len() == 0 {
            return None;
        }
        if zero >= ABSOLUTE {
            return Some(zero);
        }
        let began = self.space.number(StatKey::StartTime)?;
        Some(began.saturating_add(zero))
    }
}

/// What a thread did.
fn kind_of_call(meaning: &super::event::EventMeaning, name: &str) -> SpanKind {
    if meaning.is_step {
        SpanKind::Scope
    } else if meaning.correlation.is_none() {
        SpanKind::HostWork
    } else if name.contains("Synchronize") {
        SpanKind::Synchronize
    } else {
        SpanKind::Call
    }
}

/// Says what the file does not hold, and what is not shown of it.
fn tell(draft: &mut SqliteDraft<'_, '_>, tally: &EventTally, (unlaunched, alone): (u64, u64)) {
    let receipt = &mut draft.receipt;
    receipt.events = tally.all;
    if tally.streams {
        receipt.note(
            "The file does not say which stream waited for which event; arrows between streams cannot be known.",
        );
    }
    let said = [
        (
            unlaunched,
            "{operation of a device has|operations of devices have} no call in the file that submitted {it|them}: when {it was|they were} \
             enqueued is not known",
        ),
        (
            alone,
            "{span is|spans are} tied to one that the file does not hold; it may lie before the profile",
        ),
        (
            tally.sums,
            "{event is a sum over many occurrences without a time, and is|events are sums over many occurrences without a time, and are} \
             not shown",
        ),
        (
            tally.finer,
            "{event has a time that is no whole nanosecond; it was|events have times that are no whole nanoseconds; they were} rounded \
             to the nearest",
        ),
    ];
    receipt.note_counts(said);
    if tally.unnamed > 0 {
        let count = tally.unnamed;
        receipt.repair("events without a name", count);
        let words = "{event has a name that the file does not hold; it is called by its number|events have names that the \
                     file does not hold; they are called by their numbers}.";
        let text = counted(count, words);
        draft.sink.complain(Severity::Warning, "no-name", text);
    }
}

/// Hands on what the profiler itself complained of.
fn complain(draft: &mut SqliteDraft<'_, '_>, space: &XSpace) {
    for (is_error, text) in &space.complaints {
        let (severity, word) = if *is_error {
            (Severity::Error, "an error")
        } else {
            (Severity::Warning, "a warning")
        };
        let text = format!("The profiler noted {word}: {text}");
        draft.sink.complain(severity, "profiler-note", text.clone());
        draft.receipt.note(text);
    }
}

impl XPlaneVisitor for XPlaneReader<'_, '_, '_> {
    fn wants(&self, level: XPlaneLevel, field: u32) -> bool {
        level == XPlaneLevel::Line && field == EVENT
    }

    fn take(&mut self, piece: XPlanePiece<'_>, end: u64) -> Result<(), ImportError> {
        match piece {
            XPlanePiece::Begin(XPlaneLevel::Plane) => self.at = (self.at.0 + 1, 0),
            XPlanePiece::Begin(_) => {
                self.at.1 += 1;
                self.open.clear();
                self.meetings.begin_line();
            }
            XPlanePiece::Field(XPlaneLevel::Line, EVENT, WireValue::Bytes(bytes))
                if self.is_kept() =>
            {
                let length = bytes.len() as u64;
                match self.event(bytes) {
                    None => self.broken.part(end - length, length),
                    Some(0) => {}
                    Some(unknown) => self.broken.unknown(end - length, unknown),
                }
            }
            XPlanePiece::End(XPlaneLevel::Line) => self.rows.end_line(),
            XPlanePiece::Field(..) | XPlanePiece::End(_) => {}
        }
        self.draft.sink.advance(end)
    }
}
