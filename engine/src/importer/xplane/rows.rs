//! Spans as they are read, in few bytes each until the file is whole: what they wait for may follow.

use super::links::{NO_CALL, submission};
use crate::importer::Error;
use crate::importer::chrome::Texts;
use crate::importer::pftrace::SliceFields;
use crate::importer::sqlite::{Draft, Ran};
use crate::record::{LaneId, Plain, SpanId, SpanKind, State};

/// A span in the file's own time, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct XRow {
    pub start: i64,
    pub end: i64,
    /// The number of its name's text.
    pub name: u32,
    pub lane: LaneId,
    /// The row of the call that submitted it.
    call: u32,
    pub kind: SpanKind,
    /// Whether the file itself ties it to its call.
    is_said: bool,
}

impl XRow {
    pub fn new((start, end): (i64, i64), name: u32, lane: LaneId, kind: SpanKind) -> Self {
        Self {
            start,
            end,
            name,
            lane,
            call: NO_CALL,
            kind,
            is_said: false,
        }
    }
}

/// All spans. Their numbers are the order in which they were read.
#[derive(Default)]
pub(super) struct Rows {
    all: Vec<XRow>,
    /// How many there were when each line ended.
    lines: Vec<u32>,
    fields: SliceFields,
    /// How many calls were concluded from the run that they are of.
    pub inferred: u64,
}

impl Rows {
    /// Takes a span with its fields: names and texts by their numbers. Answers its number.
    pub fn push(&mut self, row: XRow, fields: &[(u32, Plain)]) -> u32 {
        self.all.push(row);
        self.fields.take(fields);
        self.all.len() as u32 - 1
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn end_line(&mut self) {
        self.lines.push(self.all.len() as u32);
    }

    /// When a span begins.
    pub fn start(&self, row: u32) -> Option<i64> {
        self.all.get(row as usize).map(|it| it.start)
    }

    /// When the first span begins.
    pub fn first(&self) -> Option<i64> {
        self.all.iter().map(|it| it.start).min()
    }

    /// Ends a span where it began as an instant, under another name.
    pub fn extend(&mut self, row: u32, end: i64, name: u32) {
        if let Some(row) = self.all.get_mut(row as usize) {
            (row.end, row.name) = (end, name);
        }
    }

    pub fn set_kind(&mut self, row: u32, kind: SpanKind) {
        if let Some(row) = self.all.get_mut(row as usize) {
            row.kind = kind;
        }
    }

    /// Says which call submitted a span: by a number that both have, or by the run that both are of.
    pub fn submit(&mut self, row: u32, call: u32, is_said: bool) {
        if let Some(row) = self.all.get_mut(row as usize) {
            (row.call, row.is_said) = (call, is_said);
            self.inferred += u64::from(!is_said);
        }
    }

    /// Hands everything over: each line in order of time, outer spans before inner ones.
    pub fn hand_over(&mut self, texts: &mut Texts, draft: &mut Draft<'_, '_>) -> Result<(), Error> {
        let (mut begin, mut order) = (0, Vec::new());
        for end in std::mem::take(&mut self.lines) {
            order.clear();
            order.extend(begin..end);
            begin = end;
            let key = |row: &u32| {
                let row = self.all.get(*row as usize);
                row.map(|it| (it.start, std::cmp::Reverse(it.end)))
            };
            if !order.is_sorted_by_key(key) {
                order.sort_by_key(key);
            }
            for &row in &order {
                self.put(row, texts, draft);
                draft.sink.advance(u64::MAX)?;
            }
        }
        self.fields.hand_over(u32::MAX, texts, draft.sink);
        Ok(())
    }

    fn put(&mut self, number: u32, texts: &mut Texts, draft: &mut Draft<'_, '_>) {
        self.fields.hand_over(number + 1, texts, draft.sink);
        let Some(row) = self.all.get(number as usize).copied() else {
            return;
        };
        let ran = Ran {
            lane: row.lane,
            name: texts.name(row.name, draft.sink),
            kind: row.kind,
            state: State::Done,
            enqueued: self.start(row.call),
            start: row.start,
            end: row.end,
        };
        draft.put(SpanId(number), ran);
        if row.call != NO_CALL {
            submission(draft, (row.call, number), row.is_said);
        }
    }
}
