//! A stretch of the list of events: every event in it, what was damaged, and how it ended.

use memchr::memchr;

use super::arguments::Argument;
use super::event::{Desk, Event, event};
use super::intern::Interner;
use super::layout::Layout;
use super::packing::{Packed, Packing};
use super::rows::{Row, Rows};
use crate::importer::json::cursor::{Cursor, Fault};

/// Bytes of which no sense could be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where they begin in the stretch.
    pub at: usize,
    /// How many there are.
    pub length: usize,
}

/// How a stretch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Between two events.
    Between,
    /// The list ends; what follows begins at this place.
    List(usize),
    /// Inside an event that begins at this place.
    Inside(usize),
}

/// What events and arguments are put in.
pub type Lists = (Vec<Event>, Vec<Argument>);

/// What a stretch holds.
pub struct Parsed {
    pub events: Vec<Event>,
    /// Of the events that give no span, and of those that may be tied to others.
    pub arguments: Vec<Argument>,
    /// The fields of all that give a span.
    pub packed: Packed,
    /// Texts that the scanner met for the first time, in the order of their numbers.
    pub texts: Vec<Box<str>>,
    /// Rows that it met for the first time.
    pub rows: Vec<Row>,
    pub damage: Vec<Damage>,
    /// Texts that were no UTF-8.
    pub mended: u64,
    pub end: End,
}

/// Reads stretches, and remembers the texts and rows it met.
pub struct Scanner {
    table: Interner,
    rows: Rows,
    /// Packs the fields of spans, unless every argument is to be handed on as it is.
    packing: Option<Packing>,
    layout: Layout,
}

impl Scanner {
    /// A scanner that packs the fields of spans, or hands on every argument of a file of ours as it is.
    pub fn new(packs: bool) -> Self {
        let mut table = Interner::new();
        table.keeps_nul = !packs;
        Self {
            table,
            rows: Rows::default(),
            packing: packs.then(Packing::default),
            layout: Layout::default(),
        }
    }

    /// Reads a stretch that begins between two events, into lists that may have been used before.
    pub fn scan(&mut self, bytes: &[u8], (events, arguments): Lists) -> Parsed {
        let (texts, rows) = (self.table.len(), self.rows.len());
        let mut parsed = Parsed {
            events,
            arguments,
            packed: Packed::default(),
            texts: Vec::new(),
            rows: Vec::new(),
            damage: Vec::new(),
            mended: 0,
            end: End::Between,
        };
        parsed.events.clear();
        parsed.arguments.clear();
        self.events(bytes, &mut parsed);
        parsed.texts = self.table.since(texts).to_vec();
        parsed.rows = self.rows.since(rows).to_vec();
        parsed.packed = self
            .packing
            .as_mut()
            .map(Packing::finish)
            .unwrap_or_default();
        parsed.mended = std::mem::take(&mut self.table.mended);
        parsed
    }

    fn events(&mut self, bytes: &[u8], parsed: &mut Parsed) {
        let mut cursor = Cursor::new(bytes, 0);
        loop {
            while let Some(b',' | b' ' | b'\n' | b'\r' | b'\t' | 0) = cursor.peek() {
                cursor.step();
            }
            let start = cursor.at();
            let kept = parsed.arguments.len();
            let fault = match cursor.peek() {
                None => return,
                Some(b']') => {
                    parsed.end = End::List(start + 1);
                    return;
                }
                Some(b'{') => {
                    let mut desk = Desk {
                        table: &mut self.table,
                        rows: &mut self.rows,
                        arguments: &mut parsed.arguments,
                        layout: &mut self.layout,
                    };
                    match event(&mut cursor, &mut desk) {
                        Ok(mut event) => {
                            let own = parsed.arguments.get(kept..).unwrap_or_default();
                            let packing = self.packing.as_mut();
                            if packing.is_some_and(|it| !it.take(&mut event, own)) {
                                parsed.arguments.truncate(kept);
                                event.arguments = 0;
                            }
                            parsed.events.push(event);
                            continue;
                        }
                        Err(fault) => fault,
                    }
                }
                Some(_) => Fault::Bad,
            };
            parsed.arguments.truncate(kept);
            if fault == Fault::Cut {
                parsed.end = End::Inside(start);
                return;
            }
            let next = resume(bytes, start.max(cursor.at()));
            let length = next - start;
            parsed.damage.push(Damage { at: start, length });
            cursor.go(next);
        }
    }
}

/// Where the next event may begin after damage at `from`: after a bracket, a comma and another bracket.
fn resume(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'}', rest)) {
        at += found + 1;
        if let Some(next) = boundary(bytes, at) {
            return next;
        }
    }
    bytes.len()
}

/// The place of an opening bracket that follows `at` after one comma.
pub fn boundary(bytes: &[u8], at: usize) -> Option<usize> {
    let mut cursor = Cursor::new(bytes, at);
    cursor.demand(b',').ok()?;
    cursor.space();
    (cursor.peek() == Some(b'{')).then(|| cursor.at())
}
