//! Spans as they are read, in few bytes each until the file is whole: what they wait for may follow.

use super::links::{NO_CALL, submission};
use crate::importer::chrome::ChromeTexts;
use crate::importer::pftrace::SliceFields;
use crate::importer::sqlite::{SqliteDraft, SqliteSpan};
use crate::importer::{ImportError, RecordSink};
use record::{FieldValue, LaneId, SpanId, SpanKind, State};

/// Rows that lie behind each other: as many never move once more come.
const BLOCK: usize = 1 << 16;

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
pub(super) struct XPlaneRows {
    blocks: Vec<Vec<XRow>>,
    count: u32,
    /// How many there were when each line ended.
    lines: Vec<u32>,
    fields: SliceFields,
    /// How many calls were concluded from the run that they are of.
    pub inferred: u64,
}

impl XPlaneRows {
    /// Takes a span with its fields: names and texts by their numbers. Answers its number.
    pub fn push(&mut self, row: XRow, fields: &[(u32, FieldValue)]) -> u32 {
        if (self.count as usize).is_multiple_of(BLOCK) {
            self.blocks.push(Vec::new());
        }
        if let Some(block) = self.blocks.last_mut() {
            block.push(row);
        }
        self.fields.take(fields);
        self.count += 1;
        self.count - 1
    }

    pub fn len(&self) -> usize {
        self.count as usize
    }

    pub fn end_line(&mut self) {
        self.lines.push(self.count);
    }

    /// When a span begins.
    pub fn start(&self, row: u32) -> Option<i64> {
        self.get(row).map(|it| it.start)
    }

    /// When the first span begins.
    pub fn first(&self) -> Option<i64> {
        self.blocks.iter().flatten().map(|it| it.start).min()
    }

    /// Ends a span where it began as an instant, under another name.
    pub fn extend(&mut self, row: u32, end: i64, name: u32) {
        if let Some(row) = self.get_mut(row) {
            (row.end, row.name) = (end, name);
        }
    }

    pub fn set_kind(&mut self, row: u32, kind: SpanKind) {
        if let Some(row) = self.get_mut(row) {
            row.kind = kind;
        }
    }

    /// Says which call submitted a span: by a number that both have, or by the run that both are of.
    pub fn submit(&mut self, row: u32, call: u32, is_said: bool) {
        if let Some(row) = self.get_mut(row) {
            (row.call, row.is_said) = (call, is_said);
            self.inferred += u64::from(!is_said);
        }
    }

    /// Hands everything over: each line in order of time, outer spans before inner ones.
    pub fn hand_over(
        &mut self,
        texts: &mut ChromeTexts,
        draft: &mut SqliteDraft<'_, '_>,
    ) -> Result<(), ImportError> {
        let mut begin = 0;
        for end in std::mem::take(&mut self.lines) {
            let line = begin..end;
            begin = end;
            let key = |row: &u32| {
                let row = self.get(*row);
                row.map(|it| (it.start, std::cmp::Reverse(it.end)))
            };
            if line.clone().is_sorted_by_key(|row| key(&row)) {
                self.put_all(line, texts, draft)?;
            } else {
                let mut order: Vec<u32> = line.collect();
                order.sort_by_key(key);
                self.put_all(order, texts, draft)?;
            }
        }
        self.fields.hand_over(u32::MAX, texts, draft.sink);
        Ok(())
    }

    fn put_all(
        &mut self,
        rows: impl IntoIterator<Item = u32>,
        texts: &mut ChromeTexts,
        draft: &mut SqliteDraft<'_, '_>,
    ) -> Result<(), ImportError> {
        for row in rows {
            self.put(row, texts, draft);
            draft.sink.advance(RecordSink::WHOLE)?;
        }
        Ok(())
    }

    fn get(&self, row: u32) -> Option<&XRow> {
        let row = row as usize;
        self.blocks.get(row / BLOCK)?.get(row % BLOCK)
    }

    fn get_mut(&mut self, row: u32) -> Option<&mut XRow> {
        let row = row as usize;
        self.blocks.get_mut(row / BLOCK)?.get_mut(row % BLOCK)
    }

    fn put(&mut self, number: u32, texts: &mut ChromeTexts, draft: &mut SqliteDraft<'_, '_>) {
        self.fields.hand_over(number + 1, texts, draft.sink);
        let Some(row) = self.get(number).copied() else {
            return;
        };
        let ran = SqliteSpan {
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
