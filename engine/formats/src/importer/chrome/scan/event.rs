//! One event, with its fields in whatever order they come.

use super::arguments::{ArgumentPayload, ChromeArgument, MOST_ARGUMENTS, arguments, value};
use super::field::EventField;
use super::intern::Interner;
use super::layout::FieldLayout;
use super::number::{integer, nanos};
use super::rows::{RowKeys, RowToken, number_of};
use super::text::unescape;
use super::words;
use crate::importer::json::cursor::{ByteCursor, SyntaxFault};

/// Stands for no correlation.
pub const NO_CORRELATION: i64 = i64::MIN;

/// What else is known of an event.
pub mod flag {
    /// It has a time that makes sense.
    pub const TIME: u16 = 1;
    /// It has a length that makes sense.
    pub const LENGTH: u16 = 2;
    /// Its time or length was written as a text.
    pub const TEXT_TIME: u16 = 4;
    /// Its flow ends at the span around it, not at the next.
    pub const ENCLOSING: u16 = 8;
    /// It has an id.
    pub const ID: u16 = 16;
    /// A flow leaves it.
    pub const FLOW_OUT: u16 = 32;
    /// A flow arrives at it.
    pub const FLOW_IN: u16 = 64;
    /// Its time or length is written, and is no number.
    pub const BAD_TIME: u16 = 128;
    /// It has no time, though it is one that should, or one farther than can be written.
    pub const NO_TIME: u16 = 256;
    /// The fields of its span are not packed.
    pub const LOOSE: u16 = 512;
    /// Its id counts in its process alone.
    pub const LOCAL: u16 = 1024;
    /// It has more arguments than are kept.
    pub const CROPPED: u16 = 2048;
}

/// An event of a file.
#[derive(Clone, Copy, Debug)]
pub struct ChromeEvent {
    /// When, in nanoseconds of the file.
    pub time: i64,
    /// How long, in nanoseconds; may be negative in a bad file.
    pub length: i64,
    /// The id of a flow or of an asynchronous operation.
    pub id: u64,
    /// What ties a call to the work it launched, or [`NO_CORRELATION`].
    pub correlation: i64,
    /// The number of its name.
    pub name: u32,
    /// The number of its category.
    pub category: u32,
    /// Its row.
    pub row: u32,
    /// How many arguments it has.
    pub arguments: u32,
    /// Its phase, a letter; 0 where it has none.
    pub phase: u8,
    /// See [`flag`].
    pub flags: u16,
}

impl ChromeEvent {
    /// Whether nothing is told of it.
    pub const fn is_empty(&self) -> bool {
        self.phase == 0 && self.arguments == 0 && self.name == words::EMPTY && self.flags == 0
    }
}

/// What an event is read with.
pub struct EventContext<'a> {
    pub table: &'a mut Interner,
    pub rows: &'a mut RowKeys,
    pub arguments: &'a mut Vec<ChromeArgument>,
    pub layout: &'a mut FieldLayout,
}

/// Reads an event, from its opening bracket on.
pub fn event(
    cursor: &mut ByteCursor<'_>,
    desk: &mut EventContext<'_>,
) -> Result<ChromeEvent, SyntaxFault> {
    let first = desk.arguments.len();
    let mut draft = EventDraft {
        first,
        ..EventDraft::default()
    };
    let mut empty = true;
    desk.layout.begin();
    while let Some(field) = desk.layout.next(cursor, desk.table)? {
        draft.field(field, cursor, desk)?;
        empty = false;
    }
    if empty {
        return Ok(draft.event);
    }
    if draft.event.phase == b'C' && draft.extras != 0 {
        without(desk.arguments, first, draft.extras);
    }
    let mut event = draft.event;
    event.flags |= missing_time(&event);
    event.row = desk.rows.place((draft.process, draft.thread));
    let added = desk.arguments.get(first..).unwrap_or_default();
    event.arguments = added.len() as u32;
    event.correlation = correlation(added, desk.table);
    Ok(event)
}

/// The flag of an event that has a place in time and no time: metadata, and what tells of objects, needs none.
fn missing_time(event: &ChromeEvent) -> u16 {
    let has_place = matches!(
        event.phase,
        b'X' | b'B'
            | b'E'
            | b'b'
            | b'e'
            | b'n'
            | b'S'
            | b'F'
            | b'T'
            | b'p'
            | b'i'
            | b'I'
            | b'R'
            | b'P'
            | b's'
            | b't'
            | b'f'
            | b'C'
    );
    if has_place && event.flags & flag::TIME == 0 {
        flag::NO_TIME
    } else {
        0
    }
}

