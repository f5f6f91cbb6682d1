//! A stretch of the list of events: every event in it, what was damaged, and how it ended.

use memchr::{memchr, memmem, memrchr};
use std::ops::Range;

use super::arguments::ChromeArgument;
use super::event::{ChromeEvent, EventContext, event};
use super::field_packing::{ScannerFieldEncoder, ScannerFields};
use super::intern::Interner;
use super::layout::FieldLayout;
use super::rows::{RowKey, RowKeys};
use crate::importer::json::cursor::{ByteCursor, SyntaxFault};
use crate::perfetto::json::EVENT_LINE;

/// Bytes of which no sense could be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DamagedBytes {
    /// Where they begin in the stretch.
    pub at: usize,
    /// How many there are.
    pub length: usize,
}

/// How a stretch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StretchEnd {
    /// Between two events.
    Between,
    /// The list ends; what follows begins at this place.
    List(usize),
    /// Inside an event that begins at this place.
    Inside(usize),
}

/// What events and arguments are put in.
pub type EventLists = (Vec<ChromeEvent>, Vec<ChromeArgument>);

/// What a stretch holds.
pub struct ParsedStretch {
    pub events: Vec<ChromeEvent>,
    /// Of the events that give no span, and of those that may be tied to others.
    pub arguments: Vec<ChromeArgument>,
    /// The fields of all that give a span.
    pub packed: ScannerFields,
    /// Texts that the scanner met for the first time, in the order of their numbers.
    pub texts: Vec<Box<str>>,
    /// Rows that it met for the first time.
    pub rows: Vec<RowKey>,
    pub damage: Vec<DamagedBytes>,
    /// Events of which nothing is told, and nothing kept.
    pub empty: u64,
    /// Texts that were no UTF-8.
    pub mended: u64,
    pub end: StretchEnd,
}

/// Reads stretches, and remembers the texts and rows it met.
pub struct StretchScanner {
    table: Interner,
    rows: RowKeys,
    /// Packs the fields of spans, unless every argument is to be handed on as it is.
    packing: Option<ScannerFieldEncoder>,
    layout: FieldLayout,
}

impl StretchScanner {
    /// A scanner that packs the fields of spans, or hands on every argument of a file of ours as it is.
    pub fn new(packs: bool) -> Self {
        let mut table = Interner::new();
        table.keeps_nul = !packs;
        Self {
            table,
            rows: RowKeys::default(),
            packing: packs.then(ScannerFieldEncoder::default),
            layout: FieldLayout::default(),
        }
    }

    /// Reads a stretch that begins between two events, into lists that may have been used before.
    pub fn scan(&mut self, bytes: &[u8], (events, arguments): EventLists) -> ParsedStretch {
        let (texts, rows) = (self.table.len(), self.rows.len());
        let mut parsed = ParsedStretch {
            events,
            arguments,
            packed: ScannerFields::default(),
            texts: Vec::new(),
            rows: Vec::new(),
            damage: Vec::new(),
            empty: 0,
            mended: 0,
            end: StretchEnd::Between,
        };
        parsed.events.clear();
        parsed.arguments.clear();
        self.events(bytes, &mut parsed);
        parsed.texts = self.table.since(texts).to_vec();
        parsed.rows = self.rows.since(rows).to_vec();
        parsed.packed = self
            .packing
            .as_mut()
            .map(ScannerFieldEncoder::finish)
            .unwrap_or_default();
        parsed.mended = std::mem::take(&mut self.table.mended);
        parsed
    }

    fn events(&mut self, bytes: &[u8], parsed: &mut ParsedStretch) {
        let mut cursor = ByteCursor::new(bytes, 0);
        let packs = self.packing.is_some();
        let has_zeros = memchr(0, bytes).is_some();
        loop {
            let between = cursor.at();
            while let Some(b',' | b' ' | b'\n' | b'\r' | b'\t' | 0) = cursor.peek() {
                cursor.step();
            }
            let start = cursor.at();
            if has_zeros && start < bytes.len() {
                parsed.damage.extend(zeros_between(bytes, between..start));
            }
            let kept = parsed.arguments.len();
            let fault = match cursor.peek() {
                None => return,
                Some(b']') => {
                    parsed.end = StretchEnd::List(start + 1);
                    return;
                }
                Some(b'{') => {
                    let mut desk = EventContext {
                        table: &mut self.table,
                        rows: &mut self.rows,
                        arguments: &mut parsed.arguments,
                        layout: &mut self.layout,
                    };
                    let parsed_one = event(&mut cursor, &mut desk);
                    let own = bytes.get(start..cursor.at()).unwrap_or_default();
                    match parsed_one {
                        // It ran into the next, without a quote or a bracket of its own.
                        Ok(_) if !packs && next_line(own).is_some() => SyntaxFault::Bad,
                        Ok(_) if has_zeros && holds_zeros(own) => SyntaxFault::Bad,
                        Ok(event) if event.is_empty() => {
                            parsed.empty += 1;
                            continue;
                        }
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
                Some(_) => SyntaxFault::Bad,
            };
            parsed.arguments.truncate(kept);
            let line = || next_line(bytes.get(start..).unwrap_or_default());
            let line = if packs { None } else { line() };
            let next = match (line, fault) {
                (Some(line), _) => start + line,
                // The bracket behind which the cursor stands may be the last of this event.
                (None, SyntaxFault::Bad) => {
                    let at = start.max(cursor.at());
                    let is_closed = at > start && bytes.get(at - 1) == Some(&b'}');
                    resume(bytes, at - usize::from(is_closed))
                }
                (None, SyntaxFault::Cut) => {
                    parsed.end = StretchEnd::Inside(start);
                    return;
                }
            };
            let length = next - start;
            parsed.damage.push(DamagedBytes { at: start, length });
            cursor.go(next);
        }
    }
}

/// Zeros between two events, where there may have been others: at the end of a file they are space that was kept for more.
fn zeros_between(bytes: &[u8], between: Range<usize>) -> Option<DamagedBytes> {
    let passed = bytes.get(between.clone())?;
    let first = memchr(0, passed)?;
    let length = memrchr(0, passed)? + 1 - first;
    let at = between.start + first;
    Some(DamagedBytes { at, length })
}

/// Zeros before the end of a text are what a program in C left there, as long as no event can end and begin among them.
const MOST_ZEROS: usize = 8;

/// Whether zeros stand in an event where no program writes them.
fn holds_zeros(event: &[u8]) -> bool {
    let mut rest = event;
    while let Some(at) = memchr(0, rest) {
        let (before, zeros) = rest.split_at_checked(at).unwrap_or_default();
        let is_whole_text = before.last() == Some(&b'"');
        let length = zeros.iter().take_while(|it| **it == 0).count();
        rest = zeros.get(length..).unwrap_or_default();
        let Some((b'"', behind)) = rest.split_first() else {
            return true;
        };
        let is_name = behind.trim_ascii_start().first() == Some(&b':');
        if is_name || is_whole_text || length > MOST_ZEROS {
            return true;
        }
    }
    false
}

/// Where in a file of ours the next event begins behind one at the beginning of these bytes, if they go on that long: each has
/// a line of its own, and no end of a line stands in it. Where another program wrote it anew, none is found.
fn next_line(bytes: &[u8]) -> Option<usize> {
    memmem::find(bytes, EVENT_LINE).map(|at| at + 1)
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
    let mut cursor = ByteCursor::new(bytes, at);
    cursor.expect_byte(b',').ok()?;
    cursor.space();
    (cursor.peek() == Some(b'{')).then(|| cursor.at())
}
