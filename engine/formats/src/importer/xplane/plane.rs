//! What planes say of themselves: their names, the names of events and stats, and which lines they have. It stands behind
//! the lines as a rule, so a file is looked through for it first.

use std::borrow::Cow;

use super::damage::{OddFields, SpaceDamage};
use super::stat::{RawStat, RawValue, StatKey, StatNames, entry_of};
use super::wire_reader::{XPlaneLevel, XPlanePiece, XPlaneVisitor, walk};
use crate::importer::chrome::ChromeTexts;
use crate::importer::fast_hash::QuickMap;
use crate::importer::{ImportError, RecordSink, Source};
use crate::perfetto::view::{WireValue, each_field};
use record::FieldValue;

/// Bytes between two looks at whether the reader still wants the file.
const STRIDE: u64 = 1 << 20;

/// So many planes of a file are read. Those of the largest machines have some hundred.
pub(super) const MOST_PLANES: usize = 1 << 16;

/// So many lines of a file are read, of all planes together.
pub(super) const MOST_LINES: u32 = 1 << 18;

/// So many complaints and names of hosts are kept.
const MOST_TOLD: usize = 10_000;

/// What a file says before any of its spans is looked at.
pub(super) struct XSpace {
    pub planes: Vec<PlaneFacts>,
    pub hosts: Vec<String>,
    /// What the profiler itself complains of: errors, then warnings.
    pub complaints: Vec<(bool, String)>,
}

/// A plane without its events.
#[derive(Default)]
pub(super) struct PlaneFacts {
    pub name: String,
    pub stats: StatNames,
    pub lines: Vec<LineFacts>,
    /// Its own stats.
    pub values: Vec<(u32, StatKey, FieldValue)>,
    names: QuickMap<u64, NamedEvent>,
    /// Its stats, and those of its names, until the names of stats are known.
    raw: Vec<PendingStat>,
    /// What is odd of its names and stats.
    odd: OddFields,
}

/// What events of one sort are called.
#[derive(Clone, Debug, Default)]
pub(super) struct NamedEvent {
    /// The name to show.
    pub text: u32,
    /// What all of them say.
    pub fields: Vec<(u32, StatKey, FieldValue)>,
}

/// A line without its events.
#[derive(Clone, Debug, Default)]
pub(super) struct LineFacts {
    pub id: i64,
    pub name: String,
    /// What its events count from, in nanoseconds.
    pub start: i64,
    pub events: u64,
}

/// A stat whose name and text may follow.
struct PendingStat {
    /// The event's name that it is of; nothing for the plane itself.
    owner: Option<u64>,
    name: u64,
    value: PendingValue,
}

/// A value, or the number of a text that may follow.
enum PendingValue {
    Known(FieldValue),
    Reference(u64),
}

impl LineFacts {
    fn take(&mut self, field: u32, wire: WireValue<'_>, bad: &mut u64) -> Option<()> {
        match field {
            1 => self.id = wire.varint()? as i64,
            2 if self.name.is_empty() => self.name = text(wire, bad)?,
            3 => self.start = wire.varint()? as i64,
            11 if !wire.bytes()?.is_empty() => self.name = text(wire, bad)?,
            _ => {}
        }
        Some(())
    }
}

impl XSpace {
    /// Looks through a file.
    pub fn of(
        source: &Source,
        texts: &mut ChromeTexts,
        sink: &mut RecordSink<'_>,
    ) -> Result<(Self, SpaceDamage), ImportError> {
        let mut survey = XPlaneSurvey {
            space: Self {
                planes: Vec::new(),
                hosts: Vec::new(),
                complaints: Vec::new(),
            },
            texts,
            sink,
            asked: 0,
            lines: 0,
            is_beyond: false,
            is_line_beyond: false,
            broken: SpaceDamage::default(),
        };
        walk(source, &mut survey)?;
        Ok((survey.space, survey.broken))
    }

    /// Whether no more complaints and names of hosts are kept: they are some few.
    fn is_full(&self) -> bool {
        self.complaints.len() + self.hosts.len() >= MOST_TOLD
    }

    /// The first value of a plane's own stats of a key, as a whole number.
    pub fn number(&self, key: StatKey) -> Option<i64> {
        let mut all = self.planes.iter().flat_map(|it| &it.values);
        all.find_map(|(_, known, value)| match value {
            FieldValue::Integer(value) if *known == key => Some(*value),
            _ => None,
        })
    }