/// Leaves those out of the arguments from `first` on whose bits are set: only arguments are series of a counter.
fn without(arguments: &mut Vec<ChromeArgument>, first: usize, extras: u64) {
    let mut place = 0_usize;
    arguments.retain(|_| {
        let bit = place.checked_sub(first);
        place += 1;
        bit.is_none_or(|bit| extras.checked_shr(bit as u32).unwrap_or(0) & 1 == 0)
    });
}

/// The correlation among some arguments.
fn correlation(arguments: &[ChromeArgument], table: &Interner) -> i64 {
    let known = [words::CORRELATION, words::CORRELATION_ID];
    let found = arguments
        .iter()
        .find(|argument| known.contains(&argument.key));
    found
        .and_then(|argument| argument.payload.integer(table))
        .unwrap_or(NO_CORRELATION)
}

/// An event that is being read.
struct EventDraft {
    event: ChromeEvent,
    process: RowToken,
    thread: RowToken,
    /// Where in the list of all arguments its own begin.
    first: usize,
    /// Which of its arguments stand beside the others, bit by bit.
    extras: u64,
}

impl Default for EventDraft {
    fn default() -> Self {
        Self {
            event: ChromeEvent {
                time: 0,
                length: 0,
                id: 0,
                correlation: NO_CORRELATION,
                name: words::EMPTY,
                category: words::EMPTY,
                row: 0,
                arguments: 0,
                phase: 0,
                flags: 0,
            },
            process: RowToken::None,
            thread: RowToken::None,
            first: 0,
            extras: 0,
        }
    }
}

impl EventDraft {
    fn field(
        &mut self,
        field: EventField,
        cursor: &mut ByteCursor<'_>,
        desk: &mut EventContext<'_>,
    ) -> Result<(), SyntaxFault> {
        match field {
            EventField::Phase => self.event.phase = letter(cursor)?,
            EventField::Name => self.event.name = text(cursor, desk.table)?,
            EventField::Category => {
                self.event.category = if let Some(known) = desk.layout.again(cursor) {
                    known
                } else {
                    let before = *cursor;
                    let number = text(cursor, desk.table)?;
                    desk.layout.remember(before.until(cursor.at()), number);
                    number
                };
            }
            EventField::Process => self.process = token(cursor, desk.table)?,
            EventField::Thread => self.thread = token(cursor, desk.table)?,
            EventField::Time => self.event.time = self.time(flag::TIME, cursor)?,
            EventField::Length => self.event.length = self.time(flag::LENGTH, cursor)?,
            EventField::Id => self.id(cursor)?,
            EventField::Arguments => {
                if !arguments(cursor, desk.table, (desk.arguments, self.first))? {
                    self.event.flags |= flag::CROPPED;
                }
            }
            EventField::BindingPoint => {
                if scalar(cursor)?.0 == b"e" {
                    self.event.flags |= flag::ENCLOSING;
                }
            }
            EventField::FlowOut => self.flow(flag::FLOW_OUT, cursor)?,
            EventField::FlowIn => self.flow(flag::FLOW_IN, cursor)?,
            EventField::Reach => cursor.skip()?,
            EventField::Argument(_) | EventField::Extra(_)
                if desk.arguments.len() - self.first >= MOST_ARGUMENTS =>
            {
                self.event.flags |= flag::CROPPED;
                cursor.skip()?;
            }
            EventField::Argument(key) | EventField::Extra(key) => {
                let payload = argument(cursor, desk)?;
                if matches!(field, EventField::Extra(_)) {
                    self.extras |= 1_u64
                        .checked_shl((desk.arguments.len() - self.first) as u32)
                        .unwrap_or(0);
                }
                desk.arguments.push(ChromeArgument { key, payload });
            }
        }
        Ok(())
    }

    fn time(&mut self, has: u16, cursor: &mut ByteCursor<'_>) -> Result<i64, SyntaxFault> {
        if let Some(time) = cursor.micros() {
            self.event.flags |= has;
            return Ok(time);
        }
        let (bytes, quoted) = scalar(cursor)?;
        let value = nanos(bytes.trim_ascii());
        self.event.flags |= match value {
            // A length so great is one that cannot be true.
            Some(value) if has == flag::TIME && is_far(value) => has | flag::NO_TIME,
            Some(_) => has,
            None => flag::BAD_TIME,
        };
        if quoted {
            self.event.flags |= flag::TEXT_TIME;
        }
        Ok(value.unwrap_or(0))
    }

