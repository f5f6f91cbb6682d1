//! The table of arguments: 12 bytes each, texts aside.

use super::column::push;
use super::links::Links;
use crate::record::{NameId, SpanId, Value};

/// The upper two bits of a key say what the payload is; the rest is the name.
const TAG: u32 = 30;
const NAME: u32 = (1 << TAG) - 1;
const INTEGER: u32 = 0;
const NUMBER: u32 = 1;
const TEXT: u32 = 2;

/// Further fields of spans, in the order in which they arrived.
#[derive(Default)]
pub(super) struct Arguments {
    keys: Vec<u32>,
    payloads: Vec<u64>,
    texts: Vec<Box<str>>,
    of: Links,
}

impl Arguments {
    /// Takes a field of a span. The caller bounds the span's number.
    pub fn push(&mut self, span: SpanId, name: NameId, value: Value) {
        let (tag, payload) = match value {
            Value::Integer(value) => (INTEGER, value as u64),
            Value::Number(value) => (NUMBER, value.to_bits()),
            Value::Text(value) => {
                push(&mut self.texts, value);
                (TEXT, self.texts.len() as u64 - 1)
            }
        };
        push(&mut self.keys, tag << TAG | (name.0 & NAME));
        push(&mut self.payloads, payload);
        self.of.push(span.index());
    }

    /// The fields of a span, in the order in which they arrived.
    pub fn of(&self, span: SpanId) -> impl Iterator<Item = (NameId, Value)> {
        let mut items: Vec<u32> = self.of.of(span.index()).collect();
        items.reverse();
        items.into_iter().filter_map(|item| self.get(item as usize))
    }

    fn get(&self, at: usize) -> Option<(NameId, Value)> {
        let (&key, &payload) = (self.keys.get(at)?, self.payloads.get(at)?);
        let value = match key >> TAG {
            INTEGER => Value::Integer(payload as i64),
            NUMBER => Value::Number(f64::from_bits(payload)),
            _ => Value::Text(self.texts.get(payload as usize)?.clone()),
        };
        let name = key & NAME;
        Some((
            if name == NAME {
                NameId::NONE
            } else {
                NameId(name)
            },
            value,
        ))
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let texts: usize = self.texts.iter().map(|text| text.len()).sum();
        let columns = self.keys.capacity() * 4 + self.payloads.capacity() * 8;
        columns + self.texts.capacity() * size_of::<Box<str>>() + texts + self.of.heap_bytes()
    }
}
