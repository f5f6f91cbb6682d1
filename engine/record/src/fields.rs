//! Fields of many spans in one record, packed as they are kept: readers of large files pack them on all cores.

mod code;
mod pack;
mod recent;

pub use pack::FieldEncoder;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{NameId, SpanId, Value};
use code::{FieldReader, unzigzag};
use recent::RecentNumbers;

/// Spans between two marks: what has to be passed over at most to find the fields of one.
const STEP: usize = 16;
/// Tenths that a number may be written in.
const SCALES: [f64; 7] = [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6];
/// Stands for a scale where a number is written in eight bytes.
const WHOLE: u64 = 7;

/// How the value of a field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FieldType {
    /// A whole number, by its distance from the one before in the same place, or from the first.
    Integer,
    /// A real number: decimal where that says it exactly.
    Number,
    /// The number of a text.
    Text,
}

/// The fields that spans of one sort have: their names, and how each is written.
pub type FieldForm = Box<[(NameId, FieldType)]>;

/// Fields of spans with consecutive numbers. Every writer numbers its forms and texts, and says each once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fields {
    /// Who wrote it, among those of its file.
    pub writer: u32,
    /// Forms that follow those that the writer said before.
    pub forms: Vec<FieldForm>,
    /// Texts that follow those that the writer said before.
    pub texts: Vec<Box<str>>,
    /// The first span.
    pub first: SpanId,
    /// How many spans it covers; some may have no fields.
    pub spans: u32,
    /// How many fields they have in all.
    pub count: u32,
    /// The forms that occur here, and where in `bases` the first whole numbers of each begin.
    used: Vec<(u32, u32)>,
    bases: Vec<i64>,
    /// Where every sixteenth span begins. Distances are from the first numbers there.
    marks: Vec<u32>,
    bytes: Vec<u8>,
}

/// The value of a field, with its text by the number that its writer gave it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldValue {
    /// A whole number.
    Integer(i64),
    /// A real number.
    Number(f64),
    /// The number of a text.
    Text(u32),
}

impl FieldValue {
    /// As a value; `text` finds texts by their number.
    pub fn value<'a>(self, text: impl FnOnce(u32) -> Option<&'a str>) -> Value {
        match self {
            Self::Integer(value) => Value::Integer(value),
            Self::Number(value) => Value::Number(value),
            Self::Text(number) => Value::Text(text(number).unwrap_or("?").into()),
        }
    }
}

impl Fields {
    /// The numbers of its spans.
    pub fn range(&self) -> Range<u32> {
        self.first.0..self.first.0.saturating_add(self.spans)
    }

    /// Forgets its spans; what it says of forms and texts stays.
    pub fn clear(&mut self) {
        (self.spans, self.count) = (0, 0);
        self.used.clear();
        self.bases.clear();
        self.marks.clear();
        self.bytes.clear();
    }

    /// Gives back what was reserved and not used.
    pub fn shrink(&mut self) {
        self.used.shrink_to_fit();
        self.bases.shrink_to_fit();
        self.marks.shrink_to_fit();
        self.bytes.shrink_to_fit();
    }

    /// The fields of one span, with all forms of its writer. Nothing where it has none, and as far as they make sense
    /// where the bytes are damaged.
    pub fn of(&self, span: SpanId, forms: &[FieldForm]) -> Vec<(NameId, FieldValue)> {
        let mut found = Vec::new();
        let Some(place) = self
            .range()
            .contains(&span.0)
            .then(|| span.0 - self.first.0)
        else {
            return found;
        };
        let place = place as usize;
        let mark = self.marks.get(place / STEP).copied().unwrap_or(u32::MAX);
        let mut reader = FieldReader(self.bytes.get(mark as usize..).unwrap_or_default());
        let mut recent = RecentNumbers::default();
        for _ in 0..place % STEP {
            let run = self.run(&mut reader, &mut recent, forms, |_, _| {});
            if run.is_none() {
                return found;
            }
        }
        self.run(&mut reader, &mut recent, forms, |name, value| {
            found.push((name, value));
        });
        found
    }

    /// Every field, span by span.
    pub fn all(&self, forms: &[FieldForm], mut take: impl FnMut(SpanId, NameId, FieldValue)) {
        let (mut reader, mut recent) = (FieldReader(&self.bytes), RecentNumbers::default());
        for (at, span) in self.range().enumerate() {
            if at.is_multiple_of(STEP) {
                recent.clear();
            }
            let run = self.run(&mut reader, &mut recent, forms, |name, value| {
                take(SpanId(span), name, value);
            });
            if run.is_none() {
                return;
            }
        }
    }

    /// Reads the fields of one span.
    fn run(
        &self,
        reader: &mut FieldReader<'_>,
        recent: &mut RecentNumbers,
        forms: &[FieldForm],
        mut take: impl FnMut(NameId, FieldValue),
    ) -> Option<()> {
        let Some(used) = reader.number()?.checked_sub(1) else {
            return Some(());
        };
        let &(form, base) = self.used.get(used as usize)?;
        let (mut base, mut place) = (base as usize, recent.begin(used as u32));
        for &(name, written) in forms.get(form as usize)? {
            let value = match written {
                FieldType::Integer => {
                    let (first, distance) = (*self.bases.get(base)?, reader.number()?);
                    base += 1;
                    FieldValue::Integer(recent.next(&mut place, first, unzigzag(distance))?)
                }
                FieldType::Number => FieldValue::Number(reader.real()?),
                FieldType::Text => FieldValue::Text(reader.number()? as u32),
            };
            take(name, value);
        }
        Some(())
    }

    /// Bytes held on the heap, besides forms and texts.
    pub fn heap_bytes(&self) -> usize {
        let columns = self.bases.capacity() * 8 + self.marks.capacity() * 4;
        columns + self.bytes.capacity() + self.used.capacity() * 8
    }
}

/// Takes packed fields apart again, for those that look at each.
#[derive(Debug, Default)]
pub struct FieldDecoder {
    writers: Vec<(Vec<FieldForm>, Vec<Box<str>>)>,
}

/// More writers than this no file has.
const MOST_WRITERS: usize = 1 << 10;

impl FieldDecoder {
    /// Every field of `fields` in turn. What a writer said before must have passed here too.
    pub fn unpack(&mut self, mut fields: Fields, mut take: impl FnMut(SpanId, NameId, Value)) {
        let writer = fields.writer as usize;
        if writer >= self.writers.len().max(MOST_WRITERS) {
            return;
        }
        if writer >= self.writers.len() {
            self.writers.resize_with(writer + 1, Default::default);
        }
        if let Some((forms, texts)) = self.writers.get_mut(writer) {
            forms.append(&mut fields.forms);
            texts.append(&mut fields.texts);
            fields.all(forms, |span, name, value| {
                let text = |number: u32| texts.get(number as usize).map(|text| &**text);
                take(span, name, value.value(text));
            });
        }
    }
}

#[cfg(test)]
mod tests;