    /// An id may be a number, a number in a text, any other text, or an object that says how far it holds.
    fn id(&mut self, cursor: &mut ByteCursor<'_>) -> Result<(), SyntaxFault> {
        self.event.flags |= flag::ID;
        if let Some(id) = cursor.whole() {
            self.event.id = id as u64;
            return Ok(());
        }
        let (bytes, _) = scalar(cursor)?;
        self.event.id = match scoped(bytes) {
            Some((id, true)) => {
                self.event.flags |= flag::LOCAL;
                // Apart from the same number of another process, and from one that counts everywhere.
                !id
            }
            Some((id, false)) => id,
            None => id_of(bytes),
        };
        Ok(())
    }

    fn flow(&mut self, which: u16, cursor: &mut ByteCursor<'_>) -> Result<(), SyntaxFault> {
        if scalar(cursor)?.0 == b"true" {
            self.event.flags |= which;
        }
        Ok(())
    }
}

/// Whether a time is beyond all that can be written.
const fn is_far(time: i64) -> bool {
    time.unsigned_abs() == i64::MAX.unsigned_abs()
}

/// The id of an object such as `{"local":"0x5"}`, and whether it counts in one process alone.
fn scoped(bytes: &[u8]) -> Option<(u64, bool)> {
    let mut cursor = ByteCursor::new(bytes, 0);
    cursor.expect_byte(b'{').ok()?;
    let key = cursor.text().ok()?.bytes;
    cursor.expect_byte(b':').ok()?;
    let (id, _) = scalar(&mut cursor).ok()?;
    match key {
        b"local" => Some((id_of(id), true)),
        b"global" => Some((id_of(id), false)),
        _ => None,
    }
}

/// The number that an id says, or one that stands for it.
fn id_of(bytes: &[u8]) -> u64 {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    number.unwrap_or_else(|| number_of(bytes))
}

/// The value of an argument. Most texts are those of the event before.
fn argument(
    cursor: &mut ByteCursor<'_>,
    desk: &mut EventContext<'_>,
) -> Result<ArgumentPayload, SyntaxFault> {
    if let Some(value) = cursor.whole() {
        return Ok(ArgumentPayload::Integer(value));
    }
    if let Some(known) = desk.layout.again(cursor) {
        return Ok(ArgumentPayload::Text(known));
    }
    let before = *cursor;
    let payload = value(cursor, desk.table)?;
    if let ArgumentPayload::Text(number) = payload {
        desk.layout.remember(before.until(cursor.at()), number);
    }
    Ok(payload)
}

/// A phase: a letter between quotes, in any sensible file.
fn letter(cursor: &mut ByteCursor<'_>) -> Result<u8, SyntaxFault> {
    Ok(match scalar(cursor)? {
        (&[letter], true) => letter,
        _ => 0,
    })
}

/// The bytes of a value, and whether they stood between quotes.
fn scalar<'a>(cursor: &mut ByteCursor<'a>) -> Result<(&'a [u8], bool), SyntaxFault> {
    cursor.space();
    match cursor.peek() {
        Some(b'"') => Ok((cursor.text()?.bytes, true)),
        Some(b'[' | b'{') => Ok((cursor.nested()?, false)),
        _ => Ok((cursor.plain()?, false)),
    }
}

fn text(cursor: &mut ByteCursor<'_>, table: &mut Interner) -> Result<u32, SyntaxFault> {
    Ok(match value(cursor, table)? {
        ArgumentPayload::Text(text) => text,
        ArgumentPayload::Integer(value) => table.intern(value.to_string().as_bytes()),
        other => {
            let value = other.number(table).unwrap_or_default();
            table.intern(value.to_string().as_bytes())
        }
    })
}

/// What names a process or a thread.
fn token(cursor: &mut ByteCursor<'_>, table: &mut Interner) -> Result<RowToken, SyntaxFault> {
    if let Some(number) = cursor.whole() {
        return Ok(RowToken::Number(number));
    }
    let (bytes, quoted) = scalar(cursor)?;
    if let Some(number) = integer(bytes) {
        return Ok(RowToken::Number(number));
    }
    // No word names nothing, as if it were not there.
    if bytes.is_empty() {
        return Ok(RowToken::None);
    }
    let escaped = quoted && bytes.contains(&b'\\');
    Ok(RowToken::Text(if escaped {
        table.intern(&unescape(bytes))
    } else {
        table.intern(bytes)
    }))
}
