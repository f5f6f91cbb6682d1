//! Fields that came packed: blocks of spans, kept as they came.

use std::collections::BTreeMap;
use std::ops::Range;

use super::texts::ArgumentTexts;
use record::{FieldForm, FieldValue, Fields, NameId, SpanId};

/// What one writer said of its forms and texts.
#[derive(Clone, Default)]
struct WriterForms {
    forms: Vec<FieldForm>,
    /// For each of its texts the number here.
    texts: Vec<u32>,
}

impl WriterForms {
    /// A value by the number that its text has here.
    fn known(&self, value: FieldValue) -> FieldValue {
        match value {
            FieldValue::Text(number) => {
                let known = self.texts.get(number as usize).copied();
                FieldValue::Text(known.unwrap_or(u32::MAX))
            }
            other => other,
        }
    }
}

/// Blocks of packed fields, by their first span.
#[derive(Clone, Default)]
pub(super) struct FieldBlocks {
    writers: BTreeMap<u32, WriterForms>,
    blocks: BTreeMap<u32, Fields>,
}

impl FieldBlocks {
    /// Takes a block. Gives back the fields of one that covers spans which another covers already.
    pub fn push(
        &mut self,
        mut fields: Fields,
        texts: &mut ArgumentTexts,
    ) -> Vec<(SpanId, NameId, FieldValue)> {
        let writer = self.writers.entry(fields.writer).or_default();
        writer.forms.append(&mut fields.forms);
        let new = std::mem::take(&mut fields.texts).into_iter();
        writer.texts.extend(new.map(|text| texts.intern(text)));
        let range = fields.range();
        if range.is_empty() {
            return Vec::new();
        }
        let below = self.blocks.range(..range.end).next_back();
        if below.is_none_or(|(_, block)| block.range().end <= range.start) {
            fields.shrink();
            self.blocks.insert(range.start, fields);
            return Vec::new();
        }
        let mut rest = Vec::new();
        fields.all(&writer.forms, |span, name, value| {
            rest.push((span, name, writer.known(value)));
        });
        rest
    }

    /// The fields of a span.
    pub fn of(&self, span: SpanId) -> Vec<(NameId, FieldValue)> {
        let block = self.blocks.range(..=span.0).next_back();
        let Some((block, writer)) =
            block.and_then(|(_, it)| Some((it, self.writers.get(&it.writer)?)))
        else {
            return Vec::new();
        };
        let fields = block.of(span, &writer.forms).into_iter();
        fields
            .map(|(name, value)| (name, writer.known(value)))
            .collect()
    }

    /// The fields of all spans, by the spans' numbers, each with the numbers of its block; before those of a block once without
    /// a field.
    pub fn all(&self, mut take: impl FnMut(Range<u32>, Option<(SpanId, NameId, FieldValue)>)) {
        for block in self.blocks.values() {
            let range = block.range();
            take(range.clone(), None);
            if let Some(writer) = self.writers.get(&block.writer) {
                block.all(&writer.forms, |span, name, value| {
                    take(range.clone(), Some((span, name, writer.known(value))));
                });
            }
        }
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let blocks = self.blocks.values().map(Fields::heap_bytes).sum::<usize>();
        let writers = self.writers.values().map(|it| {
            let forms: usize = it.forms.iter().map(|form| form.len() * 8 + 16).sum();
            forms + it.texts.capacity() * 4
        });
        blocks + self.blocks.len() * (size_of::<Fields>() + 8) + writers.sum::<usize>()
    }
}