    /// What the programs of the file are called, by their numbers.
    pub fn programs(&self) -> QuickMap<i64, u32> {
        let mut programs = QuickMap::default();
        let named = self.planes.iter().filter(|it| it.is_metadata());
        for name in named.flat_map(|it| it.names.values()) {
            let number = name.fields.iter().find_map(|(_, key, value)| match value {
                FieldValue::Integer(value) if *key == StatKey::Program => Some(*value),
                _ => None,
            });
            if let Some(number) = number {
                programs.insert(number, name.text);
            }
        }
        programs
    }
}

impl PlaneFacts {
    /// Whether it holds programs instead of spans.
    pub fn is_metadata(&self) -> bool {
        self.name == "/host:metadata"
    }

    /// What events of a number are called.
    pub fn event(&self, number: u64) -> Option<&NamedEvent> {
        self.names.get(&number)
    }

    /// Takes the plane's own name, of which there is one: what calls itself a second was something else.
    fn named(&mut self, name: String) -> Option<()> {
        let is_first = self.name.is_empty();
        is_first.then(|| self.name = name)
    }

    /// Takes the name of events of one sort.
    fn name(&mut self, entry: &[u8], texts: &mut ChromeTexts) -> Option<()> {
        let (number, message) = entry_of(entry)?;
        let (mut long, mut shown) = (&[][..], &[][..]);
        each_field(message, |field, wire| {
            match field {
                2 => long = wire.bytes()?,
                4 => shown = wire.bytes()?,
                5 => self.pend(Some(number), wire.bytes()?, texts)?,
                // Its own number, what describes it, and those below it.
                1 | 3 | 6 => {}
                _ => self.odd.unknown += 1,
            }
            Some(())
        })?;
        self.odd.mind(long);
        self.odd.mind(shown);
        // As XProf shows it: the short name where there is one, and the long one as a field.
        let mut named = NamedEvent {
            text: texts.add_bytes(if shown.is_empty() { long } else { shown }),
            fields: Vec::new(),
        };
        if !shown.is_empty() && !long.is_empty() && shown != long {
            let value = FieldValue::Text(texts.add_bytes(long));
            named
                .fields
                .push((texts.add("long_name"), StatKey::Other, value));
        }
        self.names.insert(number, named);
        Some(())
    }

    /// Keeps a stat until all names are known.
    fn pend(&mut self, owner: Option<u64>, stat: &[u8], texts: &mut ChromeTexts) -> Option<()> {
        let stat = RawStat::of(stat)?;
        self.odd.unknown += stat.unknown;
        let value = match stat.value {
            RawValue::Reference(number) => PendingValue::Reference(number),
            value => PendingValue::Known(self.stats.plain(value, texts)?),
        };
        self.raw.push(PendingStat {
            owner,
            name: stat.name,
            value,
        });
        Some(())
    }

    /// Gives stats their names, now that all are known.
    fn finish(&mut self, texts: &mut ChromeTexts) {
        for pending in std::mem::take(&mut self.raw) {
            let Some((name, key)) = self.stats.get(pending.name) else {
                continue;
            };
            let value = match pending.value {
                PendingValue::Known(value) => Some(value),
                PendingValue::Reference(number) => {
                    self.stats.plain(RawValue::Reference(number), texts)
                }
            };
            let Some(value) = value else { continue };
            match pending.owner {
                None => self.values.push((name, key, value)),
                Some(owner) => {
                    if let Some(named) = self.names.get_mut(&owner) {
                        named.fields.push((name, key, value));
                    }
                }
            }
        }
    }
}

/// A look through a file.
struct XPlaneSurvey<'a, 's> {
    space: XSpace,
    texts: &'a mut ChromeTexts,
    sink: &'a mut RecordSink<'s>,
    asked: u64,
    /// Lines so far.
    lines: u32,
    /// Within a plane that is not read, or a line.
    is_beyond: bool,
    is_line_beyond: bool,
    /// What is no name and no stat.
    broken: SpaceDamage,
}

impl XPlaneSurvey<'_, '_> {
    fn begin(&mut self) {
        self.is_beyond = self.space.planes.len() == MOST_PLANES;
        if self.is_beyond {
            self.broken.beyond.0 += 1;
        } else {
            self.space.planes.push(PlaneFacts::default());
        }
    }

