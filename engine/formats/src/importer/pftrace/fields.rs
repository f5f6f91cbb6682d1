//! Fields of slices, packed as they are read and kept so until their spans are handed over.

use std::collections::VecDeque;

use crate::importer::RecordSink;
use crate::importer::chrome::ChromeTexts;
use record::{FieldEncoder, FieldValue, Fields, NameId, Record, SpanId};

/// Slices whose fields are one record.
const BLOCK: u32 = 1 << 13;
/// So many forms are packed; in a file that goes on to have new ones, packing saves nothing.
const MOST_FORMS: usize = 1 << 16;
/// Stands for a text that no field had yet.
const UNTOLD: u32 = u32::MAX;

/// Packed fields, and the texts that are new in them.
struct EncodedFields {
    fields: Fields,
    texts: Vec<u32>,
}

/// The fields of all slices, by their numbers.
#[derive(Default)]
pub(in crate::importer) struct SliceFields {
    packer: FieldEncoder,
    /// For each text its number among those of fields.
    numbers: Vec<u32>,
    count: u32,
    told: Vec<u32>,
    /// Slices that it took, and the first of them that is in no block yet.
    slices: u32,
    first: u32,
    blocks: VecDeque<EncodedFields>,
    /// Fields of slices beyond the forms that are packed.
    loose: VecDeque<(SpanId, u32, FieldValue)>,
}

impl SliceFields {
    /// Takes the fields of the next slice: names and texts by their numbers.
    pub fn take(&mut self, values: &[(u32, FieldValue)]) {
        if self.packer.forms() < MOST_FORMS {
            for &(name, value) in values {
                let name = NameId(name);
                match value {
                    FieldValue::Integer(value) => self.packer.integer(name, value),
                    FieldValue::Number(value) => self.packer.real(name, value),
                    FieldValue::Text(text) => {
                        let text = self.number(text);
                        self.packer.text(name, text);
                    }
                }
            }
        } else {
            let span = SpanId(self.slices);
            let values = values.iter();
            self.loose
                .extend(values.map(|&(name, value)| (span, name, value)));
        }
        self.packer.end();
        self.slices += 1;
        if self.slices - self.first >= BLOCK {
            self.close();
        }
    }

    fn number(&mut self, text: u32) -> u32 {
        let at = text as usize;
        if at >= self.numbers.len() {
            self.numbers.resize(at + 1, UNTOLD);
        }
        let Some(slot) = self.numbers.get_mut(at) else {
            return 0;
        };
        if *slot == UNTOLD {
            *slot = self.count;
            self.count += 1;
            self.told.push(text);
        }
        *slot
    }

    fn close(&mut self) {
        let mut fields = self.packer.finish();
        fields.first = SpanId(self.first);
        self.first = self.slices;
        self.blocks.push_back(EncodedFields {
            fields,
            texts: std::mem::take(&mut self.told),
        });
    }

    /// Hands over the fields of all slices before `end`, and perhaps of some behind it.
    pub fn hand_over(&mut self, end: u32, texts: &mut ChromeTexts, sink: &mut RecordSink<'_>) {
        if self.first < end && self.first < self.slices {
            self.close();
        }
        while let Some(packed) = self.blocks.pop_front_if(|it| it.fields.first.0 < end) {
            let EncodedFields {
                mut fields,
                texts: new,
            } = packed;
            for (name, _) in fields.forms.iter_mut().flatten() {
                *name = texts.name(name.0, sink);
            }
            fields.texts = new.into_iter().map(|it| texts.text(it).into()).collect();
            sink.push(Record::Fields(Box::new(fields)));
        }
        while let Some((span, name, value)) = self.loose.pop_front_if(|it| it.0.0 < end) {
            let name = texts.name(name, sink);
            let value = value.value(|text| Some(texts.text(text)));
            sink.push(Record::Argument(span, name, value));
        }
    }
}
