//! The table of arguments: those of one span lie together, a few bytes each, and every text is stored once.

mod blocks;
mod pages;
mod texts;

use std::ops::Range;

use super::sparse_column::SparseColumn;
use blocks::FieldBlocks;
use pages::BytePages;
use record::impossible;
use record::{FieldValue, Fields, NameId, SpanId, Value};
use texts::ArgumentTexts;

/// What the payload of an argument is, in the lowest two bits of its key.
const INTEGER: u64 = 0;
const NUMBER: u64 = 1;
const TEXT: u64 = 2;

/// Further fields of spans: those that came packed, and then the others, both in the order in which they arrived.
///
/// Arguments of one span that arrive one after the other make a run: the place of the span's run before it, then for
/// each argument its key and its payload, then a zero.
#[derive(Clone, Default)]
pub(super) struct Arguments {
    pages: BytePages,
    texts: ArgumentTexts,
    /// The latest run of each span that has one.
    latest: SparseColumn,
    blocks: FieldBlocks,
    /// The span whose run is at the end, and still grows.
    growing: Option<SpanId>,
}

impl Arguments {
    /// Takes a field of a span. The caller bounds the span's number.
    pub fn push(&mut self, span: SpanId, name: NameId, value: Value) {
        if self.growing == Some(span) && self.pages.has_room() {
            self.pages.pop();
        } else {
            self.begin(span);
        }
        let (tag, payload) = match value {
            Value::Integer(value) => (INTEGER, zigzag(value)),
            Value::Number(value) => (NUMBER, value.to_bits()),
            Value::Text(value) => (TEXT, u64::from(self.texts.intern(value))),
        };
        // A key is never zero, which ends a run.
        self.pages.number(((u64::from(name.0) + 1) << 2) | tag);
        if tag == NUMBER {
            self.pages.fixed(payload);
        } else {
            self.pages.number(payload);
        }
        self.pages.byte(0);
    }

    /// Takes fields of many spans. The caller bounds the spans' numbers.
    pub fn push_packed(&mut self, fields: Fields) {
        for (span, name, value) in self.blocks.push(fields, &mut self.texts) {
            let value = value.value(|it| self.texts.get(it));
            self.push(span, name, value);
        }
    }

    fn begin(&mut self, span: SpanId) {
        let place = self.pages.begin();
        let before = self.latest.put(span.index(), place);
        self.pages
            .number(before.map_or(0, |before| u64::from(before) + 1));
        self.growing = Some(span);
    }

    /// The fields of a span, in the order in which they arrived.
    pub fn of(&self, span: SpanId) -> impl Iterator<Item = (NameId, Value)> {
        let packed = self.blocks.of(span).into_iter();
        let fields = packed.chain(self.runs(span));
        fields.map(|(name, value)| (name, value.value(|it| self.text(it))))
    }

    /// The fields of all spans, by the spans' numbers, those of one in the order in which they arrived. Texts are told by
    /// number.
    pub fn all(&self, mut take: impl FnMut(SpanId, NameId, FieldValue)) {
        // Whose fields that came alone have not been told: they come behind those that came packed.
        let mut next = 0;
        self.blocks.all(|range, packed| {
            let Some((span, name, value)) = packed else {
                self.all_runs(next..range.start, &mut take);
                next = range.start.max(next);
                return;
            };
            self.all_runs(next..span.0, &mut take);
            next = span.0.max(next);
            take(span, name, value);
        });
        self.all_runs(next..self.latest.end() as u32, &mut take);
    }

    /// The text of a number.
    pub fn text(&self, number: u32) -> Option<&str> {
        self.texts.get(number)
    }

    /// How many texts there are.
    pub fn text_count(&self) -> usize {
        self.texts.len()
    }

    fn all_runs(&self, spans: Range<u32>, take: &mut impl FnMut(SpanId, NameId, FieldValue)) {
        for span in spans.map(SpanId) {
            for (name, value) in self.runs(span) {
                take(span, name, value);
            }
        }
    }

    /// The fields of a span that came alone.
    fn runs(&self, span: SpanId) -> impl Iterator<Item = (NameId, FieldValue)> {
        let mut runs = Vec::new();
        let mut next = self.latest.get(span.index());
        while let Some(place) = next {
            let (before, run) = self.run(place);
            runs.push(run);
            next = before;
        }
        runs.into_iter().rev().flatten()
    }