    fn begin_line(&mut self) {
        self.is_line_beyond = self.lines == MOST_LINES;
        if self.is_line_beyond {
            self.broken.beyond.0 += 1;
        } else if let Some(plane) = self.space.planes.last_mut() {
            self.lines += 1;
            plane.lines.push(LineFacts::default());
        }
    }

    /// Whether what is read now is within a plane or a line that is not kept.
    fn is_left_out(&self, level: XPlaneLevel) -> bool {
        match level {
            XPlaneLevel::Space => false,
            XPlaneLevel::Plane => self.is_beyond,
            XPlaneLevel::Line => self.is_beyond || self.is_line_beyond,
        }
    }

    fn end(&mut self, at: u64) {
        if let Some(plane) = self.space.planes.last_mut() {
            plane.finish(self.texts);
            for odd in [plane.odd, plane.stats.odd] {
                self.broken.odd(at, odd);
            }
        }
    }

    fn field(&mut self, level: XPlaneLevel, field: u32, wire: WireValue<'_>) -> Option<()> {
        let (space, bad) = (&mut self.space, &mut self.broken.bad_texts);
        let mut text = |wire| text(wire, bad);
        match (level, field) {
            (XPlaneLevel::Space, 2..=4) if space.is_full() => self.broken.untold += 1,
            (XPlaneLevel::Space, 2 | 3) => space.complaints.push((field == 2, text(wire)?)),
            (XPlaneLevel::Space, 4) => space.hosts.push(text(wire)?),
            (XPlaneLevel::Plane, _) => {
                let plane = space.planes.last_mut()?;
                match field {
                    2 => plane.named(text(wire)?)?,
                    4 => plane.name(wire.bytes()?, self.texts)?,
                    5 => plane.stats.take(wire.bytes()?, self.texts)?,
                    6 => plane.pend(None, wire.bytes()?, self.texts)?,
                    _ => {}
                }
            }
            (XPlaneLevel::Line, _) => {
                let line = space.planes.last_mut()?.lines.last_mut()?;
                line.take(field, wire, bad)?;
            }
            (XPlaneLevel::Space, _) => {}
        }
        Some(())
    }
}

/// A text, where it is one; counted where it is not UTF-8.
fn text(wire: WireValue<'_>, bad: &mut u64) -> Option<String> {
    let text = String::from_utf8_lossy(wire.bytes()?);
    *bad += u64::from(matches!(text, Cow::Owned(_)));
    Some(text.into_owned())
}

impl XPlaneVisitor for XPlaneSurvey<'_, '_> {
    fn wants(&self, level: XPlaneLevel, field: u32) -> bool {
        // Of events it is enough to know that there are some.
        level != XPlaneLevel::Line || field != EVENT
    }

    fn passed(&mut self, level: XPlaneLevel, field: u32) {
        if (level, field) != (XPlaneLevel::Line, EVENT) {
            return;
        }
        if self.is_left_out(level) {
            self.broken.beyond.1 += 1;
        } else if let Some(plane) = self.space.planes.last_mut()
            && let Some(line) = plane.lines.last_mut()
        {
            line.events += 1;
        }
    }

    fn take(&mut self, piece: XPlanePiece<'_>, end: u64) -> Result<(), ImportError> {
        match piece {
            XPlanePiece::Begin(XPlaneLevel::Plane) => self.begin(),
            XPlanePiece::Begin(_) if self.is_beyond => {}
            XPlanePiece::Begin(_) => self.begin_line(),
            XPlanePiece::Field(level, ..) if self.is_left_out(level) => {}
            XPlanePiece::Field(level, field, wire) => {
                if self.field(level, field, wire).is_none() {
                    let bytes = wire.bytes().map_or(0, <[u8]>::len) as u64;
                    self.broken.part(end.saturating_sub(bytes), bytes);
                }
            }
            XPlanePiece::End(XPlaneLevel::Plane) if !self.is_beyond => self.end(end),
            XPlanePiece::End(_) => {}
        }
        if end.saturating_sub(self.asked) >= STRIDE {
            self.asked = end;
            self.sink.send()?;
        }
        Ok(())
    }
}

/// The field of a line that is an event.
pub(super) const EVENT: u32 = 4;
