//! Further fields of spans.

use std::sync::Arc;

use super::draft::integers;
use super::spans::NameCodes;
use crate::column::{ColumnValues, NO_INTEGER, NO_NUMBER, TextWords};
use crate::guard::{QueryGuard, StopReason};
use crate::rows::TableRows;
use crate::source::QuerySource;
use capture::Capture;
use record::{FieldValue, NameId, SpanId};

/// Rows between two looks at whether to go on.
const STRIDE: usize = 1 << 14;
/// So many bytes the columns take for each row, at first.
const EACH: usize = 36;

/// The columns on their way: names and texts by the numbers that the capture has for them.
struct FieldDraft {
    codes: NameCodes,
    spans: Vec<i64>,
    names: Vec<u32>,
    wholes: Vec<i64>,
    decimals: Vec<f64>,
    texts: Vec<u32>,
    ranks: Vec<i64>,
}

impl FieldDraft {
    fn new(capture: &Capture) -> Self {
        Self {
            codes: NameCodes::new(capture),
            spans: Vec::new(),
            names: Vec::new(),
            wholes: Vec::new(),
            decimals: Vec::new(),
            texts: Vec::new(),
            ranks: Vec::new(),
        }
    }

    fn push(&mut self, rank: u32, span: SpanId, name: NameId, value: FieldValue) {
        let (whole, decimal, text) = match value {
            FieldValue::Integer(value) => (value, f64::NAN, NO_NUMBER),
            FieldValue::Number(value) => (NO_INTEGER, value, NO_NUMBER),
            FieldValue::Text(number) => (NO_INTEGER, f64::NAN, number),
        };
        self.spans.push(i64::from(span.0));
        self.names.push(self.codes.code(name));
        self.wholes.push(whole);
        self.decimals.push(decimal);
        self.texts.push(text);
        self.ranks.push(i64::from(rank));
    }

    fn finish(self, source: &QuerySource) -> TableRows {
        let capture = &source.capture;
        let len = self.spans.len();
        let texts = |codes: Vec<u32>, words| {
            if codes.iter().all(|it| *it == NO_NUMBER) {
                ColumnValues::Same(None)
            } else {
                ColumnValues::Texts(Arc::new(codes), words)
            }
        };
        let has_decimals = self.decimals.iter().any(|it| !it.is_nan());
        let columns = vec![
            integers(self.spans),
            texts(self.names, TextWords::Names(Arc::clone(capture))),
            integers(self.wholes),
            if has_decimals {
                ColumnValues::Reals(self.decimals)
            } else {
                ColumnValues::Same(None)
            },
            texts(self.texts, TextWords::Fields(Arc::clone(capture))),
            source.run(),
            integers(self.ranks),
        ];
        TableRows::new(columns, len)
    }
}

/// Reads them, span by span.
pub(super) fn make(source: &QuerySource, guard: &QueryGuard) -> Result<TableRows, StopReason> {
    let capture = &source.capture;
    let facts = source.lanes()?;
    let mut draft = FieldDraft::new(capture);
    let (mut taken, mut stopped) = (0, Ok(()));
    capture.all_arguments(|span, name, value| {
        let Some(lane) = capture.span_lane(span).filter(|_| stopped.is_ok()) else {
            return;
        };
        draft.push(facts.rank(lane), span, name, value);
        if draft.spans.len().is_multiple_of(STRIDE) {
            stopped = guard.take_room(STRIDE * EACH);
            taken += STRIDE * EACH;
        }
    });
    stopped?;
    guard.return_room(taken);
    Ok(draft.finish(source))
}