    /// The place of the run before one, and what is in it.
    fn run(&self, place: u32) -> (Option<u32>, Vec<(NameId, FieldValue)>) {
        let mut reader = self.pages.read(place);
        let before = reader
            .number()
            .unwrap_or_else(|| impossible!("a run of arguments without a beginning"))
            .checked_sub(1);
        let before = before.map(|before| before as u32);
        let mut fields = Vec::new();
        while let Some(key @ 1..) = reader.number() {
            let name = NameId((key >> 2).wrapping_sub(1) as u32);
            let value = match key & 3 {
                INTEGER => reader.number().map(|it| FieldValue::Integer(unzigzag(it))),
                NUMBER => reader
                    .fixed()
                    .map(|it| FieldValue::Number(f64::from_bits(it))),
                _ => reader.number().map(|it| FieldValue::Text(it as u32)),
            };
            let Some(value) = value else { break };
            fields.push((name, value));
        }
        (before, fields)
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let runs = self.pages.heap_bytes() + self.latest.heap_bytes();
        runs + self.texts.heap_bytes() + self.blocks.heap_bytes()
    }
}

/// Small numbers of either sign as small numbers.
fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::FieldEncoder;

    fn values() -> Vec<Value> {
        vec![
            Value::Integer(0),
            Value::Integer(-1),
            Value::Integer(i64::MIN),
            Value::Integer(i64::MAX),
            Value::Number(5.9),
            Value::Number(f64::NEG_INFINITY),
            Value::Text("kernel".into()),
            Value::Text("".into()),
            Value::Text("kernel".into()),
        ]
    }

    #[test]
    fn fields_come_back_in_order_however_they_are_mixed() {
        let mut table = Arguments::default();
        for round in 0..3_000_u32 {
            for (place, value) in values().into_iter().enumerate() {
                // Every third span gets its fields in between those of others.
                let span = if round % 3 == 0 { round } else { round / 3 * 3 };
                table.push(SpanId(span), NameId(place as u32), value.clone());
            }
        }
        table.push(SpanId(5), NameId::NONE, Value::Integer(7));
        for span in (0..3_000).step_by(3) {
            let found: Vec<_> = table.of(SpanId(span)).collect();
            let expected = values().into_iter().enumerate();
            let expected: Vec<_> = expected.map(|(at, it)| (NameId(at as u32), it)).collect();
            assert_eq!(found, [&expected[..]; 3].concat());
        }
        let last: Vec<_> = table.of(SpanId(5)).collect();
        assert_eq!(last, [(NameId::NONE, Value::Integer(7))]);
        assert_eq!(table.of(SpanId(9_999)).count(), 0);
    }

    #[test]
    fn all_fields_are_those_of_each_span_in_turn() {
        let mut table = Arguments::default();
        let mut encoder = FieldEncoder::default();
        for span in 0..100_u32 {
            if span % 3 == 0 {
                encoder.integer(NameId(span % 5), i64::from(span));
            }
            encoder.end();
        }
        let mut packed = encoder.finish();
        packed.first = SpanId(100);
        table.push_packed(packed);
        for span in [7, 99, 100, 101, 103, 150, 199, 200, 900, 103] {
            table.push(SpanId(span), NameId(9), Value::Text("alone".into()));
        }
        let mut found = Vec::new();
        table.all(|span, name, value| found.push((span, name, value.value(|it| table.text(it)))));
        let spans = (0..1_000).map(SpanId);
        let each =
            spans.flat_map(|span| table.of(span).map(move |(name, value)| (span, name, value)));
        assert_eq!(found, each.collect::<Vec<_>>());
        assert_eq!(found.len(), 34 + 10);
    }

    #[test]
    fn a_field_takes_a_few_bytes() {
        let mut table = Arguments::default();
        for span in 0..100_000 {
            for name in 0..8 {
                table.push(SpanId(span), NameId(name), Value::Integer(i64::from(span)));
            }
        }
        let each = table.heap_bytes() / 100_000;
        assert!(each <= 44, "{each} bytes a span of eight fields");
    }
}
