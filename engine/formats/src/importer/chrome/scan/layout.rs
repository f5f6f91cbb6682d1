//! How a file lays out its events: what stands between two values is the same in most of them, and once it was
//! understood, comparing bytes says what follows.

use super::arguments::MOST_ARGUMENTS;
use super::field::EventField;
use super::intern::Interner;
use super::text::intern;
use super::words;
use crate::importer::json::cursor::{ByteCursor, SyntaxFault};

/// Nothing follows, or nothing more.
const NONE: u32 = u32::MAX;
/// The beginning of an event.
const ROOT: u32 = 0;
/// Somewhere in an event, or in its arguments, where the layout was not remembered.
const LOST: [u32; 2] = [1, 2];
/// So much is remembered at most: files of which every event is laid out in its own way gain nothing.
const MOST: usize = 1 << 12;
/// Ways in which an event may go on at one place.
const WAYS: u32 = 12;
/// The longest stretch between two values that is remembered.
const LONGEST: usize = 512;
/// The longest value that is remembered.
const LONGEST_VALUE: usize = 64;

/// A place in the layout: what led here from the one before, and what stands here.
struct LayoutNode {
    literal: Box<[u8]>,
    field: Option<EventField>,
    /// Whether it is among the arguments.
    inside: bool,
    /// The first way on, the next way from the place before, and how many ways on there are.
    child: u32,
    sibling: u32,
    ways: u32,
    /// The last text that stood here, as it was written, and its number.
    seen: Vec<u8>,
    number: u32,
}

impl LayoutNode {
    fn new(literal: &[u8], field: Option<EventField>, inside: bool, sibling: u32) -> Self {
        Self {
            literal: literal.into(),
            field,
            inside,
            child: NONE,
            sibling,
            ways: 0,
            seen: Vec::new(),
            number: 0,
        }
    }
}

/// The layout of the events of a file, as far as it was met.
pub struct FieldLayout {
    places: Vec<LayoutNode>,
    here: u32,
    /// How many keys of the event were given a number.
    keys: usize,
}

impl Default for FieldLayout {
    fn default() -> Self {
        let place = |inside| LayoutNode::new(&[], None, inside, NONE);
        Self {
            places: vec![place(false), place(false), place(true)],
            here: ROOT,
            keys: 0,
        }
    }
}

impl FieldLayout {
    /// An event begins.
    pub fn begin(&mut self) {
        (self.here, self.keys) = (ROOT, 0);
    }

    /// Passes what stands before the next value and says what it is; nothing at the end of the event.
    pub fn next(
        &mut self,
        cursor: &mut ByteCursor<'_>,
        table: &mut Interner,
    ) -> Result<Option<EventField>, SyntaxFault> {
        let mut way = self
            .places
            .get(self.here as usize)
            .map_or(NONE, |it| it.child);
        while let Some(place) = self.places.get(way as usize) {
            if cursor.skip_literal(&place.literal) {
                self.here = way;
                return Ok(place.field);
            }
            way = place.sibling;
        }
        self.learn(cursor, table)
    }

    /// The same where it was never met.
    fn learn(
        &mut self,
        cursor: &mut ByteCursor<'_>,
        table: &mut Interner,
    ) -> Result<Option<EventField>, SyntaxFault> {
        let before = *cursor;
        let place = self.places.get(self.here as usize);
        let inside = place.filter(|_| self.here != ROOT).map(|it| it.inside);
        // Keys of arguments that are not kept need no number.
        let table = (self.keys < MOST_ARGUMENTS).then_some(table);
        let (field, inside) = step(cursor, inside, table)?;
        if matches!(field, Some(EventField::Argument(_) | EventField::Extra(_))) {
            self.keys += 1;
        }
        let literal = before.until(cursor.at());
        let next = self.places.len() as u32;
        let room = self.places.len() < MOST && literal.len() <= LONGEST;
        let from = self.places.get_mut(self.here as usize);
        match from.filter(|it| room && it.ways < WAYS && !LOST.contains(&self.here)) {
            Some(from) => {
                let sibling = std::mem::replace(&mut from.child, next);
                from.ways += 1;
                self.places
                    .push(LayoutNode::new(literal, field, inside, sibling));
                self.here = next;
            }
            None => self.here = if inside { LOST[1] } else { LOST[0] },
        }
        Ok(field)
    }

    /// The number of the text that stood here last, if it stands here again; it is passed then.
    pub fn again(&self, cursor: &mut ByteCursor<'_>) -> Option<u32> {
        let place = self.places.get(self.here as usize)?;
        (!place.seen.is_empty() && cursor.skip_literal(&place.seen)).then_some(place.number)
    }

    /// Remembers the number of the text that stands here, if it shows where it ends: a number may go on.
    pub fn remember(&mut self, written: &[u8], number: u32) {
        if matches!(written.last(), Some(b'"' | b']' | b'}'))
            && written.len() <= LONGEST_VALUE
            && let Some(place) = self.places.get_mut(self.here as usize)
        {
            place.seen.clear();
            place.seen.extend_from_slice(written);
            place.number = number;
        }
    }
}

/// Passes what stands before the next value: says what that is, and whether it is among the arguments. `inside` says
/// whether the value before was; nothing at the beginning of an event. Without a table keys get no number.
fn step(
    cursor: &mut ByteCursor<'_>,
    inside: Option<bool>,
    table: Option<&mut Interner>,
) -> Result<(Option<EventField>, bool), SyntaxFault> {
    let mut fresh = inside.is_none();
    let mut inside = inside.unwrap_or(false);
    if fresh {
        cursor.expect_byte(b'{')?;
    }
    loop {
        cursor.space();
        match cursor.peek() {
            Some(b'}') => {
                cursor.step();
                if !inside {
                    return Ok((None, false));
                }
                (inside, fresh) = (false, false);
                continue;
            }
            Some(b',') if !fresh => cursor.step(),
            Some(_) if fresh => {}
            Some(_) => return Err(SyntaxFault::Bad),
            None => return Err(SyntaxFault::Cut),
        }
        cursor.space();
        let key = cursor.text()?;
        cursor.expect_byte(b':')?;
        cursor.space();
        let number =
            |table: Option<&mut Interner>| table.map_or(words::EMPTY, |it| intern(it, key));
        if inside {
            return Ok((Some(EventField::Argument(number(table))), true));
        }
        match EventField::of(key.bytes) {
            Some(EventField::Arguments) if cursor.peek() == Some(b'{') => {
                cursor.step();
                (inside, fresh) = (true, true);
            }
            Some(field) => return Ok((Some(field), false)),
            None => return Ok((Some(EventField::Extra(number(table))), false)),
        }
    }
}
